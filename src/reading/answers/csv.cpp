#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.h"
#include "base/text.h"
#include "problem/faults.h"
#include "reading/answers/answers.h"
#include "reading/answers/cells.h"

namespace attn {
namespace {

// What stands between two separators, without the blanks about it.
struct Field {
  TextRange range;  // quotes included
  bool quoted = false;
};
using FieldRow = std::vector<Field>;

bool is_blank_character(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Cuts a text into rows of fields.
class CsvRows {
 public:
  explicit CsvRows(std::string_view text) : text_(text), separator_(separator_of(text)) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  bool any() const { return at_ < text_.size(); }

  // From here on a line is one number, and a comma stands before decimals.
  void take_lines_whole() { separator_ = '\0'; }
  bool separates_by_commas() const { return separator_ == ','; }

  // The fields of the next line; none where it is empty.
  FieldRow next() {
    FieldRow fields;
    for (bool more = true; more;) {
      fields.push_back(next_field());
      more = at_ < text_.size() && text_[at_] == separator_;
      if (more) ++at_;
    }
    if (at_ < text_.size()) ++at_;  // the line break
    const Field& first = fields.front();
    if (fields.size() == 1 && first.range.begin == first.range.end) fields.clear();
    return fields;
  }

  // What stands in a field, without its quotes.
  std::string content(const Field& field) const {
    std::string text(text_.substr(field.range.begin, field.range.end - field.range.begin));
    if (!field.quoted) return text;
    std::string inner;
    std::size_t at = 1;
    for (; at < text.size(); ++at) {
      if (text[at] == '"' && (at + 1 >= text.size() || text[at + 1] != '"')) break;
      if (text[at] == '"') ++at;
      inner += text[at];
    }
    return inner + text.substr(std::min(at + 1, text.size()));
  }

  bool is_empty(const Field& field) const {
    return field.range.begin == field.range.end || std::ranges::all_of(content(field), is_blank_character);
  }

  // The number in a field. A comma that separates no fields is as good as a
  // point before decimals, and as long.
  Result<SpelledNumber> number(const Field& field) const {
    std::string text = content(field);
    for (std::size_t at = 0; (separator_ != ',' || field.quoted) && at + 1 < text.size(); ++at) {
      if (text[at] == ',' && is_ascii_digit(text[at + 1])) text[at] = '.';
    }
    return spelled_number(text);
  }

  bool is_words(const Field& field) const { return !is_empty(field) && !number(field); }

  // Whether the fields from the second on count 1, 2, 3, ….
  bool counts(const FieldRow& row) const {
    for (std::size_t at = 1; at < row.size(); ++at) {
      if (content(row[at]) != std::to_string(at)) return false;
    }
    return row.size() > 1;
  }

  // Whether those are no numbers of a step, but what stands above them.
  bool are_headings(const FieldRow& row) const {
    const auto is_heading = [&](const Field& field) { return is_empty(field) || is_words(field); };
    return std::all_of(row.begin() + 1, row.end(), is_heading) || counts(row);
  }

 private:
  // What spreadsheets write depends on where one lives.
  static char separator_of(std::string_view text) {
    bool quoted = false;
    bool tab = false;
    for (const char c : text) {
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == ';') return ';';
      tab = tab || c == '\t';
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
        if (text_[at_] != '"') continue;
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      if (at_ < text_.size()) ++at_;
    }
    const std::size_t rest = at_;
    while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
    std::size_t end = at_;
    while (end > rest && is_blank_character(text_[end - 1])) --end;
    field.range.end = end;
    return field;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
};

// The numbers of one step as a spreadsheet has them: perhaps below a row of
// headings, which may begin with the step's name, and behind a column of labels.
class CsvTable {
 public:
  CsvTable(const CsvRows& file, std::string id, const KnownSteps& known, Faults& faults)
      : file_(file), known_(known), faults_(faults) {
    step_.id = std::move(id);
    step_.stacked = true;
  }

  // `is_named` is whether the first field is the step's name.
  AnsweredStep read(std::vector<FieldRow> rows, bool is_named) {
    rows_ = std::move(rows);
    find_heading(is_named);
    find_labels(is_named);
    if (has_labels_) leave_out_what_spreadsheets_add();
    std::size_t line = 0;
    for (const FieldRow& row : rows_) add_row(row, ++line);
    for (auto& cell : step_.cells) {
      if (cell && cell->decimals == as_the_longest) cell->decimals = longest_;
    }
    step_.shape = {line, columns_};
    if (step_.cells.empty() && !faults_.any()) {
      faults_.add("no-numbers", "", TextRange{0, 0}, "there are no numbers in this file");
    }
    lay_column_of_a_vector_flat();
    return std::move(step_);
  }

 private:
  static constexpr int as_the_longest = -1;

  // Whether every row begins with a label.
  bool are_labelled() const {
    return std::ranges::all_of(rows_, [&](const FieldRow& row) { return file_.is_words(row.front()); });
  }

  // Whether a first row of a blank and 1, 2, 3, … stands above rows that begin
  // with labels, or with 1, 2, 3, … in their turn.
  bool is_counting_heading() const {
    const FieldRow& first = rows_.front();
    if (rows_.size() < 2 || !file_.is_empty(first.front()) || !file_.counts(first)) return false;
    bool words = true, numbers = true;
    for (std::size_t row = 1; row < rows_.size(); ++row) {
      words = words && file_.is_words(rows_[row].front());
      numbers = numbers && file_.content(rows_[row].front()) == std::to_string(row);
    }
    return words || numbers;
  }

  bool is_heading_of_words() const {
    const FieldRow& first = rows_.front();
    if (rows_.size() < 2) return false;
    const auto is_words = [&](const Field& field) { return file_.is_words(field); };
    if (first.size() == 1) return is_words(first.front());
    const bool any = std::any_of(first.begin() + 1, first.end(), is_words);
    return any && file_.are_headings(first) && (is_words(first.front()) || file_.is_empty(first.front()));
  }

  void find_heading(bool is_named) {
    if (rows_.empty() || !(is_named || is_counting_heading() || is_heading_of_words())) return;
    heading_ = std::move(rows_.front());
    rows_.erase(rows_.begin());
    while (heading_.size() > 1 && file_.is_empty(heading_.back())) heading_.pop_back();
  }

  void find_labels(bool is_named) {
    if (rows_.empty()) return;
    const std::size_t width = rows_.front().size();
    if (heading_.size() > 1 && (is_named || file_.is_empty(heading_.front()))) {
      // The corner is no heading of a column of numbers.
      has_labels_ = width >= heading_.size();
    } else {
      const bool leaves_out_corner = !heading_.empty() && !is_named && heading_.size() + 1 == width;
      has_labels_ = leaves_out_corner || (width > 1 && are_labelled());
    }
  }

  // Rows and columns without a number, which make the sheet a rectangle.
  void leave_out_what_spreadsheets_add() {
    std::erase_if(rows_, [&](const FieldRow& row) {
      return std::ranges::all_of(row, [&](const Field& field) { return file_.is_empty(field); });
    });
    for (FieldRow& row : rows_) {
      while (heading_.size() > 1 && row.size() > heading_.size() && file_.is_empty(row.back())) row.pop_back();
    }
  }

  void add_row(const FieldRow& row, std::size_t line) {
    const std::size_t labels = has_labels_ ? 1 : 0;
    const std::size_t count = row.size() - labels;
    if (line == 1) columns_ = count;
    if (count != columns_) {
      const TextRange place{row.front().range.begin, std::max(row.back().range.end, row.front().range.begin + 1)};
      faults_.add("ragged-list", "", place,
                  "row " + std::to_string(line) + " has " + counted(count, "number") + ", and row 1 has " +
                      std::to_string(columns_),
                  "leave a field empty for a blank: 1,,3");
    }
    for (std::size_t at = labels; at < row.size(); ++at) step_.cells.push_back(cell_of(row[at]));
  }

  AnsweredStep::Cell cell_of(const Field& field) {
    if (file_.is_empty(field)) return std::nullopt;
    const std::string text = file_.content(field);
    const Result<SpelledNumber> number = file_.number(field);
    if (!number) {
      Diagnostic found = number_fault(number.faults().front(), text, "", field.range, field.quoted ? 1 : 0);
      if (text.find_first_of("0123456789") == std::string::npos ||
          found.message.ends_with("is not known in a number")) {
        found.help = "headings stand in the first row, all of it, and labels in the first column, all of it";
      } else if (found.help.empty() && text.find(' ') != std::string::npos) {
        found.help = "the numbers of a row are separated by commas, semicolons or tabs";
      }
      return faults_.add(std::move(found));
    }
    WrittenNumber written{number.value().value, number.value().decimals, text};
    if (!field.quoted && written.decimals) {
      longest_ = std::max(longest_, *written.decimals);
      written.decimals = as_the_longest;
    }
    return written;
  }

  // A number a row is what people write for a step that has one for each.
  void lay_column_of_a_vector_flat() {
    const Shape* shape = known_.shape(step_.id);
    if (!shape || shape->rank() != 1 || columns_ != 1) return;
    step_.shape = {step_.cells.size()};
    step_.stacked = false;
  }

  const CsvRows& file_;
  const KnownSteps& known_;
  Faults& faults_;
  AnsweredStep step_;
  FieldRow heading_;
  std::vector<FieldRow> rows_;  // below the heading
  bool has_labels_ = false;
  std::size_t columns_ = 0;
  int longest_ = 0;
};

// Reads a file of one step, or of several that are each headed by their name.
class CsvReader {
 public:
  CsvReader(std::string_view text, const KnownSteps& known, Faults& faults)
      : known_(known), faults_(faults), file_(text) {}

  Answers read(const std::string& id) {
    if (!id.empty()) {
      if (is_column_with_commas(id)) file_.take_lines_whole();
      read_one(id);
    } else {
      read_several();
    }
    return std::move(answers_);
  }

 private:
  // Whether the step is a column of numbers, and the file one of as many, with commas
  // before their decimals: read as two columns it would be another shape.
  bool is_column_with_commas(const std::string& id) const {
    const Shape* shape = known_.shape(id);
    if (!shape || shape->rank() == 0 || (shape->rank() > 1 && shape->back().size != 1)) return false;
    CsvRows file = file_;
    bool any = false, is_first = true;
    std::size_t lines = 0;
    while (file.separates_by_commas() && file.any()) {
      const FieldRow row = file.next();
      const bool is_heading = is_first && row.size() == 1 && file.is_words(row.front());
      if (row.empty() || is_heading) continue;
      is_first = false;
      const auto is_whole = [&](const Field& field) {
        const std::string text = file.content(field);
        return !text.empty() && text.find_first_not_of("+-0123456789") == std::string::npos;
      };
      if (row.size() > 2 || !std::ranges::all_of(row, is_whole)) return false;
      any = any || row.size() == 2;
      ++lines;
    }
    return any && lines == shape->count();
  }

  // The id of the step that a row of headings begins with; empty where it names none.
  std::string named_by(const FieldRow& row) const {
    const KnownSteps::Ids ids = known_.called_exactly(file_.content(row.front()));
    return ids.size() == 1 && file_.are_headings(row) ? ids.front() : "";
  }

  void read_one(const std::string& id) {
    std::vector<FieldRow> rows;
    while (file_.any()) {
      FieldRow row = file_.next();
      if (!row.empty()) rows.push_back(std::move(row));
    }
    bool is_named = false;
    if (!rows.empty()) {
      const std::string named = named_by(rows.front());
      const Field& corner = rows.front().front();
      is_named = named == id;
      if (!is_named && named == file_.content(corner) && !named.empty()) {
        faults_.add("other-step", "", corner.range,
                    "these numbers are headed " + named + ", and the file is read as " + id,
                    "call the file like its step, or leave the step out of its name");
        return;
      }
    }
    answers_.steps.push_back(CsvTable(file_, id, known_, faults_).read(std::move(rows), is_named));
  }

  bool is_all_empty(const FieldRow& row) const {
    return std::ranges::all_of(row, [&](const Field& field) { return file_.is_empty(field); });
  }

  // A step begins at the top, and below a line without anything in it.
  void read_several() {
    std::string id;
    std::vector<FieldRow> rows;
    std::size_t gap = 0;  // so many rows at the end have nothing in them
    bool is_first = true;
    const auto finish = [&] {
      if (id.empty()) return;
      rows.resize(rows.size() - gap);
      if (std::ranges::find(answers_.steps, id, &AnsweredStep::id) != answers_.steps.end()) {
        faults_.add("duplicate-step", "", rows.front().front().range, id + " is given already", "keep one of the two");
      }
      answers_.steps.push_back(CsvTable(file_, id, known_, faults_).read(std::move(rows), true));
      rows.clear();
    };
    for (bool was_empty = true; file_.any();) {
      FieldRow row = file_.next();
      if (row.empty()) {
        was_empty = true;
        continue;
      }
      const std::string named = was_empty || gap > 0 ? named_by(row) : "";
      if (!named.empty()) {
        finish();
        id = named;
        gap = 0;
      } else if (is_first) {
        faults_.add("no-step-named", "", row.front().range, "nothing says which step these numbers are");
        return;
      }
      is_first = was_empty = false;
      gap = is_all_empty(row) ? gap + 1 : 0;
      rows.push_back(std::move(row));
    }
    finish();
    if (is_first) faults_.add("no-numbers", "", TextRange{0, 0}, "there are no numbers in this file");
  }

  const KnownSteps& known_;
  Faults& faults_;
  CsvRows file_;
  Answers answers_;
};

}  // namespace

Result<Answers> read_answers_csv(std::string_view text, const KnownSteps& known, const std::string& id) {
  if (auto found = fault_of_bytes(text)) return *found;
  Faults faults;
  Answers answers = CsvReader(text, known, faults).read(id);
  if (faults.any()) return faults.take();
  return answers;
}

}  // namespace attn
