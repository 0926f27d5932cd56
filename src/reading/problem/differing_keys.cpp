#include "reading/problem/differing_keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "reading/json/json.h"
#include "tensor/shape.h"

namespace attn {
namespace {

using Sizes = std::vector<std::size_t>;

std::string spelled_of(const NestedNumbers& numbers) {
  const auto sizes = numbers.shape();
  return sizes ? spelled_sizes(*sizes) + " numbers" : "lists of several sizes";
}

// Numbers and nothing else: behind a text, say, nothing of a list is read.
std::optional<JsonNumbers> numbers_of(const JsonValue& value) {
  auto numbers = value.numbers();
  return numbers && !numbers->odd ? std::move(numbers) : std::nullopt;
}

// A list that holds no number to speak of: what two of them differ in is not told.
std::string spelled(const JsonValue& value) {
  if (const auto number = value.number()) return shortest(number->value);
  if (const auto numbers = numbers_of(value)) {
    const auto sizes = numbers->numbers.shape();
    if (sizes && sizes->size() == 1 && sizes->front() <= 4) {
      std::string text;
      for (const double number : numbers->numbers.values()) text += (text.empty() ? "" : ", ") + shortest(number);
      return "[" + text + "]";
    }
    return spelled_of(numbers->numbers);
  }
  return in_words(value);
}

// {"type": "dot"} is "dot".
JsonValue unwrapped(const JsonValue& value) {
  const auto object = value.object();
  if (!object || object->members.size() != 1) return value;
  const auto type = object->find("type");
  return type && type->text() ? *type : value;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, same_number);
}

std::string index_of(std::size_t at, const Sizes& sizes) {
  Sizes index(sizes.size());
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    index[axis] = at % sizes[axis];
    at /= sizes[axis];
  }
  return spelled_index(index);
}

bool is_transposed(const std::vector<double>& a, const std::vector<double>& b, const Sizes& sizes, const Sizes& other) {
  if (sizes.size() != 2 || other != Sizes{sizes[1], sizes[0]}) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_number(a[i], b[i % sizes[1] * sizes[0] + i / sizes[1]])) return false;
  }
  return true;
}

bool is_exchanged(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] != 0 && a[i] != 1) || b[i] != 1 - a[i]) return false;
  }
  return true;
}

using ByKey = std::map<std::string, JsonValue, std::less<>>;

ByKey by_key(const JsonObject& object) {
  ByKey values;
  for (const JsonMember& member : object.members) values.emplace(member.key(), member.value);
  return values;
}

// An order in which numbers are alike where they are the same numbers: of anything, nan stands first.
struct NumbersBefore {
  bool operator()(const NestedNumbers& a, const NestedNumbers& b) const {
    const auto shape = a.shape(), other = b.shape();
    if (shape != other) return shape < other;
    return std::ranges::lexicographical_compare(
        a.values(), b.values(), [](double one, double two) { return std::isnan(one) ? !std::isnan(two) : one < two; });
  }
};

// The keys of the first alone by the numbers that they hold, of several with the same numbers the first: where the
// second has these at a key of its own, they have moved there, as from allow to block.
std::map<NestedNumbers, std::string, NumbersBefore> alone_by_numbers(const JsonObject& first, const ByKey& second) {
  std::map<NestedNumbers, std::string, NumbersBefore> keys;
  for (const JsonMember& member : first.members) {
    if (second.contains(member.key())) continue;
    if (auto numbers = numbers_of(member.value)) keys.emplace(std::move(numbers->numbers), member.key());
  }
  return keys;
}

class Comparing {
 public:
  // What begins with x- says nothing of the numbers, but among embeddings it is a token; some members of a problem,
  // which is the root or a memory, say nothing of them either.
  void objects(const std::string& where, const JsonObject& first, const JsonObject& second) {
    const bool is_problem = where.empty() || where.ends_with("/memory");
    const bool are_tokens = where.ends_with("/embeddings");
    const auto is_left_out = [&](const std::string& key) {
      return (!are_tokens && key.starts_with("x-")) || (is_problem && !counts(key, first, second));
    };
    const ByKey ones = by_key(first), others = by_key(second);
    for (const JsonMember& member : first.members) {
      if (is_left_out(member.key())) continue;
      const std::string here = pointer(where, member.key());
      if (const auto other = others.find(member.key()); other != others.end()) {
        values(here, member.value, other->second);
      } else {
        found.push_back({here, spelled(member.value), ""});
      }
    }
    const auto left = alone_by_numbers(first, others);
    for (const JsonMember& member : second.members) {
      if (ones.contains(member.key()) || is_left_out(member.key())) continue;
      const auto numbers = numbers_of(member.value);
      const auto same = numbers ? left.find(numbers->numbers) : left.end();
      found.push_back({pointer(where, member.key()), "",
                       same != left.end() ? "the numbers of A's " + same->second : spelled(member.value)});
    }
  }

  std::vector<KeyDifference> found;

 private:
  // Whether "1" is a word there, as in the tokens of a memory.
  static bool are_texts(std::string_view where) {
    const auto stands_at = [&](const std::string& key) {
      return where.ends_with(key) || where.find(key + "/") != std::string_view::npos;
    };
    return stands_at("/tokens") || stands_at("/vocabulary");
  }

  static bool counts(const std::string& key, const JsonObject& first, const JsonObject& second) {
    constexpr std::array<std::string_view, 4> words = {"$schema", "title", "notes", "digits"};
    if (std::ranges::count(words, key) > 0) return false;
    return key != "tokens" || first.find("embeddings") || second.find("embeddings");
  }

  void values(const std::string& where, const JsonValue& first, const JsonValue& second) {
    const JsonValue a = unwrapped(first);
    const JsonValue b = unwrapped(second);
    if (a.spelling() == b.spelling()) return;
    if (a.object() && b.object()) return objects(where, *a.object(), *b.object());
    const auto read = [&](const JsonValue& value) { return are_texts(where) ? std::nullopt : numbers_of(value); };
    const auto numbers = read(a), others = read(b);
    if (numbers && others) return tensors(where, *numbers, *others);
    const auto list = a.elements(), other = b.elements();
    if (list && other && !numbers && !others && list->size() == other->size()) {
      for (std::size_t i = 0; i < list->size(); ++i) values(pointer(where, ListPlace{i}), (*list)[i], (*other)[i]);
      return;
    }
    if (a.number() && b.number() && same_number(a.number()->value, b.number()->value)) return;
    if (a.text() && a.text() == b.text()) return;
    found.push_back({where, spelled(a), spelled(b)});
  }

  void tensors(const std::string& where, const JsonNumbers& first, const JsonNumbers& second) {
    const std::vector<double>& a = first.numbers.values();
    const std::vector<double>& b = second.numbers.values();
    const auto sizes = first.numbers.shape();
    const auto other = second.numbers.shape();
    if (first.numbers.is_nested_as(second.numbers) && same_numbers(a, b)) return;
    if (sizes && other && is_transposed(a, b, *sizes, *other)) {
      found.push_back({where, spelled_of(first.numbers), "the same numbers transposed"});
    } else if (!sizes || sizes != other) {
      found.push_back({where, spelled_of(first.numbers), spelled_of(second.numbers)});
    } else if (is_exchanged(a, b)) {
      found.push_back({where, spelled_of(first.numbers), "0 and 1 exchanged"});
    } else {
      std::size_t count = 0, at = a.size();
      for (std::size_t i = a.size(); i-- > 0;) {
        if (same_number(a[i], b[i])) continue;
        ++count;
        at = i;
      }
      const std::string place = " at " + index_of(at, *sizes);
      const std::string number = shortest(b[at]) + place;
      found.push_back({where, shortest(a[at]) + place,
                       count == 1 ? number : number + "; " + std::to_string(count) + " numbers differ"});
    }
  }
};

}  // namespace

std::vector<KeyDifference> differing_keys(std::string_view first, std::string_view second) {
  const Result<ParsedJson> a = parse_json(first);
  const Result<ParsedJson> b = parse_json(second);
  const auto one = a ? a.value().root.object() : std::nullopt;
  const auto other = b ? b.value().root.object() : std::nullopt;
  if (!one || !other) return {};
  Comparing comparing;
  comparing.objects("", *one, *other);
  return std::move(comparing.found);
}

}  // namespace attn
