#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "problem/faults.h"
#include "reading/answers/decimal_commas.h"

// The pieces of answers that people type: lines, and what stands behind an equals sign.

namespace attn {

constexpr const char* how_to_type = "write S = [2 4; 4 16], or S[1,2] = 4; what is not to be read stands behind #";
constexpr const char* how_to_type_a_blank = "write _ for a blank";

// Lists are nested no deeper than that.
constexpr std::size_t most_typed_levels = 8;

// A number as typed, or a list of such.
struct TypedValue {
  TextRange range;  // of nothing, between two commas
  bool is_list = false;
  std::vector<TypedValue> items = {};
};

// The round brackets of a text, asked for in the order in which they stand: what has been gone through for one is not
// gone through again for the next, whatever a text is made of.
class RoundBrackets {
 public:
  // REQUIRES: the text outlives it.
  explicit RoundBrackets(std::string_view text) : text_(text) {}

  // Where the bracket is closed that opens there: before the next line that may be an equation, or nowhere (npos).
  std::size_t closing(std::size_t open);

  // Whether a comma, a semicolon or a blank stands between the two.
  bool is_parted(std::size_t open, std::size_t close);

  // Whether a comma or a space stands behind it in its line.
  bool is_parted_in_line(std::size_t open);

 private:
  // Where one of some characters stands next.
  class NextOf {
   public:
    explicit NextOf(std::string_view wanted) : wanted_(wanted) {}

    // The text's end where there is none. REQUIRES: no place before the one that was asked for last.
    std::size_t from(std::string_view text, std::size_t at);

   private:
    std::string_view wanted_;
    std::optional<std::size_t> found_ = {};
  };

  void look_through(std::size_t from);

  std::string_view text_;
  std::map<std::size_t, std::size_t> closing_ = {};
  std::size_t looked_through_ = 0;  // up to there
  NextOf part_{",; \t\r"}, part_in_line_{", \n"};
};

// Reads a value, from behind the equals sign to where the next statement may begin,
// whatever stands in it. Nothing where it cannot be taken apart; that is a fault.
// `at` then stands where reading got to.
// `brackets` are those of the text.
std::optional<TypedValue> read_typed_value(std::string_view text, std::size_t& at, RoundBrackets& brackets,
                                           Faults& faults);

// The numbers of each row, by the commas between them.
std::vector<CommaRuns> comma_runs(std::string_view text, const TypedValue& value);

// "s₁₂", "s_12" or "s12" as "s" and 12; without a number where there is none.
std::pair<std::string_view, std::optional<std::size_t>> without_subscript(std::string_view name);

std::string_view piece_of(std::string_view text, TextRange range);
TextRange without_spaces(std::string_view text, TextRange range);

// From there to its end, without the line break.
std::string_view line_from(std::string_view text, std::size_t at);

// How many bytes an equals sign takes at the beginning of a text, = or ≈; 0 where none stands.
std::size_t equals_size(std::string_view text);

// What stands between a step and what it comes to, in the line of a statement: the first
// equals sign, or the colon that people write in its place.
std::optional<TextRange> sign_in(std::string_view line);

// Whether a statement may begin with this line.
bool may_be_statement(std::string_view line);

// "Ada", where the line is "name: Ada".
std::optional<std::string> name_in(std::string_view line);

}  // namespace attn
