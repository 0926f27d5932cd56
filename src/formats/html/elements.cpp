#include "formats/html/elements.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "formats/formula/tree.h"
#include "formats/looks.h"
#include "formats/spelling.h"
#include "formats/styled.h"

namespace attn {
namespace {

using Kind = FormulaPart::Kind;

std::string class_of(const FormulaPart& part) {
  return part.role ? " class=\"" + std::string(class_name(*part.role)) + "\"" : "";
}

std::string element(std::string_view name, const std::string& attributes, const std::string& content) {
  std::string text = "<";
  text.append(name).append(attributes).append(">").append(content).append("</").append(name).append(">");
  return text;
}

// Spaces at the ends of a word would be dropped.
std::string with_spaces_kept(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = text.find_last_not_of(' ') + 1;
  if (begin == text.size()) return repeated("\u00a0", begin);
  return repeated("\u00a0", begin) + escaped_markup(text.substr(begin, end - begin)) +
         repeated("\u00a0", text.size() - end);
}

// Where in its formula a sign stands.
enum class SignPlace { inside, continues, of_number, ends };

// Brackets stay as high as the line; a sign at an end of a formula leaves the
// distance to the next formula to the text around.
std::string sign_attributes(std::string_view sign, SignPlace standing) {
  if (sign == "(" || sign == ")" || sign == "[" || sign == "]") return R"( stretchy="false")";
  if (sign == "…") return R"( lspace="0" rspace="0")";
  if (standing == SignPlace::of_number) return R"( form="prefix" lspace="0" rspace="0")";
  if (standing == SignPlace::ends) return R"( rspace="0")";
  if (standing == SignPlace::inside) return "";
  return sign == "=" || sign == "≈" ? R"( lspace="0")" : R"( lspace="0" rspace="0.25em")";
}

std::string set(const FormulaPart& part, SignPlace standing = SignPlace::inside);

// "− 3" subtracts, "= −3" has a sign of its own.
SignPlace place_behind(const FormulaPart& part, const FormulaPart& before) {
  const bool may_sign = part.text == "−" || part.text == "+";
  const bool closes = before.text == ")" || before.text == "]";
  return may_sign && before.kind == Kind::sign && !closes ? SignPlace::of_number : SignPlace::inside;
}

std::string all_set(const std::vector<FormulaPart>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += set(parts[i], i > 0 ? place_behind(parts[i], parts[i - 1]) : SignPlace::inside);
  }
  return text;
}

// In the order of the kinds.
constexpr std::string_view elements[] = {"mrow", "mi", "mn", "mo", "mtext", "msub", "msup", "msqrt"};
static_assert(std::size(elements) == static_cast<std::size_t>(Kind::root) + 1);

std::string set(const FormulaPart& part, SignPlace standing) {
  const bool is_sign = part.kind == Kind::sign;
  const std::string content = !part.children.empty()    ? all_set(part.children)
                              : part.kind == Kind::word ? with_spaces_kept(part.text)
                                                        : escaped_markup(part.text);
  return element(elements[static_cast<std::size_t>(part.kind)],
                 class_of(part) + (is_sign ? sign_attributes(part.text, standing) : ""), content);
}

// "= 4" and "+ 2×0" go on from what is before, "−3" is a number.
bool continues(const Inline& formula) {
  constexpr std::array<std::string_view, 7> signs = {"= ", "≈ ", "+ ", "− ", "× ", "/ ", "· "};
  const std::string text = plain(formula);
  return std::ranges::any_of(signs, [&](std::string_view sign) { return text.starts_with(sign); });
}

SignPlace sign_place(const Inline& formula, const std::vector<FormulaPart>& parts, std::size_t i) {
  if (i == 0) return continues(formula) ? SignPlace::continues : SignPlace::inside;
  return i + 1 == parts.size() ? SignPlace::ends : place_behind(parts[i], parts[i - 1]);
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// One side of an equation: a formula a term, so that lines can break between them.
std::string side(const Expression& side) {
  std::string text;
  for (std::size_t i = 0; i < side.terms.size(); ++i) text += (i == 0 ? "" : " ") + math_elements(side.term(i));
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
std::string remark(const Equation& line, std::size_t column = 0, const std::string& more = "") {
  if (line.remark.empty()) return "";
  const std::string style = column == 0 ? "" : fmt::format(R"( style="--column:{}")", column);
  return fmt::format(R"( <span class="remark"{}>({}{})</span>)", style, page_text(line.remark), more);
}

// " by causal", behind a line that says "closed" of a cell of which another line has said why.
std::string reason_behind(const Equation& line, ClosingReasons& reasons) {
  constexpr std::string_view closed = "closed";
  const std::string remark = plain(line.remark), name = line.sides.empty() ? "" : plain(line.sides.front().whole());
  const std::size_t index = name.find('[');
  if (!remark.starts_with(closed) || index == std::string::npos) return "";
  if (remark != closed) {
    reasons[name.substr(index)] = remark.substr(closed.size());
    return "";
  }
  const auto reason = reasons.find(name.substr(index));
  return reason == reasons.end() ? "" : "<span class=\"extra\">" + escaped_markup(reason->second) + "</span>";
}

std::string label(const Equation& line) {
  return line.label.empty() ? "" : fmt::format(R"(<span class="label">{}</span> )", page_label(plain(line.label)));
}

std::string row(const std::vector<Inline>& cells, std::string_view scope_of_first, std::string_view scope_of_others) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view scope = i == 0 ? scope_of_first : scope_of_others;
    text += scope.empty() ? fmt::format("<td>{}</td>", page_text(cells[i]))
                          : fmt::format(R"(<th scope="{}"><bdi>{}</bdi></th>)", scope, page_text(cells[i]));
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

std::string math_elements(const Inline& formula) {
  const std::vector<FormulaPart> parts = formula_tree(formula).children;
  std::string text, piece;
  const auto end_piece = [&] {
    if (!piece.empty()) text += (text.empty() ? "<math>" : " <math>") + std::exchange(piece, "") + "</math>";
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    FormulaPart part = parts[i];
    const bool word = part.kind == Kind::word;
    const bool space_before = word && part.text.starts_with(' ');
    const bool space_after = word && part.text.ends_with(' ');
    if (space_before) end_piece();
    if (word) part.text = trimmed(part.text);
    if (!word || !part.text.empty()) piece += set(part, sign_place(formula, parts, i));
    if (space_after) end_piece();
  }
  end_piece();
  return text;
}

std::string page_label(std::string_view label) { return "<bdi>" + escaped_markup(label) + "</bdi>"; }

std::string page_lines(const Derivation& derivation, ClosingReasons& reasons) {
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
    text += sides(line) + remark(line, line.sides.size() + (labelled ? 2 : 1), reason_behind(line, reasons)) + "</li>";
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
