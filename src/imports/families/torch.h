#pragma once

#include <cstddef>
#include <string>

#include "imports/family.h"

namespace attn {

// What PyTorch's own modules keep in a state dict, with weights [out][in]. A state dict
// does not say how many heads there are, which activation or where norms stand.

// The module `name` ("self_attn.") of nn.MultiheadAttention: {"weights", "biases"}.
OrderedJson torch_attention(TakenModel& model, const std::string& name);

// How wide the vectors are that it reads.
std::size_t torch_width(const TakenModel& model, const std::string& name);

// A stack of layers or one layer alone, by itself or, as `part` ("encoder."), in a whole
// nn.Transformer: its prefix is the model's from here on. How wide its vectors are.
struct TorchStack {
  bool is_one_layer = false;
  std::size_t width = 0;
};
TorchStack torch_stack(TakenModel& model, const std::string& part);

// A problem around layers: title, layout, heads, and the vectors that go in.
OrderedJson torch_problem(TakenModel& model, const std::string& title, std::size_t width);

// Which layers of a stack: those that were asked for, or all of one that only makes what another half reads.
enum class TorchLayers { wanted, all };

// The block of a stack of layers, or of one layer alone, whose names begin with the model's prefix.
OrderedJson torch_block(TakenModel& model, const std::string& kind, TorchLayers layers);

}  // namespace attn
