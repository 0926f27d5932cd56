#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
#include "formats/figures.h"
#include "formats/html/elements.h"
#include "formats/html/heads.h"
#include "formats/looks.h"
#include "formats/spelling.h"

namespace attn {
namespace {

constexpr std::size_t tall = 20;       // more rows scroll in their box
constexpr std::size_t most_arcs = 24;  // queries, and keys

// What the script of the page reads from the cell.
double read_back(std::string text) {
  constexpr std::string_view minus = "−";
  if (text.starts_with(minus)) text.replace(0, minus.size(), "-");
  if (text == "∞") return HUGE_VAL;
  if (text == "-∞") return -HUGE_VAL;
  double value = std::nan("");
  parse_number(text, value);
  return value;
}

std::string cell(const Matrix& matrix, std::size_t row, std::size_t column) {
  const std::string text = matrix.cell(row, column);
  std::string classes, attributes;
  const auto add_class = [&](std::string_view name) { classes.append(classes.empty() ? "" : " ").append(name); };
  if (matrix.is_closed(row, column)) add_class("closed");
  if (!matrix.marks.empty()) add_class(look_of(matrix.mark(row, column)).name);
  const bool has_point = text.find('.') != std::string::npos;
  if (matrix.handed_in.empty() && !has_point && matrix.format.decimals > 0) add_class("whole");
  if (!classes.empty()) attributes += fmt::format(R"( class="{}")", classes);
  if (matrix.handed_in.empty()) {
    const double value = matrix.number(row, column);
    const double read = read_back(text);
    const bool is_all = read == value || std::isnan(read);  // as only NaN is read
    if (!is_all) attributes += fmt::format(R"( data-v="{}")", shortest(value));
    if (are_weights(matrix) && std::isfinite(value)) {
      attributes += fmt::format(R"( style="--w:{}")", fmt::format("{:.4g}", std::clamp(value, 0.0, 1.0)));
    }
  }
  return fmt::format("<td{}>{}</td>", attributes, escaped_markup(text));
}

std::string caption(const Matrix& matrix) {
  std::string text = "<span class=\"name\">";
  if (const Inline name = matrix.name(); !plain(name).empty()) text += math_elements(name) + " ";
  if (!matrix.title.empty()) text += fmt::format(R"(<span class="title">{}</span>)", page_label(matrix.title));
  if (!matrix.place.empty()) {
    text +=
        fmt::format(R"(<span class="where">{}{}</span>)", matrix.title.empty() ? "" : " · ", page_label(matrix.place));
  }
  text += "</span>";
  if (const std::string meaning = matrix.meaning(); !meaning.empty())
    text += fmt::format(R"( <span class="meaning">{}</span>)", escaped_markup(meaning));
  return text;
}

// Long names are broken into lines, so that the numbers stay in sight.
std::string name_cell(const std::string& label, std::string_view scope, bool is_padding) {
  constexpr std::size_t longest = 24;
  const std::string_view look = is_padding                                  ? " class=\"padding\" title=\"padding\""
                                : display_width(printable(label)) > longest ? " class=\"long\""
                                                                            : "";
  return fmt::format(R"(<th scope="{}"{}>{}</th>)", scope, look, page_label(label));
}

// How many characters wide the table is: paper has no more than it has.
std::size_t width_of(const Matrix& matrix, Extent shown) {
  std::size_t names = 0, all = 0;
  for (std::size_t row = 0; row < shown.rows; ++row) names = std::max(names, display_width(matrix.row_labels[row]));
  for (std::size_t column = 0; column < shown.columns; ++column) {
    std::size_t widest = display_width(matrix.column_labels[column]);
    for (std::size_t row = 0; row < shown.rows; ++row)
      widest = std::max(widest, display_width(matrix.cell(row, column)));
    all += widest + 1;
  }
  return all + names + 1;
}

// How many digits wide a number is: its point is narrower, its sign wider.
double digits_of(const std::string& number) {
  const bool has_point = number.find('.') != std::string::npos, is_negative = number.starts_with("−");
  return static_cast<double>(display_width(number)) - (has_point ? 0.5 : 0) + (is_negative ? 0.3 : 0);
}

// The row that is told as an example: the second, as it is less special than the first.
std::size_t example_row(const Matrix& weights) {
  const std::size_t second = weights.rows() > 1 ? 1 : 0;
  for (std::size_t row = second; row < weights.rows(); ++row) {
    for (std::size_t column = 0; column < weights.columns(); ++column) {
      if (!weights.is_closed(row, column)) return row;
    }
  }
  return second;
}

// How to read weights, for who has never seen any.
std::string hint(const Matrix& weights) {
  if (weights.rows() == 0 || weights.columns() == 0) return "";
  const std::size_t row = example_row(weights);
  const std::string query = page_label(weights.row_labels[row]);
  return fmt::format(
      "<p class=\"hint extra\">How to read it: row {} belongs to the {} {}. Each number in it says how much of one "
      "{}’s {} goes into the {} of {}. The stronger the colour, the more.</p>\n",
      row + 1, page_text({{"query", Role::query}}), query, page_text({{"key", Role::key}}),
      page_text({{"value", Role::value}}), page_text({{"context", Role::output}}), query);
}

}  // namespace

// Two of a mask that are called the same are told apart by their symbols.
std::string page_rules(const std::vector<const Matrix*>& rules) {
  std::string text;
  for (const Matrix* rule : rules) {
    text += fmt::format(R"( <span class="rule">{} {}</span>)", math_elements({Span(rule->symbol, rule->role)}),
                        page_label(rule->title));
  }
  return text;
}

HeadRoom room_of(const Matrix& matrix, Extent shown) {
  double names = 0, digits = 0;
  const auto label = [](const std::string& name, double padding) {
    return 0.9 * static_cast<double>(display_width(name)) + (is_padding(name) ? padding : 0);
  };
  for (std::size_t row = 0; row < shown.rows; ++row) names = std::max(names, label(matrix.row_labels[row], 6));
  for (std::size_t column = 0; column < shown.columns; ++column) {
    double widest = label(matrix.column_labels[column], 3);
    for (std::size_t row = 0; row < shown.rows; ++row) widest = std::max(widest, digits_of(matrix.cell(row, column)));
    digits += widest;
  }
  const double around = shown.columns >= 9 ? 0.64 : 1;
  return {names + digits, around * static_cast<double>(shown.columns + 1) + (shown.rows > tall ? 0.6 : 0)};
}

Extent shown_of(const Matrix& matrix, const FormatOptions& options) {
  return cut_of(matrix, options.full || matrix.rows() * matrix.columns() <= most_shown_whole);
}

bool is_sourced(const Matrix& matrix) {
  if (!matrix.handed_in.empty() || matrix.cells.empty()) return false;
  return matrix.place_of(matrix.rows() - 1, matrix.columns() - 1) < matrix.reading.result.count();
}

bool are_weights(const Matrix& matrix) {
  return matrix.role == Role::attention_weight && matrix.row_axis == "query" && matrix.column_axis == "key" &&
         matrix.handed_in.empty();
}

void write_matrix(const Matrix& matrix, Extent shown, std::optional<std::size_t> number,
                  const std::vector<const Matrix*>& closing, Outgoing& page) {
  std::string id, data;
  if (number) {
    id = fmt::format(R"( id="m{}")", *number);
    data = fmt::format(R"( data-matrix="{}")", *number);
  }
  const bool is_late = is_drawn_late(matrix, shown);
  if (is_late) data += late_format(matrix);
  const std::string look = std::string(are_weights(matrix) ? " heat" : "") + (shown.rows > tall ? " tall" : "") +
                           (shown.columns == 1 && shown.rows > 1 ? " vector" : "");
  std::string& text = page.text();
  text += fmt::format(
      "<figure class=\"matrix {}{}\"{} style=\"--fraction:{};--ch:{}\">\n<div class=\"frame\"><div "
      "class=\"scroll\"><table{}>\n",
      class_name(matrix.role), look, id, matrix.fraction(), width_of(matrix, shown), data);
  text += "<caption><span class=\"about\">" + caption(matrix) + "</span></caption>\n<thead><tr><td></td>";
  const auto pads = [](const Axis& axis, const std::string& label) { return is_position(axis) && is_padding(label); };
  for (std::size_t column = 0; column < shown.columns; ++column) {
    const std::string& label = matrix.column_labels[column];
    text += name_cell(label, "col", pads(matrix.column_axis, label));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < shown.rows; ++row) {
    const std::string& label = matrix.row_labels[row];
    const bool is_pad = pads(matrix.row_axis, label);
    text += is_pad ? "<tr class=\"padding\"" : "<tr";
    text += (is_late ? late_cells(matrix, row, shown.columns) : "") + ">" + name_cell(label, "row", is_pad);
    for (std::size_t column = 0; !is_late && column < shown.columns; ++column) text += cell(matrix, row, column);
    text += "</tr>\n";
    page.hand_over_if_enough();
  }
  text += "</tbody>\n</table></div></div>\n";
  if (!closing.empty()) {
    text += "<p class=\"hint extra\">Hatched numbers are closed, they do not count:" + page_rules(closing) + "</p>\n";
  }
  if (is_late) text += "<noscript><p class=\"left-out\">The numbers are drawn where script may run.</p></noscript>\n";
  for (const std::string& words : words_of_cut(matrix, shown)) text += "<p class=\"left-out\">" + words + "</p>\n";
  if (are_weights(matrix)) text += hint(matrix);
  text += "</figure>\n";
}

std::string page_arcs(const Matrix& weights) {
  if (weights.rows() > most_arcs || weights.columns() > most_arcs) return "";
  return fmt::format(
      "<figure class=\"arcs extra\">\n{}\n<figcaption class=\"hint\">The same weights as arcs, from each {} to the {}s "
      "it takes from. The wider, the larger the weight.</figcaption>\n</figure>\n",
      arcs(weights), page_text({{"query", Role::query}}), page_text({{"key", Role::key}}));
}

}  // namespace attn
