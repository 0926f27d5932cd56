#include "imports/families/torch.h"

namespace attn {
namespace {

// The encoder of a whole nn.Transformer, as the memory's own problem; else vectors.
OrderedJson memory_of(TakenModel& model, std::size_t width) {
  const ImportWishes& wishes = model.wishes();
  const std::size_t tokens = wishes.tokens;
  const std::string prefix = model.prefix();
  if (!wishes.memory.empty() || !prefix.ends_with("decoder.")) return model.vectors(tokens, width, wishes.memory, 2);
  model.set_prefix(prefix.substr(0, prefix.size() - std::string("decoder.").size()) + "encoder.");
  OrderedJson memory;
  if (model.has("layers.0.self_attn.out_proj.weight")) {
    memory = {{"inputs", model.vectors(tokens, width, "", 2)}, {"weight_layout", "out_in"}, {"heads", *wishes.heads}};
    memory["block"] = torch_block(model, "encoder", false);
  } else {
    memory = model.vectors(tokens, width, "", 2);
  }
  model.set_prefix(prefix);
  return memory;
}

OrderedJson torch_decoder(TakenModel& model) {
  const auto [is_one_layer, width] = torch_stack(model, "decoder.");
  const char* const title = is_one_layer ? "nn.TransformerDecoderLayer" : "nn.TransformerDecoder";
  OrderedJson problem = torch_problem(model, title, width);
  OrderedJson block = torch_block(model, "decoder", true);
  block["memory"] = memory_of(model, width);
  problem["block"] = std::move(block);
  return problem;
}

}  // namespace

ModelFamily torch_decoder_modelfamily() {
  return {.name = "torch-decoder",
          .summary = "that of nn.TransformerDecoderLayer, nn.TransformerDecoder or nn.Transformer",
          .types = {},
          .problem = torch_decoder};
}

}  // namespace attn
