#include "reading/json/syntax.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
#include "base/utf8.h"

namespace attn {
namespace {

using Kind = Token::Kind;

// --- words and numbers -----------------------------------------------------

struct Slip {
  std::string_view written, meant, help;
};

constexpr Slip slips[] = {
    {"True", "true", "JSON writes true in small letters"},
    {"TRUE", "true", "JSON writes true in small letters"},
    {"False", "false", "JSON writes false in small letters"},
    {"FALSE", "false", "JSON writes false in small letters"},
    {"None", "null", "leave the key out where there is nothing to say"},
    {"undefined", "null", "leave the key out where there is nothing to say"},
    {"NaN", "\"nan\"", "JSON has no such number; write \"nan\", with the quotes"},
    {"nan", "\"nan\"", "JSON has no such number; write \"nan\", with the quotes"},
    {"Infinity", "\"inf\"", "JSON has no such number; write \"inf\", with the quotes"},
    {"inf", "\"inf\"", "JSON has no such number; write \"inf\", with the quotes"},
    {"-Infinity", "\"-inf\"", "JSON has no such number; write \"-inf\", with the quotes"},
    {"-inf", "\"-inf\"", "JSON has no such number; write \"-inf\", with the quotes"},
};

std::optional<Diagnostic> word_fault(std::string_view text, TextRange range) {
  const std::string_view word = spelled(text, range);
  if (word == "true" || word == "false" || word == "null") return std::nullopt;
  for (const Slip& slip : slips) {
    if (slip.written == word) return syntax_fault(range, in_backticks(word) + " is no JSON", std::string(slip.help));
  }
  const bool called = text.substr(range.end, 1) == "(";
  const bool makes_array = word.ends_with("array") || word.ends_with("tensor") || word.ends_with("Tensor");
  if (called && makes_array) {
    return syntax_fault(
        range, in_backticks(word) + " is Python, not JSON",
        "write the list alone, without " + printable(shortened(word, 20)) + "( ) around it: [[1, 2], [3, 4]]");
  }
  return syntax_fault(range, in_backticks(word) + " stands without quotes",
                      "a text is written in double quotes: \"dot\"");
}

std::string number_help(std::string_view number) {
  if (number.front() == '+') return "a positive number has no sign";
  if (number.starts_with("0x") || number.starts_with("0X")) return "numbers are decimal";
  if (number.find('_') != std::string_view::npos) return "digits stand without _ between them";
  const std::size_t first = number.front() == '-' ? 1 : 0;
  if (number.substr(first).starts_with(".")) return "a digit stands before the point: 0.5";
  const std::size_t point = number.find('.');
  const auto is_digit_at = [&](std::size_t i) { return i < number.size() && number[i] >= '0' && number[i] <= '9'; };
  if (point != std::string_view::npos && !is_digit_at(point + 1)) return "a digit stands after the point: 1.0";
  if (number.size() > first + 1 && number[first] == '0' && is_digit_at(first + 1)) {
    return "a number does not begin with 0 unless a point follows";
  }
  return "a number is written 2, -0.5 or 1e-3";
}

std::optional<Diagnostic> number_fault(std::string_view text, TextRange range) {
  const std::string_view number = spelled(text, range);
  if (spells_number(number)) {
    // Without an exponent a number needs more digits than that to be too large.
    constexpr std::size_t never_too_large = 300;
    double value = 0;
    if (number.size() < never_too_large && number.find_first_of("eE") == std::string_view::npos) return std::nullopt;
    if (parse_number(number, value)) return std::nullopt;
    return syntax_fault(range, in_backticks(number) + " is larger than any double (1.8e308)",
                        "write \"inf\" or \"-inf\", with the quotes, if infinity is meant");
  }
  return syntax_fault(range, in_backticks(number) + " is no number in JSON", number_help(number));
}

// --- texts -----------------------------------------------------------------

bool is_hexadecimal(std::string_view digits) {
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Which half of a pair an escape \uXXXX is: 'h'igh, 'l'ow or none. Six bytes may be no escape.
char half_of_pair(std::string_view escape) {
  assert(escape.size() == 6);
  if (escape.substr(0, 2) != "\\u" || (escape[2] != 'd' && escape[2] != 'D')) return ' ';
  const char c = escape[3];
  if (c == '8' || c == '9' || c == 'a' || c == 'b' || c == 'A' || c == 'B') return 'h';
  return (c >= 'c' && c <= 'f') || (c >= 'C' && c <= 'F') ? 'l' : ' ';
}

std::optional<Diagnostic> text_fault(std::string_view text, TextRange range) {
  for (std::size_t at = range.begin + 1; at + 1 < range.end; ++at) {
    if (static_cast<unsigned char>(text[at]) < 0x20) {
      return syntax_fault({at, at + 1}, "a text holds the control character " + printable(text.substr(at, 1)),
                          "in a text a tab is written \\t, a line break \\n, any other \\u001b");
    }
    if (text[at] != '\\') continue;
    const char escape = text[at + 1];
    if (escape != 'u') {
      if (std::string_view("\"\\/bfnrt").find(escape) == std::string_view::npos) {
        return syntax_fault({at, at + 2}, "a text holds the unknown escape " + in_backticks(text.substr(at, 2)),
                            "a backslash itself is written \\\\");
      }
      ++at;
      continue;
    }
    const std::string_view first = text.substr(at, 6);
    if (at + 6 >= range.end || !is_hexadecimal(first.substr(2))) {
      return syntax_fault({at, at + 2}, "\\u is not followed by four hexadecimal digits", "\\u00e9 is é");
    }
    const char half = half_of_pair(first);
    const bool paired = half == 'h' && at + 12 < range.end && half_of_pair(text.substr(at + 6, 6)) == 'l' &&
                        is_hexadecimal(text.substr(at + 8, 4));
    if (half != ' ' && !paired) {
      return syntax_fault({at, at + 6},
                          in_backticks(first) + " is half of a character, and the other half is not there",
                          "write the character itself, or both halves: \\ud83d\\ude42 is 🙂");
    }
    at += paired ? 11 : 5;
  }
  return std::nullopt;
}

// Whether a line begins here that version control writes where two sides contradict.
bool is_conflict(std::string_view text, std::size_t at) {
  const bool begins_line = at == 0 || text[at - 1] == '\n';
  const std::string_view line = text.substr(at, 7);
  return begins_line && (line == "<<<<<<<" || line == "=======" || line == ">>>>>>>");
}

// Whether digits stand on both sides of a place.
bool is_in_fraction(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of(' ');
  const std::size_t behind = text.find_first_not_of(' ', at + 1);
  return before != std::string_view::npos && behind != std::string_view::npos && is_ascii_digit(text[before]) &&
         is_ascii_digit(text[behind]);
}

std::optional<Diagnostic> stray_fault(std::string_view text, TextRange range) {
  const std::string_view character = spelled(text, range);
  const std::string message = in_backticks(character) + " has no meaning here";
  if (is_conflict(text, range.begin)) {
    return syntax_fault(
        range, "a merge conflict stands here",
        "keep one of the two sides, and take out the lines that begin with <<<<<<<, ======= and >>>>>>>");
  }
  if (character == "<" && text.find_first_not_of(" \t\r\n") == range.begin) {
    return syntax_fault(range, "this is a page of the web, or XML, and no JSON",
                        "save the file itself, not the page that shows it");
  }
  if (character == "'")
    return syntax_fault(range, "a text begins with a single quote", "texts and keys stand in double quotes: \"key\"");
  if (character == "(" || character == ")") return syntax_fault(range, message, "lists stand in [ ]");
  if (character == "#") return syntax_fault(range, message, "a comment begins with //");
  if (character == ";") return syntax_fault(range, message, "elements are separated by commas");
  if (character == "−" || character == "–") return syntax_fault(range, message, "a minus is written -");
  if (character == "“" || character == "”" || character == "„" || character == "‘" || character == "’") {
    return syntax_fault(range, "a text stands in typographic quotes", "write straight double quotes: \"key\"");
  }
  if (character == "/" && is_in_fraction(text, range.begin)) {
    return syntax_fault(range, "a fraction stands without quotes", "write it in double quotes: \"1/2\"");
  }
  if (character == "=") return syntax_fault(range, message, "a key is followed by a colon");
  if (character == "∞") return syntax_fault(range, message, "infinity is written \"inf\", with the quotes");
  if (is_unseen(code_point(character, 0).value)) {
    return syntax_fault(range, message,
                        "nobody sees it, and JSON does not know it: take it out, or write a usual blank");
  }
  return syntax_fault(range, message, "take it out, or put the text that it belongs to in double quotes");
}

// Files that are no text at all.
struct KnownFormat {
  bool (*is)(std::string_view text);
  const char *name, *help;
};

constexpr char tensors_help[] =
    "a problem takes its tensors from it, {\"file\": \"x.npz\", \"tensor\": \"q\"} in place of lists; attn diff "
    "compares it "
    "with one: attn diff PROBLEM FILE";
constexpr char text_help[] = "save it as text, in UTF-8";
constexpr char whole_help[] = "name the .json file that is meant";

// An archive begins with the names of what it holds.
bool is_archive_of(std::string_view text, std::string_view name) {
  return text.starts_with("PK\x03\x04") && text.substr(0, 400).find(name) != std::string_view::npos;
}

constexpr KnownFormat known_formats[] = {
    {[](std::string_view text) { return text.starts_with("\x93NUMPY"); }, "a numpy array (.npy)", tensors_help},
    {[](std::string_view text) { return is_archive_of(text, "data.pkl"); }, "pickled, as torch.save does",
     "pickled files run code when they are read, so they never are; safetensors.torch.save_file writes one that holds "
     "only numbers"},
    {[](std::string_view text) { return is_archive_of(text, ".npy"); }, "numpy arrays (.npz)", tensors_help},
    {[](std::string_view text) {
       constexpr std::string_view names[] = {
           "[Content_Types].xml", "_rels/.rels", "docProps/", "xl/", "word/", "application/vnd.oasis.opendocument"};
       return std::ranges::any_of(names, [&](std::string_view name) { return is_archive_of(text, name); });
     },
     "a file of an office program (.xlsx, .ods, .docx)", text_help},
    {[](std::string_view text) { return text.starts_with("PK\x03\x04"); }, "a zip archive",
     "unpack it, and give the file that is meant"},
    {[](std::string_view text) {
       return text.size() > 8 && text[8] == '{' && text.substr(5, 3) == std::string_view("\0\0\0", 3);
     },
     "tensors of a model (.safetensors)", tensors_help},
    {[](std::string_view text) { return text.starts_with("%PDF"); }, "a PDF", whole_help},
    {[](std::string_view text) {
       return text.starts_with(
           "\x7f"
           "ELF");
     },
     "a program", whole_help},
    {[](std::string_view text) {
       return text.starts_with("\x89PNG") || text.starts_with("\xff\xd8\xff") || text.starts_with("GIF8");
     },
     "a picture", whole_help},
    {[](std::string_view text) { return text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5; },
     "pickled, as Python's pickle does",
     "pickled files run code when they are read, so they never are; numpy.savez "
     "writes one that holds only numbers"},
    {[](std::string_view text) { return text.starts_with("\x1f\x8b"); }, "compressed with gzip",
     "unpack it first: gunzip"},
    {[](std::string_view text) {
       return text.starts_with(std::string_view("\xff\xfe\0\0", 4)) ||
              text.starts_with(std::string_view("\0\0\xfe\xff", 4));
     },
     "UTF-32", text_help},
    {[](std::string_view text) { return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"); }, "UTF-16",
     text_help},
};

}  // namespace

Diagnostic syntax_fault(TextRange range, std::string message, Help help) {
  return {.code = "syntax", .where = "", .message = std::move(message), .help = std::move(help), .range = range};
}

std::string in_backticks(std::string_view spelling) {
  return "`" + shortened(visible(spelling.substr(0, 400)), 24) + "`";
}

std::optional<Diagnostic> token_fault(std::string_view text, const Token& token) {
  switch (token.kind) {
    case Kind::word:
      return word_fault(text, token.range);
    case Kind::number:
      return number_fault(text, token.range);
    case Kind::text:
      return text_fault(text, token.range);
    case Kind::unfinished_text:
      return syntax_fault({token.range.begin, token.range.begin + 1}, "this text has no closing quote on its line",
                          "end it with \"; a quote inside a text is written \\\", a line break \\n");
    case Kind::unfinished_comment:
      return syntax_fault({token.range.begin, token.range.begin + 2}, "this comment is never closed", "end it with */");
    case Kind::stray:
      return stray_fault(text, token.range);
    case Kind::open_object:
    case Kind::close_object:
    case Kind::open_list:
    case Kind::close_list:
    case Kind::colon:
    case Kind::comma:
    case Kind::end:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<OtherFormat> other_format(std::string_view text) {
  const auto* const found = std::ranges::find_if(known_formats, [&](const KnownFormat& one) { return one.is(text); });
  return found == std::end(known_formats) ? std::nullopt : std::optional(OtherFormat{found->name, found->help});
}

std::optional<Diagnostic> encoding_fault(std::string_view text) {
  const std::size_t nul = text.find('\0');
  const std::optional<std::size_t> invalid = first_invalid_utf8(text);
  if (nul == std::string_view::npos && !invalid) return std::nullopt;

  if (const auto other = other_format(text))
    return syntax_fault({0, 1}, std::string("this is no JSON text: it is ") + other->name, other->help);
  if (invalid && *invalid < nul) {
    return syntax_fault({*invalid, *invalid + 1},
                        "the byte " + printable(text.substr(*invalid, 1)) + " here is not UTF-8",
                        "save the file as UTF-8");
  }
  return syntax_fault({nul, nul + 1}, "a NUL byte stands here", "JSON is text and has none");
}

}  // namespace attn
