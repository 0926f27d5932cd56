#include "imports/families/torch.h"

namespace attn {
namespace {

OrderedJson torch_encoder(TakenModel& model) {
  const auto [is_one_layer, width] = torch_stack(model, "encoder.");
  const std::string layer = is_one_layer ? "" : "layers.0.";
  if (model.has(layer + "multihead_attn.out_proj.weight")) {
    model.refuse("bad-wishes", "these are layers of a decoder: they look at a memory, too",
                 "give --from torch-decoder");
  }
  const char* const title = is_one_layer ? "nn.TransformerEncoderLayer" : "nn.TransformerEncoder";
  OrderedJson problem = torch_problem(model, title, width);
  problem["block"] = torch_block(model, "encoder", TorchLayers::wanted);
  model.leave_out("decoder.", "the decoder");
  return problem;
}

}  // namespace

ModelFamily torch_encoder_modelfamily() {
  return {.name = "torch-encoder",
          .summary = "that of nn.TransformerEncoderLayer or nn.TransformerEncoder",
          .types = {},
          .options = {"--heads", "--inputs", "--layers", "--norm-first", "--activation"},
          .problem = torch_encoder};
}

}  // namespace attn
