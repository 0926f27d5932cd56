#include "reading/problem/keys.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/rounding.h"
#include "base/text.h"
#include "problem/choice.h"
#include "reading/json/schema_pieces.h"
#include "reading/json/values.h"
#include "reading/problem/block.h"
#include "reading/problem/known_keys.h"
#include "tensor/dtype.h"

namespace attn {
namespace {

using Value = const JsonValue&;
using Where = const std::string&;
using Read = const ProblemReading&;

Json tensor_schema() { return reference("tensor"); }

std::optional<RawTensor> a_tensor(Read in, Value value, Where where) {
  return read_tensor(value, where, in.keys, in.faults);
}

// Text for people, which nothing else depends on.
KeyKind any_text(std::string Statement::*place) {
  return {[] { return Json::object(); },
          [place](Read in, Value value, Where) {
            if (auto text = value.text()) in.statement.*place = std::move(*text);
          }};
}

// The same, or a list of lines; what is neither is nobody's business.
KeyKind any_lines(std::vector<std::string> Statement::*place) {
  return {[] { return Json::object(); },
          [place](Read in, Value value, Where) {
            for (const JsonValue& line : value.elements().value_or(std::vector{value})) {
              if (auto text = line.text()) (in.statement.*place).push_back(std::move(*text));
            }
          }};
}

KeyKind tensor(Stated<RawTensor> Statement::*place) {
  return {tensor_schema,
          [place](Read in, Value value, Where where) { in.statement.*place = a_tensor(in, value, where); }};
}

template <class T>
KeyKind integer(Stated<T> Statement::*place, int least, std::optional<int> most = std::nullopt) {
  return {[=] {
            Json schema = whole_number(least);
            if (most) schema["maximum"] = *most;
            return schema;
          },
          [=](Read in, Value value, Where where) {
            const auto found = read_integer(value, where, least, most ? *most : std::int64_t{1} << 53, in.faults);
            in.statement.*place = found ? std::optional(static_cast<T>(*found)) : std::nullopt;
          }};
}

// One of these values, by its name. `what` is the word for one of them.
template <class T, std::size_t count>
KeyKind one_of(Stated<T> Statement::*place, const std::array<std::string_view, count>& names,
               const std::array<T, count>& values, const char* what) {
  const std::vector<std::string> all(names.begin(), names.end());
  return {[all] { return one_of_words(all); },
          [=](Read in, Value value, Where where) {
            const auto found = read_choice(value, where, all, what, in.faults);
            in.statement.*place = found ? std::optional(values[*found]) : std::nullopt;
          }};
}

Json parameter_schema(const Parameter& parameter) {
  Json schema = reference("number");
  if (parameter.kind == Parameter::Kind::whole) schema = whole_number(0);
  if (parameter.kind == Parameter::Kind::boolean) schema = {{"type", "boolean"}};
  if (!parameter.axes.empty()) schema = tensor_schema();
  if (parameter.may_be_one_number) schema = any_of({reference("number"), tensor_schema()});
  return described(std::move(schema), parameter.summary);
}

// By its name, or, where it takes parameters, as an object with them.
Json choice_schema(const std::vector<ChoiceSpec>& specs) {
  std::vector<Json> ways;
  for (const ChoiceSpec& spec : specs) {
    Json members = {{"type", {{"const", spec.name}}}};
    std::vector<std::string> required = {"type"};
    for (const Parameter& parameter : spec.parameters) {
      members[parameter.name] = parameter_schema(parameter);
      if (!parameter.fallback && !parameter.may_be_left_out) required.push_back(parameter.name);
    }
    if (required.size() == 1) ways.push_back(described({{"const", spec.name}}, spec.summary));
    if (spec.by_parameter) {
      Json short_members = members;
      short_members.erase("type");
      ways.push_back(described(problem_object(std::move(short_members), {spec.name}), spec.summary));
    }
    ways.push_back(described(problem_object(std::move(members), required), spec.summary));
  }
  return {{"anyOf", Json(ways)}};
}

KeyKind choice(Stated<RawChoice> Statement::*place, const std::vector<ChoiceSpec>& specs, const char* what) {
  return {[&specs] { return choice_schema(specs); },
          [=, &specs](Read in, Value value, Where where) {
            in.statement.*place = read_named_choice(value, where, specs, what, in.keys, in.faults);
          }};
}

// An object with members of one kind.
Json object_with(std::string_view parts, const Json& schema, std::string_view required = "") {
  Json members;
  for (const std::string& part : split(parts, ' ')) members[part] = schema;
  return problem_object(std::move(members), split(required, ' '));
}

// The members of an object that stand for these parts.
template <class T>
Roles<T> by_role(Read in, JsonObject object, Where where, std::string_view parts,
                 std::optional<T> (*read)(Read, Value, Where)) {
  Roles<T> roles;
  for (const auto& [role, member] : in.keys.check(object, where, split(parts, ' '), in.faults))
    roles.of(role) = read(in, member->value, pointer(where, member->key()));
  return roles;
}

KeyKind inputs() {
  static constexpr std::string_view parts = "query key value";
  return {[] {
            return any_of({tensor_schema(), object_with(parts, tensor_schema(), "query key")});
          },
          [](Read in, Value value, Where where) {
            auto object = value.object();
            const std::vector<std::string> roles = split(parts, ' ');
            const bool names_a_role = object && std::ranges::any_of(roles, [&](const std::string& role) {
                                        return object->find(role).has_value();
                                      });
            if (!object || (describes_tensor(*object) && !names_a_role)) {
              in.statement.inputs = a_tensor(in, value, where);
            } else {
              in.statement.inputs_by_role = by_role<RawTensor>(in, std::move(*object), where, parts, a_tensor);
            }
          },
          std::string(parts)};
}

std::optional<RawTokens> some_tokens(Read in, Value value, Where where) { return read_tokens(value, where, in.faults); }

KeyKind tokens() {
  static constexpr std::string_view parts = "query key";
  return {[] {
            return any_of({reference("labels"), object_with(parts, reference("labels"))});
          },
          [](Read in, Value value, Where where) {
            if (auto object = value.object()) {
              in.statement.tokens_by_role = by_role<RawTokens>(in, std::move(*object), where, parts, some_tokens);
            } else {
              in.statement.tokens = some_tokens(in, value, where);
            }
          },
          std::string(parts)};
}

KeyKind embeddings() {
  return {[] {
            return Json{{"type", "object"}, {"additionalProperties", tensor_schema()}};
          },
          [](Read in, Value value, Where where) {
            in.statement.embeddings = read_embeddings(value, where, in.keys, in.faults);
          }};
}

template <class T>
KeyKind roles(Roles<T> Statement::*place) {
  return {nullptr, [place](Read in, Value value, Where where) {
            report_kind(value, where, "an object with query, key, value or output is wanted", in.faults,
                        R"({"query": …, "key": …, "value": …})");
            for (Stated<T>* role : (in.statement.*place).all()) *role = std::nullopt;
            (in.statement.*place).is_object = false;
          }};
}

KeyKind weight(const char* role) {
  return {[] { return reference("weight"); },
          [role, may_be_identity = std::string_view(role) != "output"](Read in, Value value, Where where) {
            in.statement.weights.of(role) = read_weight(value, where, may_be_identity, in.keys, in.faults);
          }};
}

KeyKind bias(const char* role) {
  return {tensor_schema,
          [role](Read in, Value value, Where where) { in.statement.biases.of(role) = a_tensor(in, value, where); }};
}

KeyKind keys_and_values(Stated<RawKeysAndValues> Statement::*place) {
  static constexpr std::string_view parts = "keys values";
  return {[] { return object_with(parts, tensor_schema(), parts); },
          [place](Read in, Value value, Where where) {
            in.statement.*place = read_keys_and_values(value, where, in.keys, in.faults);
          },
          std::string(parts)};
}

KeyKind hand_rounding() {
  return {[] {
            return any_of({{{"type", "null"}},
                           {{"type", "string"}, {"pattern", "^[0-9]+(:(half-up|half-even|truncate|keep-sum))?$"}}});
          },
          [](Read in, Value value, Where where) {
            if (value.kind() == JsonValue::Kind::null) return;
            const std::string help =
                R"("2" rounds to 2 decimals; "2:half-up", "2:half-even", "2:truncate", "2:keep-sum" say how; )" +
                std::to_string(most_rounded_decimals) + " decimals are the most";
            const auto rounding = value.text() ? parse_hand_rounding(*value.text()) : std::nullopt;
            if (!value.text()) {
              report_kind(value, where, "a text is wanted", in.faults, help);
            } else if (rounding) {
              in.statement.hand_rounding = *rounding;
            } else {
              in.faults.add_of("unknown-choice", where,
                               "is \"" + shown(*value.text()) + "\", which is no way to round by hand", help);
            }
          }};
}

KeyKind dtype() {
  return {[] {
            std::vector<std::string> all(dtype_names.begin(), dtype_names.end());
            for (const DtypeAlias& alias : dtype_aliases) all.emplace_back(alias.name);
            return one_of_words(all);
          },
          [](Read in, Value value, Where where) {
            const std::vector<std::string> names(dtype_names.begin(), dtype_names.end());
            in.statement.dtype = value.text() ? dtype_called(*value.text()) : std::nullopt;
            if (!in.statement.dtype) read_choice(value, where, names, "dtype", in.faults);
          }};
}

KeyKind block(const Catalog& catalog) {
  return {[&catalog] { return block_schema(catalog); },
          [&catalog](Read in, Value value, Where where) {
            in.statement.block = read_block(value, where, catalog, in.keys, in.faults);
          }};
}

KeyKind arithmetic() {
  return {nullptr, [](Read in, Value value, Where where) {
            report_kind(value, where, R"({"dtype": …, "hand_rounding": …} is wanted)", in.faults,
                        R"(write {"dtype": "f64"})");
          }};
}

}  // namespace

std::vector<ProblemKey> problem_keys(const Catalog& catalog) {
  using S = Statement;
  constexpr std::array<std::string_view, 2> vectors = {"rows", "columns"}, layouts = {"in_out", "out_in"},
                                            splits = {"projection", "input"};
  return {
      {"/title", "name", "shown above everything else, if it is a text", any_text(&S::title)},
      {"/notes", "comment description", "for people: a text, or a list of lines", any_lines(&S::remarks)},
      {"/inputs", "x input hiddenstates inputembeddings embeddingsmatrix embeddingmatrix data",
       "[N][d_model]; a batch [B][N][d_model]; or an object for cross-attention", inputs()},
      {"/tokens", "words labels", "a label a row; with embeddings they are the inputs", tokens()},
      {"/embeddings", "", "token to vector", embeddings()},
      {"/max_tokens", "maxlen maxlength", "longer sequences are cut before all else", integer(&S::max_tokens, 1)},
      {"/vectors", "", "whether a token is a row (y = x·W) or a column (y = W·x)",
       one_of(&S::vectors, vectors, std::array{Vectors::rows, Vectors::columns}, "layout of vectors")},
      {"/weights", "inproj inprojweight qkvproj qkvprojweight cattn cattnweight wqkv", "", roles(&S::weights)},
      {"/weights/query", "wq wquery qw qweight qweights qproj qprojweight queryweight queryweights", "",
       weight("query")},
      {"/weights/key", "wk wkey kw kweight kweights kproj kprojweight keyweight keyweights", "", weight("key")},
      {"/weights/value", "wv wvalue vw vweight vweights vproj vprojweight valueweight valueweights", "",
       weight("value")},
      {"/weights/output", "wo wout woutput oproj outproj outprojweight outputweight outputweights output", "",
       weight("output")},
      {"/biases", "bias", "", roles(&S::biases)},
      {"/biases/query", "bq qbias querybias", "", bias("query")},
      {"/biases/key", "bk kbias keybias", "", bias("key")},
      {"/biases/value", "bv vbias valuebias", "", bias("value")},
      {"/biases/output", "bo outbias outputbias outprojbias", "", bias("output")},
      {"/weight_layout", "layout", "y = x·W, or y = x·Wᵀ as nn.Linear stores it",
       one_of(&S::weight_layout, layouts, std::array{WeightLayout::in_out, WeightLayout::out_in}, "layout of weights")},
      {"/queries", "q query", "given directly instead of inputs and weights", tensor(&S::queries)},
      {"/keys", "k key", "given directly instead of inputs and weights", tensor(&S::keys)},
      {"/values", "v value", "given directly instead of inputs and weights", tensor(&S::values)},
      {"/heads", "h nhead nheads numheads numattentionheads numberofheads", "query heads", integer(&S::heads, 1)},
      {"/kv_heads", "numkeyvalueheads numkvheads kvnumheads nkvheads kvheads querygroups",
       "key and value heads, where several query heads share one", integer(&S::kv_heads, 1)},
      {"/past", "kvcache cache pastkeyvalues pastkv", "a cache, as it is stored: projected and rotated already",
       keys_and_values(&S::past)},
      {"/appended", "biaskv zeroattn addzeroattn", "put after all others, always open", keys_and_values(&S::appended)},
      {"/split", "", "whether projections or inputs are split into heads",
       one_of(&S::split_input, splits, std::array{false, true}, "split")},
      {"/score", "scorefunction scoring attentiontype", "", choice(&S::score, catalog.scores, "score")},
      {"/softmax", "", "how a row of scores becomes attention weights",
       choice(&S::softmax, catalog.softmaxes, "softmax")},
      {"/positions", "positionalencoding positionencoding position positionids", "how positions enter",
       choice(&S::positions, catalog.positions, "position encoding")},
      {"/arithmetic", "", "", arithmetic()},
      {"/arithmetic/dtype", "dtype", "", dtype()},
      {"/arithmetic/hand_rounding", "rounding handrounding", "", hand_rounding()},
      {"/digits", "precision decimals", "decimals that answers are expected to have", integer(&S::digits, 0, 17)},
      {"/block", "layers transformer", "the transformer block around the attention", block(catalog)},
  };
}

}  // namespace attn
