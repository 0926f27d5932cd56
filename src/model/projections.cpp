#include "model/projections.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
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

// Where part p's inputs stand among the steps: cross-attention has one for each.
std::string source_suffix(const Inputs& inputs, const Projecting& part) {
  if (!inputs.cross()) return "";
  return part.name == "value" && !inputs.value ? ".key" : "." + part.name;
}

std::string input_symbol_suffix(const std::string& suffix) {
  return suffix == ".query" ? "_Q" : suffix == ".key" ? "_K" : suffix == ".value" ? "_V" : "";
}

std::string input_symbol(const Inputs& inputs, const std::string& suffix) {
  return "X" + (inputs.cross() ? input_symbol_suffix(suffix) : "");
}

std::string input_title(const std::string& suffix) {
  return language().steps.inputs(suffix.empty() ? "" : suffix.substr(1));
}

// Calls record(suffix, symbol, inputs) for each tensor of inputs there is.
template <class Record>
void for_each_input(const Inputs& inputs, Record record) {
  const auto present = [&](const std::string& suffix, const std::optional<Source>& given) {
    if (given) record(suffix, input_symbol(inputs, suffix), *given);
  };
  present("", inputs.self);
  present(".query", inputs.query);
  present(".key", inputs.key);
  present(".value", inputs.value);
}

void record_inputs(RecipeBuilder& work, const Inputs& inputs) {
  for_each_input(inputs, [&](const std::string& suffix, const std::string& symbol, const Source& given) {
    work.given_step({"inputs" + suffix, symbol, input_title(suffix), language().steps.given.text(), Role::input},
                    given);
  });
}

// The rows of inputs are called tokens in self-attention; in cross-attention
// they belong to queries or keys.
Axis row_of_inputs(const std::string& suffix) {
  return suffix.empty() ? "token" : suffix == ".query" ? "query" : "key";
}

// Whether the inputs differ in width.
bool has_own_widths(const Inputs& inputs) {
  std::set<std::size_t> widths;
  for_each_input(inputs, [&](const std::string&, const std::string&, const Source& given) {
    widths.insert(given.shape().size("d_model"));
  });
  return widths.size() > 1;
}

// For each of the inputs its own encoding, or one for all of them where they have one width.
void record_encodings(RecipeBuilder& work, const Inputs& inputs, const Attention& attention, bool own_widths) {
  const auto record = [&](const std::string& suffix, std::size_t tokens, std::size_t width) {
    const Heading heading{
        .id = "position_encoding" + suffix, .symbol = "P" + input_symbol_suffix(suffix), .role = Role::input};
    position_of(attention).encoding(work, attention, heading, tokens, width);
  };
  if (!own_widths) {
    const std::size_t keys = attention.key_count - attention.past_count();
    const Source& any = inputs.self ? *inputs.self : *inputs.query;
    record("", std::max(attention.query_count, keys), any.shape().size("d_model"));
    return;
  }
  for_each_input(inputs, [&](const std::string& suffix, const std::string&, const Source& given) {
    record(suffix, given.shape().size(row_of_inputs(suffix)), given.shape().size("d_model"));
  });
}

// Of the encoding that all inputs share, as many positions as these have.
std::string record_own_encoding(RecipeBuilder& work, const std::string& suffix, std::size_t tokens) {
  const std::string encoding = "position_encoding";
  if (work.shape(encoding).size("token") == tokens) return encoding;
  const std::string id = encoding + suffix;
  if (work.has(id)) return id;
  std::vector<std::int64_t> rows(tokens);
  std::iota(rows.begin(), rows.end(), 0);
  return work.step({id, "P" + input_symbol_suffix(suffix), language().steps.fewer_encodings,
                    language().steps.first_vectors(tokens), Role::input},
                   Pick{"token", Rows(Tensor<std::int64_t>({{"token", tokens}}, std::move(rows)))}, {encoding});
}

void record_positioned_inputs(RecipeBuilder& work, const Inputs& inputs, const Attention& attention) {
  if (!position_of(attention).encoding) return;
  const bool own_widths = has_own_widths(inputs);
  record_encodings(work, inputs, attention, own_widths);
  for_each_input(inputs, [&](const std::string& suffix, const std::string& symbol, const Source& given) {
    const Axis row = row_of_inputs(suffix);
    const std::string own =
        own_widths ? "position_encoding" + suffix : record_own_encoding(work, suffix, given.shape().size(row));
    work.step({"positioned_inputs" + suffix, symbol + "′", language().steps.with_positions(input_title(suffix)),
               "{} = {0} + {1}", Role::input},
              Combine{Binary::add, {}}, {"inputs" + suffix, Operand(own, {{"token", row}})});
  });
}

void record_split_inputs(RecipeBuilder& work, const Inputs& inputs, const Attention& attention,
                         const std::string& source) {
  for_each_input(inputs, [&](const std::string& suffix, const std::string&, const Source&) {
    // "token" also in cross-attention: rows of inputs, whoever they serve.
    work.step({"split_inputs" + suffix, work.symbol(source + suffix).text() + "_h", language().steps.split_inputs,
               language().steps.columns_of_head_h.text(), Role::input},
              Split{"d_model", "head", "d_k", *attention.heads},
              {Operand(source + suffix, {{row_of_inputs(suffix), "token"}})});
  });
}

// The part's source with its axes called as a product with the weights needs
// them: rows by the part, columns by `feature`.
Operand source_as(const RecipeBuilder& work, const Projecting& part, const Axis& feature) {
  const Shape& shape = work.shape(part.source);
  Operand operand(part.source);
  if (shape.has("token")) operand.renamed.push_back({"token", part.row});
  // Values made from the inputs of the keys keep the rows of the keys.
  const Axis own_feature = shape.has("d_model") ? "d_model" : "d_k";
  if (own_feature != feature) operand.renamed.push_back({own_feature, feature});
  return operand;
}

bool is_wide(const Attention& attention, const Projecting& part) {
  return attention.heads && part.projection && !part.projection->weight.shape().has("head") && !attention.split_input;
}

std::vector<Operand> with_weights(RecipeBuilder& work, const Projecting& part) {
  const Axis in = part.projection->weight.shape().has("d_head") ? "d_head" : "d_model";
  std::vector<Operand> operands = {source_as(work, part, in)};
  operands.push_back(work.given({"weights." + part.name, "W_" + part.letter, language().steps.weights_for(part.plural),
                                 language().steps.given.text(), Role::weight_matrix},
                                part.projection->weight));
  if (part.projection->bias) {
    operands.push_back(work.given({"biases." + part.name, "b_" + part.letter, language().steps.bias_for(part.plural),
                                   language().steps.given.text(), Role::weight_matrix},
                                  *part.projection->bias));
  }
  return operands;
}

Op multiplied(const Projecting& part) {
  return Contract{part.projection->weight.shape().has("d_head") ? "d_head" : "d_model"};
}

// The wide product of all heads side by side, before it is split.
void record_wide(RecipeBuilder& work, const Attention& attention, const Projecting& part) {
  if (!is_wide(attention, part)) return;
  work.step({"projected_" + part.plural, part.letter + "*", language().steps.wide(part.plural),
             "{} = " + product(attention, part.projection->bias.has_value()), part.role},
            multiplied(part), with_weights(work, part));
}

std::string record_part(RecipeBuilder& work, const Attention& attention, const Projecting& part) {
  Heading heading{
      .id = part.plural, .symbol = part.letter, .title = language().steps.vectors(part.plural), .role = part.role};
  const std::size_t heads = !attention.heads ? 1 : part.name == "query" ? *attention.heads : attention.heads_of_keys();

  if (part.given) {
    if (!part.given->shape().has("d_concat")) {
      heading.formula = language().steps.given.text();
      return work.given_step(heading, *part.given);
    }
    const std::string wide = work.given({"given." + part.plural, part.letter + "*", language().steps.wide(part.plural),
                                         language().steps.given.text(), part.role},
                                        *part.given);
    heading.formula = language().steps.columns_of_each_head.text();
    return work.step(heading, Split{"d_concat", "head", part.feature, heads}, {wide});
  }

  if (is_wide(attention, part)) {
    heading.formula = language().steps.columns_of_each_head.text();
    return work.step(heading, Split{"d_concat", "head", part.feature, heads}, {"projected_" + part.plural});
  }
  if (part.projection) {
    heading.formula = "{} = " + product(attention, part.projection->bias.has_value());
    return work.step(heading, multiplied(part), with_weights(work, part));
  }

  if (attention.heads && !attention.split_input) {
    heading.formula = language().steps.columns_of_each_head.text();
    return work.step(heading, Split{"d_model", "head", part.feature, heads}, {source_as(work, part, "d_model")});
  }
  heading.formula = "{} = {0}";
  return work.step(heading, Copy{}, {source_as(work, part, part.feature)});
}

}  // namespace

std::string product(const Attention& attention, bool has_bias) {
  const std::string text = attention.vectors == Vectors::columns             ? "{1}·{0}"
                           : attention.weight_layout == WeightLayout::out_in ? "{0}·{1}ᵀ"
                                                                             : "{0}·{1}";
  return has_bias ? text + " + {2}" : text;
}

Projected record_projections(RecipeBuilder& work, const Inputs& inputs, const Attention& attention) {
  std::array parts = {
      Projecting{"key", "keys", "K", "key", "d_k", Role::key, attention.key, attention.keys},
      Projecting{"query", "queries", "Q", "query", "d_k", Role::query, attention.query, attention.queries},
      Projecting{"value", "values", "V", "key", "d_v", Role::value, attention.value, attention.values},
  };
  record_inputs(work, inputs);
  record_positioned_inputs(work, inputs, attention);
  std::string source = position_of(attention).encoding ? "positioned_inputs" : "inputs";
  if (attention.split_input) {
    record_split_inputs(work, inputs, attention, source);
    source = "split_inputs";
  }
  for (Projecting& part : parts) part.source = source + source_suffix(inputs, part);

  for (const Projecting& part : parts) record_wide(work, attention, part);
  Projected projected;
  projected.keys = record_part(work, attention, parts[0]);
  projected.queries = record_part(work, attention, parts[1]);
  projected.values = record_part(work, attention, parts[2]);
  return projected;
}

}  // namespace attn
