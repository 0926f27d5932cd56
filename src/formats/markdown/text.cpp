#include "formats/markdown/text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace attn {
namespace {

// A character in an element of its own. GitHub looks for mentions, issues,
// emoji and formulas in the text of the finished page, where an escape is gone;
// so do scripts that set formulas. They do not look past the end of an element.
std::string apart(std::string_view character) { return "<span>" + std::string(character) + "</span>"; }

// Writes one text, a character at a time.
class MarkdownEscaper {
 public:
  MarkdownEscaper(std::string text, bool opens) : text_(std::move(text)) {
    if (opens) find_opening();
  }

  std::string escaped() {
    std::string all;
    for (at_ = 0; at_ < text_.size(); ++at_) {
      const std::string one = written();
      all += at_ == opening_ && one.size() == 1 ? "\\" + one : one;
    }
    return all;
  }

 private:
  char before(std::size_t by = 1) const { return at_ >= by ? text_[at_ - by] : '\0'; }
  char after(std::size_t by = 1) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }
  std::string_view rest() const { return std::string_view(text_).substr(at_ + 1); }

  static bool ends_word(std::string_view text, std::size_t at) { return at >= text.size() || text[at] == ' '; }

  // Where the text starts like a list, a definition, a caption or a title block.
  void find_opening() {
    blanks_ = std::min(text_.find_first_not_of(' '), text_.size());
    if (blanks_ > 0 || text_.empty()) return;
    const char first = text_[0];
    if (first == ':' || first == '%' || first == '=') opening_ = 0;
    if ((first == '-' || first == '+') && ends_word(text_, 1)) opening_ = 0;
    for (const std::string_view caption : {"Table:", "table:"}) {
      if (text_.starts_with(caption)) opening_ = caption.size() - 1;
    }
    const std::size_t begin = first == '(' ? 1 : 0;
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != '.' && text_[end] != ')') ++end;
    const bool closes = end < text_.size();
    if (closes && ends_word(text_, end + 1) && counts(std::string_view(text_).substr(begin, end - begin))) {
      opening_ = end;
    }
  }

  // "7", "b", "iv", "#": what lists are numbered with.
  static bool counts(std::string_view word) {
    if (word.empty()) return false;
    if (word.size() == code_point(word, 0).bytes || word[0] == '@') return true;
    return std::ranges::all_of(word, is_ascii_digit) || std::ranges::all_of(word, [](char c) {
             return std::string_view("ivxlcdmIVXLCDM").find(c) != std::string::npos;
           });
  }

  std::string written() const {
    const char c = text_[at_];
    switch (c) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '|':
        return "&#124;";
      case '$':
        return apart("\\$");
      case '\\':
        return opens_formula() ? apart("\\\\") : "\\\\";
      case '@':
        return apart("@");
      case '#':
        return is_ascii_digit(after()) ? apart("#") : "\\#";
      case ' ':
        return at_ < blanks_ ? "&#32;" : " ";
      case ':':
        if (names_emoji()) return apart(":");
        return rest().starts_with("//") ? "\\:" : ":";
      default:
        return is_markup(c) ? "\\" + std::string(1, c) : std::string(1, c);
    }
  }

  bool is_markup(char c) const {
    const bool within_word = is_ascii_alnum(before()) && is_ascii_alnum(after());
    if (std::string_view("*`[]{}^~\"").find(c) != std::string_view::npos) return true;
    switch (c) {
      case '_':
      case '\'':
        return !within_word;
      case '-':
        return before() == c;
      case '=':
      case '%':
        return before() == c || after() == c;
      case '.':
        return before() == c || ends_www() || (within_word && is_ascii_letter(after()) && is_ascii_letter(after(2)));
      default:
        return false;
    }
  }

  bool ends_www() const {
    if (at_ < 3) return false;
    return std::ranges::all_of(text_.substr(at_ - 3, 3), [](char c) { return c == 'w' || c == 'W'; });
  }

  // "\(", "\[", "\begin{"
  bool opens_formula() const {
    if (std::string_view("()[]").find(after()) != std::string::npos) return true;
    const auto name = std::ranges::find_if_not(rest(), is_ascii_letter);
    return name != rest().begin() && name != rest().end() && *name == '{';
  }

  // ":smile:"
  bool names_emoji() const {
    const std::string_view ahead = rest();
    const std::size_t end = static_cast<std::size_t>(
        std::ranges::find_if_not(ahead, [](char c) { return is_ascii_alnum(c) || c == '_' || c == '+' || c == '-'; }) -
        ahead.begin());
    return end > 0 && end < ahead.size() && ahead[end] == ':';
  }

  std::string text_;
  std::size_t at_ = 0;
  std::size_t blanks_ = 0;
  std::size_t opening_ = std::string::npos;
};

// Spaces of Unicode, beside which stars do not open or close.
bool is_space(char32_t point) {
  constexpr auto spaces = std::to_array<char32_t>({0x20, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000});
  return (point >= 0x2000 && point <= 0x200A) || std::ranges::find(spaces, point) != spaces.end();
}

// How many "`" there are in a row: a fence around the text has one more.
std::size_t longest_ticks(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string escaped_markdown(std::string_view text, bool opens) {
  return MarkdownEscaper(printable(text), opens).escaped();
}

std::string emphasised(const std::string& markdown, std::string_view stars) {
  if (markdown.empty() || is_space(code_point(markdown, 0).value)) return markdown;
  std::size_t last = markdown.size() - 1;
  while (last > 0 && continues_utf8(markdown[last])) --last;
  if (is_space(code_point(markdown, last).value)) return markdown;
  return std::string(stars) + markdown + std::string(stars);
}

std::string code_span(std::string_view text) {
  const std::string shown = printable(text);
  if (shown.empty()) return "";
  const std::string fence(longest_ticks(shown) + 1, '`');
  // One space at each end is taken off again.
  const bool padded = shown.front() == '`' || shown.back() == '`' || shown.front() == ' ';
  return fence + (padded ? " " : "") + shown + (padded ? " " : "") + fence;
}

std::string code_block(const std::string& lines) {
  const std::string fence(std::max<std::size_t>(longest_ticks(lines), 2) + 1, '`');
  return fence + "text\n" + lines + fence + "\n";
}

}  // namespace attn
