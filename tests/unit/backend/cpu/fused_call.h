#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backend/cpu/attend.h"
#include "backend/cpu/instructions.h"
#include "backend/fused.h"

// Calls of fused attention with their memory, random ones among them, and what
// they should give, worked out by loops that share nothing with the kernels.

namespace attn::fused {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
const T not_a_number = std::numeric_limits<T>::quiet_NaN();

// A call that owns what it points to. Pointers are set by call(), so that it can
// be copied and changed.
template <class T>
struct Case {
  FusedAttention<T> sizes;
  std::vector<T> q, k, v, sinks, bias;
  std::vector<std::int64_t> offsets;
  std::vector<std::size_t> lengths;
  std::vector<std::uint8_t> open;
  std::size_t first_bias = 0;  // where that of query 0 and key 0 stands

  std::vector<T> context;
  std::vector<std::uint8_t> closed_rows;

  Case(std::size_t batch, std::size_t heads, std::size_t kv_heads, std::size_t queries, std::size_t keys,
       std::size_t key_width, std::size_t value_width) {
    sizes.batch = batch, sizes.heads = heads, sizes.kv_heads = kv_heads;
    sizes.queries = queries, sizes.keys = keys;
    sizes.key_width = key_width, sizes.value_width = value_width;
    sizes.scale = static_cast<T>(1 / std::sqrt(static_cast<double>(key_width)));
    q.resize(packed(sizes.q_at, heads, queries, key_width));
    k.resize(packed(sizes.k_at, kv_heads, keys, key_width));
    v.resize(packed(sizes.v_at, kv_heads, keys, value_width));
    context.resize(packed(sizes.context_at, heads, queries, value_width));
    closed_rows.resize(batch * heads * queries);
  }

  std::size_t packed(Strides& at, std::size_t heads, std::size_t rows, std::size_t width) const {
    at = {heads * rows * width, rows * width, width};
    return sizes.batch * at.batch;
  }

  FusedAttention<T> call() {
    FusedAttention<T> call = sizes;
    call.q = q.data(), call.k = k.data(), call.v = v.data(), call.context = context.data();
    if (!sinks.empty()) call.sinks = sinks.data();
    if (!offsets.empty()) call.offsets = offsets.data();
    if (!lengths.empty()) call.lengths = lengths.data();
    if (!open.empty()) call.open = open.data();
    if (!bias.empty()) call.bias = bias.data() + first_bias;
    call.closed_rows = closed_rows.data();
    return call;
  }

  const std::vector<T>& attend(Threads& threads) {
    std::fill(context.begin(), context.end(), T{-77});
    std::fill(closed_rows.begin(), closed_rows.end(), std::uint8_t{9});
    attend_on(call(), threads);
    return context;
  }
  const std::vector<T>& attend() {
    Threads caller(1);
    return attend(caller);
  }
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}

  std::size_t between(std::size_t least, std::size_t most) { return least + bits_() % (most - least + 1); }
  bool one_in(std::size_t many) { return bits_() % many == 0; }
  template <class T>
  T normal() {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>(bits_() >> 11) * 0x1p-53;
    return static_cast<T>((sum - 2) * std::sqrt(3.0));
  }
  template <class T>
  void fill(std::vector<T>& numbers) {
    for (T& number : numbers) number = normal<T>();
  }

 private:
  std::mt19937_64 bits_;
};

template <class T>
void fill(Case<T>& test, std::uint64_t seed) {
  Dice dice(seed);
  for (auto* numbers : {&test.q, &test.k, &test.v}) dice.fill(*numbers);
}

// The most queries and, now and then, keys of a call.
struct Bounds {
  std::size_t queries, keys;
};

// Any call: every field is used by some.
template <class T>
Case<T> any_call(std::uint64_t seed, Bounds most) {
  Dice dice(seed);
  const std::size_t kv_heads = dice.between(1, 3);
  const auto width = [&] { return dice.one_in(8) ? dice.between(200, 300) : dice.between(1, 70); };
  const auto keys = dice.one_in(10) ? dice.between(0, 2) : dice.between(1, dice.one_in(4) ? most.keys : most.queries);
  Case<T> test(dice.between(1, 3), kv_heads * dice.between(1, 3), kv_heads, dice.between(1, most.queries), keys,
               width(), width());
  FusedAttention<T>& c = test.sizes;

  const auto apart = [&](Strides& at, std::size_t heads, std::size_t rows, std::size_t feature,
                         std::vector<T>& memory) {
    if (dice.one_in(2)) return;  // [batch, row, head, feature], with gaps
    at.head = feature + dice.between(0, 3);
    at.row = heads * at.head + dice.between(0, 3);
    at.batch = rows * at.row + dice.between(0, 3);
    memory.resize(std::max<std::size_t>(c.batch * at.batch, 1));  // no step is taken from a null pointer
  };
  apart(c.q_at, c.heads, c.queries, c.key_width, test.q);
  apart(c.k_at, c.kv_heads, c.keys, c.key_width, test.k);
  apart(c.v_at, c.kv_heads, c.keys, c.value_width, test.v);
  apart(c.context_at, c.heads, c.queries, c.value_width, test.context);
  for (auto* numbers : {&test.q, &test.k, &test.v}) dice.fill(*numbers);

  if (dice.one_in(5)) c.scale = dice.normal<T>();
  if (dice.one_in(4)) c.softcap = std::abs(dice.normal<T>()) * 20 + T{1};
  if (dice.one_in(6)) c.log_base = std::log(static_cast<T>(dice.between(2, 5)));
  if (dice.one_in(4)) {
    c.sink_stride = dice.between(0, 2);
    test.sinks.resize(c.heads * 2 + 1);
    dice.fill(test.sinks);
    if (dice.one_in(4)) test.sinks[0] = -infinity<T>;
  }
  if (dice.one_in(3)) c.right = static_cast<std::int64_t>(dice.between(0, 4));
  if (dice.one_in(5)) c.left = static_cast<std::int64_t>(dice.between(0, 20));
  if (dice.one_in(3)) {
    for (std::size_t b = 0; b < c.batch; ++b) {
      test.offsets.push_back(static_cast<std::int64_t>(dice.between(0, c.keys + 8)) - 4);
    }
  }
  if (dice.one_in(5)) c.appended = dice.between(0, std::min<std::size_t>(c.keys, 9));
  if (dice.one_in(3)) {
    for (std::size_t b = 0; b < c.batch; ++b) test.lengths.push_back(dice.between(0, c.keys));
    // What lies behind the end of a sequence is anything.
    for (std::size_t b = 0; b < c.batch; ++b) {
      for (std::size_t j = test.lengths[b]; j + c.appended < c.keys; ++j) {
        test.k[b * c.k_at.batch + j * c.k_at.row] = not_a_number<T>;
        test.v[b * c.v_at.batch + j * c.v_at.row] = infinity<T>;
      }
    }
  }
  const auto cells = [&](CellStrides& at) {
    std::size_t size = 1;
    const auto axis = [&](std::ptrdiff_t& stride, std::size_t many, std::size_t rare) {
      if (dice.one_in(rare)) return;  // broadcast
      stride = static_cast<std::ptrdiff_t>(size);
      size *= many;
    };
    axis(at.key, c.keys, 8), axis(at.query, c.queries, 4), axis(at.head, c.heads, 2), axis(at.batch, c.batch, 2);
    return size;
  };
  if (dice.one_in(4)) {
    test.open.resize(cells(c.open_at) + 1);
    const std::size_t rare = dice.between(2, 9);
    for (auto& cell : test.open) cell = static_cast<std::uint8_t>(dice.one_in(rare) ? 0 : dice.between(1, 255));
    // Whole blocks that are closed, and some that are open.
    for (const std::uint8_t cell : {std::uint8_t{0}, std::uint8_t{1}}) {
      const auto from = test.open.begin() + static_cast<std::ptrdiff_t>(dice.between(0, test.open.size()));
      if (dice.one_in(2)) std::fill(from, test.open.end() - (test.open.end() - from) / 3, cell);
    }
  }
  if (dice.one_in(4)) {
    if (dice.one_in(3)) {  // a number a distance
      const std::size_t distances = c.queries + c.keys - 1;
      c.bias_at = {0, static_cast<std::ptrdiff_t>(distances), -1, 1};
      test.first_bias = c.queries - 1;
      test.bias.resize(c.heads * distances);
    } else {
      test.bias.resize(cells(c.bias_at) + 1);
    }
    for (auto& cell : test.bias) cell = dice.one_in(8) ? -infinity<T> : dice.normal<T>();
  }
  return test;
}

// One row by the definition, every operation in R: the context, and Σ weight·|v|
// for each number of it, which is what an error is measured against.
template <class R>
struct Row {
  std::vector<R> context, size;
  bool closed = true;
  R largest_product = 0;  // Σ|q||k||scale| of the cell where it is largest
};

template <class R, class T>
Row<R> row_of(Case<T>& test, std::size_t b, std::size_t h, std::size_t i) {
  const FusedAttention<T> c = test.call();
  const std::size_t g = h / (c.heads / c.kv_heads), own = c.keys - c.appended;
  const std::int64_t position = static_cast<std::int64_t>(i) + (c.offsets ? c.offsets[b] : 0);
  std::vector<std::size_t> open;
  std::vector<R> scores;
  Row<R> row{std::vector<R>(c.value_width), std::vector<R>(c.value_width)};
  for (std::size_t j = 0; j < c.keys; ++j) {
    const auto at = static_cast<std::int64_t>(j);
    if (j < own && c.lengths && j >= c.lengths[b]) continue;
    if (j < own && c.left >= 0 && at < position - c.left) continue;
    if (j < own && c.right >= 0 && at > position + c.right) continue;
    if (c.open && c.open[c.open_at.to_row(b, h, i) + c.open_at.to_key(j)] == 0) continue;
    const T bias = c.bias ? c.bias[c.bias_at.to_row(b, h, i) + c.bias_at.to_key(j)] : T{0};
    if (bias == -infinity<T>) continue;
    R score = 0, size = 0;
    for (std::size_t n = 0; n < c.key_width; ++n) {
      const R product = static_cast<R>(c.q[b * c.q_at.batch + h * c.q_at.head + i * c.q_at.row + n]) *
                        static_cast<R>(c.k[b * c.k_at.batch + g * c.k_at.head + j * c.k_at.row + n]);
      score += product;
      size += std::abs(product);
    }
    score *= static_cast<R>(c.scale);
    row.largest_product = std::max(row.largest_product, size * static_cast<R>(std::abs(c.scale)));
    if (c.softcap != 0) score = static_cast<R>(c.softcap) * std::tanh(score / static_cast<R>(c.softcap));
    open.push_back(j);
    scores.push_back(score + static_cast<R>(bias));
  }
  if (open.empty()) return row;
  row.closed = false;
  R largest = *std::max_element(scores.begin(), scores.end());
  const R sink = c.sinks ? static_cast<R>(c.sinks[h * c.sink_stride]) : -infinity<R>;
  largest = std::max(largest, sink);
  R sum = 0;
  for (R& s : scores) sum += s = std::exp((s - largest) * static_cast<R>(c.log_base));
  if (c.sinks) sum += std::exp((sink - largest) * static_cast<R>(c.log_base));
  for (std::size_t n = 0; n < open.size(); ++n) {
    const T* const v = c.v + b * c.v_at.batch + g * c.v_at.head + open[n] * c.v_at.row;
    for (std::size_t d = 0; d < c.value_width; ++d) {
      row.context[d] += scores[n] / sum * static_cast<R>(v[d]);
      row.size[d] += scores[n] / sum * std::abs(static_cast<R>(v[d]));
    }
  }
  return row;
}

// How far the last attend() is from the definition in higher precision, and how
// far the definition in T is, both relative to Σ weight·|v|; and whether rows
// without an open cell are 0 and marked, all others not.
struct Error {
  double kernel = 0, plain = 0;
  double largest_product = 0;
  bool rows_marked = true;
};

template <class T>
Error error_of(Case<T>& test) {
  using High = std::conditional_t<sizeof(T) == 4, double, long double>;
  const FusedAttention<T> c = test.call();
  Error error;
  for (std::size_t b = 0; b < c.batch; ++b) {
    for (std::size_t h = 0; h < c.heads; ++h) {
      for (std::size_t i = 0; i < c.queries; ++i) {
        const Row<High> exact = row_of<High>(test, b, h, i);
        const Row<T> plain = row_of<T>(test, b, h, i);
        const T* const got = c.context + b * c.context_at.batch + h * c.context_at.head + i * c.context_at.row;
        error.largest_product = std::max(error.largest_product, static_cast<double>(exact.largest_product));
        const bool marked = c.closed_rows[(b * c.heads + h) * c.queries + i] == (exact.closed ? 1 : 0);
        error.rows_marked = error.rows_marked && marked;
        for (std::size_t d = 0; d < c.value_width; ++d) {
          const High off = std::abs(static_cast<High>(got[d]) - exact.context[d]);
          if (off == 0) continue;
          // Not a number, or not 0 where nothing is seen: infinitely wrong.
          const bool wrong = !(off < infinity<High>) || exact.size[d] == 0;
          error.kernel = wrong ? infinity<double> : std::max(error.kernel, static_cast<double>(off / exact.size[d]));
          if (wrong) return error;
          const High plain_off = std::abs(static_cast<High>(plain.context[d]) - exact.context[d]);
          error.plain = std::max(error.plain, static_cast<double>(plain_off / exact.size[d]));
        }
      }
    }
  }
  return error;
}

// Runs `work` with each instruction set that this machine has, then as before.
template <class Work>
void with_each_instruction_set(Work&& work) {
  for (const auto& set : instruction_sets()) {
    use_instruction_set(set);
    work(set);
  }
  use_instruction_set("");
}

}  // namespace attn::fused
