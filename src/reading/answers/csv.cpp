#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.h"
#include "base/text.h"
#include "base/utf8.h"
#include "problem/faults.h"
#include "reading/answers/answers.h"
#include "reading/answers/cells.h"
#include "reading/json/syntax.h"

namespace attn {
namespace {

// What stands between two separators, without the blanks about it.
struct Field {
  TextRange range;        // quotes included
  std::string text = {};  // without them
  bool quoted = false;
};

bool is_blank_character(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Cuts a text into rows of fields.
class CsvRows {
 public:
  explicit CsvRows(std::string_view text) : text_(text), separator_(separator_of(text)) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  bool any() const { return at_ < text_.size(); }

  // The fields of the next line; none where it is empty.
  std::vector<Field> next() {
    std::vector<Field> fields;
    for (bool more = true; more;) {
      fields.push_back(next_field());
      more = at_ < text_.size() && text_[at_] == separator_;
      if (more) ++at_;
    }
    if (at_ < text_.size()) ++at_;  // the line break
    if (fields.size() == 1 && fields[0].text.empty() && !fields[0].quoted) fields.clear();
    return fields;
  }

 private:
  // What spreadsheets write depends on where one lives.
  static char separator_of(std::string_view text) {
    bool quoted = false;
    bool comma = false;
    bool tab = false;
    for (const char c : text) {
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == ';') return ';';
      tab = tab || c == '\t';
      comma = comma || c == ',';
    }
    return tab ? '\t' : ',';
  }

  bool ends_field(char c) const { return c == separator_ || c == '\n'; }

  Field next_field() {
    while (at_ < text_.size() && is_blank_character(text_[at_]) && !ends_field(text_[at_])) ++at_;
    Field field{{at_, at_}};
    if (at_ < text_.size() && text_[at_] == '"') {
      field.quoted = true;
      for (++at_; at_ < text_.size(); ++at_) {
        if (text_[at_] != '"') {
          field.text += text_[at_];
        } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          field.text += text_[at_++];
        } else {
          ++at_;
          break;
        }
      }
    }
    const std::size_t rest = at_;
    while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
    std::size_t end = at_;
    while (end > rest && is_blank_character(text_[end - 1])) --end;
    field.text += text_.substr(rest, end - rest);
    field.range.end = end;
    return field;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
};

std::optional<Diagnostic> no_text(std::string_view text) {
  if (const auto invalid = first_invalid_utf8(text)) {
    return syntax_fault({*invalid, *invalid + 1},
                        "the byte " + printable(text.substr(*invalid, 1)) + " here is not UTF-8",
                        "save the file as UTF-8");
  }
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return std::nullopt;
  return syntax_fault({nul, nul + 1}, "a NUL byte stands here", "a file of numbers is text and has none");
}

bool has_digit(std::string_view text) { return text.find_first_of("0123456789") != std::string_view::npos; }

class StepReader {
 public:
  explicit StepReader(std::string_view text) : text_(text) {}

  AnsweredStep step;
  Faults faults;

  void read() {
    step.stacked = true;
    CsvRows rows(text_);
    while (rows.any()) {
      const std::vector<Field> fields = rows.next();
      if (!fields.empty()) add_row(fields);
    }
    for (auto& cell : step.cells) {
      if (cell && cell->decimals == as_the_longest) cell->decimals = longest_;
    }
    step.shape = {rows_, columns_};
    if (rows_ == 0) faults.add("no-numbers", "", TextRange{0, 0}, "there are no numbers in this file");
  }

 private:
  static constexpr int as_the_longest = -1;

  void add_row(const std::vector<Field>& fields) {
    ++rows_;
    if (rows_ == 1) columns_ = fields.size();
    if (fields.size() != columns_) {
      const TextRange place{fields.front().range.begin,
                            std::max(fields.back().range.end, fields.front().range.begin + 1)};
      faults.add("ragged-list", "", place,
                 "row " + std::to_string(rows_) + " has " + counted(fields.size(), "number") + ", and row 1 has " +
                     std::to_string(columns_),
                 "leave a field empty for a blank: 1,,3");
    }
    for (const Field& field : fields) step.cells.push_back(cell_of(field));
  }

  AnsweredStep::Cell cell_of(const Field& field) {
    if (std::ranges::all_of(field.text, is_blank_character)) return std::nullopt;
    const Result<SpelledNumber> number = spelled_number(field.text);
    if (!number) {
      Diagnostic found = number_fault(number.faults().front(), field.text, "", field.range, field.quoted ? 1 : 0);
      if (!has_digit(field.text) || found.message.ends_with("is not known in a number")) {
        found.help = "headings and labels have no place here: only rows of numbers";
      } else if (found.help.empty() && field.text.find(' ') != std::string::npos) {
        found.help = "the numbers of a row are separated by commas, semicolons or tabs";
      }
      return faults.add(std::move(found));
    }
    WrittenNumber written{number.value().value, number.value().decimals, field.text};
    if (!field.quoted && written.decimals) {
      longest_ = std::max(longest_, *written.decimals);
      written.decimals = as_the_longest;
    }
    return written;
  }

  std::string_view text_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  int longest_ = 0;
};

}  // namespace

Result<Answers> read_answers_csv(std::string_view text, std::string id) {
  if (auto found = no_text(text)) return *found;
  StepReader reader(text);
  reader.step.id = std::move(id);
  reader.read();
  if (reader.faults.any()) return reader.faults.take();
  Answers answers;
  answers.steps.push_back(std::move(reader.step));
  return answers;
}

}  // namespace attn
