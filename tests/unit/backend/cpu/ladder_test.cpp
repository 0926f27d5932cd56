#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "backend/cpu/ladder/rung.h"
#include "catch.h"
#include "fused_call.h"

using namespace attn;         // NOLINT(google-build-using-namespace)
using namespace attn::fused;  // NOLINT(google-build-using-namespace)

namespace {

template <class T>
void check_rung(const Rung& rung) {
  Threads threads(2);
  for (const std::size_t queries : {1U, 7U, 40U}) {
    for (const bool causal : {false, true}) {
      Case<T> test(2, 4, 2, queries, 70, 19, 35);
      fill(test, 21);
      if (causal) {
        test.sizes.right = 0;
        test.offsets = {static_cast<std::int64_t>(70 - queries), -3};
      }
      FusedAttention<T> call = test.call();
      call.closed_rows = nullptr;
      with_each_instruction_set([&](const std::string& set) {
        std::fill(test.context.begin(), test.context.end(), T{-77});
        CAPTURE(rung.name, set, queries, causal);
        REQUIRE(rung.attend(call, threads));
        CHECK(error_of(test).kernel < 100 * std::numeric_limits<T>::epsilon());
      });
    }
  }
}

}  // namespace

TEST_CASE("every rung of the ladder computes the same", "[backend][cpu]") {
  REQUIRE(rungs().size() == 6);
  for (const Rung& rung : rungs()) {
    check_rung<float>(rung);
    check_rung<double>(rung);
  }
}

TEST_CASE("every rung makes a context of 0 where there are no keys", "[backend][cpu]") {
  for (const Rung& rung : rungs()) {
    Threads threads(1);
    Case<double> test(1, 1, 1, 5, 0, 4, 4);
    fill(test, 23);
    FusedAttention<double> call = test.call();
    call.closed_rows = nullptr;
    std::fill(test.context.begin(), test.context.end(), -77.0);
    CAPTURE(rung.name);
    REQUIRE(rung.attend(call, threads));
    CHECK(test.context == std::vector<double>(test.context.size(), 0));
  }
}

TEST_CASE("a rung that cannot do a call says so and does nothing", "[backend][cpu]") {
  using Call = FusedAttention<float>;
  const std::vector<float> numbers(16);
  const std::vector<std::size_t> lengths = {3};
  const std::vector<std::uint8_t> open(16, 1);
  std::vector<std::uint8_t> closed_rows(4);
  const std::vector<std::function<void(Call&)>> asked = {
      [](Call& call) { call.softcap = 2; },
      [](Call& call) { call.log_base = 0.7F; },
      [](Call& call) { call.left = 1; },
      [](Call& call) { call.appended = 1; },
      [&](Call& call) { call.sinks = numbers.data(); },
      [&](Call& call) { call.bias = numbers.data(); },
      [&](Call& call) { call.lengths = lengths.data(); },
      [&](Call& call) { call.open = open.data(); },
      [&](Call& call) { call.closed_rows = closed_rows.data(); },
  };
  Case<float> test(1, 1, 1, 4, 4, 4, 4);
  fill(test, 22);
  Threads threads(1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Call call = test.call();
    call.closed_rows = nullptr;
    asked[i](call);
    for (const Rung& rung : rungs()) {
      std::fill(test.context.begin(), test.context.end(), -77.0F);
      const bool done = rung.attend(call, threads);
      CAPTURE(rung.name, i);
      CHECK(done == (rung.name == "online" || rung.name == "threaded"));
      CHECK((test.context[0] == -77.0F) != done);
    }
  }
}
