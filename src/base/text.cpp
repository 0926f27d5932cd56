#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/width_table.h"

namespace attn {
namespace {

using width_table::Range;

bool contains(std::span<const Range> ranges, char32_t point) {
  if (point < ranges.front().first) return false;
  const auto after = std::ranges::upper_bound(ranges, point, {}, &Range::first);
  return point <= std::prev(after)->last;
}

// Characters that steer a terminal, break its lines or turn the direction of
// its text, so that it would show something else than is there.
constexpr auto steering = std::to_array<Range>({
    {0x00, 0x1F},
    {0x7F, 0x9F},
    {0x061C, 0x061C},
    {0x200E, 0x200F},
    {0x2028, 0x202E},
    {0x2066, 0x2069},
    {0xFEFF, 0xFEFF},
    {0xFFFE, 0xFFFF},  // no characters; no XML may hold them
    {0xE0000, 0xE007F},
});

// Blanks that look like others, and what has no width; but for what joins letters and emoji,
// which is at home among them.
constexpr auto unseen = std::to_array<Range>({
    {0xA0, 0xA0},
    {0xAD, 0xAD},
    {0x034F, 0x034F},
    {0x115F, 0x1160},
    {0x1680, 0x1680},
    {0x180E, 0x180E},
    {0x2000, 0x200B},
    {0x202F, 0x202F},
    {0x205F, 0x2064},
    {0x3000, 0x3000},
    {0x3164, 0x3164},
    {0xFFA0, 0xFFA0},
});

std::string escaped(CodePoint point) {
  if (point.value == '\n') return "\\n";
  if (point.value == '\t') return "\\t";
  const auto value = static_cast<std::uint32_t>(point.value);
  if (!point.valid || value < 0x80) return fmt::format("\\x{:02x}", value);
  return value > 0xFFFF ? fmt::format("\\U{:08x}", value) : fmt::format("\\u{:04x}", value);
}

// One column of ASCII: most of what is written, so it is looked at first.
bool is_plain(char c) { return c >= ' ' && c <= '~'; }

// What joins emoji into one, what makes a sign an emoji, the colours of skin,
// the letters of which two are a flag, and what stands on the keys of a telephone.
constexpr char32_t joiner = 0x200D, emoji_selector = 0xFE0F;
bool is_skin_tone(char32_t point) { return point >= 0x1F3FB && point <= 0x1F3FF; }
bool is_regional(char32_t point) { return point >= 0x1F1E6 && point <= 0x1F1FF; }
bool is_key(char32_t point) { return (point >= '0' && point <= '9') || point == '#' || point == '*'; }

bool is_hidden(char32_t point) { return contains(unseen, point) || contains(steering, point); }

// The text with escapes for what is not UTF-8 and what `hides` says yes to.
std::string with_escapes(std::string_view text, bool (*hides)(char32_t)) {
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (is_plain(text[at])) {
      result += text[at++];
      continue;
    }
    const CodePoint point = code_point(text, at);
    if (!point.valid || hides(point.value)) {
      result += escaped(point);
    } else {
      result += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return result;
}

}  // namespace

bool steers(char32_t point) { return contains(steering, point); }

bool is_unseen(char32_t point) { return is_hidden(point) || point == joiner || point == 0x200C; }

std::string printable(std::string_view text) { return with_escapes(text, steers); }

std::string visible(std::string_view text) { return with_escapes(text, is_hidden); }

std::size_t display_width(CodePoint point) {
  if (!point.valid) return 1;
  if (contains(width_table::zero_width, point.value)) return 0;
  return contains(width_table::wide, point.value) ? 2 : 1;
}

Character character(std::string_view text, std::size_t at) {
  const CodePoint base = code_point(text, at);
  Character whole{base.bytes, display_width(base)};
  if (!base.valid || at + whole.bytes == text.size() || is_plain(text[at + whole.bytes])) return whole;
  const bool is_pictograph = contains(width_table::pictographs, base.value);
  bool is_joined = false;  // to what comes
  bool is_half = is_regional(base.value);
  while (at + whole.bytes < text.size() && !is_plain(text[at + whole.bytes])) {
    const CodePoint next = code_point(text, at + whole.bytes);
    if (!next.valid) break;
    const bool is_pair = std::exchange(is_half, false) && is_regional(next.value);
    const bool is_part =
        is_pictograph && ((is_joined && contains(width_table::pictographs, next.value)) || is_skin_tone(next.value));
    if (!is_pair && !is_part && !contains(width_table::zero_width, next.value)) break;
    whole.bytes += next.bytes;
    is_joined = next.value == joiner;
    if (is_pair || (next.value == emoji_selector && (is_pictograph || is_key(base.value)))) whole.width = 2;
  }
  return whole;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (is_plain(text[at]) && (at + 1 == text.size() || is_plain(text[at + 1]))) {
      ++width;
      ++at;
      continue;
    }
    const Character next = character(text, at);
    width += next.width;
    at += next.bytes;
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";

  std::size_t taken = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Character next = character(text, at);
    if (taken + next.width > width - 1) break;
    taken += next.width;
    at += next.bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string shown(std::string_view text) { return shortened(visible(text.substr(0, 400)), 60); }

std::string capitalised(std::string text) {
  if (!text.empty() && is_ascii_lower(text[0])) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    pieces.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

bool has_word(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (text.substr(0, end) == word) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

std::string counted(std::size_t count, std::string_view thing) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text.append(thing);
  if (thing.ends_with("matrix")) return text.append(thing, 0, thing.size() - 1) + "ces";
  if (thing == "index") return text + "indices";
  if (thing == "axis") return text + "axes";
  return text.append(thing) + "s";
}

std::string spelled_size(std::size_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  if (unit == 0) return counted(bytes, "byte");
  const std::string number = fmt::format("{:.1f}", size);
  return (number.ends_with(".0") ? number.substr(0, number.size() - 2) : number) + " " + std::string(units[unit]);
}

std::vector<std::string> first_of(std::vector<std::string> names, std::size_t most) {
  if (names.size() <= most) return names;
  const std::size_t rest = names.size() - most;
  names.resize(most);
  names.push_back(counted(rest, "other"));
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace attn
