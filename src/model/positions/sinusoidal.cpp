#include "base/numbers.h"
#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

std::string record_encoding(RecipeBuilder& work, const Attention& attention, Heading heading, std::size_t tokens,
                            std::size_t width) {
  const std::string base = shortest(attention.positions->numbers.at("base"));
  heading.title = language().steps.sinusoidal_encoding;
  heading.formula = language().steps.alternating_waves("p / " + base + "^(2i/" + std::to_string(width) + ")");
  return work.step(std::move(heading),
                   Waves{.kind = Waves::Kind::alternating,
                         .positions = {"token", tokens},
                         .features = {"d_model", width},
                         .first = attention.past_count(),
                         .base = attention.positions->numbers.at("base"),
                         .width = width},
                   {});
}

}  // namespace

Position sinusoidal_position() {
  return {
      .spec = {.name = "sinusoidal",
               .summary = "sines and cosines added to the inputs (Vaswani et al. 2017, section 3.5)",
               .parameters =
                   {{.name = "base", .summary = "what the wavelengths are powers of", .fallback = 10000.0, .above = 0}},
               .added_to_inputs = true,
               .misfit = misfit_with_inputs},
      .words =
          [](const Attention& attention) {
            return language().steps.sinusoidal(attention.positions->numbers.at("base"));
          },
      .encoding = record_encoding};
}

}  // namespace attn
