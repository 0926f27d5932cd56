#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/faults.h"
#include "problem/statement.h"
#include "reading/json/json.h"
#include "reading/problem/known_keys.h"

namespace attn {

// Parts of a problem file, each read from the value that stands for it. What
// is of another kind is reported, at the element where it shows.

enum class Booleans { refused, allowed };  // as numbers 0 and 1

// Whether an object says, or tries to say, where a tensor comes from: {"file": …}, {"random": …}.
bool describes_tensor(const JsonObject& object);

// Numbers, or an object that describes them.
std::optional<RawTensor> read_tensor(const JsonValue& value, const std::string& where, const KnownKeys& keys,
                                     Faults& faults, Booleans booleans = Booleans::refused);

// A weight matrix, or "identity" where that may stand there.
std::optional<RawWeight> read_weight(const JsonValue& value, const std::string& where, bool may_be_identity,
                                     const KnownKeys& keys, Faults& faults);
std::optional<RawEmbeddings> read_embeddings(const JsonValue& value, const std::string& where, const KnownKeys& keys,
                                             Faults& faults);
std::optional<RawKeysAndValues> read_keys_and_values(const JsonValue& value, const std::string& where,
                                                     const KnownKeys& keys, Faults& faults);

std::optional<RawTokens> read_tokens(const JsonValue& value, const std::string& where, Faults& faults);
std::optional<RawIntegers> read_integers(const JsonValue& value, const std::string& where, Faults& faults);

constexpr std::size_t most_masks = 1000;
std::optional<std::vector<RawMask>> read_masks(const JsonValue& value, const std::string& where, const KnownKeys& keys,
                                               Faults& faults);

// One of the choices, with its parameters. `what` is the word for one of them.
std::optional<RawChoice> read_named_choice(const JsonValue& value, const std::string& where,
                                           const std::vector<ChoiceSpec>& specs, std::string_view what,
                                           const KnownKeys& keys, Faults& faults);

// What is said of an option.
std::optional<RawOption> read_option(const JsonValue& value, const std::string& where, const OptionSpec& spec,
                                     const KnownKeys& keys, Faults& faults);

std::optional<std::int64_t> read_integer(const JsonValue& value, const std::string& where, std::int64_t least,
                                         std::int64_t most, Faults& faults);
std::optional<double> read_finite_number(const JsonValue& value, const std::string& where, Faults& faults);
std::optional<bool> read_boolean(const JsonValue& value, const std::string& where, Faults& faults);

// Where among the names the text stands. `what` is the word for one of them.
std::optional<std::size_t> read_choice(const JsonValue& value, const std::string& where,
                                       std::span<const std::string> names, std::string_view what, Faults& faults);

// "x is a list; y is wanted", for a value of the wrong kind. Returns what Faults::add does.
std::nullopt_t report_kind(const JsonValue& value, const std::string& where, std::string_view wanted, Faults& faults,
                           Help help);

}  // namespace attn
