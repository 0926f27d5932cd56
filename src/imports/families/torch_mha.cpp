#include "imports/families/torch.h"

namespace attn {
namespace {

OrderedJson torch_mha(TakenModel& model) {
  model.find_prefix({"", "self_attn.", "attn."}, "out_proj.weight");
  OrderedJson problem = torch_problem(model, "nn.MultiheadAttention", torch_width(model, ""));
  problem.update(torch_attention(model, ""));
  return problem;
}

}  // namespace

ModelFamily torch_mha_modelfamily() {
  return {.name = "torch-mha",
          .summary = "the state dict of PyTorch's nn.MultiheadAttention",
          .types = {},
          .options = {"--heads", "--inputs"},
          .problem = torch_mha};
}

}  // namespace attn
