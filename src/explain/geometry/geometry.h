#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/geometry/directions.h"
#include "trace/role.h"

namespace attn {

// A vector of the problem that is drawn: as an arrow from zero, or as a point.
struct DrawnVector {
  std::string name;   // "k₂"
  std::string label;  // "dog"; empty where it would only repeat the number
  Role role = Role::key;
  std::vector<double> numbers;
  bool closed = false;  // to the query that is asked about
  bool named = true;    // of many only some are

  bool can_be_drawn() const;  // not where its numbers are infinite, or about the largest there are
  std::string words() const { return label.empty() ? name : name + " " + label; }
};

// Where vectors of any width are drawn: `right`·v to the right, `up`·v up. The two are
// unit vectors at a right angle, so that it is a shadow of them; what has one number has no `up`.
struct DrawnPlane {
  enum class Kind { line, plane, space, principal };
  Kind kind = Kind::plane;
  std::vector<double> right, up;
  std::string right_name, up_name;  // of the axes; in space they have numbers

  DrawnPoint of(std::span<const double> numbers) const;
};

// A pair of numbers of the query, before and after its position turned it.
struct TurnedPair {
  DrawnPoint before, after;
  double position = 0, each = 0, angle = 0;  // radians: position times each
};

// The weights were all that softmax reads so many times as large.
struct Sharpened {
  std::string factor;  // "1/4"
  std::vector<double> weights;
  DrawnPoint context;
  bool is_own = false;  // those of the problem
};

// What a page needs to work weights out anew: softmax of cap(scale · score) + bias, the score being
// the dot product, or the cosine.
struct WeighingRule {
  bool by_cosine = false;
  double scale = 1, cap = 0, base = 0;  // no cap; e
  std::vector<bool> open;               // a query a row, a key a column
  std::vector<double> biases;           // the same, or none
  std::vector<double> sinks;            // of each query, or none
};

// What one query does in one head, as it can be drawn. Its vectors are those that are compared:
// turned, where positions turn them. Of an attention of which some is not known there is less.
struct Geometry {
  std::size_t query = 0;  // which of them is asked about
  std::vector<DrawnVector> queries, keys, values;
  std::optional<DrawnVector> context;
  DrawnPlane arrows, points;
  std::vector<double> angles;   // to each key, in radians; NaN beside a zero vector
  std::vector<double> weights;  // of each key
  std::string read_symbol;      // of what softmax reads

  std::vector<std::size_t> corners;  // of the hull around the open values as they are drawn
  bool zero_counts = false;          // it is one of the points: a sink takes a share

  std::vector<TurnedPair> turned;
  std::vector<Sharpened> sharpened;
  std::vector<DrawnPoint> path;  // of the context, from blunt to sharp

  std::optional<WeighingRule> rule;  // where a page can work it out

  const DrawnVector& asked() const { return queries[query]; }
};

// The length of a vector, and the angle between two: at most a few ulps off; NaN beside a zero vector.
double length_of(const std::vector<double>& vector);
double angle_between(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace attn
