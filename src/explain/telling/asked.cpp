#include "explain/telling/asked.h"

#include <utility>

#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "explain/place.h"
#include "trace/step_name.h"
#include "words/language.h"

namespace attn {
namespace {

// What was typed, as a sentence shows it.
std::string cut(std::string_view typed) { return shortened(visible(typed), 60); }

Diagnostic fault(std::string message, std::string help = language().telling.how_to_ask) {
  return {"wrong-question", "", std::move(message), std::move(help)};
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

// Reads the indices, from behind "[" to the "]" that ends the text.
class IndexReader {
 public:
  IndexReader(const std::string& text, std::size_t at) : text_(text), at_(at) {}

  Result<std::vector<IndexWord>> read() {
    const TellingWords& said = language().telling;
    std::vector<IndexWord> words;
    for (;;) {
      skip_blanks();
      const bool quoted = at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"');
      std::optional<std::string> word = quoted ? quoted_word() : bare_word();
      if (!word) return fault(said.quote_not_closed(cut(text_)));
      skip_blanks();
      if (at_ >= text_.size()) return fault(said.no_bracket_at_end(cut(text_)));
      if (word->empty()) return fault(said.empty_index(cut(text_)));
      words.push_back({std::move(*word), quoted});
      const char end = text_[at_++];
      if (end == ',') continue;
      const std::string rest = trimmed(std::string_view(text_).substr(end == ']' ? at_ : at_ - 1));
      if (rest.empty()) return words;
      return fault(said.too_much(cut(rest), cut(text_)));
    }
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::optional<std::string> quoted_word() {
    const char quote = text_[at_++];
    std::string word;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return word;
      }
      const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           (text_[at_ + 1] == '\\' || text_[at_ + 1] == '\'' || text_[at_ + 1] == '"');
      if (escaped) ++at_;
      word += text_[at_];
    }
    return std::nullopt;
  }

  // Up to the next comma or closing bracket; [CLS] is one word.
  std::string bare_word() {
    const std::size_t begin = at_;
    std::size_t open = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[') ++open;
      if (open == 0 && (c == ',' || c == ']')) break;
      if (c == ']') --open;
    }
    return trimmed(std::string_view(text_).substr(begin, at_ - begin));
  }

  const std::string& text_;
  std::size_t at_;
};

// "scores has query 1…3, key 1…3"
std::string what_there_is(const std::string& id, const Shape& shape) {
  std::vector<std::string> axes;
  for (const Dim& dim : shape.dims()) {
    axes.push_back(dim.axis + (dim.size == 1 ? " 1" : " 1…" + std::to_string(dim.size)));
  }
  return language().telling.axes_of(id, listed(axes));
}

// As many as a person reads: a block has hundreds.
std::vector<std::string> few(std::vector<std::string> names) {
  constexpr std::size_t most = 40;
  if (names.size() > most) {
    names.resize(most);
    names.emplace_back("…");
  }
  return names;
}

Diagnostic unknown_step(const Trace& trace, const std::string& id) {
  std::vector<std::string> steps, givens;
  for (const Step& step : trace.steps) steps.push_back(step.heading.id);
  for (const GivenTensor& given : trace.givens) givens.push_back(given.heading.id);
  const TellingWords& said = language().telling;
  const std::string help =
      said.its_steps_are(listed(few(steps))) + (givens.empty() ? "" : said.given_are(listed(few(givens))));
  steps.insert(steps.end(), givens.begin(), givens.end());
  return fault(said.no_such_step(cut(id), did_you_mean(id, steps)), help);
}

// The step or given tensor of that id; or those that formulas name so; or of that id in other letters.
std::vector<std::string> named(const Trace& trace, const std::string& name) {
  if (trace.find(name) || trace.find_given(name)) return {name};
  std::vector<StepName> all = step_names(trace);
  if (auto found = with_symbol(name, all); !found.empty()) return found;
  const std::vector<StepName> given = given_names(trace);
  if (auto found = with_symbol(name, given); !found.empty()) return found;
  all.insert(all.end(), given.begin(), given.end());
  return steps_called(name, all);
}

Diagnostic no_label(const IndexWord& word, const Heading& heading, const Dim& dim, std::vector<std::string> labels,
                    const std::string& there_is) {
  constexpr std::size_t most_labels = 20;
  const TellingWords& said = language().telling;
  const std::string from = said.number_up_to(dim.size);
  bool named = false;
  for (std::size_t i = 0; i < labels.size(); ++i) named = named || labels[i] != std::to_string(i + 1);
  if (!named) return fault(said.numbers_only(cut(word.text), dim.axis, heading.id), said.write_number(from, there_is));
  const std::string suggestion = did_you_mean(word.text, labels);
  if (labels.size() > most_labels) {
    labels.resize(most_labels);
    labels.emplace_back("…");
  }
  return fault(said.no_such_label(dim.axis, heading.id, cut(word.text), suggestion),
               said.write_label(listed(labels), from));
}

// The index that a word means along one axis of the tensor.
Result<std::size_t> index_of(const Trace& trace, const Heading& heading, const Shape& shape, const IndexWord& word,
                             const Dim& dim, const Place& place) {
  const TellingWords& said = language().telling;
  const std::string there_is = what_there_is(heading.id, shape);
  const auto outside = [&] { return fault(said.outside(heading.id, dim.axis, cut(word.text), dim.size), there_is); };
  std::size_t number = 0;
  if (!word.quoted && parse_natural(word.text, number)) {
    if (number >= 1 && number <= dim.size) return number - 1;
    return outside();
  }
  std::vector<std::string> labels = axis_labels(trace, heading, dim, place);
  std::vector<std::string> found;  // the numbers of those that it is
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != word.text) continue;
    found.push_back(std::to_string(i + 1));
    number = i;
  }
  if (found.size() == 1) return number;
  if (found.empty() && !word.quoted && spells_number(word.text)) return outside();
  if (found.empty()) return no_label(word, heading, dim, std::move(labels), there_is);
  const std::string last = found.back();
  found.pop_back();
  return fault(said.several(cut(word.text), dim.axis, listed(found), last), said.give_the_number);
}

}  // namespace

Result<Question> read_question(std::string_view text) {
  const std::size_t bracket = text.find('[');
  Question question{std::string(text), trimmed(text.substr(0, bracket)), std::nullopt};
  if (question.id.empty()) return fault(language().telling.names_no_step(cut(question.typed)));
  if (bracket == std::string_view::npos) return question;
  Result<std::vector<IndexWord>> indices = IndexReader(question.typed, bracket + 1).read();
  if (!indices) return indices.faults();
  question.indices = std::move(indices.value());
  return question;
}

Result<Asked> find_asked(const Trace& trace, const Question& question) {
  const std::vector<std::string> called = named(trace, question.id);
  if (called.empty()) return unknown_step(trace, question.id);
  if (called.size() > 1) {
    const TellingWords& said = language().telling;
    return fault(said.symbol_of_several(cut(question.id), listed(called)), said.give_the_id);
  }
  const std::string& id = called.front();
  const Heading& heading = trace.heading(id);
  const Shape& shape = trace.value(id).shape();
  if (!question.indices) return Asked{heading.id, std::nullopt};

  const std::vector<IndexWord>& words = *question.indices;
  if (words.size() != shape.rank()) {
    const TellingWords& said = language().telling;
    return fault(said.other_count(cut(question.typed), words.size(), heading.id, shape.rank()),
                 said.an_index_for_each(what_there_is(heading.id, shape)));
  }
  Place place;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const Result<std::size_t> index = index_of(trace, heading, shape, words[axis], shape[axis], place);
    if (!index) return index.faults();
    place.emplace_back(shape[axis].axis, index.value());
  }
  return Asked{heading.id, offset_at(shape, place)};
}

}  // namespace attn
