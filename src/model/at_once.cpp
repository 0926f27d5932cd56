#include "model/at_once.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include "base/math.h"
#include "model/finite_scores.h"
#include "model/notes.h"
#include "ops/walk.h"

namespace attn {
namespace {

// The numbers of a carried tensor, by id.
using NumbersOf = std::function<const Tensor<double>&(const std::string& id)>;

// The same numbers in the order of other axes.
template <class To, class From>
std::vector<To> reordered(std::span<const From> numbers, const Shape& from, const Shape& to) {
  std::vector<To> all(numbers.size());
  const auto copied = [](From number) { return static_cast<To>(number); };
  if (from == to) {
    std::ranges::transform(numbers, all.begin(), copied);
    return all;
  }
  const std::array<Cells<From>, 1> read = {{{&from, numbers.data()}}};
  Walk(to, std::span<const Cells<From>>(read), nullptr).each([&](std::size_t at, const Offsets& offsets) {
    all[at] = copied(numbers[offsets[0]]);
  });
  return all;
}

// The axes of vectors, one a row, whichever way the tensor has them.
Shape with_rows(const Shape& shape, const Axis& row, const Axis& feature) {
  Shape rows;
  for (const Axis& axis : {Axis("batch"), Axis("head"), row, feature}) {
    if (shape.has(axis)) rows.append({axis, shape.size(axis)});
  }
  return rows;
}

// Vectors [batch, head, row, feature] in T, without gaps.
template <class T>
struct Rows4 {
  Rows4(const Tensor<double>& tensor, const Axis& row, const Axis& feature) {
    const Shape rows = with_rows(tensor.shape(), row, feature);
    numbers = reordered<T>(tensor.data(), tensor.shape(), rows);
    at = {rows.stride("batch"), rows.stride("head"), rows.stride(row)};
  }

  std::vector<T> numbers;
  Strides at;
};

// Something with a number a cell, or for some of its axes only.
template <class T>
struct Cells4 {
  explicit Cells4(const Tensor<double>& tensor) : numbers(reordered<T>(tensor.data(), tensor.shape(), tensor.shape())) {
    const auto stride = [&](const char* axis) { return static_cast<std::ptrdiff_t>(tensor.shape().stride(axis)); };
    at = {stride("batch"), stride("head"), stride("query"), stride("key")};
  }

  std::vector<T> numbers;
  CellStrides at;
};

// Whether −∞ is added to a cell that no mask closes: the steps take that as a
// number like any other, whose weight is 0 and meets what the values hold.
bool has_unannounced_closing(const NumbersOf& numbers, const ReadAtOnce& read) {
  const Tensor<double>& bias = numbers(*read.bias);
  const auto is_infinite = [](double added) { return std::isinf(added) && added < 0; };
  if (std::ranges::none_of(bias.data(), is_infinite)) return false;
  if (!read.open || read.bias_of_distance) return true;
  const Tensor<double>& open = numbers(*read.open);
  Shape cells = bias.shape();
  for (const Dim& dim : open.shape().dims()) {
    if (!cells.has(dim.axis)) cells.append(dim);
  }
  for (std::size_t at = 0; at < cells.count(); ++at) {
    const std::vector<std::size_t> index = cells.index(at);
    if (is_infinite(bias[bias.shape().offset(index, cells)]) && open[open.shape().offset(index, cells)] != 0) {
      return true;
    }
  }
  return false;
}

// The largest number that is added to a score; −∞ closes a cell, and what else is
// not finite is seen in the context.
template <class T>
double largest_added(const std::vector<T>& bias) {
  double largest = 0;
  for (const T added : bias) {
    if (std::isfinite(added)) largest = std::max(largest, std::abs(static_cast<double>(added)));
  }
  return largest;
}

// The call of a backend's fused attention, and the numbers that it points to.
template <class T>
class CallAtOnce {
 public:
  CallAtOnce(const NumbersOf& numbers, const Attention& attention, const ReadAtOnce& read)
      : q_(numbers(read.queries), "query", "d_k"),
        k_(numbers(read.keys), "key", "d_k"),
        v_(numbers(read.values), "key", "d_v") {
    call_.batch = attention.batch;
    call_.heads = attention.heads.value_or(1);
    call_.kv_heads = attention.heads ? attention.heads_of_keys() : 1;
    call_.queries = attention.query_count;
    call_.keys = attention.all_key_count();
    call_.key_width = numbers(read.keys).shape().size("d_k");
    call_.value_width = numbers(read.values).shape().size("d_v");
    call_.q = q_.numbers.data();
    call_.q_at = q_.at;
    call_.k = k_.numbers.data();
    call_.k_at = k_.at;
    call_.v = v_.numbers.data();
    call_.v_at = v_.at;
    read_softmax(numbers, attention, read);
    read_mask(numbers, attention, read);
  }

  // Whether it was computed, and no number may be wrong for being too large.
  bool run(Backend& backend, Dtype dtype) {
    if (!has_finite_scores(call_, bias_ ? largest_added(bias_->numbers) : 0, dtype)) return false;
    const std::size_t row = call_.value_width, head = call_.queries * row;
    context_.resize(call_.batch * call_.heads * head);
    closed_rows_.resize(call_.batch * call_.heads * call_.queries);
    call_.context = context_.data();
    call_.context_at = {call_.heads * head, head, row};
    call_.closed_rows = closed_rows_.data();
    return attend(backend, dtype) && std::ranges::all_of(context_, [](T number) { return std::isfinite(number); });
  }

  Tensor<double> context(const Shape& shape) const {
    const Shape rows = with_rows(shape, "query", "d_v");
    return {shape, reordered<double>(std::span<const T>(context_), rows, shape)};
  }

  // What is said of rows with every key closed.
  std::vector<Note> notes(const Shape& shape) const {
    Shape rows;
    for (const Dim& dim : shape.dims()) {
      if (dim.axis != "d_v") rows.append(dim);
    }
    std::vector<Note> all;
    for (std::size_t row = 0; row < closed_rows_.size(); ++row) {
      if (closed_rows_[row]) all.push_back(closed_row_note("context", rows.index(row)));
    }
    return all;
  }

 private:
  bool attend(Backend& backend, Dtype dtype) {
    if constexpr (std::is_same_v<T, float>) {
      if (rounds_once_a_step(dtype)) return backend.attend_in_16_bits(call_, dtype);
    }
    return backend.attend(call_);
  }

  void read_softmax(const NumbersOf& numbers, const Attention& attention, const ReadAtOnce& read) {
    call_.scale = read.scale;
    if (const auto* softcap = attention.option<double>("softcap")) call_.softcap = *softcap;
    if (read.exponentials.base != 0) call_.log_base = log(read.exponentials.base);
    if (!read.sinks) return;
    sinks_.emplace(numbers(*read.sinks));
    call_.sinks = sinks_->numbers.data();
    call_.sink_stride = static_cast<std::size_t>(sinks_->at.head);
  }

  void read_mask(const NumbersOf& numbers, const Attention& attention, const ReadAtOnce& read) {
    call_.left = read.sees.left;
    call_.right = read.sees.right;
    call_.appended = attention.appended_count();
    offsets_ = attention.offsets();
    if (offsets_.size() == 1) offsets_.resize(call_.batch, offsets_[0]);
    if (!offsets_.empty()) call_.offsets = offsets_.data();
    if (read.by_length) {
      const Integers& given = attention.option<PerSequence>("lengths")->values;
      lengths_.assign(given.begin(), given.end());
      call_.lengths = lengths_.data();
    }
    if (read.open) {
      open_.emplace(numbers(*read.open));
      call_.open = open_->numbers.data();
      call_.open_at = open_->at;
    }
    if (!read.bias) return;
    bias_.emplace(numbers(*read.bias));
    call_.bias = bias_->numbers.data();
    call_.bias_at = bias_->at;
    if (!read.bias_of_distance) return;
    call_.bias += call_.queries - 1;
    call_.bias_at.query = -1;
    call_.bias_at.key = 1;
  }

  FusedAttention<T> call_;
  Rows4<T> q_, k_, v_;
  std::optional<Cells4<T>> sinks_, bias_;
  std::optional<Cells4<std::uint8_t>> open_;
  Integers offsets_;
  std::vector<std::size_t> lengths_;
  std::vector<T> context_;
  std::vector<std::uint8_t> closed_rows_;
};

}  // namespace

AtOncePolicy::AtOncePolicy(const Attention& attention, const Arithmetic& arithmetic, ReadAtOnce read, Backend& backend)
    : ComputingPolicy(backend.in_any_order(), arithmetic),
      attention_(attention),
      dtype_(arithmetic.dtype),
      read_(std::move(read)),
      backend_(backend.in_any_order()) {}

std::shared_ptr<const Tensor<double>> AtOncePolicy::make(const Recipe& recipe, std::size_t line,
                                                         const Values<double>& carried) {
  if (recipe.instruction(line).id() != read_.context) return ComputingPolicy::make(recipe, line, carried);
  const NumbersOf numbers = [&](const std::string& id) -> const Tensor<double>& { return *carried[*recipe.line(id)]; };
  const Shape& shape = recipe.shape(line);
  const auto made_by = [&](auto call) {
    holds_ = call.run(backend_, dtype_);
    if (!holds_) return std::make_shared<const Tensor<double>>(shape);
    notes_ = call.notes(shape);
    return std::make_shared<const Tensor<double>>(call.context(shape));
  };
  if (read_.bias && has_unannounced_closing(numbers, read_)) {
    holds_ = false;
    return std::make_shared<const Tensor<double>>(shape);
  }
  return dtype_ != Dtype::f64 ? made_by(CallAtOnce<float>(numbers, attention_, read_))
                              : made_by(CallAtOnce<double>(numbers, attention_, read_));
}

}  // namespace attn
