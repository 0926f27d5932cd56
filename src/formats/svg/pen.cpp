#include "formats/svg/pen.h"

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "formats/spelling.h"

namespace attn {
namespace {

// The width of one character in DejaVu Sans or Verdana, in ems: other sans-serif
// fonts are narrower.
double character_width(CodePoint point) {
  const char32_t c = point.value;
  if (c < 0x80) {
    const std::string_view character_sets[] = {"ijlI|.,:;'!", "ftr()[]/\\ -`\"", "mwMW@%", "+=<>~^#"};
    const double widths[] = {0.36, 0.46, 1.0, 0.85};
    for (int i = 0; i < 4; ++i) {
      if (character_sets[i].find(static_cast<char>(c)) != std::string_view::npos) return widths[i];
    }
    return is_ascii_upper(static_cast<char>(c)) ? 0.78 : 0.645;
  }
  const std::size_t columns = display_width(point);
  if (columns == 0) return 0;
  if (columns == 2) return c >= 0x1F000 ? 1.4 : 1.06;
  if (c >= 0x2070 && c < 0x20A0) return 0.5;  // raised and lowered digits
  if (c >= 0x2190 && c < 0x2600) return 0.9;  // arrows, mathematics
  if (c < 0x250 || (c >= 0x2010 && c < 0x2040)) return c == U'…' || c == U'—' ? 1.0 : 0.7;
  return 0.9;
}

}  // namespace

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  const std::string whole = printable(text);
  for (std::size_t at = 0; at < whole.size();) {
    const CodePoint point = code_point(whole, at);
    width += character_width(point);
    at += point.bytes;
  }
  return width * size;
}

std::size_t fitting_bytes(std::string_view text, double size, double width) {
  CodePoint next = code_point(text, 0);
  std::size_t bytes = next.bytes;
  double used = character_width(next);
  while (bytes < text.size()) {
    next = code_point(text, bytes);
    used += character_width(next);
    if (display_width(next) > 0 && used * size > width) break;
    bytes += next.bytes;
  }
  return bytes;
}

std::string fitted(std::string_view text, double size, double width) {
  const std::string whole = printable(text);
  const double room = width - text_width("…", size);
  double used = 0;
  std::size_t kept = 0;  // bytes that leave room for the ellipsis
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t bytes = character(whole, at).bytes;
    used += text_width(std::string_view(whole).substr(at, bytes), size);
    if (used > width) return whole.substr(0, kept) + "…";
    at += bytes;
    if (used <= room) kept = at;
  }
  return whole;
}

std::string svg_rect(double x, double y, double width, double height, std::string_view attributes) {
  return svg("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", x, y, width, height, attributes);
}

std::string svg_moved(double x, double y, std::string_view content) {
  return svg("<g transform=\"translate({} {})\">\n{}</g>\n", x, y, content);
}

std::string text_begin(double x, double y, const TextLook& look) {
  std::string text = svg(R"(<text x="{}" y="{}" font-size="{}" fill="{}")", x, y, look.size, look.fill);
  if (look.anchor == Anchor::middle) text += R"( text-anchor="middle")";
  if (look.anchor == Anchor::end) text += R"( text-anchor="end")";
  if (look.bold) text += R"( font-weight="bold")";
  return text + ">";
}

std::string svg_text(double x, double y, std::string_view text, const TextLook& look, double width) {
  const std::string whole = printable(text);
  const std::string shown = fitted(whole, look.size, width);
  std::string element = text_begin(x, y, look);
  if (shown != whole) element += "<title>" + escaped_markup(whole) + "</title>";
  return element + escaped_markup(shown) + "</text>\n";
}

}  // namespace attn
