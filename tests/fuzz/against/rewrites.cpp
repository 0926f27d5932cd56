#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "harness.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "reading/problem/problem.h"
#include "said.h"
#include "small_problem.h"
#include "trace/evaluate.h"

namespace attn {
namespace {

bool same_bits(const Tensor<double>& one, const Tensor<double>& other) {
  if (one.shape() != other.shape()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const bool is_same = std::bit_cast<std::uint64_t>(one[i]) == std::bit_cast<std::uint64_t>(other[i]);
    if (!is_same && !(std::isnan(one[i]) && std::isnan(other[i]))) return false;
  }
  return true;
}

// The rewrite with every line of the original put back in its place.
Recipe undone(const Recipe& rewrite, const Recipe& original) {
  Recipe recipe = rewrite;
  for (std::size_t line = 0; line < original.size(); ++line) {
    const Instruction& was = original.instruction(line);
    if (was.given || !recipe.has(was.id())) continue;
    recipe.replace(was.id(), was.op, was.operands, was.open);
  }
  return recipe;
}

// What the original computes is computed again.
void demand_undone(const Rewrite& rewrite, const Recipe& original, const Evaluation<double>& right,
                   std::string_view of) {
  for (std::size_t line = 0; line < original.size(); ++line) {
    if (!rewrite.recipe.has(original.instruction(line).id())) return;  // a line that is no more cannot be put back
  }
  const Recipe back = undone(rewrite.recipe, original);
  demand(back.fits(), "what is put back fits", of);
  Policy<double> plain;
  const Evaluation<double> made = evaluate(back, plain);
  for (std::size_t line = 0; line < original.size(); ++line) {
    const std::string& id = original.instruction(line).id();
    if (original.instruction(line).given) continue;
    demand(same_bits(made.result(*back.line(id)), right.result(line)), id + " has its bits again", of);
  }
}

// Every mistake that a problem allows, as a rewrite of its recipe: worked out with numbers taken over from the
// original it has the bits of one worked out alone; and undone it is the original.
void run(std::string_view text) {
  static const Catalog known = catalog();
  Bytes bytes(text);
  const Mistake& mistake = *all_mistakes()[bytes.between(0, all_mistakes().size() - 1)];
  const std::string written = small_problem(bytes);
  const Result<Problem> problem = read_problem(written, known, 1 << 20);
  if (!problem) return demand_faults(problem.faults(), written);
  if (!mistake.is_rewrite()) return;
  const Recipe original = recipe_of(problem.value());
  Policy<double> plain;
  const Evaluation<double> right = evaluate(original, plain);
  for (const Rewrite& rewrite : rewrites_of(original, mistake)) {
    const std::string of = mistake.id + " " + rewrite.variant + " of " + written;
    demand(rewrite.recipe.fits(), "a rewrite fits", of);
    const Evaluation<double> alone = evaluate(rewrite.recipe, plain);
    const auto same = same_lines(rewrite.recipe, original);
    const Original<double> taken{right, same};
    const Evaluation<double> with = evaluate(rewrite.recipe, plain, &taken);
    for (std::size_t line = 0; line < rewrite.recipe.size(); ++line)
      demand(same_bits(alone.result(line), with.result(line)), "what is taken over is what would be made", of);
    demand_undone(rewrite, original, right, of);
  }
}

}  // namespace

Harness rewrites_harness() { return {"rewrites", run}; }

}  // namespace attn
