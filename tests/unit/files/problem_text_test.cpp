#include "files/problem_text.h"

#include <nlohmann/json.hpp>

#include "catch.h"

using namespace attn;

TEST_CASE("what fits a line stands in one, but for rows of numbers that stand one below another", "[files]") {
  const auto text = [](const char* json) { return problem_text(nlohmann::ordered_json::parse(json)); };
  CHECK(text(R"({"b":[],"a":{},"c":{"d":[[]]}})") == "{\"b\": [], \"a\": {}, \"c\": {\"d\": [[]]}}\n");
  CHECK(text(R"({"a":[[1,2],[3,4]]})") == "{\n  \"a\": [\n    [1, 2],\n    [3, 4]\n  ]\n}\n");
  CHECK(text("[1,2]") == "[1, 2]\n");
}
