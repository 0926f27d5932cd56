#include "reading/report.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "reading/json/locate.h"

namespace attn {
namespace {

constexpr std::size_t most_shown = 20;

constexpr std::size_t window_of_files = 76;  // columns of a source line
constexpr std::size_t longest_path = 4096;   // what is longer names no file
constexpr std::string_view tab = "    ";

// A fault and where in the text it is.
struct Placed {
  const Diagnostic* fault;
  TextRange range;
};

// Terminal colours, or nothing.
struct Paint {
  bool color;
  std::string operator()(const char* code, const std::string& text) const {
    return color ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }
};

// The line of a text that holds a place.
struct Line {
  std::size_t number;  // from 1
  TextRange range;     // without its line break
};

Line line_at(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  std::size_t begin = before.rfind('\n') + 1;  // 0 where there is none
  // A byte order mark is no character of the first line.
  if (begin == 0 && text.starts_with("\xEF\xBB\xBF")) begin = std::min<std::size_t>(3, at);
  std::size_t end = std::min(text.find('\n', at), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  return {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1, {begin, std::max(begin, end)}};
}

// REQUIRES: text in UTF-8.
std::size_t characters(std::string_view text) {
  const auto begins_one = [](char c) { return !continues_utf8(c); };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_one));
}

// One character of a source line as it is shown.
struct Cell {
  std::size_t begin, end;  // in the text
  std::string shown;
  std::size_t width;
};

Cell cell_at(std::string_view text, std::size_t at) {
  const std::string_view character = text.substr(at, code_point(text, at).bytes);
  std::string shown = character == "\t" ? std::string(tab) : visible(character);
  const std::size_t width = display_width(shown);
  return {at, at + character.size(), std::move(shown), width};
}

// Where the character begins that ends at this place. REQUIRES: at > 0.
std::size_t before(std::string_view text, std::size_t at) {
  for (std::size_t bytes = std::min<std::size_t>(4, at); bytes > 1; --bytes) {
    const CodePoint point = code_point(text, at - bytes);
    if (point.valid && point.bytes == bytes) return at - bytes;
  }
  return at - 1;
}

// A run of characters of one line, on one side of a place.
struct HalfLine {
  std::deque<Cell> cells;
  std::size_t width = 0;
  bool whole = true;  // up to the end of the line on this side

  bool add(Cell cell, std::size_t limit) {
    // A letter can have marks without end, which take no column.
    if (width + cell.width > limit || cells.size() == 8 * limit) return whole = false;
    width += cell.width;
    cells.push_back(std::move(cell));
    return true;
  }

  // Leaves out what stands farthest until it fits, "…" included.
  void fit(std::size_t limit) {
    if (whole && width <= limit) return;
    whole = false;
    while (!cells.empty() && width + 1 > limit) {
      width -= cells.back().width;
      cells.pop_back();
    }
  }
};

// The part of a line around a place that fits a window of so many columns.
class Excerpt {
 public:
  Excerpt(std::string_view text, TextRange line, std::size_t at, std::size_t window) {
    constexpr std::size_t least = 16;
    window = std::max(window, least);
    for (std::size_t i = at; i < line.end;) {
      Cell cell = cell_at(text, i);
      i = cell.end;
      if (!right_.add(std::move(cell), window)) break;
    }
    for (std::size_t i = at; i > line.begin;) {
      i = before(text, i);
      if (!left_.add(cell_at(text, i), window)) break;
    }
    // What follows a place tells more than what stands before it.
    left_.fit(std::max(window / 3, window - std::min(right_.width, window)));
    right_.fit(window - left_.width - (left_.whole ? 0 : 1));
  }

  std::string source() const {
    std::string shown = left_.whole ? "" : "…";
    for (auto cell = left_.cells.rbegin(); cell != left_.cells.rend(); ++cell) shown += cell->shown;
    for (const Cell& cell : right_.cells) shown += cell.shown;
    return shown + (right_.whole ? "" : "…");
  }

  // Carets below the characters up to `end`, and the blanks before them.
  std::string carets(std::size_t end) const {
    std::size_t count = 0;
    for (const Cell& cell : right_.cells) count += cell.begin < end ? cell.width : 0;
    return std::string(left_.width + (left_.whole ? 0 : 1), ' ') + std::string(std::max<std::size_t>(count, 1), '^');
  }

 private:
  HalfLine left_, right_;
};

// Of a list or an object only its bracket is meant: it may be pages long.
std::size_t caret_end(std::string_view text, TextRange range) {
  const bool opens = range.begin < text.size() && (text[range.begin] == '[' || text[range.begin] == '{');
  return opens ? range.begin + 1 : range.end;
}

std::string described(const Diagnostic& fault, std::string_view place, Paint paint) {
  std::string shown = paint("1", printable(place) + ":") + " " + paint("1;31", "error:") + " ";
  return shown + paint("1", visible(fault.message)) + "\n";
}

std::string help_line(const Diagnostic& fault, Paint paint) {
  return "  " + paint("1;36", "help:") + " " + visible(fault.help.text()) + "\n";
}

// An empty range says that no place in the text is meant.
PlacedFault pointed_out(const Placed& placed, std::string_view text) {
  if (placed.range.begin == placed.range.end) return {*placed.fault};
  const std::size_t at = std::min(placed.range.begin, text.size());
  const Line line = line_at(text, at);
  // What is not UTF-8 is a fault at its first byte, so all before a place is.
  const std::size_t column = characters(text.substr(line.range.begin, at - line.range.begin)) + 1;
  const Excerpt excerpt(text, line.range, at, window_of_files);
  return {*placed.fault, line.number, column, excerpt.source(), excerpt.carets(caret_end(text, placed.range))};
}

std::vector<Placed> in_order(const Diagnostics& faults, std::string_view text) {
  std::vector<Pointed> pointed;
  for (const Diagnostic& fault : faults) {
    if (!fault.range) pointed.push_back({fault.where, fault.at_key});
  }
  const std::vector<TextRange> ranges = located(text, pointed);

  std::vector<Placed> placed;
  auto range = ranges.begin();
  for (const Diagnostic& fault : faults) placed.push_back({&fault, fault.range ? *fault.range : *range++});
  std::ranges::stable_sort(placed, {}, [](const Placed& one) { return one.range.begin; });
  return placed;
}

}  // namespace

Complaint placed(const Diagnostics& faults, std::string_view text, std::string_view file) {
  Complaint complaint{std::string(file), {}};
  std::vector<PlacedFault>& shown = complaint.faults;
  if (text.empty()) {
    for (std::size_t i = 0; i < std::min(faults.size(), most_shown); ++i) shown.push_back({faults[i]});
  } else {
    for (const Placed& one : in_order(faults, text)) {
      if (shown.size() == most_shown) break;
      shown.push_back(pointed_out(one, text));
    }
  }
  std::size_t count = 0;
  for (const Diagnostic& fault : faults) count += 1 + fault.unkept;
  complaint.unkept = count - shown.size();
  return complaint;
}

Complaint placed_in_line(const Diagnostic& fault, std::string_view line, TextRange range, std::size_t width) {
  const Excerpt excerpt(line, {0, line.size()}, range.begin, width);
  std::string source = excerpt.source();
  source.erase(source.find_last_not_of(' ') + 1);
  return {"", {{fault, 0, 0, source, excerpt.carets(range.end)}}};
}

std::string report(const Complaint& complaint, bool color) {
  const Paint paint{color};
  std::string text;
  for (const PlacedFault& one : complaint.faults) {
    std::string place = complaint.file.empty() ? "attn" : complaint.file;
    if (place.size() > longest_path) place = shortened(printable(place), window_of_files);
    if (one.line > 0) place += ":" + std::to_string(one.line) + ":" + std::to_string(one.column);
    text += described(one.fault, place, paint);
    if (!one.carets.empty()) text += one.source + "\n" + paint("1;31", one.carets) + "\n";
    text += help_line(one.fault, paint);
  }
  if (complaint.unkept > 0) text += "and " + std::to_string(complaint.unkept) + " more\n";
  return text;
}

std::string report(const Diagnostics& faults, std::string_view text, std::string_view file, bool color) {
  return report(placed(faults, text, file), color);
}

}  // namespace attn
