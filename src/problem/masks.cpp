#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "problem/options.h"

namespace attn {
namespace {

// "3 × 5 ([query][key])"
std::string described(const Shape& scores) {
  std::string axes;
  for (const Dim& dim : scores.dims()) axes += "[" + dim.axis + "]";
  return to_string(scores) + " (" + axes + ")";
}

bool fits(const std::vector<std::size_t>& mask, const Shape& scores) {
  if (mask.size() > scores.rank()) return false;
  const std::size_t skipped = scores.rank() - mask.size();
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 1 && mask[i] != scores[skipped + i].size) return false;
  }
  return true;
}

// "[2][1][1][5]"
std::string spelled(const Shape& scores, std::initializer_list<Axis> kept) {
  std::string text;
  for (const Dim& dim : scores.dims()) {
    const bool keeps = std::ranges::count(kept, dim.axis) > 0;
    text += "[" + std::to_string(keeps ? dim.size : 1) + "]";
  }
  return text;
}

// What somebody may have meant whose mask does not broadcast.
std::string help_for(const std::vector<std::size_t>& mask, const Shape& scores) {
  const std::size_t queries = scores.size("query");
  const std::size_t keys = scores.size("key");
  if (scores.has("batch")) {
    const std::size_t batch = scores.size("batch");
    if (mask.size() == 2 && mask[0] == batch && mask[1] == keys) {
      return "for padding at the end say how many keys of each sequence count: \"lengths\"; a mask a sequence is "
             "written " +
             spelled(scores, {"batch", "key"});
    }
    if (scores.has("head") && mask.size() == 3 && mask[0] == batch && mask[1] == queries && mask[2] == keys) {
      return "a mask a sequence, the same for all heads, is written " + spelled(scores, {"batch", "query", "key"});
    }
  }
  if (mask.size() == 2 && mask[0] == keys && mask[1] == queries)
    return "rows are queries and columns keys; transposed it would fit";
  return "sizes are aligned right; each is 1 or that of the scores";
}

void check_shape(const Regular& mask, const Shape& scores, Faults& faults) {
  if (fits(mask.shape, scores)) return;
  faults.add([&] {
    return Diagnostic{
        .code = "shape-mismatch",
        .where = mask.where,
        .message = shown(mask.where) + " is " + spelled_sizes(mask.shape) + ", and the scores are " + described(scores),
        .help = help_for(mask.shape, scores)};
  });
}

bool can_be_added(double value) { return std::isfinite(value) || value == -std::numeric_limits<double>::infinity(); }
bool is_zero_or_one(double value) { return value == 0 || value == 1; }

// Reports the first value that a mask of this kind cannot hold; the others are
// likely to be of the same kind. What is drawn can be added; that it is 0 or 1
// throughout does not happen, so that the first numbers tell.
void check_values(const Regular& mask, MaskTerm::Kind kind, Faults& faults) {
  const bool add = kind == MaskTerm::Kind::add;
  if (mask.random && add) return;
  constexpr std::size_t few = 1000;
  const std::vector<double> first = mask.random
                                        ? random_values(mask.random->kind, mask.random->shape, mask.random->seed, few)
                                        : std::vector<double>();
  const std::vector<double>& values = mask.random ? first : mask.late ? *mask.late : mask.values;
  const auto found = std::ranges::find_if_not(values, add ? can_be_added : is_zero_or_one);
  if (found == values.end()) return;
  const std::string where = mask.where_of(static_cast<std::size_t>(found - values.begin()));
  faults.add_of("out-of-range", where,
                "is " + shortest(*found) +
                    (add ? "; a finite number or \"-inf\" can be added" : "; true, false, 1 or 0 is wanted"),
                add ? R"("-inf" closes a cell, and 0 leaves it as it is)"
                    : R"(numbers to add to the scores are written {"add": …})");
}

// The mask with an axis for each of its sizes that is not 1.
MaskTerm term(Regular mask, MaskTerm::Kind kind, const Shape& scores) {
  Shape shape;
  const std::size_t skipped = scores.rank() - mask.rank();
  for (std::size_t i = 0; i < mask.rank(); ++i) {
    if (mask.shape[i] != 1) shape.append({scores[skipped + i].axis, mask.shape[i]});
  }
  return {kind, std::move(mask).source(shape)};
}

}  // namespace

std::vector<MaskTerm> mask_terms(std::vector<RawMask> masks, const std::optional<Shape>& scores, Budget& budget,
                                 Faults& faults) {
  std::vector<MaskTerm> terms;
  for (RawMask& raw : masks) {
    std::optional<Regular> mask = regular(std::move(raw.value), budget, faults);
    if (!mask) continue;
    if (mask->late) {
      Regular read = *mask;
      read.put_off = nullptr;  // which would own itself
      budget.put_off().add([late = std::move(read), kind = raw.kind](Faults& all) { check_values(late, kind, all); });
    } else {
      check_values(*mask, raw.kind, faults);
    }
    if (!scores) continue;
    check_shape(*mask, *scores, faults);
    if (fits(mask->shape, *scores)) terms.push_back(term(std::move(*mask), raw.kind, *scores));
  }
  return terms;
}

}  // namespace attn
