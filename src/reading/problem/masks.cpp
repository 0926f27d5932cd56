#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "reading/json/values.h"
#include "reading/problem/known_keys.h"

namespace attn {
namespace {

constexpr const char* spellings =
    R"(write {"allow": …} (1 or true: may attend), {"block": …} (1 or true: may not) or {"add": …} (added to the scores))";

std::optional<RawMask> mask_term(const JsonValue& value, const std::string& where, const KnownKeys& keys,
                                 Faults& faults) {
  auto object = value.object();
  if (!object) return report_kind(value, where, "an object is wanted", faults, spellings);
  if (object->find("file") || object->find("random")) {
    return faults.add_of("bare-mask", where, "is a bare tensor: whether its ones open or close a cell is not said",
                         spellings);
  }
  const std::size_t before = faults.count();
  static const std::vector<std::string> kinds_of_terms = {"allow", "block", "add"};
  keys.check(*object, where, kinds_of_terms, faults);
  const bool misnamed = faults.count() > before;
  std::vector<JsonMember*> kinds;
  for (JsonMember& member : object->members) {
    if (std::ranges::count(kinds_of_terms, member.key()) > 0) kinds.push_back(&member);
  }
  if (kinds.empty() && misnamed) return std::nullopt;
  if (kinds.size() != 1) {
    return faults.add_of("bare-mask", where,
                         kinds.empty() ? "has none of allow, block, add" : "has more than one of allow, block, add",
                         kinds.empty() ? spellings : R"(several make a list: [{"allow": …}, {"add": …}])");
  }
  const std::string key = kinds[0]->key();
  const std::string place = pointer(where, key);
  const bool add = key == "add";
  if (const auto numbers = add ? kinds[0]->value.numbers() : std::nullopt; numbers && numbers->first_boolean) {
    const std::string boolean = pointer(place, *numbers->first_boolean);
    return faults.add_of("wrong-kind", boolean, "is a boolean; a number is wanted",
                         R"(true and false stand in {"allow": …} or {"block": …})");
  }
  std::optional<RawTensor> tensor =
      read_tensor(kinds[0]->value, place, keys, faults, add ? Booleans::refused : Booleans::allowed);
  if (!tensor) return std::nullopt;
  return RawMask{add              ? MaskTerm::Kind::add
                 : key == "block" ? MaskTerm::Kind::block
                                  : MaskTerm::Kind::allow,
                 std::move(*tensor)};
}

}  // namespace

std::optional<std::vector<RawMask>> read_masks(const JsonValue& value, const std::string& where, const KnownKeys& keys,
                                               Faults& faults) {
  const auto is_causal = [](const JsonValue& one) {
    return one.text() && closest(*one.text(), std::vector<std::string>{"causal"});
  };
  const auto means_causal = R"(a causal mask is written "causal": true)";
  std::vector<RawMask> masks;
  if (value.kind() == JsonValue::Kind::object) {
    std::optional<RawMask> one = mask_term(value, where, keys, faults);
    if (!one) return std::nullopt;
    masks.push_back(std::move(*one));
    return masks;
  }
  if (value.kind() != JsonValue::Kind::list) {
    return report_kind(value, where, "an object is wanted, or a list of objects", faults,
                       is_causal(value) ? means_causal : spellings);
  }
  JsonWalk walk(value);
  if (!walk.next()) return masks;
  if (walk.value().kind() != JsonValue::Kind::object) {
    return faults.add_of("bare-mask", where, "is a bare list: whether its ones open or close a cell is not said",
                         is_causal(walk.value()) ? means_causal : spellings);
  }
  if (const std::size_t count = size_of(value); count > most_masks) {
    return faults.add_of(
        "out-of-range", where,
        "has " + counted(count, "mask") + "; at most " + std::to_string(most_masks) + " are possible",
        "masks of one kind make one: it closes what one of them closes, or adds what they add together");
  }
  bool complete = true;
  std::size_t index = 0;
  do {
    std::optional<RawMask> one = mask_term(walk.value(), pointer(where, ListPlace{index++}), keys, faults);
    complete = complete && one;
    if (one) masks.push_back(std::move(*one));
  } while (walk.next());
  return complete ? std::optional(std::move(masks)) : std::nullopt;
}

}  // namespace attn
