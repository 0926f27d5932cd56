#include <utility>
#include <vector>

#include "base/math.h"
#include "mistakes/rewriting.h"

namespace attn {
namespace {

// So steep that all but the largest vanish.
constexpr double steep = 1e6;

Softmax part(const SoftmaxInput& input, Softmax::Part which, Axis over = "key") {
  return {which, std::move(over), input.base};
}

// What a maximum of these scores, and a sum of these exponentials, read: a sink
// counts in both.
std::vector<Operand> largest_of(const SoftmaxInput& input, Operand scores) {
  std::vector<Operand> operands = {std::move(scores)};
  if (input.sink) operands.push_back(*input.sink);
  return operands;
}
std::vector<Operand> sum_of(const SoftmaxInput& input, Operand powers, const Operand& most) {
  std::vector<Operand> operands = {std::move(powers)};
  if (input.sink) operands.insert(operands.end(), {*input.sink, most});
  return operands;
}
std::vector<Operand> sum_of(const SoftmaxInput& input, Operand powers) {
  return sum_of(input, std::move(powers), input.at.maximum);
}

// What a rule does to the recipe, given what its softmax reads.
using SoftmaxRule = void (*)(Recipe&, const SoftmaxInput&);

Rewrite with(const RightAttention& right, const std::string& variant, SoftmaxRule rule) {
  return rewritten(right, right.at.weights, variant, [&](Recipe& recipe) { rule(recipe, softmax_input(right)); });
}

template <SoftmaxRule rule>
Rewrites always(const RightAttention& right) {
  return has_softmax(right) ? Rewrites{with(right, "", rule)} : Rewrites{};
}

// Along the columns: each key's weights add up to 1, and no query's.
void columns(Recipe& recipe, const SoftmaxInput& input) {
  recipe.replace(input.at.maximum, part(input, Softmax::Part::maximum, "query"), largest_of(input, input.scores),
                 input.open);
  recipe.replace(input.at.sums, part(input, Softmax::Part::sum, "query"), sum_of(input, input.at.exponentials));
  recipe.replace(input.at.weights, part(input, Softmax::Part::weights, "query"), {input.at.exponentials, input.at.sums},
                 input.open);
}

// One maximum and one sum for all rows of a matrix.
void whole_matrix(Recipe& recipe, const SoftmaxInput& input) {
  const Shape queries{{"query", size_along(recipe, input.scores.id, "query")}};
  recipe.insert_before(input.at.maximum,
                       in_between("~row_maximum", part(input, Softmax::Part::maximum), {input.scores}, input.open));
  recipe.insert_before(input.at.maximum, in_between("~maximum", Reduce{Reducer::maximum, "query"}, {"~row_maximum"}));
  recipe.replace(input.at.maximum, Copy{queries}, {"~maximum"});
  recipe.insert_before(input.at.sums,
                       in_between("~row_sums", part(input, Softmax::Part::sum), {input.at.exponentials}));
  recipe.insert_before(input.at.sums, in_between("~sum", Reduce{Reducer::sum, "query"}, {"~row_sums"}));
  recipe.replace(input.at.sums, Copy{queries}, {"~sum"});
}

Rewrites over_whole_matrix(const RightAttention& right) {
  if (!has_softmax(right) || softmax_input(right).sink || size_along(right, right.at.queries, "query") < 2) return {};
  return {with(right, "", whole_matrix)};
}

// The scores themselves, 0 where closed.
Instruction open_scores(std::string id, const SoftmaxInput& input) {
  return input.open ? in_between(std::move(id), Map{Unary::multiply, 1, ""}, {input.scores}, input.open)
                    : in_between(std::move(id), Copy{}, {input.scores});
}

void linear(Recipe& recipe, const SoftmaxInput& input) {
  recipe.insert_before(input.at.weights, open_scores("~open_scores", input));
  recipe.insert_before(input.at.weights, in_between("~sum_of_scores", Reduce{Reducer::sum, "key"}, {"~open_scores"}));
  recipe.replace(input.at.weights, part(input, Softmax::Part::weights), {"~open_scores", "~sum_of_scores"}, input.open);
}

// e^(c·(score − maximum)) for e^(score − maximum).
void steeper(Recipe& recipe, const SoftmaxInput& input, double times) {
  const Map steeply{Unary::multiply, times, ""};
  recipe.insert_before(input.at.exponentials, in_between("~steep_scores", steeply, {input.scores}));
  recipe.insert_before(input.at.exponentials, in_between("~steep_maximum", steeply, {input.at.maximum}));
  recipe.replace(input.at.exponentials, part(input, Softmax::Part::exponentials), {"~steep_scores", "~steep_maximum"},
                 input.open);
  if (!input.sink) return;
  recipe.insert_before(input.at.sums, in_between("~steep_sink", steeply, {*input.sink}));
  recipe.replace(input.at.sums, part(input, Softmax::Part::sum),
                 {input.at.exponentials, "~steep_sink", "~steep_maximum"});
}

template <int base>
void to_base(Recipe& recipe, const SoftmaxInput& input) {
  steeper(recipe, input, log(static_cast<double>(base)));
}

// Powers of another number than e, where powers of e are asked for.
template <int base>
Rewrites other_base(const RightAttention& right) {
  if (!has_softmax(right) || softmax_input(right).base != 0) return {};
  return {with(right, "", to_base<base>)};
}

// And the other way round.
Rewrites base_e(const RightAttention& right) {
  if (!has_softmax(right) || softmax_input(right).base == 0) return {};
  return {
      with(right, "", [](Recipe& recipe, const SoftmaxInput& input) { steeper(recipe, input, 1 / log(input.base)); })};
}

Rewrites sink_forgotten(const RightAttention& right) {
  if (!has_softmax(right) || !softmax_input(right).sink) return {};
  return {with(right, "", [](Recipe& recipe, const SoftmaxInput& input) {
    recipe.replace(input.at.maximum, part(input, Softmax::Part::maximum), {input.scores}, input.open);
    recipe.replace(input.at.sums, part(input, Softmax::Part::sum), {input.at.exponentials});
  })};
}

void hard_max(Recipe& recipe, const SoftmaxInput& input) { steeper(recipe, input, steep); }

void twice(Recipe& recipe, const SoftmaxInput& input) {
  const Op divided = part(input, Softmax::Part::weights);
  const Op powers = part(input, Softmax::Part::exponentials);
  for (Instruction& line : std::vector<Instruction>{
           in_between("~once", divided, {input.at.exponentials, input.at.sums}, input.open),
           in_between("~maximum", part(input, Softmax::Part::maximum), largest_of(input, "~once"), input.open),
           in_between("~exponentials", powers, {"~once", "~maximum"}, input.open),
           in_between("~sums", part(input, Softmax::Part::sum), sum_of(input, "~exponentials", "~maximum")),
       }) {
    recipe.insert_before(input.at.weights, std::move(line));
  }
  recipe.replace(input.at.weights, divided, {"~exponentials", "~sums"}, input.open);
}

void negated(Recipe& recipe, const SoftmaxInput& input) {
  recipe.insert_before(input.at.maximum, in_between("~negated", Map{Unary::multiply, -1, ""}, {input.scores}));
  recipe.replace(input.at.maximum, part(input, Softmax::Part::maximum), largest_of(input, "~negated"), input.open);
  recipe.replace(input.at.exponentials, part(input, Softmax::Part::exponentials), {"~negated", input.at.maximum},
                 input.open);
}

void exponentials_as_weights(Recipe& recipe, const SoftmaxInput& input) {
  recipe.replace(input.at.weights, Map{Unary::multiply, 1, ""}, {input.at.exponentials});
}

void plain_exponentials_as_weights(Recipe& recipe, const SoftmaxInput& input) {
  recipe.give("~nothing", Tensor<double>(Shape{}, {0}));
  recipe.replace(input.at.exponentials, part(input, Softmax::Part::exponentials), {input.scores, "~nothing"},
                 input.open);
  if (input.sink)
    recipe.replace(input.at.sums, part(input, Softmax::Part::sum), sum_of(input, input.at.exponentials, "~nothing"));
  recipe.replace(input.at.weights, Map{Unary::multiply, 1, ""}, {input.at.exponentials});
}

Rewrites not_normalised(const RightAttention& right) {
  if (!has_softmax(right)) return {};
  return {with(right, "e^score", plain_exponentials_as_weights),
          with(right, "e^(score − maximum)", exponentials_as_weights)};
}

Rewrites by_maximum(const RightAttention& right) {
  if (!has_softmax(right)) return {};
  return {
      with(right, "e^(score − maximum), divided by the maximum",
           [](Recipe& recipe, const SoftmaxInput& input) {
             recipe.replace(input.at.weights, Combine{Binary::divide, {}}, {input.at.exponentials, input.at.maximum},
                            input.open);
           }),
      with(
          right, "the scores, divided by the maximum",
          [](Recipe& recipe, const SoftmaxInput& input) {
            recipe.replace(input.at.weights, Combine{Binary::divide, {}}, {input.scores, input.at.maximum}, input.open);
          }),
      // e^s over the largest e^s of the row is e^(s − maximum).
      with(right, "e^score, divided by the largest of the row", exponentials_as_weights)};
}

void none(Recipe& recipe, const SoftmaxInput& input) {
  const Instruction scores = open_scores(input.at.weights, input);
  recipe.replace(input.at.weights, scores.op, scores.operands, scores.open);
}

}  // namespace

Family softmax_family() {
  return {
      .name = "softmax",
      .title = "Softmax",
      .mistakes =
          {
              {.id = "softmax.columns",
               .what = "the softmax was taken down the columns and not along the rows",
               .hint = "Take the softmax of each query's scores: every row of weights adds up to 1.",
               .example = "columns of weights that add up to 1 where rows should",
               .rewrites = always<columns>},
              {.id = "softmax.whole_matrix",
               .what = "one softmax was taken over the whole matrix and not one of each row",
               .hint = "Take the softmax of each query's scores by themselves: every row of weights adds up to 1.",
               .example = "e^s_ij divided by the sum of the exponentials of all rows",
               .rewrites = over_whole_matrix},
              {.id = "softmax.linear",
               .what = "the scores were divided by their sum without taking exponentials first",
               .hint = "Take e to the power of each score, and then divide by the sum of these.",
               .example = "s_ij / Σ s_ij for e^s_ij / Σ e^s_ij",
               .rewrites = always<linear>},
              {.id = "softmax.not_normalised",
               .what = "the exponentials were not divided by their sum",
               .hint = "Divide each exponential by the sum of its row, so that the row adds up to 1.",
               .example = "e^s_ij for e^s_ij / Σ e^s_ij",
               .rewrites = not_normalised},
              {.id = "softmax.none",
               .what = "the scores were used as attention weights, without a softmax",
               .hint = "Take the softmax of each row of scores before weighing the values.",
               .example = "S·V for softmax(S)·V",
               .rewrites = always<none>},
              {.id = "softmax.hard_max",
               .what = "the largest score of each row got all the weight",
               .hint =
                   "Softmax gives every open key some weight: e to the power of its score, divided by the row's sum.",
               .example = "[0, 0, 1] for [0.09, 0.24, 0.67]",
               .rewrites = always<hard_max>},
              {.id = "softmax.base_2",
               .what = "powers of 2 were taken and not powers of e",
               .hint = "Take powers of e = 2.718….",
               .example = "2^s_ij / Σ 2^s_ij for e^s_ij / Σ e^s_ij",
               .rewrites = other_base<2>},
              {.id = "softmax.base_10",
               .what = "powers of 10 were taken and not powers of e",
               .hint = "Take powers of e = 2.718…; on a calculator e^x is not 10^x.",
               .example = "10^s_ij / Σ 10^s_ij for e^s_ij / Σ e^s_ij",
               .rewrites = other_base<10>},
              {.id = "softmax.base_3",
               .what = "powers of 3 were taken and not powers of e",
               .hint = "Take powers of e = 2.718…, without rounding e to a whole number.",
               .example = "3^s_ij / Σ 3^s_ij for e^s_ij / Σ e^s_ij",
               .rewrites = other_base<3>},
              {.id = "softmax.base_e",
               .what = "powers of e were taken and not of the base that the problem asks for",
               .hint = "Take powers of the problem's own base: e = 2.718… is only the usual one.",
               .example = "e^s_ij / Σ e^s_ij for 3^s_ij / Σ 3^s_ij",
               .rewrites = base_e},
              {.id = "softmax.sink_forgotten",
               .what = "the sink was left out of the sum",
               .hint = "Add e^(sink − maximum) to each row's sum before dividing by it: the weights then sum to less "
                       "than 1.",
               .example = "e^s_ij / Σ e^s_ij for e^s_ij / (Σ e^s_ij + e^sink)",
               .rewrites = sink_forgotten},
              {.id = "softmax.negated",
               .what = "e was taken to the power of minus each score",
               .hint = "A larger score gets a larger weight: keep the sign of the scores.",
               .example = "softmax(−S) for softmax(S)",
               .rewrites = always<negated>},
              {.id = "softmax.twice",
               .what = "the softmax was taken twice",
               .hint = "Take the softmax once only: its result is the attention weights.",
               .example = "softmax(softmax(S)) for softmax(S)",
               .rewrites = always<twice>},
              {.id = "softmax.by_maximum",
               .what = "each row was divided by its largest score and not by the sum of its exponentials",
               .hint = "Divide each exponential by the sum of the exponentials of its row.",
               .example = "e^(s_ij − max) / max for e^(s_ij − max) / Σ e^(s_ij − max)",
               .rewrites = by_maximum},
          },
  };
}

}  // namespace attn
