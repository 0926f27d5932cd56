#include <cstddef>
#include <string>

#include "base/text.h"
#include "imports/family.h"

namespace attn {
namespace {

OrderedJson t5_layer(TakenModel& model, const std::string& at, bool is_gated) {
  OrderedJson weights;
  for (const auto& [role, name] : {std::pair("query", "q"), {"key", "k"}, {"value", "v"}, {"output", "o"}}) {
    weights[role] = model.tensor(at + "layer.0.SelfAttention." + name + ".weight");
  }
  const std::string network = at + "layer.1.DenseReluDense.";
  OrderedJson ffn = {{"in", model.tensor(network + (is_gated ? "wi_1.weight" : "wi.weight"))}};
  if (is_gated) ffn["gate"] = model.tensor(network + "wi_0.weight");
  ffn["out"] = model.tensor(network + "wo.weight");
  return {{"norm1", model.norm(at + "layer.0.layer_norm.weight")},
          {"self", {{"weights", weights}}},
          {"norm2", model.norm(at + "layer.1.layer_norm.weight")},
          {"ffn", ffn}};
}

OrderedJson t5(TakenModel& model) {
  model.find_prefix({"encoder.", ""}, "block.0.layer.0.SelfAttention.q.weight");
  // "relu", or "gated-gelu", whose gelu is that by a tanh.
  const std::string projection = model.word("feed_forward_proj", "relu");
  const bool is_gated = projection.starts_with("gated-");
  const std::string function = projection.substr(is_gated ? 6 : 0);
  const std::string act = is_gated && function == "gelu" ? "gelu_new" : function;

  // The embeddings stand outside the encoder.
  const std::string prefix = model.prefix();
  const bool stands_outside = !model.has("embed_tokens.weight");
  if (stands_outside) model.step_outside("shared.weight");
  OrderedJson problem = model.problem("An encoder: " + model.word("model_type", "t5"),
                                      stands_outside ? "shared.weight" : "embed_tokens.weight");
  model.set_prefix(prefix);
  model.pass_over_any("shared.weight");
  const std::string first = "block.0.layer.0.SelfAttention.", table = first + "relative_attention_bias.weight";
  model.check_size(first + "q.weight", TakenModel::Axis::last, "d_model");
  const std::size_t heads = model.heads("num_heads", first + "q.weight", TakenModel::Axis::first);
  model.check_size(first + "q.weight", TakenModel::Axis::first, "d_kv", heads);
  model.check_size(table, TakenModel::Axis::first, "relative_attention_num_buckets");
  // Half of the buckets are for keys behind the query; of either half a half has a distance each.
  const std::size_t buckets = model.rows(table), most = model.count("relative_attention_max_distance", 128);
  if (buckets % 2 != 0 || most <= buckets / 4 || most > (std::size_t{1} << 53)) {
    model.refuse("bad-config",
                 "`" + printable(table) + "` has " + counted(buckets, "bucket") +
                     ", and `relative_attention_max_distance` is " + std::to_string(most),
                 "buckets are an even number, and the distance is more than a quarter of them, and at most 2^53");
  }
  problem["weight_layout"] = "out_in";
  problem["heads"] = heads;
  problem["scale"] = 1;
  problem["positions"] = {
      {"type", "t5"}, {"table", model.tensor(table)}, {"max_distance", most}, {"bidirectional", true}};
  OrderedJson block = {{"kind", "encoder"},
                       {"norm", "pre"},
                       {"norm_type", "rms"},
                       {"eps", model.eps("layer_norm_epsilon", 1e-6)},
                       {"activation", model.activation(act, is_gated)}};
  OrderedJson layers = OrderedJson::array();
  for (const std::size_t i : model.layers(model.count("num_layers"), "block.")) {
    layers.push_back(t5_layer(model, "block." + std::to_string(i) + ".", is_gated));
  }
  block["layers"] = std::move(layers);
  block["final_norm"] = model.norm("final_layer_norm.weight");
  problem["block"] = std::move(block);
  model.leave_out("decoder.", "the decoder");
  model.leave_out("lm_head.", "the logits");
  return problem;
}

}  // namespace

ModelFamily t5_modelfamily() {
  return {.name = "t5",
          .summary = "T5 (Raffel et al. 2020), the encoder",
          .types = {"t5", "mt5"},
          .options = {"--layers"},
          .problem = t5};
}

}  // namespace attn
