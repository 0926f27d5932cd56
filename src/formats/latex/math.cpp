#include "formats/latex/math.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "formats/formula/tree.h"
#include "formats/looks.h"
#include "formats/styled.h"

namespace attn {
namespace {

using Kind = FormulaPart::Kind;

class MathWriter {
 public:
  explicit MathWriter(bool coloured) : coloured_(coloured) {}

  std::string write(const FormulaPart& part) const { return coloured(part.role, uncoloured(part)); }

 private:
  std::string coloured(const std::optional<Role>& role, const std::string& latex) const {
    return coloured_ ? latex_coloured(role, latex) : latex;
  }

  std::string uncoloured(const FormulaPart& part) const {
    switch (part.kind) {
      case Kind::row:
        return row(part.children);
      case Kind::identifier:
        return identifier(part.text);
      case Kind::number:
        return number(part.text);
      case Kind::sign:
        return sign(part.text);
      case Kind::word:
        return word(part.text);
      case Kind::subscript:
        return base(part) + "_{" + write(part.children[1]) + "}";
      case Kind::superscript:
        return base(part) + "^{" + exponent(part.children[1]) + "}";
      case Kind::root:
        return "\\sqrt{" + write(part.children[0]) + "}";
    }
    return {};
  }

  // Things of one role that stand side by side share one colour.
  std::string row(const std::vector<FormulaPart>& parts) const {
    std::string text;
    for (std::size_t i = 0; i < parts.size();) {
      std::size_t end = i + 1;
      while (end < parts.size() && parts[end].role == parts[i].role) ++end;
      std::string together;
      for (std::size_t at = i; at < end; ++at) {
        const bool is_function = parts[at].kind == Kind::word && at + 1 < parts.size() &&
                                 parts[at + 1].kind == Kind::sign && parts[at + 1].text == "(";
        append(is_function ? function(parts[at].text) : uncoloured(parts[at]), together);
      }
      append(coloured(parts[i].role, together), text);
      i = end;
    }
    return text;
  }

  // A command ends where no letter follows.
  static void append(std::string_view piece, std::string& text) {
    const std::size_t command = text.rfind('\\');
    const bool open = command != std::string::npos &&
                      std::ranges::all_of(std::string_view(text).substr(command + 1), is_ascii_letter);
    if (open && !piece.empty() && is_ascii_letter(piece[0])) text += ' ';
    text += piece;
  }

  // What an exponent is set to; in braces where it has one already, of which TeX
  // would complain: "{K^{*}}^{\top}".
  std::string base(const FormulaPart& part) const {
    const FormulaPart& below = part.children[0];
    const std::string text = write(below);
    return text.empty() || below.kind == Kind::row || has(below, part.kind) ? "{" + text + "}" : text;
  }

  // Whether an index or exponent is there already.
  static bool has(const FormulaPart& part, Kind script) {
    if (part.kind == script) return true;
    if (part.kind == Kind::word)
      return std::ranges::any_of(part.text, [](char c) { return static_cast<unsigned char>(c) > '~'; });
    if (part.kind == Kind::identifier) return script == Kind::superscript && part.text.find('*') != std::string::npos;
    if (part.kind != Kind::subscript && part.kind != Kind::superscript) return false;
    // A prime is an exponent that another one may follow at once, but not behind an index.
    const FormulaPart& base = part.children[0];
    const bool primed = base.kind == Kind::identifier && base.text.size() > 1;
    return (primed && script == Kind::superscript) || has(base, script);
  }

  std::string exponent(const FormulaPart& part) const {
    const bool transposed = part.kind == Kind::identifier && part.text == "T";
    return transposed ? "\\top" : write(part);
  }

  std::string identifier(std::string_view text) const {
    const CodePoint letter = code_point(text, 0);
    std::string name(text.substr(0, letter.bytes));
    if (const std::string_view known = latex_mathematics(letter.value); !known.empty()) name = known;
    const bool starred = text.find('*') != std::string_view::npos;
    std::string marks;
    for (std::size_t at = letter.bytes; at < text.size();) {
      const CodePoint point = code_point(text, at);
      at += point.bytes;
      const std::size_t primes = point.value == U'′' ? 1 : point.value == U'″' ? 2 : 3;
      marks += point.value == U'*' ? "*" : repeated(starred ? "\\prime " : "'", primes);
    }
    return name + (starred ? "^{" + marks + "}" : marks);
  }

  std::string number(std::string_view text) const {
    if (text == "∞") return "\\infty";
    if (text == "NaN") return "\\mathrm{NaN}";
    const std::size_t e = text.find('e');
    if (e == std::string_view::npos) return std::string(text);
    std::string_view exponent = text.substr(e + 1), sign;
    for (const std::string_view one : {"+", "-", "−"}) {
      if (!exponent.starts_with(one)) continue;
      sign = one == "+" ? "{+}" : "{-}";
      exponent.remove_prefix(one.size());
    }
    return fmt::format("{}\\mathrm{{e}}{}{}", text.substr(0, e), sign, exponent);
  }

  std::string sign(std::string_view text) const {
    const CodePoint point = code_point(text, 0);
    if (const std::string_view known = latex_mathematics(point.value); !known.empty()) return std::string(known);
    if (point.value < 0x80) return std::string(text);
    return word(text);
  }

  std::string function(const std::string& text) const {
    if (text == "max" || text == "min" || text == "exp") return "\\" + text;
    return std::ranges::all_of(text, is_ascii_letter) ? "\\operatorname{" + text + "}" : word(text);
  }

  // Words upright. MathJax knows no escapes within \text{}: what needs one stands outside.
  std::string word(std::string_view text) const {
    std::string all, inside;
    const auto close = [&] {
      if (inside == " ") {
        append("\\ ", all);
      } else if (!inside.empty()) {
        append("\\text{" + inside + "}", all);
      }
      inside.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = code_point(text, at);
      const std::string_view character = text.substr(at, point.bytes);
      at += point.bytes;
      const std::string_view outside = point.value == U'/' ? "/" : latex_mathematics(point.value);
      if (outside.empty()) {
        inside += coloured_ ? latex_character(point, character) : std::string(character);
      } else {
        close();
        append(outside, all);
      }
    }
    close();
    return all;
  }

  bool coloured_;
};

}  // namespace

std::string latex_math(std::string_view formula) {
  return MathWriter(false).write(formula_tree({std::string(formula)}));
}

std::string latex_math(const Inline& formula, bool coloured) {
  return MathWriter(coloured).write(formula_tree(formula));
}

std::string latex_inline_math(const Inline& formula) {
  const std::string math = latex_math(formula, true);
  return math.empty() ? "" : "$" + math + "$";
}

std::string latex_coloured(const std::optional<Role>& role, const std::string& latex) {
  const std::string_view command = role ? look_of(*role).command : "";
  return command.empty() ? latex : fmt::format("\\{}{{{}}}", command, latex);
}

}  // namespace attn
