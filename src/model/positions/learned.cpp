#include <numeric>
#include <string>

#include "base/text.h"
#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

std::optional<Misfit> misfit(const Choice& choice, const ChoiceSetting& setting) {
  if (auto misfit = misfit_with_inputs(choice, setting)) return misfit;
  if (!setting.one_model_width)
    return Misfit{.message = "is added to all inputs, and they differ in width", .help = "inputs of one width"};
  const std::size_t rows = choice.tensors.at("table").shape().size("position");
  const std::size_t wanted = setting.past + setting.longest;
  if (rows >= wanted) return std::nullopt;
  return Misfit{.parameter = "table",
                .message = "has vectors for " + counted(rows, "position") + ", and there are " +
                           std::to_string(wanted) + (setting.past > 0 ? ", past ones among them" : ""),
                .help = "one vector for each position, from 0 on"};
}

std::string record_encoding(RecipeBuilder& work, const Attention& attention, Heading heading, std::size_t tokens,
                            std::size_t) {
  std::vector<std::int64_t> rows(tokens);
  std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(attention.past_count()));
  heading.title = language().steps.learned_encoding;
  heading.formula = language().steps.rows_for_positions;
  return work.step(std::move(heading),
                   Pick{"position", Rows(Tensor<std::int64_t>({{"token", tokens}}, std::move(rows)))},
                   {"positions.table"});
}

}  // namespace

Position learned_position() {
  return {.spec = {.name = "learned",
                   .summary = "a learned vector for each position, added to the inputs (Gehring et al. 2017)",
                   .parameters = {{.name = "table",
                                   .summary = "a vector for each position, [positions][d_model]",
                                   .symbol = "T",
                                   .axes = {"position", "d_model"}}},
                   .added_to_inputs = true,
                   .misfit = misfit},
          .words = [](const Attention&) { return language().steps.learned.text(); },
          .encoding = record_encoding};
}

}  // namespace attn
