#include "reading/answers/typed_row.h"

#include <algorithm>
#include <utility>

#include "reading/answers/answers.h"
#include "reading/answers/typed_value.h"

namespace attn {
namespace {

// Behind the last equals sign, on one line, without a comment.
std::string value_in(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (const std::size_t size = equals_size(line.substr(at))) begin = at + size;
  }
  std::string value(line.substr(begin));
  std::ranges::replace(value, '\n', ' ');
  std::ranges::replace(value, ';', ' ');
  return value;
}

// Words that are dashes, with what they stand for in their place.
std::string without_dashes(const std::string& value, std::string_view dash) {
  std::string text;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find_first_of(" \t\r,[]()", at), value.size());
    const std::string_view word = std::string_view(value).substr(at, end - at);
    text += word == "-" || word == "–" || word == "—" || word == "−" ? dash : word;
    if (end < value.size()) text += value[end];
    at = end + 1;
  }
  return text;
}

}  // namespace

Result<std::vector<AnsweredStep::Cell>> read_typed_row(std::string_view line, const TypedPlace& place,
                                                       const KnownSteps& known, std::string_view dash) {
  std::string statement = place.step;
  for (std::size_t axis = 0; axis < place.index.size(); ++axis) {
    statement += axis == 0 ? "[" : ",";
    statement += place.index[axis] ? std::to_string(*place.index[axis] + 1) : ":";
  }
  statement += place.index.empty() ? " = " : "] = ";
  const std::string value = value_in(line);
  Result<Answers> read = read_answers_text(statement + value, known);
  // A dash between numbers is a minus, unless that leaves too few of them.
  if (!read) {
    Result<Answers> with_dashes = read_answers_text(statement + without_dashes(value, dash), known);
    if (with_dashes) read = std::move(with_dashes);
  }
  if (!read) return read.faults().front();
  const AnsweredStep& step = read.value().steps.front();
  std::vector<AnsweredStep::Cell> cells = step.cells;
  for (const AnsweredStep::Placed& placed : step.placed) cells.push_back(placed.number);
  return cells;
}

}  // namespace attn
