#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "sanitized.h"

namespace attn {
namespace {

const Workload standard_work{.queries = 128, .keys = 128, .key_width = 64, .value_width = 64};

// A device whose clock is in our hands: a peak and a call take turns as told,
// and everything that it is asked for is written down.
struct Clockwork {
  std::vector<std::string> asked = {};
  std::vector<double> peaks = {100e9};       // taken in turn
  std::map<std::string, double> takes = {};  // seconds of a call
  std::chrono::milliseconds peak_takes{0};
  std::size_t at = 0;
};

struct ClockworkRun final : public MeasurableRun {
  explicit ClockworkRun(Clockwork& of) : clockwork(of) {}
  double seconds(std::string_view kernel) override {
    clockwork.asked.emplace_back(kernel);
    return clockwork.takes.at(std::string(kernel));
  }
  Error error() override { return {1e-7, 2e-7}; }
  Clockwork& clockwork;
};

struct ClockworkDevice final : public Measurable {
  explicit ClockworkDevice(Clockwork& of) : clockwork(of) {}
  std::string device() const override { return "clockwork"; }
  const std::vector<MeasurableKernel>& kernels() const override { return none; }
  bool supports(std::string_view, const Workload&) const override { return true; }
  double peak(Dtype) override {
    clockwork.asked.emplace_back("peak");
    std::this_thread::sleep_for(clockwork.peak_takes);
    return clockwork.peaks[clockwork.at++ % clockwork.peaks.size()];
  }
  double bandwidth() override {
    clockwork.asked.emplace_back("bandwidth");
    return 10e9;
  }
  std::unique_ptr<MeasurableRun> prepare(const Workload&) override { return std::make_unique<ClockworkRun>(clockwork); }
  std::vector<MeasurableKernel> none;
  Clockwork& clockwork;
};

struct ClockworkPeer final : public Peer {
  ClockworkPeer(Clockwork& of, std::string called) : clockwork(of), who(std::move(called)) {}
  std::string name() const override { return who; }
  std::string prepare(const Workload&) override { return refusal; }
  std::optional<double> seconds() override {
    clockwork.asked.push_back(who);
    if (fails) return std::nullopt;
    return clockwork.takes.at(who);
  }
  Clockwork& clockwork;
  std::string who, refusal;
  bool fails = false;
};

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

Effort times(std::size_t count) { return {.seconds = 0, .least = count, .most = count}; }

TEST_CASE("every call stands between two measurements of the peak", "[bench]") {
  Clockwork clockwork{.takes = {{"slow", 0.5}, {"fast", 0.25}}};
  ClockworkDevice device(clockwork);
  measured(device, standard_work, {"slow", "fast"}, {}, times(2));
  CHECK(clockwork.asked == std::vector<std::string>{"slow", "fast",  // once before anything is timed
                                                    "peak", "slow", "peak", "fast", "peak",  //
                                                    "slow", "peak", "fast", "peak"});
}

TEST_CASE("where memory is the limit, calls stand between measurements of the bandwidth", "[bench]") {
  Clockwork clockwork{.takes = {{"one", 0.5}}};
  ClockworkDevice device(clockwork);
  const Workload decode{.queries = 1, .keys = 4096, .key_width = 64, .value_width = 64};
  const ShapeMeasured told = measured(device, decode, {"one"}, {}, times(1));
  CHECK(clockwork.asked == std::vector<std::string>{"one", "bandwidth", "one", "bandwidth"});
  CHECK(told.limit == Limit::memory);
  CHECK(near(told.kernels[0].best_fraction, least_bytes(decode) / 0.5 / 10e9));
}

TEST_CASE("a fraction is of the peaks beside the call, and the best one of the best peak", "[bench]") {
  const double a_second = operations(standard_work);
  Clockwork clockwork{.peaks = {a_second * 2, a_second * 6, a_second * 4}, .takes = {{"one", 0.5}}};
  ClockworkDevice device(clockwork);
  const ShapeMeasured told = measured(device, standard_work, {"one"}, {}, times(2));
  // Twice the operations a second: of (2 + 6) / 2, then of (6 + 4) / 2.
  CHECK(near(told.kernels[0].fraction.most, 2.0 / 4));
  CHECK(near(told.kernels[0].fraction.least, 2.0 / 5));
  CHECK(near(told.kernels[0].best_fraction, 2.0 / 6));
  CHECK(told.roof == Spread{3, a_second * 2, a_second * 3, a_second * 4, a_second * 5, a_second * 6});
  CHECK(told.kernels[0].seconds == Spread{2, 0.5, 0.5, 0.5, 0.5, 0.5});
  CHECK(told.kernels[0].error.plain == 2e-7);
}

TEST_CASE("peers take their turns with the last kernel, and their ratio is to it", "[bench]") {
  Clockwork clockwork{.takes = {{"slow", 8}, {"fast", 0.25}, {"a", 0.5}, {"b", 0.125}}};
  ClockworkDevice device(clockwork);
  ClockworkPeer a(clockwork, "a"), b(clockwork, "b");
  const ShapeMeasured told = measured(device, standard_work, {"slow", "fast"}, {&a, &b}, times(2));
  CHECK(clockwork.asked == std::vector<std::string>{"slow", "fast",                                            //
                                                    "peak", "slow", "peak", "fast", "peak", "a", "b", "peak",  //
                                                    "slow", "peak", "fast", "peak", "a", "b", "peak"});
  REQUIRE(told.peers.size() == 2);
  CHECK(told.peers[0].ratio.median == 2);
  CHECK(told.peers[1].best_ratio == 0.5);
}

TEST_CASE("a peer that refuses a shape, or fails at it, is named with the reason and not timed", "[bench]") {
  Clockwork clockwork{.takes = {{"one", 0.25}, {"c", 1}}};
  ClockworkDevice device(clockwork);
  ClockworkPeer a(clockwork, "a"), b(clockwork, "b"), c(clockwork, "c");
  a.refusal = "causal only";
  b.fails = true;
  const ShapeMeasured told = measured(device, standard_work, {"one"}, {&a, &b, &c}, times(3));
  CHECK(std::ranges::count(clockwork.asked, "a") == 0);
  CHECK(std::ranges::count(clockwork.asked, "b") == 1);
  CHECK(std::ranges::count(clockwork.asked, "c") == 3);
  CHECK(told.peers[0].left_out == "causal only");
  CHECK_FALSE(told.peers[1].left_out.empty());
  CHECK(told.peers[2].left_out.empty());
  CHECK(told.peers[2].seconds.count == 3);
}

TEST_CASE("measuring goes on until the time is used and the least number reached, and ends at the most", "[bench]") {
  Clockwork clockwork{.takes = {{"one", 1e-6}}};
  ClockworkDevice device(clockwork);
  CHECK(measured(device, standard_work, {"one"}, {}, {.seconds = 0, .least = 5, .most = 9}).kernels[0].seconds.count ==
        5);
  CHECK(
      measured(device, standard_work, {"one"}, {}, {.seconds = 3600, .least = 5, .most = 9}).kernels[0].seconds.count ==
      9);
}

TEST_CASE("the last kernel goes on as long as a peer does, and one that has used its time does not", "[bench]") {
  // Measuring the peak is what takes time: that is of our calls, and a peer has used none.
  Clockwork clockwork{.takes = {{"slow", 8}, {"fast", 0.25}, {"a", 0.5}}, .peak_takes = std::chrono::milliseconds(20)};
  ClockworkDevice device(clockwork);
  ClockworkPeer a(clockwork, "a");
  const ShapeMeasured told =
      measured(device, standard_work, {"slow", "fast"}, {&a}, {.seconds = 0.06, .least = 1, .most = 6});
  CHECK(told.kernels[0].seconds.count <= 3);
  CHECK(told.kernels[1].seconds.count == 6);
  CHECK(told.peers[0].ratio.count == 6);
}

TEST_CASE("memory that is taken is seen in what the process occupies", "[bench]") {
  if (!restart_peak_memory()) return;
  const std::size_t before = peak_memory();
  {
    std::vector<char> much(std::size_t{64} << 20, 1);
    CHECK(much[1234] == 1);
    CHECK(peak_memory() > before + (std::size_t{32} << 20));
  }
#ifndef ATTN_ADDRESS_SANITIZER  // which keeps what was freed
  restart_peak_memory();
  CHECK(peak_memory() < before + (std::size_t{32} << 20));
#endif
}

}  // namespace
}  // namespace attn
