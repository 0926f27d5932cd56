#include "explain/reports/differences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
#include "words/language.h"

namespace attn {
namespace {

using Verdict = StepPair::Verdict;
using Kind = ComparedFile::Kind;

std::string listed_printable(const std::vector<std::string>& names) { return printable(listed(names)); }

std::string rounded(double number, int digits = 6) {
  if (!std::isfinite(number)) return written(number, {});
  std::string text = fmt::format("{:.{}g}", number, digits);
  if (text.front() == '-') text.replace(0, 1, "−");
  return text;
}

// A factor that is neither 1 nor −1, with as many digits as it takes to say so.
std::string rounded_factor(double factor) {
  std::string text = rounded(factor);
  const std::string unit = rounded(factor < 0 ? -1 : 1);
  for (int digits = 7; text == unit && std::abs(factor) != 1 && digits <= 17; ++digits) text = rounded(factor, digits);
  return text;
}

std::string small(const FarthestCell& cell) {
  if (std::isinf(cell.apart)) return "∞";
  const bool is_long = cell.apart >= 99.5 && cell.apart < 1e6;  // 130 rather than 1.3e+02
  return is_long ? fmt::format("{:.0f}", cell.apart) : fmt::format("{:.2g}", cell.apart);
}

// "2e-07 of", "29 % of", "300 % of", "15 times"
std::string relative(const FarthestCell& cell) {
  const DifferenceWords& said = language().differences;
  if (cell.apart < 0.001) return said.share(small(cell));
  return cell.apart < 10 ? said.percent(fmt::format("{:.3g}", 100 * cell.apart)) : said.times(small(cell));
}

bool is_about_nan(const FarthestCell& cell) { return std::isnan(cell.first) != std::isnan(cell.second); }

// What a factor is known as.
std::string known_as(double factor) {
  const DifferenceWords& said = language().differences;
  const std::pair<double, Said> known[] = {
      {1.4426950408889634, said.log2_e}, {0.6931471805599453, said.ln_2}, {-1, said.turned_signs}};
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
    say(said_.files(told_file(in_order ? report_.first : report_.second),
                    told_file(in_order ? report_.second : report_.first)));
    say(tolerance());
    if (are_problems()) tell_keys();
    tell_steps();
    if (report_.sides.different) {
      tell_first();
      if (report_.is_rounding) say(said_.only_rounding);
      if (report_.could_explain && !(are_problems() && report_.explanations.empty())) tell_explanations();
    }
    return std::move(document_);
  }

 private:
  void add(Block block) { document_.add(std::move(block)); }
  void say(std::string text) { add(Prose{{std::move(text)}}); }

  bool are_problems() const { return report_.first.kind == Kind::problem && report_.second.kind == Kind::problem; }

  const StepPair& different() const { return report_.sides.steps[*report_.sides.different]; }

  std::string headline() const {
    if (report_.sides.different) return said_.differ_first(printable(different().id));
    const std::vector<StepPair>& steps = report_.sides.steps;
    const bool all_bits = std::ranges::all_of(
        steps, [](const StepPair& pair) { return pair.verdict != Verdict::same || pair.same_bits; });
    const std::size_t of_first = report_.sides.first_unread.size();
    const std::size_t of_second = report_.sides.unknown.size() + report_.sides.second_unread.size();
    if (of_first + of_second > 0) {
      const auto compared = std::ranges::count(steps, Verdict::same, &StepPair::verdict);
      const std::string side = of_first == 0 ? b_ : of_second == 0 ? a_ : "";
      return said_.are_same_as_far(static_cast<std::size_t>(compared), of_first + of_second, side, all_bits);
    }
    return all_bits ? said_.are_same : said_.are_same_up_to_rounding;
  }

  std::string told_file(const ComparedFile& file) const {
    const Saying<Text, Text>* kinds[] = {&said_.problem, &said_.trace, &said_.tensors};
    return (*kinds[static_cast<std::size_t>(file.kind)])(printable(file.file), file.dtype);
  }

  std::string tolerance() {
    const Closeness& closeness = report_.closeness;
    if (report_.sides.different && (closeness.wants_same_bits() || report_.is_usual)) {
      document_.hint(closeness.wants_same_bits() ? said_.less_by : said_.other_tolerance_by);
    }
    if (closeness.wants_same_bits()) return said_.same_bits_count;
    return report_.is_usual ? said_.within_usual(closeness.relative)
                            : said_.within(closeness.relative, a_, closeness.absolute);
  }

  void tell_keys() {
    add(Headline{2, {said_.what_problems_say}});
    if (report_.keys.empty()) return say(said_.say_the_same);
    Table table{.caption = {}, .header = {{said_.key}, {a_}, {b_}}, .rows = {}};
    for (const KeyDifference& key : report_.keys) {
      const auto words = [&](const std::string& text) {
        return text.empty() ? Inline{said_.not_given} : Inline{printable(text)};
      };
      table.rows.push_back({{printable(key.where)}, words(key.first), words(key.second)});
    }
    add(std::move(table));
  }

  std::string verdict_of(const StepPair& pair) const {
    const std::string words[] = {pair.same_bits ? said_.same : said_.close, said_.differs, said_.other_shape,
                                 said_.only_in(a_), said_.only_in(b_)};
    return words[static_cast<std::size_t>(pair.verdict)];
  }

  std::string details_of(const StepPair& pair) const {
    std::string text;
    const auto detail = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
    if (pair.verdict == Verdict::other_shape) detail(said_.sizes(pair.first_sizes, a_, pair.second_sizes, b_));
    if (pair.verdict == Verdict::differs) {
      detail(is_about_nan(*pair.absolute) ? said_.so_many_and_nan(pair.differing, pair.cells)
                                          : said_.so_many(pair.differing, pair.cells, small(*pair.absolute)));
    }
    if (pair.verdict == Verdict::same && !pair.same_bits && pair.absolute) detail(said_.up_to(small(*pair.absolute)));
    if (!pair.name.empty()) detail(said_.called(printable(pair.name), b_));
    if (!pair.stored.empty()) detail(said_.in(printable(pair.stored), b_));
    for (const std::string& remark : pair.first_remarks) detail(said_.in(remark, a_));
    for (const std::string& remark : pair.remarks) detail(said_.in(remark, b_));
    if (pair.orders_left) detail(said_.not_all_orders);
    return text;
  }

  void tell_steps() {
    add(Headline{2, {said_.steps}});
    const bool is_dump = report_.first.kind == Kind::dump || report_.second.kind == Kind::dump;
    Table table{.caption = {}, .header = {{said_.step}, {said_.verdict}, {said_.how}}, .rows = {}};
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
    if (!only_first.empty()) say(said_.listed_only_in(a_, first_listed(only_first)));
    if (!only_second.empty()) say(said_.listed_only_in(b_, first_listed(only_second)));
    const std::vector<std::string>& unknown = report_.sides.unknown;
    if (!unknown.empty()) say(said_.unknown_names(a_, b_, first_listed(unknown)));
    say_unread(a_, report_.sides.first_unread);
    say_unread(b_, report_.sides.second_unread);
  }

  // A dump of a whole model has names by the thousand: the first say what the others are like, and JSON has them all.
  std::string first_listed(const std::vector<std::string>& names) const {
    constexpr std::size_t most = 60;
    if (names.size() <= most) return listed_printable(names);
    return said_.and_more(listed_printable({names.begin(), names.begin() + most}), names.size() - most);
  }

  void say_unread(const std::string& side, const std::vector<UnreadTensor>& unread) {
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, unread.size()); ++i) say(said_.unread(side, unread[i].why));
    if (unread.size() > most) say(said_.more_unread(side, unread.size() - most));
  }

  // Both numbers of a cell, with as many digits as it takes to tell them apart.
  std::string told_cell(const FarthestCell& cell) const {
    std::string first = rounded(cell.first), second = rounded(cell.second);
    if (first == second) {
      first = shortest(cell.first);
      second = shortest(cell.second);
    }
    return said_.cell(printable(different().id) + spelled_index(cell.index), first, a_, second, b_);
  }

  void tell_first() {
    const StepPair& pair = different();
    const std::string id = printable(pair.id);
    add(Headline{2, {said_.first_difference(id)}});
    if (pair.verdict == Verdict::other_shape) {
      say(said_.no_exchange_of_axes(id, pair.first_sizes, a_, pair.second_sizes, b_));
    }
    if (pair.verdict == Verdict::only_first) say(said_.step_of_one(id, a_, b_));
    if (pair.verdict == Verdict::only_second) say(said_.step_of_one(id, b_, a_));
    if (pair.verdict == Verdict::differs) tell_farthest(pair);
    std::vector<std::string> same, other;
    for (const auto& [input, agrees] : report_.inputs) (agrees ? same : other).push_back(input);
    if (!same.empty()) say(said_.made_of_same(listed_printable(same)));
    if (!other.empty()) say(said_.made_of_other(listed_printable(other)));
    if (report_.relation) tell_relation(*report_.relation);
  }

  void tell_farthest(const StepPair& pair) {
    if (is_about_nan(*pair.absolute)) {
      return say(said_.differing_by_nan(pair.differing, pair.cells, told_cell(*pair.absolute)));
    }
    say(said_.farthest(pair.differing, pair.cells, told_cell(*pair.absolute), small(*pair.absolute)));
    if (!pair.relative || std::isinf(pair.relative->apart)) return;
    say(pair.relative->index == pair.absolute->index
            ? said_.is_relatively_farthest(a_, relative(*pair.relative))
            : said_.relatively_farthest(a_, told_cell(*pair.relative), relative(*pair.relative)));
  }

  void tell_relation(const Relation& relation) {
    switch (relation.kind) {
      case Relation::Kind::multiple: {
        const std::string factor = rounded_factor(relation.factor), name = known_as(relation.factor);
        const bool is_known = !name.empty() && name != factor;
        return say(is_known ? said_.known_multiple(a_, b_, factor, name) : said_.multiple(a_, b_, factor));
      }
      case Relation::Kind::exchanged_heads: {
        std::vector<std::string> heads;
        for (const std::size_t head : relation.heads) heads.push_back(std::to_string(head + 1));
        return say(said_.other_heads(a_, b_, listed(heads)));
      }
      case Relation::Kind::other_step:
        return say(said_.other_step(a_, b_, printable(relation.step)));
    }
  }

  void tell_explanations() {
    add(Headline{2, {said_.what_explains_it}});
    if (report_.explanations.empty()) {
      const Saying<Text, Text, Text>& unexplained = report_.all_tried ? said_.unexplained : said_.unexplained_by_tried;
      const bool is_explained_above = report_.relation && report_.all_tried;
      say(is_explained_above ? said_.explained_above.text() : unexplained(a_, b_, printable(different().id)));
      if (!report_.all_tried) say(said_.not_all_tried);
      return;
    }
    std::string as_if = are_problems() ? said_.one_gets(a_, b_) : said_.it_is(b_);
    for (const LikelyCause& one : report_.explanations) {
      const std::string variant = one.variant.empty() ? "" : " (" + one.variant + ")";
      say(as_if + said_.cause(one.what, variant, one.id, effect_of(one)));
      if (!one.also.empty()) say(said_.as_well(listed_printable(one.also)));
      as_if = said_.besides;
    }
    const bool all_agrees = report_.explanations.back().next.empty();
    if (!report_.all_tried) say(all_agrees ? said_.others_not_tried : said_.not_all_tried);
  }

  std::string effect_of(const LikelyCause& one) const {
    if (one.next == one.step) return said_.not_alone(one.step);
    const std::string agrees = said_.agrees(one.step);
    const std::string follow = listed_printable(one.follow);
    if (one.next.empty()) return agrees + (follow.empty() ? said_.the_last : said_.and_all_behind(follow));
    return agrees + (follow.empty() ? "" : said_.and_so(follow, one.follow.size() == 1)) +
           said_.still_differs(one.next);
  }

  const DiffReport& report_;
  const DifferenceWords& said_ = language().differences;
  const std::string a_, b_;
  Document document_;
};

}  // namespace

Document told_difference(const DiffReport& report) { return Teller(report).told(); }

}  // namespace attn
