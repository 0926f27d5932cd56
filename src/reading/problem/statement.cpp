#include "reading/problem/statement.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "reading/json/values.h"
#include "reading/problem/known_keys.h"

namespace attn {
namespace {

class StatementReader {
 public:
  StatementReader(const Catalog& catalog, Faults& faults)
      : catalog_(catalog), keys_(catalog.options), faults_(faults) {}

  Statement read(const JsonValue& root) {
    statement_.where = faults_.part();
    auto object = root.object();
    if (!object) {
      faults_.add("wrong-kind", "", "a problem is an object, { … }; this is " + in_words(root));
      statement_.inputs = Stated<RawTensor>::faulty();
      return std::move(statement_);
    }
    read_members(*object, "", "");
    return std::move(statement_);
  }

 private:
  using Read = std::function<void(StatementReader&, const JsonValue&, const std::string&)>;
  struct Member {
    std::string_view pointer;
    Read reader;
  };
  static const std::vector<Member>& members();

  static const Read* reader_of(std::string_view pointer) {
    const auto found = std::ranges::find(members(), pointer, &Member::pointer);
    return found == members().end() ? nullptr : &found->reader;
  }

  // Reads what belongs at `as`; false where nothing does.
  bool read_known(std::string_view as, const JsonValue& value, const std::string& where) {
    if (const Read* reader = reader_of(as)) {
      (*reader)(*this, value, where);
      return true;
    }
    const OptionSpec* option = find(catalog_.options, as.substr(1));
    if (option) statement_.options[option->name] = read_option(value, where, *option, keys_, faults_);
    return option != nullptr;
  }

  // Reads what stands at `where`, which is "" for the problem itself, as what belongs at `as`.
  void read_members(JsonObject& object, const std::string& where, const std::string& as) {
    for (JsonMember& member : object.members) {
      if (is_free_key(member.key) || (where.empty() && member.key == "$schema")) continue;
      const std::string place = pointer(where, member.key);
      if (read_known(pointer(as, member.key), member.value, place)) continue;
      if (const auto help = where.empty() ? not_supported_help(member.key) : std::nullopt) {
        not_supported(place, *help);
      } else {
        read_unknown(object, member, where, as);
      }
    }
  }

  void not_supported(const std::string& where, std::string help) {
    faults_.add_at_key("not-supported", where, shown(where) + " is not supported yet", std::move(help));
  }

  // The fault of it is told once: what stands there is read as what was meant.
  void read_unknown(const JsonObject& object, JsonMember& member, const std::string& where, const std::string& as) {
    const std::string place = pointer(where, member.key);
    const auto meant = keys_.meant_pointer(as, member.key);
    report_unknown_key(place, meant, known_keys(as), faults_);
    if (!meant) return;
    const bool given = meant->rfind('/') == as.size() && object.find(meant->substr(as.size() + 1));
    if (given || is_read(*meant)) return;
    if (auto parts = member.value.object(); parts && has_parts(*meant)) {
      read_members(*parts, place, *meant);
    } else {
      read_known(*meant, member.value, place);
    }
  }

  static bool has_parts(const std::string& pointer) {
    return std::ranges::any_of(members(), [&](const Member& one) { return one.pointer.starts_with(pointer + "/"); });
  }

  static std::string known_keys(const std::string& where) {
    if (where.empty()) return "attn schema problem names every key; one of your own begins with x-";
    std::string all;
    for (const Member& member : members()) {
      if (!member.pointer.starts_with(where + "/")) continue;
      const std::string_view key = member.pointer.substr(where.size() + 1);
      if (key.find('/') == std::string_view::npos) all += (all.empty() ? "" : ", ") + std::string(key);
    }
    return "known here: " + all;
  }

  // Whether a weight has been read already: what stands under a wrong name does
  // not take its place.
  bool is_read(std::string_view pointer) const {
    const Roles<RawWeight>& weights = statement_.weights;
    return (pointer == "/weights/query" && weights.query.is_given()) ||
           (pointer == "/weights/key" && weights.key.is_given()) ||
           (pointer == "/weights/value" && weights.value.is_given()) ||
           (pointer == "/weights/output" && weights.output.is_given());
  }

  // --- words ---------------------------------------------------------------

  void read_title(const JsonValue& value, const std::string&) {
    if (value.text()) statement_.title = *value.text();
  }

  void read_notes(const JsonValue& value, const std::string&) {
    if (value.text()) statement_.notes = *value.text();
    for (const JsonValue& line : value.elements().value_or(std::vector<JsonValue>())) {
      if (line.text()) statement_.notes += (statement_.notes.empty() ? "" : "\n") + *line.text();
    }
  }

  // --- inputs --------------------------------------------------------------

  void read_inputs(const JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object || object->find("random") || object->find("file")) {
      statement_.inputs = tensor(value, where);
      return;
    }
    Roles<RawTensor> roles;
    for (const auto& [role, member] : keys_.check(*object, where, {"query", "key", "value"}, faults_))
      role_of(roles, role) = tensor(member->value, pointer(where, member->key));
    statement_.inputs_by_role = std::move(roles);
  }

  void read_tokens_member(const JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object) {
      statement_.tokens = read_tokens(value, where, faults_);
      return;
    }
    Roles<RawTokens> roles;
    for (const auto& [role, member] : keys_.check(*object, where, {"query", "key"}, faults_))
      role_of(roles, role) = read_tokens(member->value, pointer(where, member->key), faults_);
    statement_.tokens_by_role = std::move(roles);
  }

  template <class T>
  static Stated<T>& role_of(Roles<T>& roles, std::string_view role) {
    if (role == "query") return roles.query;
    if (role == "key") return roles.key;
    return role == "value" ? roles.value : roles.output;
  }

  Stated<RawTensor> tensor(const JsonValue& value, const std::string& where) {
    return read_tensor(value, where, keys_, faults_);
  }

  Stated<std::size_t> size(const JsonValue& value, const std::string& where) {
    const auto integer = read_integer(value, where, 1, std::int64_t{1} << 53, faults_);
    return integer ? Stated<std::size_t>(static_cast<std::size_t>(*integer)) : Stated<std::size_t>::faulty();
  }

  // --- weights -------------------------------------------------------------

  template <class T>
  void read_part(const JsonValue& value, const std::string& where, Roles<T>& roles) {
    if (auto object = value.object()) return read_members(*object, where, where);
    report_kind(value, where, "an object with query, key, value or output is wanted", faults_);
    mark_faulty(roles);
  }

  template <class T>
  static void mark_faulty(Roles<T>& roles) {
    for (Stated<T>* role : {&roles.query, &roles.key, &roles.value, &roles.output}) *role = Stated<T>::faulty();
  }

  // --- options -------------------------------------------------------------

  // One of these values, by its name.
  template <class T, std::size_t N>
  Stated<T> one_of(const JsonValue& value, const std::string& where, const std::array<std::string, N>& names,
                   const std::array<T, N>& values, std::string_view what) {
    const auto found = read_choice(value, where, names, what, faults_);
    return found ? Stated<T>(values[*found]) : Stated<T>::faulty();
  }

  Stated<RawChoice> named(const JsonValue& value, const std::string& where, const std::vector<ChoiceSpec>& specs,
                          std::string_view what) {
    return read_named_choice(value, where, specs, what, keys_, faults_);
  }

  void read_digits(const JsonValue& value, const std::string& where) {
    const auto digits = read_integer(value, where, 0, 17, faults_);
    statement_.digits = digits ? Stated<int>(static_cast<int>(*digits)) : Stated<int>::faulty();
  }

  void read_arithmetic(const JsonValue& value, const std::string& where) {
    if (auto object = value.object()) return read_members(*object, where, where);
    report_kind(value, where, R"({"dtype": …, "hand_rounding": …} is wanted)", faults_);
  }

  void read_hand_rounding(const JsonValue& value, const std::string& where) {
    if (value.kind() == JsonValue::Kind::null) return;
    const std::string help =
        R"("2" rounds to 2 decimals; "2:half-up", "2:half-even", "2:truncate", "2:keep-sum" say how)";
    if (!value.text()) return report_kind(value, where, "a text is wanted", faults_, help);
    const auto rounding = parse_hand_rounding(*value.text());
    if (rounding) {
      statement_.hand_rounding = *rounding;
    } else {
      faults_.add("unknown-choice", where,
                  shown(where) + " is \"" + shown(*value.text()) + "\", which is no way to round by hand", help);
    }
  }

  const Catalog& catalog_;
  const KnownKeys keys_;
  Faults& faults_;
  Statement statement_;
};

const std::vector<StatementReader::Member>& StatementReader::members() {
  using Self = StatementReader;
  using Value = const JsonValue;
  using Where = const std::string;
  static const std::vector<Member> all = {
      {"/title", &Self::read_title},
      {"/notes", &Self::read_notes},
      {"/inputs", &Self::read_inputs},
      {"/tokens", &Self::read_tokens_member},
      {"/embeddings",
       [](Self& r, Value& v, Where& w) { r.statement_.embeddings = read_embeddings(v, w, r.keys_, r.faults_); }},
      {"/max_tokens", [](Self& r, Value& v, Where& w) { r.statement_.max_tokens = r.size(v, w); }},
      {"/vectors",
       [](Self& r, Value& v, Where& w) {
         r.statement_.vectors =
             r.one_of<Vectors, 2>(v, w, {"rows", "columns"}, {Vectors::rows, Vectors::columns}, "layout of vectors");
       }},
      {"/weights", [](Self& r, Value& v, Where& w) { r.read_part(v, w, r.statement_.weights); }},
      {"/weights/query",
       [](Self& r, Value& v, Where& w) { r.statement_.weights.query = read_weight(v, w, true, r.keys_, r.faults_); }},
      {"/weights/key",
       [](Self& r, Value& v, Where& w) { r.statement_.weights.key = read_weight(v, w, true, r.keys_, r.faults_); }},
      {"/weights/value",
       [](Self& r, Value& v, Where& w) { r.statement_.weights.value = read_weight(v, w, true, r.keys_, r.faults_); }},
      {"/weights/output",
       [](Self& r, Value& v, Where& w) { r.statement_.weights.output = read_weight(v, w, false, r.keys_, r.faults_); }},
      {"/biases", [](Self& r, Value& v, Where& w) { r.read_part(v, w, r.statement_.biases); }},
      {"/biases/query", [](Self& r, Value& v, Where& w) { r.statement_.biases.query = r.tensor(v, w); }},
      {"/biases/key", [](Self& r, Value& v, Where& w) { r.statement_.biases.key = r.tensor(v, w); }},
      {"/biases/value", [](Self& r, Value& v, Where& w) { r.statement_.biases.value = r.tensor(v, w); }},
      {"/biases/output", [](Self& r, Value& v, Where& w) { r.statement_.biases.output = r.tensor(v, w); }},
      {"/weight_layout",
       [](Self& r, Value& v, Where& w) {
         r.statement_.weight_layout = r.one_of<WeightLayout, 2>(
             v, w, {"in_out", "out_in"}, {WeightLayout::in_out, WeightLayout::out_in}, "layout of weights");
       }},
      {"/queries", [](Self& r, Value& v, Where& w) { r.statement_.queries = r.tensor(v, w); }},
      {"/keys", [](Self& r, Value& v, Where& w) { r.statement_.keys = r.tensor(v, w); }},
      {"/values", [](Self& r, Value& v, Where& w) { r.statement_.values = r.tensor(v, w); }},
      {"/past",
       [](Self& r, Value& v, Where& w) { r.statement_.past = read_keys_and_values(v, w, r.keys_, r.faults_); }},
      {"/appended",
       [](Self& r, Value& v, Where& w) { r.statement_.appended = read_keys_and_values(v, w, r.keys_, r.faults_); }},
      {"/heads", [](Self& r, Value& v, Where& w) { r.statement_.heads = r.size(v, w); }},
      {"/kv_heads", [](Self& r, Value& v, Where& w) { r.statement_.kv_heads = r.size(v, w); }},
      {"/split",
       [](Self& r, Value& v, Where& w) {
         r.statement_.split_input = r.one_of<bool, 2>(v, w, {"projection", "input"}, {false, true}, "split");
       }},
      {"/score", [](Self& r, Value& v, Where& w) { r.statement_.score = r.named(v, w, r.catalog_.scores, "score"); }},
      {"/softmax",
       [](Self& r, Value& v, Where& w) { r.statement_.softmax = r.named(v, w, r.catalog_.softmaxes, "softmax"); }},
      {"/positions",
       [](Self& r, Value& v, Where& w) {
         r.statement_.positions = r.named(v, w, r.catalog_.positions, "position encoding");
       }},
      {"/arithmetic", &Self::read_arithmetic},
      {"/arithmetic/dtype",
       [](Self& r, Value& v, Where& w) {
         r.statement_.dtype = r.one_of<Dtype, 4>(v, w, {"f64", "f32", "bf16", "f16"}, dtypes, "dtype");
       }},
      {"/arithmetic/hand_rounding", &Self::read_hand_rounding},
      {"/digits", &Self::read_digits},
  };
  return all;
}

}  // namespace

Statement read_statement(const JsonValue& root, const Catalog& catalog, Faults& faults) {
  return StatementReader(catalog, faults).read(root);
}

}  // namespace attn
