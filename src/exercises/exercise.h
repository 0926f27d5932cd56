#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "exercises/sketch.h"
#include "problem/problem.h"

// Problems drawn at random that are pleasant to work by hand, and in which every mistake
// that is known shows and can be told from every other.

namespace attn {

// Makes exercises of one kind. The same seed makes the same bytes everywhere.
//
// A problem is drawn again until queries, keys, values and scores lie within ±20, every
// open weight between 0.02 and 0.95 (but for one that is alone in its row), no two rows of
// inputs are alike, and the linter finds nothing.
class ExerciseMaker {
 public:
  // Reads the text of a problem file.
  using Reader = std::function<Result<Problem>(std::string_view)>;

  // Faults, beside those of the reader: "too-large"; "sizes-coincide" where no numbers of these sizes
  // show every mistake, or tell it from every other. Where that may be, as for another
  // problem of a kind that is there already, it is let pass; inputs may be alike; and of
  // problems that hide something else, if there are no better, the best is taken.
  static Result<ExerciseMaker> of(Sketch sketch, int difficulty, const Reader& read, bool may_coincide = false);

  // Whether a pleasant problem is found, whatever it hides: a mask or sizes may leave none.
  bool finds_any() const;

  // The text of a problem file, with these members of people's own in it ("x-for").
  // Faults: "cannot-be-pleasant": what most often stood in the way of a problem.
  Result<std::string> make(std::uint64_t seed, const std::vector<std::pair<std::string, std::string>>& own = {}) const;

 private:
  struct Kind;
  explicit ExerciseMaker(std::shared_ptr<const Kind> kind) : kind_(std::move(kind)) {}

  std::shared_ptr<const Kind> kind_;
};

constexpr int least_difficulty = 1, usual_difficulty = 3, most_difficulty = 5;

}  // namespace attn
