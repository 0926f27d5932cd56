#include "reading/answers/cells.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/text.h"
#include "base/utf8.h"
#include "reading/json/syntax.h"

namespace attn {
namespace {

using Cell = AnsweredStep::Cell;
using Kind = JsonValue::Kind;

// No step has more axes than batch, head, query, key and one more.
constexpr std::size_t most_axes = 8;

// Blanks that stand for lists may fill so many cells, in a file of any size.
constexpr std::size_t most_blanks = std::size_t{1} << 18;

constexpr std::size_t unknown_size = std::numeric_limits<std::size_t>::max();

// Numbers without quotes come with -1 until the longest of them is known.
constexpr int as_the_longest = -1;

bool is_blank(const JsonValue& value) {
  if (value.kind() == Kind::null) return true;
  const std::string_view spelling = value.spelling();
  return value.kind() == Kind::text &&
         spelling.substr(1, spelling.size() - 2).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_list_or_object(const JsonValue& value) { return value.kind() == Kind::list || value.kind() == Kind::object; }

void trim(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
}

// "1,2", "[1, 2]", from 0.
std::optional<std::vector<std::size_t>> index_of(std::string_view name) {
  trim(name);
  for (const auto& [open, close] : {std::pair('[', ']'), std::pair('(', ')')}) {
    if (name.size() < 2 || name.front() != open || name.back() != close) continue;
    name = name.substr(1, name.size() - 2);
  }
  std::vector<std::size_t> index;
  for (bool more = true; more;) {
    const std::size_t comma = name.find(',');
    std::string_view one = name.substr(0, comma);
    trim(one);
    std::size_t value = 0;
    if (!parse_natural(one, value) || value == 0 || index.size() == most_axes) return std::nullopt;
    index.push_back(value - 1);
    more = comma != std::string_view::npos;
    if (more) name.remove_prefix(comma + 1);
  }
  return index;
}

// What the lists of a step are like, all through. The step is read twice: once
// for the sizes, which a null does not tell, and once for the cells.
class Nesting {
 public:
  Nesting(std::string_view text, const std::string& where, Faults& faults)
      : text_(text), where_(where), faults_(faults) {}

  std::vector<std::size_t> sizes;  // of every list of a level

  // Whether the value is as what was seen before it; if not, that is a fault.
  bool fits(const JsonValue& value) {
    if (value.kind() == Kind::object) {
      return fault("wrong-kind", value, " is an object; a number is wanted",
                   R"(single cells are written {"1,2": 6.68} in place of the lists)");
    }
    return value.kind() == Kind::list ? list_fits(value) : is_blank(value) || number_fits(value);
  }

 private:
  bool number_fits(const JsonValue& value) {
    if (numbers_ ? *numbers_ != place_.size() : sizes.size() > place_.size()) {
      return fault("mixed-list", value, " is " + answer_in_words(value) + ", where the others are lists",
                   "write each row in brackets: [[1, 2], [3, 4]]");
    }
    numbers_ = place_.size();
    return true;
  }

  bool list_fits(const JsonValue& list) {
    const std::size_t level = place_.size();
    if (numbers_ && level >= *numbers_) {
      return fault("mixed-list", list, " is a list, where the others are numbers",
                   "write each row in brackets: [[1, 2], [3, 4]]");
    }
    if (level == most_axes) {
      faults_.add("too-deep", pointer(where_, place_), place_in(text_, list.spelling()),
                  "the lists are nested more than " + std::to_string(most_axes) + " deep here",
                  "no step has as many axes");
      return false;
    }
    if (level == sizes.size()) sizes.push_back(unknown_size);
    place_.push_back(0);
    for (JsonWalk walk(list); walk.next(); ++place_.back()) {
      if (!fits(walk.value())) return false;
    }
    const std::size_t count = place_.back();
    place_.pop_back();
    if (sizes[level] == unknown_size) sizes[level] = count;
    if (sizes[level] == count) return true;
    return fault("ragged-list", list,
                 " has " + counted(count, level + 1 < sizes.size() ? "list" : "number") + ", and the first one has " +
                     std::to_string(sizes[level]),
                 "write null for a blank");
  }

  bool fault(std::string code, const JsonValue& value, const std::string& message, Help help) {
    const std::string place = pointer(where_, place_);
    faults_.add(std::move(code), place, place_in(text_, value.spelling()), shown(place) + message, std::move(help));
    return false;
  }

  std::string_view text_;
  const std::string& where_;
  Faults& faults_;
  ListPlace place_;                     // of what is looked at
  std::optional<std::size_t> numbers_;  // how deep the numbers stand
};

// How many cells an element of each level has.
std::vector<std::size_t> cells_below(const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> cells(shape.size() + 1, 1);
  for (std::size_t level = shape.size(); level-- > 0;) {
    const std::size_t below = cells[level + 1];
    const bool fits = below <= std::numeric_limits<std::size_t>::max() / shape[level];
    cells[level] = fits ? below * shape[level] : std::numeric_limits<std::size_t>::max();
  }
  return cells;
}

}  // namespace

std::optional<Diagnostic> fault_of_bytes(std::string_view text) {
  const auto invalid = first_invalid_utf8(text);
  const std::size_t nul = text.find('\0');
  const auto other = invalid || nul != std::string_view::npos ? other_format(text) : std::nullopt;
  if (other) {
    return syntax_fault({0, 1}, std::string("this is no text in UTF-8: it is ") + other->name,
                        "save it as text in UTF-8, a spreadsheet as CSV; unpack what is packed");
  }
  if (invalid) {
    return syntax_fault({*invalid, *invalid + 1},
                        "the byte " + printable(text.substr(*invalid, 1)) + " here is not UTF-8",
                        "save the file as UTF-8");
  }
  if (nul == std::string_view::npos) return std::nullopt;
  return syntax_fault({nul, nul + 1}, "a NUL byte stands here", "a file of numbers is text and has none");
}

std::string answer_in_words(const JsonValue& value) {
  if (is_list_or_object(value)) return in_words(value);
  return value.text() ? "\"" + shown(*value.text()) + "\"" : shown(value.spelling());
}

void CellsReader::read(AnsweredStep& step, const JsonValue& value, const std::string& where) {
  longest_ = 0;
  if (value.kind() == Kind::object) {
    read_placed(step, value, where);
  } else {
    read_whole(step, value, where);
  }
  const auto level = [&](Cell& cell) {
    if (cell && cell->decimals == as_the_longest) cell->decimals = longest_;
  };
  for (AnsweredStep::Placed& one : step.placed) level(one.number);
  for (Cell& cell : step.cells) level(cell);
}

void CellsReader::read_placed(AnsweredStep& step, const JsonValue& object, const std::string& where) {
  step.by_cell = true;
  std::set<std::vector<std::size_t>> seen;
  std::size_t axes = 0;
  const std::deque<JsonMember> members = std::move(object.object()->members);
  for (const JsonMember& member : members) {
    const std::string place = pointer(where, member.key());
    const auto bad_key = [&](std::string code, std::string message, Help help) {
      faults_.add(std::move(code), place, place_in(text_, member.key_spelling), std::move(message), std::move(help));
    };
    const auto index = index_of(member.key());
    if (!index) {
      bad_key("bad-index", "\"" + shown(member.key()) + "\" is no place in a step",
              "indices count from 1, one an axis, with commas between them: \"1,2\"");
    } else if (!seen.insert(*index).second) {
      bad_key("duplicate-cell", shown(place) + " is a cell that is given already", "keep one of the two");
    } else if (axes != 0 && axes != index->size()) {
      bad_key(
          "bad-index",
          shown(place) + " has " + counted(index->size(), "index") + ", and the first cell has " + std::to_string(axes),
          "every cell of a step takes as many indices as the step has axes");
    }
    if (index && axes == 0) axes = index->size();
    if (is_list_or_object(member.value)) {
      faults_.add("wrong-kind", place, place_in(text_, member.value.spelling()),
                  shown(place) + " is " + answer_in_words(member.value) + "; one number is wanted",
                  "a whole step is written as lists, with null for blanks: [[2, 4], null]");
      continue;
    }
    Cell cell = cell_of(member.value, place, {});
    if (index) step.placed.push_back({*index, std::move(cell)});
  }
  if (members.empty()) {
    faults_.add("no-numbers", where, place_in(text_, object.spelling()), shown(where) + " has no cells",
                "leave the step out, or write null");
  }
}

void CellsReader::read_whole(AnsweredStep& step, const JsonValue& value, const std::string& where) {
  Nesting nesting(text_, where, faults_);
  if (!nesting.fits(value)) return;
  step.shape = std::move(nesting.sizes);
  if (std::ranges::count(step.shape, std::size_t{0}) > 0) {
    faults_.add("no-numbers", where, place_in(text_, value.spelling()),
                shown(where) + " has a list with no numbers in it", "leave the step out, or write null for each blank");
    return;
  }
  cells_below_ = cells_below(step.shape);
  ListPlace place;
  fill(step, value, where, place);
}

bool CellsReader::fill(AnsweredStep& step, const JsonValue& value, const std::string& where, ListPlace& place) {
  if (is_blank(value)) return add_blanks(step, value, where, place);
  if (value.kind() != Kind::list) {
    step.cells.push_back(cell_of(value, where, place));
    return true;
  }
  place.push_back(0);
  for (JsonWalk walk(value); walk.next(); ++place.back()) {
    if (!fill(step, walk.value(), where, place)) return false;
  }
  place.pop_back();
  return true;
}

bool CellsReader::add_blanks(AnsweredStep& step, const JsonValue& value, const std::string& where,
                             const ListPlace& place) {
  const std::size_t cells = cells_below_[place.size()];
  if (cells > 1) {
    const std::size_t left = std::max(most_blanks, text_.size() / 8) - blanks_;
    if (cells > left) {
      const std::string here = pointer(where, place);
      faults_.add("too-many-blanks", here, place_in(text_, value.spelling()),
                  shown(here) + " stands for too many blanks",
                  R"(write single cells, {"1,2": 6.68}, where most of a step is blank)");
      return false;
    }
    blanks_ += cells;
  }
  step.cells.resize(step.cells.size() + cells);
  return true;
}

// A number, or nothing for a blank and for what is none.
Cell CellsReader::cell_of(const JsonValue& value, const std::string& where, const ListPlace& place) {
  if (is_blank(value)) return std::nullopt;
  const std::string spelling(value.spelling());
  if (value.boolean()) {
    const std::string here = pointer(where, place);
    return faults_.add("wrong-kind", here, place_in(text_, value.spelling()),
                       shown(here) + " is " + spelling + "; a number is wanted", "write 1 or 0");
  }
  const bool quoted = value.kind() == Kind::text;
  std::string written = quoted ? *value.text() : spelling;
  if (faults_.are_enough() && !is_spelled_number(written)) return faults_.count_one_more();
  const Result<SpelledNumber> number = spelled_number(written);
  if (!number) {
    return faults_.add(number_fault(number.faults().front(), written, pointer(where, place),
                                    place_in(text_, value.spelling()), quoted ? 1 : 0));
  }
  WrittenNumber result{number.value().value, number.value().decimals, std::move(written)};
  if (!quoted) {
    longest_ = std::max(longest_, *result.decimals);
    result.decimals = as_the_longest;
  }
  return result;
}

bool is_nan(std::string_view written) { return written == "nan" || written == "NaN" || written == "NAN"; }

Diagnostic number_fault(Diagnostic fault, std::string_view written, std::string where, TextRange place,
                        std::size_t quotes) {
  // Only where nothing is escaped do places in the number lead to places in the text.
  const bool as_written = place.end - place.begin == written.size() + 2 * quotes;
  const bool is_part = fault.range->end > fault.range->begin;
  if (as_written && is_part) {
    const std::size_t begin = place.begin + quotes;
    fault.range = TextRange{begin + fault.range->begin, begin + fault.range->end};
  } else {
    fault.range = place;
  }
  fault.message = (where.empty() ? "this" : shown(where)) + " is no number: " + fault.message;
  if (written == "?") fault.help = "leave a blank where a number is not known";
  if (is_nan(written))
    fault.help = where.empty() ? "leave a blank: a number that is NaN cannot be marked" : how_to_answer_nan;
  fault.where = std::move(where);
  return fault;
}

}  // namespace attn
