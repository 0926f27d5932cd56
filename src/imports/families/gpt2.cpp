#include <cmath>
#include <string>

#include "imports/family.h"

namespace attn {
namespace {

OrderedJson gpt2_layer(TakenModel& model, const std::string& at, std::size_t width, std::size_t number) {
  OrderedJson weights, biases;
  std::size_t from = 0;
  // c_attn has the three side by side.
  model.check_size(at + "attn.c_attn.weight", TakenModel::Axis::last, "n_embd", 3);
  for (const std::string role : {"query", "key", "value"}) {
    const TakenPart part{.columns = {{from, from + width}}};
    weights[role] = model.tensor(at + "attn.c_attn.weight", part);
    biases[role] = model.tensor(at + "attn.c_attn.bias", part);
    from += width;
  }
  weights["output"] = model.tensor(at + "attn.c_proj.weight");
  biases["output"] = model.tensor(at + "attn.c_proj.bias");
  OrderedJson self = {{"weights", weights}, {"biases", biases}};
  const double key_width = static_cast<double>(width) / static_cast<double>(model.count("n_head"));
  const bool divides = model.flag("scale_attn_weights", true),
             by_layer = model.flag("scale_attn_by_inverse_layer_idx", false);
  if (!divides || by_layer) {
    self["scale"] = (divides ? 1 / std::sqrt(key_width) : 1.0) / (by_layer ? static_cast<double>(number + 1) : 1.0);
  }
  return {{"norm1", model.norm(at + "ln_1.weight", at + "ln_1.bias")},
          {"self", self},
          {"norm2", model.norm(at + "ln_2.weight", at + "ln_2.bias")},
          {"ffn",
           {{"in", model.tensor(at + "mlp.c_fc.weight")},
            {"in_bias", model.tensor(at + "mlp.c_fc.bias")},
            {"out", model.tensor(at + "mlp.c_proj.weight")},
            {"out_bias", model.tensor(at + "mlp.c_proj.bias")}}}};
}

OrderedJson gpt2(TakenModel& model) {
  model.find_prefix({"", "transformer."}, "wte.weight");
  model.refuse_flag("add_cross_attention");
  model.check_size("wte.weight", TakenModel::Axis::last, "n_embd");
  const std::size_t tokens = model.wishes().ids.size();
  model.check_positions(model.rows("wpe.weight"));
  OrderedJson problem = model.problem("A decoder: gpt2", "wte.weight");
  problem["positions"] = {{"type", "learned"}, {"table", model.tensor("wpe.weight", {.rows = {{0, tokens}}})}};
  problem["heads"] = model.heads("n_head", "wte.weight", TakenModel::Axis::last);
  OrderedJson block = {{"kind", "decoder_only"},
                       {"norm", "pre"},
                       {"eps", model.eps("layer_norm_epsilon", 1e-5)},
                       {"activation", model.activation(model.word("activation_function", "gelu_new"), false)}};
  OrderedJson layers = OrderedJson::array();
  for (const std::size_t i : model.layers(model.count("n_layer"), "h.")) {
    layers.push_back(gpt2_layer(model, "h." + std::to_string(i) + ".", model.shape("wte.weight").back(), i));
  }
  block["layers"] = std::move(layers);
  block["final_norm"] = model.norm("ln_f.weight", "ln_f.bias");
  // The matrix of the logits is that of the embeddings, unless the model says otherwise.
  const bool is_tied = model.flag("tie_word_embeddings", true);
  if (model.makes_logits(is_tied) && is_tied) {
    model.pass_over_any("lm_head.weight");
    model.add_logits(block, "wte.weight", false);
  } else if (model.makes_logits(is_tied)) {
    model.step_outside("lm_head.weight");
    model.add_logits(block, "lm_head.weight", false);
  }
  problem["block"] = std::move(block);
  model.pass_over_any(".attn.bias");  // the triangle of the causal mask
  model.pass_over_any(".attn.masked_bias");
  for (const char* const head : {"score.", "classifier.", "multiple_choice_head."}) {
    model.leave_out(head, std::string("what stands behind the last layer: `") + head + "…`");
  }
  return problem;
}

}  // namespace

ModelFamily gpt2_modelfamily() {
  return {.name = "gpt2",
          .summary = "GPT-2 (Radford et al. 2019)",
          .types = {"gpt2"},
          .options = {"--layers", "--no-logits"},
          .problem = gpt2};
}

}  // namespace attn
