#include "model/projections.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/text.h"
#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

// One of the three roles that the inputs are projected into.
struct Projecting {
  std::string name;    // "key"
  std::string plural;  // "keys"
  std::string letter;  // "K"
  Axis row;            // "key"
  Axis feature;        // "d_k"
  Role role;
  const std::optional<Projection>& projection;
  const std::optional<Source>& given;
  std::string source = {};  // the step it is made from
};

// One tensor of inputs: all of them in self-attention, those of the queries, keys
// or values in cross-attention.
struct InputTensor {
  std::optional<Source> given;
  std::string part;   // "query"; empty in self-attention
  std::string index;  // of its symbol: "_Q"
  Axis row;           // what its rows are called

  std::string suffixed(const std::string& id) const { return part.empty() ? id : id + "." + part; }
  std::size_t rows() const { return given->shape().size(row); }
  std::size_t width() const { return given->shape().size("d_model"); }
};

std::vector<InputTensor> tensors_of(const Inputs& inputs) {
  std::vector<InputTensor> all = {{inputs.self, "", "", "token"},
                                  {inputs.query, "query", "_Q", "query"},
                                  {inputs.key, "key", "_K", "key"},
                                  {inputs.value, "value", "_V", "key"}};
  std::erase_if(all, [](const InputTensor& one) { return !one.given; });
  return all;
}

// Of the encoding that all inputs share, as many positions as these have.
std::string record_own_encoding(RecipeBuilder& work, const InputTensor& of) {
  const std::string encoding = "position_encoding";
  const std::size_t tokens = of.rows();
  if (work.shape(encoding).size("token") == tokens) return encoding;
  std::vector<std::int64_t> rows(tokens);
  std::iota(rows.begin(), rows.end(), 0);
  return work.step({of.suffixed(encoding), "P" + of.index, language().steps.fewer_encodings,
                    language().steps.first_vectors(tokens), Role::input},
                   Pick{"token", Rows(Tensor<std::int64_t>({{"token", tokens}}, std::move(rows)))}, {encoding});
}

// For each of the inputs its own encoding, or one for all of them where they have one width.
void record_positioned_inputs(RecipeBuilder& work, const std::vector<InputTensor>& inputs, const Attention& attention,
                              const Position& position) {
  const std::string encoding = "position_encoding";
  const auto record = [&](const std::string& id, const std::string& symbol, std::size_t tokens, std::size_t width) {
    position.encoding(work, attention, {.id = id, .symbol = symbol, .role = Role::input}, tokens, width);
  };
  const std::size_t width = inputs.front().width();
  const bool share = std::ranges::all_of(inputs, [&](const InputTensor& one) { return one.width() == width; });
  if (share) {
    record(encoding, "P", std::max(attention.query_count, attention.key_count - attention.past_count()), width);
  } else {
    for (const InputTensor& one : inputs) record(one.suffixed(encoding), "P" + one.index, one.rows(), one.width());
  }
  for (const InputTensor& one : inputs) {
    const std::string own = share ? record_own_encoding(work, one) : one.suffixed(encoding);
    work.step({one.suffixed("positioned_inputs"), "X" + one.index + "′",
               language().steps.with_positions(language().steps.inputs(one.part)), "{} = {0} + {1}", Role::input},
              Combine{Binary::add, {}}, {one.suffixed("inputs"), Operand(own, {{"token", one.row}})});
  }
}

// The part's source with its axes called as a product with the weights needs
// them: rows by the part, columns by `feature`.
Operand source_as(const RecipeBuilder& work, const Projecting& part, const Axis& feature) {
  const Shape& shape = work.shape(part.source);
  Operand operand(part.source);
  // Values made from the inputs of the keys keep the rows of the keys. What another
  // attention made, as a memory is, has its names for rows and features.
  for (const Dim& dim : shape.dims()) {
    const bool is_outer_axis = dim.axis == "batch" || dim.axis == "head";
    const bool is_row = dim.axis == "token" || dim.axis == "query" || dim.axis == "key";
    const Axis& name = is_row ? part.row : feature;
    if (!is_outer_axis && dim.axis != name) operand.renamed.push_back({dim.axis, name});
  }
  return operand;
}

bool is_wide(const Attention& attention, const Projecting& part) {
  return attention.heads && part.projection && !part.projection->weight.shape().has("head") && !attention.split_input;
}

std::string product(const Attention& attention, const Projection& projection) {
  return written_product({attention.vectors, attention.weight_layout}, projection.bias.has_value());
}

// Adds the weights to the operands of a product, and the bias, where there is one.
void add_weights(RecipeBuilder& work, const Projection& projection, const std::string& name, const std::string& letter,
                 const std::string& weights_title, const std::string& bias_title, std::vector<Operand>& operands) {
  const auto give = [&](const std::string& id, const std::string& symbol, const std::string& title, const Source& of) {
    const Heading heading{id + name, symbol + letter, title, language().steps.given, Role::weight_matrix};
    operands.emplace_back(work.given(heading, of));
  };
  give("weights.", "W_", weights_title, projection.weight);
  if (projection.bias) give("biases.", "b_", bias_title, *projection.bias);
}

std::string record_product(RecipeBuilder& work, const Attention& attention, const Projecting& part, Heading heading) {
  const Axis in = part.projection->weight.shape().has("d_head") ? "d_head" : "d_model";
  std::vector<Operand> operands = {source_as(work, part, in)};
  add_weights(work, *part.projection, part.name, part.letter, language().steps.weights_for(part.plural),
              language().steps.bias_for(part.plural), operands);
  heading.formula = product(attention, *part.projection);
  return work.step(std::move(heading), Contract{in}, operands);
}

std::string record_part(RecipeBuilder& work, const Attention& attention, const Projecting& part) {
  Heading heading{part.plural, part.letter, language().steps.vectors(part.plural), {}, part.role};
  const auto split = [&](const Axis& wide, const Operand& from) {
    const std::size_t heads = part.name == "query" ? *attention.heads : attention.heads_of_keys();
    heading.formula = language().steps.columns_of_each_head;
    return work.step(heading, Split{wide, "head", part.feature, heads}, {from});
  };
  if (part.given) {
    if (part.given->shape().has("d_concat")) {
      return split("d_concat", work.given({"given." + part.plural, part.letter + "*",
                                           language().steps.wide(part.plural), language().steps.given, part.role},
                                          *part.given));
    }
    heading.formula = language().steps.given;
    return work.given_step(heading, *part.given);
  }
  if (is_wide(attention, part)) return split("d_concat", "projected_" + part.plural);
  if (part.projection) return record_product(work, attention, part, heading);
  if (attention.heads && !attention.split_input) return split("d_model", source_as(work, part, "d_model"));
  heading.formula = "{} = {0}";
  return work.step(heading, Copy{}, {source_as(work, part, part.feature)});
}

// The heads' columns of each of the sources, which are called so afterwards.
void record_split_inputs(RecipeBuilder& work, const Attention& attention, ProjectedFrom& from) {
  const auto split = [&](const std::string& whole, const std::string& part) {
    // "token" also in cross-attention: rows of inputs, whoever they serve.
    Operand operand(whole);
    for (const Axis row : {"query", "key"}) {
      if (work.shape(whole).has(row)) operand.renamed.push_back({row, "token"});
    }
    const std::string id = part.empty() ? "split_inputs" : "split_inputs." + part;
    return work.step({id, work.symbol(whole).text() + "_h", language().steps.split_inputs,
                      language().steps.columns_of_head_h, Role::input},
                     Split{"d_model", "head", "d_k", *attention.heads}, {operand});
  };
  from.query = split(from.query, from.are_apart ? "query" : "");
  from.key = from.are_apart ? split(from.key, "key") : from.query;
  from.value = from.value_is_apart ? split(from.value, "value") : from.key;
}

}  // namespace

std::string written_product(const ProductLayout& layout, bool bias) {
  const std::string text = layout.vectors == Vectors::columns       ? "{} = {1}·{0}"
                           : layout.weights == WeightLayout::out_in ? "{} = {0}·{1}ᵀ"
                                                                    : "{} = {0}·{1}";
  return bias ? text + " + {2}" : text;
}

ProjectedFrom record_inputs(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                            const Position& position) {
  const std::vector<InputTensor> tensors = tensors_of(inputs);
  for (const InputTensor& one : tensors) {
    work.given_step({one.suffixed("inputs"), "X" + one.index, language().steps.inputs(one.part), language().steps.given,
                     Role::input},
                    *one.given);
  }
  std::string source = "inputs";
  if (position.encoding) {
    record_positioned_inputs(work, tensors, attention, position);
    source = "positioned_inputs";
  }
  if (inputs.self) {
    const std::string all = work.id_of(source);
    return {all, all, all};
  }
  const auto id = [&](const char* part) { return work.id_of(source + part); };
  return {id(".query"), id(".key"), id(inputs.value ? ".value" : ".key"), true, inputs.value.has_value()};
}

Projected record_projections(RecipeBuilder& work, const ProjectedFrom& given, const Attention& attention) {
  std::array parts = {
      Projecting{"key", "keys", "K", "key", "d_k", Role::key, attention.key, attention.keys},
      Projecting{"query", "queries", "Q", "query", "d_k", Role::query, attention.query, attention.queries},
      Projecting{"value", "values", "V", "key", "d_v", Role::value, attention.value, attention.values},
  };
  ProjectedFrom from = given;
  if (attention.split_input) record_split_inputs(work, attention, from);
  parts[0].source = from.key;
  parts[1].source = from.query;
  parts[2].source = from.value;

  // The wide products of all heads side by side, before they are split.
  for (const Projecting& part : parts) {
    if (!is_wide(attention, part)) continue;
    record_product(work, attention, part,
                   {"projected_" + part.plural, part.letter + "*", language().steps.wide(part.plural), {}, part.role});
  }
  const auto record = [&](const Projecting& part) { return record_part(work, attention, part); };
  const std::string keys = record(parts[0]), queries = record(parts[1]), values = record(parts[2]);
  return {queries, keys, values};
}

std::string record_output(RecipeBuilder& work, const Attention& attention, std::string result) {
  if (attention.heads) {
    result = work.step({"concat", "H", language().steps.concat, language().steps.concat_formula, Role::output},
                       Merge{"head", "d_v", "d_concat"}, {result});
  }
  if (!attention.output) return result;
  std::vector<Operand> operands = {result};
  add_weights(work, *attention.output, "output", "O", language().steps.output_weights, language().steps.output_bias,
              operands);
  return work.step({"output", "O", language().steps.output, product(attention, *attention.output), Role::output},
                   Contract{attention.heads ? "d_concat" : "d_v"}, operands);
}

}  // namespace attn
