#include "problem/fit_block.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"
#include "problem/labels.h"

namespace attn {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

bool is_known(const std::optional<std::size_t>& width) { return width.has_value(); }

// How many numbers stand in the file itself: those of others are taken for each reference.
std::size_t numbers_in(const RawTensor& tensor) {
  const auto* numbers = std::get_if<NestedNumbers>(&tensor.numbers);
  return numbers ? numbers->values().size() : 0;
}

std::size_t numbers_in(const RawChoice& choice) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : choice.tensors) count += tensor ? numbers_in(*tensor) : 0;
  return count;
}

std::size_t numbers_in(const RawOption& option) {
  std::size_t count = 0;
  if (const auto* integers = std::get_if<RawIntegers>(&option.value)) count = integers->values.size();
  if (const auto* masks = std::get_if<std::vector<RawMask>>(&option.value)) {
    for (const RawMask& mask : *masks) count += numbers_in(mask.value);
  }
  return count;
}

// Of one alone.
std::size_t numbers_in(std::size_t) { return 0; }

class BlockFitting {
 public:
  BlockFitting(Statement& statement, const Sources& sources, const AttentionSetting& in, const ValidatePart& validate)
      : statement_(statement), raw_(*statement.block), sources_(sources), in_(in), validate_(validate) {}

  std::optional<FittedBlock> run() {
    refuse_what_layers_say();
    refuse_what_no_layer_reads();
    read_names();
    read_memory();
    read_layers();
    read_frame();
    if (in_.faults.any() || !is_complete_) return std::nullopt;
    if (made_.sublayers.empty()) made_.sublayers.push_back(labels_alone());
    return std::move(made_);
  }

 private:
  // --- what stands at the top ---------------------------------------------------

  void refuse_what_layers_say() {
    const auto refuse = [&](bool given, const std::string& key, const std::string& help) {
      if (!given) return;
      const std::string where = statement_.place(key);
      in_.faults.add_at_key("contradiction", where, shown(where) + " is given, and " + shown(raw_.where) + " too",
                            help);
    };
    const auto any = [](auto& roles) {
      return std::ranges::any_of(roles.all(), [](const auto* role) { return role->is_given(); });
    };
    const std::string in_layers = "each layer has its own: " + shown(raw_.where) + "/layers/0/self/weights";
    refuse(any(statement_.weights), "/weights", in_layers);
    refuse(any(statement_.biases), "/biases", in_layers);
    const char* const from_inputs = "a block computes queries, keys and values of its inputs";
    refuse(statement_.queries.is_given(), "/queries", from_inputs);
    refuse(statement_.keys.is_given(), "/keys", from_inputs);
    refuse(statement_.values.is_given(), "/values", from_inputs);
    refuse(statement_.past.is_given(), "/past", "a block computes every token");
    refuse(statement_.appended.is_given(), "/appended", "a block attends to its own tokens only");
    if (sources_.form == Sources::Form::cross_attention) {
      const bool from_tokens = sources_.from_tokens;
      in_.faults.add_of("contradiction", statement_.place(from_tokens ? "/tokens" : "/inputs"),
                        "has query and key apart, and " + shown(raw_.where) + " is given",
                        std::string(from_tokens ? R"(give "tokens" as one list)" : R"(give "inputs" as one matrix)") +
                            R"(, and what a decoder attends to as "memory" of the block)");
    }
  }

  // What has the shape of the scores of every `self` where there is none: whether it would fit is never found out.
  void refuse_what_no_layer_reads() {
    const auto attends = [](const RawLayer& layer) { return layer.self.is_given(); };
    if (!raw_.layers || std::ranges::any_of(*raw_.layers, attends)) return;
    for (const std::string name : {"mask", "lengths"}) {
      const auto option = statement_.options.find(name);
      if (option == statement_.options.end()) continue;
      const std::string where = option->second ? option->second->where : statement_.place("/" + name);
      in_.faults.add_at_key("contradiction", where,
                            shown(where) + " is given, and no layer of " + shown(raw_.where) + R"( has "self")",
                            R"(it holds for every "self", and for no "cross"; leave it out)");
    }
  }

  Side own_side() const {
    const Side* inputs = sources_.query_side();
    return {.where = inputs->where,
            .batched = inputs->batched,
            .rows = inputs->rows,
            .width = inputs->width,
            .embeddings = inputs->embeddings};
  }

  std::size_t width() const { return sources_.query_side()->width; }

  void read_names() {
    TransformerBlock& block = made_.block;
    is_complete_ = !raw_.kind.is_faulty() && !raw_.norm_first.is_faulty() && !raw_.norm.is_faulty() &&
                   !raw_.activation.is_faulty() && !raw_.eps.is_faulty() && !raw_.vocabulary.is_faulty();
    block.kind = raw_.kind.value_or(TransformerBlock::Kind::encoder);
    block.norm_first = raw_.norm_first.value_or(false);
    block.norm = raw_.norm.value_or(in_.catalog.norms.front().name);
    block.activation = raw_.activation.value_or(in_.catalog.activations.front().name);
    block.eps = raw_.eps.value_or(block.eps);
    is_decoder_ = block.kind == TransformerBlock::Kind::decoder;
    is_gated_ = find(in_.catalog.activations, block.activation)->gated;
  }

  // --- the memory ---------------------------------------------------------------

  void read_memory() {
    const bool given = raw_.memory.is_given() || raw_.encoder.is_given();
    if (raw_.kind.is_faulty()) return;
    for (const auto& [is_there, key] : {std::pair(given, "/memory"),
                                        {raw_.memory_mask.is_given(), "/memory_mask"},
                                        {raw_.memory_lengths.is_given(), "/memory_lengths"}}) {
      if (is_decoder_ || !is_there) continue;
      in_.faults.add_at_key("contradiction", raw_.where + key,
                            shown(raw_.where) + key + " is given, and no layer reads a memory",
                            R"(say "kind": "decoder", whose layers have "cross")");
    }
    if (!is_decoder_) return;
    if (!given) {
      in_.faults.add_of(
          "missing-member", raw_.where, R"(is a decoder, and has no "memory")",
          R"(what "cross" attends to: a matrix, or a problem of its own; without any, say "decoder_only")");
      return;
    }
    if (raw_.memory) {
      memory_ = measured_inputs(std::move(*raw_.memory), in_.setting.vectors, in_.budget, in_.faults);
      if (!memory_) return;
      // The numbers go their own way.
      Side side = *memory_;
      made_.block.memory =
          laid_out(std::move(side), unlimited, in_.setting.vectors, "token", "d_model", in_.budget, in_.faults);
    } else if (raw_.encoder) {
      read_encoder(std::move(**raw_.encoder));
    }
    is_complete_ = is_complete_ && memory_;
  }

  void read_encoder(Statement encoder) {
    if (encoder.vectors.is_given() && encoder.vectors.value_or(in_.setting.vectors) != in_.setting.vectors) {
      in_.faults.add_at_key("contradiction", raw_.where + "/memory/vectors",
                            shown(raw_.where) + "/memory/vectors is another than that of the problem around it",
                            "leave it out");
    }
    if (!encoder.vectors.is_given()) encoder.elsewhere["/vectors"] = statement_.place("/vectors");
    encoder.vectors = in_.setting.vectors;
    if (!encoder.weight_layout.is_given() && in_.setting.vectors == Vectors::rows) {
      encoder.weight_layout = in_.setting.layout;
    }
    if (encoder.dtype.is_given() || encoder.hand_rounding.is_given()) {
      in_.faults.add_at_key("contradiction", raw_.where + "/memory/arithmetic",
                            shown(raw_.where) + "/memory/arithmetic is given, and all of a block is computed in one",
                            "it stands at the top, as /arithmetic");
    }
    if (encoder.block && (encoder.block->unembedding.is_given() || encoder.block->is_tied)) {
      in_.faults.add_at_key("contradiction", raw_.where + "/memory/block/unembedding",
                            shown(raw_.where) + "/memory/block/unembedding is given, and cross-attention reads vectors",
                            "leave it out: what the last layer makes is the memory");
    }
    std::optional<PartProblem> part = validate_(std::move(encoder));
    if (!part) return;
    memory_ = std::move(part->result);
    memory_->where = raw_.where + "/memory";
    memory_labels_ = part->problem.attention().query_labels;
    for (Note& note : part->problem.notes) {
      note.step.insert(0, "encoder.");
      made_.notes.push_back(std::move(note));
    }
    part->problem.notes.clear();
    made_.block.encoder = std::make_shared<const Problem>(std::move(part->problem));
  }

  // --- layers ---------------------------------------------------------------------

  void read_layers() {
    is_complete_ = is_complete_ && raw_.layers;
    if (!raw_.layers) return;
    for (RawLayer& raw : *raw_.layers) {
      is_complete_ = is_complete_ && !raw.repeat.is_faulty();
      const Layer layer = layer_of(raw);
      for (std::size_t i = raw.repeat.value_or(1); i-- > 0;) made_.block.layers.push_back(layer);
    }
  }

  Layer layer_of(RawLayer& raw) {
    Layer layer;
    std::size_t sublayers = 0;
    if (raw.self.is_given()) {
      ++sublayers;
      if (raw.self) layer.self = self_of(raw);
      is_complete_ = is_complete_ && layer.self;
    }
    if (raw.cross.is_given()) {
      ++sublayers;
      if (raw.cross) layer.cross = cross_of(raw);
      is_complete_ = is_complete_ && layer.cross;
    } else if (is_decoder_) {
      in_.faults.add("missing-member", raw.where, shown(raw.where) + R"( has no "cross", and the block is a decoder)",
                     R"("cross": {"weights": …} attends to the memory; without any, say "kind": "decoder_only")");
    }
    if (raw.feed_forward.is_given()) {
      ++sublayers;
      if (raw.feed_forward) layer.feed_forward = feed_forward_of(*raw.feed_forward);
      is_complete_ = is_complete_ && layer.feed_forward;
    }
    for (std::size_t i = 0; i < most_sublayers; ++i) {
      Stated<RawNorm>& norm = raw.norms[i];
      is_complete_ = is_complete_ && !norm.is_faulty();
      if (!norm) continue;
      if (i >= sublayers) {
        in_.faults.add_at_key(
            "contradiction", norm->where,
            shown(norm->where) + " is given, and the layer has " +
                (sublayers == 0 ? "nothing that it could normalize" : "only " + counted(sublayers, "sublayer")),
            "norms are numbered as what they belong to: self, cross, ffn, of those that there are");
      }
      layer.norms[i] = norm_of(*norm);
    }
    return layer;
  }

  // A copy, whose numbers take their room; faulty, which is said once, where they do not fit.
  template <class T>
  Stated<T> copied(const Stated<T>& stated, const std::string& where) {
    const std::size_t numbers = stated ? numbers_in(*stated) : 0;
    if (in_.budget.take(numbers, sizeof(double))) return stated;
    if (!lacks_room_) {
      in_.faults.add_of("too-large", where,
                        "holds for each layer, and " + counted(numbers, "number") + " for each do not fit into " +
                            spelled_size(in_.budget.limit()),
                        "fewer layers, or a larger --max-memory");
    }
    lacks_room_ = true;
    return std::nullopt;
  }

  // What the problem says of every attention to itself, where that says nothing of its own.
  template <class Member>
  void inherit(Statement& own, Member member, const char* key) {
    if ((own.*member).is_given() || !(statement_.*member).is_given()) return;
    own.*member = copied(statement_.*member, statement_.place(key));
    own.elsewhere[key] = statement_.place(key);
  }

  std::optional<std::size_t> self_of(RawLayer& raw) {
    Statement& own = **raw.self;
    inherit(own, &Statement::heads, "/heads");
    inherit(own, &Statement::kv_heads, "/kv_heads");
    inherit(own, &Statement::split_input, "/split");
    inherit(own, &Statement::score, "/score");
    inherit(own, &Statement::softmax, "/softmax");
    if (!are_added(statement_.positions)) inherit(own, &Statement::positions, "/positions");
    for (const auto& [name, option] : statement_.options) {
      if (!own.options.contains(name)) own.options[name] = copied(option, statement_.place("/" + name));
    }
    if (made_.block.kind != TransformerBlock::Kind::encoder && !own.options.contains("causal")) {
      own.options["causal"] = RawOption{statement_.place("/causal"), true};
    }
    Sources sources{.form = Sources::Form::self_attention, .query = own_side()};
    return fitted(own, sources, in_.limit);
  }

  std::optional<std::size_t> cross_of(RawLayer& raw) {
    Statement& own = **raw.cross;
    const std::string where = raw.where + "/cross";
    if (!is_decoder_) {
      if (!raw_.kind.is_faulty()) {
        in_.faults.add_at_key("contradiction", where, shown(where) + " is given, and the block is no decoder",
                              R"(say "kind": "decoder" and give it a "memory")");
      }
      return std::nullopt;
    }
    if (!memory_) return std::nullopt;
    const auto take_over = [&](const char* name, const Stated<RawOption>& option, const char* key) {
      if (option.is_given()) own.options[name] = copied(option, raw_.where + key);
    };
    take_over("mask", raw_.memory_mask, "/memory_mask");
    take_over("lengths", raw_.memory_lengths, "/memory_lengths");
    Sources sources{.form = Sources::Form::cross_attention, .query = own_side(), .key = memory_};
    for (std::size_t& rows : sources.query->rows) rows = std::min(rows, in_.limit);
    check_sides(sources, in_.setting.vectors, in_.faults);
    return fitted(own, sources, unlimited);
  }

  bool are_added(const Stated<RawChoice>& positions) const {
    const ChoiceSpec* spec = positions ? find(in_.catalog.positions, positions->name) : nullptr;
    return spec && spec->added_to_inputs;
  }

  // Its number among the sublayers.
  std::optional<std::size_t> fitted(Statement& own, Sources& sources, std::size_t limit) {
    if (are_added(own.positions)) {
      return in_.faults.add_of("contradiction", own.place("/positions"),
                               "is " + own.positions->name + ", which is added to the inputs",
                               R"(it stands at the top, as "positions", and is added once)");
    }
    Setting setting = in_.setting;
    setting.split_input = own.split_input.value_or(false);
    Faults found;
    FittedAttention attention(own, sources, {setting, limit, in_.catalog, in_.budget, found});
    const auto width_made = attention.result_width();
    if (width_made && *width_made != width()) {
      found.add_of(
          "shape-mismatch", attention.last_matrix(),
          "gives vectors of " + counted(*width_made, "number") + ", and the inputs have " + std::to_string(width()),
          "a residual adds what a sublayer makes to what it was made of: both have d_model numbers");
    }
    const bool is_sound =
        !found.any() && attention.is_complete() && attention.has_room_for_labels(letters_of_labels(sources));
    hand_over(std::move(found), in_.faults);
    if (!is_sound) return std::nullopt;
    made_.sublayers.push_back(labelled(attention.take(), sources));
    return made_.sublayers.size() - 1;
  }

  std::size_t letters_of_labels(const Sources& sources) const {
    std::size_t letters = bytes_of_tokens(statement_);
    if (sources.form != Sources::Form::cross_attention) return letters;
    for (const std::vector<std::string>& names : memory_labels_) {
      for (const std::string& name : names) letters += name.size();
    }
    return letters;
  }

  Attention labelled(Attention attention, const Sources& sources) const {
    // Tokens may be too few for the inputs, or there may be no inputs to speak of.
    if (in_.faults.any()) return attention;
    set_labels(statement_, sources_, in_.limit, attention);
    if (sources.form != Sources::Form::cross_attention) return attention;
    attention.key_labels = memory_labels_;
    for (std::size_t b = 0; memory_labels_.empty() && b < memory_->rows.size(); ++b) {
      std::vector<std::string>& names = attention.key_labels.emplace_back();
      for (std::size_t i = 0; i < memory_->longest(); ++i) {
        names.push_back(i < memory_->rows[b] ? "Memory " + std::to_string(i + 1) : padding_label);
      }
    }
    return attention;
  }

  // Of a block without any attention.
  // What tells of the tokens where no layer attends; it has a score, as every attention.
  Attention labels_alone() const {
    Attention attention;
    attention.score.name = in_.catalog.scores.front().name;
    const Side& inputs = *sources_.query_side();
    attention.batched = inputs.batched;
    attention.batch = inputs.rows.size();
    attention.query_count = attention.key_count = inputs.longest(in_.limit);
    attention.vectors = in_.setting.vectors;
    attention.weight_layout = in_.setting.layout;
    set_labels(statement_, sources_, in_.limit, attention);
    return attention;
  }

  // --- matrices and vectors --------------------------------------------------------

  std::optional<Source> vector_of(RawTensor raw, const Dim& dim, const std::string& of) {
    const std::optional<Regular> found = measured_bias(std::move(raw), in_.budget, in_.faults);
    is_complete_ = is_complete_ && found;
    if (!found) return std::nullopt;
    if (found->shape[0] != dim.size) {
      return in_.faults.add_of(
          "shape-mismatch", found->where,
          "has " + counted(found->shape[0], "number") + ", and " + of + " " + std::to_string(dim.size),
          "one number for each of them");
    }
    return Regular(*found).source({dim});
  }

  std::optional<Source> vector_of(Stated<RawTensor>& raw, const Dim& dim, const std::string& of) {
    is_complete_ = is_complete_ && !raw.is_faulty();
    return raw ? vector_of(std::move(*raw), dim, of) : std::nullopt;
  }

  Norm norm_of(RawNorm& raw) {
    if (made_.block.norm == "rms" && raw.bias.is_given()) {
      in_.faults.add_at_key("contradiction", raw.where + "/bias",
                            shown(raw.where) + "/bias is given, and " + shown(raw_.where) + "/norm_type is rms",
                            "it only divides: there is nothing that a bias would bring back");
    }
    const Dim dim{"d_model", width()};
    return {vector_of(raw.gain, dim, "the inputs have"), vector_of(raw.bias, dim, "the inputs have")};
  }

  // The matrix, which multiplies vectors that have as many numbers as the dimension.
  std::optional<WeightMatrix> matrix_of(RawTensor raw, std::size_t in, const std::string& vectors) {
    std::optional<WeightMatrix> matrix = measured_matrix(std::move(raw), in_.setting, in_.budget, in_.faults);
    is_complete_ = is_complete_ && matrix;
    if (!matrix) return std::nullopt;
    if (matrix->matrices) {
      return in_.faults.add_of("wrong-rank", matrix->where,
                               "is " + counted(*matrix->matrices, "matrix") + "; one matrix is wanted",
                               "a feed-forward network and an unembedding have no heads");
    }
    check_multiplies(*matrix, in, vectors, in_.setting, in_.faults);
    return matrix;
  }

  Source source_of(WeightMatrix matrix, const Axis& in, const Axis& out) const {
    const Dim rows{in, matrix.in}, columns{out, matrix.out};
    const bool exchanged = in_.setting.is_exchanged();
    return std::move(matrix.numbers).source(exchanged ? Shape{columns, rows} : Shape{rows, columns});
  }

  std::string of_inputs() const {
    return "the inputs have " + counted(width(), in_.setting.vectors == Vectors::rows ? "column" : "row");
  }

  std::optional<FeedForward> feed_forward_of(RawFeedForward& raw) {
    is_complete_ = is_complete_ && !raw.in.is_faulty() && !raw.out.is_faulty() && !raw.gate.is_faulty();
    require(raw.in, raw.where, "in");
    require(raw.out, raw.where, "out");
    check_gate(raw);
    auto in = raw.in ? matrix_of(std::move(*raw.in), width(), of_inputs()) : std::nullopt;
    auto gate = raw.gate ? matrix_of(std::move(*raw.gate), width(), of_inputs()) : std::nullopt;
    const auto hidden = in ? std::optional(in->out) : gate ? std::optional(gate->out) : std::nullopt;
    if (in && gate && gate->out != in->out) {
      in_.faults.add_of("shape-mismatch", gate->where,
                        "makes vectors of " + counted(gate->out, "number") + ", and " + shown(in->where) + " makes " +
                            std::to_string(in->out),
                        "what the gate lets through is multiplied number by number");
    }
    std::string made = "what is between has ";
    if (hidden) made += counted(*hidden, in_.setting.vectors == Vectors::rows ? "column" : "row");
    auto out = raw.out && is_known(hidden) ? matrix_of(std::move(*raw.out), *hidden, made) : std::nullopt;
    if (out && out->out != width()) {
      in_.faults.add_of(
          "shape-mismatch", out->where,
          "makes vectors of " + counted(out->out, "number") + ", and the inputs have " + std::to_string(width()),
          "a residual adds what a sublayer makes to what it was made of: both have d_model numbers");
    }
    if (!in || !out || (is_gated_ && !gate)) return std::nullopt;

    const Dim inner{"d_hidden", in->out}, outer{"d_model", width()};
    FeedForward made_of{.in = source_of(std::move(*in), "d_model", "d_hidden"),
                        .out = source_of(std::move(*out), "d_hidden", "d_model")};
    if (gate) made_of.gate = source_of(std::move(*gate), "d_model", "d_hidden");
    made_of.in_bias = vector_of(raw.in_bias, inner, "what is between has");
    made_of.gate_bias = vector_of(raw.gate_bias, inner, "what is between has");
    made_of.out_bias = vector_of(raw.out_bias, outer, "the inputs have");
    return made_of;
  }

  void require(const Stated<RawTensor>& member, const std::string& where, const std::string& name) {
    if (member.is_given()) return;
    in_.faults.add("missing-member", where, shown(where) + " has no \"" + name + "\"",
                   R"({"in": [d_model][d_hidden], "out": [d_hidden][d_model]}, with "gate" for swiglu and geglu)");
  }

  void check_gate(const RawFeedForward& raw) {
    if (raw_.activation.is_faulty()) return;
    const std::string& activation = made_.block.activation;
    if (is_gated_ && !raw.gate.is_given()) {
      in_.faults.add("missing-member", raw.where,
                     shown(raw.where) + R"( has no "gate", and the activation is )" + activation,
                     activation + " multiplies act(x·gate) by x·in");
    }
    if (!is_gated_ && (raw.gate.is_given() || raw.gate_bias.is_given())) {
      const std::string key = raw.gate.is_given() ? "/gate" : "/gate_bias";
      in_.faults.add_at_key(
          "contradiction", raw.where + key,
          shown(raw.where) + key + " is given, and the activation is " + activation + ", which has no gate",
          R"(say "activation": "swiglu" or "geglu")");
    } else if (raw.gate_bias.is_given() && !raw.gate.is_given()) {
      in_.faults.add_at_key("bias-without-weight", raw.where + "/gate_bias",
                            shown(raw.where) + "/gate_bias is given, and \"gate\" is not",
                            "a bias is added to what a weight matrix makes");
    }
  }

  // --- before the first layer, after the last -----------------------------------------

  void read_frame() {
    TransformerBlock& block = made_.block;
    is_complete_ = is_complete_ && !raw_.embedding_norm.is_faulty() && !raw_.final_norm.is_faulty();
    if (raw_.embedding_norm) block.embedding_norm = norm_of(*raw_.embedding_norm);
    if (raw_.final_norm) block.final_norm = norm_of(*raw_.final_norm);
    is_complete_ = is_complete_ && !raw_.unembedding.is_faulty();
    std::optional<std::size_t> columns;
    if (raw_.is_tied) {
      columns = read_tied();
    } else if (raw_.unembedding) {
      if (auto matrix = matrix_of(std::move(*raw_.unembedding), width(), of_inputs())) {
        columns = matrix->out;
        block.unembedding = source_of(std::move(*matrix), "d_model", "vocabulary");
      }
    }
    if (raw_.vocabulary) block.vocabulary = std::move(*raw_.vocabulary);
    check_vocabulary(columns);
  }

  // The embeddings' transpose: a column a token, in the order of the file.
  std::optional<std::size_t> read_tied() {
    if (!sources_.embeddings) {
      in_.faults.add_of("contradiction", raw_.where + "/unembedding", R"(is "tied", and there are no embeddings)",
                        R"(give "tokens" and "embeddings", or the matrix itself)");
      return std::nullopt;
    }
    const EmbeddingTable& table = *sources_.embeddings;
    const std::size_t count = table.count;
    const bool exchanged = in_.setting.is_exchanged();
    const Dim rows{"d_model", width()}, columns{"vocabulary", count};
    made_.block.unembedding =
        Source(exchanged ? Shape{columns, rows} : Shape{rows, columns}, [table, count, exchanged, width = width()] {
          const std::vector<double> vectors = table.values();
          if (exchanged) return vectors;
          std::vector<double> turned(vectors.size());
          for (std::size_t token = 0; token < count; ++token) {
            for (std::size_t i = 0; i < width; ++i) turned[i * count + token] = vectors[token * width + i];
          }
          return turned;
        });
    made_.block.vocabulary = table.tokens();
    return count;
  }

  void check_vocabulary(std::optional<std::size_t> columns) {
    const auto needs = [&](bool given, const std::string& key) {
      if (!given || raw_.unembedding.is_given() || raw_.is_tied) return;
      in_.faults.add_at_key("contradiction", raw_.where + key,
                            shown(raw_.where) + key + " is given, and no unembedding",
                            "it says what the columns of the logits are");
    };
    needs(raw_.unembedding_bias.is_given(), "/unembedding_bias");
    needs(raw_.vocabulary.is_given(), "/vocabulary");
    if (!columns) return;
    made_.block.unembedding_bias = vector_of(raw_.unembedding_bias, {"vocabulary", *columns}, "the unembedding makes");
    const std::size_t labels = made_.block.vocabulary.size();
    if (labels > 0 && labels != *columns) {
      in_.faults.add_of(
          "shape-mismatch", raw_.where + "/vocabulary",
          "has " + counted(labels, "label") + ", and the unembedding makes " + counted(*columns, "number"),
          "a label for each");
    }
  }

  Statement& statement_;
  RawBlock& raw_;
  const Sources& sources_;
  const AttentionSetting& in_;
  const ValidatePart& validate_;
  FittedBlock made_;
  std::optional<Side> memory_;
  std::vector<std::vector<std::string>> memory_labels_;
  bool is_decoder_ = false, is_gated_ = false;
  bool lacks_room_ = false;  // for what layers have from above them, which was reported
  bool is_complete_ = true;  // nothing was faulty in itself, which was reported elsewhere
};

}  // namespace

void hand_over(Faults from, Faults& to) {
  for (Diagnostic& fault : from.take()) to.add(std::move(fault));
}

std::optional<FittedBlock> fitted_block(Statement& statement, const Sources& sources, const AttentionSetting& in,
                                        const ValidatePart& validate) {
  return BlockFitting(statement, sources, in, validate).run();
}

}  // namespace attn
