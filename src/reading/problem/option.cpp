#include <string>
#include <utility>

#include "base/numbers.h"
#include "reading/json/values.h"

namespace attn {
namespace {

std::string help_of(const OptionSpec& spec) { return spec.help.empty() ? spec.written : spec.help; }

std::optional<RawOption> read_number(const JsonValue& value, const std::string& where, const OptionSpec& spec,
                                     Faults& faults) {
  const std::optional<double> number = read_finite_number(value, where, faults);
  if (!number) return std::nullopt;
  if (*number > spec.above) return RawOption{where, *number};
  return faults.add_of("out-of-range", where,
                       "is " + shortest(*number) + "; more than " + shortest(spec.above) + " is wanted", help_of(spec));
}

// Where one is too small that is reported, and nothing returned.
bool are_enough(const RawIntegers& integers, const OptionSpec& spec, Faults& faults) {
  for (std::size_t i = 0; i < integers.values.size(); ++i) {
    if (integers.values[i] >= spec.least) continue;
    const std::string place = integers.is_list ? pointer(integers.where, std::to_string(i)) : integers.where;
    faults.add_of("out-of-range", place,
                  "is " + std::to_string(integers.values[i]) + "; " + std::to_string(spec.least) + " or more is wanted",
                  help_of(spec));
    return false;
  }
  return true;
}

std::optional<RawOption> read_integers_of(const JsonValue& value, const std::string& where, const OptionSpec& spec,
                                          Faults& faults) {
  if (spec.count > 1 && value.number()) {
    const std::string wanted =
        spec.count == 2 ? "two integers are wanted" : std::to_string(spec.count) + " integers are wanted";
    return report_kind(value, where, wanted, faults, help_of(spec));
  }
  if (spec.count == 1 && !value.number()) {
    return report_kind(value, where, "an integer is wanted", faults, help_of(spec));
  }
  const std::optional<RawIntegers> integers = read_integers(value, where, faults);
  if (!integers) return std::nullopt;
  if (integers->values.size() != spec.count) {
    return faults.add_of(
        "shape-mismatch", where,
        "has " + counted(integers->values.size(), "number") + "; " + std::to_string(spec.count) + " are wanted",
        help_of(spec));
  }
  return are_enough(*integers, spec, faults) ? std::optional(RawOption{where, *integers}) : std::nullopt;
}

template <class T>
std::optional<RawOption> as_option(const std::string& where, std::optional<T> value) {
  return value ? std::optional(RawOption{where, std::move(*value)}) : std::nullopt;
}

}  // namespace

std::optional<RawOption> read_option(const JsonValue& value, const std::string& where, const OptionSpec& spec,
                                     const KnownKeys& keys, Faults& faults) {
  switch (spec.kind) {
    case OptionSpec::Kind::boolean:
      return as_option(where, read_boolean(value, where, faults));
    case OptionSpec::Kind::number:
      return read_number(value, where, spec, faults);
    case OptionSpec::Kind::integers:
      return read_integers_of(value, where, spec, faults);
    case OptionSpec::Kind::per_sequence:
      return as_option(where, read_integers(value, where, faults));
    case OptionSpec::Kind::masks:
      return as_option(where, read_masks(value, where, keys, faults));
  }
  return std::nullopt;
}

}  // namespace attn
