#include "model/chosen.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/text.h"
#include "words/language.h"

namespace attn {
namespace {

template <class Row>
const Row& row_of(const std::vector<Row>& rows, const Choice& choice) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) { return row.spec.name == choice.name; });
  assert(found != rows.end());
  return *found;
}

const Position& position_of(const Attention& attention) {
  static const Position none;
  return attention.positions ? row_of(positions(), *attention.positions) : none;
}

}  // namespace

Chosen::Chosen(const Attention& attention)
    : score(row_of(scores(), attention.score)),
      position(position_of(attention)),
      softmax(attention.softmax ? row_of(softmaxes(), *attention.softmax) : softmaxes().front()),
      softmax_choice(attention.softmax.value_or(Choice{.name = softmax.spec.name})) {}

void give_parameters(RecipeBuilder& work, const std::string& of, Role role, const ChoiceSpec& spec,
                     const Choice& choice) {
  for (const Parameter& parameter : spec.parameters) {
    const auto tensor = choice.tensors.find(parameter.name);
    if (tensor == choice.tensors.end()) continue;
    const std::string title = capitalised(parameter.summary.substr(0, parameter.summary.find(", [")));
    work.given({of + "." + parameter.name, parameter.symbol.empty() ? parameter.name : parameter.symbol, title,
                language().steps.given, role},
               tensor->second);
  }
}

}  // namespace attn
