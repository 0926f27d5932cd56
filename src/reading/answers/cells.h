#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mark/answers.h"
#include "problem/faults.h"
#include "reading/json/json.h"

namespace attn {

// Reads what stands for steps in the text of an answers file, one after another.
class CellsReader {
 public:
  CellsReader(std::string_view text, Faults& faults) : text_(text), faults_(faults) {}

  // A whole step as lists, or single cells as an object. `where` is the pointer to it.
  void read(AnsweredStep& step, const JsonValue& value, const std::string& where);

 private:
  void read_placed(AnsweredStep& step, const JsonValue& object, const std::string& where);
  void read_whole(AnsweredStep& step, const JsonValue& value, const std::string& where);
  bool fill(AnsweredStep& step, const JsonValue& value, const std::string& where, ListPlace& place);
  bool add_blanks(AnsweredStep& step, const JsonValue& value, const std::string& where, const ListPlace& place);
  AnsweredStep::Cell cell_of(const JsonValue& value, const std::string& where, const ListPlace& place);

  std::string_view text_;
  Faults& faults_;
  std::vector<std::size_t> cells_below_;  // of the step: how many cells an element of each level has
  int longest_ = 0;                       // decimals of the step's numbers without quotes
  std::size_t blanks_ = 0;                // that lists were left out for, in all steps
};

// What keeps a text from being read at all: bytes that are not UTF-8, or NUL.
std::optional<Diagnostic> fault_of_bytes(std::string_view text);

// What a value of answers is, as a sentence names it.
std::string answer_in_words(const JsonValue& value);

// Whether that is written where a computation went wrong, and what to do about it.
bool is_nan(std::string_view written);
constexpr const char* how_to_answer_nan = "write null for a blank: a number that is NaN cannot be marked";

// What is wrong with a written number, from what spelled_number says of it, as a
// fault of the file. `quotes` is how many bytes stand on either side of the
// number within its place in the text.
Diagnostic number_fault(Diagnostic fault, std::string_view written, std::string where, TextRange place,
                        std::size_t quotes);

}  // namespace attn
