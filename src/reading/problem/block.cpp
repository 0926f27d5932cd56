#include "reading/problem/block.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "reading/json/schema_pieces.h"
#include "reading/json/values.h"
#include "reading/problem/keys.h"
#include "reading/problem/known_keys.h"

namespace attn {
namespace {

// In a file. Each takes a thousand times the bytes that an empty one has there.
constexpr std::size_t most_layers = 1000;

constexpr std::string_view block_keys =
    "kind norm norm_type eps activation layers memory memory_mask memory_lengths embedding_norm final_norm unembedding "
    "unembedding_bias vocabulary";
constexpr std::string_view layer_keys = "repeat self cross norm1 norm2 norm3 ffn";
constexpr std::string_view ffn_keys = "in in_bias gate gate_bias out out_bias";
constexpr std::string_view norm_keys = "gain bias";

// What people and frameworks call them.
struct Called {
  std::string_view names, key;
};
constexpr Called aliases[] = {
    {"weight gamma scale g", "gain"},
    {"beta b offset shift", "bias"},
    {"attention selfattention selfattn attn", "self"},
    {"crossattention crossattn multiheadattn encoderattention", "cross"},
    {"feedforward mlp ff", "ffn"},
    {"ln1 layernorm1", "norm1"},
    {"ln2 layernorm2", "norm2"},
    {"ln3 layernorm3", "norm3"},
    {"w1 linear1 up up_proj upproj", "in"},
    {"b1", "in_bias"},
    {"w2 linear2 down down_proj downproj", "out"},
    {"b2", "out_bias"},
    {"gateproj w3", "gate"},
    {"epsilon layernormeps", "eps"},
    {"lmhead", "unembedding"},
    {"type", "kind"},
    {"normtype", "norm_type"},
    {"encoder encoderoutput", "memory"},
    {"vocab", "vocabulary"},
    {"finallayernorm", "final_norm"},
};

std::size_t count_of(const std::vector<RawLayer>& layers) {
  std::size_t count = 0;
  for (const RawLayer& one : layers) count += one.repeat.value_or(1);
  return count;
}

// Of a memory that is a problem of its own, with those of its own memory; nothing where they are not known.
std::optional<std::size_t> layers_of_memory(const RawBlock& block) {
  if (!block.encoder || !(*block.encoder)->block) return 0;
  const RawBlock& memory = *(*block.encoder)->block;
  const auto further = layers_of_memory(memory);
  return memory.layers && further ? std::optional(count_of(*memory.layers) + *further) : std::nullopt;
}

class BlockReader {
 public:
  BlockReader(const Catalog& catalog, const KnownKeys& keys, Faults& faults)
      : catalog_(catalog), keys_(keys), faults_(faults) {}

  std::optional<RawBlock> block(const JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object) {
      return report_kind(value, where, "an object is wanted", faults_,
                         R"({"kind": "encoder", "layers": [{"self": {"weights": …}, "ffn": {"in": …, "out": …}}]})");
    }
    RawBlock block;
    block.where = where;
    for (const auto& [key, member] : members(*object, where, block_keys)) {
      read_member(block, key, member->value, pointer(where, member->key()));
    }
    if (!block.layers.is_given()) {
      faults_.add("missing-member", where, shown(where) + R"( has no "layers")",
                  R"("layers": [{"self": {"weights": …}, "ffn": {"in": …, "out": …}}])");
      block.layers = std::nullopt;
    }
    check_layers_in_all(block);
    return block;
  }

 private:
  // The members of an object, by the known keys that they stand for.
  std::vector<std::pair<std::string, JsonMember*>> members(JsonObject& object, const std::string& where,
                                                           std::string_view known) {
    const std::vector<std::string> names = split(known, ' ');
    std::vector<std::pair<std::string, JsonMember*>> found;
    for (JsonMember& member : object.members) {
      if (is_free_key(member.key())) continue;
      if (std::ranges::count(names, member.key()) > 0) {
        found.emplace_back(member.key(), &member);
      } else {
        report_unknown(member.key(), where, names);
      }
    }
    return found;
  }

  void report_unknown(const std::string& key, const std::string& where, const std::vector<std::string>& names) {
    if (faults_.are_enough()) {
      faults_.count_one_more();
      return;
    }
    const std::string plain = plain_name(key, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
    const auto called = std::ranges::find_if(aliases, [&](const Called& one) {
      return has_word(one.names, plain) && std::ranges::count(names, one.key) > 0;
    });
    std::optional<std::string> meant;
    if (called != std::end(aliases)) {
      meant = pointer(where, std::string(called->key));
    } else if (const auto near = closest(key, names)) {
      meant = pointer(where, *near);
    }
    report_unknown_key(pointer(where, key), meant, "known here: " + listed(names), faults_);
  }

  void read_member(RawBlock& block, std::string_view key, const JsonValue& value, const std::string& where) {
    if (key == "kind") {
      static const std::vector<std::string> kinds = {"encoder", "decoder", "decoder_only"};
      const auto found = read_choice(value, where, kinds, "kind of block", faults_);
      block.kind = found ? std::optional(static_cast<TransformerBlock::Kind>(*found)) : std::nullopt;
    } else if (key == "norm") {
      static const std::vector<std::string> orders = {"post", "pre"};
      const auto found = read_choice(value, where, orders, "place for a norm", faults_);
      block.norm_first = found ? std::optional(*found == 1) : std::nullopt;
    } else if (key == "norm_type") {
      block.norm = named(value, where, catalog_.norms, "norm");
    } else if (key == "activation") {
      block.activation = named(value, where, catalog_.activations, "activation");
    } else if (key == "eps") {
      block.eps = eps(value, where);
    } else if (key == "layers") {
      block.layers = layers(value, where);
    } else if (key == "memory") {
      read_memory(block, value, where);
    } else if (key == "memory_mask") {
      block.memory_mask = option("mask", value, where);
    } else if (key == "memory_lengths") {
      block.memory_lengths = option("lengths", value, where);
    } else if (key == "embedding_norm") {
      block.embedding_norm = norm(value, where);
    } else if (key == "final_norm") {
      block.final_norm = norm(value, where);
    } else if (key == "unembedding") {
      block.is_tied = value.text() == "tied";
      if (value.text() && !block.is_tied) {
        block.unembedding = faults_.add_of("unknown-choice", where, "is \"" + shown(*value.text()) + "\"",
                                           R"(a matrix [d_model][vocabulary], or "tied": the embeddings' transpose)");
      } else if (!block.is_tied) {
        block.unembedding = read_tensor(value, where, keys_, faults_);
      }
    } else if (key == "unembedding_bias") {
      block.unembedding_bias = read_tensor(value, where, keys_, faults_);
    } else {
      assert(key == "vocabulary");
      block.vocabulary = labels(value, where);
    }
  }

  // One of the names that the catalog has.
  template <class Spec>
  std::optional<std::string> named(const JsonValue& value, const std::string& where, const std::vector<Spec>& specs,
                                   const char* what) {
    std::vector<std::string> names;
    for (const Spec& spec : specs) names.push_back(spec.name);
    const auto found = read_choice(value, where, names, what, faults_);
    return found ? std::optional(names[*found]) : std::nullopt;
  }

  std::optional<double> eps(const JsonValue& value, const std::string& where) {
    const auto number = read_finite_number(value, where, faults_);
    if (!number || *number >= 0) return number;
    return faults_.add_of("out-of-range", where, "is below 0",
                          "it keeps the root from 0 where a vector has one number only: 1e-5");
  }

  std::optional<RawOption> option(const char* name, const JsonValue& value, const std::string& where) {
    return read_option(value, where, *find(catalog_.options, name), keys_, faults_);
  }

  std::optional<std::vector<std::string>> labels(const JsonValue& value, const std::string& where) {
    const auto tokens = read_tokens(value, where, faults_);
    if (!tokens) return std::nullopt;
    if (!tokens->batched) return tokens->sequences.front();
    return faults_.add_of("wrong-kind", where, "is a list of lists", "one list, with a label for each logit");
  }

  void read_memory(RawBlock& block, const JsonValue& value, const std::string& where) {
    if (value.kind() == JsonValue::Kind::null) return;
    const auto object = value.object();
    if (!object || describes_tensor(*object)) {
      block.memory = read_tensor(value, where, keys_, faults_);
    } else {
      block.encoder = nested(value, where, true);
    }
  }

  std::optional<std::shared_ptr<Statement>> nested(const JsonValue& value, const std::string& where, bool whole) {
    auto statement = read_nested_statement(value, where, whole, catalog_, keys_, faults_);
    if (!statement) return std::nullopt;
    return std::make_shared<Statement>(std::move(*statement));
  }

  std::optional<std::vector<RawLayer>> layers(const JsonValue& value, const std::string& where) {
    const auto list = value.elements();
    if (!list) return report_kind(value, where, "a list of layers is wanted", faults_, R"([{"self": …, "ffn": …}])");
    if (list->empty()) return faults_.add_of("empty", where, "is empty", "a block has one layer at least");
    if (list->size() > most_layers) return too_many_layers(list->size(), where);
    std::vector<RawLayer> all;
    bool complete = true;
    for (std::size_t i = 0; i < list->size(); ++i) {
      auto one = layer((*list)[i], pointer(where, std::to_string(i)));
      complete = complete && one;
      if (one) all.push_back(std::move(*one));
    }
    const std::size_t used = count_of(all);
    if (used > most_layers) return too_many_layers(used, where);
    return complete ? std::optional(std::move(all)) : std::nullopt;
  }

  void check_layers_in_all(RawBlock& block) {
    const auto others = layers_of_memory(block);
    if (!block.layers || !others) return;
    const std::size_t own = count_of(*block.layers);
    if (own + *others > most_layers) block.layers = too_many_layers(own, block.where + "/layers", *others);
  }

  std::nullopt_t too_many_layers(std::size_t count, const std::string& where, std::size_t of_memory = 0) {
    return faults_.add_of("too-many", where,
                          "has " + counted(count, "layer") +
                              (of_memory > 0 ? ", and the memory " + std::to_string(of_memory) + " more" : "") +
                              ", repeated ones counted so often; at most " + std::to_string(most_layers) +
                              " are possible" + (of_memory > 0 ? " in all" : ""),
                          "leave some of them out");
  }

  std::optional<RawLayer> layer(const JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object) return report_kind(value, where, "a layer is an object", faults_, R"({"self": …, "ffn": …})");
    RawLayer layer;
    layer.where = where;
    for (const auto& [key, member] : members(*object, where, layer_keys)) {
      const JsonValue& part = member->value;
      const std::string place = pointer(where, member->key());
      if (key == "repeat") {
        const auto count = read_integer(part, place, 1, std::int64_t{most_layers}, faults_);
        layer.repeat = count ? std::optional(static_cast<std::size_t>(*count)) : std::nullopt;
      } else if (key == "self") {
        layer.self = nested(part, place, false);
      } else if (key == "cross") {
        layer.cross = nested(part, place, false);
      } else if (key == "ffn") {
        layer.feed_forward = feed_forward(part, place);
      } else {
        layer.norms[static_cast<std::size_t>(key.back() - '1')] = norm(part, place);
      }
    }
    return layer;
  }

  std::optional<RawNorm> norm(const JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object) {
      return report_kind(value, where, "an object is wanted", faults_,
                         R"({"gain": [1, 1], "bias": [0, 0]}; {} normalizes and does no more)");
    }
    RawNorm norm;
    norm.where = where;
    for (const auto& [key, member] : members(*object, where, norm_keys)) {
      (key == "gain" ? norm.gain : norm.bias) =
          read_tensor(member->value, pointer(where, member->key()), keys_, faults_);
    }
    return norm;
  }

  std::optional<RawFeedForward> feed_forward(const JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object) return report_kind(value, where, "an object is wanted", faults_, R"({"in": …, "out": …})");
    RawFeedForward network;
    network.where = where;
    const std::pair<const char*, Stated<RawTensor>*> places[] = {
        {"in", &network.in},   {"in_bias", &network.in_bias},   {"gate", &network.gate},
        {"out", &network.out}, {"out_bias", &network.out_bias}, {"gate_bias", &network.gate_bias},
    };
    for (const auto& [key, member] : members(*object, where, ffn_keys)) {
      const auto place = std::ranges::find_if(places, [&key = key](const auto& one) { return key == one.first; });
      *place->second = read_tensor(member->value, pointer(where, member->key()), keys_, faults_);
    }
    return network;
  }

  const Catalog& catalog_;
  const KnownKeys& keys_;
  Faults& faults_;
};

template <class Spec>
Json names_schema(const std::vector<Spec>& specs) {
  std::vector<Json> ways;
  for (const Spec& spec : specs) ways.push_back(described({{"const", spec.name}}, spec.summary));
  return {{"anyOf", Json(ways)}};
}

Json norm_schema() { return problem_object({{"gain", reference("tensor")}, {"bias", reference("tensor")}}); }

Json feed_forward_schema() {
  Json all;
  for (const std::string& key : split(ffn_keys, ' ')) all[key] = reference("tensor");
  return problem_object(std::move(all), {"in", "out"});
}

}  // namespace

std::optional<RawBlock> read_block(const JsonValue& value, const std::string& where, const Catalog& catalog,
                                   const KnownKeys& keys, Faults& faults) {
  return BlockReader(catalog, keys, faults).block(value, where);
}

bool is_of_attention(std::string_view key, const Catalog& catalog) {
  const OptionSpec* option = find(catalog.options, key);
  if (option) return !option->about_sequences;
  return has_word("weights biases heads kv_heads split score softmax positions", key);
}

Json block_schema(const Catalog& catalog) {
  const Json attention = reference("attention");
  const Json layer = problem_object({{"repeat", described(whole_number(1), "how often it is used, one after another")},
                                     {"self", described(attention, "attention to its own tokens")},
                                     {"cross", described(attention, "attention to the memory")},
                                     {"norm1", norm_schema()},
                                     {"norm2", norm_schema()},
                                     {"norm3", norm_schema()},
                                     {"ffn", feed_forward_schema()}});
  Json layers = list_of(layer);
  layers["minItems"] = 1;
  Json eps = {{"type", "number"}, {"minimum", 0}};
  return problem_object({{"kind", one_of_words({"encoder", "decoder", "decoder_only"})},
                         {"norm", described(one_of_words({"post", "pre"}), "norm(x + f(x)), or x + f(norm(x))")},
                         {"norm_type", names_schema(catalog.norms)},
                         {"eps", described(std::move(eps), "added to the variance before its root is taken")},
                         {"activation", names_schema(catalog.activations)},
                         {"layers", std::move(layers)},
                         {"memory", described(any_of({{{"type", "null"}}, reference("tensor"), {{"$ref", "#"}}}),
                                              "what cross-attention reads: vectors, or a problem that makes them")},
                         {"memory_mask", any_of({reference("mask"), list_of(reference("mask"))})},
                         {"memory_lengths", any_of({whole_number(0), list_of(whole_number(0))})},
                         {"embedding_norm", norm_schema()},
                         {"final_norm", norm_schema()},
                         {"unembedding", described(any_of({{{"const", "tied"}}, reference("tensor")}),
                                                   "[d_model][vocabulary]; tied: the embeddings' transpose")},
                         {"unembedding_bias", reference("tensor")},
                         {"vocabulary", described(list_of({{"type", "string"}}), "a label for each logit")}},
                        {"layers"});
}

}  // namespace attn
