// The mask that docs/adding.md tells its readers to write, compiled as it stands there, in the table of masks.

#include <string>
#include <vector>

#include "catch.h"
#include "model/computation.h"
#include "model/masks/mask.h"
#include "problem/digest.h"
#include "reading/problem/problem.h"
#include "reading/schemas.h"
#include "reference_backend.h"

namespace attn {

Mask given_mask();
Mask causal_mask();
Mask window_mask();
Mask lengths_mask();
Mask blocks_mask();

// In place of the program's own table: the same with a row more.
const std::vector<Mask>& masks() {
  static const std::vector<Mask> rows = {given_mask(), causal_mask(), window_mask(), lengths_mask(), blocks_mask()};
  return rows;
}

}  // namespace attn

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

Result<Problem> read(const std::string& rest) {
  return read_problem(R"({"inputs": [[1, 0], [0, 1], [1, 1], [2, -1], [0, 3]])" + rest + "}", catalog(), 1 << 20);
}

std::string digest(const std::string& rest) { return statement_digest(read(rest).value()); }

Tensor<double> context(const std::string& rest) {
  ReferenceBackend backend;
  return attention(read(rest).value(), backend).find("context")->result;
}

}  // namespace

TEST_CASE("queries attend within their blocks, as docs/adding.md says", "[docs]") {
  CHECK(context(R"(, "blocks": 2)") ==
        context(R"(, "mask": {"allow": [[1,1,0,0,0], [1,1,0,0,0], [0,0,1,1,0], [0,0,1,1,0], [0,0,0,0,1]]})"));
  CHECK(context(R"(, "blocks": 2, "offset": -1, "causal": true)") ==
        context(R"(, "mask": {"allow": [[0,0,0,0,0], [1,0,0,0,0], [1,1,0,0,0], [0,0,1,0,0], [0,0,1,1,0]]})"));
  CHECK(context(R"(, "blocks": 5)") == context(""));
}

TEST_CASE("whoever reads problems knows the mask of docs/adding.md from its one file", "[docs]") {
  CHECK(digest(R"(, "blocks": 2)") != digest(""));
  CHECK(digest(R"(, "blocks": 2)") != digest(R"(, "blocks": 3)"));
  const std::string schema = problem_schema(catalog());
  CHECK(schema.find("\"blocks\"") != std::string::npos);
  CHECK(schema.find("how many positions a block has") != std::string::npos);

  const Diagnostics misspelt = read(R"(, "bloks": 2)").faults();
  REQUIRE(misspelt.size() == 1);
  CHECK(misspelt[0].help.text() == "did you mean /blocks?");
  CHECK(read(R"(, "block_size": 2)").faults().front().help.text() == "did you mean /blocks?");
  CHECK(read(R"(, "blocks": 0)").faults().front().message == "/blocks is 0; 1 or more is wanted");
  CHECK_FALSE(read(R"(, "blocks": 1.5)"));
  CHECK_FALSE(read(R"(, "blocks": [2])"));
}
