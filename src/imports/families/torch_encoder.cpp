#include "imports/families/torch.h"

namespace attn {
namespace {

OrderedJson torch_encoder(TakenModel& model) {
  const auto [is_one_layer, width] = torch_stack(model, "encoder.");
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
