#include "cuda_on_host/attention_in_double.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

#include "backend/cuda/fused/ptx.h"
#include "cuda_on_host/machine.h"

namespace cuda_on_host {

using attn::Dtype;
using attn::cuda::Bf16;
using attn::cuda::F16;
using attn::cuda::FusedCall;
using attn::cuda::FusedStrides;

namespace {

double number(Dtype dtype, const void* at) {
  switch (dtype) {
    case Dtype::f32:
      return *static_cast<const float*>(at);
    case Dtype::bf16:
      return attn::cuda::widened(*static_cast<const Bf16*>(at));
    case Dtype::f16:
      return attn::cuda::widened(*static_cast<const F16*>(at));
    case Dtype::f64:
      break;
  }
  return 0;
}

void set_number(Dtype dtype, void* at, float x) {
  switch (dtype) {
    case Dtype::f32:
      *static_cast<float*>(at) = x;
      break;
    case Dtype::bf16:
      *static_cast<Bf16*>(at) = attn::cuda::narrowed<Bf16>(x);
      break;
    case Dtype::f16:
      *static_cast<F16*>(at) = attn::cuda::narrowed<F16>(x);
      break;
    case Dtype::f64:
      break;
  }
}

// [batch, head, row, feature], or [batch, row, head, feature], with 8 numbers
// between the rows that belong to nobody.
struct TensorOnHost {
  TensorOnHost(Dtype type, int batch, int heads, int rows, int width, bool rows_first)
      : dtype(type), size(type == Dtype::f32 ? 4 : 2) {
    const std::int64_t row = width + 8;
    at = rows_first ? FusedStrides{rows * heads * row, row, heads * row}
                    : FusedStrides{heads * rows * row, rows * row, row};
    // Exactly as long as it must be: address sanitizer sees what is read beyond.
    bytes.assign(static_cast<std::size_t>(batch * heads * rows * row - 8) * size, kPoison);
  }

  unsigned char* where(int batch, int head, int row, int feature) {
    return bytes.data() + static_cast<std::size_t>(batch * at.batch + head * at.head + row * at.row + feature) * size;
  }

  Dtype dtype;
  std::size_t size;
  FusedStrides at;
  std::vector<unsigned char> bytes;
};

struct Row {
  std::vector<double> context, allowed;
};

// One row of attention in double precision, and how far from it a kernel may be.
Row expected(const Case& what, TensorOnHost& q, TensorOnHost& k, TensorOnHost& v, float scale, int batch, int head,
             int query, std::int64_t limit) {
  const double rounding = what.dtype == Dtype::f32 ? 0x1p-24 : what.dtype == Dtype::bf16 ? 0x1p-8 : 0x1p-11;
  const int kv_head = head / (what.heads / what.kv_heads);
  std::vector<double> scores;
  double largest = -INFINITY, largest_terms = 0;
  for (int j = 0; j < limit; ++j) {
    double score = 0, terms = 0;
    for (int i = 0; i < what.key_width; ++i) {
      const double term =
          number(what.dtype, q.where(batch, head, query, i)) * number(what.dtype, k.where(batch, kv_head, j, i));
      score += term;
      terms += std::fabs(term);
    }
    scores.push_back(score * scale);
    largest = std::max(largest, scores.back());
    largest_terms = std::max(largest_terms, terms * scale);
  }
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  Row row;
  for (int i = 0; i < what.value_width; ++i) {
    double context = 0, size = 0, all = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const double value = number(what.dtype, v.where(batch, kv_head, static_cast<int>(j), i));
      const double term = scores[j] / sum * value;
      context += term;
      size += std::fabs(term);
      all += std::fabs(value);
    }
    // An error in a score is a relative error of its weight, and of the sum.
    const double f32 = 0x1p-24 * (2 * (what.key_width + 4) * (largest_terms + 1) + 2 * static_cast<double>(limit) + 64);
    row.context.push_back(context);
    // Below 2^-14 of the largest, a weight in f16 has a last place of 2^-24.
    const double subnormal = what.dtype == Dtype::f16 ? 0x1p-25 * all : 0;
    row.allowed.push_back((rounding + f32) * size + rounding * std::fabs(context) + subnormal + 0x1p-24);
  }
  return row;
}

}  // namespace

std::string described(const Case& what) {
  std::ostringstream out;
  out << name(what.dtype) << ", batch " << what.batch << ", heads " << what.heads << ":" << what.kv_heads << ", "
      << what.queries << " x " << what.keys << ", widths " << what.key_width << ":" << what.value_width
      << (what.causal ? ", causal" : "");
  for (const auto offset : what.offsets) out << ", offset " << offset;
  for (const auto length : what.lengths) out << ", length " << length;
  if (what.rows_first) out << ", rows first";
  out << ", seed " << what.seed;
  return out.str();
}

std::string complaint(const attn::cuda::FusedKernel& kernel, const Case& what, int compute_capability) {
  TensorOnHost q(what.dtype, what.batch, what.heads, what.queries, what.key_width, what.rows_first);
  TensorOnHost k(what.dtype, what.batch, what.kv_heads, what.keys, what.key_width, what.rows_first);
  TensorOnHost v(what.dtype, what.batch, what.kv_heads, what.keys, what.value_width, what.rows_first);
  TensorOnHost context(what.dtype, what.batch, what.heads, what.queries, what.value_width, what.rows_first);

  std::mt19937 generator(what.seed);
  std::normal_distribution<float> normal;
  const auto fill = [&](TensorOnHost& tensor, int heads, int rows, int width, float spread) {
    for (int b = 0; b < what.batch; ++b) {
      for (int h = 0; h < heads; ++h) {
        for (int r = 0; r < rows; ++r) {
          for (int i = 0; i < width; ++i) set_number(what.dtype, tensor.where(b, h, r, i), spread * normal(generator));
        }
      }
    }
  };
  fill(q, what.heads, what.queries, what.key_width, what.spread);
  fill(k, what.kv_heads, what.keys, what.key_width, what.spread);
  fill(v, what.kv_heads, what.keys, what.value_width, 1);

  const auto offset = [&](int b) {
    return what.offsets.empty()       ? 0
           : what.offsets.size() == 1 ? what.offsets[0]
                                      : what.offsets[static_cast<std::size_t>(b)];
  };
  // How many keys a query sees.
  const auto limit = [&](int b, int query) {
    const auto length =
        what.lengths.empty() ? what.keys : static_cast<std::int64_t>(what.lengths[static_cast<std::size_t>(b)]);
    return what.causal ? std::max<std::int64_t>(0, std::min<std::int64_t>(length, query + offset(b) + 1)) : length;
  };
  if (what.nan_behind_closed) {
    for (int b = 0; b < what.batch; ++b) {
      for (int h = 0; h < what.kv_heads; ++h) {
        for (auto j = static_cast<int>(limit(b, what.queries - 1)); j < what.keys; ++j) {
          for (int i = 0; i < what.key_width; ++i) set_number(what.dtype, k.where(b, h, j, i), NAN);
          for (int i = 0; i < what.value_width; ++i) set_number(what.dtype, v.where(b, h, j, i), NAN);
        }
      }
    }
  }

  FusedCall call;
  call.dtype = what.dtype;
  call.batch = what.batch, call.heads = what.heads, call.kv_heads = what.kv_heads;
  call.queries = what.queries, call.keys = what.keys;
  call.key_width = what.key_width, call.value_width = what.value_width;
  call.q = q.bytes.data(), call.k = k.bytes.data(), call.v = v.bytes.data(), call.context = context.bytes.data();
  call.q_at = q.at, call.k_at = k.at, call.v_at = v.at, call.context_at = context.at;
  call.scale = 1 / std::sqrt(static_cast<float>(what.key_width));
  call.causal = what.causal;
  if (what.offsets.size() == 1) call.offset = what.offsets[0];
  if (what.offsets.size() > 1) call.offsets = what.offsets.data();
  if (!what.lengths.empty()) call.lengths = what.lengths.data();

  if (!kernel.supports(call, compute_capability)) return "the kernel does not support it";
  std::vector<unsigned char> workspace(kernel.workspace(call), 0);
  call.workspace = workspace.data();

  reseed(what.seed);
  set_multiprocessors(what.multiprocessors);
  const std::vector<unsigned char> before = context.bytes;
  try {
    for (int time = 0; time < (workspace.empty() || what.once ? 1 : 2); ++time) {
      context.bytes = before;
      if (kernel.launch(call, nullptr) != cudaSuccess) return "it cannot be launched";
      // A workspace begins with a counter.
      if (!workspace.empty() && std::any_of(workspace.begin(), workspace.begin() + sizeof(unsigned),
                                            [](unsigned char byte) { return byte != 0; })) {
        return "it leaves its counter elsewhere than at 0";
      }
    }
  } catch (const Fault& fault) {
    return fault.what();
  }

  std::ostringstream wrong;
  for (int b = 0; b < what.batch; ++b) {
    for (int h = 0; h < what.heads; ++h) {
      for (int i = 0; i < what.queries; ++i) {
        const Row row = expected(what, q, k, v, call.scale, b, h, i, limit(b, i));
        for (int c = 0; c < what.value_width; ++c) {
          const auto at = static_cast<std::size_t>(c);
          const double got = number(what.dtype, context.where(b, h, i, c));
          if (std::fabs(got - row.context[at]) <= row.allowed[at]) continue;
          wrong << "context[" << b << "," << h << "," << i << "," << c << "] is " << got << ", not " << row.context[at]
                << " +- " << row.allowed[at];
          return wrong.str();
        }
        if (b + 1 == what.batch && h + 1 == what.heads && i + 1 == what.queries) continue;  // no gap behind the last
        for (int c = what.value_width; c < what.value_width + 8; ++c) {
          if (std::memcmp(context.where(b, h, i, c), before.data(), context.size) != 0) return "it writes beyond a row";
        }
      }
    }
  }
  return "";
}

}  // namespace cuda_on_host
