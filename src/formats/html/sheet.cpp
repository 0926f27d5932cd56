#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "formats/cut.h"
#include "formats/html/elements.h"
#include "formats/html/page.h"
#include "formats/html/policy.h"
#include "formats/looks.h"
#include "formats/spelling.h"

namespace attn {
namespace {

// What fits the paper, of A4 and of Letter, in mm; and what a letter takes, about.
constexpr std::size_t page_width = 176, rows_of_boxes = 18, rows_of_numbers = 40;
constexpr std::size_t box_width_mm = 17, widest_name = 34, letter = 2, around = 5;
constexpr std::size_t letters_in_box = 8;  // longer numbers are set smaller, in several lines

// Writes a sheet as one page, to be printed or to be filled in and saved as answers.
class SheetPage {
 public:
  SheetPage(const Document& document, std::string style) : document_(document), style_(std::move(style)) {}

  std::string write() {
    for (std::size_t i = 0; i < document_.blocks.size(); ++i) {
      const auto* matrix = std::get_if<Matrix>(&document_.blocks[i]);
      if (is_beside_ && !(matrix && matrix->beside)) end_beside();
      std::visit([&](const auto& block) { lay_out(block); }, document_.blocks[i]);
    }
    end_beside();
    return head() + std::move(text_) + tail();
  }

 private:
  std::string title() const {
    const auto* headline = document_.blocks.empty() ? nullptr : std::get_if<Headline>(&document_.blocks.front());
    return headline ? escaped_markup(plain(headline->text)) : "";
  }

  std::string head() const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "{}<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body class=\"sheet\">\n<main data-problem=\"{}\">\n",
        policy_element(document_.sheet->is_key ? nullptr : &sheet_script), title(), style_, sheet_style.text(),
        escaped_markup(document_.sheet->problem));
  }

  std::string tail() const {
    if (document_.sheet->is_key) return "</main>\n</body>\n</html>\n";
    return "</main>\n" + script_element(sheet_script) + "</body>\n</html>\n";
  }

  void lay_out(const GeometryTold&) {}  // a sheet has none
  void lay_out(const Headline& headline) {
    text_ += fmt::format("<h{0}>{1}</h{0}>\n", std::clamp(headline.level, 1, 3), page_text(headline.text));
  }
  void lay_out(const Prose& prose) { text_ += "<p>" + page_text(prose.text) + "</p>\n"; }
  void lay_out(const Remark& remark) { text_ += "<p class=\"note\">Note: " + page_text(remark.text) + "</p>\n"; }
  void lay_out(const Derivation& derivation) { text_ += page_lines(derivation, reasons_); }
  void lay_out(const Table& table) { text_ += page_table(table, title()); }
  void lay_out(const Tree& tree) { text_ += page_tree(tree); }

  // The first says whose answers they are.
  void lay_out(const Fields& fields) {
    text_ += "<p class=\"fields\">";
    for (const Field& field : fields.all) {
      const std::string written = escaped_markup(field.written);
      const std::string value = written.empty() ? "" : " value=\"" + written + "\"";
      const std::string line = document_.sheet->is_key ? "<span>" + (written.empty() ? "&nbsp;" : written) + "</span>"
                                                       : "<input type=\"text\" autocomplete=\"off\"" + value + ">";
      text_ += fmt::format("<label>{}: {}</label> ", escaped_markup(field.name), line);
    }
    text_ += "</p>\n";
  }

  void lay_out(const Matrix& matrix) {
    if (!std::exchange(is_beside_, true)) text_ += "<div class=\"beside\">\n";
    text_ += fmt::format("<figure class=\"matrix {}\">\n<figcaption><span class=\"name\">{}</span>",
                         class_name(matrix.role), math_elements(matrix.name()));
    if (!matrix.caption().empty()) text_ += " <span class=\"title\">" + page_label(matrix.caption()) + "</span>";
    if (!matrix.meaning().empty()) text_ += " <span class=\"meaning\">" + escaped_markup(matrix.meaning()) + "</span>";
    text_ += "</figcaption>\n";
    const std::size_t columns = columns_of_page(matrix);
    const std::size_t rows = matrix.boxes.empty() ? rows_of_numbers : rows_of_boxes;
    for (std::size_t left = 0; left < matrix.columns(); left += columns) {
      for (std::size_t top = 0; top < matrix.rows(); top += rows) {
        table(matrix, {top, left}, {std::min(top + rows, matrix.rows()), std::min(left + columns, matrix.columns())});
      }
    }
    text_ += "</figure>\n";
  }

  void end_beside() {
    if (std::exchange(is_beside_, false)) text_ += "</div>\n";
  }

  static std::size_t columns_of_page(const Matrix& matrix) {
    std::size_t names = 0, numbers = 0;
    for (const std::string& name : matrix.row_labels) names = std::max(names, display_width(name));
    if (matrix.boxes.empty()) {
      for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
        numbers = std::max(numbers, display_width(matrix.cell(i / matrix.columns(), i % matrix.columns())));
      }
      for (const std::string& name : matrix.column_labels) numbers = std::max(numbers, display_width(name));
    }
    const std::size_t width = matrix.boxes.empty() ? letter * numbers + around : box_width_mm;
    return std::max<std::size_t>(1, (page_width - std::min(widest_name, letter * names + around)) / width);
  }

  // The cells from one corner up to another, on one page.
  void table(const Matrix& matrix, Extent from, Extent to) {
    std::string which = words_of_part("column", from.columns, to.columns, matrix.columns());
    const std::string rows = words_of_part("row", from.rows, to.rows, matrix.rows());
    which += (which.empty() || rows.empty() ? "" : ", ") + rows;
    text_ += "<table";
    if (!matrix.boxes.empty()) {
      std::string shape;
      for (const Dim& dim : matrix.reading.result.dims())
        shape += (shape.empty() ? "" : ",") + std::to_string(dim.size);
      text_ += fmt::format(" class=\"boxes\" data-step=\"{}\" data-shape=\"{}\"", escaped_markup(matrix.step), shape);
    }
    text_ += fmt::format(" aria-label=\"{}\">\n", escaped_markup(dotted(matrix.caption(), which)));
    if (!which.empty()) text_ += "<caption>" + which + "</caption>\n";
    text_ += "<thead><tr><td></td>";
    for (std::size_t i = from.columns; i < to.columns; ++i) text_ += name("col", matrix.column_labels[i]);
    text_ += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = from.rows; row < to.rows; ++row) {
      text_ += "<tr>" + name("row", matrix.row_labels[row]);
      for (std::size_t column = from.columns; column < to.columns; ++column) text_ += cell(matrix, row, column);
      text_ += "</tr>\n";
    }
    text_ += "</tbody>\n</table>\n";
  }

  static std::string name(std::string_view scope, const std::string& label) {
    return fmt::format("<th scope=\"{}\"><span>{}</span></th>", scope, page_label(label));
  }

  // Which it is, too, where several are called so.
  static std::string told(const std::vector<std::string>& labels, std::size_t index) {
    const std::string& label = labels[index];
    return std::ranges::count(labels, label) > 1 ? label + " (" + std::to_string(index + 1) + ")" : label;
  }

  static std::string cell(const Matrix& matrix, std::size_t row, std::size_t column) {
    const Box box = matrix.box(row, column);
    if (box != Box::open) {
      std::string number = escaped_markup(matrix.cell(row, column));
      if (!matrix.boxes.empty() && display_width(number) > letters_in_box) number = "<small>" + number + "</small>";
      return fmt::format("<td{}>{}</td>", box == Box::filled ? " class=\"box\"" : "", number);
    }
    const std::size_t place = matrix.place_of(row, column);
    std::string where = dotted(matrix.part, matrix.symbol.text());
    for (const Dim& dim : matrix.reading.result.dims()) {
      if (!is_outer(dim.axis)) continue;
      const std::size_t index = place / matrix.reading.result.stride(dim.axis) % dim.size;
      where = dotted(where, dim.axis + " " + std::to_string(index + 1));
    }
    where =
        dotted(dotted(where, matrix.place), dotted(told(matrix.row_labels, row), told(matrix.column_labels, column)));
    return fmt::format(
        "<td class=\"box\"><input type=\"text\" inputmode=\"decimal\" autocomplete=\"off\" spellcheck=\"false\" "
        "data-cell=\"{}\" aria-label=\"{}\"></td>",
        place, escaped_markup(where));
  }

  const Document& document_;
  std::string style_, text_;
  ClosingReasons reasons_;
  bool is_beside_ = false;
};

}  // namespace

std::string sheet_page(const Document& document, std::string style) {
  return SheetPage(document, std::move(style)).write();
}

}  // namespace attn
