#include "exports/numpy/numpy_code.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/exp.h"
#include "base/text.h"
#include "exports/numpy/array.h"
#include "exports/numpy/helpers.h"
#include "exports/numpy/step_code.h"

namespace attn {
namespace {

void append_nested(const Tensor<double>& numbers, std::size_t axis, std::size_t& at, std::size_t indent,
                   std::string& text) {
  const Shape& shape = numbers.shape();
  if (axis == shape.rank()) {
    text += in_python(numbers[at++]);
    return;
  }
  text += '[';
  const bool is_row = axis + 1 == shape.rank();
  for (std::size_t i = 0; i < shape[axis].size; ++i) {
    if (i > 0) text += is_row ? ", " : ",\n" + std::string(indent + axis + 1, ' ');
    append_nested(numbers, axis + 1, at, indent, text);
  }
  text += ']';
}

std::string assigned_numbers(const std::string& id, const Tensor<double>& numbers) {
  const std::string start = NumpyCode::variable(id) + " = np.array(";
  return start + NumpyCode::literal(numbers, start.size()) + ", dtype=float)";
}

// Whether the step closes cells, or finds no score in a row but −∞: either way that is the row's maximum.
bool leaves_minus_infinity(const Step& step) {
  const auto* softmax = std::get_if<Softmax>(&step.op);
  const auto* online = std::get_if<Online>(&step.op);
  const bool is_maximum =
      (softmax && softmax->part == Softmax::Part::maximum) || (online && online->part == Online::Part::block_maximum);
  return std::holds_alternative<Close>(step.op) ||
         (is_maximum && std::ranges::find(step.result.data(), -infinity) != step.result.data().end());
}

}  // namespace

NumpyCode::NumpyCode(const Trace& trace) : trace_(trace) {
  closes_ = std::ranges::any_of(trace.steps, leaves_minus_infinity);
  const auto has_no_number = [](const Tensor<double>& numbers) {
    return std::ranges::any_of(numbers.data(), [](double number) { return !std::isfinite(number); });
  };
  reads_non_finite_ =
      std::ranges::any_of(trace.givens, [&](const GivenTensor& given) { return has_no_number(given.value); }) ||
      std::ranges::any_of(trace.steps, [&](const Step& step) {
        return std::holds_alternative<Given>(step.op) && has_no_number(step.result);
      });
}

std::string NumpyCode::head() const { return numpy_head(helpers_, trace_.arithmetic.hand_rounding); }

std::string NumpyCode::of(const GivenTensor& given) const {
  return given.rule ? code_of_rule(given) : assigned_numbers(given.heading.id, given.value);
}

std::string NumpyCode::of(const Step& step) {
  if (std::holds_alternative<Given>(step.op)) return assigned_numbers(step.heading.id, step.result);
  return code_of_step(trace_, step, {closes_, reads_non_finite_}, helpers_);
}

std::string NumpyCode::variable(const std::string& id) {
  std::string name = id;
  std::ranges::replace_if(
      name, [](char c) { return !is_ascii_alnum(c); }, '_');
  return name;
}

std::string NumpyCode::literal(const Tensor<double>& numbers, std::size_t indent) {
  std::string text;
  std::size_t at = 0;
  append_nested(numbers, 0, at, indent, text);
  return text;
}

}  // namespace attn
