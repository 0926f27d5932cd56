#include "reading/json/json.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "harness.h"
#include "reading/json/locate.h"
#include "said.h"

namespace attn {
namespace {

using Other = nlohmann::json;
using Kind = JsonValue::Kind;

void demand_same(const JsonValue& ours, const Other& other);

// Of a key given twice the first value holds with us, and the last with nlohmann's.
void demand_same_members(const JsonObject& ours, const Other& other, bool has_twice) {
  demand(ours.members.size() == other.size(), "an object has the same keys");
  for (const JsonMember& member : ours.members) {
    const auto found = other.find(member.key());
    demand(found != other.end(), "an object has the same keys", member.key());
    if (!has_twice) demand_same(member.value, *found);
  }
}

bool twice = false;  // whether a key is given twice anywhere in the text at hand

void demand_same_number(const JsonValue& ours, const Other& other) {
  const JsonNumber number = ours.number().value();
  // Negative zero becomes zero, as a trace writes it.
  demand(std::bit_cast<std::uint64_t>(number.value) == std::bit_cast<std::uint64_t>(other.get<double>() + 0.0),
         "a number has the same bits", ours.spelling());
  if (other.is_number_integer() && number.whole)
    demand(*number.whole == other.get<std::int64_t>(), "an integer is the same", ours.spelling());
}

void demand_same(const JsonValue& ours, const Other& other) {
  switch (ours.kind()) {
    case Kind::object:
      demand(other.is_object(), "both read an object", ours.spelling());
      return demand_same_members(ours.object().value(), other, twice);
    case Kind::list: {
      const std::vector<JsonValue> elements = ours.elements().value();
      demand(other.is_array() && elements.size() == other.size(), "both read a list", ours.spelling());
      for (std::size_t i = 0; i < elements.size(); ++i) demand_same(elements[i], other[i]);
      return;
    }
    case Kind::text:
      return demand(other.is_string() && ours.text() == other.get<std::string>(), "a text is the same",
                    ours.spelling());
    case Kind::boolean:
      return demand(other.is_boolean() && ours.boolean() == other.get<bool>(), "a boolean is the same",
                    ours.spelling());
    case Kind::null:
      return demand(other.is_null(), "both read null", ours.spelling());
    case Kind::number:
      demand(other.is_number(), "both read a number", ours.spelling());
      return demand_same_number(ours, other);
  }
}

// What we refuse by contract and nlohmann's reader takes: lists nested more than 64 deep; bytes that are no UTF-8, or
// NUL, in comments.
bool is_ours_to_refuse(const Diagnostic& fault, std::string_view text) {
  return fault.code == "too-deep" || text.find('\0') != std::string_view::npos || first_invalid_utf8(text);
}

// Lists of numbers have a reader of their own, which skips over plain ones.
void demand_same_numbers(const JsonValue& ours) {
  if (const auto numbers = ours.numbers(); numbers && !numbers->odd && numbers->numbers.rank() == 1) {
    const std::vector<JsonValue> elements = ours.elements().value();
    demand(numbers->numbers.values().size() == elements.size(), "a list has as many numbers", ours.spelling());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (const auto one = elements[i].number()) {
        demand(std::bit_cast<std::uint64_t>(one->value) == std::bit_cast<std::uint64_t>(numbers->numbers.values()[i]),
               "a number in a list is the same", elements[i].spelling());
      }
    }
  }
  if (const auto elements = ours.elements()) {
    for (const JsonValue& one : *elements) demand_same_numbers(one);
  }
}

// Our reader of JSON against nlohmann's: the same texts are taken, and the same is read.
void run(std::string_view text) {
  const Result<ParsedJson> ours = parse_json(text);
  const Other other = Other::parse(text, nullptr, false, true);
  if (!ours) {
    demand_faults(ours.faults(), text);
    demand(other.is_discarded() || is_ours_to_refuse(ours.faults().front(), text), "who refuses has a reason",
           ours.faults().front().message);
    return;
  }
  demand(!other.is_discarded(), "what we take is JSON", text);
  if (!ours.value().faults.empty()) demand_faults(ours.value().faults, text);
  twice = !ours.value().faults.empty();
  demand_same(ours.value().root, other);
  demand_same_numbers(ours.value().root);
  const Pointed wanted[] = {{""}, {"/a/0"}, {"/0/0", true}};
  for (const TextRange place : located(text, wanted))
    demand(place.begin <= place.end && place.end <= text.size(), "a place is in the text", text);
}

}  // namespace

Harness json_harness() { return {"json", run}; }

}  // namespace attn
