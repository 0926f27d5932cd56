#include "reading/answers/typed_value.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"

namespace attn {
namespace {

using TypedRow = std::vector<TypedValue>;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr std::string_view nearly_equals = "≈";

// Whether the text, from there on, begins with one of these.
bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> signs) {
  return std::ranges::any_of(signs, [&](std::string_view sign) { return text.starts_with(sign); });
}

// Whether an expression goes on behind this word, or with that one.
bool needs_more(std::string_view word) {
  for (const std::string_view sign : {"+", "-", "−", "*", "·", "×", "/", "÷", "^", "√"}) {
    if (word.ends_with(sign)) return true;
  }
  return false;
}
bool goes_on(std::string_view rest) {
  if (rest.empty() || is_ascii_alnum(rest.front())) return false;
  if (starts_with_any(rest, {"*", "·", "×", "/", "÷", "^", ")"})) return true;
  for (const std::string_view sign : {"+", "-", "−"}) {
    if (rest.starts_with(sign)) return rest.size() > sign.size() && is_space(rest[sign.size()]);
  }
  return false;
}

// Whether a line ends the list that it stands in: it must have an equals sign, for people
// write labels with a colon before rows.
bool may_be_equation(std::string_view line) {
  const std::optional<TextRange> sign = sign_in(line);
  return (sign && line[sign->end - 1] != ':') || name_in(line);
}

// Reads a value, from behind the equals sign to where the next statement may begin.
class ValueReader {
 public:
  ValueReader(std::string_view text, std::size_t& at, RoundBrackets& brackets, Faults& faults)
      : text_(text), at_(at), brackets_(brackets), faults_(faults) {}

  // Nothing where it cannot be read; that is a fault.
  std::optional<TypedValue> read() {
    std::vector<TypedRow> rows;
    const std::size_t begin = at_;
    do {
      TypedRow row;
      if (!read_row(row, 0)) return std::nullopt;
      if (next_is(']'))
        return fault("stray-bracket", "no [ stands before this ]", "take it out, or open the list with [");
      if (!row.empty()) rows.push_back(std::move(row));
    } while (took(';') || took_line_break(rows.empty()));
    if (rows.empty()) {
      const bool is_colon = text_[begin - 1] == ':';
      const std::size_t sign = is_colon || text_[begin - 1] == '=' ? 1 : nearly_equals.size();
      return faults_.add("no-numbers", "", TextRange{begin - sign, begin},
                         is_colon ? "no number stands behind the colon" : "no number stands behind the equals sign",
                         how_to_type);
    }
    if (rows.size() == 1 && rows[0].size() == 1) return std::move(rows[0][0]);
    return list_of(std::move(rows), {begin, at_});
  }

 private:
  std::nullopt_t fault(std::string code, std::string message, Help help) {
    return faults_.add(std::move(code), "", TextRange{at_, std::min(at_ + 1, text_.size())}, std::move(message),
                       std::move(help));
  }

  bool at_end() const { return at_ >= text_.size(); }
  bool next_is(char c) const { return !at_end() && text_[at_] == c; }

  bool took(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  void skip_spaces_and_comment() {
    while (!at_end() && is_space(text_[at_])) ++at_;
    if (next_is('#')) at_ = std::min(text_.find('\n', at_), text_.size());
  }

  // Past a line break, where more of this value stands below: not behind an empty
  // line, nor where the next statement begins. Comments do not count, and above the
  // first row empty lines do not.
  bool took_line_break(bool is_above_first) {
    for (std::size_t at = at_; at < text_.size();) {
      const std::size_t begin = at + 1;
      const std::string_view line = begin < text_.size() ? line_from(text_, begin) : "";
      const TextRange row = without_spaces(line, {0, line.size()});
      const bool is_empty = row.begin == row.end;
      if (may_be_statement(line) || (is_empty && !is_above_first)) return false;
      if (!is_empty && line[row.begin] != '#') {
        at_ = begin;
        return true;
      }
      at = begin + line.size();
    }
    return false;
  }

  // Reads up to a semicolon, a line break, a closing bracket or the end.
  bool read_row(TypedRow& row, std::size_t depth) {
    for (bool after_comma = false;;) {
      skip_spaces_and_comment();
      const char c = at_end() ? '\n' : text_[at_];
      if (c == '\n' && after_comma && depth > 0 && !at_end()) {
        ++at_;
        continue;
      }
      if (c == '\n' || c == ';' || c == ']' || (c == ')' && in_round_)) break;
      if (c == ',') {
        if (row.empty() || after_comma) row.push_back({{at_, at_}});
        after_comma = true;
        ++at_;
        continue;
      }
      after_comma = false;
      if (equals_size(text_.substr(at_)) > 0) {
        fault("bad-value", "an equals sign stands within a value", "write the result alone: S[1,2] = 4");
        return false;
      }
      const bool is_list = c == '[' || (c == '(' && opens_list());
      std::optional<TypedValue> item = is_list ? read_list(depth + 1) : number();
      if (!item) return false;
      row.push_back(std::move(*item));
    }
    return true;
  }

  // Whether a round bracket is one of a list, (1, 0, 2) or ((1 0 2) (2 2 2)), and not one of
  // an expression: it does not go on behind it, and what is in it is no number.
  bool opens_list() {
    const std::size_t close = brackets_.closing(at_);
    if (close == std::string_view::npos) return brackets_.is_parted_in_line(at_);
    std::size_t behind = close + 1;
    if (behind < text_.size() && std::string_view(" \t\r,;\n[]()#").find(text_[behind]) == std::string_view::npos)
      return false;
    while (behind < text_.size() && is_space(text_[behind])) ++behind;
    if (goes_on(text_.substr(behind)) && text_[behind] != ')') return false;
    return brackets_.is_parted(at_, close) && !is_spelled_number(text_.substr(at_, close + 1 - at_));
  }

  // An expression: words, as far as they belong together.
  std::optional<TypedValue> number() {
    const std::size_t begin = at_;
    for (;;) {
      skip_word();
      const std::size_t end = at_;
      while (!at_end() && is_space(text_[at_])) ++at_;
      const bool ends_here = at_end() || std::string_view(",;\n[]#").find(text_[at_]) != std::string_view::npos ||
                             (in_round_ && text_[at_] == ')') || equals_size(text_.substr(at_)) > 0;
      if (!ends_here && (needs_more(text_.substr(begin, end - begin)) || goes_on(text_.substr(at_)))) continue;
      at_ = end;
      return TypedValue{{begin, end}};
    }
  }

  void skip_word() {
    if (took('"')) {
      while (!at_end() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
      took('"');
      return;
    }
    std::size_t open = 0;
    for (; !at_end(); ++at_) {
      const char c = text_[at_];
      const bool ends_word = open == 0 && (is_space(c) || c == ',');
      if (ends_word || std::string_view(";\n[]#").find(c) != std::string_view::npos) return;
      if (equals_size(text_.substr(at_)) > 0) return;
      if (c == ')' && open == 0 && in_round_) return;
      if (c == '(') ++open;
      if (c == ')' && open > 0) --open;
    }
  }

  std::optional<TypedValue> read_list(std::size_t depth) {
    if (depth > most_typed_levels) {
      return fault("too-deep", "the lists are nested more than " + std::to_string(most_typed_levels) + " deep here",
                   "no step has as many axes");
    }
    const std::size_t begin = at_++;
    const char close = text_[begin] == '(' ? ')' : ']';
    const bool was_in_round = std::exchange(in_round_, close == ')');
    std::vector<TypedRow> rows;
    for (;;) {
      TypedRow row;
      if (!read_row(row, depth)) return std::nullopt;
      if (!row.empty()) rows.push_back(std::move(row));
      if (took(close)) break;
      const bool is_line_break = next_is('\n');
      const bool goes_on = took(';') || (is_line_break && !may_be_equation(line_from(text_, at_ + 1)));
      if (!goes_on) {
        return faults_.add("open-bracket", "", TextRange{begin, begin + 1}, "this bracket is not closed",
                           std::string("write ") + close + " behind its last number");
      }
      if (is_line_break) ++at_;
    }
    in_round_ = was_in_round;
    return list_of(std::move(rows), {begin, at_});
  }

  // Several rows are a list each; but rows of lists only go on where a line was full.
  static TypedValue list_of(std::vector<TypedRow> rows, TextRange range) {
    TypedValue list{range, true};
    const auto holds_lists = [](const TypedRow& row) { return std::ranges::all_of(row, &TypedValue::is_list); };
    const bool is_flat = rows.size() == 1 || std::ranges::all_of(rows, holds_lists);
    for (TypedRow& row : rows) {
      if (is_flat) {
        std::ranges::move(row, std::back_inserter(list.items));
      } else {
        const TextRange of_row{row.front().range.begin, row.back().range.end};
        list.items.push_back({of_row, true, std::move(row)});
      }
    }
    return list;
  }

  std::string_view text_;
  std::size_t& at_;
  RoundBrackets& brackets_;
  Faults& faults_;
  bool in_round_ = false;  // whether the list that is read stands in round brackets
};

}  // namespace

std::size_t RoundBrackets::NextOf::from(std::string_view text, std::size_t at) {
  if (!found_ || *found_ < at) found_ = std::min(text.find_first_of(wanted_, at), text.size());
  return *found_;
}

std::size_t RoundBrackets::closing(std::size_t open) {
  if (open >= looked_through_) look_through(open);
  const auto found = closing_.find(open);
  return found == closing_.end() ? std::string_view::npos : found->second;
}

bool RoundBrackets::is_parted(std::size_t open, std::size_t close) { return part_.from(text_, open) < close; }

bool RoundBrackets::is_parted_in_line(std::size_t open) {
  const std::size_t next = part_in_line_.from(text_, open);
  return next < text_.size() && text_[next] != '\n';
}

void RoundBrackets::look_through(std::size_t from) {
  std::vector<std::size_t> open;
  std::size_t at = from;
  for (; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '#') at = std::min(text_.find('\n', at), text_.size()) - 1;
    if (c == '\n' && may_be_equation(line_from(text_, at + 1))) break;
    if (c == '(') open.push_back(at);
    if (c != ')' || open.empty()) continue;
    closing_.emplace(open.back(), at);
    open.pop_back();
  }
  looked_through_ = at;
}

std::optional<TypedValue> read_typed_value(std::string_view text, std::size_t& at, RoundBrackets& brackets,
                                           Faults& faults) {
  return ValueReader(text, at, brackets, faults).read();
}

std::vector<CommaRuns> comma_runs(std::string_view text, const TypedValue& value) {
  std::vector<CommaRuns> rows;
  CommaRuns row;
  for (const TypedValue& item : value.items) {
    if (item.is_list) {
      std::ranges::move(comma_runs(text, item), std::back_inserter(rows));
      continue;
    }
    const std::size_t end = row.empty() ? item.range.begin : row.back().back().end;
    if (end + 1 != item.range.begin || text[end] != ',') row.emplace_back();
    row.back().push_back(item.range);
  }
  if (!row.empty()) rows.push_back(std::move(row));
  return rows;
}

std::string_view piece_of(std::string_view text, TextRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

TextRange without_spaces(std::string_view text, TextRange range) {
  while (range.begin < range.end && is_space(text[range.begin])) ++range.begin;
  while (range.end > range.begin && is_space(text[range.end - 1])) --range.end;
  return range;
}

std::string_view line_from(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

std::size_t equals_size(std::string_view text) {
  return text.starts_with('=') ? 1 : text.starts_with(nearly_equals) ? nearly_equals.size() : 0;
}

std::pair<std::string_view, std::optional<std::size_t>> without_subscript(std::string_view name) {
  constexpr std::string_view zero = "₀";
  std::string digits;
  std::string_view rest = name;
  while (rest.size() > zero.size() && rest.substr(rest.size() - 3, 2) == zero.substr(0, 2)) {
    const int digit = static_cast<unsigned char>(rest.back()) - static_cast<unsigned char>(zero.back());
    if (digit < 0 || digit > 9) break;
    digits.insert(digits.begin(), static_cast<char>('0' + digit));
    rest.remove_suffix(zero.size());
  }
  if (digits.empty()) {
    rest = name.substr(0, name.find_last_not_of("0123456789") + 1);
    digits = name.substr(rest.size());
    if (rest.ends_with('_')) rest.remove_suffix(1);
  }
  std::size_t number = 0;
  if (!parse_natural(digits, number) || number == 0) return {name, std::nullopt};
  return {rest, number};
}

std::optional<std::string> name_in(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t sign = line.find_first_of(":=");
  if (sign == std::string_view::npos) return std::nullopt;
  const auto trimmed = [&](TextRange range) { return piece_of(line, without_spaces(line, range)); };
  if (plain_name(trimmed({0, sign}), [](char) { return false; }) != "name") return std::nullopt;
  return std::string(trimmed({sign + 1, line.size()}));
}

std::optional<TextRange> sign_in(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = without_spaces(line, {0, line.size()}).begin;
  const bool may_be_name =
      first < line.size() && std::string_view("0123456789+-.([_?\"").find(line[first]) == std::string_view::npos;
  int open = 0;
  for (std::size_t at = first; at < line.size(); ++at) {
    if (const std::size_t size = equals_size(line.substr(at))) return TextRange{at, at + size};
    if (line[at] == '[' || line[at] == '(') ++open;
    if (line[at] == ']' || line[at] == ')') --open;
    const bool is_colon = line[at] == ':' && open == 0 && may_be_name;
    if (is_colon) return TextRange{at, at + 1 + equals_size(line.substr(at + 1))};
  }
  return std::nullopt;
}

bool may_be_statement(std::string_view line) { return sign_in(line).has_value(); }

}  // namespace attn
