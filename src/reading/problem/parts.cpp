#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_spelling.h"
#include "reading/json/values.h"

namespace attn {
namespace {

// REQUIRES: a list.
std::optional<std::vector<std::string>> read_texts(const JsonValue& list, const std::string& where, Faults& faults) {
  std::vector<std::string> texts;
  for (JsonWalk walk(list); walk.next();) {
    auto text = walk.value().text();
    if (!text) {
      const bool quotable = walk.value().number() || walk.value().boolean();
      return report_kind(walk.value(), pointer(where, ListPlace{texts.size()}), "a token is a text", faults,
                         quotable ? "put it in double quotes" : "tokens are written [\"the\", \"cat\"]");
    }
    texts.push_back(*std::move(text));
  }
  return texts;
}

// The numbers of a list of nothing else, of which there is one.
std::optional<std::vector<double>> list_of_numbers(const JsonValue& value) {
  std::optional<JsonNumbers> list = value.numbers();
  if (!list || list->odd || list->first_boolean || list->numbers.rank() != 1 || list->numbers.values().empty())
    return std::nullopt;
  return list->numbers.take_values();
}

}  // namespace

std::optional<RawEmbeddings> read_embeddings(const JsonValue& value, const std::string& where, const KnownKeys& keys,
                                             Faults& faults) {
  if (value.kind() != JsonValue::Kind::object) {
    return report_kind(value, where, "embeddings are an object with a vector for each token", faults,
                       R"({"the": [1, 0], "cat": [0, 1]}; a matrix of embeddings is called inputs)");
  }
  RawEmbeddings embeddings;
  embeddings.tokens.reserve(size_of(value));
  for (JsonWalk members(value); members.next();) {
    const std::size_t number = embeddings.tokens.size();
    const std::string& token = embeddings.tokens.emplace_back(unescaped_json(members.key_spelling()));
    if (const auto vector = list_of_numbers(members.value())) {
      if (embeddings.width == 0) {
        embeddings.width = vector->size();
        embeddings.where_of_first = pointer(where, token);
      }
      if (vector->size() == embeddings.width) {
        embeddings.numbers.insert(embeddings.numbers.end(), vector->begin(), vector->end());
        continue;
      }
    }
    std::optional<RawTensor> vector = read_tensor(members.value(), pointer(where, token), keys, faults);
    if (!vector) return std::nullopt;
    embeddings.others.emplace(number, std::move(*vector));
    // Beside the lists of one width nothing but an object may be right: one of those read by now will be refused,
    // and none behind it is looked at.
    if (members.value().kind() != JsonValue::Kind::object) break;
  }
  return embeddings;
}

std::optional<RawWeight> read_weight(const JsonValue& value, const std::string& where, bool may_be_identity,
                                     const KnownKeys& keys, Faults& faults) {
  if (value.text()) {
    if (*value.text() == "identity" && may_be_identity) return RawWeight{where, std::nullopt};
    return faults.add_of("wrong-kind", where, "is \"" + shown(*value.text()) + "\"; a matrix is wanted",
                         may_be_identity ? "\"identity\" stands for a projection that is not made"
                                         : "leave output out where nothing is projected");
  }
  std::optional<RawTensor> tensor = read_tensor(value, where, keys, faults);
  return tensor ? std::optional(RawWeight{where, std::move(*tensor)}) : std::nullopt;
}

std::optional<RawKeysAndValues> read_keys_and_values(const JsonValue& value, const std::string& where,
                                                     const KnownKeys& keys, Faults& faults) {
  auto object = value.object();
  const std::string help = R"({"keys": …, "values": …})";
  if (!object) return report_kind(value, where, "an object with keys and values is wanted", faults, help);
  RawKeysAndValues pairs{.where = where, .keys = {}, .values = {}};
  for (const auto& [name, member] : keys.check(*object, where, {"keys", "values"}, faults)) {
    (name == "keys" ? pairs.keys : pairs.values) =
        read_tensor(member->value, pointer(where, member->key()), keys, faults);
  }
  bool complete = true;
  for (const auto& [name, tensor] : {std::pair("keys", &pairs.keys), {"values", &pairs.values}}) {
    if (!tensor->is_given())
      faults.add_of("missing-member", where, std::string("has no \"") + name + "\"",
                    help + ", as they are stored: projected and rotated already");
    complete = complete && *tensor;
  }
  return complete ? std::optional(std::move(pairs)) : std::nullopt;
}

std::optional<RawTokens> read_tokens(const JsonValue& value, const std::string& where, Faults& faults) {
  if (value.kind() != JsonValue::Kind::list)
    return report_kind(value, where, "tokens are a list of texts, or a list of such lists in a batch", faults,
                       R"(write ["the", "cat"])");
  JsonWalk walk(value);
  const bool is_batch = walk.next() && walk.value().kind() == JsonValue::Kind::list;
  RawTokens tokens{.where = where, .batched = is_batch, .sequences = {}};
  if (!is_batch) {
    auto texts = read_texts(value, where, faults);
    if (!texts) return std::nullopt;
    tokens.sequences.push_back(std::move(*texts));
    return tokens;
  }
  do {
    const JsonValue sequence = walk.value();
    const std::string place = pointer(where, ListPlace{tokens.sequences.size()});
    if (sequence.kind() != JsonValue::Kind::list)
      return report_kind(sequence, place, "the others are lists of tokens", faults, R"(write [["the", "cat"], ["a"]])");
    auto texts = read_texts(sequence, place, faults);
    if (!texts) return std::nullopt;
    tokens.sequences.push_back(std::move(*texts));
  } while (walk.next());
  return tokens;
}

}  // namespace attn
