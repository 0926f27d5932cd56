#include "reading/trace.h"

#include <string>
#include <vector>

#include "catch.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

std::string trace_with(const std::string& step) {
  return R"({"schema": "attn/trace/1", "statement": "", "result": "keys", "arithmetic": {"dtype": "f64"}, "steps": [)"
         R"({"id": "keys", "axes": ["key", "d_k"], "shape": [1, 2], "data": [[1, 2]]}, )" +
         step + "]}";
}

std::string scores_with(const std::string& data) {
  return trace_with(R"({"id": "scores", "axes": ["query", "key"], "shape": [2, 2], "data": )" + data + "}");
}

// Where the first fault is, and what is wrong there.
struct FirstFault {
  std::string where, message;
};

FirstFault fault_of(const std::string& spelled) {
  const auto trace = read_trace(spelled);
  if (trace) return {"", "nothing"};
  return {trace.faults()[0].where, trace.faults()[0].message};
}

}  // namespace

TEST_CASE("what is wrong with a trace is told of the step and the cell that it is of", "[reading]") {
  REQUIRE(read_trace(scores_with("[[1, 2], [3, \"inf\"]]")));
  const auto [data, place, message] = GENERATE(table<std::string, std::string, std::string>({
      {R"([[1, 2], [3, "four"]])", "/1/1", R"( (scores) is a text, where a number is wanted)"},
      {"[[1, 2], [3, null]]", "/1/1", " (scores) is null, where a number is wanted"},
      {"[[1, 2], [3, true]]", "/1/1", " (scores) is a boolean; a number is wanted"},
      {"[[1, 2], 3]", "/1", " (scores) is a number, where a list is wanted"},
      {"[[1, 2], [3]]", "/1", " (scores) has 1 number, and /steps/1/data/0 has 2"},
      {"[[[1], [2]], [[3]]]", "/1", " (scores) has 1 list, and /steps/1/data/0 has 2"},
      {R"([["x"]])", "/0/0", R"( (scores) is "x"; lists of numbers are wanted)"},
      {R"("x")", "", R"( (scores) is "x"; lists of numbers are wanted)"},
      {"[]", "", " (scores) is empty; lists of numbers are wanted"},
      {"{}", "", " (scores) is an object; lists of numbers are wanted"},
  }));
  INFO(data);
  const FirstFault fault = fault_of(scores_with(data));
  CHECK(fault.where == "/steps/1/data" + place);
  CHECK(fault.message == fault.where + message);
}

TEST_CASE("what a step of a trace lacks is told of the step", "[reading]") {
  const auto [step, where, message] = GENERATE(table<std::string, std::string, std::string>({
      {"3", "/steps/1", "/steps/1 is 3; a step is an object"},
      {R"({"axes": []})", "/steps/1", R"(/steps/1 has no "id")"},
      {R"({"id": 3})", "/steps/1/id", "/steps/1/id is 3; a text is wanted"},
      {R"({"id": "", "axes": ["a"], "data": [1]})", "/steps/1/id", "/steps/1/id is empty"},
      {R"({"id": "scores", "axes": "query", "data": [1]})", "/steps/1/axes",
       R"(/steps/1/axes (scores) does not name each axis of "data", which is 1)"},
      {R"({"id": "scores", "axes": [{}], "data": [1]})", "/steps/1/axes",
       "/steps/1/axes (scores) is no list of different names"},
      {R"({"id": "keys", "axes": ["a"], "shape": [1], "data": [1]})", "/steps/1/id",
       "/steps/1/id (keys) is the id of a step before it, too"},
      {R"({"id": "scores"})", "/steps/1", R"(/steps/1 (scores) has no "data")"},
      {R"({"id": "scores", "data": [1]})", "/steps/1", R"(/steps/1 (scores) has no "axes")"},
      {R"({"id": "scores", "axes": ["a"], "data": [1]})", "/steps/1", R"(/steps/1 (scores) has no "shape")"},
      {R"({"id": "scores", "axes": ["a"], "data": [[1, 2]]})", "/steps/1/axes",
       R"(/steps/1/axes (scores) does not name each axis of "data", which is 1 × 2)"},
      {R"({"id": "scores", "axes": ["a", "a"], "data": [[1, 2]]})", "/steps/1/axes",
       "/steps/1/axes (scores) is no list of different names"},
      {R"({"id": "scores", "axes": ["a"], "shape": [3], "data": [1, 2]})", "/steps/1/shape",
       R"(/steps/1/shape (scores) is not the shape of "data", which is 2)"},
  }));
  INFO(step);
  const FirstFault fault = fault_of(trace_with(step));
  CHECK(fault.where == where);
  CHECK(fault.message == message);
}

TEST_CASE("an id that steps before it have is told of each, however it is spelled", "[reading]") {
  const auto step = [](const std::string& id) {
    return R"({"data": [1], "axes": ["a"], "shape": [1], "id": ")" + id + R"("})";
  };
  const auto trace = read_trace(
      trace_with(step("b") + "," + step("a") + "," + step(R"(k\u0065ys)") + "," + step("c") + "," + step("b")));
  REQUIRE_FALSE(trace);
  REQUIRE(trace.faults().size() == 2);
  CHECK(trace.faults()[0].message == "/steps/3/id (keys) is the id of a step before it, too");
  CHECK(trace.faults()[1].message == "/steps/5/id (b) is the id of a step before it, too");
}

TEST_CASE("of very many faults of a trace the first are told and the rest counted", "[reading]") {
  std::string nothing = "{}", repeated;
  for (int i = 1; i < 800; ++i) nothing += ", {}";
  for (int i = 0; i < 1500; ++i) {
    repeated += R"(, {"id": "keys", "axes": ["a"], "shape": [1], "data": [1]})";
  }
  const auto count = [](const std::string& steps) {
    const Diagnostics faults = read_trace(trace_with(steps)).faults();
    return faults.size() + faults.back().unkept;
  };
  CHECK(count(nothing) == 1600);  // no id and no data
  CHECK(count(repeated.substr(2)) == 1500);
  CHECK(count(nothing + repeated) == 3100);
}

TEST_CASE("what a trace itself lacks is told of the trace", "[reading]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"[]", "a trace is an object, { … }; this is a list"},
      {"{}", R"(the trace has no "schema")"},
      {R"({"schema": "attn/trace/0"})", R"(/schema is not "attn/trace/1")"},
      {R"({"schema": "attn/trace/2"})", R"(/schema is not "attn/trace/1")"},
      {R"({"schema": "attn/trace/12", "statement": "", "result": "", "arithmetic": {"dtype": "f64"}, "steps": []})",
       R"(/schema is not "attn/trace/1")"},
      {R"({"schema": "attn/trace/1.5", "statement": "", "result": "", "arithmetic": {"dtype": "f64"}, "steps": []})",
       R"(/schema is not "attn/trace/1")"},
      {R"({"schema": "attn/trace/", "statement": "", "result": "", "arithmetic": {"dtype": "f64"}, "steps": []})",
       R"(/schema is not "attn/trace/1")"},
      {R"({"schema": "attn/trace/1", "statement": "", "result": ""})", R"(the trace has no "arithmetic")"},
      {R"({"schema": "attn/trace/1", "statement": "", "result": "", "arithmetic": "f64"})",
       R"(/arithmetic is "f64"; an object is wanted)"},
      {R"({"schema": "attn/trace/1", "statement": "", "result": "", "arithmetic": {"dtype": "f64"}})",
       R"(the trace has no "steps")"},
      {R"({"schema": "attn/trace/1", "statement": "", "result": "", "arithmetic": {"dtype": "f64", "hand_rounding": 3}})",
       "/arithmetic/hand_rounding is 3; a text is wanted, or null"},
      {R"({"schema": "attn/trace/1", "statement": "", "result": "", "arithmetic": {"dtype": "f64"}, "steps": 3})",
       "/steps is 3; a list of steps is wanted"},
  }));
  INFO(text);
  CHECK(fault_of(text).message == message);
}

TEST_CASE("a trace of numbers that we do not know is none", "[reading]") {
  std::string text = scores_with("[[1, 2], [3, 4]]");
  text.replace(text.find("f64"), 3, "f63");
  CHECK(fault_of(text).where == "/arithmetic/dtype");
  CHECK(fault_of(text).message == R"(/arithmetic/dtype is "f63"; one of f64, f32, bf16, f16 is wanted)");
}

TEST_CASE("a trace whose schema is missing is told so, and a problem is no trace", "[reading]") {
  std::string text = scores_with("[[1, 2], [3, 4]]");
  CHECK(is_stored_trace(text));
  const std::string schema = R"("schema": "attn/trace/1", )";
  text.erase(text.find(schema), schema.size());
  CHECK(is_stored_trace(text));
  CHECK(fault_of(text).message == R"(the trace has no "schema")");
  CHECK_FALSE(is_stored_trace(R"({"inputs": [[1]]})"));
  CHECK_FALSE(is_stored_trace(R"({"inputs": [[1]], "steps": {}})"));
}

TEST_CASE("the numbers of a trace are those of its dtype, of which the fewest digits are written", "[reading]") {
  const auto number = [](const std::string& dtype) {
    const auto trace =
        read_trace(R"({"schema": "attn/trace/1", "statement": "", "result": "x", "arithmetic": {"dtype": ")" + dtype +
                   R"("}, "steps": [{"id": "x", "axes": ["d"], "shape": [1], "data": [0.1]}]})");
    REQUIRE(trace);
    return trace.value().steps[0].value[0];
  };
  CHECK(number("f64") == 0.1);
  CHECK(number("f32") == static_cast<double>(0.1F));
  CHECK(number("bf16") == 0.10009765625);   // 205 / 2048
  CHECK(number("f16") == 0.0999755859375);  // 1638 / 16384
}

TEST_CASE("the shape of a step is a list of its sizes, and its axes have a name each", "[reading]") {
  const auto where = [](const std::string& axes, const std::string& shape) {
    return fault_of(trace_with(R"({"id": "scores", "axes": )" + axes + R"(, "shape": )" + shape +
                               R"(, "data": [[1, 2], [3, 4]]})"))
        .where;
  };
  CHECK(where(R"(["query", "key"])", "[2, 2]").empty());
  for (const std::string shape : {"[[2, 2]]", "[[2], [2]]", "[2]", "[2, 2, 1]", "[2, 3]", "4"}) {
    INFO(shape);
    CHECK(where(R"(["query", "key"])", shape) == "/steps/1/shape");
  }
  for (const std::string axes : {R"(["key", "key"])", R"(["query"])", R"(["query", "key", "head"])", "[1, 2]"}) {
    INFO(axes);
    CHECK(where(axes, "[2, 2]") == "/steps/1/axes");
  }
}
