#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "imports/family.h"

namespace attn {
namespace {

// The row of each token's position. RoBERTa's are those behind the row of the padding, where padding itself has its
// place and is not counted.
std::vector<std::size_t> rows_of_positions(const TakenModel& model, std::optional<std::size_t> padding) {
  std::vector<std::size_t> rows;
  std::size_t next = padding ? *padding + 1 : 0;
  for (const std::size_t id : model.wishes().ids) rows.push_back(id == padding ? id : next++);
  return rows;
}

// To each row that of the first kind of token is added, which is all that one text has.
OrderedJson position_table(TakenModel& model, const std::vector<std::size_t>& rows) {
  const std::string positions = "embeddings.position_embeddings.weight",
                    kinds = "embeddings.token_type_embeddings.weight";
  if (model.count("type_vocab_size", 1) == 0) {
    OrderedJson table = model.tensor(positions);
    table["take"] = rows;
    return table;
  }
  const std::vector<double> kind = model.numbers(kinds, 0, 1);
  const std::size_t width = kind.size();
  const std::vector<double> table = model.numbers(positions, 0, *std::ranges::max_element(rows) + 1);
  if (model.shape(positions).back() != width) {
    model.refuse("bad-shape", "positions and kinds of tokens are not equally wide", "fetch the model's files again");
  }
  OrderedJson summed = OrderedJson::array();
  for (const std::size_t row : rows) {
    std::vector<double> sum = kind;
    for (std::size_t i = 0; i < width; ++i) sum[i] += table[row * width + i];
    summed.push_back(std::move(sum));
  }
  return summed;
}

// Models that are older than PyTorch's names for them, as the first BERT, call the two gamma and beta.
OrderedJson bert_norm(TakenModel& model, const std::string& name) {
  const bool is_older = !model.has(name + ".weight") && model.has(name + ".gamma");
  return is_older ? model.norm(name + ".gamma", name + ".beta") : model.norm(name + ".weight", name + ".bias");
}

OrderedJson bert_layer(TakenModel& model, const std::string& at) {
  OrderedJson weights, biases;
  for (const std::string role : {"query", "key", "value"}) {
    weights[role] = model.tensor(at + "attention.self." + role + ".weight");
    biases[role] = model.tensor(at + "attention.self." + role + ".bias");
  }
  weights["output"] = model.tensor(at + "attention.output.dense.weight");
  biases["output"] = model.tensor(at + "attention.output.dense.bias");
  return {{"self", {{"weights", weights}, {"biases", biases}}},
          {"norm1", bert_norm(model, at + "attention.output.LayerNorm")},
          {"ffn",
           {{"in", model.tensor(at + "intermediate.dense.weight")},
            {"in_bias", model.tensor(at + "intermediate.dense.bias")},
            {"out", model.tensor(at + "output.dense.weight")},
            {"out_bias", model.tensor(at + "output.dense.bias")}}},
          {"norm2", bert_norm(model, at + "output.LayerNorm")}};
}

OrderedJson bert(TakenModel& model) {
  model.find_prefix({"", "bert.", "roberta."}, "embeddings.word_embeddings.weight");
  model.check_size("embeddings.word_embeddings.weight", TakenModel::Axis::last, "hidden_size");
  model.accept_words("position_embedding_type", "absolute", {"absolute"});
  model.refuse_flag("is_decoder");
  model.refuse_flag("add_cross_attention");

  const std::string type = model.word("model_type", "bert");
  std::optional<std::size_t> padding;
  if (type != "bert") padding = model.count("pad_token_id", 1);
  const std::size_t first = padding ? *padding + 1 : 0;
  const std::size_t positions = model.rows("embeddings.position_embeddings.weight");
  model.check_positions(positions - std::min(first, positions));

  OrderedJson problem = model.problem("An encoder: " + type, "embeddings.word_embeddings.weight");
  problem["weight_layout"] = "out_in";
  problem["positions"] = {{"type", "learned"}, {"table", position_table(model, rows_of_positions(model, padding))}};
  problem["heads"] = model.heads("num_attention_heads", "embeddings.word_embeddings.weight", TakenModel::Axis::last);
  OrderedJson block = {{"kind", "encoder"},
                       {"norm", "post"},
                       {"eps", model.eps("layer_norm_eps", 1e-12)},
                       {"activation", model.activation(model.word("hidden_act", "gelu"), false)},
                       {"embedding_norm", bert_norm(model, "embeddings.LayerNorm")}};
  OrderedJson layers = OrderedJson::array();
  for (const std::size_t i : model.layers(model.count("num_hidden_layers"), "encoder.layer.")) {
    layers.push_back(bert_layer(model, "encoder.layer." + std::to_string(i) + "."));
  }
  block["layers"] = std::move(layers);
  problem["block"] = std::move(block);
  model.pass_over_any("embeddings.position_ids");
  model.pass_over_any("embeddings.token_type_ids");
  for (const char* const head : {"pooler.", "cls.", "lm_head.", "classifier.", "qa_outputs."}) {
    model.leave_out(head, std::string("what stands behind the last layer: `") + head + "…`");
  }
  return problem;
}

}  // namespace

ModelFamily bert_modelfamily() {
  return {.name = "bert",
          .summary = "BERT and RoBERTa (Devlin et al. 2018; Liu et al. 2019), the encoder",
          .types = {"bert", "roberta", "xlm-roberta", "camembert"},
          .options = {"--layers"},
          .problem = bert};
}

}  // namespace attn
