#include "reading/problem/problem.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/validate.h"
#include "reading/json/values.h"
#include "reading/problem/known_keys.h"
#include "reading/problem/tensor_files.h"

namespace attn {
namespace {

// Reads what a problem file says, member by member. A key that is not known is a
// fault; where it is plain which one is meant, its value is read as that one's,
// so that its own faults are found too.
class StatementReader {
 public:
  StatementReader(const Catalog& catalog, Faults& faults) : catalog_(catalog), known_(catalog), faults_(faults) {}

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
  // Reads what belongs at `as`; false where nothing does.
  bool read_known(std::string_view as, const JsonValue& value, const std::string& where) {
    if (const OptionSpec* option = find(catalog_.options, as.substr(1))) {
      statement_.options[option->name] = read_option(value, where, *option, known_, faults_);
      return true;
    }
    const ProblemKey* key = known_.find(as);
    if (!key || !key->kind.read) return false;
    if (auto object = known_.has_keys_below(as) ? value.object() : std::nullopt) {
      read_members(*object, where, as);
    } else {
      key->kind.read({known_, statement_, faults_}, value, where);
    }
    return true;
  }

  // Reads what stands at `where`, which is "" for the problem itself, as what belongs at `as`.
  void read_members(JsonObject& object, const std::string& where, std::string_view as) {
    for (JsonMember& member : object.members) {
      if (is_free_key(member.key) || (where.empty() && member.key == "$schema")) continue;
      const std::string place = pointer(where, member.key);
      if (read_known(pointer(as, member.key), member.value, place)) continue;
      if (known_.find(place)) {
        faults_.add_at_key("not-supported", place, shown(place) + " is not supported yet");
      } else {
        read_unknown(object, member, where, as);
      }
    }
  }

  // The fault of it is told once: what stands there is read as what was meant.
  void read_unknown(const JsonObject& object, const JsonMember& member, const std::string& where, std::string_view as) {
    const std::string place = pointer(where, member.key);
    const auto meant = known_.meant_pointer(as, member.key);
    report_unknown_key(place, meant, known_keys(as), faults_);
    if (!meant) return;
    const bool given = meant->rfind('/') == as.size() && object.find(meant->substr(as.size() + 1));
    // What stands under a wrong name does not take a weight's place.
    const bool is_weight = meant->starts_with("/weights/");
    if (given || (is_weight && statement_.weights.of(meant->substr(9)).is_given())) return;
    read_known(*meant, member.value, place);
  }

  std::string known_keys(std::string_view where) const {
    if (where.empty()) return "attn schema problem names every key; one of your own begins with x-";
    return "known here: " + listed(known_.below(where));
  }

  const Catalog& catalog_;
  const KnownKeys known_;
  Faults& faults_;
  Statement statement_;
};

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
