#include <algorithm>
#include <cstdint>
#include <set>
#include <variant>

#include "base/text.h"
#include "mistakes/masking.h"
#include "words/language.h"

namespace attn {
namespace {

std::string rule_words(const Anatomy& at, const std::string& id) {
  if (id == at.causal_rule) return language().mistakes.causal_mask;
  if (id == at.lengths_rule) return language().mistakes.padding;
  return "mask " + id.substr(id.rfind('.') + 1);
}

// The scores by these lines in place of masked ones: no cell closed, but perhaps of the weights.
Rewrite unclosed(const RightAttention& right, const StepId& step, const std::string& variant,
                 std::vector<Instruction> lines, bool also_weights = true) {
  return left_open_below(rewritten(right, step, variant, std::move(lines)), right.at, right.at.masked, also_weights);
}

// Padding is no mask to many: who forgets all others closes it all the same.
Rewrites all_but_padding(const RightAttention& right, const Masking& mask) {
  std::vector<std::string> others;
  for (const std::string& rule : mask.rules) {
    if (rule != right.at.lengths_rule) others.push_back(rule_words(right.at, rule));
  }
  if (others.size() < 2 || others.size() == mask.rules.size()) return {};
  const Tensor<double> own = spread(right, mask, right.at.lengths_rule);
  return with_mask(right, mask, listed(others), [&](const MaskCell& cell) { return own[cell.at] != 0; });
}

// Of more rules nobody leaves out just one; to try each would take a computation for each.
constexpr std::size_t most_rules = 32;

Rewrites forgotten(const RightAttention& right, const Masking& mask) {
  if (!mask.closes_something() && !mask.bias) return {};
  const StepId& masked = right.at.masked;
  const bool several = mask.rules.size() > 1, each_alone = several && mask.rules.size() <= most_rules;
  Rewrites all = {
      unclosed(right, masked, several ? language().mistakes.all_of_it : "", {line(masked, Copy{}, {mask.scores})})};
  if (mask.bias && mask.closes_something()) {
    all.push_back(
        unclosed(right, masked, language().mistakes.only_closing, {line(masked, Close{}, {mask.scores, *mask.bias})}));
  }
  append(all, all_but_padding(right, mask));
  for (std::size_t rule = 0; each_alone && rule < mask.rules.size(); ++rule) {
    append(all,
           with_rule(right, mask, rule, rule_words(right.at, mask.rules[rule]), [](const MaskCell&) { return true; }));
  }
  return all;
}

Rewrites inverted(const RightAttention& right, const Masking& mask) {
  return with_mask(right, mask, "", [&](const MaskCell& cell) { return mask.open[cell.at] != 1; });
}

Rewrites transposed_mask(const RightAttention& right, const Masking& mask) {
  if (mask.queries != mask.keys) return {};
  return with_mask(right, mask, "",
                   [&](const MaskCell& cell) { return mask.open[mask.beside(cell, cell.key, cell.query)] == 1; });
}

// Whether key j comes no later than query i, where query 1 stands at key 1 + offset.
bool in_triangle(const MaskCell& cell, std::int64_t offset) {
  return static_cast<std::int64_t>(cell.key - cell.query) <= offset;
}

// The offset at which a rule of which only the cells are known is a causal
// triangle; nothing where it is none, or no offset can be told.
std::optional<std::int64_t> triangle_offset(const Masking& mask, const Tensor<double>& rule) {
  std::optional<std::int64_t> offset;
  for (std::size_t at = 0; !offset && at < rule.size(); at += mask.keys) {
    const auto row = rule.data().subspan(at, mask.keys);
    const auto seen = std::ranges::find(row, 0.0) - row.begin();
    if (seen == 0 || seen == std::ssize(row)) continue;
    offset = seen - 1 - static_cast<std::int64_t>(mask.cell(at).query);
  }
  for (std::size_t at = 0; offset && at < rule.size(); ++at) {
    if ((rule[at] == 1) != in_triangle(mask.cell(at), *offset)) return std::nullopt;
  }
  return offset;
}

// A mask, and the rule of it that is a causal triangle.
struct Triangle {
  Masking mask;
  std::size_t rule;
  std::vector<std::int64_t> offsets;  // one for all, or one a sequence
  std::size_t keys;                   // all behind so many are open

  std::int64_t offset(const MaskCell& cell) const { return offsets[cell.at / (mask.open.size() / offsets.size())]; }
  bool is_open(const MaskCell& cell, std::int64_t at_offset) const {
    return cell.key >= keys || in_triangle(cell, at_offset);
  }
};

std::optional<Triangle> triangle(const RightAttention& right) {
  auto mask = masking(right);
  for (std::size_t rule = 0; mask && rule < mask->rules.size(); ++rule) {
    const Instruction& given = *right.find(mask->rules[rule]);
    const bool says_so = given.id() == right.at.causal_rule;
    // Where few queries are asked, all that they see may be open: then the numbers do not tell.
    if (says_so && given.rule && std::holds_alternative<Given>(given.op)) {
      const std::vector<double>& first = given.rule->values;
      return Triangle{std::move(*mask), rule, {first.begin(), first.end()}, given.rule->keys};
    }
    const Tensor<double> open = right.value(given.id());
    if (!open.shape().has("query") || !open.shape().has("key")) continue;
    // One query that may see the first few keys is no triangle unless it is said to be.
    const auto offset = says_so || mask->queries > 1 ? triangle_offset(*mask, open) : std::nullopt;
    const std::size_t keys = mask->keys;
    if (offset) return Triangle{std::move(*mask), rule, {*offset}, keys};
  }
  return std::nullopt;
}

// Each query's own position closed too.
Rewrites diagonal_of_triangle(const RightAttention& right, const Triangle& found) {
  Rewrites all = with_rule(right, found.mask, found.rule, "",
                           [&](const MaskCell& cell) { return found.is_open(cell, found.offset(cell) - 1); });
  if (std::ranges::all_of(found.offsets, [](std::int64_t offset) { return offset == 0; })) return all;
  append(all, with_rule(right, found.mask, found.rule, language().mistakes.key_i, [&](const MaskCell& cell) {
           return found.is_open(cell, found.offset(cell)) && cell.query != cell.key;
         }));
  return all;
}

// Where the mask is no triangle, a query's own position is the key of its number.
Rewrites diagonal_too(const RightAttention& right) {
  if (const auto found = triangle(right)) return diagonal_of_triangle(right, *found);
  const auto mask = masking(right);
  if (!mask || mask->queries != mask->keys) return {};
  return with_mask(right, *mask, "",
                   [&](const MaskCell& cell) { return mask->open[cell.at] == 1 && cell.query != cell.key; });
}

// Where there are more keys than queries, or fewer, the triangle starts at the
// first key or ends at the last one.
Rewrites wrong_corner(const RightAttention& right, const Triangle& found) {
  const auto at_end = static_cast<std::int64_t>(found.keys - found.mask.queries);
  Rewrites all;
  for (const std::int64_t other : std::set<std::int64_t>{0, at_end}) {
    append(all, with_rule(right, found.mask, found.rule,
                          other == 0 ? language().mistakes.first_sees_first : language().mistakes.last_sees_last,
                          [&](const MaskCell& cell) { return found.is_open(cell, other); }));
  }
  return all;
}

// Rules that close keys, the same for all queries as padding is, close the
// queries of the same place instead.
Rewrites rows_for_columns(const RightAttention& right, const Masking& mask) {
  bool applies = false;
  Tensor<double> turned(mask.open.shape(), std::vector<double>(mask.open.size(), 1));
  for (const std::string& id : mask.rules) {
    const Tensor<double> rule = spread(right, mask, id);
    const bool is_length = id == right.at.lengths_rule;
    bool is_about_keys = right.shape(id).has("key");
    for (std::size_t at = 0; is_about_keys && at < rule.size(); ++at) {
      is_about_keys = rule[at] == rule[mask.beside(mask.cell(at), 0, mask.cell(at).key)];
    }
    applies = applies || is_length || (mask.queries == mask.keys && is_about_keys);
    for (std::size_t at = 0; at < rule.size(); ++at) {
      const MaskCell cell = mask.cell(at);
      // Queries beyond the last key are beyond the length too, where it is a length.
      if (is_about_keys && !is_length && cell.query >= mask.keys) continue;
      const std::size_t from = is_about_keys ? mask.beside(cell, 0, std::min(cell.query, mask.keys - 1)) : at;
      if (rule[from] != 1) turned[at] = 0;
    }
  }
  if (!applies) return {};
  return with_mask(right, mask, "", [&](const MaskCell& cell) { return turned[cell.at] == 1; });
}

Rewrites zero_for_minus_infinity(const RightAttention& right, const Masking& mask) {
  return {unclosed(right, right.at.masked, "", masked_by(right, mask, Combine{Binary::add, {}}, right.at.mask))};
}

Rewrites after_softmax(const RightAttention& right, const Masking& mask) {
  if (!softmax_input(right)) return {};
  return {unclosed(right, right.at.weights, "", masked_by(right, mask, Combine{Binary::add, {}}), false)};
}

// 1 added to the scores of one kind of cells in place of closing any.
Rewrites added_as_number(const RightAttention& right, const Masking& mask) {
  const auto with_ones = [&](const std::string& variant, Tensor<double> ones) {
    std::vector<Instruction> lines = masked_by(right, mask, Combine{Binary::add, {}});
    lines.back().operands.emplace_back("~added");
    lines.insert(lines.begin(), given_line("~added", std::move(ones)));
    return unclosed(right, right.at.masked, variant, std::move(lines));
  };
  Tensor<double> closed = mask.open;
  for (double& cell : closed.data()) cell = 1 - cell;
  return {with_ones(language().mistakes.one_where_closed, std::move(closed)),
          with_ones(language().mistakes.one_where_open, mask.open)};
}

}  // namespace

Family mask_family() {
  const MistakeWords& said = language().mistakes;
  return {
      said.mask,
      {
          {"mask.forgotten", said.mask_forgotten, where<masking, forgotten>},
          {"mask.inverted", said.mask_inverted, where<closing, inverted>},
          {"mask.transposed", said.mask_transposed, where<masking, transposed_mask>},
          {"mask.diagonal_too", said.mask_diagonal_too, diagonal_too},
          {"mask.zero_for_minus_infinity", said.mask_zero_for_minus_infinity, where<closing, zero_for_minus_infinity>},
          {"mask.after_softmax", said.mask_after_softmax, where<closing, after_softmax>},
          {"mask.rows_for_columns", said.mask_rows_for_columns, where<masking, rows_for_columns>},
          {"mask.added_as_number", said.mask_added_as_number, where<closing, added_as_number>},
          {"mask.wrong_corner", said.mask_wrong_corner, where<triangle, wrong_corner>},
      }};
}

}  // namespace attn
