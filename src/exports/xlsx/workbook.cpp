#include "exports/xlsx/workbook.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "explain/numerals.h"
#include "exports/export.h"
#include "exports/xlsx/formula.h"
#include "exports/xlsx/layout.h"
#include "exports/xlsx/library.h"
#include "exports/xlsx/options.h"
#include "exports/xlsx/watched.h"
#include "formats/looks.h"
#include "trace/trace.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr lxw_color_t of_given = 0xFFF2CC, of_following = 0xFFFAE8, of_header = 0xF2F4F6, of_remark = 0x5F6B76,
                      of_line = 0xD5DADF;
constexpr std::size_t longest_label = 120;
constexpr std::size_t characters_a_line = 90;
constexpr std::size_t most_lines_a_row = 26;  // a row is no higher than 409 points

// So many bytes at most, up to a blank where there is one, and whole characters.
std::string beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  if (const std::size_t blank = text.rfind(' ', most - 1); blank != std::string_view::npos) most = blank + 1;
  while (continues_utf8(text[most])) --most;
  return std::string(text.substr(0, most));
}

constexpr double narrowest = 9, widest = 18, widest_first = 32;

// 1 January 2000: a file's bytes tell nothing of when it was written.
constexpr std::time_t when_written = 946684800;

lxw_color_t colour_of(std::string_view hex) {
  return static_cast<lxw_color_t>(std::stoul(std::string(hex.substr(1)), nullptr, 16));
}

ExportError not_put_together() {
  const FileWords& said = language().files;
  return ExportError({said.not_written, said.disk, true});
}

// A file that is in no folder, and gone when it is closed: the library writes to a name.
class FileInMemory {
 public:
  FileInMemory() : descriptor_(memfd_create("attn.xlsx", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw not_put_together();
  }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  ~FileInMemory() { close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  void hand_over(Sink& sink) const {
    char piece[1 << 14];
    off_t at = 0;
    ssize_t read = 0;
    while ((read = pread(descriptor_, piece, sizeof piece, at)) > 0) {
      sink.write({piece, static_cast<std::size_t>(read)});
      at += read;
    }
    if (at == 0 || read < 0) throw not_put_together();
  }

 private:
  int descriptor_;
};

// The formats of a workbook, each made once.
class CellLooks {
 public:
  CellLooks(const XlsxLibrary& library, lxw_workbook* workbook) : lxw_(library), workbook_(workbook) {}

  lxw_format* title() {
    return made("title", [this](lxw_format* f) { lxw_.format_set_bold(f), lxw_.format_set_font_size(f, 14); });
  }
  lxw_format* words() {
    return made("words", [this](lxw_format* f) {
      lxw_.format_set_text_wrap(f), lxw_.format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
    });
  }
  lxw_format* strong() {
    return made("strong", [this](lxw_format* f) { lxw_.format_set_bold(f); });
  }
  lxw_format* remark() {
    return made("remark",
                [this](lxw_format* f) { lxw_.format_set_italic(f), lxw_.format_set_font_color(f, of_remark); });
  }
  lxw_format* label() {
    return made("label", [this](lxw_format* f) {
      lxw_.format_set_bg_color(f, of_header), lxw_.format_set_font_color(f, of_remark);
    });
  }
  lxw_format* label_above() {
    return made("label above", [this](lxw_format* f) {
      lxw_.format_set_bg_color(f, of_header), lxw_.format_set_font_color(f, of_remark),
          lxw_.format_set_align(f, LXW_ALIGN_RIGHT);
    });
  }
  lxw_format* symbol(Role role) {
    const std::string_view ink = look_of(role).page;
    return made("symbol " + std::string(ink), [&, this](lxw_format* f) {
      lxw_.format_set_bold(f), lxw_.format_set_font_size(f, 12), lxw_.format_set_font_color(f, colour_of(ink));
    });
  }
  // What may be changed is coloured: more strongly where nothing else says what it is.
  enum class Cell { given, following, computed };
  lxw_format* number(Cell cell, const std::string& spelling) {
    return made(std::to_string(static_cast<int>(cell)) + spelling, [&, this](lxw_format* f) {
      lxw_.format_set_num_format(f, spelling.c_str());
      lxw_.format_set_align(f, LXW_ALIGN_RIGHT);  // −∞ too, which is text
      lxw_.format_set_border(f, LXW_BORDER_HAIR), lxw_.format_set_border_color(f, of_line);
      if (cell == Cell::computed) return;
      lxw_.format_set_bg_color(f, cell == Cell::given ? of_given : of_following);
      lxw_.format_set_unlocked(f);
    });
  }

 private:
  template <class Set>
  lxw_format* made(const std::string& name, Set set) {
    lxw_format*& format = made_[name];
    if (!format) {
      format = lxw_.workbook_add_format(workbook_);
      set(format);
    }
    return format;
  }

  const XlsxLibrary& lxw_;
  lxw_workbook* workbook_;
  std::map<std::string, lxw_format*> made_;
};

// How a spreadsheet is told to show numbers: whole ones as they are, which an edit may make others.
std::string number_spelling(std::span<const double> numbers, const Numerals& numerals, const std::string& id) {
  const NumberFormat format = numerals.format(numbers, numerals.decimals_of(id));
  if (format.scientific) return "0.0000E+00";
  return format.decimals == 0 ? "General" : "0." + std::string(static_cast<std::size_t>(format.decimals), '0');
}

std::string label_text(const std::string& label) { return shortened(printable(label), longest_label); }

class WorkbookWriter {
 public:
  explicit WorkbookWriter(const Trace& trace)
      : trace_(trace),
        layout_(trace),
        formulas_(trace, layout_, options_),
        numerals_(decimals_shown(std::nullopt), trace),
        workbook_(lxw_.workbook_new(file_.path().c_str())),
        looks_(lxw_, workbook_) {
    if (!workbook_) throw not_put_together();
    for (const SheetTable& table : layout_.tables()) options_.keep_free(defined_name(table.heading->id));
  }
  WorkbookWriter(const WorkbookWriter&) = delete;
  WorkbookWriter& operator=(const WorkbookWriter&) = delete;
  ~WorkbookWriter() {
    if (workbook_) lxw_.lxw_workbook_free(workbook_);
  }

  void write(Sink& sink) {
    lxw_doc_properties properties = {};
    const std::string title = label_text(trace_.title);
    std::string text = title;
    properties.title = text.data();
    properties.created = when_written;
    lxw_.workbook_set_properties(workbook_, &properties);

    lxw_worksheet* const read_me = new_sheet(said_.read_me);
    lxw_worksheet* const options = new_sheet(said_.options);
    for (const SheetLayout::Sheet& sheet : layout_.sheets()) sheets_.push_back(new_sheet(sheet.name));
    for (std::size_t i = 0; i < sheets_.size(); ++i) write_head(i);
    for (const SheetTable& table : layout_.tables()) write_table(table);
    write_options(options);
    write_read_me(read_me);
    // The library itself does not look whether all that it puts by for the while arrives on the disk.
    lost_some_of_its_files();
    const bool is_closed = lxw_.workbook_close(std::exchange(workbook_, nullptr)) == LXW_NO_ERROR;
    if (!is_closed || lost_some_of_its_files()) throw not_put_together();
    file_.hand_over(sink);
  }

 private:
  lxw_worksheet* new_sheet(const std::string& name) {
    lxw_worksheet* const sheet = lxw_.workbook_add_worksheet(workbook_, name.c_str());
    if (!sheet) throw not_put_together();
    lxw_protection may = {};
    may.format_columns = may.format_rows = may.format_cells = LXW_TRUE;
    lxw_.worksheet_protect(sheet, nullptr, &may);
    lxw_.worksheet_set_landscape(sheet);
    lxw_.worksheet_fit_to_pages(sheet, 1, 0);
    lxw_.worksheet_gridlines(sheet, LXW_HIDE_ALL_GRIDLINES);
    return sheet;
  }

  void put(lxw_worksheet* sheet, std::size_t row, std::size_t column, const std::string& text,
           lxw_format* format) const {
    const auto at = static_cast<lxw_row_t>(row);
    if (text.empty()) {
      lxw_.worksheet_write_blank(sheet, at, static_cast<lxw_col_t>(column), format);
    } else {
      lxw_.worksheet_write_string(sheet, at, static_cast<lxw_col_t>(column), text.c_str(), format);
    }
  }

  void put_number(lxw_worksheet* sheet, const SheetCell& cell, double number, const std::string& formula,
                  lxw_format* format) {
    const auto row = static_cast<lxw_row_t>(cell.row);
    const auto column = static_cast<lxw_col_t>(cell.column);
    const std::string text = std::isfinite(number) ? "" : number < 0 ? minus_infinity_text : number > 0 ? "∞" : "NaN";
    if (formula.empty()) {
      if (text.empty()) {
        lxw_.worksheet_write_number(sheet, row, column, number, format);
      } else {
        lxw_.worksheet_write_string(sheet, row, column, text.c_str(), format);
      }
    } else if (text.empty()) {
      lxw_.worksheet_write_formula_num(sheet, row, column, ("=" + formula).c_str(), format, number);
    } else {
      lxw_.worksheet_write_formula_str(sheet, row, column, ("=" + formula).c_str(), format, text.c_str());
    }
  }

  // What stays in sight: whose numbers these are. Columns as wide as what stands above them.
  void write_head(std::size_t at) {
    lxw_worksheet* const sheet = sheets_[at];
    const SheetLayout::Sheet& own = layout_.sheets()[at];
    put(sheet, 0, 0, label_text(own.title.empty() ? own.name : own.title), looks_.title());
    lxw_.worksheet_freeze_panes(sheet, 1, SheetLayout::first_column);
    double first = narrowest, others = narrowest;
    for (const SheetTable& table : layout_.tables()) {
      if (table.sheet != at) continue;
      first = std::max(first, static_cast<double>(display_width(table.heading->symbol.text())) * 1.2 + 2);
      for (const SheetBlock& block : table.blocks) {
        for (const Dim& dim : table.down) first = std::max(first, label_width(table, dim, block));
        for (const Dim& dim : table.across) others = std::max(others, label_width(table, dim, block));
      }
    }
    lxw_.worksheet_set_column(sheet, 0, 0, std::min(first, widest_first), nullptr);
    lxw_.worksheet_set_column(sheet, SheetLayout::first_column,
                              static_cast<lxw_col_t>(std::max<std::size_t>(own.columns, 2) - 1),
                              std::min(others, widest), nullptr);
  }

  double label_width(const SheetTable& table, const Dim& dim, const SheetBlock& block) const {
    std::size_t most = 0;
    for (const std::string& label : axis_labels(trace_, *table.heading, dim, block.place)) {
      most = std::max(most, display_width(label_text(label)));
    }
    return static_cast<double>(most) + 2;
  }

  void write_table(const SheetTable& table) {
    lxw_worksheet* const sheet = sheets_[table.sheet];
    const Heading& heading = *table.heading;
    put(sheet, table.row, 0, printable(heading.symbol.text()), looks_.symbol(heading.role));
    put(sheet, table.row, 1, label_text(heading.title), looks_.strong());
    if (!heading.formula.empty()) put(sheet, table.row + 1, 1, printable(heading.formula.text()), looks_.remark());
    for (const SheetBlock& block : table.blocks) write_labels(table, block);

    define(defined_name(heading.id), layout_.sheets()[table.sheet].name, table.at(0),
           table.at(table.numbers->size() - 1));

    const std::vector<std::string> formulas = formulas_.of(table);
    lxw_format* const format =
        looks_.number(formulas.empty()   ? CellLooks::Cell::given
                      : table.is_given() ? CellLooks::Cell::following
                                         : CellLooks::Cell::computed,
                      table.is_given() ? "General" : number_spelling(table.numbers->data(), numerals_, heading.id));
    for (std::size_t i = 0; i < table.numbers->size(); ++i) {
      put_number(sheet, table.at(i), (*table.numbers)[i], formulas.empty() ? "" : formulas[i], format);
    }
  }

  // Names are also places to go to: the box beside the line of formulas lists them.
  void define(const std::string& name, const std::string& sheet, const SheetCell& first, const SheetCell& last) {
    const std::string cells =
        "='" + sheet + "'!" + cell_reference(first, true) + (first == last ? "" : ":" + cell_reference(last, true));
    lxw_.workbook_define_name(workbook_, name.c_str(), cells.c_str());
  }

  void write_labels(const SheetTable& table, const SheetBlock& block) {
    lxw_worksheet* const sheet = sheets_[table.sheet];
    std::size_t above = block.row;
    for (const Dim& dim : table.across) {
      --above;
      const std::vector<std::string> labels = axis_labels(trace_, *table.heading, dim, block.place);
      put(sheet, above, 0, "", looks_.label());
      for (std::size_t i = 0; i < labels.size(); ++i) {
        put(sheet, above, SheetLayout::first_column + i, label_text(labels[i]), looks_.label_above());
      }
    }
    if (!block.place.empty()) put(sheet, above - 1, SheetLayout::first_column, place_of(table, block), looks_.remark());
    for (const Dim& dim : table.down) {
      const std::vector<std::string> labels = axis_labels(trace_, *table.heading, dim, block.place);
      for (std::size_t i = 0; i < labels.size(); ++i)
        put(sheet, block.row + i, 0, label_text(labels[i]), looks_.label());
    }
  }

  // "Head 2 of 8 · query: the"
  std::string place_of(const SheetTable& table, const SheetBlock& block) const {
    std::string words = place_words(table.numbers->shape(), block.place);
    for (const auto& [axis, index] : block.place) {
      if (is_outer(axis)) continue;
      const Dim dim{axis, table.numbers->shape().size(axis)};
      words = dotted(words, axis + " " + axis_label(trace_, *table.heading, dim, block.place, index));
    }
    return label_text(words);
  }

  void write_options(lxw_worksheet* sheet) {
    put(sheet, 0, 0, said_.option, looks_.strong());
    put(sheet, 0, 1, said_.value, looks_.strong());
    put(sheet, 0, 3, said_.meaning, looks_.strong());
    std::size_t row = 1;
    double longest = narrowest;
    for (const SheetOption& option : options_.all()) {
      const SheetCell cell{0, row, 1};
      put(sheet, row, 0, option.name, nullptr);
      put_number(sheet, cell, option.value, option.formula, looks_.number(CellLooks::Cell::given, "General"));
      put(sheet, row, 3, printable(option.meaning), looks_.remark());
      define(option.name, said_.options, cell, cell);
      longest = std::max(longest, static_cast<double>(option.name.size()) + 2);
      ++row;
    }
    lxw_.worksheet_freeze_panes(sheet, 1, 0);
    lxw_.worksheet_set_column(sheet, 0, 0, longest, nullptr);
    lxw_.worksheet_set_column(sheet, 1, 1, widest, nullptr);
    lxw_.worksheet_set_column(sheet, 2, 2, 2, nullptr);
    lxw_.worksheet_set_column(sheet, 3, 3, 70, nullptr);
  }

  void write_read_me(lxw_worksheet* sheet) {
    std::size_t row = 0;
    put(sheet, row++, 0, label_text(trace_.title.empty() ? said_.read_me.text() : trace_.title), looks_.title());
    ++row;
    // Not everybody who opens the file makes a row as high as what is in it, and no row is higher than its limit.
    const auto say = [&](const std::string& text) {
      for (std::string_view rest = text; !rest.empty();) {
        const std::string piece = beginning(rest, characters_a_line * most_lines_a_row);
        const auto lines = static_cast<double>(display_width(piece) / characters_a_line + 1);
        lxw_.worksheet_set_row(sheet, static_cast<lxw_row_t>(row), lines * LXW_DEF_ROW_HEIGHT + 3, nullptr);
        put(sheet, row++, 0, piece, looks_.words());
        rest.remove_prefix(piece.size());
      }
    };
    const auto say_of = [&](const std::string& text, CellLooks::Cell cell) {
      put(sheet, row, 1, "", looks_.number(cell, "General"));
      say(text);
    };
    for (const std::string& line : trace_.remarks) say(printable(line));
    say(said_.what_sheets_are);
    say_of(said_.edit_these, CellLooks::Cell::given);
    say_of(said_.or_these, CellLooks::Cell::following);
    say_of(said_.and_see, CellLooks::Cell::computed);
    for (const Said& text : {said_.closed, said_.fixed, said_.unwritten, said_.formulas}) say(text);
    if (trace_.arithmetic.hand_rounding) say(said_.rounded);
    for (const Note& note : trace_.notes) say(printable(note.message));
    lxw_.worksheet_set_column(sheet, 0, 0, characters_a_line, nullptr);
    lxw_.worksheet_activate(sheet);
  }

  const FileWords& said_ = language().files;
  const XlsxLibrary& lxw_ = *xlsx_library();
  const Trace& trace_;
  FileInMemory file_;
  SheetLayout layout_;
  SheetOptions options_;
  SheetFormulas formulas_;
  Numerals numerals_;
  lxw_workbook* workbook_;
  CellLooks looks_;
  std::vector<lxw_worksheet*> sheets_;
};

}  // namespace

void write_workbook(const Trace& trace, Sink& sink) { WorkbookWriter(trace).write(sink); }

}  // namespace attn
