#include <string>

#include "imports/family.h"

namespace attn {
namespace {

OrderedJson llama_layer(TakenModel& model, const std::string& at) {
  OrderedJson weights, biases = OrderedJson::object();
  for (const auto& [role, name] :
       {std::pair("query", "q_proj"), {"key", "k_proj"}, {"value", "v_proj"}, {"output", "o_proj"}}) {
    weights[role] = model.tensor(at + "self_attn." + name + ".weight");
    const std::string bias = at + "self_attn." + name + ".bias";
    if (model.has(bias)) biases[role] = model.tensor(bias);
  }
  OrderedJson self = {{"weights", weights}};
  if (!biases.empty()) self["biases"] = biases;
  OrderedJson network;
  for (const auto& [role, name] : {std::pair("in", "up_proj"), {"gate", "gate_proj"}, {"out", "down_proj"}}) {
    network[role] = model.tensor(at + "mlp." + name + ".weight");
    const std::string bias = at + "mlp." + name + ".bias";
    if (model.has(bias)) network[std::string(role) + "_bias"] = model.tensor(bias);
  }
  return {{"norm1", model.norm(at + "input_layernorm.weight")},
          {"self", self},
          {"norm2", model.norm(at + "post_attention_layernorm.weight")},
          {"ffn", network}};
}

OrderedJson llama(TakenModel& model) {
  model.find_prefix({"", "model."}, "embed_tokens.weight");
  model.refuse_setting("rope_scaling");
  model.refuse_setting("rope_parameters");
  const std::size_t window = model.count("sliding_window", 0);
  if (window > 0 && model.flag("use_sliding_window", true) && model.wishes().ids.size() > window) {
    model.refuse("not-computed", "the text is longer than the model's window of " + std::to_string(window) + " tokens",
                 "import a shorter text");
  }
  const std::size_t heads = model.count("num_attention_heads");
  OrderedJson problem = model.problem("A decoder: " + model.word("model_type", "llama"), "embed_tokens.weight");
  problem["weight_layout"] = "out_in";
  problem["positions"] = {{"type", "rope"}, {"base", model.number("rope_theta", 10000)}};
  problem["heads"] = heads;
  const std::size_t shared = model.count("num_key_value_heads", heads);
  if (shared != heads) problem["kv_heads"] = shared;
  OrderedJson block = {{"kind", "decoder_only"},
                       {"norm", "pre"},
                       {"norm_type", "rms"},
                       {"eps", model.number("rms_norm_eps", 1e-6)},
                       {"activation", model.activation(model.word("hidden_act", "silu"), true)}};
  OrderedJson layers = OrderedJson::array();
  for (const std::size_t i : model.layers(model.count("num_hidden_layers"), "layers.")) {
    layers.push_back(llama_layer(model, "layers." + std::to_string(i) + "."));
  }
  block["layers"] = std::move(layers);
  block["final_norm"] = model.norm("norm.weight");
  const bool is_tied = model.flag("tie_word_embeddings", false);
  if (model.makes_logits() && is_tied) {
    model.pass_over_any("lm_head.weight");
    model.add_logits(block, "embed_tokens.weight", true);
  } else if (model.makes_logits()) {
    model.set_prefix("");
    model.add_logits(block, "lm_head.weight", true);
  }
  problem["block"] = std::move(block);
  model.pass_over_any("rotary_emb.inv_freq");
  model.leave_out("score.", "what stands behind the last layer: `score.…`");
  return problem;
}

}  // namespace

ModelFamily llama_modelfamily() {
  return {.name = "llama",
          .summary = "Llama (Touvron et al. 2023), and Mistral and Qwen2, which are built alike",
          .types = {"llama", "mistral", "qwen2"},
          .problem = llama};
}

}  // namespace attn
