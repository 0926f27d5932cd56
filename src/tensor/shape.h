#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// The name of an axis: "batch", "head", "query", "key", "token", "d_model",
// "d_k", "d_v", "d_concat", "d_out", or one that a score brings along.
using Axis = std::string;

// Whether an axis counts positions rather than features, and whether it sets whole
// matrices apart.
inline bool is_position(const Axis& axis) { return axis == "query" || axis == "key" || axis == "token"; }
inline bool is_outer(const Axis& axis) { return axis == "batch" || axis == "head"; }

// Whether a tensor has one vector a row, y = x·W, or one a column, y = W·x.
enum class Vectors { rows, columns };

struct Dim {
  Axis axis;
  std::size_t size = 0;

  bool operator==(const Dim&) const = default;
};

// The sizes of a tensor, each with the name of its axis. The last axis varies
// fastest. No axis name occurs twice.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Dim> dims) : dims_(dims) {}
  explicit Shape(std::vector<Dim> dims) : dims_(std::move(dims)) {}

  std::size_t rank() const { return dims_.size(); }
  const std::vector<Dim>& dims() const { return dims_; }
  const Dim& operator[](std::size_t i) const { return dims_[i]; }
  const Dim& back() const { return dims_.back(); }

  // How many numbers a tensor of this shape holds: 1 where there is no axis.
  // Saturates at the largest std::size_t.
  std::size_t count() const;

  std::vector<std::size_t> sizes() const;
  std::vector<Axis> axes() const;

  bool has(std::string_view axis) const { return position(axis).has_value(); }
  std::optional<std::size_t> position(std::string_view axis) const;

  // REQUIRES: has(axis).
  std::size_t size(std::string_view axis) const;

  // How far apart neighbours along `axis` stand; 0 where there is no such
  // axis, so that an operand without it is broadcast.
  std::size_t stride(std::string_view axis) const;

  // The index, one number an axis from 0, of the cell that is `at`-th in
  // row-major order. REQUIRES: at < count().
  std::vector<std::size_t> index(std::size_t at) const;

  // How far from the first cell the one stands that has this index in `whole`: axes
  // of `whole` that are not here do not count, so that an operand is broadcast.
  std::size_t offset(const std::vector<std::size_t>& index, const Shape& whole) const;

  // The same sizes with the axis `from` called `to`. REQUIRES: !has(to) or
  // from == to. Unchanged where there is no `from`.
  Shape renamed(std::string_view from, std::string_view to) const;

  void append(Dim dim) { dims_.push_back(std::move(dim)); }

  bool operator==(const Shape&) const = default;

 private:
  std::vector<Dim> dims_;
};

// An index as people write it, counting from 1: "[1,2]".
std::string spelled_index(const std::vector<std::size_t>& index);

// "3 × 4", "one number" where there is no axis.
std::string spelled_sizes(const std::vector<std::size_t>& sizes);

// "3 × 4", "" where there is no axis.
std::string to_string(const Shape& shape);

}  // namespace attn
