#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace attn {

// A kind of file in which somebody hands in answers, as one to be filled in.
struct AnswersTemplate {
  std::string_view name;    // "json"
  std::string_view ending;  // ".json"

  // Blanks in the shapes of these steps of the trace, none of its numbers.
  std::string (*write)(const Trace& trace, const std::vector<std::string>& ids);
};

std::span<const AnswersTemplate> answers_templates();

// What somebody would hand in who has everything right: the text template, filled in with
// the numbers of these steps to so many decimals; whole numbers without any, but for those of a softmax.
std::string worked_answers(const Trace& trace, const std::vector<std::string>& ids, int decimals);

// The steps that a person works out: neither given, nor given numbers in another order.
std::vector<std::string> steps_to_work_out(const Trace& trace);

}  // namespace attn
