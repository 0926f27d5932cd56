#include <string>

#include "imports/family.h"

namespace attn {
namespace {

// The positions' rows, and to each the row of the first kind of token, which is all that one text has.
OrderedJson position_table(TakenModel& model, std::size_t first) {
  const std::size_t tokens = model.wishes().ids.size();
  const std::string positions = "embeddings.position_embeddings.weight",
                    kinds = "embeddings.token_type_embeddings.weight";
  if (!model.has(kinds)) return model.tensor(positions, {.rows = {{first, first + tokens}}});
  std::vector<double> table = model.numbers(positions, first, first + tokens);
  const std::vector<double> kind = model.numbers(kinds, 0, 1);
  OrderedJson rows = OrderedJson::array();
  for (std::size_t at = 0; at < table.size(); at += kind.size()) {
    for (std::size_t i = 0; i < kind.size(); ++i) table[at + i] += kind[i];
    rows.push_back(std::vector<double>(table.begin() + static_cast<std::ptrdiff_t>(at),
                                       table.begin() + static_cast<std::ptrdiff_t>(at + kind.size())));
  }
  return rows;
}

OrderedJson bert_layer(TakenModel& model, const std::string& at) {
  OrderedJson weights, biases;
  for (const std::string role : {"query", "key", "value"}) {
    weights[role] = model.tensor(at + "attention.self." + role + ".weight");
    biases[role] = model.tensor(at + "attention.self." + role + ".bias");
  }
  weights["output"] = model.tensor(at + "attention.output.dense.weight");
  biases["output"] = model.tensor(at + "attention.output.dense.bias");
  const auto norm = [&](const std::string& name) { return model.norm(name + ".weight", name + ".bias"); };
  return {{"self", {{"weights", weights}, {"biases", biases}}},
          {"norm1", norm(at + "attention.output.LayerNorm")},
          {"ffn",
           {{"in", model.tensor(at + "intermediate.dense.weight")},
            {"in_bias", model.tensor(at + "intermediate.dense.bias")},
            {"out", model.tensor(at + "output.dense.weight")},
            {"out_bias", model.tensor(at + "output.dense.bias")}}},
          {"norm2", norm(at + "output.LayerNorm")}};
}

OrderedJson bert(TakenModel& model) {
  model.find_prefix({"", "bert.", "roberta."}, "embeddings.word_embeddings.weight");
  model.accept_words("position_embedding_type", "absolute", {"absolute"});
  model.refuse_flag("is_decoder");
  model.refuse_flag("add_cross_attention");

  // RoBERTa counts positions from behind that of the padding.
  const std::string type = model.word("model_type", "bert");
  const std::size_t first = type == "bert" ? 0 : model.count("pad_token_id", 1) + 1;
  const std::size_t positions = model.shape("embeddings.position_embeddings.weight").front();
  model.check_positions(positions - std::min(first, positions));

  OrderedJson problem = model.problem("An encoder: " + type, "embeddings.word_embeddings.weight");
  problem["weight_layout"] = "out_in";
  problem["positions"] = {{"type", "learned"}, {"table", position_table(model, first)}};
  problem["heads"] = model.count("num_attention_heads");
  OrderedJson block = {{"kind", "encoder"},
                       {"norm", "post"},
                       {"eps", model.number("layer_norm_eps", 1e-12)},
                       {"activation", model.activation(model.word("hidden_act", "gelu"), false)},
                       {"embedding_norm", model.norm("embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias")}};
  OrderedJson layers = OrderedJson::array();
  for (const std::size_t i : model.layers(model.count("num_hidden_layers"), "encoder.layer.")) {
    layers.push_back(bert_layer(model, "encoder.layer." + std::to_string(i) + "."));
  }
  block["layers"] = std::move(layers);
  problem["block"] = std::move(block);
  model.pass_over_any("embeddings.position_ids");
  model.pass_over_any("embeddings.token_type_ids");
  for (const char* const head :
       {"pooler.", "bert.pooler.", "cls.", "lm_head.", "classifier.", "qa_outputs.", "roberta.pooler."}) {
    model.leave_out(head, std::string("what stands behind the last layer: `") + head + "…`");
  }
  return problem;
}

}  // namespace

ModelFamily bert_modelfamily() {
  return {.name = "bert",
          .summary = "BERT and RoBERTa (Devlin et al. 2018; Liu et al. 2019), the encoder",
          .types = {"bert", "roberta", "xlm-roberta", "camembert"},
          .problem = bert};
}

}  // namespace attn
