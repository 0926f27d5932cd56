#include <utility>
#include <vector>

#include "base/math.h"
#include "mistakes/rewriting.h"
#include "words/language.h"

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
  return {with(right, language().mistakes.powers_of_scores, plain_exponentials_as_weights),
          with(right, language().mistakes.powers_of_differences, exponentials_as_weights)};
}

Rewrites by_maximum(const RightAttention& right) {
  if (!has_softmax(right)) return {};
  return {
      with(right, language().mistakes.differences_by_maximum,
           [](Recipe& recipe, const SoftmaxInput& input) {
             recipe.replace(input.at.weights, Combine{Binary::divide, {}}, {input.at.exponentials, input.at.maximum},
                            input.open);
           }),
      with(
          right, language().mistakes.scores_by_maximum,
          [](Recipe& recipe, const SoftmaxInput& input) {
            recipe.replace(input.at.weights, Combine{Binary::divide, {}}, {input.scores, input.at.maximum}, input.open);
          }),
      // e^s over the largest e^s of the row is e^(s − maximum).
      with(right, language().mistakes.powers_by_largest, exponentials_as_weights)};
}

void none(Recipe& recipe, const SoftmaxInput& input) {
  const Instruction scores = open_scores(input.at.weights, input);
  recipe.replace(input.at.weights, scores.op, scores.operands, scores.open);
}

}  // namespace

Family softmax_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "softmax",
      .title = said.softmax,
      .mistakes =
          {
              {.id = "softmax.columns", .words = said.softmax_columns, .rewrites = always<columns>},
              {.id = "softmax.whole_matrix", .words = said.softmax_whole_matrix, .rewrites = over_whole_matrix},
              {.id = "softmax.linear", .words = said.softmax_linear, .rewrites = always<linear>},
              {.id = "softmax.not_normalised", .words = said.softmax_not_normalised, .rewrites = not_normalised},
              {.id = "softmax.none", .words = said.softmax_none, .rewrites = always<none>},
              {.id = "softmax.hard_max", .words = said.softmax_hard_max, .rewrites = always<hard_max>},
              {.id = "softmax.base_2", .words = said.softmax_base_2, .rewrites = other_base<2>},
              {.id = "softmax.base_10", .words = said.softmax_base_10, .rewrites = other_base<10>},
              {.id = "softmax.base_3", .words = said.softmax_base_3, .rewrites = other_base<3>},
              {.id = "softmax.base_e", .words = said.softmax_base_e, .rewrites = base_e},
              {.id = "softmax.sink_forgotten", .words = said.softmax_sink_forgotten, .rewrites = sink_forgotten},
              {.id = "softmax.negated", .words = said.softmax_negated, .rewrites = always<negated>},
              {.id = "softmax.twice", .words = said.softmax_twice, .rewrites = always<twice>},
              {.id = "softmax.by_maximum", .words = said.softmax_by_maximum, .rewrites = by_maximum},
          },
  };
}

}  // namespace attn
