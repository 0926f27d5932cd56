#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/document.h"
#include "formats/format.h"

namespace attn {

enum class Weight { normal, bold, faint };

// Two of the 256 colours of a terminal.
struct Shade {
  int text = 0, background = 0;
};

// Text that is ready to be printed, and how it looks.
struct Piece {
  std::string text;
  std::optional<Role> role = std::nullopt;
  Weight weight = Weight::normal;
  Mark mark = Mark::none;
  std::optional<Shade> shade = std::nullopt;  // instead of the role's colour; spaces of it are seen
};

// What is less important than the text around it.
inline Piece faint(std::string text) { return {std::move(text), std::nullopt, Weight::faint}; }

// The text so many times over.
std::string repeated(std::string_view text, std::size_t times);

// With blanks behind it, or before it, so that it has so many columns.
std::string padded_behind(const std::string& text, std::size_t width);
std::string padded_before(const std::string& text, std::size_t width);

// One line of a terminal, its pieces side by side.
class StyledLine {
 public:
  StyledLine() = default;
  explicit StyledLine(std::size_t indent) { pad_to(indent); }

  void add(Piece piece);
  void add(StyledLine line);
  void pad_to(std::size_t width);

  std::size_t width() const { return width_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
  std::size_t width_ = 0;
};

// Turns text of a document into pieces of lines: nothing of it can move the
// cursor, and with `ascii` nothing of it is beyond ASCII.
class Typesetter {
 public:
  explicit Typesetter(const FormatOptions& options) : options_(options) {}

  const FormatOptions& options() const { return options_; }
  std::string spelled(std::string_view text) const;
  StyledLine line(const Inline& text, Weight weight = Weight::normal) const;
  std::size_t width(std::string_view text) const;

  // Other people's words for a row, a column or a line, cut where they are wider than so many columns.
  std::string label(std::string_view text, std::size_t widest = 20) const;

  // The text in lines of at most `width` columns, broken at spaces, and within a
  // word only where it is longer than a line.
  std::vector<StyledLine> wrapped(const Inline& text, std::size_t width, Weight weight = Weight::normal) const;

  // As printed, without spaces at the end, with a line feed.
  std::string printed(const StyledLine& line) const;

 private:
  FormatOptions options_;
};

std::size_t widest(const std::vector<StyledLine>& lines);

// More lines below the others.
void append(std::vector<StyledLine> more, std::vector<StyledLine>& lines);

// A title behind the last of the lines, or below where there is no room.
void add_title(const std::string& title, const Typesetter& typesetter, std::size_t width,
               std::vector<StyledLine>& lines);

}  // namespace attn
