#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "imports/family.h"

namespace attn {
namespace {

// Refuses what a setting says of rotations, but for the base of the plain ones, by its name.
void accept_plain_rotation(const TakenModel& model, const char* key) {
  const nlohmann::json* said = model.setting(key);
  if (!said) return;
  if (!said->is_object()) return model.refuse_setting(key);
  std::vector<std::string> others;
  for (const auto& [name, value] : said->items()) {
    const bool is_type = name == "rope_type" || name == "type";
    const bool is_plain = value.is_null() || (is_type ? value == "default" : name == "rope_theta") ||
                          (name == "partial_rotary_factor" && value == 1);
    if (!is_plain) others.push_back(value.is_string() ? name + " " + value.get<std::string>() : name);
  }
  if (others.empty()) return;
  model.refuse("not-computed",
               "the model has `" + printable(key + (": " + listed(others))) + "`, which attn does not compute",
               "import a model without it");
}

// What angles are powers of. The library of these models has called it in several ways; the newest reads what stands
// with the rotations first.
double base_of_rotation(const TakenModel& model) {
  for (const char* const key : {"rope_scaling", "rope_parameters"}) accept_plain_rotation(model, key);
  if (model.number("partial_rotary_factor", 1) != 1) model.refuse_setting("partial_rotary_factor");
  const nlohmann::json* said = model.setting("rope_theta");
  for (const char* const key : {"rope_scaling", "rope_parameters"}) {
    const nlohmann::json* rotations = model.setting(key);
    if (rotations && rotations->contains("rope_theta")) said = &(*rotations)["rope_theta"];
  }
  if (!said) return 10000;
  if (!said->is_number() || !(said->get<double>() > 0)) {
    model.refuse("bad-config", "config.json says of `rope_theta` what is no number above 0",
                 "angles are powers of it, as of 10000");
  }
  return said->get<double>();
}

// Whether that layer sees no further back than the model's window: all of Mistral's do, and those of Qwen2 that are
// said to.
bool has_window(const TakenModel& model, std::size_t layer) {
  const std::string type = model.word("model_type", "llama");
  if (type == "mistral") return true;
  if (type != "qwen2" || !model.flag("use_sliding_window", false)) return false;
  const nlohmann::json* types = model.setting("layer_types");
  if (types && types->is_array() && layer < types->size()) return (*types)[layer] == "sliding_attention";
  return layer >= model.count("max_window_layers", 28);
}

// What of an attention has a bias: Qwen2's queries, keys and values, and all or nothing of Llama's.
bool has_bias(const TakenModel& model, std::string_view role) {
  const bool is_qwen = model.word("model_type", "llama") == "qwen2";
  return is_qwen ? role != "output" : model.flag("attention_bias", false);
}

OrderedJson llama_layer(TakenModel& model, const std::string& at) {
  OrderedJson weights, biases = OrderedJson::object();
  for (const auto& [role, name] :
       {std::pair("query", "q_proj"), {"key", "k_proj"}, {"value", "v_proj"}, {"output", "o_proj"}}) {
    weights[role] = model.tensor(at + "self_attn." + name + ".weight");
    if (has_bias(model, role)) biases[role] = model.tensor(at + "self_attn." + name + ".bias");
  }
  const std::string queries = at + "self_attn.q_proj.weight";
  const std::size_t heads = model.heads("num_attention_heads", queries, TakenModel::Axis::first);
  model.check_size(queries, TakenModel::Axis::first, "head_dim", heads);
  const std::size_t width = model.rows(queries) / heads;
  if (width % 2 != 0) {
    model.refuse("bad-config",
                 "`num_attention_heads` is " + std::to_string(heads) + ", and so a head of `" + printable(queries) +
                     "` has " + counted(width, "number"),
                 "rotations turn pairs of numbers: is config.json the one of another model?");
  }
  std::size_t shared = heads;
  if (model.says("num_key_value_heads")) {
    shared = model.heads("num_key_value_heads", at + "self_attn.k_proj.weight", TakenModel::Axis::first);
    if (heads % shared != 0) {
      model.refuse("bad-config",
                   "config.json says that there are " + std::to_string(heads) +
                       " heads, and `num_key_value_heads` is " + std::to_string(shared) +
                       ", which does not divide them",
                   "as many heads of queries share each head of keys");
    }
  }
  for (const char* const name : {"k_proj", "v_proj"}) {
    const std::string keys = at + "self_attn." + name + ".weight";
    const std::size_t rows = model.rows(keys);
    if (rows == shared * width) continue;
    model.refuse("bad-config",
                 "`" + printable(keys) + "` makes " + counted(rows, "number") + ", and config.json says that " +
                     counted(shared, "head") + " of keys have " + std::to_string(width) + " each, as those of queries",
                 "`num_key_value_heads` is that of another model: fetch both again");
  }
  OrderedJson self = {{"weights", weights}};
  if (!biases.empty()) self["biases"] = biases;
  OrderedJson network;
  for (const auto& [role, name] : {std::pair("in", "up_proj"), {"gate", "gate_proj"}, {"out", "down_proj"}}) {
    network[role] = model.tensor(at + "mlp." + name + ".weight");
    if (model.flag("mlp_bias", false))
      network[std::string(role) + "_bias"] = model.tensor(at + "mlp." + name + ".bias");
  }
  return {{"norm1", model.norm(at + "input_layernorm.weight")},
          {"self", self},
          {"norm2", model.norm(at + "post_attention_layernorm.weight")},
          {"ffn", network}};
}

OrderedJson llama(TakenModel& model) {
  model.find_prefix({"", "model."}, "embed_tokens.weight");
  model.check_size("embed_tokens.weight", TakenModel::Axis::last, "hidden_size");
  const std::size_t window = model.count("sliding_window", 0);
  const bool is_long = window > 0 && model.wishes().ids.size() > window;
  const std::size_t heads = model.count("num_attention_heads");
  OrderedJson problem = model.problem("A decoder: " + model.word("model_type", "llama"), "embed_tokens.weight");
  problem["weight_layout"] = "out_in";
  problem["positions"] = {{"type", "rope"}, {"base", base_of_rotation(model)}};
  problem["heads"] = heads;
  const std::size_t shared = model.count("num_key_value_heads", heads);
  if (shared != heads) problem["kv_heads"] = shared;
  OrderedJson block = {{"kind", "decoder_only"},
                       {"norm", "pre"},
                       {"norm_type", "rms"},
                       {"eps", model.eps("rms_norm_eps", 1e-6)},
                       {"activation", model.activation(model.word("hidden_act", "silu"), true)}};
  OrderedJson layers = OrderedJson::array();
  for (const std::size_t i : model.layers(model.count("num_hidden_layers"), "layers.")) {
    layers.push_back(llama_layer(model, "layers." + std::to_string(i) + "."));
    // A query is among the keys that it sees.
    if (is_long && has_window(model, i)) layers.back()["self"]["window"] = {window - 1, -1};
  }
  block["layers"] = std::move(layers);
  block["final_norm"] = model.norm("norm.weight");
  const bool is_tied = model.flag("tie_word_embeddings", false);
  if (model.makes_logits(is_tied) && is_tied) {
    model.pass_over_any("lm_head.weight");
    model.add_logits(block, "embed_tokens.weight", true);
  } else if (model.makes_logits(is_tied)) {
    model.step_outside("lm_head.weight");
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
          .options = {"--layers", "--no-logits"},
          .problem = llama};
}

}  // namespace attn
