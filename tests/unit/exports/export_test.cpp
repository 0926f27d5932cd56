#include "exports/export.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/sink.h"
#include "catch.h"
#include "exports/xml_text.h"
#include "unit/model/attentions.h"
#include "unit/trace/by_hand.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

TEST_CASE("what is said of how long an export will be is not wildly wrong", "[exports]") {
  const Trace trace = alone(problem_of(R"({"inputs": {"random": "normal", "shape": [3, 12, 16], "seed": 1}, "heads": 4,
      "causal": true, "weights": {"query": {"random": "normal", "shape": [16, 16], "seed": 2},
                                  "key": {"random": "normal", "shape": [16, 16], "seed": 3},
                                  "value": {"random": "normal", "shape": [16, 16], "seed": 4}}})"));
  for (const Export& exported : exports()) {
    if (exported.missing && exported.missing()) continue;
    if (exported.unwritable && exported.unwritable(trace)) continue;
    StringSink sink;
    exported.write(trace, sink);
    const auto written = static_cast<double>(sink.take().size());
    const auto expected = static_cast<double>(exported.expected_bytes(trace));
    CAPTURE(exported.name, written, expected);
    CHECK(expected > written / 4);
    CHECK(expected < 4 * written);
  }
}

TEST_CASE("what XML has no character for is replaced in it", "[exports]") {
  CHECK(in_xml("a & b < c > \"d\"") == "a &amp; b &lt; c &gt; &quot;d&quot;");
  CHECK(in_xml("\uFFFE \uFFFD \uFFFF") == "\uFFFD \uFFFD \uFFFD");
}

TEST_CASE("an archive of more arrays than 16 bits count says how many there are", "[exports]") {
  constexpr std::size_t steps = 0x10001;
  Trace trace;
  for (std::size_t i = 0; i < steps; ++i) {
    trace.steps.push_back(step_of({.id = std::to_string(i)}, Given{}, {}, {}, Tensor<double>({}, {1})));
  }
  StringSink sink;
  std::ranges::find(exports(), "npz", &Export::name)->write(trace, sink);
  const std::string archive = sink.take();
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | static_cast<unsigned char>(archive[at + bytes]);
    return value;
  };
  // The end of the directory, and before it where its 64-bit twin stands (APPNOTE 4.3.14 to 4.3.16).
  const std::size_t end = archive.size() - 22, locator = end - 20;
  REQUIRE(number(end, 4) == 0x06054b50);
  CHECK(number(end + 10, 2) == 0xFFFF);
  REQUIRE(number(locator, 4) == 0x07064b50);
  const std::size_t wide = number(locator + 8, 8);
  REQUIRE(wide == locator - 56);
  CHECK(number(wide, 4) == 0x06064b50);
  CHECK(number(wide + 32, 8) == steps);
  CHECK(number(wide + 40, 8) == number(end + 12, 4));
  CHECK(number(wide + 48, 8) == number(end + 16, 4));
  CHECK(number(number(wide + 48, 8), 4) == 0x02014b50);
}

namespace {

std::size_t expected_of(std::string_view name, const Trace& trace) {
  return std::ranges::find(exports(), name, &Export::name)->expected_bytes(trace);
}

std::string written_as(std::string_view name, const Trace& trace) {
  StringSink sink;
  std::ranges::find(exports(), name, &Export::name)->write(trace, sink);
  return sink.take();
}

}  // namespace

TEST_CASE("of questions with little that is given what is said of their length is not wildly wrong", "[exports]") {
  for (const std::string shape : {"[4, 3]", "[7, 6]", "[9, 40]"}) {
    const Trace trace = alone(problem_of(R"({"inputs": {"random": "normal", "shape": )" + shape + R"(, "seed": 1}})"));
    for (const std::string name : {"gift", "moodle"}) {
      const auto written = static_cast<double>(written_as(name, trace).size());
      const auto expected = static_cast<double>(expected_of(name, trace));
      CAPTURE(name, shape, written, expected);
      CHECK(expected > written / 4);
      CHECK(expected < 4 * written);
    }
  }
}

TEST_CASE("a trace without steps, and a step without numbers, are written as such", "[exports]") {
  Trace trace;
  CHECK(written_as("json", trace).ends_with("\"steps\": []\n}\n"));
  CHECK(written_as("csv", trace) == "batch,head,step,row,column,value,row_label,column_label\n");
  trace.steps.push_back(
      step_of({.id = "none"}, Given{}, {}, {}, Tensor<double>(Shape{{"batch", 0}, {"query", 2}, {"d_k", 3}})));
  trace.steps.push_back(step_of({.id = "narrow"}, Given{}, {}, {}, Tensor<double>(Shape{{"query", 2}, {"d_k", 0}})));
  CHECK(written_as("csv", trace) == "batch,head,step,row,column,value,row_label,column_label\n");
  CHECK(expected_of("csv", trace) == 0);
  CHECK(expected_of("json", trace) >= written_as("json", trace).size() / 4);
}

TEST_CASE("a step of which every cell is closed asks for nothing", "[exports]") {
  const std::string begin = R"({"inputs": [[1, 0], [0, 2]], "score": "dot", "mask": [{"allow": )";
  const Trace closed = alone(problem_of(begin + "[[0, 0], [0, 0]]}]}"));
  const Trace open = alone(problem_of(begin + "[[1, 1], [1, 1]]}]}"));
  const auto questions = [](const Trace& trace) {
    const std::string text = written_as("moodle", trace), question = "<question type=\"cloze\">";
    std::size_t count = 0;
    for (std::size_t at = text.find(question); at != std::string::npos; at = text.find(question, at + 1)) ++count;
    return count;
  };
  CHECK(written_as("gift", open).find("A[1,1]::") != std::string::npos);
  CHECK(written_as("gift", closed).find("A[1,1]::") == std::string::npos);
  CHECK(questions(closed) < questions(open));
}
