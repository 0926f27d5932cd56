#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/faults.h"
#include "reading/answers/answers.h"
#include "reading/answers/cells.h"
#include "reading/answers/csv_table.h"

namespace attn {
namespace {

// Reads a file of one step, or of several that are each headed by their name.
class CsvReader {
 public:
  // `unknown`, where somebody asks for them, takes the steps that nobody knows.
  CsvReader(std::string_view text, const KnownSteps& known, Faults& faults, Faults* unknown)
      : known_(known), faults_(faults), unknown_(unknown), file_(text) {}

  Answers read(const std::string& id) {
    if (!id.empty()) {
      const std::vector<CsvRow> column = column_with_commas(id);
      if (are_numbered(column)) {
        const CsvRow& first = column.front();
        const std::string count = file_.content(first.front()), number = file_.content(first.back());
        faults_.add("decimal-comma", "", first.front().range,
                    count + "," + number + " may be one number, and may be row " + count + ", which is " + number,
                    "decimals stand after a point; or separate by semicolons: " + count + ";" + number);
        return {};
      }
      if (!column.empty()) file_.take_lines_whole();
      read_one(id);
    } else {
      read_several();
    }
    return std::move(answers_);
  }

  std::optional<Diagnostic> open_quote() const { return file_.open_quote(); }

 private:
  // The lines of the file where the step is a column of numbers, and the file one of as many, with commas
  // before their decimals: read as two columns it would be another shape. Else none.
  std::vector<CsvRow> column_with_commas(const std::string& id) const {
    const Shape* shape = known_.shape(id);
    if (!shape || shape->rank() == 0 || (shape->rank() > 1 && shape->back().size != 1)) return {};
    CsvRows file = file_;
    bool any = false, is_first = true;
    std::vector<CsvRow> lines;
    while (file.separates_by_commas() && file.any()) {
      const CsvRow row = file.next();
      const bool is_heading = is_first && row.size() == 1 && file.is_words(row.front());
      if (row.empty() || is_heading) continue;
      is_first = false;
      const auto is_whole = [&](const CsvField& field) {
        const std::string text = file.content(field);
        return !text.empty() && text.find_first_not_of("+-0123456789") == std::string::npos;
      };
      if (row.size() > 2 || !std::ranges::all_of(row, is_whole)) return {};
      any = any || row.size() == 2;
      lines.push_back(row);
    }
    return any && lines.size() == shape->count() ? lines : std::vector<CsvRow>();
  }

  // Whether what stands before the commas may count the lines. One line alone does not count.
  bool are_numbered(const std::vector<CsvRow>& lines) const {
    CsvRow counts;
    for (const CsvRow& line : lines) {
      if (line.size() == 2) counts.push_back(line.front());
    }
    return lines.size() > 1 && counts.size() == lines.size() && file_.counts(counts, 0);
  }

  // The id of the step that a row of headings begins with; empty where it names none.
  std::string named_by(const CsvRow& row) const {
    const KnownSteps::Ids ids = known_.called_exactly(file_.content(row.front()));
    return ids.size() == 1 && file_.are_headings(row) ? ids.front() : "";
  }

  // Whether so many rows, headings included, are all that the step has.
  bool is_complete(const std::string& id, std::size_t rows) const {
    const Shape* shape = known_.shape(id);
    if (!shape || shape->rank() == 0 || shape->back().size == 0) return false;
    return rows > (shape->rank() == 1 ? shape->count() : shape->count() / shape->back().size);
  }

  // Whether headings begin with what no step is called; then that is told. They may be more
  // rows of the step above, but for one that has all of them.
  bool is_unknown(const CsvRow& row, bool is_complete) {
    const std::string name = file_.content(row.front());
    if (!(unknown_ || is_complete) || !file_.is_words(row.front()) || !file_.are_headings(row)) return false;
    if (!known_.called_exactly(name).empty()) return false;
    Faults& told = unknown_ ? *unknown_ : faults_;
    told.add([&] { return unknown_step(name, row.front().range, known_); });
    return true;
  }

  void read_one(const std::string& id) {
    std::vector<CsvRow> rows;
    while (file_.any()) {
      CsvRow row = file_.next();
      if (!row.empty()) rows.push_back(std::move(row));
    }
    bool is_named = false;
    if (!rows.empty()) {
      const std::string named = named_by(rows.front());
      const CsvField& corner = rows.front().front();
      is_named = named == id;
      if (!is_named && named == file_.content(corner) && !named.empty()) {
        faults_.add("other-step", "", corner.range,
                    "these numbers are headed " + named + ", and the file is read as " + id,
                    "call the file like its step, or leave the step out of its name");
        return;
      }
    }
    answers_.steps.push_back(read_csv_table(file_, id, std::move(rows), is_named, known_, faults_));
  }

  // A step begins at the top, and below a line without anything in it.
  void read_several() {
    std::string id;
    std::vector<CsvRow> rows;
    std::size_t gap = 0;  // so many rows at the end have nothing in them
    bool is_first = true;
    const auto finish = [&] {
      if (id.empty()) return rows.clear();
      rows.resize(rows.size() - gap);
      if (std::ranges::find(answers_.steps, id, &AnsweredStep::id) != answers_.steps.end()) {
        faults_.add("duplicate-step", "", rows.front().front().range, id + " is given already", "keep one of the two");
      }
      answers_.steps.push_back(read_csv_table(file_, id, std::move(rows), true, known_, faults_));
      rows.clear();
    };
    for (bool was_empty = true; file_.any();) {
      CsvRow row = file_.next();
      if (row.empty()) {
        was_empty = true;
        continue;
      }
      const bool may_begin = was_empty || gap > 0;
      const std::string named = may_begin ? named_by(row) : "";
      if (!named.empty() || (may_begin && is_unknown(row, is_complete(id, rows.size() - gap)))) {
        finish();
        id = named;
        gap = 0;
      } else if (is_first) {
        faults_.add("no-step-named", "", row.front().range, "nothing says which step these numbers are",
                    "write its name above them, call the file like it, as scores.csv, or give --step");
        return;
      }
      is_first = was_empty = false;
      gap = file_.is_all_empty(row) ? gap + 1 : 0;
      rows.push_back(std::move(row));
    }
    finish();
    if (is_first) report_no_numbers(faults_);
  }

  const KnownSteps& known_;
  Faults& faults_;
  Faults* unknown_;
  CsvRows file_;
  Answers answers_;
};

}  // namespace

Result<Answers> read_answers_csv(std::string_view text, const KnownSteps& known, const std::string& id,
                                 Faults* unknown) {
  if (auto found = fault_of_bytes(text)) return *found;
  Faults faults;
  CsvReader reader(text, known, faults, unknown);
  Answers answers = reader.read(id);
  if (auto fault = reader.open_quote()) return *std::move(fault);
  if (faults.any()) return faults.take();
  return answers;
}

}  // namespace attn
