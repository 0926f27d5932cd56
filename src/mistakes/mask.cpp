#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// A mask with its cells by query and key, whatever other axes it has.
class MaskCells {
 public:
  explicit MaskCells(const Shape& shape)
      : shape_(shape), query_(shape.position("query")), key_(shape.position("key")) {}

  // The same mask with other cells; cell(index, i, j) gives each.
  template <class Cell>
  Tensor<double> made(Cell cell) const {
    Tensor<double> result(shape_);
    for (std::size_t at = 0; at < result.size(); ++at) {
      const std::vector<std::size_t> index = shape_.index(at);
      result[at] = cell(index, index[*query_], index[*key_]) ? 1 : 0;
    }
    return result;
  }

  // Where query i and key j stand in a tensor that has some of the mask's axes.
  std::size_t place(const Shape& part, const std::vector<std::size_t>& index, std::size_t i, std::size_t j) const {
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < shape_.rank(); ++axis) {
      const std::size_t which = axis == *query_ ? i : axis == *key_ ? j : index[axis];
      at += which * part.stride(shape_[axis].axis);
    }
    return at;
  }

 private:
  const Shape& shape_;
  std::optional<std::size_t> query_, key_;
};

// The mask of the problem, and the rules that it is made of.
struct Masking {
  const RightAttention& right;
  Shape shape;
  Tensor<double> open;
  std::vector<std::string> rules;  // ids of given tensors
  Operand scores;                  // what is masked
  std::optional<Operand> bias;     // what is added, where anything is
};

std::optional<Masking> masking(const RightAttention& right) {
  const Instruction* close = right.find(right.at.masked);
  const Instruction* mask = right.find(right.at.mask);
  if (!close || !mask || !close->open || close->open->id != right.at.mask ||
      !std::holds_alternative<Close>(close->op)) {
    return std::nullopt;
  }
  Masking found{right, right.shape(right.at.mask), right.value(right.at.mask), {}, close->operands[0], {}};
  for (const Operand& rule : mask->operands) found.rules.push_back(rule.id);
  if (close->operands.size() > 1) found.bias = close->operands[1];
  return found;
}

bool closes_nothing(const Masking& mask) {
  return std::ranges::count(mask.open.data(), 1.0) == static_cast<std::ptrdiff_t>(mask.open.size());
}

// What is added, as far as it is a number: who does not close a cell does not add −∞ to it.
std::optional<Operand> finite_bias(Recipe& recipe, const Masking& mask) {
  if (!mask.bias) return std::nullopt;
  Tensor<double> bias = value_in(recipe, mask.bias->id);
  bool finite = true;
  for (double& number : bias.data()) {
    finite = finite && std::isfinite(number);
    if (!std::isfinite(number)) number = 0;
  }
  if (finite) return mask.bias;
  recipe.give("~bias", std::move(bias));
  return "~bias";
}

// The scores, with what is added.
std::vector<Operand> scores_to_mask(Recipe& recipe, const Masking& mask) {
  std::vector<Operand> operands = {mask.scores};
  if (const auto bias = finite_bias(recipe, mask)) operands.push_back(*bias);
  return operands;
}

// Rows that the mask leaves without an open cell get the same weight everywhere,
// as a softmax gives that subtracts a large number in place of closing.
void spread_empty_rows(Recipe& recipe, const Anatomy& at, const Tensor<double>& open) {
  const std::size_t keys = open.shape().size("key");
  Tensor<double> read = open;
  for (std::size_t row = 0; row < read.size(); row += keys) {
    const auto cells = read.data().subspan(row, keys);
    if (std::ranges::find(cells, 1.0) == cells.end()) std::ranges::fill(cells, 1.0);
  }
  recipe.give("~read", std::move(read));
  recipe.insert_before(at.maximum, in_between("~levelled", Map{Unary::multiply, 1, ""}, {at.masked}, at.mask));
  for (std::size_t line = *recipe.line("~levelled") + 1; line < recipe.size(); ++line) {
    const std::string reader = recipe.instruction(line).id();
    recipe.redirect(reader, at.masked, "~levelled");
    recipe.redirect(reader, at.mask, "~read");
  }
}

bool has_empty_row(const Tensor<double>& open) {
  const std::size_t keys = open.shape().size("key");
  for (std::size_t row = 0; row < open.size(); row += keys) {
    const auto cells = open.data().subspan(row, keys);
    if (std::ranges::find(cells, 1.0) == cells.end()) return true;
  }
  return false;
}

// Another mask in the place of the right one.
Rewrites with_mask(const RightAttention& right, const Masking& mask, const std::string& variant,
                   const Tensor<double>& open) {
  if (open == mask.open) return {};
  const auto change = [&](Recipe& recipe) {
    recipe.give("~mask", open);
    recipe.replace(right.at.mask, Copy{}, {"~mask"});
    recipe.replace(right.at.masked, Close{}, scores_to_mask(recipe, mask), right.at.mask);
  };
  if (!has_empty_row(open) || !has_softmax(right)) return {rewritten(right, right.at.mask, variant, change)};
  const std::string comma = variant.empty() ? "" : variant + "; ";
  return {rewritten(right, right.at.mask, comma + language().mistakes.empty_rows_zero.text(), change),
          rewritten(right, right.at.mask, comma + language().mistakes.empty_rows_equal.text(), [&](Recipe& recipe) {
            change(recipe);
            spread_empty_rows(recipe, right.at, open);
          })};
}

void append(Rewrites& all, Rewrites more) {
  for (Rewrite& one : more) all.push_back(std::move(one));
}

std::string rule_words(const Anatomy& at, const std::string& id) {
  if (id == at.causal_rule) return language().mistakes.causal_mask;
  if (id == at.lengths_rule) return language().mistakes.padding;
  const std::string number = id.substr(id.rfind('.') + 1);
  return "mask " + number;
}

// Whether another rule than the `skipped` closes the cell.
bool others_allow(const RightAttention& right, const Masking& mask, const MaskCells& cells, std::size_t skipped,
                  const std::vector<std::size_t>& index, std::size_t i, std::size_t j) {
  for (std::size_t rule = 0; rule < mask.rules.size(); ++rule) {
    if (rule == skipped) continue;
    const Tensor<double>& open = right.given(mask.rules[rule]);
    if (open[cells.place(open.shape(), index, i, j)] == 0) return false;
  }
  return true;
}

Rewrites forgotten(const RightAttention& right) {
  const auto mask = masking(right);
  if (!mask || (closes_nothing(*mask) && !mask->bias)) return {};
  const bool several = mask->rules.size() > 1;
  Rewrites all = {rewritten(right, right.at.masked, several ? language().mistakes.all_of_it : "", [&](Recipe& recipe) {
    recipe.replace(right.at.masked, Copy{}, {mask->scores});
    leave_open_below(recipe, right.at, right.at.masked);
  })};
  if (mask->bias && !closes_nothing(*mask)) {
    append(all, {rewritten(right, right.at.masked, language().mistakes.only_closing, [&](Recipe& recipe) {
             recipe.replace(right.at.masked, Close{}, {mask->scores, *mask->bias});
             leave_open_below(recipe, right.at, right.at.masked);
           })});
  }
  if (!several) return all;
  const MaskCells cells(mask->shape);
  for (std::size_t rule = 0; rule < mask->rules.size(); ++rule) {
    append(all, with_mask(right, *mask, rule_words(right.at, mask->rules[rule]),
                          cells.made([&](const auto& index, std::size_t i, std::size_t j) {
                            return others_allow(right, *mask, cells, rule, index, i, j);
                          })));
  }
  return all;
}

// The right mask, read or closed in other places.
template <class Cell>
Rewrites remade(const RightAttention& right, const Masking& mask, const std::string& variant, Cell cell) {
  const MaskCells cells(mask.shape);
  return with_mask(right, mask, variant, cells.made([&](const auto& index, std::size_t i, std::size_t j) {
    return cell(i, j, [&](std::size_t query, std::size_t key) {
      return mask.open[cells.place(mask.shape, index, query, key)] == 1;
    });
  }));
}

bool is_square(const Masking& mask) { return mask.shape.size("query") == mask.shape.size("key"); }

Rewrites inverted(const RightAttention& right) {
  const auto mask = masking(right);
  if (!mask || closes_nothing(*mask)) return {};
  return remade(right, *mask, "", [](std::size_t i, std::size_t j, auto open) { return !open(i, j); });
}

Rewrites transposed_mask(const RightAttention& right) {
  const auto mask = masking(right);
  if (!mask || !is_square(*mask)) return {};
  return remade(right, *mask, "", [](std::size_t i, std::size_t j, auto open) { return open(j, i); });
}

// Whether key j comes no later than query i, where query 1 stands at key 1 + offset.
bool in_triangle(std::size_t i, std::size_t j, std::int64_t offset) {
  return static_cast<std::int64_t>(j) <= static_cast<std::int64_t>(i) + offset;
}

// The offset at which the rule, or one sequence's part of it, is a causal
// triangle; nothing where it is none, or no offset can be told.
std::optional<std::int64_t> triangle_offset(const Tensor<double>& rule) {
  if (!rule.shape().has("query") || !rule.shape().has("key")) return std::nullopt;
  const std::size_t queries = rule.shape().size("query");
  const std::size_t keys = rule.shape().size("key");
  std::optional<std::int64_t> offset;
  for (std::size_t at = 0; at < rule.size(); at += keys) {
    const auto row = rule.data().subspan(at, keys);
    const auto seen = static_cast<std::size_t>(std::ranges::find(row, 0.0) - row.begin());
    if (std::ranges::count(row, 1.0) != static_cast<std::ptrdiff_t>(seen)) return std::nullopt;
    if (seen == 0 || seen == keys) continue;
    const auto i = static_cast<std::int64_t>(at / keys % queries);
    const std::int64_t told = static_cast<std::int64_t>(seen) - 1 - i;
    if (offset && *offset != told) return std::nullopt;
    offset = told;
  }
  if (!offset) return std::nullopt;
  for (std::size_t at = 0; at < rule.size(); ++at) {
    if ((rule[at] == 1) != in_triangle(at / keys % queries, at % keys, *offset)) return std::nullopt;
  }
  return offset;
}

// The rule that is a causal triangle, and its offset.
struct Triangle {
  std::size_t rule;
  std::int64_t offset;
};

std::optional<Triangle> triangle(const RightAttention& right, const Masking& mask) {
  for (std::size_t rule = 0; rule < mask.rules.size(); ++rule) {
    const auto offset = triangle_offset(right.given(mask.rules[rule]));
    // One query that may see the first few keys is no triangle unless it is said to be.
    const bool says_so = mask.rules[rule] == right.at.causal_rule || mask.shape.size("query") > 1;
    if (offset && says_so) return Triangle{rule, *offset};
  }
  return std::nullopt;
}

// The triangle's place taken by another rule; allows(i, j) is that rule.
template <class Allows>
Rewrites with_triangle(const RightAttention& right, const Masking& mask, std::size_t rule, const std::string& variant,
                       Allows allows) {
  const MaskCells cells(mask.shape);
  return with_mask(right, mask, variant, cells.made([&](const auto& index, std::size_t i, std::size_t j) {
    return allows(i, j) && others_allow(right, mask, cells, rule, index, i, j);
  }));
}

// Each query's own position closed too.
Rewrites diagonal_too(const RightAttention& right) {
  const auto mask = masking(right);
  const auto found = mask ? triangle(right, *mask) : std::nullopt;
  if (!found) return {};
  Rewrites all = with_triangle(right, *mask, found->rule, "",
                               [&](std::size_t i, std::size_t j) { return in_triangle(i, j, found->offset - 1); });
  if (found->offset == 0) return all;
  append(all, with_triangle(right, *mask, found->rule, language().mistakes.key_i,
                            [&](std::size_t i, std::size_t j) { return in_triangle(i, j, found->offset) && i != j; }));
  return all;
}

// Where there are more keys than queries, or fewer, the triangle starts at the
// first key or ends at the last one.
Rewrites wrong_corner(const RightAttention& right) {
  const auto mask = masking(right);
  const auto found = mask ? triangle(right, *mask) : std::nullopt;
  if (!found) return {};
  const std::int64_t at_end =
      static_cast<std::int64_t>(mask->shape.size("key")) - static_cast<std::int64_t>(mask->shape.size("query"));
  Rewrites all;
  for (const std::int64_t other : std::set<std::int64_t>{0, at_end}) {
    if (other == found->offset) continue;
    append(all, with_triangle(right, *mask, found->rule,
                              other == 0 ? language().mistakes.first_sees_first : language().mistakes.last_sees_last,
                              [&](std::size_t i, std::size_t j) { return in_triangle(i, j, other); }));
  }
  return all;
}

// Whether the rule is the same for all queries, as padding is.
bool is_about_keys(const Tensor<double>& rule) {
  if (!rule.shape().has("key")) return false;
  if (!rule.shape().has("query")) return true;
  const std::size_t keys = rule.shape().size("key");
  const std::size_t queries = rule.shape().size("query");
  for (std::size_t at = 0; at < rule.size(); ++at) {
    if (rule[at] != rule[at - at / keys % queries * keys]) return false;
  }
  return true;
}

// Rules that close keys close the queries of the same place instead.
Rewrites rows_for_columns(const RightAttention& right) {
  const auto mask = masking(right);
  if (!mask) return {};
  const std::size_t keys = mask->shape.size("key");
  const MaskCells cells(mask->shape);
  const auto allows = [&](const std::string& id, const auto& index, std::size_t i, std::size_t j) {
    const Tensor<double>& rule = right.given(id);
    if (!is_about_keys(rule)) return rule[cells.place(rule.shape(), index, i, j)] == 1;
    // Queries beyond the last key are beyond the length too, where it is a length.
    if (i >= keys) return id != right.at.lengths_rule || rule[cells.place(rule.shape(), index, 0, keys - 1)] == 1;
    return rule[cells.place(rule.shape(), index, 0, i)] == 1;
  };
  const bool applies = std::ranges::any_of(mask->rules, [&](const std::string& id) {
    return id == right.at.lengths_rule || (is_square(*mask) && is_about_keys(right.given(id)));
  });
  if (!applies) return {};
  return with_mask(right, *mask, "", cells.made([&](const auto& index, std::size_t i, std::size_t j) {
    return std::ranges::all_of(mask->rules, [&](const std::string& id) { return allows(id, index, i, j); });
  }));
}

Rewrites zero_for_minus_infinity(const RightAttention& right) {
  const auto mask = masking(right);
  if (!mask || closes_nothing(*mask)) return {};
  return {rewritten(right, right.at.masked, "", [&](Recipe& recipe) {
    recipe.replace(right.at.masked, Combine{Binary::add, {}}, scores_to_mask(recipe, *mask), right.at.mask);
    leave_open_below(recipe, right.at, right.at.masked);
  })};
}

Rewrites after_softmax(const RightAttention& right) {
  const auto mask = masking(right);
  if (!mask || closes_nothing(*mask) || !has_softmax(right)) return {};
  return {rewritten(right, right.at.weights, "", [&](Recipe& recipe) {
    recipe.replace(right.at.masked, Combine{Binary::add, {}}, scores_to_mask(recipe, *mask));
    leave_open_below(recipe, right.at, right.at.masked, false);
  })};
}

// 1 added to the scores of one kind of cells in place of closing any.
Rewrite number_added(const RightAttention& right, const Masking& mask, const std::string& variant, bool at_open) {
  return rewritten(right, right.at.masked, variant, [&](Recipe& recipe) {
    Tensor<double> added = mask.open;
    if (!at_open) {
      for (double& cell : added.data()) cell = 1 - cell;
    }
    recipe.give("~added", std::move(added));
    std::vector<Operand> operands = scores_to_mask(recipe, mask);
    operands.emplace_back("~added");
    recipe.replace(right.at.masked, Combine{Binary::add, {}}, operands);
    leave_open_below(recipe, right.at, right.at.masked);
  });
}

Rewrites added_as_number(const RightAttention& right) {
  const auto mask = masking(right);
  if (!mask || closes_nothing(*mask)) return {};
  return {number_added(right, *mask, language().mistakes.one_where_closed, false),
          number_added(right, *mask, language().mistakes.one_where_open, true)};
}

}  // namespace

Family mask_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "mask",
      .title = said.mask,
      .mistakes =
          {
              {.id = "mask.forgotten", .words = said.mask_forgotten, .rewrites = forgotten},
              {.id = "mask.inverted", .words = said.mask_inverted, .rewrites = inverted},
              {.id = "mask.transposed", .words = said.mask_transposed, .rewrites = transposed_mask},
              {.id = "mask.diagonal_too", .words = said.mask_diagonal_too, .rewrites = diagonal_too},
              {.id = "mask.zero_for_minus_infinity",
               .words = said.mask_zero_for_minus_infinity,
               .rewrites = zero_for_minus_infinity},
              {.id = "mask.after_softmax", .words = said.mask_after_softmax, .rewrites = after_softmax},
              {.id = "mask.rows_for_columns", .words = said.mask_rows_for_columns, .rewrites = rows_for_columns},
              {.id = "mask.added_as_number", .words = said.mask_added_as_number, .rewrites = added_as_number},
              {.id = "mask.wrong_corner", .words = said.mask_wrong_corner, .rewrites = wrong_corner},
          },
  };
}

}  // namespace attn
