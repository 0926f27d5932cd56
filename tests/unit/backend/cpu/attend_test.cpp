#include "backend/cpu/attend.h"

#include <cmath>
#include <cstdlib>
#include <new>
#include <string>

#include "backend/cpu/cpu.h"
#include "catch.h"
#include "fused_call.h"
#include "sanitized.h"

using namespace attn;         // NOLINT(google-build-using-namespace)
using namespace attn::fused;  // NOLINT(google-build-using-namespace)

namespace {

// A random call of few rows may be worked out better than could be hoped for by
// the plain loop, or has scores of which rounding alone makes more: what a sum of
// so large products may be off.
template <class T>
double allowed(const Error& error) {
  const double u = std::numeric_limits<T>::epsilon() / 2.0;
  return std::max(2 * error.plain, u * (16 + error.largest_product));
}

template <class T>
void check_any_calls(std::uint64_t first, std::uint64_t count, Bounds most) {
  Threads one(1), three(3);
  constexpr std::uint64_t stride = stride_where_slow > 1 ? 3 : 1;
  for (std::uint64_t seed = first; seed < first + count; seed += stride) {
    Case<T> test = any_call<T>(seed, most);
    with_each_instruction_set([&](const std::string& set) {
      const std::vector<T> alone = test.attend(one);
      const Error error = error_of(test);
      CAPTURE(seed, set, error.kernel, error.plain);
      CHECK(error.kernel <= allowed<T>(error));
      CHECK(error.rows_marked);
      CHECK(same_bits(test.attend(three), alone));
    });
  }
}

// How many of the calls have more keys than that.
std::size_t calls_beyond(std::size_t keys, std::uint64_t first, std::uint64_t count, Bounds most) {
  std::size_t beyond = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    beyond += any_call<float>(seed, most).sizes.keys > keys;
  return beyond;
}

}  // namespace

TEST_CASE("any call is within twice the error of the plain loop, with every instruction set", "[backend][cpu]") {
  SECTION("f32") { check_any_calls<float>(1, 150, {30, 180}); }
  SECTION("f64") { check_any_calls<double>(1001, 100, {30, 180}); }
  // Blocks are of 256 keys, and of 512 for few queries.
  SECTION("several blocks of keys") {
    CHECK(calls_beyond(256, 2001, 16, {150, 900}) >= 3);
    check_any_calls<float>(2001, 16, {150, 900});
  }
  SECTION("few queries of several blocks of keys") {
    CHECK(calls_beyond(512, 3001, 90, {2, 2000}) >= 8);
    check_any_calls<float>(3001, 90, {2, 2000});
    check_any_calls<double>(3001, 20, {2, 2000});
  }
}

TEST_CASE("a call without a row writes nothing", "[backend][cpu]") {
  Threads threads(2);
  Case<float> test(2, 2, 2, 3, 3, 4, 4);
  fill(test, 5);
  const std::vector<float> untouched(test.context.size(), -77);
  for (std::size_t FusedAttention<float>::*none :
       {&FusedAttention<float>::batch, &FusedAttention<float>::heads, &FusedAttention<float>::queries}) {
    FusedAttention<float> call = test.call();
    call.*none = 0;
    test.context = untouched;
    attend_on(call, threads);
    CHECK(test.context == untouched);
  }
}

TEST_CASE("at a scale of 0 every key has the same weight", "[backend][cpu]") {
  Case<double> test(1, 2, 2, 9, 130, 24, 24);
  fill(test, 6);
  test.sizes.scale = 0;
  test.attend();
  CHECK(error_of(test).kernel <= 1e-14);
}

TEST_CASE("at a scale of 0 only what is added to the scores tells keys apart", "[backend][cpu]") {
  Case<double> test(1, 1, 1, 9, 130, 24, 24);
  fill(test, 6);
  test.sizes.scale = 0;
  SECTION("a cap of scores that are all 0") {
    test.sizes.softcap = 2;
    test.attend();
    for (std::size_t i = 0; i < 24; ++i) {
      double sum = 0;
      for (std::size_t key = 0; key < 130; ++key) sum += test.v[key * 24 + i];
      for (std::size_t query = 0; query < 9; ++query)
        CHECK(test.context[query * 24 + i] == Approx(sum / 130).margin(1e-12));
    }
  }
  SECTION("a number for each key") {
    for (std::size_t key = 0; key < 130; ++key) test.bias.push_back(key == 70 ? 900.0 : 0.0);
    test.sizes.bias_at = {0, 0, 0, 1};
    test.attend();
    for (std::size_t i = 0; i < 9 * 24; ++i) CHECK(test.context[i] == test.v[70 * 24 + i % 24]);
  }
  CHECK(error_of(test).kernel <= 1e-14);
}

TEST_CASE("a cap is tanh to two units of its last place, wherever the score stands", "[backend][cpu]") {
  // Of two keys whose scores nearly balance the weights tell half of what is lost between them; the cap is a power of
  // 2, so that nothing is lost but in tanh: 16 · 2 · 2⁻²⁴ at most, and little in the exponentials.
  // Keys are so many and so wide that the call is not worked out row by row; all but two are closed.
  constexpr std::size_t scores = 1500, keys = 16, width = 63;
  constexpr float cap = 16;
  Case<float> test(1, 1, 1, scores, keys, width, 1);
  test.sizes.scale = 1;
  test.sizes.softcap = cap;
  test.sizes.bias_at = {0, 0, keys, 1};
  test.bias.assign(scores * keys, -infinity<float>);
  test.k[0] = test.v[0] = 1;
  for (std::size_t i = 0; i < scores; ++i) {
    const float score = test.q[i * width] = cap * static_cast<float>(i) / 1000;
    test.bias[i * keys] = static_cast<float>(-cap * std::tanh(static_cast<double>(score) / cap));
    test.bias[i * keys + 1] = 0;
  }
  with_each_instruction_set([&](const std::string& set) {
    test.attend();
    CAPTURE(set);
    CHECK(error_of(test).kernel <= 1.5e-6);
  });
}

TEST_CASE("blocks of keys that a mask closes to some queries are skipped for them alone", "[backend][cpu]") {
  const std::size_t queries = GENERATE(2U, 40U), keys = 600;
  const bool sink = GENERATE(false, true), hidden = GENERATE(false, true);
  Case<float> test(1, 1, 1, queries, keys, 20, 20);
  fill(test, 9);
  if (sink) test.sinks = {0.5F};
  // Of each dozen the first block, the second, both, and everything; for two queries, whose blocks are twice as
  // long, the first.
  test.sizes.open_at.query = static_cast<std::ptrdiff_t>(keys);
  test.sizes.open_at.key = 1;
  test.open.assign(queries * keys, 1);
  constexpr std::size_t closed[][2] = {{0, 256}, {256, 512}, {0, 512}, {0, 600}};
  for (std::size_t i = 0; i < queries; ++i) {
    const auto [from, to] = closed[queries == 2 ? 2 : i / 12 % 4];
    const auto row = test.open.begin() + static_cast<std::ptrdiff_t>(i * keys);
    std::fill(row + static_cast<std::ptrdiff_t>(from), row + static_cast<std::ptrdiff_t>(to), std::uint8_t{0});
  }
  // Closed to all where there are two queries.
  if (hidden && queries == 2) test.v[7 * 20] = test.k[9 * 20] = not_a_number<float>;
  Threads one(1), three(3);
  with_each_instruction_set([&](const std::string& set) {
    const std::vector<float> alone = test.attend(one);
    const Error error = error_of(test);
    CAPTURE(queries, sink, hidden, set, error.kernel, error.plain);
    CHECK(error.kernel <= allowed<float>(error));
    CHECK(error.rows_marked);
    CHECK(same_bits(test.attend(three), alone));
  });
}

TEST_CASE("threads change no bit", "[backend][cpu]") {
  Case<float> test(1, 4, 2, 300, 300, 24, 40);
  fill(test, 5);
  test.sizes.right = 0;
  const std::vector<float> alone = test.attend();
  for (std::size_t count = 2; count <= 16; count += 2) {
    Threads threads(count);
    CAPTURE(count);
    for (int repeated = 0; repeated < 3; ++repeated) CHECK(same_bits(test.attend(threads), alone));
  }
}

TEST_CASE("a batch is its sequences one by one, bit for bit", "[backend][cpu]") {
  const std::size_t queries = GENERATE(1U, 5U, 40U);
  Case<float> batch(4, 2, 1, queries, 300, 16, 24);
  fill(batch, 6);
  batch.lengths = {300, 7, 256, 0};
  batch.attend();
  for (std::size_t b = 0; b < 4; ++b) {
    Case<float> one(1, 2, 1, queries, 300, 16, 24);
    const auto part = [&](const std::vector<float>& of, std::size_t size) {
      const auto from = of.begin() + static_cast<std::ptrdiff_t>(b * size);
      return std::vector<float>(from, from + static_cast<std::ptrdiff_t>(size));
    };
    one.q = part(batch.q, one.q.size());
    one.k = part(batch.k, one.k.size());
    one.v = part(batch.v, one.v.size());
    one.lengths = {batch.lengths[b]};
    CAPTURE(b, queries);
    CHECK(same_bits(one.attend(), part(batch.context, one.context.size())));
  }
}

TEST_CASE("closed keys that are added at the end change no bit, whatever they hold", "[backend][cpu]") {
  const std::size_t queries = GENERATE(2U, 30U), keys = GENERATE(3U, 200U, 256U), more = GENERATE(1U, 70U, 600U);
  Case<float> test(1, 1, 1, queries, keys, 20, 20), longer(1, 1, 1, queries, keys + more, 20, 20);
  fill(test, 7);
  longer.q = test.q;
  for (auto [from, to] : {std::pair(&test.k, &longer.k), std::pair(&test.v, &longer.v)}) {
    std::copy(from->begin(), from->end(), to->begin());
    std::fill(to->begin() + static_cast<std::ptrdiff_t>(from->size()), to->end(), not_a_number<float>);
  }
  longer.lengths = {keys};
  CAPTURE(queries, keys, more);
  CHECK(same_bits(test.attend(), longer.attend()));
}

TEST_CASE("queries in another order give the same rows in that order, bit for bit", "[backend][cpu]") {
  const std::size_t queries = 100, width = 18;
  Case<float> test(1, 1, 1, queries, 300, width, width);
  fill(test, 8);
  Case<float> turned = test;
  for (std::size_t i = 0; i < queries; ++i) {
    const auto from = test.q.begin() + static_cast<std::ptrdiff_t>((i * 37 % queries) * width);
    std::copy_n(from, width, turned.q.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  test.attend();
  turned.attend();
  for (std::size_t i = 0; i < queries; ++i) {
    CHECK(std::memcmp(&turned.context[i * width], &test.context[(i * 37 % queries) * width], width * sizeof(float)) ==
          0);
  }
}

TEST_CASE("values times a power of 2 give contexts times it, exactly", "[backend][cpu]") {
  const int power = GENERATE(-20, 3, 60);
  const std::size_t queries = GENERATE(2U, 20U);
  Case<float> test(1, 1, 1, queries, 90, 20, 33);
  fill(test, 9);
  Case<float> scaled = test;
  for (float& number : scaled.v) number = std::ldexp(number, power);
  test.attend();
  scaled.attend();
  for (float& number : test.context) number = std::ldexp(number, power);
  CHECK(same_bits(scaled.context, test.context));
}

TEST_CASE("equal scores weigh the same: values of 1 give exactly 1", "[backend][cpu]") {
  const std::size_t queries = GENERATE(1U, 9U);
  const float score = GENERATE(0.0F, 88.7F, -300.0F, 1e30F);
  for (const std::size_t keys : {1U, 2U, 3U, 7U, 31U, 32U, 33U, 255U, 257U, 4097U}) {
    Case<float> test(1, 1, 1, queries, keys, 1, 2);
    std::fill(test.q.begin(), test.q.end(), score);
    std::fill(test.k.begin(), test.k.end(), 1.0F);
    for (std::size_t j = 0; j < keys; ++j) test.v[2 * j] = 1, test.v[2 * j + 1] = j == 0 ? 1.0F : 0.0F;
    with_each_instruction_set([&](const std::string& set) {
      test.attend();
      CAPTURE(set, queries, score, keys);
      CHECK(test.context[0] == 1);
      CHECK(test.context[1] == 1 / static_cast<float>(keys));
    });
  }
}

TEST_CASE("scores at the edges of e^x are worked out like any others", "[backend][cpu]") {
  const std::size_t queries = GENERATE(1U, 8U);
  const double edge = GENERATE(11.09, 88.722839, 103.97, 709.782712893384, 745.13321910194, 1e30);
  Case<double> test(1, 1, 1, queries, 6, 1, 3);
  fill(test, 10);
  std::fill(test.q.begin(), test.q.end(), 1);
  test.k = {edge, -edge, std::nextafter(edge, 0.0), edge, 0, 1};
  with_each_instruction_set([&](const std::string& set) {
    test.attend();
    const Error error = error_of(test);
    CAPTURE(set, edge, error.kernel, error.plain);
    CHECK(error.kernel <= 1e-15 + 2 * error.plain);
  });
}

TEST_CASE("small weights of large values count", "[backend][cpu]") {
  const std::size_t queries = GENERATE(1U, 8U);
  Case<float> test(1, 1, 1, queries, 2, 1, 1);
  std::fill(test.q.begin(), test.q.end(), 1.0F);
  test.k = {0, -95};  // e^-95 is subnormal in single precision
  test.v = {0, 1e38F};
  with_each_instruction_set([&](const std::string& set) {
    test.attend();
    CAPTURE(set);
    CHECK(test.context[0] == Approx(std::exp(-95.0) * 1e38).epsilon(1e-5));
  });
}

TEST_CASE("what an open cell holds reaches the result: NaN, infinities and numbers near the largest",
          "[backend][cpu]") {
  const std::size_t queries = GENERATE(1U, 8U);
  Case<float> test(1, 1, 1, queries, 3, 1, 2);
  std::fill(test.q.begin(), test.q.end(), 1.0F);
  const float softcap = GENERATE(0.0F, 5.0F);
  with_each_instruction_set([&](const std::string& set) {
    CAPTURE(set);
    const auto first_row = [&] {
      test.attend();
      return std::pair(test.context[0], test.context[1]);
    };
    test.sizes.softcap = 0;
    test.k = {0, 0, 0};
    test.v = {3e38F, infinity<float>, 3e38F, 1, 3e38F, 2};
    CHECK(first_row().first == Approx(3e38F));
    CHECK(first_row().second == infinity<float>);
    test.k = {0, infinity<float>, 0};
    CHECK(std::isnan(first_row().first));
    test.k = {0, -infinity<float>, 0};
    CHECK(first_row().first == Approx(3e38F));
    test.sizes.softcap = softcap;
    test.k = {0, not_a_number<float>, 0};
    CHECK(std::isnan(first_row().first));
  });
}

TEST_CASE("a row that sees nothing is 0 and marked, with a sink, too", "[backend][cpu]") {
  const std::size_t queries = GENERATE(2U, 20U);
  Case<float> test(1, 1, 1, queries, 40, 8, 8);
  fill(test, 11);
  test.sizes.right = 0;
  test.offsets = {-1};  // the first query stands before every key
  if (GENERATE(false, true)) test.sinks = {0.5F};
  test.attend();
  CHECK(std::all_of(test.context.begin(), test.context.begin() + 8, [](float x) { return x == 0; }));
  CHECK(test.closed_rows[0] == 1);
  CHECK(test.closed_rows[1] == 0);
  CHECK(error_of(test).kernel < 1e-6);
}

TEST_CASE("without keys, every row is closed", "[backend][cpu]") {
  Case<double> test(2, 1, 1, GENERATE(1U, 30U), 0, 4, 4);
  test.attend();
  CHECK(std::all_of(test.context.begin(), test.context.end(), [](double x) { return x == 0; }));
  CHECK(std::all_of(test.closed_rows.begin(), test.closed_rows.end(), [](auto row) { return row == 1; }));
}

TEST_CASE("the CPU backend computes fused attention", "[backend][cpu]") {
  CpuBackend backend(2);
  Case<float> test(1, 2, 1, 50, 60, 32, 32);
  fill(test, 12);
  CHECK(backend.attend(test.call()));
  CHECK(error_of(test).kernel < 1e-5);
}
