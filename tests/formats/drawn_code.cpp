// Writes operations of every kind on random numbers as the lines of numpy that a notebook has for them, an object of
// JSON a line: {"kind", "code", "given": {name: tensor}, "expected": tensor}, a tensor being {"shape", "data"}. The
// numbers expected are the reference's. For step_code_test.py.
//
//   attn_drawn_code COUNT         so many of each kind

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "exports/numpy/helpers.h"
#include "exports/numpy/step_code.h"
#include "unit/backend/drawn.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

nlohmann::json told(const Tensor<double>& tensor) {
  std::vector<std::string> numbers;  // JSON has no NaN and no infinity
  for (const double one : tensor.data()) {
    numbers.push_back(std::isfinite(one) ? nlohmann::json(one).dump()
                      : std::isnan(one)  ? "nan"
                      : one > 0          ? "inf"
                                         : "-inf");
  }
  return {{"shape", tensor.shape().sizes()}, {"data", numbers}};
}

bool is_finite(const Tensor<double>& tensor) {
  return std::ranges::all_of(tensor.data(), [](double one) { return std::isfinite(one); });
}

// Whether the mask has no axis but those of what is read and made, as in every recipe.
bool has_a_mask_of_its_own(const drawn::Call& call) {
  const auto is_read = [&](const Dim& dim) {
    return std::ranges::any_of(call.operands, [&](const auto& operand) { return operand.shape().has(dim.axis); });
  };
  return call.open && !std::ranges::all_of(call.open->shape().dims(), is_read);
}

void write(int kind, drawn::Call call) {
  ReferenceBackend reference;
  const auto* const softmax = std::get_if<Softmax>(&call.op);
  if (softmax && softmax->part == Softmax::Part::weights && call.open) {  // what a mask closes has no exponential
    call.operands[0] = drawn::made_by(reference, {Map{Unary::multiply, 1, ""}, {call.operands[0]}, call.open},
                                      Dtype::f64, Vectors::rows);
  }
  const Tensor<double> expected = drawn::made_by(reference, call, Dtype::f64, Vectors::rows);
  Trace trace;
  nlohmann::json given = nlohmann::json::object();
  std::vector<Operand> operands;
  const auto add = [&](const std::string& name, const Tensor<double>& tensor) {
    trace.givens.push_back(given_of({.id = name}, tensor));
    given[name] = told(tensor);
  };
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    operands.emplace_back("x" + std::to_string(i));
    add(operands.back().id, call.operands[i]);
  }
  std::optional<Operand> open;
  if (call.open) add(open.emplace("is_open").id, *call.open);
  trace.steps.push_back(step_of({.id = "made"}, call.op, operands, open, expected));
  std::set<std::string> helpers;
  const std::string code = code_of_step(trace, trace.steps[0], {call.open || softmax, call.open.has_value()}, helpers);
  std::cout << nlohmann::json{{"kind", kind},
                              {"code", numpy_head(helpers, std::nullopt) + "\n" + code},
                              {"given", given},
                              {"expected", told(expected)}}
            << '\n';
}

// What is rarely drawn, or never: an axis that only something added has, a matrix times a vector, axes that two
// operands do not share, and a mask that is the same for all keys.
std::vector<drawn::Call> chosen_calls() {
  const auto numbers = [](const Shape& shape) {
    Tensor<double> tensor(shape);
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = 0.25 * static_cast<double>((7 * i + 3) % 11) + 0.5;
    return tensor;
  };
  const Shape rows{{"query", 2}, {"d_k", 3}}, weights{{"query", 2}, {"key", 4}, {"block", 2}};
  return {
      {Copy{Shape{{"query", 3}}}, {numbers({})}},
      {Contract{"d_k"}, {numbers(rows), numbers({{"key", 4}, {"d_k", 3}}), numbers({{"head", 2}})}},
      {Contract{"d_k"}, {numbers(rows), numbers({{"d_k", 3}})}},
      {Contract{"d_k"}, {numbers({{"d_k", 3}}), numbers(rows)}},
      {Contract{"d_k"},
       {numbers({{"batch", 2}, {"query", 2}, {"d_k", 3}}), numbers({{"head", 2}, {"key", 4}, {"d_k", 3}})}},
      {Online{Online::Part::context, "key", "block", 2},
       {numbers({{"query", 2}, {"key", 4}}), numbers({{"key", 4}, {"d_v", 3}}), numbers({{"query", 2}, {"block", 2}})},
       Tensor<double>({{"query", 2}}, {1, 0})},
  };
}

}  // namespace
}  // namespace attn

int main(int count, char** arguments) {
  const int each = count == 2 ? std::atoi(arguments[1]) : 0;
  if (each <= 0) {
    std::cerr << "usage: attn_drawn_code COUNT\n";
    return 2;
  }
  for (const attn::drawn::Call& call : attn::chosen_calls()) attn::write(attn::drawn::kinds, call);
  for (int kind = 0; kind < attn::drawn::kinds; ++kind) {
    int written = 0;
    for (std::uint64_t seed = 0; written < each; ++seed) {
      attn::drawn::Drawn random(1000 * static_cast<std::uint64_t>(kind) + seed);
      const attn::drawn::Call call = attn::drawn::drawn_call(random, kind, attn::Dtype::f64);
      // What is no number is for tests of whole problems.
      if (!std::ranges::all_of(call.operands, attn::is_finite) || attn::has_a_mask_of_its_own(call)) continue;
      attn::write(kind, call);
      ++written;
    }
  }
}
