#include "explain/telling/asked.h"

#include <algorithm>
#include <utility>

#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "explain/telling/axes.h"

namespace attn {
namespace {

constexpr const char* how_to_ask = "write a step and an index an axis, from 1: scores[1,2], or labels: scores[it,dog]";

Diagnostic fault(std::string message, std::string help) {
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
  IndexReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  Result<std::vector<IndexWord>> read() {
    std::vector<IndexWord> words;
    for (;;) {
      skip_blanks();
      const bool quoted = at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"');
      std::optional<std::string> word = quoted ? quoted_word() : bare_word();
      if (!word) return fault("a quote is opened and not closed in `" + std::string(text_) + "`", how_to_ask);
      skip_blanks();
      if (at_ >= text_.size()) return fault("`" + std::string(text_) + "` has no ] at its end", how_to_ask);
      if (word->empty()) return fault("`" + std::string(text_) + "` has an empty index", how_to_ask);
      words.push_back({std::move(*word), quoted});
      const char end = text_[at_++];
      if (end == ',') continue;
      if (end == ']' && trimmed(text_.substr(at_)).empty()) return words;
      return fault(
          "`" + trimmed(text_.substr(end == ']' ? at_ : at_ - 1)) + "` is too much in `" + std::string(text_) + "`",
          how_to_ask);
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
    return trimmed(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_;
};

// "query 1…3, key 1…3"
std::string spelled_axes(const Shape& shape) {
  std::string text;
  for (const Dim& dim : shape.dims()) {
    text += (text.empty() ? "" : ", ") + dim.axis + (dim.size == 1 ? " 1" : " 1…" + std::to_string(dim.size));
  }
  return text;
}

Diagnostic unknown_step(const Trace& trace, const std::string& id) {
  std::vector<std::string> steps, givens;
  for (const Step& step : trace.steps) steps.push_back(step.heading.id);
  for (const GivenTensor& given : trace.givens) givens.push_back(given.heading.id);
  std::vector<std::string> all = steps;
  all.insert(all.end(), givens.begin(), givens.end());
  return fault("this problem has no step `" + id + "`" + did_you_mean(id, all),
               "its steps are " + listed(steps) + (givens.empty() ? "" : "; given are " + listed(givens)));
}

// The step or given tensor of that id; or, as formulas name it, of that symbol.
// Empty where there is none.
std::string named(const Trace& trace, const std::string& name) {
  if (trace.find(name) || trace.find_given(name)) return name;
  for (const Step& step : trace.steps) {
    if (step.heading.symbol.text() == name) return step.heading.id;
  }
  for (const GivenTensor& given : trace.givens) {
    if (given.heading.symbol.text() == name) return given.heading.id;
  }
  return "";
}

// The index that a word means along one axis of the tensor.
class IndexFinder {
 public:
  IndexFinder(const Trace& trace, const Heading& heading, const Shape& shape)
      : trace_(trace), heading_(heading), shape_(shape) {}

  Result<std::size_t> find(const IndexWord& word, const Dim& dim, const Place& place) const {
    std::size_t number = 0;
    if (!word.quoted && parse_natural(word.text, number)) {
      if (number >= 1 && number <= dim.size) return number - 1;
      return outside(word, dim);
    }
    const std::vector<std::string> labels = axis_labels(trace_, heading_, dim, place);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == word.text) found.push_back(i);
    }
    if (found.size() == 1) return found[0];
    if (found.size() > 1) return several(word, dim, found);
    return !word.quoted && spells_number(word.text) ? outside(word, dim) : unknown(word, dim, labels);
  }

 private:
  std::string what_there_is() const { return heading_.id + " has " + spelled_axes(shape_); }

  Diagnostic outside(const IndexWord& word, const Dim& dim) const {
    const std::string range = dim.size == 1 ? " can be 1 only" : " goes from 1 to " + std::to_string(dim.size);
    return fault(heading_.id + " has no " + dim.axis + " " + word.text + ": " + dim.axis + range, what_there_is());
  }

  Diagnostic several(const IndexWord& word, const Dim& dim, const std::vector<std::size_t>& found) const {
    std::vector<std::string> numbers;
    for (const std::size_t index : found) numbers.push_back(std::to_string(index + 1));
    const std::string last = numbers.back();
    numbers.pop_back();
    return fault("`" + word.text + "` is more than one " + dim.axis + ": " + listed(numbers) + " and " + last,
                 "give the number of the one you mean, in place of the label");
  }

  Diagnostic unknown(const IndexWord& word, const Dim& dim, const std::vector<std::string>& labels) const {
    const std::string from = "a number from 1 to " + std::to_string(dim.size);
    bool named = false;
    for (std::size_t i = 0; i < labels.size(); ++i) named = named || labels[i] != std::to_string(i + 1);
    if (!named) {
      return fault("`" + word.text + "` is no " + dim.axis + " of " + heading_.id + ": they have numbers only",
                   "write " + from + "; " + what_there_is());
    }
    std::vector<std::string> shown(labels.begin(),
                                   labels.begin() + static_cast<std::ptrdiff_t>(std::min(labels.size(), most_labels)));
    if (shown.size() < labels.size()) shown.emplace_back("…");
    return fault(
        "no " + dim.axis + " of " + heading_.id + " is called `" + word.text + "`" + did_you_mean(word.text, labels),
        "write one of " + listed(shown) + ", or " + from);
  }

  static constexpr std::size_t most_labels = 20;

  const Trace& trace_;
  const Heading& heading_;
  const Shape& shape_;
};

}  // namespace

Result<Question> read_question(std::string_view text) {
  const std::size_t bracket = text.find('[');
  Question question{std::string(text), trimmed(text.substr(0, bracket)), std::nullopt};
  if (question.id.empty()) return fault("`" + question.typed + "` names no step", how_to_ask);
  if (bracket == std::string_view::npos) return question;
  Result<std::vector<IndexWord>> indices = IndexReader(text, bracket + 1).read();
  if (!indices) return indices.faults();
  question.indices = std::move(indices.value());
  return question;
}

Result<Asked> find_asked(const Trace& trace, const Question& question) {
  const std::string id = named(trace, question.id);
  if (id.empty()) return unknown_step(trace, question.id);
  const Heading& heading = trace.heading(id);
  const Shape& shape = trace.value(id).shape();
  if (!question.indices) return Asked{heading.id, std::nullopt};

  const std::vector<IndexWord>& words = *question.indices;
  if (words.size() != shape.rank()) {
    const std::string axes = counted(shape.rank(), "axis");
    return fault(
        "`" + question.typed + "` has " + counted(words.size(), "index") + ", and " + heading.id + " has " + axes,
        heading.id + " has " + spelled_axes(shape) + ": write an index for each");
  }
  Place place;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const Result<std::size_t> index = IndexFinder(trace, heading, shape).find(words[axis], shape[axis], place);
    if (!index) return index.faults();
    place.emplace_back(shape[axis].axis, index.value());
  }
  return Asked{heading.id, offset_at(shape, place)};
}

}  // namespace attn
