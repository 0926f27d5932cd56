#include "tokenizers/pattern.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstdio>

#include "base/text.h"
#include "base/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace attn {
namespace {

constexpr std::size_t longest_expression = 10'000;

// PCRE2 takes the Mongolian vowel separator for a blank, so its own \s will not do.
constexpr char blanks[] = "\\t-\\r\\x{85}\\p{Z}";

Diagnostic bad_pattern(const std::string& what) {
  return {.code = "bad-pattern",
          .message = "is a pattern " + what,
          .help = "it may work in the library that it was written for; attn computes what it is sure of"};
}

std::string hexadecimal(char32_t point) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "\\x{%X}", static_cast<unsigned>(point));
  return text.data();
}

// Turns an expression into one of PCRE2 that means the same, or finds what there is none for.
class Translation {
 public:
  explicit Translation(std::string_view expression) : left_(expression) {}

  Result<std::string> whole() {
    while (!left_.empty() && fault_.empty()) piece();
    if (fault_.empty() && open_ > 0) fault_ = "with a parenthesis that is not closed";
    if (!fault_.empty()) return bad_pattern(fault_);
    return std::move(written_);
  }

 private:
  bool takes(std::string_view text) {
    if (!left_.starts_with(text)) return false;
    left_.remove_prefix(text.size());
    return true;
  }

  char32_t take() {
    const CodePoint point = code_point(left_, 0);
    left_.remove_prefix(point.bytes);
    return point.value;
  }

  void refuse(std::string_view what) { fault_ = "with " + std::string(what) + ", which is not computed"; }

  void piece() {
    if (caseless_ > 0) return piece_without_case();
    if (takes("(")) return group();
    if (takes(")")) return close();
    if (takes("|")) return write("|", false);
    if (takes("[")) return character_class();
    if (takes("\\")) return write(escape(false), true);
    if (left_[0] == '?' || left_[0] == '*' || left_[0] == '+') return repetition();
    if (takes("{")) return interval();
    if (left_[0] == '.' || left_[0] == '^' || left_[0] == '$') return refuse(left_.substr(0, 1));
    write(hexadecimal(take()), true);
  }

  void write(const std::string& text, bool can_be_repeated) {
    written_ += text;
    can_be_repeated_ = can_be_repeated;
  }

  void group() {
    ++open_;
    for (const std::string_view kind : {"?:", "?=", "?!", "?>"}) {
      if (takes(kind)) return write("(" + std::string(kind), false);
    }
    if (takes("?i:")) {
      caseless_ = open_;
      last_letter_ = 0;
      return write("(?i:", false);
    }
    if (left_.starts_with("?")) return refuse("(" + std::string(left_.substr(0, 2)));
    write("(", false);
  }

  void close() {
    if (open_ == 0) {
      fault_ = "with a parenthesis too many";
      return;
    }
    --open_;
    write(")", true);
  }

  // Letters that match whatever their case. Two that are one character in some spelling ("ss" is "ß") match
  // that in one library and not in the other.
  void piece_without_case() {
    const char c = left_[0];
    if (c == ')') {
      left_.remove_prefix(1);
      caseless_ = 0;
      return close();
    }
    const char small = is_ascii_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
    const std::string pair = {last_letter_, small};
    if ((!is_ascii_letter(c) && c != '\'' && c != '|') || pair == "ss" || pair == "st" || pair == "ff" ||
        pair == "fi" || pair == "fl") {
      return refuse("more than letters of ASCII in (?i:");
    }
    last_letter_ = small;
    left_.remove_prefix(1);
    write(c == '|' ? "|" : hexadecimal(static_cast<char32_t>(c)), false);
  }

  void repetition() {
    if (!can_be_repeated_) return refuse("a repetition of nothing, or of a repetition");
    written_ += left_[0];
    left_.remove_prefix(1);
    // Lazy, or once and for all.
    if (left_.starts_with("?") || left_.starts_with("+")) {
      written_ += left_[0];
      left_.remove_prefix(1);
    }
    can_be_repeated_ = false;
  }

  void interval() {
    const std::size_t end = left_.find('}');
    const std::string inside(left_.substr(0, end == std::string_view::npos ? 0 : end));
    const std::size_t comma = inside.find(',');
    const auto is_count = [](std::string_view text) {
      return !text.empty() && text.size() <= 3 && std::all_of(text.begin(), text.end(), is_ascii_digit);
    };
    const std::string_view least = std::string_view(inside).substr(0, comma);
    const std::string_view most = comma == std::string::npos ? least : std::string_view(inside).substr(comma + 1);
    if (!can_be_repeated_ || !is_count(least) || (!most.empty() && !is_count(most)))
      return refuse("{ that does not say how often");
    left_.remove_prefix(end + 1);
    // What follows there says one thing here and another there.
    if (!left_.empty() && (left_[0] == '?' || left_[0] == '+' || left_[0] == '*'))
      return refuse("a repetition of a repetition");
    write("{" + inside + "}", false);
  }

  // What stands behind "\", as it is written in a class or outside of one. A single character is left in
  // `single_`, for it may be the end of a range.
  std::string escape(bool in_class) {
    single_.reset();
    if (left_.empty()) {
      refuse("\\ at its end");
      return "";
    }
    const char c = left_[0];
    left_.remove_prefix(1);
    if (c == 'p' || c == 'P') return property(c);
    if (c == 's') return in_class ? blanks : "[" + std::string(blanks) + "]";
    if (c == 'S' && !in_class) return "[^" + std::string(blanks) + "]";
    if (c == 'd') return "\\p{Nd}";
    if (c == 'D') return "\\P{Nd}";
    if (c == 'r' || c == 'n' || c == 't') {
      single_ = c == 'r' ? U'\r' : c == 'n' ? U'\n' : U'\t';
    } else if (c > ' ' && c < 0x7F && !is_ascii_alnum(c)) {
      single_ = static_cast<char32_t>(c);
    } else {
      refuse(std::string("\\") + (c > ' ' && c < 0x7F ? std::string(1, c) : "") + (in_class ? " in [ ]" : ""));
      return "";
    }
    return hexadecimal(*single_);
  }

  std::string property(char kind) {
    static constexpr std::string_view categories[] = {"L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",
                                                      "Nd", "Nl", "No", "P",  "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
                                                      "S",  "Sm", "Sc", "Sk", "So", "Z",  "Zs", "Zl", "Zp"};
    const std::size_t end = left_.find('}');
    const std::string_view name =
        left_.starts_with("{") && end != std::string_view::npos ? left_.substr(1, end - 1) : std::string_view();
    if (std::find(std::begin(categories), std::end(categories), name) == std::end(categories)) {
      refuse(std::string("\\") + kind + " and no general category");
      return "";
    }
    left_.remove_prefix(end + 1);
    return std::string("\\") + kind + "{" + std::string(name) + "}";
  }

  void character_class() {
    std::string written = takes("^") ? "[^" : "[";
    bool is_empty = true;
    while (fault_.empty()) {
      if (left_.empty()) return refuse("[ that is not closed");
      if (takes("]")) break;
      is_empty = false;
      if (left_[0] == '[' || left_.starts_with("&&")) return refuse(std::string(left_.substr(0, 1)) + " in [ ]");
      written += element();
      if (!left_.starts_with("-") || left_.starts_with("-]")) continue;
      const auto begin = single_;
      left_.remove_prefix(1);
      if (left_.empty() || left_[0] == '[') return refuse("a range without an end");
      const std::string end = element();
      if (!begin || !single_ || *begin > *single_) return refuse("a range of what are no characters in order");
      written += "-" + end;
    }
    if (is_empty) return refuse("an empty [ ]");
    write(written + "]", true);
  }

  std::string element() {
    if (takes("\\")) return escape(true);
    single_ = take();
    return hexadecimal(*single_);
  }

  std::string_view left_;
  std::string written_;
  std::string fault_;
  std::size_t open_ = 0;
  std::size_t caseless_ = 0;  // which of the open groups does not mind case; groups within are refused
  char last_letter_ = 0;
  bool can_be_repeated_ = false;
  std::optional<char32_t> single_;
};

struct FreeMatch {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(pcre2_code* compiled) : code(compiled) {}
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { pcre2_code_free(code); }

  pcre2_code* code;
};

Result<Pattern> Pattern::read(std::string_view expression) {
  if (expression.size() > longest_expression) return bad_pattern("of more than 10,000 bytes, which is not computed");
  if (first_invalid_utf8(expression)) return bad_pattern("that is no UTF-8");
  auto translated = Translation(expression).whole();
  if (!translated) return translated.faults();
  const std::string& text = translated.value();

  int error = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), PCRE2_UTF | PCRE2_UCP,
                                   &error, &place, nullptr);
  if (code == nullptr) {
    std::array<char, 256> reason{};
    pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(reason.data()), reason.size());
    return bad_pattern("that PCRE2 does not read: " + printable(reason.data()));
  }
  auto compiled = std::make_shared<const Compiled>(code);
  std::uint32_t may_be_empty = 0;
  pcre2_pattern_info(code, PCRE2_INFO_MATCHEMPTY, &may_be_empty);
  if (may_be_empty != 0) return bad_pattern("that matches nothing at all, too, which is not computed");
  return Pattern(std::move(compiled));
}

Result<std::vector<Stretch>> Pattern::matches(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, FreeMatch> data(
      pcre2_match_data_create_from_pattern(compiled_->code, nullptr));
  const std::unique_ptr<pcre2_match_context, FreeMatch> context(pcre2_match_context_create(nullptr));
  if (!data || !context) throw std::bad_alloc();
  constexpr std::uint32_t kibibytes = 1 << 18;  // of what it remembers to come back to
  pcre2_set_heap_limit(context.get(), kibibytes);

  // A try takes few steps at most places; what needs more is tried again with 16 times as many, and all that
  // together is kept in proportion to the text.
  constexpr std::uint32_t few = 1 << 8, most = 1 << 28;
  std::size_t extra_steps = 1'000'000 + 64 * text.size();
  std::vector<Stretch> found;
  for (std::size_t at = 0; at < text.size();) {
    int outcome = PCRE2_ERROR_MATCHLIMIT;
    for (std::uint32_t steps = few; outcome == PCRE2_ERROR_MATCHLIMIT; steps *= 16) {
      if (steps > most || (steps > few && steps > extra_steps)) break;
      if (steps > few) extra_steps -= steps;
      pcre2_set_match_limit(context.get(), steps);
      outcome = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                            PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, data.get(), context.get());
    }
    if (outcome == PCRE2_ERROR_NOMATCH) {
      at += code_point(text, at).bytes;
      continue;
    }
    if (outcome < 0) {
      return Diagnostic{.code = "pattern-too-slow",
                        .message = "the tokenizer's pattern takes too many steps to find its words in the text",
                        .help = "give a shorter text, or one with blanks in it"};
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
    assert(ends[0] == at && ends[1] > at);
    found.emplace_back(at, ends[1]);
    at = ends[1];
  }
  return found;
}

}  // namespace attn
