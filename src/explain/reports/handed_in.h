#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "mark/report.h"

namespace attn {

// The matrices of a step as somebody wrote them, each number with a sign that says
// what became of it, and as they should be. Those in which all is right are
// left out.
struct HandedIn {
  std::vector<Matrix> written, expected;
};

// `like` is the step, or one of the same shape. Nothing where the answer has
// cells that the step has not.
HandedIn handed_in(const MarkedStep& answer, const Step& like, const Trace& trace, const Numerals& numerals);

// What the signs in these matrices mean; empty where there are none.
std::string legend(const std::vector<Matrix>& matrices);

}  // namespace attn
