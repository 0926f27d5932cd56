#pragma once

#include <set>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace attn {

// What computes a trace anew with numpy and nothing else: an assignment for every given tensor
// and every step, over the variables assigned before it. Nothing but what the problem gives and
// its options is a constant. Where axes are plain it says what a textbook does, queries @ keys.T,
// and einsum elsewhere.
class NumpyCode {
 public:
  explicit NumpyCode(const Trace& trace);

  // What is imported and defined before all else: REQUIRES that all steps were asked for.
  std::string head() const;

  // One line or several, without a line break at the end.
  std::string of(const GivenTensor& given) const;
  std::string of(const Step& step);

  // What a tensor is called: "layer1_self_scores".
  static std::string variable(const std::string& id);

  // Numbers as nested lists, one innermost list a line, indented by so many spaces behind the first.
  static std::string literal(const Tensor<double>& numbers, std::size_t indent);

 private:
  const Trace& trace_;
  std::set<std::string> helpers_;  // that the steps so far call
  bool closes_ = false;            // some row may have the maximum −∞
  bool reads_non_finite_ = false;  // something given is NaN or infinite, and may stand behind a mask
};

}  // namespace attn
