#include <string>
#include <utility>
#include <vector>

#include "reading/json/values.h"

namespace attn {

std::optional<std::vector<RawEmbedding>> read_embeddings(const JsonValue& value, const std::string& where,
                                                         const KnownKeys& keys, Faults& faults) {
  auto object = value.object();
  if (!object) {
    report_kind(value, where, "embeddings are an object with a vector for each token", faults,
                R"({"the": [1, 0], "cat": [0, 1]}; a matrix of embeddings is called inputs)");
    return std::nullopt;
  }
  std::vector<RawEmbedding> embeddings;
  for (JsonMember& member : object->members) {
    const std::optional<RawTensor> vector = read_tensor(member.value, pointer(where, member.key), keys, faults);
    if (!vector) return std::nullopt;
    embeddings.push_back({std::move(member.key), *vector});
  }
  return embeddings;
}

std::optional<RawWeight> read_weight(const JsonValue& value, const std::string& where, bool may_be_identity,
                                     const KnownKeys& keys, Faults& faults) {
  if (value.text()) {
    if (*value.text() == "identity" && may_be_identity) return RawWeight{where, std::nullopt};
    faults.add("wrong-kind", where, shown(where) + " is \"" + shown(*value.text()) + "\"; a matrix is wanted",
               may_be_identity ? "\"identity\" stands for a projection that is not made"
                               : "leave output out where nothing is projected");
    return std::nullopt;
  }
  std::optional<RawTensor> tensor = read_tensor(value, where, keys, faults);
  return tensor ? std::optional(RawWeight{where, std::move(*tensor)}) : std::nullopt;
}

std::optional<RawKeysAndValues> read_keys_and_values(const JsonValue& value, const std::string& where,
                                                     const KnownKeys& keys, Faults& faults) {
  auto object = value.object();
  const std::string help = R"({"keys": …, "values": …})";
  if (!object) {
    report_kind(value, where, "an object with keys and values is wanted", faults, help);
    return std::nullopt;
  }
  RawKeysAndValues pairs{.where = where, .keys = {}, .values = {}};
  for (const auto& [name, member] : keys.check(*object, where, {"keys", "values"}, faults)) {
    (name == "keys" ? pairs.keys : pairs.values) =
        read_tensor(member->value, pointer(where, member->key), keys, faults);
  }
  bool complete = true;
  for (const auto& [name, tensor] : {std::pair("keys", &pairs.keys), {"values", &pairs.values}}) {
    if (!tensor->is_given())
      faults.add("missing-member", where, shown(where) + " has no \"" + name + "\"",
                 help + ", as they are stored: projected and rotated already");
    complete = complete && *tensor;
  }
  return complete ? std::optional(std::move(pairs)) : std::nullopt;
}

}  // namespace attn
