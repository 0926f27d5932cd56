#include "reading/problem/problem.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "problem/validate.h"
#include "reading/json/values.h"
#include "reading/problem/known_keys.h"
#include "reading/problem/tensor_files.h"

namespace attn {
namespace {

using Value = const JsonValue&;
using Where = const std::string&;

// Reads what a problem file says, member by member. A key that is not known is a
// fault; where it is plain which one is meant, its value is read as that one's,
// so that its own faults are found too.
class StatementReader {
 public:
  StatementReader(const Catalog& catalog, Faults& faults)
      : catalog_(catalog), faults_(faults), keys_(all_keys()), known_(outermost(), catalog.options) {}

  Statement read(const JsonValue& root) {
    if (auto object = root.object()) {
      read_members(*object, "", "");
    } else {
      faults_.add("wrong-kind", "", "a problem is an object, { … }; this is " + in_words(root));
      statement_.inputs = std::nullopt;
    }
    return std::move(statement_);
  }

 private:
  struct Key {
    std::string_view pointer;
    std::function<void(Value, Where)> read;  // into the statement; none of a key that only later versions read
  };

  std::vector<Key> all_keys();

  // The keys of the problem itself.
  std::vector<std::string> outermost() const {
    std::vector<std::string> keys;
    for (const Key& key : keys_) {
      if (key.pointer.rfind('/') == 0) keys.emplace_back(key.pointer.substr(1));
    }
    return keys;
  }

  const Key* find_key(std::string_view pointer) const {
    const auto found = std::ranges::find(keys_, pointer, &Key::pointer);
    return found == keys_.end() ? nullptr : &*found;
  }

  // Reads what belongs at `as`; false where nothing does.
  bool read_known(std::string_view as, Value value, Where where) {
    if (const Key* key = find_key(as); key && key->read) {
      key->read(value, where);
      return true;
    }
    const OptionSpec* option = find(catalog_.options, as.substr(1));
    if (option) statement_.options[option->name] = read_option(value, where, *option, known_, faults_);
    return option != nullptr;
  }

  // Reads what stands at `where`, which is "" for the problem itself, as what belongs at `as`.
  void read_members(JsonObject& object, Where where, const std::string& as) {
    for (JsonMember& member : object.members) {
      if (is_free_key(member.key) || (where.empty() && member.key == "$schema")) continue;
      const std::string place = pointer(where, member.key);
      if (read_known(pointer(as, member.key), member.value, place)) continue;
      if (find_key(place)) {
        faults_.add_at_key("not-supported", place, shown(place) + " is not supported yet");
      } else {
        read_unknown(object, member, where, as);
      }
    }
  }

  // The fault of it is told once: what stands there is read as what was meant.
  void read_unknown(const JsonObject& object, JsonMember& member, const std::string& where, const std::string& as) {
    const std::string place = pointer(where, member.key);
    const auto meant = known_.meant_pointer(as, member.key);
    report_unknown_key(place, meant, known_keys(as), faults_);
    if (!meant) return;
    const bool given = meant->rfind('/') == as.size() && object.find(meant->substr(as.size() + 1));
    // What stands under a wrong name does not take a weight's place.
    const bool is_weight = meant->starts_with("/weights/");
    if (given || (is_weight && statement_.weights.of(meant->substr(9)).is_given())) return;
    if (auto parts = member.value.object(); parts && has_parts(*meant)) {
      read_members(*parts, place, *meant);
    } else {
      read_known(*meant, member.value, place);
    }
  }

  bool has_parts(const std::string& pointer) const {
    return std::ranges::any_of(keys_, [&](const Key& key) { return key.pointer.starts_with(pointer + "/"); });
  }

  std::string known_keys(Where where) const {
    if (where.empty()) return "attn schema problem names every key; one of your own begins with x-";
    std::vector<std::string> all;
    for (const Key& key : keys_) {
      if (key.pointer.starts_with(where + "/")) all.emplace_back(key.pointer.substr(where.size() + 1));
    }
    return "known here: " + listed(all);
  }

  // Reads a value that may stand for each role apart.
  template <class T>
  Roles<T> by_role(JsonObject object, Where where, std::initializer_list<std::string_view> names,
                   const std::function<std::optional<T>(Value, Where)>& read) {
    Roles<T> roles;
    for (const auto& [role, member] : known_.check(object, where, names, faults_))
      roles.of(role) = read(member->value, pointer(where, member->key));
    return roles;
  }

  void read_inputs(Value value, Where where) {
    auto object = value.object();
    if (!object || object->find("random") || object->find("file")) {
      statement_.inputs = tensor(value, where);
    } else {
      statement_.inputs_by_role = by_role<RawTensor>(std::move(*object), where, {"query", "key", "value"},
                                                     [this](Value v, Where w) { return tensor(v, w); });
    }
  }

  void read_tokens_member(Value value, Where where) {
    if (auto object = value.object()) {
      statement_.tokens_by_role = by_role<RawTokens>(std::move(*object), where, {"query", "key"},
                                                     [this](Value v, Where w) { return read_tokens(v, w, faults_); });
    } else {
      statement_.tokens = read_tokens(value, where, faults_);
    }
  }

  std::optional<RawTensor> tensor(Value value, Where where) { return read_tensor(value, where, known_, faults_); }

  template <class T>
  std::optional<T> integer(Value value, Where where, std::int64_t least, std::int64_t most) {
    const auto found = read_integer(value, where, least, most, faults_);
    return found ? std::optional(static_cast<T>(*found)) : std::nullopt;
  }

  // Reads an object whose members are keys themselves; false where it is none.
  bool read_parts(Value value, Where where, std::string_view wanted) {
    auto object = value.object();
    if (object) {
      read_members(*object, where, where);
    } else {
      report_kind(value, where, wanted, faults_);
    }
    return object.has_value();
  }

  template <class T>
  void read_roles(Value value, Where where, Roles<T>& roles) {
    if (read_parts(value, where, "an object with query, key, value or output is wanted")) return;
    for (Stated<T>* role : roles.all()) *role = std::nullopt;
  }

  void read_hand_rounding(const JsonValue& value, const std::string& where) {
    if (value.kind() == JsonValue::Kind::null) return;
    const std::string help =
        R"("2" rounds to 2 decimals; "2:half-up", "2:half-even", "2:truncate", "2:keep-sum" say how)";
    const auto rounding = value.text() ? parse_hand_rounding(*value.text()) : std::nullopt;
    if (!value.text()) {
      report_kind(value, where, "a text is wanted", faults_, help);
    } else if (rounding) {
      statement_.hand_rounding = *rounding;
    } else {
      faults_.add_of("unknown-choice", where, "is \"" + shown(*value.text()) + "\", which is no way to round by hand",
                     help);
    }
  }

  const Catalog& catalog_;
  Faults& faults_;
  Statement statement_;
  const std::vector<Key> keys_;
  const KnownKeys known_;
};

// Each with what reads it, in the order in which misspelt ones are looked for.
std::vector<StatementReader::Key> StatementReader::all_keys() {
  Statement& s = statement_;
  const auto into = [](auto& place, auto read) { return [=, &place](Value v, Where w) { place = read(v, w); }; };
  const auto a_tensor = [this](Value v, Where w) { return tensor(v, w); };
  const auto a_size = [this](Value v, Where w) { return integer<std::size_t>(v, w, 1, std::int64_t{1} << 53); };
  const auto a_weight = [this](bool may_be_identity) {
    return [=, this](Value v, Where w) { return read_weight(v, w, may_be_identity, known_, faults_); };
  };
  const auto pairs = [this](Value v, Where w) { return read_keys_and_values(v, w, known_, faults_); };
  const auto a_choice = [this](const std::vector<ChoiceSpec>& specs, const char* what) {
    return [=, this, &specs](Value v, Where w) { return read_named_choice(v, w, specs, what, known_, faults_); };
  };
  // One of these values, by its name.
  const auto one_of = [this](const std::vector<std::string>& names, auto values, const char* what) {
    return [=, this](Value v, Where w) {
      const auto found = read_choice(v, w, names, what, faults_);
      return found ? std::optional(values[*found]) : std::nullopt;
    };
  };
  const auto vectors = one_of({"rows", "columns"}, std::array{Vectors::rows, Vectors::columns}, "layout of vectors");
  const auto layout =
      one_of({"in_out", "out_in"}, std::array{WeightLayout::in_out, WeightLayout::out_in}, "layout of weights");
  const auto split = one_of({"projection", "input"}, std::array{false, true}, "split");
  const auto dtype = one_of({dtype_names.begin(), dtype_names.end()}, dtypes, "dtype");
  return {
      {"/title", [&s](Value v, Where) { s.title = v.text().value_or(s.title); }},
      {"/notes", [](Value, Where) {}},
      {"/inputs", [this](Value v, Where w) { read_inputs(v, w); }},
      {"/tokens", [this](Value v, Where w) { read_tokens_member(v, w); }},
      {"/embeddings", into(s.embeddings, [this](Value v, Where w) { return read_embeddings(v, w, known_, faults_); })},
      {"/max_tokens", into(s.max_tokens, a_size)},
      {"/vectors", into(s.vectors, vectors)},
      {"/weights", [this](Value v, Where w) { read_roles(v, w, statement_.weights); }},
      {"/weights/query", into(s.weights.query, a_weight(true))},
      {"/weights/key", into(s.weights.key, a_weight(true))},
      {"/weights/value", into(s.weights.value, a_weight(true))},
      {"/weights/output", into(s.weights.output, a_weight(false))},
      {"/biases", [this](Value v, Where w) { read_roles(v, w, statement_.biases); }},
      {"/biases/query", into(s.biases.query, a_tensor)},
      {"/biases/key", into(s.biases.key, a_tensor)},
      {"/biases/value", into(s.biases.value, a_tensor)},
      {"/biases/output", into(s.biases.output, a_tensor)},
      {"/queries", into(s.queries, a_tensor)},
      {"/keys", into(s.keys, a_tensor)},
      {"/values", into(s.values, a_tensor)},
      {"/heads", into(s.heads, a_size)},
      {"/split", into(s.split_input, split)},
      {"/score", into(s.score, a_choice(catalog_.scores, "score"))},
      {"/weight_layout", into(s.weight_layout, layout)},
      {"/softmax", into(s.softmax, a_choice(catalog_.softmaxes, "softmax"))},
      {"/digits", into(s.digits, [this](Value v, Where w) { return integer<int>(v, w, 0, 17); })},
      {"/past", into(s.past, pairs)},
      {"/block", nullptr},
      {"/appended", into(s.appended, pairs)},
      {"/positions", into(s.positions, a_choice(catalog_.positions, "position encoding"))},
      {"/arithmetic", [this](Value v, Where w) { read_parts(v, w, R"({"dtype": …, "hand_rounding": …} is wanted)"); }},
      {"/arithmetic/dtype", into(s.dtype, dtype)},
      {"/arithmetic/hand_rounding", [this](Value v, Where w) { read_hand_rounding(v, w); }},
      {"/kv_heads", into(s.kv_heads, a_size)},
  };
}

}  // namespace

Result<Problem> read_problem(std::string_view text, const Catalog& catalog, std::size_t max_bytes,
                             const std::optional<std::string>& folder) {
  Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return parsed.faults();

  Faults faults;
  Statement statement = StatementReader(catalog, faults).read(parsed.value().root);
  Diagnostics all = std::move(parsed.value().faults);
  std::ranges::move(faults.take(), std::back_inserter(all));

  Result<Problem> problem = validated(std::move(statement), catalog, max_bytes, folder ? tensors_in(*folder) : nullptr);
  if (!problem) std::ranges::copy(problem.faults(), std::back_inserter(all));
  if (!all.empty() || !problem) return all;
  return problem;
}

}  // namespace attn
