#include <utility>
#include <vector>

#include "base/math.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

using Lines = std::vector<Instruction>;

// The lines that take the place of the softmax's own; none where it has no such mistake.
using SoftmaxRule = Lines (*)(const RightAttention&, const SoftmaxInput&);

template <SoftmaxRule rule>
Rewrites once(const RightAttention& right) {
  const auto input = softmax_input(right);
  const Lines lines = input ? rule(right, *input) : Lines();
  return lines.empty() ? Rewrites() : Rewrites{rewritten(right, right.at.weights, "", lines)};
}

// Along the columns: each key's weights add up to 1, and no query's.
Lines columns(const RightAttention& right, const SoftmaxInput& input) {
  const Anatomy& at = right.at;
  return {maximum_line(at.maximum, input, input.scores, "query"),
          sums_line(at.sums, input, at.exponentials, at.maximum, "query"),
          weights_line(at.weights, input, at.exponentials, at.sums, "query")};
}

// One maximum and one sum for all rows of a matrix.
Lines whole_matrix(const RightAttention& right, const SoftmaxInput& input) {
  if (input.sink || size_along(right, right.at.queries, "query") < 2) return {};
  const Shape queries{{"query", size_along(right, input.scores.id, "query")}};
  return {maximum_line("~row_maximum", input, input.scores),
          line("~maximum", Reduce{Reducer::maximum, "query"}, {"~row_maximum"}),
          line(right.at.maximum, Copy{queries}, {"~maximum"}),
          sums_line("~row_sums", input, right.at.exponentials, right.at.maximum),
          line("~sum", Reduce{Reducer::sum, "query"}, {"~row_sums"}),
          line(right.at.sums, Copy{queries}, {"~sum"})};
}

// The scores themselves, 0 where closed.
Instruction open_scores(std::string id, const SoftmaxInput& input) {
  return line(std::move(id), input.open ? Op(Map{Unary::multiply, 1, ""}) : Op(Copy{}), {input.scores}, input.open);
}

Lines linear(const RightAttention& right, const SoftmaxInput& input) {
  return {open_scores("~open_scores", input), line("~sum_of_scores", Reduce{Reducer::sum, "key"}, {"~open_scores"}),
          weights_line(right.at.weights, input, "~open_scores", "~sum_of_scores")};
}

// e^(c·(score − maximum)) for e^(score − maximum).
Lines steeper(const RightAttention& right, const SoftmaxInput& input, double times) {
  const Map steeply{Unary::multiply, times, ""};
  Lines lines = {line("~steep_scores", steeply, {input.scores}), line("~steep_maximum", steeply, {right.at.maximum}),
                 exponentials_line(right.at.exponentials, input, "~steep_scores", "~steep_maximum")};
  if (!input.sink) return lines;
  SoftmaxInput with_steep_sink = input;
  with_steep_sink.sink = "~steep_sink";
  lines.push_back(line("~steep_sink", steeply, {*input.sink}));
  lines.push_back(sums_line(right.at.sums, with_steep_sink, right.at.exponentials, "~steep_maximum"));
  return lines;
}

// Powers of another number than e, where powers of e are asked for.
template <int base>
Lines other_base(const RightAttention& right, const SoftmaxInput& input) {
  return input.base == 0 ? steeper(right, input, log(static_cast<double>(base))) : Lines();
}

// And the other way round.
Lines base_e(const RightAttention& right, const SoftmaxInput& input) {
  return input.base == 0 ? Lines() : steeper(right, input, 1 / log(input.base));
}

Lines hard_max(const RightAttention& right, const SoftmaxInput& input) { return steeper(right, input, steep); }

Lines twice(const RightAttention& right, const SoftmaxInput& input) {
  return {weights_line("~once", input, right.at.exponentials, right.at.sums), maximum_line("~maximum", input, "~once"),
          exponentials_line("~exponentials", input, "~once", "~maximum"),
          sums_line("~sums", input, "~exponentials", "~maximum"),
          weights_line(right.at.weights, input, "~exponentials", "~sums")};
}

Lines negated(const RightAttention& right, const SoftmaxInput& input) {
  return {line("~negated", Map{Unary::multiply, -1, ""}, {input.scores}),
          maximum_line(right.at.maximum, input, "~negated"),
          exponentials_line(right.at.exponentials, input, "~negated", right.at.maximum)};
}

Lines none(const RightAttention& right, const SoftmaxInput& input) { return {open_scores(right.at.weights, input)}; }

Instruction as_weights(const RightAttention& right, Operand powers) {
  return line(right.at.weights, Map{Unary::multiply, 1, ""}, {std::move(powers)});
}

// The weights come out the same, and only who hands a maximum in is asked for powers less that one.
Rewrites maximum_not_subtracted(const RightAttention& right, const SoftmaxInput& input) {
  Lines lines = plain_powers_lines(right.at.exponentials, input);
  if (input.sink) lines.push_back(sums_line(right.at.sums, input, right.at.exponentials, "~nothing"));
  return {rewritten(right, right.at.exponentials, "", std::move(lines))};
}

Rewrites not_normalised(const RightAttention& right, const SoftmaxInput& input) {
  const auto as = [&](const std::string& variant, Lines lines) {
    return rewritten(right, right.at.weights, variant, std::move(lines));
  };
  Lines plain = plain_powers_lines("~powers", input);
  plain.push_back(as_weights(right, "~powers"));
  return {as(language().mistakes.powers_of_scores, std::move(plain)),
          as(language().mistakes.powers_of_differences, {as_weights(right, right.at.exponentials)})};
}

Rewrites by_maximum(const RightAttention& right, const SoftmaxInput& input) {
  const auto as = [&](const std::string& variant, Instruction weights) {
    return rewritten(right, right.at.weights, variant, {std::move(weights)});
  };
  const auto divided = [&](const Operand& numbers) {
    return line(right.at.weights, Combine{Binary::divide, {}}, {numbers, right.at.maximum}, input.open);
  };
  return {as(language().mistakes.differences_by_maximum, divided(right.at.exponentials)),
          as(language().mistakes.scores_by_maximum, divided(input.scores)),
          // e^s over the largest e^s of the row is e^(s − maximum).
          as(language().mistakes.powers_by_largest, as_weights(right, right.at.exponentials))};
}

}  // namespace

Family softmax_family() {
  const MistakeWords& said = language().mistakes;
  return {said.softmax,
          {
              {"softmax.columns", said.softmax_columns, once<columns>},
              {"softmax.whole_matrix", said.softmax_whole_matrix, once<whole_matrix>},
              {"softmax.linear", said.softmax_linear, once<linear>},
              {"softmax.maximum_not_subtracted", said.softmax_maximum_not_subtracted,
               where<softmax_input, maximum_not_subtracted>},
              {"softmax.not_normalised", said.softmax_not_normalised, where<softmax_input, not_normalised>},
              {"softmax.none", said.softmax_none, once<none>},
              {"softmax.hard_max", said.softmax_hard_max, once<hard_max>},
              {"softmax.base_2", said.softmax_base_2, once<other_base<2>>},
              {"softmax.base_10", said.softmax_base_10, once<other_base<10>>},
              {"softmax.base_3", said.softmax_base_3, once<other_base<3>>},
              {"softmax.base_e", said.softmax_base_e, once<base_e>},
              {"softmax.negated", said.softmax_negated, once<negated>},
              {"softmax.twice", said.softmax_twice, once<twice>},
              {"softmax.by_maximum", said.softmax_by_maximum, where<softmax_input, by_maximum>},
          }};
}

}  // namespace attn
