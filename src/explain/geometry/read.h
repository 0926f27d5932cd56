#pragma once

#include <cstddef>
#include <optional>

#include "explain/geometry/geometry.h"
#include "explain/place.h"
#include "trace/trace.h"

namespace attn {

// How what softmax reads comes of queries and keys.
enum class Comparison { product, cosine, other };

// What is drawn of one query of one head, and the numbers beside it.
struct ReadGeometry {
  Geometry drawn;
  Comparison comparison = Comparison::other;
  std::vector<double> products, scores, read_by_softmax;  // of each key
  std::vector<double> arrow_lengths;                      // of each key
  double query_length = 0;
  bool is_mean = false;  // the context is nothing but the values by their weights
  std::string score_symbol, context_symbol;
  double arrows_kept = 0, points_kept = 0;  // shares that principal directions keep
};

// `place` is that of a sequence and a head of the scores; without `query` the first that sees several
// keys, and is turned where queries are. Nothing where the trace has not all of it, or the query is padding.
std::optional<ReadGeometry> read_geometry(const Trace& trace, const Anatomy& attention, const Place& place,
                                          std::optional<std::size_t> query);

}  // namespace attn
