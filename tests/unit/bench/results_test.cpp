#include "bench/results.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catch.h"
#include "unit/formats/as_text.h"

namespace attn {
namespace {

KernelMeasured kernel(const std::string& name, double seconds) {
  return {.kernel = name,
          .seconds = {7, seconds, seconds * 1.01, seconds * 1.02, seconds * 1.03, seconds * 1.1},
          .fraction = {7, 0.612, 0.634, 0.645, 0.651, 0.66},
          .best_fraction = 0.655,
          .working_memory = std::size_t{123} << 20,
          .error = MeasurableRun::Error{1.26e-7, 2.14e-7}};
}

// The suite as it is measured, with names and numbers as long as they get.
BenchReport suite_report() {
  BenchReport report{
      .backend = "cpu", .device = "AVX-512, 16 threads", .ladder = {{"plain", "one row"}, {"threaded", "all rows"}}};
  double seconds = 111e-9;
  for (const Workload& work : bench_suite(Dtype::f32)) {
    ShapeMeasured shape{.workload = work,
                        .limit = limit_of(work),
                        .operations = operations(work),
                        .bytes = least_bytes(work),
                        .roof = {8, 290e9, 291e9, 292e9, 293e9, 294e9},
                        .peak_memory = std::size_t{999} << 20};
    shape.kernels = {kernel("plain", seconds * 100), kernel("threaded", seconds)};
    shape.peers = {{.peer = "onnxruntime MultiHeadAttention",
                    .left_out = "",
                    .seconds = shape.kernels[0].seconds,
                    .ratio = {7, 1, 1, 1.31, 2, 2},
                    .best_ratio = 107.3},
                   {.peer = "numpy, all scores", .left_out = "its scores would take 8.0 GiB"}};
    report.shapes.push_back(shape);
    seconds *= 5;
  }
  report.libraries = {{"numpy", "2.4.6, scipy-openblas 0.3.31", ""}, {"torch", "", "No module named 'torch'"}};
  return report;
}

std::string text_of(const Document& document, FormatOptions options = {}) { return as_text(document, options); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("a benchmark fits 80 columns, and no number is broken", "[explain][bench]") {
  for (const bool ascii : {false, true}) {
    const std::string text = text_of(told_benchmark(suite_report()), {.ascii = ascii});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(display_width(line) <= 80);
    }
    // Every shape is on a line of its own, with its numbers up to the last column.
    CHECK(contains(text, ascii ? "0.63-0.65\n" : "0.63–0.65\n"));
    CHECK_FALSE(contains(text, "\n   0.6"));
  }
}

TEST_CASE("a benchmark says of each shape its times, its share of the peak, its memory and its error",
          "[explain][bench]") {
  const std::string text = text_of(told_benchmark(suite_report()));
  CHECK(contains(text, "1×8×2048×64 causal"));
  CHECK(contains(text, "113 ns   111 ns"));  // the median and the best of the first
  CHECK(contains(text, "1.3e-07  2.1e-07   0.59"));
  CHECK(contains(text, "123 MiB"));
  CHECK(contains(text, "GB/s"));  // of decoding
}

TEST_CASE("the ladder says what each kernel gains over the one before, and over the first", "[explain][bench]") {
  const std::string text = text_of(told_benchmark(suite_report()));
  CHECK(contains(text, "The ladder at 1×8×128×64"));
  CHECK(contains(text, "100×"));
  BenchReport one = suite_report();
  for (ShapeMeasured& shape : one.shapes) shape.kernels.erase(shape.kernels.begin());
  CHECK_FALSE(contains(text_of(told_benchmark(one)), "The ladder"));
}

TEST_CASE("peers are told with their ratios, and what was left out with its reason", "[explain][bench]") {
  const std::string text = text_of(told_benchmark(suite_report()));
  CHECK(contains(text, "onnxruntime MultiHeadAttention"));
  CHECK(contains(text, "1.31"));
  CHECK(contains(text, "numpy, all scores: its scores would take 8.0 GiB"));
  CHECK(contains(text, "torch is not installed here (No module named 'torch')"));
  CHECK(contains(text, "numpy 2.4.6, scipy-openblas 0.3.31"));
  BenchReport alone = suite_report();
  alone.libraries.clear();
  for (ShapeMeasured& shape : alone.shapes) shape.peers.clear();
  CHECK_FALSE(contains(text_of(told_benchmark(alone)), "other libraries"));
}

TEST_CASE("of a model its sizes are told, and both ways to work it out", "[explain][bench]") {
  Workload work{.heads = 12, .kv_heads = 12, .queries = 32, .keys = 32, .key_width = 64, .value_width = 64};
  work.model_width = 768;
  work.model = ModelSizes{.name = "a-name-of-twenty-four-co",
                          .layers = 12,
                          .hidden = 3072,
                          .vocabulary = 50257,
                          .norm = "layer",
                          .activation = "gelu",
                          .apart = "",
                          .numbers = 124e6,
                          .operations = 8e9};
  BenchReport report = suite_report();
  report.shapes.resize(1);
  report.shapes[0].workload = work;
  report.shapes[0].bytes = least_bytes(work);
  report.shapes[0].operations = operations(work);
  CHECK(report.shapes[0].bytes == 4 * 124e6);
  const std::string text = text_of(told_benchmark(report));
  CHECK(contains(text, "A model on AVX-512, 16 threads"));
  CHECK(contains(text, "12 layers of width 768 and 12 heads, feed-forward 3072, 32 tokens, 50257"));
  CHECK(contains(text, "The ladder at a-name-of-twenty-four-co"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 80);
  const auto json = nlohmann::json::parse(benchmark_json(report))["shapes"][0];
  CHECK(json["name"] == "a-name-of-twenty-four-co");
  CHECK(json["workload"]["model"]["numbers"] == 124e6);
}

TEST_CASE("a report without shapes names the device and no more", "[explain][bench]") {
  BenchReport report = suite_report();
  report.shapes.clear();
  CHECK(as_text(told_benchmark(report)) == as_text({{Headline{1, {"Attention on AVX-512, 16 threads"}}}}));
}

TEST_CASE("memory is told in the largest unit that there is a name for", "[explain][bench]") {
  BenchReport report = suite_report();
  report.shapes.resize(1);
  report.shapes[0].bytes = std::ldexp(5000, 40);
  report.shapes[0].peak_memory = std::size_t{3} << 30;
  report.shapes[0].kernels.back().working_memory = 999;
  const std::string text = as_text(told_benchmark(report));
  CHECK(contains(text, " 5000 TiB"));
  CHECK(contains(text, " 3.00 GiB"));
  CHECK(contains(text, " 999 B"));
}

TEST_CASE("several libraries, peers that are left out and sequences of a model are told one behind the other",
          "[explain][bench]") {
  BenchReport report = suite_report();
  report.shapes.resize(1);
  report.libraries[1] = {"torch", "2.5", ""};
  report.shapes[0].peers.push_back({.peer = "torch", .left_out = "it failed"});
  std::string text = as_text(told_benchmark(report));
  std::ranges::replace(text, '\n', ' ');
  CHECK(contains(text, "numpy 2.4.6, scipy-openblas 0.3.31; torch 2.5."));
  CHECK(contains(text, "Left out: numpy, all scores: its scores would take 8.0 GiB; torch: it failed."));
  Workload& work = report.shapes[0].workload;
  work.model = ModelSizes{.name = "two", .layers = 1, .norm = "layer", .activation = "gelu", .apart = ""};
  work.batch = 2;
  work.queries = 32;
  CHECK(contains(as_text(told_benchmark(report)), ", 2 sequences of 32 tokens."));
}

TEST_CASE("times have three digits and a unit", "[explain][bench]") {
  CHECK(spelled_seconds(310e-9) == "310 ns");
  CHECK(spelled_seconds(1.2549e-3) == "1.25 ms");
  CHECK(spelled_seconds(0.0996) == "99.6 ms");
  CHECK(spelled_seconds(0.99949) == "999 ms");
  CHECK(spelled_seconds(0.9996) == "1.00 s");
  CHECK(spelled_seconds(12.34) == "12.3 s");
  CHECK(spelled_seconds(4.4e-10) == "0.44 ns");
}

TEST_CASE("the JSON of a benchmark holds the numbers as they were measured", "[exports][bench]") {
  BenchReport report = suite_report();
  for (ShapeMeasured& shape : report.shapes) shape.kernels[0].error.of_bound = 0.25;
  const auto json = nlohmann::json::parse(benchmark_json(report));
  CHECK(json["schema"] == "attn/bench/1");
  CHECK(json["device"] == report.device);
  REQUIRE(json["shapes"].size() == report.shapes.size());
  for (std::size_t i = 0; i < report.shapes.size(); ++i) {
    const ShapeMeasured& shape = report.shapes[i];
    const auto& told = json["shapes"][i];
    CHECK(told["name"] == spelled(shape.workload));
    CHECK(told["workload"]["keys"] == shape.workload.keys);
    CHECK(told["workload"]["causal"] == shape.workload.causal);
    CHECK(told["operations"] == shape.operations);
    CHECK(told["bytes"] == shape.bytes);
    CHECK(told["peak"]["most"] == shape.roof.most);
    CHECK(told["peak_memory"] == shape.peak_memory);
    REQUIRE(told["kernels"].size() == 2);
    CHECK(told["kernels"][1]["seconds"]["median"] == shape.kernels[1].seconds.median);
    CHECK(told["kernels"][1]["best_of_peak"] == shape.kernels[1].best_fraction);
    CHECK(told["kernels"][1]["error"]["plain"] == shape.kernels[1].error.plain);
    CHECK(told["kernels"][1]["error"]["of_bound"].is_null());
    CHECK(told["kernels"][0]["error"]["of_bound"] == 0.25);
    CHECK(told["peers"][0]["ratio"]["median"] == shape.peers[0].ratio.median);
    CHECK(told["peers"][1] ==
          nlohmann::json{{"peer", "numpy, all scores"}, {"left_out", "its scores would take 8.0 GiB"}});
  }
  CHECK(json["libraries"][1] == nlohmann::json{{"name", "torch"}, {"missing", "No module named 'torch'"}});
}

}  // namespace
}  // namespace attn
