#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/formula/tree.h"
#include "formats/html/elements.h"
#include "formats/looks.h"
#include "formats/markup.h"
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

}  // namespace

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

}  // namespace attn
