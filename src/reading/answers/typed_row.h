#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mark/answers.h"
#include "reading/names/step_names.h"

namespace attn {

// Where the numbers of one line belong: an index a step's axis, from 0, or none where they
// lie along it.
struct TypedPlace {
  std::string step;
  std::vector<std::optional<std::size_t>> index;
};

// Reads the numbers that somebody typed for a row of a step, or for one number, as a file
// of answers in .txt has them behind an equals sign; what stands before one does not count.
// A dash by itself is read as `dash`, "-inf". The one reason why it cannot be read; its
// range is not that of the line.
// REQUIRES: the step is known with its shape, the place is in it.
Result<std::vector<AnsweredStep::Cell>> read_typed_row(std::string_view line, const TypedPlace& place,
                                                       const KnownSteps& known, std::string_view dash);

}  // namespace attn
