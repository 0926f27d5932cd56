// Fused attention on a GPU, every kernel of the ladder, against double precision.

#include "backend/cuda/fused/fused.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/cuda/device.h"
#include "base/math.h"
#include "base/random.h"
#include "gpu/device.h"
#include "gpu/numbers.h"
#include "model/computation.h"
#include "tensor/dtype.h"

using namespace attn;        // NOLINT(google-build-using-namespace)
using namespace attn::cuda;  // NOLINT(google-build-using-namespace)

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::size_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, width = 64;
  bool causal = false;
  std::vector<std::int64_t> offsets = {};
  std::vector<std::size_t> lengths = {};
  bool nan_behind_closed = false;
};

// Every width, square and not, sizes at and around those of tiles, one query, and all that closes cells.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::size_t width : {64, 128, 256}) {
    for (const std::size_t size : {1, 63, 64, 65, 128, 200, 513}) {
      all.push_back({.heads = 2, .queries = size, .keys = size, .width = width});
      all.push_back(
          {.batch = 2, .queries = size, .keys = size + 70, .width = width, .causal = true, .offsets = {70, 5}});
    }
    all.push_back(
        {.batch = 3, .heads = 4, .kv_heads = 2, .queries = 90, .keys = 300, .width = width, .lengths = {300, 0, 129}});
    all.push_back({.batch = 2,
                   .heads = 4,
                   .kv_heads = 1,
                   .queries = 130,
                   .keys = 130,
                   .width = width,
                   .causal = true,
                   .offsets = {0, -20},
                   .lengths = {130, 77}});
    all.push_back(
        {.batch = 2, .heads = 8, .kv_heads = 2, .queries = 1, .keys = 4096, .width = width, .lengths = {4096, 1000}});
    all.push_back({.heads = 3, .queries = 7, .keys = 2000, .width = width, .causal = true, .offsets = {1993}});
    all.push_back({.queries = 40, .keys = 100, .width = width, .lengths = {55}, .nan_behind_closed = true});
  }
  return all;
}

std::string described(const Case& c) {
  std::string text = std::to_string(c.batch) + "×" + std::to_string(c.heads) + " (" + std::to_string(c.kv_heads) +
                     ") " + std::to_string(c.queries) + "×" + std::to_string(c.keys) + "×" + std::to_string(c.width);
  if (c.causal) text += " causal";
  for (const std::int64_t offset : c.offsets) text += " offset " + std::to_string(offset);
  for (const std::size_t length : c.lengths) text += " length " + std::to_string(length);
  return text;
}

// Numbers as the device has them.
std::vector<std::byte> encoded(const std::vector<double>& numbers, Dtype dtype) {
  const std::size_t each = dtype == Dtype::f32 ? 4 : 2;
  std::vector<std::byte> bytes(numbers.size() * each);
  for (std::size_t i = 0; i < numbers.size(); ++i) encode(numbers[i], dtype, &bytes[i * each]);
  return bytes;
}

// A case with its numbers: [batch, row, head, feature], so that rows of a head do not follow one another.
struct DrawnProblem {
  DrawnProblem(const Case& of, Dtype type) : c(of), dtype(type) {
    Random random(c.queries * 1000 + c.keys);
    const auto draw = [&](std::size_t count) {
      std::vector<double> numbers(count);
      for (double& number : numbers) number = stored(random.normal(), dtype);
      return numbers;
    };
    q = draw(c.batch * c.queries * c.heads * c.width);
    k = draw(c.batch * c.keys * c.kv_heads * c.width);
    v = draw(c.batch * c.keys * c.kv_heads * c.width);
    if (!c.nan_behind_closed) return;
    for (std::size_t i = c.lengths.at(0) * c.kv_heads * c.width; i < k.size(); ++i) k[i] = v[i] = not_a_number;
  }

  std::size_t seen(std::size_t batch, std::size_t query) const {
    const std::size_t length = c.lengths.empty() ? c.keys : c.lengths[batch];
    if (!c.causal) return length;
    const std::int64_t end = static_cast<std::int64_t>(query) + (c.offsets.empty() ? 0 : c.offsets[batch]) + 1;
    return end < 0 ? 0 : std::min(length, static_cast<std::size_t>(end));
  }

  FusedStrides strides(std::size_t heads, std::size_t rows) const {
    const auto of = [](std::size_t size) { return static_cast<std::int64_t>(size); };
    return {of(rows * heads * c.width), of(c.width), of(heads * c.width)};
  }

  const Case& c;
  Dtype dtype;
  std::vector<double> q, k, v;
};

// What a kernel makes of it; nothing where it does not support the call.
std::optional<std::vector<double>> made_by(const FusedKernel& kernel, const DrawnProblem& p, int compute_capability) {
  const Case& c = p.c;
  FusedCall call;
  call.dtype = p.dtype;
  call.batch = static_cast<int>(c.batch);
  call.heads = static_cast<int>(c.heads);
  call.kv_heads = static_cast<int>(c.kv_heads);
  call.queries = static_cast<int>(c.queries);
  call.keys = static_cast<int>(c.keys);
  call.key_width = call.value_width = static_cast<int>(c.width);
  call.q_at = call.context_at = p.strides(c.heads, c.queries);
  call.k_at = call.v_at = p.strides(c.kv_heads, c.keys);
  call.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(c.width)));
  call.causal = c.causal;

  DeviceMemory q, k, v, context, offsets, lengths, workspace;
  const auto upload = [](DeviceMemory& to, const void* from, std::size_t bytes) {
    std::byte* there = to.at_least(std::max<std::size_t>(bytes, 1));
    check(cudaMemcpy(there, from, bytes, cudaMemcpyHostToDevice), "copying to it");
    return there;
  };
  const auto upload_numbers = [&](DeviceMemory& to, const std::vector<double>& numbers) {
    const std::vector<std::byte> bytes = encoded(numbers, p.dtype);
    return upload(to, bytes.data(), bytes.size());
  };
  call.q = upload_numbers(q, p.q);
  call.k = upload_numbers(k, p.k);
  call.v = upload_numbers(v, p.v);
  // What is not written shows.
  call.context = upload_numbers(context, std::vector<double>(p.q.size(), not_a_number));
  if (!c.offsets.empty()) {
    call.offsets = reinterpret_cast<const std::int64_t*>(upload(offsets, c.offsets.data(), c.offsets.size() * 8));
  }
  if (!c.lengths.empty()) {
    call.lengths = reinterpret_cast<const std::size_t*>(upload(lengths, c.lengths.data(), c.lengths.size() * 8));
  }
  if (!kernel.supports(call, compute_capability)) return std::nullopt;
  const std::size_t bytes = kernel.workspace(call);
  if (bytes > 0) {
    call.workspace = workspace.at_least(bytes);
    check(cudaMemset(call.workspace, 0, bytes), "clearing memory");
  }
  // Twice: a call leaves its workspace fit for the next.
  for (int i = 0; i < 2; ++i) check(kernel.launch(call, nullptr), "starting attention");
  check(cudaDeviceSynchronize(), "computing attention");

  std::vector<std::byte> made(encoded(p.q, p.dtype).size());
  check(cudaMemcpy(made.data(), call.context, made.size(), cudaMemcpyDeviceToHost), "copying from it");
  std::vector<double> numbers(p.q.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = decoded(&made[i * (made.size() / numbers.size())], p.dtype);
  return numbers;
}

// How far the worst number is from that of double precision, in parts of what is
// allowed: rounding weights and result once to the dtype, and f32 sums. Of every row, or of each `step`-th only.
double worst_part(const DrawnProblem& p, const std::vector<double>& made, std::size_t step_of_rows = 1) {
  const Case& c = p.c;
  double worst = 0;
  std::size_t row = 0;
  for (std::size_t batch = 0; batch < c.batch; ++batch) {
    for (std::size_t head = 0; head < c.heads; ++head) {
      const std::size_t kv_head = head / (c.heads / c.kv_heads);
      for (std::size_t query = 0; query < c.queries; ++query) {
        const double* q = &p.q[((batch * c.queries + query) * c.heads + head) * c.width];
        if (row++ % step_of_rows != 0) continue;
        const std::size_t seen = p.seen(batch, query);
        std::vector<double> weights(seen);
        double maximum = -std::numeric_limits<double>::infinity(), total = 0, largest = 0;
        const auto key_at = [&](std::size_t key) { return ((batch * c.keys + key) * c.kv_heads + kv_head) * c.width; };
        for (std::size_t key = 0; key < seen; ++key) {
          double sum = 0;
          for (std::size_t i = 0; i < c.width; ++i) sum += q[i] * p.k[key_at(key) + i];
          weights[key] = sum / std::sqrt(static_cast<double>(c.width));
          maximum = std::max(maximum, weights[key]);
          largest = std::max(largest, std::abs(weights[key]));
        }
        for (double& weight : weights) total += weight = attn::exp(weight - maximum);
        for (std::size_t i = 0; i < c.width; ++i) {
          double exact = 0, size = 0;
          for (std::size_t key = 0; key < seen; ++key) {
            const double term = weights[key] / total * p.v[key_at(key) + i];
            exact += term;
            size += std::abs(term);
          }
          const double step = p.dtype == Dtype::f32 ? 0 : step_at_one(p.dtype);
          const double allowed = step * (size + std::abs(exact)) + 0x1p-20 * (4 + largest) * size + 1e-30;
          const double got = made[((batch * c.queries + query) * c.heads + head) * c.width + i];
          const double part = std::abs(got - exact) / allowed;
          worst = std::isnan(part) ? std::numeric_limits<double>::infinity() : std::max(worst, part);
        }
      }
    }
  }
  return worst;
}

int compute_capability_here() {
  const DeviceInfo device = device_list().at(0);
  return 10 * device.major + device.minor;
}

void check_kernel(const FusedKernel& kernel, const std::vector<Case>& all) {
  const int compute_capability = compute_capability_here();
  std::size_t computed = 0;
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16}) {
    for (const Case& one : all) {
      if (one.nan_behind_closed && std::string(kernel.name) != fused_kernels().front().name) continue;
      const DrawnProblem problem(one, dtype);
      const auto made = made_by(kernel, problem, compute_capability);
      if (!made) continue;
      ++computed;
      INFO(kernel.name << " in " << name(dtype) << ": " << described(one));
      CHECK(worst_part(problem, *made) <= 1);
    }
  }
  if (computed > 0) return;
  WARN(kernel.name << " computes none of these on this device");
  CHECK(compute_capability != 90);  // a Hopper has a kernel of every kind
}

void check_kernel(const std::string& name) {
  if (!gpu_here() || is_pretended()) return;
  const auto found = std::ranges::find(fused_kernels(), name, &FusedKernel::name);
  REQUIRE(found != fused_kernels().end());
  check_kernel(*found, cases());
}

}  // namespace

// A test a kernel: what one does wrong on a device can leave it unfit for all that
// the process asks of it afterwards, and tests/gpu/run gives each its own.
TEST_CASE("the clear kernel computes attention", "[gpu][clear]") { check_kernel("clear"); }
TEST_CASE("the mma kernel computes attention", "[gpu][mma]") { check_kernel("mma"); }
TEST_CASE("the decode kernel computes attention", "[gpu][decode]") { check_kernel("decode"); }
TEST_CASE("the wgmma kernel computes attention", "[gpu][wgmma]") { check_kernel("wgmma"); }
TEST_CASE("the roles kernel computes attention", "[gpu][roles]") { check_kernel("roles"); }
TEST_CASE("the hopper kernel computes attention", "[gpu][hopper]") { check_kernel("hopper"); }

// 640 pieces of work, of the lengths that masks make them: each block has several.
TEST_CASE("the blocks of the hopper kernel share out hundreds of pieces of work", "[gpu][hopper]") {
  if (!gpu_here() || is_pretended()) return;
  for (const std::size_t width : {64, 128, 256}) {
    for (const bool causal : {true, false}) {
      const Case one = {.batch = 10,
                        .heads = 32,
                        .kv_heads = 8,
                        .queries = 200,
                        .keys = 230,
                        .width = width,
                        .causal = causal,
                        .offsets = {30, 0, -10, 30, 100, -199, 30, 29, 1, 30},
                        .lengths = {230, 230, 0, 1, 229, 230, 128, 129, 100, 230}};
      INFO(described(one));
      const DrawnProblem problem(one, Dtype::bf16);
      const auto made = made_by(hopper_kernel, problem, compute_capability_here());
      if (!made) return;  // no Hopper
      CHECK(worst_part(problem, *made, 37) <= 1);
    }
  }
}

TEST_CASE("each kernel of the ladder has a test of its own", "[gpu]") {
  for (const FusedKernel& kernel : fused_kernels()) {
    CHECK((std::set<std::string>{"clear", "mma", "wgmma", "roles", "hopper", "decode"}).contains(kernel.name));
  }
}

TEST_CASE("every kernel computes small calls", "[gpu][small]") {
  if (!gpu_here() || is_pretended()) return;
  const std::vector<Case> small = {
      {.heads = 2, .queries = 65, .keys = 130},
      {.batch = 2, .heads = 2, .queries = 70, .keys = 70, .width = 128, .causal = true, .lengths = {70, 33}},
      {.heads = 4, .kv_heads = 2, .queries = 1, .keys = 300, .width = 64},
      {.heads = 4, .kv_heads = 2, .queries = 1, .keys = 300, .width = 128}};
  for (const FusedKernel& kernel : fused_kernels()) {
    if (is_asked_for(kernel.name)) check_kernel(kernel, small);
  }
}

TEST_CASE("attention at once on a GPU is that of double precision, closed rows and NaN behind closed cells too",
          "[gpu]") {
  const auto gpu = gpu_here();
  if (!gpu) return;
  CHECK(gpu->attends_in_16_bits());
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16}) {
    for (const Case& one : cases()) {
      if (is_pretended() && one.heads * one.queries * one.keys * one.width > 500'000) continue;
      const DrawnProblem problem(one, dtype);
      const std::vector<float> q(problem.q.begin(), problem.q.end()), k(problem.k.begin(), problem.k.end()),
          v(problem.v.begin(), problem.v.end());
      std::vector<float> context(q.size(), -1);
      std::vector<std::uint8_t> closed(one.batch * one.heads * one.queries, 0);
      const auto strides = [&](std::size_t heads, std::size_t rows) {
        return Strides{rows * heads * one.width, one.width, heads * one.width};
      };
      FusedAttention<float> call;
      call.batch = one.batch;
      call.heads = one.heads;
      call.kv_heads = one.kv_heads;
      call.queries = one.queries;
      call.keys = one.keys;
      call.key_width = call.value_width = one.width;
      call.q = q.data();
      call.k = k.data();
      call.v = v.data();
      call.context = context.data();
      call.q_at = call.context_at = strides(one.heads, one.queries);
      call.k_at = call.v_at = strides(one.kv_heads, one.keys);
      call.scale = 1 / std::sqrt(static_cast<double>(one.width));
      if (one.causal) call.right = 0;
      if (!one.offsets.empty()) call.offsets = one.offsets.data();
      if (!one.lengths.empty()) call.lengths = one.lengths.data();
      call.closed_rows = closed.data();
      INFO(name(dtype) << ": " << described(one));
      REQUIRE((dtype == Dtype::f32 ? gpu->attend(call) : gpu->attend_in_16_bits(call, dtype)));
      CHECK(worst_part(problem, {context.begin(), context.end()}) <= 1);
      CHECK(std::ranges::all_of(context, [&](float x) { return stored(double{x}, dtype) == double{x}; }));
      for (std::size_t row = 0; row < closed.size(); ++row) {
        const std::size_t batch = row / one.queries / one.heads;
        CHECK((closed[row] == 1) == (problem.seen(batch, row % one.queries) == 0));
      }
    }
  }
}

// What `attn run --backend cuda --dtype bf16 --at-once` does.
TEST_CASE("a problem in 16 bits whose result alone is wanted is computed at once on a GPU, and says so", "[gpu]") {
  const auto gpu = gpu_here();
  if (!gpu) return;
  constexpr std::size_t heads = 2, tokens = 70, width = 64;
  for (const Dtype dtype : {Dtype::bf16, Dtype::f16}) {
    const Case one{
        .heads = heads, .kv_heads = heads, .queries = tokens, .keys = tokens, .width = width, .causal = true};
    const DrawnProblem drawn(one, dtype);
    const auto tensor = [&](const std::vector<double>& numbers, const char* row, const char* feature) {
      Tensor<double> made({{"head", heads}, {row, tokens}, {feature, width}});
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::size_t at = i / width;  // of [row, head]
        made[(at % heads * tokens + at / heads) * width + i % width] = numbers[i];
      }
      return made;
    };
    Problem problem;
    problem.arithmetic.dtype = dtype;
    Attention& attention = problem.attention();
    attention.heads = heads;
    attention.queries = tensor(drawn.q, "query", "d_k");
    attention.keys = tensor(drawn.k, "key", "d_k");
    attention.values = tensor(drawn.v, "key", "d_v");
    attention.query_count = attention.key_count = tokens;
    attention.key_width = attention.value_width = width;
    attention.score = {.name = "scaled_dot"};
    attention.options["causal"] = true;
    attention.query_labels.assign(1, std::vector<std::string>(tokens, "q"));
    attention.key_labels.assign(1, std::vector<std::string>(tokens, "k"));

    const std::optional<Trace> trace = attention_at_once(problem, *gpu);
    REQUIRE(trace);
    CHECK(trace->backend == "cuda");
    CHECK(trace->notes.back().kind == "at_once");
    CHECK_THAT(trace->notes.back().message, contains("sums are f32"));
    const Tensor<double>& side_by_side = trace->value("result");  // [query, head · d_v]
    const auto numbers = side_by_side.data();
    CHECK(worst_part(drawn, {numbers.begin(), numbers.end()}) <= 1);
  }
}
