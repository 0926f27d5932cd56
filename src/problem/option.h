#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "problem/source.h"

namespace attn {

// One entry of `mask`, its axes a subset of batch, head, query, key: those
// along which it varies or whose size is not 1.
struct MaskTerm {
  enum class Kind { allow, block, add };
  Kind kind = Kind::allow;
  Source value;  // allow, block: 0 and 1; add: finite or −∞
};

using Integers = std::vector<std::int64_t>;

// One for all sequences, or one a sequence.
struct PerSequence {
  Integers values;

  bool operator==(const PerSequence&) const = default;
};

// What a problem says of an option.
using OptionValue = std::variant<bool, double, Integers, PerSequence, std::vector<MaskTerm>>;

class Faults;
struct RawIntegers;
struct SequenceSetting;

// A key of a problem that stands for itself: a switch, a number, a few integers.
// What reads and checks a file, its schema, suggestions and digests know of it
// no more than this.
struct OptionSpec {
  enum class Kind {
    boolean,       // true or false; false says nothing
    number,        // a finite number
    integers,      // `count` integers; one alone is written without a list
    per_sequence,  // an integer, or a list with one a sequence
    masks,         // {"allow": …}, {"block": …}, {"add": …}, or a list of them
  };

  std::string name = {};                      // the key
  std::vector<std::string> also_called = {};  // by people and frameworks: without case, "-" and "_"
  std::string summary = {};                   // one line, for people: what it does
  std::string written = {};                   // one line, for people: what may be written there
  Kind kind = Kind::boolean;

  // Whether it is about the sequences, and so, in a block, for every layer's attention to itself.
  bool about_sequences = false;

  double above = -std::numeric_limits<double>::infinity();        // a number is more than this
  std::size_t count = 1;                                          // of integers
  std::int64_t least = std::numeric_limits<std::int64_t>::min();  // an integer is this or more
  std::string help = {};  // where a value is refused; `written` where it is empty

  // What the value comes to for these sequences, of integers a sequence, which
  // are null where the file does not say; nothing where that says nothing, or
  // is faulty.
  std::function<std::optional<PerSequence>(const RawIntegers*, const SequenceSetting&, Faults&)> fitted = {};

  // The name and the value in a few words, for the head of an explanation; none where steps say it.
  std::function<std::pair<std::string, std::string>(const OptionValue&)> words = {};
};

// The spec of that name, or null.
template <class Spec>
const Spec* find(const std::vector<Spec>& specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &Spec::name);
  return found == specs.end() ? nullptr : &*found;
}

}  // namespace attn
