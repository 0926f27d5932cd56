#include "problem/side.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace attn {
namespace {

std::string word_for_row(Vectors vectors) { return vectors == Vectors::rows ? "row" : "column"; }

void report_rank(const std::string& where, std::size_t rank, bool may_have_heads, Vectors vectors, Faults& faults) {
  const std::string one = word_for_row(vectors);
  if (rank == 0) {
    faults.add_of("wrong-rank", where, "is one number; a matrix is wanted",
                  "one " + one + " a token: [[1, 0], [0, 1]]");
  } else if (rank == 1) {
    faults.add_of("wrong-rank", where, "is a list of numbers; a matrix is wanted, a list of lists",
                  "one token alone is written [[1, 0, 1]]");
  } else {
    faults.add_of("wrong-rank", where,
                  "is nested " + std::to_string(rank) + " deep; a matrix is 2 deep, a batch of them 3" +
                      (may_have_heads ? ", with a matrix for each head 4" : ""),
                  "take out the brackets that are too many");
  }
}

// Whether each sequence has columns of one length: a list of features, each
// with a number a token. Sequences may differ.
bool check_columns_of_sequences(const NestedNumbers& numbers, const std::string& where, Faults& faults) {
  const std::size_t features = numbers.size(1, 0);
  for (std::size_t b = 0; b < numbers.lists(1); ++b) {
    const std::size_t first = numbers.size(2, b * features);
    for (std::size_t i = 1; i < features; ++i) {
      if (numbers.size(2, b * features + i) == first) continue;
      const std::string sequence = where + "/" + std::to_string(b) + "/";
      const std::string place = sequence + std::to_string(i);
      faults.add_of("ragged", place,
                    "has " + counted(numbers.size(2, b * features + i), "number") + ", and " + shown(sequence + "0") +
                        " has " + std::to_string(first),
                    "in a matrix of column vectors every row has a number for each token");
      return false;
    }
  }
  return true;
}

// What a shape of two axes or more says of a side: [batch, head, row, feature],
// the last two exchanged for columns.
Side side_of(const std::vector<std::size_t>& shape, const std::string& where, Vectors vectors) {
  const std::size_t rank = shape.size();
  Side side{.where = where, .batched = rank > 2};
  side.width = vectors == Vectors::rows ? shape[rank - 1] : shape[rank - 2];
  side.rows.assign(side.batched ? shape[0] : 1, vectors == Vectors::rows ? shape[rank - 2] : shape[rank - 1]);
  if (rank == 4) side.heads = shape[1];
  side.stored_rows = side.rows;
  return side;
}

Side side_of(Regular tensor, Vectors vectors) {
  Side side = side_of(tensor.shape, tensor.where, vectors);
  side.take_values = [tensor = std::move(tensor)]() mutable { return tensor.take_values(); };
  return side;
}

// Whether inputs have as many axes as they can have.
bool check_input_rank(std::size_t rank, bool is_empty, const std::string& where, Vectors vectors, Faults& faults) {
  if (rank == 2 || rank == 3) return true;
  if (is_empty) {
    faults.add_of("empty", where, "is empty", "attention needs one token at least");
  } else {
    report_rank(where, rank, false, vectors, faults);
  }
  return false;
}

// What numbers of three axes say, each sequence having its own length.
bool measure_sequences(const NestedNumbers& numbers, Vectors vectors, Side& side, Faults& faults) {
  if (vectors == Vectors::rows) {
    // A sequence without rows is no fault of the nesting; whether it may be
    // empty is decided where it is known what it serves.
    if (!check_even(numbers, side.where, 2, faults)) return false;
    for (std::size_t b = 0; b < numbers.lists(1); ++b) side.rows.push_back(numbers.size(1, b));
    side.width = numbers.lists(2) == 0 ? 0 : numbers.size(2, 0);
    return true;
  }
  if (!numbers.is_even(1)) {
    check_even(numbers, side.where, 1, faults);
    return false;
  }
  side.width = numbers.size(1, 0);
  if (!check_columns_of_sequences(numbers, side.where, faults)) return false;
  for (std::size_t b = 0; b < numbers.lists(1); ++b) side.rows.push_back(numbers.size(2, b * side.width));
  return true;
}

// Numbers of sequences of these lengths, each cut or padded to `length`. Numbers
// that belong together are a block: a sequence of rows is one, a sequence of
// columns has one for each feature.
std::vector<double> padded(const std::vector<double>& values, const std::vector<std::size_t>& stored_rows,
                           std::size_t length, std::size_t blocks, std::size_t each) {
  std::vector<double> all(stored_rows.size() * length * blocks * each);
  const double* from = values.data();
  double* to = all.data();
  for (const std::size_t stored : stored_rows) {
    for (std::size_t block = 0; block < blocks; ++block) {
      std::copy_n(from, std::min(stored, length) * each, to);
      from += stored * each;
      to += length * each;
    }
  }
  return all;
}

}  // namespace

std::optional<Side> measured_inputs(RawTensor tensor, Vectors vectors, Budget& budget, Faults& faults) {
  const std::string where = tensor.where;
  std::optional<Measured> found = measured(std::move(tensor), budget, faults);
  if (!found) return std::nullopt;
  if (auto* late = std::get_if<Regular>(&*found)) {
    if (!check_input_rank(late->rank(), false, where, vectors, faults)) return std::nullopt;
    return side_of(std::move(*late), vectors);
  }
  auto* const numbers = std::get_if<NestedNumbers>(&*found);
  const std::size_t rank = numbers->rank();
  if (!check_input_rank(rank, rank == 1 && numbers->values().empty(), where, vectors, faults)) return std::nullopt;
  Side side{.where = where, .batched = rank == 3};
  if (!side.batched) {
    if (!check_even(*numbers, where, 0, faults)) return std::nullopt;
    side = side_of(*numbers->shape(), where, vectors);
  } else if (!measure_sequences(*numbers, vectors, side, faults)) {
    return std::nullopt;
  }
  side.stored_rows = side.rows;
  side.take_values = [values = numbers->take_values()]() mutable { return std::move(values); };
  return side;
}

std::size_t Side::longest(std::size_t limit) const {
  return rows.empty() ? 0 : std::min(*std::ranges::max_element(rows), limit);
}

std::size_t Side::rows_within(std::size_t limit, std::size_t sequence) const { return std::min(rows[sequence], limit); }

bool Side::is_ragged_within(std::size_t limit) const {
  return std::ranges::any_of(
      rows, [&](std::size_t count) { return std::min(count, limit) != std::min(rows.front(), limit); });
}

std::optional<Side> direct_side(RawTensor tensor, Vectors vectors, Budget& budget, Faults& faults) {
  std::optional<Regular> found = regular(std::move(tensor), budget, faults);
  if (!found) return std::nullopt;
  const std::size_t rank = found->rank();
  if (rank < 2 || rank > 4) {
    report_rank(found->where, rank, true, vectors, faults);
    return std::nullopt;
  }
  return side_of(std::move(*found), vectors);
}

Shape shape_of(const Side& side, Vectors vectors, const Axis& row, const Axis& feature, std::size_t limit) {
  Shape shape;
  if (side.batched) shape.append({"batch", side.rows.size()});
  if (side.heads) shape.append({"head", *side.heads});
  const Dim rows{row, side.longest(limit)};
  const Dim features{feature, side.width};
  shape.append(vectors == Vectors::rows ? rows : features);
  shape.append(vectors == Vectors::rows ? features : rows);
  return shape;
}

std::optional<Source> laid_out(Side side, std::size_t limit, Vectors vectors, const Axis& row, const Axis& feature,
                               Budget& budget, Faults& faults) {
  const std::size_t length = side.longest(limit);
  const Shape shape = shape_of(side, vectors, row, feature, limit);
  const bool as_it_is = std::ranges::all_of(side.stored_rows, [&](std::size_t rows) { return rows == length; });
  if (as_it_is) return Source(shape, std::move(side.take_values));

  const std::size_t rows = product({side.rows.size(), length});
  if (!budget.take(rows, product({side.width, sizeof(double)}))) {
    return faults.add_of("too-large", side.where,
                         "becomes " + to_string(shape) +
                             " numbers once its sequences are padded, which do not fit into " +
                             spelled_size(budget.limit()),
                         "sequences of similar length, or a larger --max-memory");
  }
  const bool in_rows = vectors == Vectors::rows;
  return Source(shape, [side = std::move(side), length, in_rows] {
    return padded(side.take_values(), side.stored_rows, length, in_rows ? 1 : side.width, in_rows ? side.width : 1);
  });
}

}  // namespace attn
