#include "imports/families/torch.h"

#include <numeric>
#include <utility>
#include <vector>

#include "base/text.h"

namespace attn {
namespace {

// All of its norms have a bias, or none, as the module was told.
OrderedJson torch_norm(TakenModel& model, const std::string& name) {
  return model.norm(name + ".weight", model.has(name + ".bias") ? name + ".bias" : "");
}

OrderedJson torch_layer(TakenModel& model, const std::string& at, bool has_memory) {
  const auto norm = [&](const char* name) { return torch_norm(model, at + name); };
  OrderedJson layer = {{"self", torch_attention(model, at + "self_attn.")}, {"norm1", norm("norm1")}};
  if (has_memory) {
    layer["cross"] = torch_attention(model, at + "multihead_attn.");
    layer["cross"]["heads"] = *model.wishes().heads;
    layer["norm2"] = norm("norm2");
  }
  OrderedJson network;
  for (const auto& [role, name] : {std::pair("in", "linear1"), {"out", "linear2"}}) {
    network[role] = model.tensor(at + name + ".weight");
    if (model.has(at + name + ".bias")) network[std::string(role) + "_bias"] = model.tensor(at + name + ".bias");
  }
  layer["ffn"] = network;
  layer[has_memory ? "norm3" : "norm2"] = norm(has_memory ? "norm3" : "norm2");
  return layer;
}

}  // namespace

OrderedJson torch_attention(TakenModel& model, const std::string& name) {
  OrderedJson weights, biases = OrderedJson::object();
  const std::size_t width = torch_width(model, name);
  std::size_t from = 0;
  for (const std::string role : {"query", "key", "value"}) {
    const std::pair part(from, from + width);
    const std::string alone = name + role.substr(0, 1) + "_proj_weight";
    weights[role] = model.has(alone) ? model.tensor(alone) : model.tensor(name + "in_proj_weight", {.rows = part});
    if (model.has(name + "in_proj_bias")) biases[role] = model.tensor(name + "in_proj_bias", {.columns = part});
    from += width;
  }
  weights["output"] = model.tensor(name + "out_proj.weight");
  if (model.has(name + "out_proj.bias")) biases["output"] = model.tensor(name + "out_proj.bias");
  OrderedJson made = {{"weights", weights}};
  if (!biases.empty()) made["biases"] = biases;
  return made;
}

std::size_t torch_width(const TakenModel& model, const std::string& name) {
  const std::vector<std::size_t>& shape = model.shape(name + "out_proj.weight");
  if (shape.size() != 2) model.refuse("bad-shape", "`out_proj.weight` is no matrix", "give the state dict of a module");
  return shape.front();
}

TorchStack torch_stack(TakenModel& model, const std::string& part) {
  const bool is_part = model.has(part + "layers.0.self_attn.out_proj.weight");
  model.set_prefix(model.wishes().prefix.value_or(is_part ? part : ""));
  const bool is_one_layer = model.has("self_attn.out_proj.weight");
  return {is_one_layer, torch_width(model, is_one_layer ? "self_attn." : "layers.0.self_attn.")};
}

OrderedJson torch_problem(TakenModel& model, const std::string& title, std::size_t width) {
  const ImportWishes& wishes = model.wishes();
  if (!wishes.heads) {
    model.refuse("bad-wishes", "a state dict does not say how many heads there are", "give --heads N");
  }
  if (width % *wishes.heads != 0) {
    model.refuse("bad-wishes",
                 counted(*wishes.heads, "head") + " cannot share vectors of " + counted(width, "number") + " equally",
                 "--heads takes a number that divides " + std::to_string(width));
  }
  if (wishes.tokens == 0 && wishes.inputs.empty()) {
    model.refuse("bad-wishes", "a state dict does not say what goes in",
                 "give --inputs FILE, or --tokens a,b for random vectors");
  }
  OrderedJson made = {{"title", title}};
  if (!wishes.labels.empty()) made["tokens"] = wishes.labels;
  const std::vector<std::size_t>& stored = wishes.inputs.shape;
  if (wishes.tokens > 0 && stored.size() > 1 && stored[stored.size() - 2] != wishes.tokens) {
    model.refuse("bad-wishes",
                 "--tokens names " + counted(wishes.tokens, "token") + ", and --inputs has vectors of " +
                     std::to_string(stored[stored.size() - 2]),
                 "name each of them, or none");
  }
  made["inputs"] = model.vectors(wishes.tokens, width, wishes.inputs, 1);
  made["weight_layout"] = "out_in";
  made["heads"] = *wishes.heads;
  return made;
}

OrderedJson torch_block(TakenModel& model, const std::string& kind, TorchLayers taken) {
  const ImportWishes& wishes = model.wishes();
  const bool has_memory = kind == "decoder";
  OrderedJson block = {{"kind", kind},
                       {"norm", wishes.norm_first ? "pre" : "post"},
                       {"activation", model.activation(wishes.activation.empty() ? "relu" : wishes.activation, false)}};
  OrderedJson layers = OrderedJson::array();
  if (model.has("self_attn.out_proj.weight")) {
    if (taken == TorchLayers::wanted) model.layers(1, "layers.", kind);
    layers.push_back(torch_layer(model, "", has_memory));
  } else {
    std::size_t count = 0;
    while (model.has("layers." + std::to_string(count) + ".self_attn.out_proj.weight")) ++count;
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    if (taken == TorchLayers::wanted) numbers = model.layers(count, "layers.", kind);
    for (const std::size_t i : numbers) {
      layers.push_back(torch_layer(model, "layers." + std::to_string(i) + ".", has_memory));
    }
    if (model.has("norm.weight")) block["final_norm"] = torch_norm(model, "norm");
  }
  block["layers"] = std::move(layers);
  return block;
}

}  // namespace attn
