#include "reading/problem/statement.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "reading/json/values.h"
#include "reading/problem/known_keys.h"

namespace attn {
namespace {

class StatementReader {
 public:
  StatementReader(const Catalog& catalog, Faults& faults) : catalog_(catalog), faults_(faults) {}

  Statement read(JsonValue& root) {
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
  using Read = void (StatementReader::*)(JsonValue&, const std::string&);
  struct Member {
    std::string_view pointer;
    Read reader;
  };
  static const std::vector<Member>& members();

  static Read reader_of(std::string_view pointer) {
    const auto found = std::ranges::find(members(), pointer, &Member::pointer);
    return found == members().end() ? nullptr : found->reader;
  }

  // Reads what stands at `where`, which is "" for the problem itself, as what belongs at `as`.
  void read_members(JsonObject& object, const std::string& where, const std::string& as) {
    for (JsonMember& member : object.members) {
      if (is_free_key(member.key) || (where.empty() && member.key == "$schema")) continue;
      const std::string place = pointer(where, member.key);
      if (const Read reader = reader_of(pointer(as, member.key))) {
        (this->*reader)(member.value, place);
      } else if (const auto help = where.empty() ? not_supported_help(member.key) : std::nullopt) {
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
    const auto meant = meant_pointer(as, member.key);
    report_unknown_key(place, meant, known_keys(as), faults_);
    if (!meant) return;
    const Read reader = reader_of(*meant);
    const bool given = meant->rfind('/') == as.size() && object.find(meant->substr(as.size() + 1));
    if (!reader || given || is_read(*meant)) return;
    if (auto parts = member.value.object(); parts && has_parts(*meant)) {
      read_members(*parts, place, *meant);
    } else {
      (this->*reader)(member.value, place);
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

  void read_title(JsonValue& value, const std::string&) {
    if (value.text()) statement_.title = *value.text();
  }

  void read_notes(JsonValue& value, const std::string&) {
    if (value.text()) statement_.notes = *value.text();
    for (const JsonValue& line : value.elements().value_or(std::vector<JsonValue>())) {
      if (line.text()) statement_.notes += (statement_.notes.empty() ? "" : "\n") + *line.text();
    }
  }

  // --- inputs --------------------------------------------------------------

  void read_inputs(JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object || object->find("random") || object->find("file")) {
      statement_.inputs = read_tensor(value, where, faults_);
      return;
    }
    statement_.inputs_by_role = Roles<RawTensor>();
    read_roles(*object, where, {"query", "key", "value"},
               [&](const std::string& role, JsonValue& tensor, const std::string& place) {
                 role_of(*statement_.inputs_by_role, role) = read_tensor(tensor, place, faults_);
               });
  }

  void read_tokens_member(JsonValue& value, const std::string& where) {
    auto object = value.object();
    if (!object) {
      statement_.tokens = read_tokens(value, where, faults_);
      return;
    }
    statement_.tokens_by_role = Roles<RawTokens>();
    read_roles(*object, where, {"query", "key"},
               [&](const std::string& role, JsonValue& tokens, const std::string& place) {
                 role_of(*statement_.tokens_by_role, role) = read_tokens(tokens, place, faults_);
               });
  }

  template <class T>
  static Stated<T>& role_of(Roles<T>& roles, const std::string& role) {
    if (role == "query") return roles.query;
    if (role == "key") return roles.key;
    return role == "value" ? roles.value : roles.output;
  }

  template <class ReadRole>
  void read_roles(JsonObject& object, const std::string& where, std::initializer_list<std::string_view> roles,
                  ReadRole read) {
    for (JsonMember& member : object.members) {
      if (is_free_key(member.key)) continue;
      const std::string place = pointer(where, member.key);
      if (std::ranges::count(roles, std::string_view(member.key)) > 0) {
        read(member.key, member.value, place);
        continue;
      }
      const auto meant = meant_pointer(where, member.key);
      std::string all;
      for (const std::string_view role : roles) all += (all.empty() ? "" : ", ") + std::string(role);
      report_unknown_key(place, meant, "known here: " + all, faults_);
      if (!meant || !meant->starts_with(where + "/")) continue;
      const std::string role = meant->substr(where.size() + 1);
      if (std::ranges::count(roles, std::string_view(role)) > 0 && !object.find(role)) read(role, member.value, place);
    }
  }

  void read_embeddings(JsonValue& value, const std::string& where) {
    auto object = value.object();
    statement_.embeddings = Stated<std::vector<RawEmbedding>>::faulty();
    if (!object) {
      report_kind(value, where, "embeddings are an object with a vector for each token", faults_,
                  R"({"the": [1, 0], "cat": [0, 1]}; a matrix of embeddings is called inputs)");
      return;
    }
    std::vector<RawEmbedding> embeddings;
    for (JsonMember& member : object->members) {
      const Stated<RawTensor> vector = read_tensor(member.value, pointer(where, member.key), faults_);
      if (!vector) return;
      embeddings.push_back({std::move(member.key), *vector});
    }
    statement_.embeddings = std::move(embeddings);
  }

  void read_queries(JsonValue& value, const std::string& where) {
    statement_.queries = read_tensor(value, where, faults_);
  }
  void read_keys(JsonValue& value, const std::string& where) { statement_.keys = read_tensor(value, where, faults_); }
  void read_values(JsonValue& value, const std::string& where) {
    statement_.values = read_tensor(value, where, faults_);
  }

  Stated<std::size_t> size(const JsonValue& value, const std::string& where) {
    const auto integer = read_integer(value, where, 1, std::int64_t{1} << 53, faults_);
    return integer ? Stated<std::size_t>(static_cast<std::size_t>(*integer)) : Stated<std::size_t>::faulty();
  }

  void read_max_tokens(JsonValue& value, const std::string& where) { statement_.max_tokens = size(value, where); }
  void read_heads(JsonValue& value, const std::string& where) { statement_.heads = size(value, where); }
  void read_kv_heads(JsonValue& value, const std::string& where) { statement_.kv_heads = size(value, where); }

  // --- weights -------------------------------------------------------------

  void read_weights(JsonValue& value, const std::string& where) { read_part(value, where, statement_.weights); }
  void read_biases(JsonValue& value, const std::string& where) { read_part(value, where, statement_.biases); }

  template <class T>
  void read_part(JsonValue& value, const std::string& where, Roles<T>& roles) {
    if (auto object = value.object()) return read_members(*object, where, where);
    report_kind(value, where, "an object with query, key, value or output is wanted", faults_);
    mark_faulty(roles);
  }

  template <class T>
  static void mark_faulty(Roles<T>& roles) {
    for (Stated<T>* role : {&roles.query, &roles.key, &roles.value, &roles.output}) *role = Stated<T>::faulty();
  }

  Stated<RawWeight> weight(JsonValue& value, const std::string& where, bool may_be_identity) {
    if (value.text()) {
      if (*value.text() == "identity" && may_be_identity) return RawWeight{where, std::nullopt};
      faults_.add("wrong-kind", where, shown(where) + " is \"" + shown(*value.text()) + "\"; a matrix is wanted",
                  may_be_identity ? "\"identity\" stands for a projection that is not made"
                                  : "leave output out where nothing is projected");
      return Stated<RawWeight>::faulty();
    }
    Stated<RawTensor> tensor = read_tensor(value, where, faults_);
    return tensor ? Stated<RawWeight>(RawWeight{where, std::move(*tensor)}) : Stated<RawWeight>::faulty();
  }

  void read_query_weight(JsonValue& v, const std::string& where) { statement_.weights.query = weight(v, where, true); }
  void read_key_weight(JsonValue& v, const std::string& where) { statement_.weights.key = weight(v, where, true); }
  void read_value_weight(JsonValue& v, const std::string& where) { statement_.weights.value = weight(v, where, true); }
  void read_output_weight(JsonValue& v, const std::string& where) {
    statement_.weights.output = weight(v, where, false);
  }
  void read_query_bias(JsonValue& v, const std::string& where) {
    statement_.biases.query = read_tensor(v, where, faults_);
  }
  void read_key_bias(JsonValue& v, const std::string& where) { statement_.biases.key = read_tensor(v, where, faults_); }
  void read_value_bias(JsonValue& v, const std::string& where) {
    statement_.biases.value = read_tensor(v, where, faults_);
  }
  void read_output_bias(JsonValue& v, const std::string& where) {
    statement_.biases.output = read_tensor(v, where, faults_);
  }

  // --- options -------------------------------------------------------------

  template <std::size_t N>
  Stated<std::size_t> choice(const JsonValue& value, const std::string& where, const std::array<std::string, N>& names,
                             std::string_view what) {
    return read_choice(value, where, names, what, faults_);
  }

  void read_vectors(JsonValue& value, const std::string& where) {
    const auto found = choice<2>(value, where, {"rows", "columns"}, "layout of vectors");
    statement_.vectors =
        found ? Stated<Vectors>(*found == 0 ? Vectors::rows : Vectors::columns) : Stated<Vectors>::faulty();
  }

  void read_weight_layout(JsonValue& value, const std::string& where) {
    const auto found = choice<2>(value, where, {"in_out", "out_in"}, "layout of weights");
    statement_.weight_layout = found ? Stated<WeightLayout>(*found == 0 ? WeightLayout::in_out : WeightLayout::out_in)
                                     : Stated<WeightLayout>::faulty();
  }

  void read_split(JsonValue& value, const std::string& where) {
    const auto found = choice<2>(value, where, {"projection", "input"}, "split");
    statement_.split_input = found ? Stated<bool>(*found == 1) : Stated<bool>::faulty();
  }

  void read_softmax(JsonValue& value, const std::string& where) {
    statement_.softmax = read_named_choice(value, where, catalog_.softmaxes, "softmax", faults_);
  }
  void read_positions(JsonValue& value, const std::string& where) {
    statement_.positions = read_named_choice(value, where, catalog_.positions, "position encoding", faults_);
  }

  void read_scale(JsonValue& value, const std::string& where) {
    statement_.scale = read_finite_number(value, where, faults_);
  }
  void read_softcap(JsonValue& value, const std::string& where) {
    statement_.softcap = read_finite_number(value, where, faults_);
    if (!statement_.softcap || *statement_.softcap > 0) return;
    faults_.add("out-of-range", where,
                shown(where) + " is " + shortest(*statement_.softcap) + "; more than 0 is wanted",
                "a score s becomes c·tanh(s / c), between −c and c");
    statement_.softcap = Stated<double>::faulty();
  }

  void read_window(JsonValue& value, const std::string& where) {
    statement_.window = Stated<Window>::faulty();
    const std::string help =
        "[left, right]: how many keys before and after its own position a query sees; -1 is no limit";
    if (value.number()) return report_kind(value, where, "two integers are wanted", faults_, help);
    const auto ends = read_integers(value, where, faults_);
    if (!ends) return;
    if (ends->values.size() != 2) {
      faults_.add("shape-mismatch", where,
                  shown(where) + " has " + counted(ends->values.size(), "number") + "; 2 are wanted", help);
      return;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (ends->values[i] >= -1) continue;
      const std::string place = pointer(where, std::to_string(i));
      faults_.add("out-of-range", place,
                  shown(place) + " is " + std::to_string(ends->values[i]) + "; -1 or more is wanted", help);
      return;
    }
    statement_.window = Window{ends->values[0], ends->values[1]};
  }

  Stated<RawKeysAndValues> keys_and_values(JsonValue& value, const std::string& where) {
    auto object = value.object();
    const std::string help = R"({"keys": …, "values": …})";
    if (!object) {
      report_kind(value, where, "an object with keys and values is wanted", faults_, help);
      return Stated<RawKeysAndValues>::faulty();
    }
    RawKeysAndValues pairs{.where = where, .keys = {}, .values = {}};
    for (const auto& [name, member] : check_keys(*object, where, {"keys", "values"}, faults_)) {
      (name == "keys" ? pairs.keys : pairs.values) = read_tensor(member->value, pointer(where, member->key), faults_);
    }
    bool complete = true;
    for (const auto& [name, tensor] : {std::pair("keys", &pairs.keys), {"values", &pairs.values}}) {
      if (!tensor->is_given())
        faults_.add("missing-member", where, shown(where) + " has no \"" + name + "\"",
                    help + ", as they are stored: projected and rotated already");
      complete = complete && *tensor;
    }
    return complete ? Stated<RawKeysAndValues>(std::move(pairs)) : Stated<RawKeysAndValues>::faulty();
  }

  void read_past(JsonValue& value, const std::string& where) { statement_.past = keys_and_values(value, where); }
  void read_appended(JsonValue& value, const std::string& where) {
    statement_.appended = keys_and_values(value, where);
  }

  void read_causal(JsonValue& value, const std::string& where) {
    statement_.causal = read_boolean(value, where, faults_);
  }
  void read_offset(JsonValue& value, const std::string& where) {
    statement_.offset = read_integers(value, where, faults_);
  }
  void read_lengths(JsonValue& value, const std::string& where) {
    statement_.lengths = read_integers(value, where, faults_);
  }

  void read_digits(JsonValue& value, const std::string& where) {
    const auto digits = read_integer(value, where, 0, 17, faults_);
    statement_.digits = digits ? Stated<int>(static_cast<int>(*digits)) : Stated<int>::faulty();
  }

  void read_arithmetic(JsonValue& value, const std::string& where) {
    if (auto object = value.object()) return read_members(*object, where, where);
    report_kind(value, where, R"({"dtype": …, "hand_rounding": …} is wanted)", faults_);
  }

  void read_dtype(JsonValue& value, const std::string& where) {
    const auto found = choice<4>(value, where, {"f64", "f32", "bf16", "f16"}, "dtype");
    if (found) statement_.dtype = dtypes[*found];
  }

  void read_hand_rounding(JsonValue& value, const std::string& where) {
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

  void read_mask(JsonValue& value, const std::string& where) { statement_.masks = read_masks(value, where, faults_); }
  void read_score_member(JsonValue& value, const std::string& where) {
    statement_.score = read_named_choice(value, where, catalog_.scores, "score", faults_);
  }

  const Catalog& catalog_;
  Faults& faults_;
  Statement statement_;
};

const std::vector<StatementReader::Member>& StatementReader::members() {
  using Self = StatementReader;
  static const std::vector<Member> all = {
      {"/title", &Self::read_title},
      {"/notes", &Self::read_notes},
      {"/inputs", &Self::read_inputs},
      {"/tokens", &Self::read_tokens_member},
      {"/embeddings", &Self::read_embeddings},
      {"/max_tokens", &Self::read_max_tokens},
      {"/vectors", &Self::read_vectors},
      {"/weights", &Self::read_weights},
      {"/weights/query", &Self::read_query_weight},
      {"/weights/key", &Self::read_key_weight},
      {"/weights/value", &Self::read_value_weight},
      {"/weights/output", &Self::read_output_weight},
      {"/biases", &Self::read_biases},
      {"/biases/query", &Self::read_query_bias},
      {"/biases/key", &Self::read_key_bias},
      {"/biases/value", &Self::read_value_bias},
      {"/biases/output", &Self::read_output_bias},
      {"/weight_layout", &Self::read_weight_layout},
      {"/queries", &Self::read_queries},
      {"/keys", &Self::read_keys},
      {"/values", &Self::read_values},
      {"/past", &Self::read_past},
      {"/appended", &Self::read_appended},
      {"/heads", &Self::read_heads},
      {"/kv_heads", &Self::read_kv_heads},
      {"/split", &Self::read_split},
      {"/score", &Self::read_score_member},
      {"/scale", &Self::read_scale},
      {"/softcap", &Self::read_softcap},
      {"/causal", &Self::read_causal},
      {"/window", &Self::read_window},
      {"/offset", &Self::read_offset},
      {"/mask", &Self::read_mask},
      {"/lengths", &Self::read_lengths},
      {"/softmax", &Self::read_softmax},
      {"/positions", &Self::read_positions},
      {"/arithmetic", &Self::read_arithmetic},
      {"/arithmetic/dtype", &Self::read_dtype},
      {"/arithmetic/hand_rounding", &Self::read_hand_rounding},
      {"/digits", &Self::read_digits},
  };
  return all;
}

}  // namespace

Statement read_statement(JsonValue& root, const Catalog& catalog, Faults& faults) {
  return StatementReader(catalog, faults).read(root);
}

}  // namespace attn
