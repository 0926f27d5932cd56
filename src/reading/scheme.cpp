#include "reading/scheme.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/suggest.h"
#include "mistakes/mistake.h"
#include "reading/json/json.h"
#include "reading/json/values.h"
#include "trace/step_name.h"

namespace attn {
namespace {

constexpr std::string_view schema_of_schemes = "attn/scheme/1";
constexpr double most_points = 1e6, least_rounding = 0.001;
constexpr std::size_t most_misnamed = 1000;  // beyond as many as there are: of more it is only said how many

const std::vector<std::string> pers = {"cell", "step"};                       // as Scheme::Per has them
const std::vector<std::string> too_coarse_names = {"right", "wrong", "ask"};  // as Scheme::TooCoarse has them

class SchemeReader {
 public:
  SchemeReader(const KnownSteps& known, std::span<const std::string> steps, Faults& faults)
      : known_(known), steps_(steps), faults_(faults) {}

  Scheme read(const JsonValue& root) {
    const auto object = root.object();
    if (!object) {
      report_kind(root, "", "an object is wanted", faults_, R"(write {"points": {"scores": 3, "context": 2}})");
      return {};
    }
    for (const JsonMember& member : object->members) read_member(member);
    return std::move(scheme_);
  }

 private:
  void read_member(const JsonMember& member) {
    const std::string key = member.key();
    const std::string where = pointer("", key);
    const JsonValue& value = member.value;
    if (key == "points") return read_points(value, where);
    if (key == "deduct") return read_deductions(value, where);
    if (key == "per") return take(read_choice(value, where, pers, "way to count", faults_), scheme_.per);
    if (key == "too_coarse")
      return take(read_choice(value, where, too_coarse_names, "way to treat them", faults_), scheme_.too_coarse);
    if (key == "follow_through") return take(read_boolean(value, where, faults_), scheme_.follow_through);
    if (key == "round_to") return read_rounding(value, where);
    if (key == "schema") return check_schema(value, where);
    if (key == "$schema" || key == "title" || key == "notes" || is_free_key(key)) return;
    if (faults_.are_enough()) return static_cast<void>(faults_.count_one_more());
    const std::vector<std::string> keys = {"points",   "per",    "follow_through", "deduct", "too_coarse",
                                           "round_to", "schema", "title",          "notes"};
    const auto near = closest(key, keys);
    faults_.add_at_key("unknown-key", where, shown(where) + " is not a key that a scheme has",
                       near ? "did you mean /" + *near + "?" : "it has " + listed(keys));
  }

  template <class From, class To>
  static void take(const std::optional<From>& read, To& into) {
    if (read) into = static_cast<To>(*read);
  }

  void check_schema(const JsonValue& value, const std::string& where) {
    if (value.text() == std::optional(std::string(schema_of_schemes))) return;
    faults_.add("not-scheme", where, "the schema is not \"" + std::string(schema_of_schemes) + "\"",
                "leave it out, or write it so; attn schema scheme says what a scheme looks like");
  }

  void read_rounding(const JsonValue& value, const std::string& where) {
    const auto number = read_finite_number(value, where, faults_);
    if (!number) return;
    if (*number >= least_rounding && *number <= most_points) {
      scheme_.round_to = *number;
    } else {
      faults_.add_of("out-of-range", where,
                     "is " + shortest(*number) + "; from " + shortest(least_rounding) + " to " + shortest(most_points) +
                         " is wanted",
                     "0.5 rounds to half points, 0.01 to hundredths");
    }
  }

  std::optional<double> points_of(const JsonValue& value, const std::string& where) {
    const auto number = read_finite_number(value, where, faults_);
    if (!number || (*number >= 0 && *number <= most_points)) return number;
    return faults_.add_of("out-of-range", where,
                          "is " + shortest(*number) + "; points from 0 to " + shortest(most_points) + " are wanted",
                          "what is taken off is written without a sign, too");
  }

  // The members of an object; none, and a fault, where it is another kind of value.
  std::deque<JsonMember> members_of(const JsonValue& value, const std::string& where, Help help) {
    if (auto object = value.object()) return std::move(object->members);
    report_kind(value, where, "an object is wanted", faults_, std::move(help));
    return {};
  }

  void read_points(const JsonValue& value, const std::string& where) {
    const std::deque<JsonMember> members = members_of(value, where, R"(give each step its points: {"scores": 3})");
    if (members.size() > steps_.size() + most_misnamed) {
      faults_.add_of("unknown-step", where,
                     "has " + std::to_string(members.size()) + " steps, and there are " + std::to_string(steps_.size()),
                     "its steps are " + listed({steps_.begin(), steps_.end()}));
      return;
    }
    std::set<std::string> given;
    for (const JsonMember& member : members) {
      const std::string place = pointer(where, member.key());
      const auto points = points_of(member.value, place);
      const auto step = step_named(member.key(), place);
      if (!step) continue;
      if (!given.insert(*step).second) {
        faults_.add_at_key("duplicate-step", place, shown(place) + " is " + *step + ", which has its points already",
                           "keep one of the two");
      } else {
        scheme_.points.push_back({*step, points.value_or(0)});
      }
    }
  }

  std::optional<std::string> step_named(const std::string& name, const std::string& place) {
    const KnownSteps::Ids ids = known_.called(name);
    if (ids.size() > 1) return faults_.add_at_key("ambiguous-step", place, symbol_of_several(name, ids), write_the_id);
    const std::string& id = ids.empty() ? name : ids.front();
    if (std::ranges::count(steps_, id) > 0) return id;
    return faults_.add([&] {
      std::optional<std::string> meant = closest(name, steps_);
      if (!meant) meant = known_.meant_by(name);
      const bool is_there = meant && std::ranges::count(steps_, *meant) > 0;
      return Diagnostic{
          .code = "unknown-step",
          .where = place,
          .message = shown(place) + " is a step that the problem does not have",
          .help = is_there ? "did you mean " + *meant + "?" : "its steps are " + listed({steps_.begin(), steps_.end()}),
          .at_key = true};
    });
  }

  void read_deductions(const JsonValue& value, const std::string& where) {
    for (const JsonMember& member : members_of(value, where, R"(say what a mistake costs: {"scale.none": 1})")) {
      const std::string place = pointer(where, member.key());
      const auto points = points_of(member.value, place);
      if (!names_mistake(member.key())) {
        faults_.add([&] {
          return Diagnostic{.code = "unknown-mistake",
                            .where = place,
                            .message = shown(place) + " is no mistake that is known",
                            .help = help_for_mistake(member.key()),
                            .at_key = true};
        });
        continue;
      }
      scheme_.deduct.push_back({member.key(), points.value_or(0)});
    }
  }

  static std::vector<std::string> mistake_ids() {
    std::vector<std::string> ids = {"unexplained"};
    for (const Mistake* one : all_mistakes()) ids.push_back(one->id);
    return ids;
  }

  static bool names_mistake(const std::string& pattern) {
    static const std::set<std::string> ids = [] {
      const std::vector<std::string> all = mistake_ids();
      return std::set<std::string>(all.begin(), all.end());
    }();
    if (!is_step_pattern(pattern)) return ids.contains(pattern);
    return std::ranges::any_of(ids, [&](const std::string& id) { return is_like(id, pattern); });
  }

  static std::string help_for_mistake(const std::string& typed) {
    std::vector<std::string> known = mistake_ids();
    // "scaling.*" is nearest to the pattern of a family.
    for (std::size_t i = known.size(); i-- > 0;) known.push_back(known[i].substr(0, known[i].find('.')) + ".*");
    const auto near = closest(typed, known);
    return near ? "did you mean " + *near + "?" : std::string("attn mistakes lists them; * stands for any letters");
  }

  const KnownSteps& known_;
  std::span<const std::string> steps_;
  Faults& faults_;
  Scheme scheme_;
};

}  // namespace

Result<Scheme> read_scheme(std::string_view text, const KnownSteps& known, std::span<const std::string> steps) {
  const Result<ParsedJson> parsed = parse_json(text);
  if (!parsed) return parsed.faults();
  Faults faults;
  Scheme scheme = SchemeReader(known, steps, faults).read(parsed.value().root);
  Diagnostics all = parsed.value().faults;
  std::ranges::move(faults.take(), std::back_inserter(all));
  if (!all.empty()) return all;
  return scheme;
}

}  // namespace attn
