#include "reading/names/step_names.h"

#include <algorithm>
#include <iterator>

#include "base/suggest.h"
#include "base/text.h"
#include "problem/faults.h"

namespace attn {
namespace {

// What people and textbooks call a step, without case and signs.
constexpr Synonyms aliases[] = {
    {"x input embeddings", "inputs"},
    {"pe positionalencoding", "position_encoding"},
    {"q query", "queries"},
    {"k key", "keys"},
    {"v value", "values"},
    {"s qkt qk logits dotproducts attentionscores similarities rawscores", "scores"},
    {"scaled scaledattentionscores scaleddotproducts", "scaled_scores"},
    {"masked", "masked_scores"},
    {"max maximum rowmax", "row_maximum"},
    {"exp exps exponents", "exponentials"},
    {"sum sums rowsums expsums", "exponential_sums"},
    {"blockmax", "block_maximum"},
    {"runningmax", "running_maximum"},
    {"rescaling correction", "rescale"},
    {"blockexp blockexps", "block_exponentials"},
    {"a w p alpha softmax weights attention attentions attnweights attentionmatrix probabilities", "attention_weights"},
    {"weighted", "weighted_values"},
    {"c z contextvectors attentionoutput attentionoutputs heads", "context"},
    {"concatenated concatenation multihead", "concat"},
    {"o y out outputs projection", "output"},
};

// No step and no symbol is longer, and nobody means a name that long.
constexpr std::size_t longest_name = 200;

// Those that are long enough to be misspelt, and known all the same.
std::vector<std::string> long_aliases() {
  constexpr std::size_t least = 5;
  std::vector<std::string> words;
  for (const Synonyms& one : aliases) {
    for (std::string& word : split(one.names, ' ')) {
      if (word.size() >= least) words.push_back(std::move(word));
    }
  }
  return words;
}

// The step that the end of a file's name names; empty where it names none.
std::string step_in_file_name(std::string_view end, bool is_table, const KnownSteps& known) {
  const std::string small = plain_name(end, [](char) { return false; });
  if (known.has(small)) return small;
  if (!is_table) return "";
  const KnownSteps::Ids ids = known.called_exactly(end);
  if (ids.size() == 1) return ids.front();
  // One letter that is nobody's symbol here may be anything.
  const auto alias = end.size() > 1 ? alias_of_step(end) : std::nullopt;
  return alias && known.has(*alias) ? *alias : "";
}

}  // namespace

std::string plain_step_name(std::string_view name) {
  std::string letters(name);
  for (const std::string_view sign : {"·", "×", "ᵀ"}) {
    for (std::size_t at = 0; (at = letters.find(sign, at)) != std::string::npos;) letters.erase(at, sign.size());
  }
  return plain_name(letters, [](char c) { return !is_ascii_alnum(c); });
}

std::optional<std::string> alias_of_step(std::string_view name) {
  const auto found = step_aliases().find(plain_step_name(name));
  return found == step_aliases().end() ? std::nullopt : std::optional(std::string(found->second));
}

Meanings meanings(std::span<const Synonyms> rows) {
  Meanings all;
  for (const Synonyms& row : rows) {
    for (std::size_t from = 0; from < row.names.size();) {
      const std::size_t end = std::min(row.names.find(' ', from), row.names.size());
      all.emplace(row.names.substr(from, end - from), row.meaning);
      from = end + 1;
    }
  }
  return all;
}

const Meanings& step_aliases() {
  static const Meanings all = meanings(aliases);
  return all;
}

bool KnownSteps::has(std::string_view id) const {
  if (own_by_name_.contains(id) || std::ranges::count(possible_(), id) > 0) return true;
  // A step that an attention of a block could have: "layer1.self.scaled_scores".
  return std::ranges::any_of(attentions_, [&](const std::string& prefix) {
    return id.starts_with(prefix) && std::ranges::count(possible_(), id.substr(prefix.size())) > 0;
  });
}

KnownSteps KnownSteps::of(const Recipe& recipe, const Ids& (*possible)()) {
  KnownSteps known(recipe.steps(), possible);
  known.names_ = step_names(recipe);
  for (const RecipePart& part : recipe.parts()) {
    if (part.attention && !part.prefix.empty()) known.attentions_.push_back(part.prefix + ".");
  }
  for (const std::string& id : known.own_) known.shapes_.emplace(id, recipe.shape(id));
  return known;
}

KnownSteps::Ids KnownSteps::called(std::string_view name) const {
  if (name.size() > longest_name) return {};
  if (name == "result") return own_.empty() ? Ids() : Ids{own_.back()};
  if (has(name)) return {std::string(name)};
  Ids ids = steps_called(name, names_);
  if (!ids.empty()) return ids;
  const std::string id = as_step_id(name);
  return id != name && has(id) ? Ids{id} : Ids();
}

KnownSteps::Ids KnownSteps::called_exactly(std::string_view name) const {
  if (name.size() > longest_name) return {};
  return name == "result" || has(name) ? called(name) : with_symbol(name, names_);
}

const Shape* KnownSteps::shape(std::string_view id) const {
  const auto found = shapes_.find(id);
  return found == shapes_.end() ? nullptr : &found->second;
}

std::optional<std::size_t> KnownSteps::numbers() const {
  if (shapes_.empty()) return std::nullopt;
  std::size_t count = 0;
  for (const auto& [id, shape] : shapes_) count += shape.count();
  return count;
}

std::optional<std::string> KnownSteps::meant_by(std::string_view name) const {
  if (name.size() > 64) return std::nullopt;
  if (auto alias = alias_of_step(name); alias && has(*alias)) return alias;
  Ids all = possible_();
  std::ranges::copy_if(own_, std::back_inserter(all),
                       [&](const std::string& id) { return !std::ranges::count(all, id); });
  if (auto near = closest(name, all)) return near;
  const auto alias = closest(plain_step_name(name), long_aliases());
  const auto meant = alias ? alias_of_step(*alias) : std::nullopt;
  return meant && has(*meant) ? meant : std::nullopt;
}

std::string symbol_of_several(std::string_view name, const KnownSteps::Ids& ids) {
  return "\"" + shown(name) + "\" is the symbol of several steps: " + listed(ids);
}

std::string help_for_step(std::string_view name, const KnownSteps& known) {
  const auto meant = known.meant_by(name);
  if (meant) return "did you mean " + *meant + "?";
  return "the usual ones are queries, keys, values, scores, scaled_scores, attention_weights, context, output";
}

Diagnostic unknown_step(std::string_view name, TextRange place, const KnownSteps& known) {
  return {.code = "unknown-step",
          .where = "",
          .message = "\"" + shown(name) + "\" is not a step that is known",
          .help = help_for_step(name, known),
          .range = place};
}

FileOfAnswers file_of_answers(std::string_view stem, bool is_table, const KnownSteps& known) {
  if (auto step = step_in_file_name(stem, is_table, known); !step.empty()) return {"", std::move(step)};
  if (const KnownSteps::Ids ids = known.called(stem); is_table && ids.size() == 1) return {"", ids.front()};
  for (std::size_t at = stem.find_first_of("_- ."); at != std::string_view::npos;
       at = stem.find_first_of("_- .", at + 1)) {
    auto step = step_in_file_name(stem.substr(at + 1), is_table, known);
    if (at > 0 && !step.empty()) return {std::string(stem.substr(0, at)), std::move(step)};
  }
  return {std::string(stem)};
}

Result<std::string> named_step(std::string_view name, const KnownSteps& known) {
  const KnownSteps::Ids ids = known.called(name);
  if (ids.size() == 1) return ids.front();
  if (!ids.empty()) return Diagnostic{"ambiguous-step", "", symbol_of_several(name, ids), write_the_id};
  return Diagnostic{.code = "unknown-step",
                    .where = "",
                    .message = "no step is called \"" + shown(name) + "\"",
                    .help = help_for_step(name, known)};
}

}  // namespace attn
