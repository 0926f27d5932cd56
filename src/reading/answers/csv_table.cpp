#include "reading/answers/csv_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "reading/answers/cells.h"
#include "reading/answers/decimal_commas.h"

// A table seldom says where its numbers begin. What headings and labels usually look
// like is tried first; where the numbers then are not as many as the step has, and
// another reading makes them so, that one is taken. A table that has the step's shape
// as it stands is taken as it stands.

namespace attn {
namespace {

class CsvTable {
 public:
  CsvTable(const CsvRows& file, std::string id, const KnownSteps& known, Faults& faults)
      : file_(file), faults_(faults), shape_(known.shape(id)) {
    step_.id = std::move(id);
    step_.stacked = true;
    if (!shape_) return;
    const std::size_t width = shape_->rank() == 0 ? 1 : shape_->back().size;
    if (width > 0) wanted_.push_back({shape_->count() / width, width});
    if (shape_->rank() == 1) wanted_.push_back({width, 1});
  }

  AnsweredStep read(std::vector<CsvRow> rows, bool is_named) {
    rows_ = std::move(rows);
    is_named_ = is_named;
    filled_ = rows_.size();
    while (filled_ > 0 && file_.is_all_empty(rows_[filled_ - 1])) --filled_;
    const Frame frame = found_frame();
    const auto size = fitting(frame);
    take_out(frame, size);
    if (!size && has_decimal_commas(frame)) return std::move(step_);
    add_rows(frame);
    return std::move(step_);
  }

 private:
  // Whether headings stand above the numbers, and labels before them.
  struct Frame {
    bool heading = false, labels = false;

    std::size_t first_row() const { return heading ? 1 : 0; }
    std::size_t first_column() const { return labels ? 1 : 0; }
  };

  struct Size {
    std::size_t rows = 0, columns = 0;
  };

  static constexpr int as_the_longest = -1;

  // --- headings and labels ---------------------------------------------------

  bool is_word(const CsvRow& row) const { return file_.is_words(row.front()); }

  // Whether every row begins with a label.
  bool are_labelled(std::size_t first_row) const {
    return std::all_of(rows_.begin() + first_row, rows_.begin() + filled_,
                       [&](const CsvRow& row) { return is_word(row); });
  }

  // Whether the rows from there on begin with 0, 1, 2, … or with 1, 2, 3, ….
  bool are_counted(std::size_t first_row) const {
    CsvRow column;
    for (std::size_t row = first_row; row < filled_; ++row) column.push_back(rows_[row].front());
    return file_.counts(column, 0);
  }

  // Whether a first row that counts stands above rows that begin with labels, or
  // count in their turn.
  bool is_counting_heading() const {
    if (filled_ < 2 || !file_.counts(rows_.front())) return false;
    if (file_.is_empty(rows_.front().front())) return are_labelled(1) || are_counted(1);
    return is_word(rows_.front()) && are_counted(1);
  }

  bool is_heading_of_words() const {
    if (filled_ < 2) return false;
    const CsvRow& first = rows_.front();
    const auto is_words = [&](const CsvField& field) { return file_.is_words(field); };
    if (first.size() == 1) return is_words(first.front());
    const bool any = std::any_of(first.begin() + 1, first.end(), is_words);
    return any && file_.are_headings(first) && (is_words(first.front()) || file_.is_empty(first.front()));
  }

  // How many fields the first row has, without empty ones at its end.
  std::size_t headings() const {
    std::size_t count = rows_.front().size();
    while (count > 1 && file_.is_empty(rows_.front()[count - 1])) --count;
    return count;
  }

  // What the table looks like, whatever its step.
  Frame usual_frame() const {
    Frame frame;
    if (filled_ == 0) return frame;
    frame.heading = is_named_ || is_counting_heading() || is_heading_of_words();
    if (frame.first_row() == filled_) return frame;
    const std::size_t width = rows_[frame.first_row()].size();
    if (frame.heading && headings() > 1 && (is_named_ || file_.is_empty(rows_.front().front()))) {
      // The corner is no heading of a column of numbers.
      frame.labels = width >= headings();
    } else {
      frame.labels = (frame.heading && leaves_out_corner(width)) || (width > 1 && are_labelled(frame.first_row()));
    }
    return frame;
  }

  // Whether the first of so many columns has no heading, rather than the last.
  bool leaves_out_corner(std::size_t width) const {
    if (is_named_ || headings() + 1 != width) return false;
    const auto ends_empty = [&](const CsvRow& row) { return row.size() >= width && file_.is_empty(row[width - 1]); };
    return !std::all_of(rows_.begin(), rows_.begin() + filled_, ends_empty);
  }

  // The frame in which the numbers have the step's shape; the usual one where none does.
  Frame found_frame() const {
    const Frame usual = usual_frame();
    if (wanted_.empty() || filled_ == 0) return usual;
    if (has_shape_as_it_stands()) return {};
    if (fitting(usual)) return usual;
    for (const Frame other : {Frame{false, true}, Frame{true, false}, Frame{true, true}}) {
      if (may_be(other) && fitting(other)) return other;
    }
    return usual;
  }

  bool has_shape_as_it_stands() const {
    if (is_named_) return false;
    const auto is_words = [&](const CsvField& field) { return file_.is_words(field); };
    if (std::ranges::any_of(rows_.front(), is_words)) return false;
    if (std::any_of(rows_.begin(), rows_.begin() + filled_, [&](const CsvRow& row) { return is_word(row); }))
      return false;
    return std::ranges::any_of(wanted_, [&](Size size) {
      const auto is_as_wide = [&](const CsvRow& row) { return row.size() == size.columns; };
      return rows_.size() == size.rows && std::ranges::all_of(rows_, is_as_wide);
    });
  }

  // Whether what is left out is words or counts, and nothing else is words.
  bool may_be(Frame frame) const {
    const std::size_t column = frame.first_column(), row = frame.first_row();
    const CsvRow& first = rows_.front();
    const auto is_words = [&](const CsvField& field) { return file_.is_words(field); };
    if (!frame.heading) return !is_named_ && std::none_of(first.begin() + 1, first.end(), is_words) && are_labels(row);
    const bool counts = first.size() > column + 1 && file_.counts(first, column);
    const bool any_label =
        std::any_of(rows_.begin() + 1, rows_.begin() + filled_, [&](const CsvRow& one) { return is_word(one); });
    if (!counts && !std::all_of(first.begin() + column, first.end(), is_words)) return false;
    return frame.labels ? are_labels(row) : !any_label;
  }

  // One number alone does not count.
  bool are_labels(std::size_t first_row) const {
    return first_row < filled_ && (are_labelled(first_row) || (filled_ - first_row > 1 && are_counted(first_row)));
  }

  // --- what is left of the table ---------------------------------------------

  // The step's size, where the numbers in the frame are as many, but for rows and
  // columns with nothing in them.
  std::optional<Size> fitting(Frame frame) const {
    for (const Size size : wanted_) {
      if (fits(frame, size)) return size;
    }
    return std::nullopt;
  }

  bool fits(Frame frame, Size size) const {
    if (rows_.size() <= frame.first_row()) return false;
    const std::size_t width = frame.first_column() + size.columns;
    const auto is_empty = [&](const CsvField& field) { return file_.is_empty(field); };
    const auto is_as_wide = [&](const CsvRow& row) {
      return row.size() >= width && std::all_of(row.begin() + width, row.end(), is_empty);
    };
    const auto is_empty_row = [&](const CsvRow& row) { return file_.is_all_empty(row); };
    const auto begin = rows_.begin() + frame.first_row();
    const auto is_wider = [&](const CsvRow& row) { return row.size() > width; };
    if (frame.heading && headings() > width && std::any_of(begin, rows_.end(), is_wider)) return false;
    const std::size_t below = rows_.size() - frame.first_row();
    const std::size_t empty = std::count_if(begin, rows_.end(), is_empty_row);
    if (below - empty == size.rows) {
      return std::all_of(begin, rows_.end(), [&](const CsvRow& row) { return is_empty_row(row) || is_as_wide(row); });
    }
    return !frame.labels && below >= size.rows && std::all_of(begin, begin + size.rows, is_as_wide) &&
           filled_ <= frame.first_row() + size.rows;
  }

  // Leaves the numbers and their labels. Where the step's size is not known, or not
  // found, rows and columns with nothing in them are left out of framed tables alone.
  void take_out(Frame frame, std::optional<Size> size) {
    const auto is_empty_row = [&](const CsvRow& row) { return file_.is_all_empty(row); };
    std::size_t width = frame.heading ? headings() : 0;
    if (frame.heading) rows_.erase(rows_.begin());
    const std::size_t empty = std::ranges::count_if(rows_, is_empty_row);
    const bool leaves_out_rows = frame.labels || (size && rows_.size() - empty == size->rows);
    if (leaves_out_rows) std::erase_if(rows_, is_empty_row);
    if (size && rows_.size() > size->rows) rows_.resize(size->rows);
    if (size) width = frame.first_column() + size->columns;
    for (CsvRow& row : rows_) {
      while ((size || (frame.labels && width > 1)) && row.size() > width && file_.is_empty(row.back())) row.pop_back();
    }
  }

  // --- numbers ---------------------------------------------------------------

  // Says so, if commas that separate numbers here stand before their decimals.
  bool has_decimal_commas(Frame frame) {
    if (!shape_ || !file_.separates_by_commas()) return false;
    std::vector<CommaRuns> rows;
    for (const CsvRow& row : rows_) {
      CommaRun run;
      for (std::size_t at = frame.first_column(); at < row.size(); ++at) run.push_back(row[at].range);
      rows.push_back({std::move(run)});
    }
    auto fault = decimal_comma_fault(file_.text(), rows, shape_->count(), "; or separate the numbers by semicolons");
    if (!fault) return false;
    faults_.add(std::move(*fault));
    return true;
  }

  void add_rows(Frame frame) {
    std::size_t line = 0;
    for (const CsvRow& row : rows_) add_row(row, frame, ++line);
    for (auto& cell : step_.cells) {
      if (cell && cell->decimals == as_the_longest) cell->decimals = longest_;
    }
    step_.shape = {line, columns_};
    if (step_.cells.empty() && !faults_.any()) report_no_numbers(faults_);
    // A number a row is what people write for a step that has one for each.
    if (!shape_ || shape_->rank() != 1 || columns_ != 1) return;
    step_.shape = {step_.cells.size()};
    step_.stacked = false;
  }

  void add_row(const CsvRow& row, Frame frame, std::size_t line) {
    const std::size_t count = row.size() - frame.first_column();
    if (line == 1) columns_ = count;
    if (count != columns_) {
      const TextRange place{row.front().range.begin, std::max(row.back().range.end, row.front().range.begin + 1)};
      faults_.add("ragged-list", "", place,
                  "row " + std::to_string(line) + " has " + counted(count, "number") + ", and row 1 has " +
                      std::to_string(columns_),
                  "leave a field empty for a blank: 1,,3");
    }
    for (std::size_t at = frame.first_column(); at < row.size(); ++at) step_.cells.push_back(cell_of(row[at]));
  }

  AnsweredStep::Cell cell_of(const CsvField& field) {
    if (file_.is_empty(field)) return std::nullopt;
    if (faults_.are_enough() && file_.is_words(field)) return faults_.count_one_more();
    const std::string text = file_.content(field);
    const Result<SpelledNumber> number = file_.number(field);
    if (!number) {
      Diagnostic found = number_fault(number.faults().front(), text, "", field.range, field.quoted ? 1 : 0);
      const bool is_sign_missing = found.message.find("a sign such as") != std::string::npos;
      if (text.find_first_of("0123456789") == std::string::npos ||
          found.message.ends_with("is not known in a number")) {
        found.help = "headings stand in the first row, all of it, and labels in the first column, all of it";
      } else if (is_sign_missing && text.find(' ') != std::string::npos) {
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

  const CsvRows& file_;
  Faults& faults_;
  const Shape* shape_;        // null where the step's is not known
  std::vector<Size> wanted_;  // the sizes in which the step may stand
  AnsweredStep step_;
  std::vector<CsvRow> rows_;  // of all of the table, and in the end of its numbers
  std::size_t filled_ = 0;    // so many of them, and below only empty ones
  bool is_named_ = false;
  std::size_t columns_ = 0;
  int longest_ = 0;
};

}  // namespace

void report_no_numbers(Faults& faults) {
  faults.add("no-numbers", "", TextRange{0, 0}, "there are no numbers in this file",
             "a row of the step is a line, its numbers separated by commas: 2,4,4");
}

AnsweredStep read_csv_table(const CsvRows& file, std::string id, std::vector<CsvRow> rows, bool is_named,
                            const KnownSteps& known, Faults& faults) {
  return CsvTable(file, std::move(id), known, faults).read(std::move(rows), is_named);
}

}  // namespace attn
