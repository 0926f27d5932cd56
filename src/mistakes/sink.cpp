#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// A softmax with a sink.
std::optional<SoftmaxInput> with_sink(const RightAttention& right) {
  auto input = softmax_input(right);
  return input && input->sink ? std::move(input) : std::nullopt;
}

Rewrites without_sink(const RightAttention& right, const SoftmaxInput& input) {
  SoftmaxInput without = input;
  without.sink.reset();
  const Anatomy& at = right.at;
  const Instruction sums = sums_line(at.sums, without, at.exponentials, at.maximum);
  return {rewritten(right, at.weights, language().mistakes.sink_not_searched,
                    {maximum_line(at.maximum, without, input.scores), sums}),
          rewritten(right, at.weights, language().mistakes.sink_only_not_summed, {sums})};
}

// For each row of the mask 1 at its first open cell.
Tensor<double> first_of_row(Tensor<double> open) {
  const std::size_t keys = open.shape().size("key");
  for (std::size_t row = 0; row < open.size(); row += keys) {
    const auto cells = open.data().subspan(row, keys);
    const auto first = std::ranges::find(cells, 1.0);
    if (first != cells.end()) std::fill(first + 1, cells.end(), 0.0);
  }
  return open;
}

// The sink's weight, e^(sink − maximum) / sum, given to keys again: to each of
// the open ones as much, to the one with the largest weight, or to the first.
Rewrites given_out_again(const RightAttention& right, const SoftmaxInput& input) {
  const Anatomy& at = right.at;
  const auto to = [&](const std::string& variant, std::vector<Instruction> keys) {
    std::vector<Instruction> lines = {line("~below_maximum", Combine{Binary::subtract, {}}, {*input.sink, at.maximum}),
                                      line("~power", Map{Unary::exp, 0, ""}, {"~below_maximum"}),
                                      line("~share", Combine{Binary::divide, {}}, {"~power", at.sums}),
                                      weights_line("~weights", input, at.exponentials, at.sums)};
    lines.insert(lines.end(), keys.begin(), keys.end());
    lines.push_back(line("~given_again", Combine{Binary::multiply, {}}, {"~keys", "~share"}));
    lines.push_back(line(at.weights, Combine{Binary::add, {}}, {"~weights", "~given_again"}, input.open));
    return rewritten(right, at.weights, variant, std::move(lines));
  };
  Tensor<double> open(right.shape(at.weights), std::vector<double>(right.shape(at.weights).count(), 1));
  if (input.open) open = right.value(input.open->id);
  const MistakeWords& said = language().mistakes;
  return {to(said.to_all_open_keys, {given_line("~keys", equal_weights(open))}),
          to(said.to_largest_weight, largest_lines("~keys", "~weights", input.open)),
          to(said.to_first_key, {given_line("~keys", first_of_row(open))})};
}

}  // namespace

Family sink_family() {
  const MistakeWords& said = language().mistakes;
  return {said.sink,
          {
              {"sink.left_out", said.sink_left_out, where<with_sink, without_sink>},
              {"sink.kept", said.sink_kept, where<with_sink, given_out_again>},
          }};
}

}  // namespace attn
