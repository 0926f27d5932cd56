#include "formats/styled.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "formats/looks.h"
#include "formats/spelling.h"

namespace attn {
namespace {

// What switches a terminal to the look of the piece; empty for plain text.
std::string look(const Piece& piece) {
  if (piece.mark != Mark::none) return std::string(look_of(piece.mark).terminal);
  if (piece.shade) {
    return "\x1b[38;5;" + std::to_string(piece.shade->text) + ";48;5;" + std::to_string(piece.shade->background) + "m";
  }
  std::string codes;
  if (piece.weight == Weight::bold) codes = "1";
  if (piece.weight == Weight::faint) codes = "2";
  if (const int hue = piece.role ? look_of(*piece.role).terminal : 0; hue != 0) {
    codes += (codes.empty() ? "" : ";") + ("38;5;" + std::to_string(hue));
  }
  return codes.empty() ? "" : "\x1b[" + codes + "m";
}

// The beginning of a word.
struct Part {
  std::size_t bytes = 0;
  std::size_t width = 0;
};

// As much of the word as `width` columns take.
Part fitting(std::string_view word, std::size_t width) {
  Part part;
  while (part.bytes < word.size()) {
    const Character next = character(word, part.bytes);
    if (part.width + next.width > width) break;
    part = {part.bytes + next.bytes, part.width + next.width};
  }
  return part;
}

}  // namespace

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string padded_behind(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, display_width(text)), ' ');
}

std::string padded_before(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + text;
}

void StyledLine::add(Piece piece) {
  width_ += display_width(piece.text);
  pieces_.push_back(std::move(piece));
}

void StyledLine::add(StyledLine line) {
  width_ += line.width_;
  if (pieces_.empty()) {
    pieces_ = std::move(line.pieces_);
  } else {
    std::ranges::move(line.pieces_, std::back_inserter(pieces_));
  }
}

void StyledLine::pad_to(std::size_t width) {
  if (width > width_) add(Piece{std::string(width - width_, ' ')});
}

std::string Typesetter::spelled(std::string_view text) const {
  std::string safe = printable(text);
  return options_.ascii ? asciified(safe) : safe;
}

std::size_t Typesetter::width(std::string_view text) const { return display_width(spelled(text)); }

StyledLine Typesetter::line(const Inline& text, Weight weight) const {
  StyledLine line;
  for (const Span& span : text) line.add({spelled(span.text), span.role, weight});
  return line;
}

std::vector<StyledLine> Typesetter::wrapped(const Inline& text, std::size_t width, Weight weight) const {
  // Words may run across spans: "q₁" and "." are one word if no space is between.
  // One that is longer than a line is cut where the line is full, so that the
  // rest never comes to stand behind it.
  std::vector<StyledLine> words(1);
  for (const Span& span : text) {
    const std::string whole = spelled(span.text);
    std::size_t end = 0;  // of the word that goes on
    for (std::size_t begin = 0; begin < whole.size();) {
      if (whole[begin] == ' ') {
        words.emplace_back();
        ++begin;
        continue;
      }
      if (begin >= end) end = std::min(whole.find(' ', begin), whole.size());
      const std::string_view word = std::string_view(whole).substr(begin, end - begin);
      Part part = fitting(word, width - std::min(width, words.back().width()));
      if (part.bytes == 0 && words.back().width() > 0) {
        words.emplace_back();
        part = fitting(word, width);
      }
      // A character that is wider than any line stands alone.
      if (part.bytes == 0) part.bytes = character(word, 0).bytes;
      words.back().add({std::string(word.substr(0, part.bytes)), span.role, weight});
      begin += part.bytes;
    }
  }
  std::vector<StyledLine> lines(1);
  for (StyledLine& word : words) {
    if (word.width() == 0) continue;
    if (lines.back().width() > 0 && lines.back().width() + 1 + word.width() > width) lines.emplace_back();
    if (lines.back().width() > 0) lines.back().add(Piece{" "});
    lines.back().add(std::move(word));
  }
  return lines;
}

std::string Typesetter::label(std::string_view text, std::size_t widest) const {
  const std::string whole = spelled(text);
  const std::size_t ellipsis = width("…");
  return display_width(whole) <= widest ? whole : spelled(shortened(whole, widest + 1 - ellipsis));
}

std::string Typesetter::printed(const StyledLine& line) const {
  std::string text;
  std::string now;     // the look that is switched on
  std::string blanks;  // held back until something follows
  for (const Piece& piece : line.pieces()) {
    const bool is_seen = options_.color && piece.shade;
    const std::size_t end = is_seen ? piece.text.size() : piece.text.find_last_not_of(' ') + 1;
    if (end == 0) {
      blanks += piece.text;
      continue;
    }
    const std::string wanted = options_.color ? look(piece) : "";
    if (wanted != now && !now.empty()) text += "\x1b[0m";
    text += blanks;
    if (wanted != now) text += wanted;
    text.append(piece.text, 0, end);
    blanks.assign(piece.text, end);
    now = wanted;
  }
  return text + (now.empty() ? "\n" : "\x1b[0m\n");
}

std::size_t widest(const std::vector<StyledLine>& lines) {
  return lines.empty() ? 0 : std::ranges::max(lines, {}, &StyledLine::width).width();
}

void append(std::vector<StyledLine> more, std::vector<StyledLine>& lines) {
  std::ranges::move(more, std::back_inserter(lines));
}

void add_title(const std::string& title, const Typesetter& typesetter, std::size_t width,
               std::vector<StyledLine>& lines) {
  constexpr std::size_t gap = 3;
  StyledLine words = typesetter.line({title}, Weight::faint);
  if (words.width() == 0) return;
  if (!lines.empty() && lines.back().width() + gap + words.width() <= width) {
    lines.back().add(Piece{std::string(gap, ' ')});
    lines.back().add(std::move(words));
    return;
  }
  append(typesetter.wrapped({title}, width, Weight::faint), lines);
}

}  // namespace attn
