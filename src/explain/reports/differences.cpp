#include "explain/reports/differences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"

namespace attn {
namespace {

using Verdict = StepPair::Verdict;

std::string listed_printable(const std::vector<std::string>& names) { return printable(listed(names)); }

std::string rounded(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "−∞" : "∞";
  std::string text = fmt::format("{:.6g}", number);
  if (text.front() == '-') text.replace(0, 1, "−");
  return text;
}

// Two numbers with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> apart(double a, double b) {
  if (rounded(a) != rounded(b)) return {rounded(a), rounded(b)};
  return {shortest(a), shortest(b)};
}

std::string small(double number) { return std::isinf(number) ? "∞" : fmt::format("{:.2g}", number); }

std::string kind_of(const ComparedFile& file) {
  switch (file.kind) {
    case ComparedFile::Kind::problem:
      return "the problem " + printable(file.file) + ", computed in " + file.dtype;
    case ComparedFile::Kind::trace:
      return "the trace " + printable(file.file) + ", of dtype " + file.dtype;
    case ComparedFile::Kind::dump:
      return "the tensors of " + printable(file.file) + ", of dtype " + file.dtype;
  }
  return "";
}

// What a factor is known as.
std::string known_as(double factor) {
  const std::pair<double, const char*> known[] = {
      {1.4426950408889634, "log₂e, as where powers of 2 are taken"},
      {0.6931471805599453, "ln 2"},
      {-1, "the signs are turned"},
  };
  for (const auto& [number, name] : known) {
    if (std::abs(factor - number) <= 1e-6 * std::abs(number)) return name;
  }
  for (const bool is_divided : {false, true}) {
    const double square = is_divided ? 1 / (factor * factor) : factor * factor;
    if (factor <= 0 || square > 1e6 || square < 1.5 || std::abs(square - std::round(square)) > 1e-5 * square) continue;
    const double root = std::sqrt(std::round(square));
    const std::string written =
        root == std::floor(root) ? fmt::format("{}", root) : fmt::format("√{}", std::round(square));
    return is_divided ? "1/" + written : written;
  }
  return "";
}

class Teller {
 public:
  explicit Teller(const DiffReport& report) : report_(report), a_(report.first.letter), b_(report.second.letter) {}

  Document told() {
    add(Headline{1, {headline()}});
    const bool in_order = a_ == "A";
    const ComparedFile& first = in_order ? report_.first : report_.second;
    const ComparedFile& second = in_order ? report_.second : report_.first;
    say("A is " + kind_of(first) + ". B is " + kind_of(second) + ".");
    say(tolerance());
    tell_keys();
    tell_steps();
    if (report_.sides.different) {
      tell_first();
      tell_explanations();
    }
    return std::move(document_);
  }

 private:
  void add(Block block) { document_.blocks.push_back(std::move(block)); }
  void say(std::string text) { add(Prose{{std::move(text)}}); }

  bool are_problems() const {
    return report_.first.kind == ComparedFile::Kind::problem && report_.second.kind == ComparedFile::Kind::problem;
  }

  const StepPair& different() const { return report_.sides.steps[*report_.sides.different]; }

  std::string headline() const {
    if (report_.sides.different) return "A and B differ first in " + printable(different().id);
    return all_bits() ? "A and B are the same" : "A and B are the same, up to rounding";
  }

  bool all_bits() const {
    return std::ranges::all_of(report_.sides.steps,
                               [](const StepPair& pair) { return pair.verdict != Verdict::same || pair.same_bits; });
  }

  std::string tolerance() const {
    const Closeness& closeness = report_.closeness;
    if (closeness.wants_same_bits()) {
      return "Numbers count as the same if all their bits are; --rtol and --atol ask for less.";
    }
    if (!report_.is_usual) {
      return fmt::format("Numbers count as the same within {:g} of {}'s, or {:g}.", closeness.relative, a_,
                         closeness.absolute);
    }
    return fmt::format(
        "Numbers count as the same within {:g} of themselves, or of the largest in a usual row of their step: sums in "
        "another order round otherwise. --rtol and --atol ask for another.",
        closeness.relative);
  }

  void tell_keys() {
    if (!are_problems()) return;
    add(Headline{2, {"What the problems say"}});
    if (report_.keys.empty()) return say("Both say the same, words aside.");
    Table table{.caption = {}, .header = {{"key"}, {a_}, {b_}}, .rows = {}};
    for (const KeyDifference& key : report_.keys) {
      const auto words = [](const std::string& text) { return Inline{text.empty() ? "not given" : printable(text)}; };
      table.rows.push_back({{printable(key.where)}, words(key.first), words(key.second)});
    }
    add(std::move(table));
  }

  std::string verdict_of(const StepPair& pair) const {
    switch (pair.verdict) {
      case Verdict::same:
        return pair.same_bits ? "same" : "close";
      case Verdict::differs:
        return "differs";
      case Verdict::other_shape:
        return "other shape";
      case Verdict::only_first:
        return "only in " + a_;
      case Verdict::only_second:
        return "only in " + b_;
    }
    return "";
  }

  std::string details_of(const StepPair& pair) const {
    std::vector<std::string> details;
    if (pair.verdict == Verdict::other_shape) {
      details.push_back(pair.first_sizes + " in " + a_ + ", " + pair.second_sizes + " in " + b_);
    }
    if (pair.verdict == Verdict::differs) {
      details.push_back(fmt::format("{} of {}, by up to {}", pair.differing, pair.cells, small(pair.absolute->apart)));
    }
    if (pair.verdict == Verdict::same && !pair.same_bits && pair.absolute) {
      details.push_back("by up to " + small(pair.absolute->apart));
    }
    if (!pair.name.empty()) details.push_back("called " + printable(pair.name) + " in " + b_);
    if (!pair.stored.empty()) details.push_back(printable(pair.stored) + " in " + b_);
    for (const std::string& remark : pair.remarks) details.push_back(remark + " in " + b_);
    std::string text;
    for (const std::string& detail : details) text += (text.empty() ? "" : "; ") + detail;
    return text;
  }

  void tell_steps() {
    add(Headline{2, {"Steps"}});
    const bool is_dump =
        report_.first.kind == ComparedFile::Kind::dump || report_.second.kind == ComparedFile::Kind::dump;
    Table table{.caption = {}, .header = {{"step"}, {"verdict"}, {"how"}}, .rows = {}};
    std::vector<std::string> only_first, only_second;
    for (const StepPair& pair : report_.sides.steps) {
      if (is_dump && pair.verdict == Verdict::only_first) {
        only_first.push_back(pair.id);
      } else if (is_dump && pair.verdict == Verdict::only_second) {
        only_second.push_back(pair.id);
      } else {
        table.rows.push_back({{printable(pair.id)}, {verdict_of(pair)}, {details_of(pair)}});
      }
    }
    const bool has_details = std::ranges::any_of(table.rows, [](const auto& row) { return !plain(row[2]).empty(); });
    if (!has_details) {
      table.header.pop_back();
      for (auto& row : table.rows) row.pop_back();
    }
    add(std::move(table));
    say_listed("Only in " + a_, only_first);
    say_listed("Only in " + b_, only_second);
    say_listed("Names in " + b_ + " that are no step of " + a_, report_.sides.unknown);
  }

  std::string farthest(const FarthestCell& cell, const std::string& of) const {
    const auto [first, second] = apart(cell.first, cell.second);
    return of + spelled_index(cell.index) + " is " + first + " in " + a_ + " and " + second + " in " + b_;
  }

  void tell_first() {
    const StepPair& pair = different();
    add(Headline{2, {"The first difference: " + printable(pair.id)}});
    const std::string id = printable(pair.id);
    switch (pair.verdict) {
      case Verdict::other_shape:
        say(id + " is " + pair.first_sizes + " in " + a_ + " and " + pair.second_sizes + " in " + b_ +
            ", which no exchange of axes makes the same.");
        break;
      case Verdict::only_first:
        say(id + " is a step of " + a_ + ", and not of " + b_ + ".");
        break;
      case Verdict::only_second:
        say(id + " is a step of " + b_ + ", and not of " + a_ + ".");
        break;
      case Verdict::differs:
        say(fmt::format("{} of {} numbers differ. Farthest apart: {}, {} apart.", pair.differing, pair.cells,
                        farthest(*pair.absolute, id), small(pair.absolute->apart)));
        if (pair.relative && pair.relative->index != pair.absolute->index) {
          say(fmt::format("Relative to {}: {}, {} of it.", a_, farthest(*pair.relative, id),
                          small(pair.relative->apart)));
        } else if (pair.relative) {
          say(fmt::format("That is {} of {}'s number, the most of all cells.", small(pair.relative->apart), a_));
        }
        break;
      case Verdict::same:
        break;
    }
    tell_inputs();
    tell_relation();
  }

  void say_listed(const std::string& words, const std::vector<std::string>& names) {
    if (!names.empty()) say(words + ": " + listed_printable(names) + ".");
  }

  void tell_inputs() {
    std::vector<std::string> same, other;
    for (const auto& [id, agrees] : report_.inputs) (agrees ? same : other).push_back(id);
    say_listed("What it is made of agrees", same);
    say_listed("What it is made of differs, too", other);
  }

  void tell_relation() {
    if (!report_.relation) return;
    const Relation& relation = *report_.relation;
    switch (relation.kind) {
      case Relation::Kind::multiple: {
        const std::string name = known_as(relation.factor);
        say(fmt::format("Every number of {} is {} times that of {}{}.", b_, rounded(relation.factor), a_,
                        name.empty() || name == rounded(relation.factor) ? "" : " (" + name + ")"));
        break;
      }
      case Relation::Kind::exchanged_heads: {
        std::vector<std::string> heads;
        for (const std::size_t head : relation.heads) heads.push_back(std::to_string(head + 1));
        say("The heads stand in another order: those of " + b_ + " are " + a_ + "'s " + listed_printable(heads) + ".");
        break;
      }
      case Relation::Kind::other_step:
        say("The numbers of " + b_ + " are those of " + a_ + "'s " + printable(relation.step) + ".");
        break;
    }
  }

  void tell_explanations() {
    if (report_.is_rounding) say("That is no more than rounding leaves: nothing else differs.");
    if (!report_.could_explain || (are_problems() && report_.explanations.empty())) return;
    add(Headline{2, {"What explains it"}});
    if (report_.explanations.empty()) {
      return say("No mistake or convention that attn knows makes " + a_ + "'s " + printable(different().id) +
                 " those of " + b_ + ". attn list mistakes and attn list conventions tell which there are.");
    }
    for (std::size_t i = 0; i < report_.explanations.size(); ++i) {
      const LikelyCause& one = report_.explanations[i];
      std::string text = i > 0            ? "Besides, it is as if "
                         : are_problems() ? "From " + a_ + " one gets " + b_ + "'s numbers as if "
                                          : "In " + b_ + " it is as if ";
      text += one.what;
      if (!one.variant.empty()) text += " (" + one.variant + ")";
      text += ": " + one.id + ". ";
      text += effect_of(one);
      say(std::move(text));
      if (!one.also.empty()) say("As much would be explained by " + listed_printable(one.also) + ".");
    }
  }

  static std::string effect_of(const LikelyCause& one) {
    if (one.next == one.step) return "That alone does not make " + one.step + " agree.";
    const std::string agrees = "With that " + one.step + " agrees";
    const std::string follow = listed_printable(one.follow);
    if (!one.next.empty()) {
      const std::string verb = one.follow.size() == 1 ? ", and so does " : ", and so do ";
      return agrees + (follow.empty() ? "" : verb + follow) + "; " + one.next + " still differs.";
    }
    return agrees + (follow.empty() ? ", the last that both have." : ", and all that follows: " + follow + ".");
  }

  const DiffReport& report_;
  const std::string a_, b_;
  Document document_;
};

}  // namespace

Document told_difference(const DiffReport& report) { return Teller(report).told(); }

}  // namespace attn
