#include "mark/lint.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "mark/other_numbers.h"
#include "mistakes/mistake.h"
#include "trace/numbers_in.h"

namespace attn {
namespace {

// Whether the numbers of a step in two computations are the same.
using SameNumbers = std::function<bool(double, double)>;

bool is_same_step(const Tensor<double>* one, const Tensor<double>* other, const SameNumbers& same) {
  if (one == other) return true;
  return one && other && one->shape() == other->shape() &&
         std::equal(one->data().begin(), one->data().end(), other->data().begin(), same);
}

SameNumbers as_written(const Likeness& likeness) {
  double scale = 1;
  for (int digit = 0; digit < likeness.digits; ++digit) scale *= 10;
  const double least = likeness.least;
  return [scale, least](double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return true;
    return least > 0 ? std::abs(a - b) < least : std::round(a * scale) == std::round(b * scale);
  };
}

bool is_nearly(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), 1e-3});
}

// One reading of a mistake, and what it makes of each step: nothing where the step is not
// there, or has another shape.
struct Reading {
  const Mistake* mistake;
  std::string variant;
  std::string key;       // what it is in other numbers as well: mistake, place and variant
  bool is_other_factor;  // that scores, say, are multiplied with, and nothing else
  Evaluation<double> made;
  std::vector<const Tensor<double>*> steps;
};

// Whether all that a rewrite changes is the number that one line multiplies by.
bool changes_a_factor(const Rewrite& rewrite, const Recipe& right,
                      const std::vector<std::optional<std::size_t>>& lines) {
  const auto is_new = [](const std::optional<std::size_t>& line) { return !line; };
  if (rewrite.recipe.size() != right.size() || std::ranges::count_if(lines, is_new) != 1) return false;
  const auto at = static_cast<std::size_t>(std::ranges::find_if(lines, is_new) - lines.begin());
  const Op& op = rewrite.recipe.instruction(at).op;
  return std::holds_alternative<Map>(right.instruction(at).op) &&
         (std::holds_alternative<Map>(op) || std::holds_alternative<Copy>(op));
}

// The mistakes that a problem may show: errors that are another computation.
std::vector<const Mistake*> mistakes_that_show() {
  std::vector<const Mistake*> found;
  for (const Mistake* mistake : all_mistakes()) {
    if (mistake->kind == MistakeKind::error && mistake->is_rewrite()) found.push_back(mistake);
  }
  return found;
}

// A computation, done right and in every wrong way that is known.
class Courses {
 public:
  explicit Courses(const Recipe& recipe) {
    Policy<double> plain;
    right_ = evaluate(recipe, plain);
    std::vector<StepId> ids;
    for (const StepId& id : recipe.steps()) {
      if (!std::holds_alternative<Given>(recipe.find(id)->op)) ids.push_back(id);
    }
    for (const StepId& id : ids) steps_.push_back(right_.computed[*recipe.line(id)]);
    // Part by part: the rewrites of all parts of a long recipe are too much.
    for (const Mistake* mistake : mistakes_that_show()) {
      for (std::size_t part = 0; part < recipe.parts().size(); ++part) {
        for (const Rewrite& rewrite : rewrites_in_part(recipe, part, *mistake)) add(*mistake, rewrite, recipe, ids);
      }
    }
  }

  const std::vector<Reading>& readings() const { return readings_; }

  // Whether nothing shows that this mistake was made, or which of two was.
  bool is_invisible(const Reading& reading, SeenFrom from, const SameNumbers& same) const {
    return agree(reading.steps, steps_, from, same);
  }
  static bool are_alike(const Reading& one, const Reading& other, SeenFrom from, const SameNumbers& same) {
    return agree(one.steps, other.steps, from, same);
  }

 private:
  using Steps = std::vector<const Tensor<double>*>;

  // The last step first: mistakes that differ in anything differ in it, as a rule.
  static bool agree(const Steps& one, const Steps& other, SeenFrom from, const SameNumbers& same) {
    for (std::size_t i = one.size(); i-- > 0;) {
      if (!is_same_step(one[i], other[i], same)) return false;
      if (from == SeenFrom::result) break;
    }
    return true;
  }

  void add(const Mistake& mistake, const Rewrite& rewrite, const Recipe& right, const std::vector<StepId>& ids) {
    const auto lines = same_lines(rewrite.recipe, right);
    const Original<double> original{right_, lines};
    Policy<double> plain;
    Reading reading{.mistake = &mistake,
                    .variant = rewrite.variant,
                    .key = mistake.id + '\n' + rewrite.step + '\n' + rewrite.variant,
                    .is_other_factor = changes_a_factor(rewrite, right, lines),
                    .made = evaluate(rewrite.recipe, plain, &original),
                    .steps = {}};
    for (const StepId& id : ids) {
      const auto line = rewrite.recipe.line(id);
      reading.steps.push_back(line ? reading.made.computed[*line] : nullptr);
    }
    readings_.push_back(std::move(reading));
  }

  Evaluation<double> right_;
  Steps steps_;
  std::vector<Reading> readings_;
};

// Sets of mistakes of which each is like some other of its set.
class Groups {
 public:
  explicit Groups(std::size_t count) : leader_(count) { std::iota(leader_.begin(), leader_.end(), std::size_t{0}); }

  void join(std::size_t a, std::size_t b) { leader_[leader(b)] = leader(a); }
  std::size_t leader(std::size_t at) const {
    while (leader_[at] != at) at = leader_[at];
    return at;
  }

 private:
  std::vector<std::size_t> leader_;
};

}  // namespace

struct Linter::Known {
  // What can be said of a mistake or of two whatever the numbers are.
  struct Always {
    std::set<std::string> other_factors;                      // mistakes that change a factor and nothing else
    std::set<std::string> readings;                           // of all mistakes
    std::set<std::string> invisible;                          // readings
    std::set<std::pair<std::string, std::string>> are_alike;  // the same, in the order of the catalogue

    Always() = default;
    Always(const Courses& courses, SeenFrom from);

    // What is not so in other numbers as well is no longer always so.
    void keep_what_holds_in(const Always& other);
  };

  // By SeenFrom: at these sizes, and at others, where others can be.
  Always here[2];
  std::optional<Always> elsewhere[2];
  Lint of_sizes = {};

  // From one draw more of the same kind, and of it at other sizes, where there are others.
  void learn(const Courses& here_too, const Courses* elsewhere_too, SeenFrom from) {
    const auto at = static_cast<int>(from);
    const Always drawn(here_too, from);
    if (here[at].readings.empty()) here[at] = drawn;
    here[at].keep_what_holds_in(drawn);
    if (!elsewhere_too) return;
    const Always away(*elsewhere_too, from);
    if (!elsewhere[at]) elsewhere[at] = away;
    elsewhere[at]->keep_what_holds_in(away);
  }

  bool never_shows(const Reading& reading, SeenFrom from) const {
    const auto& away = elsewhere[static_cast<int>(from)];
    return is_always_invisible_here(reading, from) &&
           (!away || !away->readings.contains(reading.key) || away->invisible.contains(reading.key));
  }
  bool is_always_invisible_here(const Reading& reading, SeenFrom from) const {
    return here[static_cast<int>(from)].invisible.contains(reading.key);
  }

  bool never_differ(const Reading& one, const Reading& other, SeenFrom from) const {
    const auto& away = elsewhere[static_cast<int>(from)];
    if (!never_differ_here(one, other, from)) return false;
    return !away || !away->readings.contains(one.key) || !away->readings.contains(other.key) ||
           away->are_alike.contains({one.key, other.key});
  }
  bool never_differ_here(const Reading& one, const Reading& other, SeenFrom from) const {
    return here[static_cast<int>(from)].are_alike.contains({one.key, other.key});
  }

  Lint lint(const Courses& courses, const SameNumbers& same) const;
  void find_invisible(const Courses& courses, const SameNumbers& same, Lint& lint, std::vector<int>& seen) const;
  void find_alike(const Courses& courses, SeenFrom from, const SameNumbers& same, const std::vector<int>& seen,
                  Lint& lint) const;
};

Linter::Known::Always::Always(const Courses& courses, SeenFrom from) {
  const std::vector<Reading>& all = courses.readings();
  std::vector<bool> shows(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_other_factor) other_factors.insert(all[i].mistake->id);
    readings.insert(all[i].key);
    shows[i] = !courses.is_invisible(all[i], from, is_nearly);
    if (!shows[i]) invisible.insert(all[i].key);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; shows[i] && j < all.size(); ++j) {
      if (shows[j] && Courses::are_alike(all[i], all[j], from, is_nearly)) {
        are_alike.emplace(all[i].key, all[j].key);
      }
    }
  }
}

void Linter::Known::Always::keep_what_holds_in(const Always& other) {
  std::erase_if(invisible, [&](const std::string& reading) { return !other.invisible.contains(reading); });
  std::erase_if(are_alike, [&](const auto& pair) { return !other.are_alike.contains(pair); });
}

// seen[i]: how much has to be handed in for reading i to show: 0 the result, 1 all, 2 nothing does.
void Linter::Known::find_invisible(const Courses& courses, const SameNumbers& same, Lint& lint,
                                   std::vector<int>& seen) const {
  const std::vector<Reading>& all = courses.readings();
  for (const Reading& reading : all) {
    const bool is_in_result = !courses.is_invisible(reading, SeenFrom::result, same);
    seen.push_back(is_in_result ? 0 : courses.is_invisible(reading, SeenFrom::all, same) ? 2 : 1);
  }
  for (const Mistake* mistake : all_mistakes()) {
    for (const SeenFrom from : {SeenFrom::all, SeenFrom::result}) {
      Invisible found{mistake->id, from, {}, true};
      std::size_t readings = 0, hidden = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].mistake != mistake) continue;
        ++readings;
        if (seen[i] != (from == SeenFrom::all ? 2 : 1) || never_shows(all[i], from)) continue;
        ++hidden;
        if (!all[i].variant.empty()) found.variants.push_back(all[i].variant);
        found.by_sizes = found.by_sizes && is_always_invisible_here(all[i], from);
      }
      const auto& away = elsewhere[static_cast<int>(from)];
      // At these sizes the factor is the right one.
      const bool is_right = readings == 0 && from == SeenFrom::all && away && away->other_factors.contains(mistake->id);
      if (hidden == readings) found.variants.clear();
      if (hidden > 0 || is_right) lint.invisible.push_back(std::move(found));
    }
  }
}

void Linter::Known::find_alike(const Courses& courses, SeenFrom from, const SameNumbers& same,
                               const std::vector<int>& seen, Lint& lint) const {
  const std::vector<Reading>& all = courses.readings();
  const int most = from == SeenFrom::all ? 1 : 0;
  Groups groups(all.size());
  std::vector<bool> is_told(all.size()), can_differ(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; seen[i] <= most && j < all.size(); ++j) {
      if (all[i].mistake == all[j].mistake || seen[j] > most) continue;
      if (!Courses::are_alike(all[i], all[j], from, same) || never_differ(all[i], all[j], from)) continue;
      // What no step tells apart is said of all steps.
      if (from == SeenFrom::result && Courses::are_alike(all[i], all[j], SeenFrom::all, same) &&
          !never_differ(all[i], all[j], SeenFrom::all)) {
        continue;
      }
      is_told[i] = is_told[j] = true;
      if (!never_differ_here(all[i], all[j], from)) can_differ[i] = can_differ[j] = true;
      groups.join(i, j);
    }
  }
  std::vector<Alike> found;
  std::map<std::size_t, std::size_t> place;  // by leader
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_told[i]) continue;
    const auto [at, is_new] = place.emplace(groups.leader(i), found.size());
    if (is_new) found.push_back({{}, from, true});
    Alike& group = found[at->second];
    if (std::ranges::find(group.mistakes, all[i].mistake->id) == group.mistakes.end()) {
      group.mistakes.push_back(all[i].mistake->id);
    }
    group.by_sizes = group.by_sizes && !can_differ[i];
  }
  // Several readings of the same mistakes are one finding.
  for (Alike& group : found) {
    const auto known = std::ranges::find_if(
        lint.alike, [&](const Alike& other) { return other.mistakes == group.mistakes && other.from == from; });
    if (known == lint.alike.end()) {
      lint.alike.push_back(std::move(group));
    } else {
      known->by_sizes = known->by_sizes && group.by_sizes;
    }
  }
}

Lint Linter::Known::lint(const Courses& courses, const SameNumbers& same) const {
  Lint found;
  std::vector<int> seen;
  find_invisible(courses, same, found, seen);
  for (const SeenFrom from : {SeenFrom::all, SeenFrom::result}) find_alike(courses, from, same, seen, found);
  return found;
}

std::size_t Lint::by_numbers() const {
  const auto can_go = [](const auto& finding) { return !finding.by_sizes; };
  return static_cast<std::size_t>(std::ranges::count_if(invisible, can_go) + std::ranges::count_if(alike, can_go));
}

Linter::Linter(const Recipe& kind) {
  // Which weight is the largest, say, may be so by chance in one draw, and is not in all of them.
  constexpr std::uint64_t draws = 4;
  Known known;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const Courses here(with_drawn_numbers(kind, seed));
    const std::optional<Recipe> other = with_other_widths(kind, seed);
    std::optional<Courses> elsewhere;
    if (other) elsewhere.emplace(*other);
    for (const SeenFrom from : {SeenFrom::all, SeenFrom::result}) {
      known.learn(here, elsewhere ? &*elsewhere : nullptr, from);
    }
    if (seed == draws) known.of_sizes = known.lint(here, is_nearly);
  }
  std::erase_if(known.of_sizes.invisible, [](const Invisible& found) { return !found.by_sizes; });
  std::erase_if(known.of_sizes.alike, [](const Alike& found) { return !found.by_sizes; });
  known_ = std::make_shared<const Known>(std::move(known));
}

Lint Linter::lint(const Recipe& recipe, const Likeness& likeness) const {
  return known_->lint(Courses(recipe), as_written(likeness));
}

std::size_t Linter::bytes(const Recipe& recipe) {
  // Where the numbers of a line are, among all steps and among those that are compared.
  constexpr std::size_t bytes_of_line = 3 * sizeof(void*);
  // This problem, and one of its kind to know it by.
  constexpr std::size_t problems = 2;
  std::size_t bytes = problems * numbers_in(recipe) * sizeof(double);
  for (const Mistake* mistake : mistakes_that_show()) {
    for (std::size_t part = 0; part < recipe.parts().size(); ++part) {
      for (const Rewrite& rewrite : rewrites_in_part(recipe, part, *mistake)) {
        const auto lines = same_lines(rewrite.recipe, recipe);
        bytes += problems * bytes_of_line * lines.size();
        for (std::size_t line = 0; line < lines.size(); ++line) {
          if (!lines[line]) bytes += problems * sizeof(double) * rewrite.recipe.shape(line).count();
        }
      }
    }
  }
  return bytes;
}

std::size_t Linter::lines(const Recipe& recipe, std::size_t most) {
  std::size_t lines = 0;
  for (const Mistake* mistake : mistakes_that_show()) {
    for (std::size_t part = 0; part < recipe.parts().size() && lines <= most; ++part) {
      lines += rewrites_in_part(recipe, part, *mistake).size() * recipe.size();
    }
  }
  return lines;
}

const Lint& Linter::of_sizes() const { return known_->of_sizes; }

}  // namespace attn
