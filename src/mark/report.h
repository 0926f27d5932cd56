#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "mistakes/mistake.h"

namespace attn {

// "scaled scores": a step's id as words.
inline std::string in_words(std::string step) {
  std::ranges::replace(step, '_', ' ');
  return step;
}

enum class CellState { right, wrong, blank, consistent, too_coarse };
enum class Verdict { right, wrong, incomplete };

// "too_coarse", as programs read it.
constexpr std::string_view name(CellState state) {
  constexpr std::string_view names[] = {"right", "wrong", "blank", "consistent", "too_coarse"};
  return names[static_cast<std::size_t>(state)];
}
constexpr std::string_view name(Verdict verdict) {
  constexpr std::string_view names[] = {"right", "wrong", "incomplete"};
  return names[static_cast<std::size_t>(verdict)];
}

// What became of one number that was handed in (or left blank).
struct MarkedCell {
  std::vector<std::size_t> index = {};  // counts from 0
  CellState state = CellState::right;
  std::string given = {};  // as written; empty for a blank
  double expected = 0;     // what the right calculation gives; never shown unless values are revealed
  Interval accepted = {};  // from the person's own numbers: what would have been accepted here
};

struct MarkedStep {
  std::string id = {};
  std::vector<MarkedCell> cells = {};         // every cell that was marked, row-major
  std::vector<std::size_t> given_shape = {};  // set where the shape is not the step's: then every cell is wrong
  std::size_t asked = 0;                      // how many there are to be written, but for those of padding
  double width = 0;                           // of the widest range of right values that honest rounding leaves a cell

  std::size_t count(CellState state) const {
    return static_cast<std::size_t>(std::ranges::count(cells, state, &MarkedCell::state));
  }
};

// One thing that happened, and where.
struct Diagnosis {
  std::string mistake = {};  // id in the catalogue; "unexplained" where no known mistake gives these numbers
  MistakeKind kind = MistakeKind::error;
  std::string step = {};                             // where it was made, handed in or not
  std::vector<std::vector<std::size_t>> cells = {};  // where it shows, from 0; empty: all over the step
  std::string variant = {};
  std::vector<std::string> ties = {};  // other ids that explain every cell as well, the most common first
  std::string evidence = {};  // in numbers of the person's own: "every score is 2 times what Q·Kᵀ/√d_k gives"
  std::string message = {};   // one sentence: what probably happened
  std::string hint = {};      // one sentence: what to do
};

// A marked hand-in.
struct Report {
  Verdict verdict = Verdict::right;
  std::string first_wrong;        // id of the first handed-in step with a wrong cell; empty where there is none
  std::string rounding;           // what explains the file: "half-up", "truncate", "keep-sum"; empty where all would
  std::vector<MarkedStep> steps;  // in the order of the computation
  std::vector<Diagnosis> diagnoses;
  std::vector<std::string> notes;  // what a person should know: "right if cut off rather than rounded", …
};

}  // namespace attn
