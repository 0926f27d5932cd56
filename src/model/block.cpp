#include "model/block.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/activations/activation.h"
#include "model/chosen.h"
#include "model/norms/norm_kind.h"
#include "model/projections.h"
#include "words/language.h"

namespace attn {
namespace {

template <class Row>
const Row& row_called(const std::vector<Row>& rows, const std::string& name) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) { return row.spec.name == name; });
  assert(found != rows.end());
  return *found;
}

// Writes a problem down whose steps have a prefix: "" or "encoder".
class Recorder {
 public:
  Recorder(RecipeBuilder& root, const Problem& problem, AttentionOptions options, std::string prefix)
      : root_(root), problem_(problem), options_(options), prefix_(std::move(prefix)) {}

  // Returns the id of the last step.
  StepId record() {
    if (!problem_.block) {
      RecipeBuilder work = part_of_problem();
      return record_attention(work, problem_.inputs, problem_.attention(), options_);
    }
    const TransformerBlock& block = *problem_.block;
    RecipeBuilder work = part_of_problem();
    if (block.encoder) {
      memory_ = Recorder(root_, *block.encoder, options_, within("encoder")).record();
    } else if (block.memory) {
      memory_ = record_memory(*block.memory);
    }
    StepId x = record_inputs_of_block(work);
    if (block.embedding_norm)
      x = record_norm("embedding_norm", language().block.embedding_norm, x, *block.embedding_norm);
    for (std::size_t i = 0; i < block.layers.size(); ++i) x = record_layer(i + 1, block.layers[i], std::move(x));
    if (block.final_norm) x = record_norm("final_norm", language().block.final_norm, x, *block.final_norm);
    return block.unembedding ? record_logits(x) : x;
  }

 private:
  struct Sublayer {
    std::string what;  // "self-attention"
    std::function<StepId(const StepId& from)> record;
  };

  std::string within(const std::string& id) const { return prefix_.empty() ? id : prefix_ + "." + id; }

  std::string titled(const std::string& title) const {
    return prefix_.empty() ? title : language().block.encoder.text() + " · " + title;
  }

  RecipeBuilder part(const std::string& id, const std::string& title) {
    return labelled(root_.part(within(id), titled(title)), problem_.attention());
  }

  RecipeBuilder part_of_problem() {
    return prefix_.empty() ? root_ : labelled(root_.part(prefix_, language().block.encoder), problem_.attention());
  }

  // Whose tokens are others than those of the whole problem.
  RecipeBuilder labelled(RecipeBuilder work, const Attention& attention) const {
    const bool is_own = prefix_.empty() && attention.key_labels == problem_.attention().key_labels;
    if (!is_own) work.current().labels = {attention.query_labels, attention.key_labels, {}, attention.own_queries};
    return work;
  }

  StepId record_memory(const Source& memory) {
    RecipeBuilder work = root_.part(within("memory"), "");
    for (const Layer& layer : problem_.block->layers) {
      if (layer.cross) work = labelled(std::move(work), problem_.sublayers[*layer.cross]);
    }
    if (auto& labels = work.current().labels) {
      labels->query = labels->key;
      labels->own_queries.clear();
    }
    return work.given_step({"", "X_M", language().block.memory, language().steps.given, Role::input}, memory);
  }

  StepId record_inputs_of_block(RecipeBuilder& work) {
    Attention first;  // what positions look at
    const Attention& own = problem_.attention();
    first.query_count = first.key_count = own.query_count;
    first.positions = problem_.added_positions;
    first.score = own.score;
    const Chosen chosen(first);
    if (first.positions) {
      give_parameters(work, "positions", Role::weight_matrix, chosen.position.spec, *first.positions);
    }
    return record_inputs(work, problem_.inputs, first, chosen.position).query;
  }

  // Vectors normalized, and what gain and bias make of them.
  StepId record_norm(const std::string& id, const std::string& title, const StepId& from, const Norm& norm,
                     std::size_t sublayer = 0) {
    const NormKind& kind = row_called(norm_kinds(), problem_.block->norm);
    RecipeBuilder work = part(id, title);
    std::vector<Operand> operands = {from};
    for (Operand& measure : kind.measured(work, from)) operands.push_back(std::move(measure));
    const bool is_last = !norm.gain && !norm.bias;
    const Normalize normalize{Normalize::Part::normalized, "d_model", problem_.block->eps};
    const StepId normalized = work.step({is_last ? "" : "normalized", (is_last ? "Y" : "N") + primes(sublayer),
                                         language().block.normalized, kind.formula, Role::input},
                                        normalize, operands);
    NormAnatomy at;
    at.from = from;
    at.normalized = normalized;
    at.result = within(id);
    if (operands.size() == 3) at.mean = operands[1].id;
    at.spread = operands.back().id;
    if (norm.gain) at.gain = within(id) + ".gain";
    if (norm.bias) at.bias = within(id) + ".bias";
    work.current().norm = at;
    if (is_last) return normalized;

    Heading heading{"", "Y" + primes(sublayer), language().block.affine, "{} = {0}", Role::input};
    std::vector<Operand> affine = {normalized};
    if (norm.gain) {
      affine.emplace_back(
          work.given({"gain", "γ", language().block.gain, language().steps.given, Role::weight_matrix}, *norm.gain));
      heading.formula += Formula("·{1}");
    }
    if (norm.bias) {
      affine.emplace_back(
          work.given({"bias", "β", language().block.bias, language().steps.given, Role::weight_matrix}, *norm.bias));
      heading.formula += Formula(norm.gain ? " + {2}" : " + {1}");
    }
    const Op op = norm.gain && norm.bias ? Op(Normalize{Normalize::Part::affine, "d_model"})
                                         : Op(Combine{norm.gain ? Binary::multiply : Binary::add, {}});
    return work.step(std::move(heading), op, std::move(affine));
  }

  StepId record_layer(std::size_t number, const Layer& layer, StepId x) {
    const std::string id = "layer" + std::to_string(number);
    const auto named = [&](const std::string& what) { return language().block.layer_part(number, what); };
    std::vector<Sublayer> sublayers;
    if (layer.self) {
      const std::string what = language().block.self_attention;
      sublayers.push_back({what, [&, what](const StepId& from) {
                             RecipeBuilder work = part(id + ".self", named(what));
                             return record_attention(work, {.query = from, .key = from, .value = from},
                                                     problem_.sublayers[*layer.self], options_);
                           }});
    }
    if (layer.cross) {
      const std::string what = language().block.cross_attention;
      sublayers.push_back(
          {what, [&, what](const StepId& from) {
             RecipeBuilder work = labelled(part(id + ".cross", named(what)), problem_.sublayers[*layer.cross]);
             return record_attention(work, {.query = from, .key = memory_, .value = memory_, .are_apart = true},
                                     problem_.sublayers[*layer.cross], options_);
           }});
    }
    if (layer.feed_forward) {
      const std::string what = language().block.feed_forward;
      sublayers.push_back({what, [&, what](const StepId& from) {
                             RecipeBuilder work = part(id + ".ffn", named(what));
                             return record_feed_forward(work, from, *layer.feed_forward);
                           }});
    }
    for (std::size_t i = 0; i < sublayers.size(); ++i) {
      const std::string& what = sublayers[i].what;
      const auto normed = [&](const StepId& from, const Saying<Text>& title) {
        const std::string norm = id + ".norm" + std::to_string(i + 1);
        return layer.norms[i] ? record_norm(norm, named(title(what)), from, *layer.norms[i], i) : from;
      };
      const bool first = problem_.block->norm_first;
      const std::size_t before = root_.parts();
      const StepId made = sublayers[i].record(first ? normed(x, language().block.norm_before) : x);
      RecipeBuilder work =
          part(id + ".residual" + std::to_string(i + 1), named(language().block.residual_around(what)));
      ResidualAnatomy at;
      at.from = x;
      at.made = made;
      at.sublayer = work.number() - 1;
      at.norm_first = first;
      if (layer.norms[i]) at.norm = first ? before : work.number() + 1;
      x = at.result = record_residual(work, i, x, made);
      work.current().residual = at;
      if (!first) x = normed(x, language().block.norm_after);
    }
    return x;
  }

  // "", "′", "″": of which sublayer something is.
  static std::string primes(std::size_t sublayer) {
    std::string marks;
    for (std::size_t i = 0; i < sublayer; ++i) marks += "′";
    return marks;
  }

  static StepId record_residual(RecipeBuilder& work, std::size_t sublayer, const StepId& x, const StepId& made) {
    return work.step({"", "R" + primes(sublayer), language().block.residual, "{} = {0} + {1}", Role::input},
                     Combine{Binary::add, {}}, {x, as_token_vectors(work, made)});
  }

  // A sublayer's result under the axis names of what goes through the layers.
  static Operand as_token_vectors(const RecipeBuilder& work, const StepId& made) {
    Operand operand(made);
    for (const Dim& dim : work.shape(made).dims()) {
      if (dim.axis == "query") operand.renamed.push_back({"query", "token"});
      if (dim.axis == "d_out" || dim.axis == "d_concat" || dim.axis == "d_v") {
        operand.renamed.push_back({dim.axis, "d_model"});
      }
    }
    return operand;
  }

  StepId record_feed_forward(RecipeBuilder& work, const StepId& from, const FeedForward& network) {
    const auto product = [&](const char* id, const char* symbol, const std::string& title, const StepId& of,
                             const Axis& over, const char* matrix, const char* letter, const Source& weight,
                             const std::optional<Source>& bias, Role role) {
      const auto& words = language().block;
      std::vector<Operand> operands = {of};
      operands.emplace_back(work.given(
          {matrix, std::string("W_") + letter, words.matrix(title), language().steps.given, Role::weight_matrix},
          weight));
      if (bias) {
        operands.emplace_back(work.given({std::string(matrix) + "_bias", std::string("b_") + letter,
                                          words.bias_of(title), language().steps.given, Role::weight_matrix},
                                         *bias));
      }
      return work.step({id, symbol, title, written_product(layout(), bias.has_value()), role}, Contract{over},
                       std::move(operands));
    };
    const auto& words = language().block;
    const Activation& activation = row_called(activations(), problem_.block->activation);
    const StepId hidden = product("hidden", "H", words.hidden, from, "d_model", "in", "in", network.in, network.in_bias,
                                  Role::weighted_value);
    Heading heading{"activation", "Z", words.activation(activation.spec.name), activation.formula,
                    Role::weighted_value};
    StepId active;
    if (network.gate) {
      const StepId gate = product("gate", "G", words.gate, from, "d_model", "gate_weight", "gate", *network.gate,
                                  network.gate_bias, Role::weighted_value);
      active = work.step(std::move(heading), Gate{activation.function}, {gate, hidden});
    } else {
      active = work.step(std::move(heading), Map{activation.function, 0, ""}, {hidden});
    }
    const StepId output = product("output", "F", words.network_output, active, "d_hidden", "out", "out", network.out,
                                  network.out_bias, Role::output);
    const auto own = [&](const char* name) { return work.current().prefix + "." + name; };
    work.current().network = NetworkAnatomy{.from = from,
                                            .hidden = hidden,
                                            .gate = network.gate ? own("gate") : "",
                                            .activation = active,
                                            .output = output,
                                            .in_weight = own("in"),
                                            .out_weight = own("out"),
                                            .in_bias = network.in_bias ? own("in_bias") : "",
                                            .gate_bias = network.gate_bias ? own("gate_weight_bias") : "",
                                            .out_bias = network.out_bias ? own("out_bias") : ""};
    return output;
  }

  ProductLayout layout() const { return {problem_.attention().vectors, problem_.attention().weight_layout}; }

  StepId record_logits(const StepId& from) {
    const TransformerBlock& block = *problem_.block;
    const auto& words = language().block;
    RecipeBuilder work = part("logits", words.logits);
    std::vector<Operand> operands = {from};
    operands.emplace_back(work.given(
        {"unembedding", "W_U", words.unembedding, language().steps.given, Role::weight_matrix}, *block.unembedding));
    if (block.unembedding_bias) {
      operands.emplace_back(
          work.given({"bias", "b_U", words.unembedding_bias, language().steps.given, Role::weight_matrix},
                     *block.unembedding_bias));
    }
    const StepId logits =
        work.step({"", "L", words.logits, written_product(layout(), block.unembedding_bias.has_value()), Role::score},
                  Contract{"d_model"}, std::move(operands));

    RecipeBuilder softmax = part("probabilities", words.probabilities);
    const auto step = [&](Heading heading, Softmax::Part which, std::vector<Operand> of) {
      heading.role = Role::softmax;
      return softmax.step(std::move(heading), Softmax{which, "vocabulary"}, std::move(of));
    };
    using Part = Softmax::Part;
    const StepId most =
        step({"maximum", "m", words.largest_logit, language().steps.row_maximum_formula}, Part::maximum, {logits});
    const StepId powers = step({"exponentials", "E", language().steps.exponentials, "{} = e^({0} − {1})"},
                               Part::exponentials, {logits, most});
    const StepId sums =
        step({"sums", "s", language().steps.row_sum, language().steps.row_sum_formula}, Part::sum, {powers});
    return step({"", "P", words.probabilities, "{} = {0} / {1}"}, Part::weights, {powers, sums});
  }

  RecipeBuilder& root_;
  const Problem& problem_;
  AttentionOptions options_;
  std::string prefix_;
  StepId memory_;
};

}  // namespace

Recipe block_recipe(const Problem& problem, AttentionOptions options) {
  RecipeBuilder work(problem.arithmetic, problem.attention().vectors);
  Recorder(work, problem, options, "").record();
  return work.take();
}

}  // namespace attn
