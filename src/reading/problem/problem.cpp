#include "reading/problem/problem.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "problem/validate.h"
#include "reading/json/values.h"
#include "reading/problem/block.h"
#include "reading/problem/known_keys.h"
#include "reading/problem/tensor_files.h"

namespace attn {
namespace {

// Reads what a problem file says, member by member. A key that is not known is a
// fault; where it is plain which one is meant, its value is read as that one's,
// so that its own faults are found too.
class StatementReader {
 public:
  // What is read stands at `base`, "" for the problem itself; `is_part` where that is
  // one attention of a block.
  StatementReader(const Catalog& catalog, const KnownKeys& known, Faults& faults, std::string base = "",
                  bool is_part = false)
      : catalog_(catalog), known_(known), faults_(faults), base_(std::move(base)), is_part_(is_part) {
    statement_.where = base_;
  }

  Statement read(const JsonValue& root) {
    if (auto object = root.object()) {
      read_members(*object, "", "");
    } else {
      faults_.add("wrong-kind", "", "a problem is an object, { … }; this is " + in_words(root),
                  "attn schema problem says what stands in it; data/worked-example.json is one");
      statement_.inputs = std::nullopt;
    }
    return std::move(statement_);
  }

  Statement read(JsonObject& object) {
    read_members(object, base_, "");
    return std::move(statement_);
  }

 private:
  // Reads what belongs at `as`; false where nothing does.
  bool read_known(std::string_view as, const JsonValue& value, const std::string& where) {
    if (const OptionSpec* option = find(catalog_.options, as.substr(1))) {
      statement_.options[option->name] = read_option(value, where, *option, known_, faults_);
      return true;
    }
    const ProblemKey* key = known_.find(as);
    if (!key) return false;
    if (auto object = known_.has_keys_below(as) ? value.object() : std::nullopt) {
      read_members(*object, where, as);
    } else {
      key->kind.read({known_, statement_, faults_}, value, where);
    }
    return true;
  }

  // Reads what stands at `where`, which is "" for the problem itself, as what belongs at `as`.
  void read_members(JsonObject& object, const std::string& where, std::string_view as) {
    std::optional<std::set<std::string>> given;  // of the keys known there, once somebody asks
    const auto is_given = [&](const std::string& name) {
      if (!given) given = known_of(object, as);
      return given->contains(name);
    };
    for (JsonMember& member : object.members) {
      const std::string key = member.key();
      if (is_free_key(key) || (as.empty() && !is_part_ && key == "$schema")) continue;
      const std::string place = pointer(where, key);
      if (as.empty() && stands_elsewhere(key, place)) continue;
      if (read_known(as == where ? place : pointer(as, key), member.value, place)) continue;
      read_unknown(key, member.value, place, as, is_given);
    }
  }

  bool is_known(std::string_view pointer) const {
    return find(catalog_.options, pointer.substr(1)) || known_.find(pointer);
  }

  // The keys of what stands at `as` that are known there.
  std::set<std::string> known_of(const JsonObject& object, std::string_view as) const {
    std::set<std::string> keys;
    for (const JsonMember& member : object.members) {
      if (is_known(pointer(as, member.key()))) keys.insert(member.key());
    }
    return keys;
  }

  // The fault of it is told once: what stands there is read as what was meant.
  template <class IsGiven>
  void read_unknown(const std::string& key, const JsonValue& value, const std::string& place, std::string_view as,
                    IsGiven is_given) {
    if (faults_.are_enough()) return static_cast<void>(faults_.count_one_more());
    const auto meant = known_.meant_pointer(as, key);
    // What no attention of a block has stands at the top.
    const bool is_outside = meant && is_part_ && !is_of_attention(meant->substr(1, meant->find('/', 1) - 1), catalog_);
    std::optional<std::string> suggested;
    if (meant) suggested = is_outside ? place_above(*meant) : base_ + *meant;
    report_unknown_key(place, suggested, known_keys(as), faults_);
    if (!meant || is_outside) return;
    const bool given = meant->rfind('/') == as.size() && is_given(meant->substr(as.size() + 1));
    // What stands under a wrong name does not take a weight's place.
    const bool is_weight = meant->starts_with("/weights/");
    if (given || (is_weight && statement_.weights.of(meant->substr(9)).is_given())) return;
    statement_.elsewhere[*meant] = place;
    read_known(*meant, value, place);
  }

  // Where what belongs at `as` stands in the problem that this attention of a block is of.
  std::string place_above(const std::string& as) const {
    // What a memory takes from the problem that it stands in is said once.
    if (as.starts_with("/arithmetic") || as == "/vectors") return as;
    const std::string block = base_.substr(0, base_.rfind("/layers/"));
    const bool is_of_memory = base_.ends_with("/cross") && (as == "/mask" || as == "/lengths");
    return is_of_memory ? block + "/memory_" + as.substr(1) : block.substr(0, block.rfind('/')) + as;
  }

  // Reports a key that is none of an attention, but of the problem that it stands in.
  bool stands_elsewhere(const std::string& key, const std::string& place) {
    if (!is_part_ || is_of_attention(key, catalog_)) return false;
    if (!is_known("/" + key)) return false;
    const bool is_cross = base_.ends_with("/cross");
    const std::string above = shown(place_above("/" + key));
    faults_.add_at_key("unknown-key", place, shown(place) + " is not a key that one attention of a block has",
                       is_cross && key == "mask"      ? "what it may see of the memory stands in " + above
                       : is_cross && key == "lengths" ? "how much of the memory counts stands in " + above
                                                      : "it stands at the top, as " + above + ", for all layers");
    return true;
  }

  std::string known_keys(std::string_view where) const {
    if (where.empty() && is_part_) {
      return "known here: weights, biases, heads, kv_heads, split, score, scale, softcap, window, softmax, positions";
    }
    if (where.empty()) return "attn schema problem names every key; one of your own begins with x-";
    return "known here: " + listed(known_.below(where));
  }

  const Catalog& catalog_;
  const KnownKeys& known_;
  Faults& faults_;
  std::string base_;
  bool is_part_;
  Statement statement_;
};

// Says so where a file is another of ours, or a person's answers.
std::optional<Diagnostic> mistaken_for_problem(const JsonValue& root) {
  if (root.kind() != JsonValue::Kind::object) return std::nullopt;
  const auto [stated, steps, inputs, tokens, queries, keys] =
      members_called(root, {"schema", "steps", "inputs", "tokens", "queries", "keys"});
  const auto taken_for = [](std::string where, std::string message, Help help) {
    return Diagnostic{
        .code = "not-a-problem", .where = std::move(where), .message = std::move(message), .help = std::move(help)};
  };
  constexpr const char* problem_first = "the problem comes first: attn check PROBLEM ANSWERS";
  const std::string schema = stated ? stated->text().value_or("") : "";
  if (schema.starts_with("attn/answers/")) return taken_for("/schema", "these are answers to a problem", problem_first);
  if (schema.starts_with("attn/trace/")) {
    return taken_for(
        "/schema", "this is a trace, which is computed already, and no problem",
        "give the problem that it is of, as x.json of the golden x.golden.json; attn diff compares traces");
  }
  if (schema.starts_with("attn/") && !schema.starts_with("attn/problem/")) {
    return taken_for("/schema", "this is what attn has written, " + shown(schema) + ", and no problem",
                     "give the problem that it is of");
  }
  const bool is_problem = inputs || tokens || queries || keys;
  if (!steps || steps->kind() != JsonValue::Kind::object || is_problem) return std::nullopt;
  return taken_for("/steps", "/steps is a key of answers, and this is read as a problem", problem_first);
}

}  // namespace

std::string owner_of_problem(const JsonValue& root) {
  if (root.kind() != JsonValue::Kind::object) return "";
  const auto [owner] = members_called(root, {"x-for"});
  return owner ? owner->text().value_or("") : "";
}

std::optional<Statement> read_nested_statement(const JsonValue& value, const std::string& where, bool whole,
                                               const Catalog& catalog, const KnownKeys& keys, Faults& faults) {
  auto object = value.object();
  if (!object) {
    return report_kind(value, where, "an object with weights is wanted", faults,
                       R"({"weights": {"query": …, "key": …, "value": …}})");
  }
  return StatementReader(catalog, keys, faults, where, !whole).read(*object);
}

Result<Problem> read_problem(std::string_view text, const Catalog& catalog, std::size_t max_bytes,
                             const std::optional<std::string>& folder) {
  return read_problem(text, catalog, max_bytes, folder ? tensors_in(*folder) : nullptr);
}

Result<Problem> read_problem(std::string_view text, const Catalog& catalog, std::size_t max_bytes, TensorLoader load,
                             const LateReading& late) {
  Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return parsed.faults();

  if (auto fault = mistaken_for_problem(parsed.value().root)) return *std::move(fault);

  Faults faults;
  const KnownKeys known(catalog);
  Statement statement = StatementReader(catalog, known, faults).read(parsed.value().root);
  Diagnostics all = std::move(parsed.value().faults);
  std::ranges::move(faults.take(), std::back_inserter(all));

  Result<Problem> problem = validated(std::move(statement), catalog, max_bytes, std::move(load), late);
  if (!problem) std::ranges::copy(problem.faults(), std::back_inserter(all));
  if (!all.empty()) return all;
  return problem;
}

}  // namespace attn
