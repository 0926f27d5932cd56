#include "formats/html/elements.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/core.h>

#include "formats/looks.h"
#include "formats/markup.h"

namespace attn {
namespace {

// One side of an equation: a formula a term, so that lines can break between them.
std::string side(const Expression& side) {
  std::string text;
  for (std::size_t i = 0; i < side.terms.size(); ++i) {
    text += (i == 0 ? "" : " ") + math_elements(side.term(i));
  }
  return text;
}

std::string sides(const Equation& line) {
  std::string text;
  for (const Expression& one : line.sides) {
    text += (text.empty() ? "" : " ") + fmt::format(R"(<span class="side">{}</span>)", side(one));
  }
  return text;
}

// Behind its line, where that has fewer sides than others: in that column of a grid.
std::string remark(const Equation& line, std::size_t column = 0) {
  if (line.remark.empty()) return "";
  const std::string style = column == 0 ? "" : fmt::format(R"( style="--column:{}")", column);
  return fmt::format(R"( <span class="remark"{}>({})</span>)", style, page_text(line.remark));
}

std::string label(const Equation& line) {
  return line.label.empty() ? "" : fmt::format(R"(<span class="label">{}</span> )", page_label(plain(line.label)));
}

std::string row(const std::vector<Inline>& cells, std::string_view scope_of_first, std::string_view scope_of_others) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view scope = i == 0 ? scope_of_first : scope_of_others;
    text += scope.empty() ? fmt::format("<td>{}</td>", page_text(cells[i]))
                          : fmt::format(R"(<th scope="{}">{}</th>)", scope, page_text(cells[i]));
  }
  return text + "</tr>\n";
}

// Names and what is said of them, line by line.
std::string pairs(const Table& table) {
  std::string text = "<dl class=\"pairs\">\n";
  for (const auto& row : table.rows) {
    text += fmt::format("<div><dt>{}</dt> <dd>{}</dd></div>\n", page_text(row[0]), page_text(row[1]));
  }
  return text + "</dl>\n";
}

}  // namespace

std::string page_text(const Inline& text) {
  std::string all;
  for (const Span& span : text) {
    const std::string words = escaped_markup(span.text);
    all += span.role ? fmt::format(R"(<span class="{}">{}</span>)", class_name(*span.role), words) : words;
  }
  return all;
}

std::string page_label(std::string_view label) { return "<bdi>" + escaped_markup(label) + "</bdi>"; }

std::string page_lines(const Derivation& derivation) {
  std::string text = "<div class=\"derivation\">\n";
  if (!derivation.formula.empty() || !derivation.title.empty()) {
    text += "<p class=\"formula\">";
    if (!derivation.formula.empty()) text += math_elements(derivation.formula) + " ";
    if (!derivation.title.empty())
      text += fmt::format(R"(<span class="title">{}</span>)", page_label(derivation.title));
    text += "</p>\n";
  }
  std::size_t most_sides = 1;
  bool labelled = false;
  bool remarked = false;
  for (const Equation& line : derivation.lines) {
    most_sides = std::max(most_sides, line.sides.size());
    labelled = labelled || !line.label.empty();
    remarked = remarked || !line.remark.empty();
  }
  text += fmt::format(R"(<ul class="lines{}{}" style="--sides:{}">)", labelled ? " labelled" : "",
                      remarked ? " remarked" : "", most_sides);
  for (const Equation& line : derivation.lines) {
    text += "\n<li>";
    text += labelled && line.label.empty() ? "<span class=\"label\"></span>" : label(line);
    text += sides(line) + remark(line, line.sides.size() + (labelled ? 2 : 1)) + "</li>";
  }
  return text + "\n</ul>\n</div>\n";
}

std::string page_table(const Table& table, const std::string& part) {
  const bool are_pairs = table.caption.empty() && table.header.empty() &&
                         std::ranges::all_of(table.rows, [](const auto& row) { return row.size() == 2; });
  if (are_pairs) return pairs(table);
  std::string text = "<div class=\"scroll\"><table class=\"words\">\n";
  text += table.caption.empty() ? fmt::format("<caption class=\"unseen extra\">{}</caption>\n", escaped_markup(part))
                                : fmt::format("<caption>{}</caption>\n", page_text(table.caption));
  if (!table.header.empty()) text += "<thead>\n" + row(table.header, "col", "col") + "</thead>\n";
  text += "<tbody>\n";
  for (const auto& cells : table.rows) text += row(cells, "row", "");
  return text + "</tbody>\n</table></div>\n";
}

std::string page_tree(const Tree& tree) {
  std::string text = "<ul class=\"tree\">\n";
  std::size_t open = 0;  // items that are open above the line
  for (const Branch& branch : tree.branches) {
    const std::size_t depth = std::min(branch.depth, open);
    if (depth == open && open > 0) text += "\n<ul>\n";
    for (; open > depth; --open) text += open == depth + 1 ? "</li>\n" : "</li></ul>";
    text += "<li><div class=\"line\">" + label(branch.line) + sides(branch.line) + remark(branch.line) + "</div>";
    ++open;
  }
  for (; open > 1; --open) text += "</li></ul>";
  return text + (open == 1 ? "</li>\n</ul>\n" : "</ul>\n");
}

}  // namespace attn
