#include <string>
#include <string_view>

#include "imports/families/torch.h"

namespace attn {
namespace {

// Vectors that cross-attention reads, or whose encoder it reads: as many as tokens, where no file has them.
OrderedJson read_vectors(const TakenModel& model, std::size_t width, const VectorsInFile& file) {
  const std::size_t tokens = model.wishes().tokens;
  if (file.empty() && tokens == 0) {
    model.refuse("bad-wishes", "a state dict does not say what cross-attention reads",
                 "give --memory FILE, or --source FILE for the encoder of a whole nn.Transformer");
  }
  return model.vectors(tokens, width, file, 2);
}

// The encoder of a whole nn.Transformer, as the memory's own problem, unless its output is given.
OrderedJson memory_of(TakenModel& model, std::size_t width) {
  const ImportWishes& wishes = model.wishes();
  const std::string prefix = model.prefix();
  const std::string_view decoder = "decoder.";
  const bool is_part = prefix.ends_with(decoder);
  const std::string encoder = is_part ? prefix.substr(0, prefix.size() - decoder.size()) + "encoder." : "";
  model.set_prefix(encoder);
  const bool is_whole = is_part && model.has("layers.0.self_attn.out_proj.weight");
  if (!wishes.source.empty() && (!is_whole || !wishes.memory.empty())) {
    model.refuse("bad-wishes",
                 is_whole ? "--memory is what the encoder makes, and --source what goes into it"
                          : "--source goes into an encoder, and this state dict has none",
                 is_whole ? "give one of them" : "give --memory FILE");
  }
  OrderedJson memory;
  if (is_whole && wishes.memory.empty()) {
    model.claim(encoder);
    memory = {
        {"inputs", read_vectors(model, width, wishes.source)}, {"weight_layout", "out_in"}, {"heads", *wishes.heads}};
    memory["block"] = torch_block(model, "encoder", TorchLayers::all);
  } else {
    memory = read_vectors(model, width, wishes.memory);
    if (is_whole) model.leave_out(encoder, "the encoder");
  }
  model.set_prefix(prefix);
  return memory;
}

OrderedJson torch_decoder(TakenModel& model) {
  const auto [is_one_layer, width] = torch_stack(model, "decoder.");
  const char* const title = is_one_layer ? "nn.TransformerDecoderLayer" : "nn.TransformerDecoder";
  OrderedJson problem = torch_problem(model, title, width);
  OrderedJson block = torch_block(model, "decoder", TorchLayers::wanted);
  block["memory"] = memory_of(model, width);
  problem["block"] = std::move(block);
  return problem;
}

}  // namespace

ModelFamily torch_decoder_modelfamily() {
  return {.name = "torch-decoder",
          .summary = "that of nn.TransformerDecoderLayer, nn.TransformerDecoder or nn.Transformer",
          .types = {},
          .options = {"--heads", "--inputs", "--layers", "--norm-first", "--activation", "--memory", "--source"},
          .problem = torch_decoder};
}

}  // namespace attn
