#include "reading/json/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"

namespace attn {
namespace {

constexpr std::int64_t most_exact = std::int64_t{1} << 53;
constexpr std::size_t most_axes = 8;  // of a random tensor; no tensor of a problem has more than 4

constexpr char how_numbers_are_written[] = "a number is written 2, -0.5 or 1e-3";

// What is wrong with a text as a number, if it looks like one.
Help help_for_number(std::string_view text) {
  const Result<SpelledNumber> number = spelled_number(text);
  if (number || text.find_first_of("0123456789") == std::string_view::npos) return how_numbers_are_written;
  const Diagnostic& fault = number.faults().front();
  return fault.message + "; " + fault.help.text();
}

Help help_for_number(const JsonValue& value) {
  return value.text() ? help_for_number(*value.text()) : Help(how_numbers_are_written);
}

// Whole numbers that count something are no results of a calculation.
Help help_for_integer(const JsonValue& value) {
  if (value.text() && is_spelled_number(*value.text())) return "this number stands without quotes";
  return "an integer is written 2 or -3, without quotes";
}

// The elements of a list, which one integer is not.
std::optional<std::vector<std::int64_t>> read_list(const JsonValue& value, const std::string& where, Faults& faults,
                                                   Help help) {
  std::optional<RawIntegers> integers = read_integers(value, where, faults);
  if (!integers) return std::nullopt;
  if (integers->is_list) return std::move(integers->values);
  return faults.add_of("wrong-kind", where, "is one number; a list of integers is wanted", std::move(help));
}

// --- random tensors --------------------------------------------------------

const std::array<std::string, 4> random_kinds = {"normal", "xavier", "kaiming", "integers"};

std::optional<std::vector<std::size_t>> read_shape(const JsonValue& value, const std::string& where, Faults& faults) {
  if (const std::size_t count = value.kind() == JsonValue::Kind::list ? size_of(value) : 0; count > most_axes) {
    return faults.add_of("out-of-range", where,
                         "has " + counted(count, "size") + "; at most " + std::to_string(most_axes) + " are possible",
                         "a matrix has two: [3, 4]");
  }
  const auto sizes = read_list(value, where, faults, "a matrix has two sizes: [3, 4]; a vector has one: [3]");
  if (!sizes) return std::nullopt;
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const std::int64_t size = (*sizes)[i];
    if (size < 1) {
      return faults.add_of("bad-size", pointer(where, std::to_string(i)),
                           "is " + std::to_string(size) + "; a size is 1 or more", "write how many there are");
    }
    shape.push_back(static_cast<std::size_t>(size));
  }
  return shape;
}

std::optional<RawTensor> read_random(JsonObject& object, const std::string& where, const KnownKeys& keys,
                                     Faults& faults) {
  RandomTensor tensor;
  bool complete = true;
  const MembersByKey members = keys.check(object, where, {"random", "shape", "seed"}, faults);
  if (!members.contains("shape")) {
    faults.add_of("missing-member", where, "has no \"shape\"",
                  R"(a random tensor is written {"random": "normal", "shape": [3, 4], "seed": 7})");
    complete = false;
  }
  for (const auto& [name, member] : members) {
    const std::string place = pointer(where, member->key());
    if (name == "random") {
      const auto kind = read_choice(member->value, place, random_kinds, "random tensor", faults);
      constexpr RandomKind kinds[] = {RandomKind::normal, RandomKind::xavier, RandomKind::kaiming,
                                      RandomKind::integers};
      complete = complete && kind;
      if (kind) tensor.kind = kinds[*kind];
    } else if (name == "shape") {
      auto shape = read_shape(member->value, place, faults);
      complete = complete && shape;
      if (shape) tensor.shape = *shape;
    } else {
      const auto seed = read_integer(member->value, place, 0, std::numeric_limits<std::int64_t>::max(), faults);
      complete = complete && seed;
      if (seed) tensor.seed = static_cast<std::uint64_t>(*seed);
    }
  }
  if (!complete) return std::nullopt;
  return RawTensor{where, std::move(tensor)};
}

// --- tensors of other files --------------------------------------------------

constexpr char what_range[] = "they count from 0: [0, 768] are the first 768";
constexpr char which_rows[] = "name those that are meant: [3, 0, 7]";

// "rows": [0, 768]
std::optional<TensorPart::Range> read_range(const std::vector<std::int64_t>& values, const std::string& where,
                                            Faults& faults) {
  if (values.size() == 2 && values[0] >= 0 && values[0] < values[1]) {
    return TensorPart::Range{static_cast<std::size_t>(values[0]), static_cast<std::size_t>(values[1])};
  }
  return faults.add_of("bad-range", where, "is no range: a first one, and the one behind the last", what_range);
}

// "take": [3, 0, 7]
std::optional<std::vector<std::size_t>> read_taken(const std::vector<std::int64_t>& rows, const std::string& where,
                                                   Faults& faults) {
  if (rows.empty()) return faults.add_of("empty", where, "takes no row", which_rows);
  std::vector<std::size_t> taken;
  taken.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) {
      return faults.add_of("out-of-range", pointer(where, std::to_string(i)), "is " + std::to_string(rows[i]),
                           "rows count from 0");
    }
    taken.push_back(static_cast<std::size_t>(rows[i]));
  }
  return taken;
}

// One key of a part; whether it could be read.
bool read_part(const std::string& key, const JsonValue& value, const std::string& where, TensorPart& part,
               Faults& faults) {
  if (key == "transpose") {
    const auto is_transposed = read_boolean(value, where, faults);
    part.is_transposed = is_transposed.value_or(false);
    return is_transposed.has_value();
  }
  const auto integers = read_list(value, where, faults, key == "take" ? which_rows : what_range);
  if (!integers) return false;
  if (key == "take") return (part.take = read_taken(*integers, where, faults)).has_value();
  return ((key == "rows" ? part.rows : part.columns) = read_range(*integers, where, faults)).has_value();
}

std::optional<RawTensor> read_reference(JsonObject& object, const std::string& where, Booleans booleans,
                                        const KnownKeys& keys, Faults& faults) {
  FileReference reference{.file = "", .tensor = std::nullopt, .may_be_booleans = booleans == Booleans::allowed};
  bool complete = true;
  for (const auto& [name, member] :
       keys.check(object, where, {"file", "tensor", "rows", "columns", "take", "transpose"}, faults)) {
    const bool is_file = name == "file";
    const std::string place = pointer(where, member->key());
    if (!is_file && name != "tensor") {
      complete = read_part(name, member->value, place, reference.part, faults) && complete;
      continue;
    }
    if (const auto text = member->value.text()) {
      if (is_file && text->empty())
        return faults.add_of("empty", place, "is empty, and no file is called so", R"(write {"file": "x.npy"})");
      if (is_file) reference.file = *text;
      if (!is_file) reference.tensor = *text;
    } else {
      report_kind(member->value, place, is_file ? "the path of a file is wanted" : "the name of a tensor is wanted",
                  faults, R"(write {"file": "x.npz", "tensor": "name"})");
      complete = false;
    }
  }
  if (reference.part.rows && reference.part.take) {
    return faults.add_of("contradiction", where, "has \"rows\" and \"take\", and both say which rows are meant",
                         "give the one or the other");
  }
  if (!complete) return std::nullopt;
  return RawTensor{where, std::move(reference)};
}

constexpr std::size_t most_misspelt = 100;  // more keys that are none of a tensor are no slips of a pen

// The keys of a tensor that are the object's, or were meant.
std::set<std::string> meant_keys(const JsonObject& object) {
  static const std::vector<std::string> all = {"file",   "tensor",    "rows",  "columns", "take",
                                               "random", "transpose", "shape", "seed"};
  std::set<std::string> meant;
  std::size_t unknown = 0;
  for (const JsonMember& member : object.members) {
    const std::string key = member.key();
    if (std::ranges::count(all, key) > 0) {
      meant.insert(key);
    } else if (!is_free_key(key) && ++unknown <= most_misspelt) {
      if (auto near = closest(key, all)) meant.insert(*std::move(near));
    }
  }
  return meant;
}

// A tensor described by an object.
std::optional<RawTensor> read_described(JsonObject object, const std::string& where, Booleans booleans,
                                        const KnownKeys& keys, Faults& faults) {
  const std::set<std::string> meant = meant_keys(object);
  if (meant.contains("random")) return read_random(object, where, keys, faults);
  if (meant.contains("file")) return read_reference(object, where, booleans, keys, faults);
  return faults.add_of("wrong-kind", where, "is an object; numbers are wanted",
                       R"(lists of numbers, {"file": "x.npy"}, or {"random": "normal", "shape": [3, 4], "seed": 7})");
}

// --- numbers ---------------------------------------------------------------

std::optional<RawTensor> read_numbers(JsonNumbers numbers, const std::string& where, Booleans booleans,
                                      Faults& faults) {
  if (numbers.odd) {
    const std::string place = pointer(where, numbers.odd->place);
    const Help help =
        numbers.odd->what == "null" ? "leave out what is not there, or write 0" : help_for_number(numbers.odd->text);
    return faults.add_of("mixed-list", place,
                         "is " + numbers.odd->what + ", where " + numbers.odd->elsewhere + " is wanted", help);
  }
  if (numbers.first_boolean && booleans == Booleans::refused) {
    const std::string place = pointer(where, *numbers.first_boolean);
    return faults.add_of("wrong-kind", place, "is a boolean; a number is wanted", "write 1 or 0");
  }
  return RawTensor{where, std::move(numbers.numbers)};
}

std::optional<double> scalar(const JsonValue& value, Booleans booleans) {
  if (const auto number = value.number()) return number->value;
  if (value.boolean() && booleans == Booleans::allowed) return *value.boolean() ? 1 : 0;
  const auto text = value.text();
  if (!text) return std::nullopt;
  if (*text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (const Result<SpelledNumber> number = spelled_number(*text)) return number.value().value;
  return std::nullopt;
}

// --- integers --------------------------------------------------------------

std::optional<std::int64_t> integer_of(const JsonNumber& number, const std::string& where, std::int64_t least,
                                       std::int64_t most, Faults& faults) {
  const std::optional<std::int64_t>& whole = number.whole;
  if (whole && *whole >= least && *whole <= most) return whole;
  const std::string given = shown(where) + " is " + (whole ? std::to_string(*whole) : shortest(number.value));
  if (!whole && std::trunc(number.value) != number.value) {
    faults.add("not-an-integer", where, given + "; an integer is wanted", "write it without a fraction");
  } else if (whole ? *whole < least : number.value < 0) {
    const bool bounded = least > -most_exact;
    faults.add("out-of-range", where,
               given + (bounded ? "; at least " + std::to_string(least) + " is wanted" : ", which is too small"),
               "write a larger one");
  } else {
    const bool bounded = most < most_exact;
    faults.add("out-of-range", where,
               given + (bounded ? "; at most " + std::to_string(most) + " is possible" : ", which is too large"),
               "write a smaller one");
  }
  return std::nullopt;
}

}  // namespace

std::nullopt_t report_kind(const JsonValue& value, const std::string& where, std::string_view wanted, Faults& faults,
                           Help help) {
  if (faults.are_enough()) return faults.count_one_more();
  if (value.kind() == JsonValue::Kind::null) help = "leave the key out where there is nothing to say";
  std::string message = "is " + in_words(value) + "; " + std::string(wanted);
  if (where.empty()) return faults.add("wrong-kind", where, "the file " + std::move(message), std::move(help));
  return faults.add_of("wrong-kind", where, message, std::move(help));
}

bool describes_tensor(const JsonObject& object) {
  const std::set<std::string> meant = meant_keys(object);
  return meant.contains("random") || meant.contains("file");
}

std::optional<RawTensor> read_tensor(const JsonValue& value, const std::string& where, const KnownKeys& keys,
                                     Faults& faults, Booleans booleans) {
  if (auto numbers = value.numbers()) return read_numbers(std::move(*numbers), where, booleans, faults);
  if (auto object = value.object()) return read_described(std::move(*object), where, booleans, keys, faults);
  if (const auto number = scalar(value, booleans)) return RawTensor{where, NestedNumbers::of_shape({}, {*number})};
  const bool is_list = value.kind() == JsonValue::Kind::list;
  if (is_list && value.is_hollow()) return RawTensor{where, NestedNumbers::of_shape({0}, {})};

  const auto [leaf, place] = first_leaf(value, where);
  return report_kind(leaf, place, is_list ? "a number is wanted" : "numbers are wanted", faults, help_for_number(leaf));
}

std::optional<RawIntegers> read_integers(const JsonValue& value, const std::string& where, Faults& faults) {
  if (value.number()) {
    const auto one = read_integer(value, where, -most_exact, most_exact, faults);
    if (!one) return std::nullopt;
    return RawIntegers{where, false, {*one}};
  }
  // What counts something is written as a number: in quotes stand expressions.
  if (value.kind() == JsonValue::Kind::list) {
    bool has_text = false;
    std::size_t index = 0;
    for (JsonWalk walk(value); walk.next(); ++index) {
      const JsonValue element = walk.value();
      if (element.kind() != JsonValue::Kind::text) continue;
      has_text = true;
      if (faults.are_enough()) {
        faults.count_one_more();
      } else {
        report_kind(element, pointer(where, ListPlace{index}), "an integer is wanted", faults,
                    help_for_integer(element));
      }
    }
    if (has_text) return std::nullopt;
  }
  auto numbers = value.numbers();
  if (!numbers) {
    const bool is_list = value.kind() == JsonValue::Kind::list;
    if (is_list && value.is_hollow()) return RawIntegers{where, true, {}};
    const auto [leaf, place] = first_leaf(value, where);
    return report_kind(leaf, place, is_list ? "an integer is wanted" : "an integer or a list of integers is wanted",
                       faults, help_for_integer(leaf));
  }
  const std::optional<RawTensor> tensor = read_numbers(std::move(*numbers), where, Booleans::refused, faults);
  if (!tensor) return std::nullopt;
  const auto& nested = std::get<NestedNumbers>(tensor->numbers);
  if (nested.rank() != 1) {
    return faults.add("wrong-kind", pointer(where, ListPlace{0}),
                      shown(where) + " is a list of lists; a list of integers is wanted", "write one list: [3, 2, 4]");
  }
  RawIntegers integers{where, true, {}};
  integers.values.reserve(nested.values().size());
  for (std::size_t i = 0; i < nested.values().size(); ++i) {
    const double given = nested.values()[i];
    const auto integer = whole_of(given);
    if (!integer) {
      integer_of({given, std::nullopt}, pointer(where, ListPlace{i}), -most_exact, most_exact, faults);  // says why
      return std::nullopt;
    }
    integers.values.push_back(*integer);
  }
  return integers;
}

std::optional<std::int64_t> read_integer(const JsonValue& value, const std::string& where, std::int64_t least,
                                         std::int64_t most, Faults& faults) {
  if (const auto number = value.number()) return integer_of(*number, where, least, most, faults);
  return report_kind(value, where, "an integer is wanted", faults, help_for_integer(value));
}

std::optional<double> read_finite_number(const JsonValue& value, const std::string& where, Faults& faults) {
  if (const auto number = value.number()) return number->value;
  const auto spelled = value.text() ? scalar(value, Booleans::refused) : std::nullopt;
  if (spelled && std::isfinite(*spelled)) return *spelled;
  return report_kind(value, where, spelled ? "a finite number is wanted" : "a number is wanted", faults,
                     help_for_number(value));
}

std::optional<bool> read_boolean(const JsonValue& value, const std::string& where, Faults& faults) {
  if (value.boolean()) return *value.boolean();
  return report_kind(value, where, "true or false is wanted", faults, "write true or false, without quotes");
}

std::optional<std::size_t> read_choice(const JsonValue& value, const std::string& where,
                                       std::span<const std::string> names, std::string_view what, Faults& faults) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "\"" : ", \"") + name + "\"";
  const auto text = value.text();
  if (!text) return report_kind(value, where, "one of " + all + " is wanted", faults, "write it in double quotes");
  const auto found = std::ranges::find(names, *text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto meant = closest(*text, names);
  return faults.add_of("unknown-choice", where,
                       "is \"" + shown(*text) + "\", and no " + std::string(what) + " is called so",
                       meant ? "did you mean \"" + *meant + "\"? There are " + all : "there are " + all);
}

}  // namespace attn
