#include "reading/json/scanner.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace attn {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_sign(char c) { return c == '-' || c == '+'; }

// The highest bit of each of eight bytes that is this character, and no other.
std::uint64_t bytes_that_are(char c, std::uint64_t bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101, low_bits = 0x7F * ones;
  const std::uint64_t differ = bytes ^ (ones * static_cast<unsigned char>(c));
  return ~(((differ & low_bits) + low_bits) | differ | low_bits);
}

// The first of the characters that mean something in a text: its closing quote, a backslash, or the end of the line.
// Files are mostly texts that are short, so that a search for each of them would take longer.
std::size_t behind_plain_letters(std::string_view text, std::size_t at) {
  for (std::uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const std::uint64_t found = bytes_that_are('"', bytes) | bytes_that_are('\\', bytes) | bytes_that_are('\n', bytes);
    if (found == 0) continue;
    const int bits = std::endian::native == std::endian::little ? std::countr_zero(found) : std::countl_zero(found);
    return at + static_cast<std::size_t>(bits) / 8;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' && text[at] != '\n') ++at;
  return at;
}

}  // namespace

Scanner::Scanner(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

// Returns whether all comments on the way end.
bool Scanner::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_[at_] != '/') {
      return true;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return false;
      at_ = end + 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Scanner::taken(Token::Kind kind, std::size_t end) {
  const Token token{kind, {at_, end}};
  at_ = end;
  return token;
}

Token Scanner::next() {
  using Kind = Token::Kind;
  if (!skip_blanks()) return taken(Kind::unfinished_comment, text_.size());
  if (at_ == text_.size()) return taken(Kind::end, at_);
  switch (text_[at_]) {
    case '{':
      return taken(Kind::open_object, at_ + 1);
    case '}':
      return taken(Kind::close_object, at_ + 1);
    case '[':
      return taken(Kind::open_list, at_ + 1);
    case ']':
      return taken(Kind::close_list, at_ + 1);
    case ':':
      return taken(Kind::colon, at_ + 1);
    case ',':
      return taken(Kind::comma, at_ + 1);
    case '"':
      return quoted();
    default:
      return run();
  }
}

std::size_t Scanner::behind_digits(std::size_t at) const {
  while (at < text_.size() && is_digit(text_[at])) ++at;
  return at;
}

std::string_view Scanner::plain_number() {
  // Without an exponent a number that short is finite.
  constexpr std::size_t longest = 300;
  const auto behind_blanks = [&](std::size_t at) {
    while (at < text_.size() && is_blank(text_[at])) ++at;
    return at;
  };
  const std::size_t begin = behind_blanks(at_);
  const std::size_t whole = begin + (text_.substr(begin, 1) == "-" ? 1 : 0);
  std::size_t end = behind_digits(whole);
  if (end == whole || (text_[whole] == '0' && end > whole + 1)) return {};
  if (text_.substr(end, 1) == ".") {
    const std::size_t fraction = end + 1;
    end = behind_digits(fraction);
    if (end == fraction) return {};
  }
  const std::size_t comma = behind_blanks(end);
  if (text_.substr(comma, 1) != "," || end - begin > longest) return {};
  at_ = comma + 1;
  return text_.substr(begin, end - begin);
}

std::size_t Scanner::skip_rest() {
  for (std::size_t depth = 1; depth > 0 && at_ < text_.size();) {
    switch (text_[at_]) {
      case '[':
      case '{':
        ++depth;
        ++at_;
        break;
      case ']':
      case '}':
        --depth;
        ++at_;
        break;
      case '"':
        quoted();
        break;
      case '/': {
        const std::size_t before = at_;
        if (!skip_blanks()) at_ = text_.size();
        if (at_ == before) ++at_;
        break;
      }
      default:
        ++at_;
    }
  }
  return at_;
}

Token Scanner::quoted() {
  std::size_t end = behind_plain_letters(text_, at_ + 1);
  while (end < text_.size() && text_[end] == '\\') end = behind_plain_letters(text_, end + 2);
  if (end < text_.size() && text_[end] == '"') return taken(Token::Kind::text, end + 1);
  return taken(Token::Kind::unfinished_text, std::min(text_.find('\n', at_), text_.size()));
}

Token Scanner::run() {
  const auto belongs = [](char c) { return is_letter(c) || is_digit(c) || is_sign(c) || c == '.'; };
  std::size_t end = at_;
  while (end < text_.size() && belongs(text_[end])) ++end;
  if (end == at_) return taken(Token::Kind::stray, at_ + code_point(text_, at_).bytes);

  std::size_t first = at_;
  while (first + 1 < end && is_sign(text_[first])) ++first;
  return taken(is_letter(text_[first]) ? Token::Kind::word : Token::Kind::number, end);
}

}  // namespace attn
