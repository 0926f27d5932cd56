#include "explain/reports/grades.h"

#include <algorithm>
#include <utility>

#include "base/numbers.h"
#include "base/rounding.h"
#include "base/text.h"
#include "explain/place.h"
#include "explain/reports/verdict.h"
#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t most_cells_told = 6, widest_name = 40;

std::string or_dash(std::size_t count) { return count == 0 ? "–" : std::to_string(count); }

// Adds a row of plain texts.
void add_row(Table& table, std::initializer_list<std::string> texts) {
  auto& row = table.rows.emplace_back();
  for (const std::string& text : texts) row.push_back({Span(text)});
}

Table table_with(std::initializer_list<std::string> header) {
  Table table;
  for (const std::string& text : header) table.header.push_back({Span(text)});
  return table;
}

// Steps and how their points come about: a column for what there is, none for what nobody has.
Table points_table(const Grade& grade) {
  const GradeWords& said = language().grades;
  struct StateColumn {
    Said title;
    std::size_t StepGrade::*count;
  };
  const StateColumn all[] = {{said.right, &StepGrade::right},       {said.follows, &StepGrade::consistent},
                             {said.coarse, &StepGrade::too_coarse}, {said.wrong, &StepGrade::wrong},
                             {said.blank, &StepGrade::blank},       {said.missing, &StepGrade::missing}};
  std::vector<StateColumn> told;
  for (const StateColumn& column : all) {
    const bool is_used =
        std::ranges::any_of(grade.steps, [&](const StepGrade& step) { return step.*column.count > 0; });
    if (is_used || column.count == &StepGrade::right) told.push_back(column);
  }
  const bool deducts = !grade.deductions.empty();
  Table table = table_with({said.step});
  table.numbers = true;
  for (const StateColumn& column : told) table.header.push_back({column.title});
  if (deducts) table.header.push_back({said.deducted});
  table.header.push_back({said.points});
  table.header.push_back({said.of});
  for (const StepGrade& step : grade.steps) {
    auto& row = table.rows.emplace_back();
    row.push_back({in_words(step.id)});
    for (const StateColumn& column : told) row.push_back({or_dash(step.*column.count)});
    if (deducts) row.push_back({step.deducted > 0 ? "−" + spelled_points(step.deducted) : "–"});
    row.push_back({step.of > 0 ? spelled_points(step.points()) : "–"});
    row.push_back({step.of > 0 ? spelled_points(step.of) : "–"});
  }
  return table;
}

std::string undecided_cells(const Grade& grade) {
  std::vector<std::string> cells;
  for (const UndecidedCell& cell : grade.undecided) {
    if (cells.size() == most_cells_told) break;
    cells.push_back(cell.step + spelled_index(cell.index) + " = " + cell.given);
  }
  if (cells.size() < grade.undecided.size()) cells.push_back("…");
  return listed(cells);
}

double undecided_points(const Grade& grade) {
  double sum = 0;
  for (const StepGrade& step : grade.steps) sum += step.undecided;
  return sum;
}

void tell_points(const Grade& grade, const Scheme& scheme, Document& document) {
  const GradeWords& said = language().grades;
  document.add(Headline{2, {said.points_of(spelled_points(grade.points), spelled_points(grade.of))}});
  document.add(points_table(grade));
  const std::string terms = spelled_sum(grade), sum = spelled_points(grade.sum);
  std::string text = terms == sum ? "" : said.sum(terms, sum);
  if (sum != spelled_points(grade.points))
    text += (text.empty() ? "" : " ") + said.rounded_sum(shortest(scheme.round_to), spelled_points(grade.points));
  if (!text.empty()) document.add(Prose{{text}});
  for (const StepGrade& step : grade.steps) {
    if (step.of > 0 && (step.other_shape || !step.handed_in))
      document.add(Prose{{capitalised(in_words(step.id)) + ": " + how_graded(step) + "."}});
  }
  for (const Deducted& one : grade.deductions) {
    std::string taken = said.deduction(in_words(one.step), spelled_points(one.asked), told_mistake(one.mistake));
    if (one.taken < one.asked) taken += said.only_taken(spelled_points(one.taken));
    document.add(Prose{{taken}});
  }
  if (!grade.undecided.empty())
    document.add(Remark{{said.undecided(undecided_cells(grade), spelled_points(undecided_points(grade)))}});
}

// How many numbers count as right though nobody can tell.
std::size_t coarse_as_right(const Grade& grade, const Scheme& scheme) {
  if (scheme.too_coarse != Scheme::TooCoarse::right) return 0;
  std::size_t count = 0;
  for (const StepGrade& step : grade.steps) count += step.of > 0 ? step.too_coarse : 0;
  return count;
}

// The next time it can be told.
void tell_coarse(const Grade& grade, const Scheme& scheme, Document& document) {
  if (const std::size_t coarse = coarse_as_right(grade, scheme); coarse > 0)
    document.add(
        Remark{{capitalised(language().grades.coarse_counted(coarse)) + ". " + language().grades.write_more.text()}});
}

Table people_table(const GradedClass& graded) {
  const GradeWords& said = language().grades;
  Table table =
      table_with({said.name, said.points, said.of, said.verdict, language().verdicts.first_wrong, said.likely});
  for (const GradedHandIn& one : graded.hand_ins) {
    const bool has_points = !one.is_failed();
    add_row(table, {shortened(one.name, widest_name), has_points ? spelled_points(one.grade.points) : "–",
                    has_points ? spelled_points(one.grade.of) : "–", verdict_of(one), in_words(one.first_wrong),
                    likely_of(one)});
  }
  return table;
}

void tell_distribution(const ClassSummary& summary, Document& document) {
  const GradeWords& said = language().grades;
  constexpr std::size_t longest = 40;
  const auto counts = summary.distribution();
  const std::size_t most = std::max<std::size_t>(1, *std::ranges::max_element(counts));
  Table table = table_with({said.share, said.hand_ins, ""});
  for (std::size_t bin = counts.size(); bin-- > 0;) {
    const std::string range = bin == 10 ? said.whole.text() : said.from_to(bin * 10, bin * 10 + 9);
    std::string bar;
    for (std::size_t i = 0; i < (counts[bin] * longest + most - 1) / most; ++i) bar += "█";
    add_row(table, {range, or_dash(counts[bin]), bar});
  }
  document.add(Headline{2, {said.distribution}});
  document.add(std::move(table));
}

void tell_mistakes(const ClassSummary& summary, Document& document) {
  const GradeWords& said = language().grades;
  document.add(Headline{2, {said.mistakes}});
  const auto made = summary.mistakes();
  if (made.empty()) return document.add(Prose{{said.no_mistakes}});
  Table table = table_with({said.hand_ins, said.step, said.mistake});
  for (const ClassSummary::Made& one : made) {
    add_row(table, {std::to_string(one.people), in_words(one.step), told_mistake(one.mistake)});
  }
  document.add(std::move(table));
}

Table grid(const WrongCells& cells, const std::string& caption) {
  Table table{.caption = {dotted(caption, cells.place)}, .header = {{""}}, .rows = {}, .numbers = true};
  for (std::size_t column = 0; column < cells.columns; ++column) table.header.push_back({std::to_string(column + 1)});
  for (std::size_t row = 0; row < cells.rows; ++row) {
    auto& line = table.rows.emplace_back();
    line.push_back({std::to_string(row + 1)});
    for (std::size_t column = 0; column < cells.columns; ++column) {
      const std::size_t people = cells.people[row * cells.columns + column];
      line.push_back({people == 0 ? "·" : std::to_string(people)});
    }
  }
  return table;
}

// ": [1,2] 5, [3,1] 4."; a full stop where none is known.
std::string most_wrong_cells(const ClassSummary::StepOfClass& step) {
  std::vector<std::size_t> cells;  // the worst first
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    if (step.cells[at] == 0) continue;
    const auto better =
        std::ranges::find_if(cells, [&](std::size_t other) { return step.cells[other] < step.cells[at]; });
    cells.insert(better, at);
    if (cells.size() > most_cells_told) cells.pop_back();
  }
  std::vector<std::string> told;
  for (std::size_t at : cells) {
    const std::size_t people = step.cells[at];
    std::vector<std::size_t> index(step.shape.size());
    for (std::size_t axis = index.size(); axis-- > 0; at /= step.shape[axis]) index[axis] = at % step.shape[axis];
    told.push_back(spelled_index(index) + " " + std::to_string(people));
  }
  return (told.empty() ? "" : ": " + listed(told)) + ".";
}

void tell_cells(const ClassSummary& summary, Document& document) {
  const GradeWords& said = language().grades;
  constexpr std::size_t most_columns = 12, most_grids = 4;
  bool first = true;
  for (const ClassSummary::StepOfClass& step : summary.steps()) {
    if (step.wrong == 0) continue;
    if (std::exchange(first, false)) {
      document.add(Headline{2, {said.cells}});
      document.add(Prose{{said.how_cells}});
    }
    const std::string caption = said.wrong_in(capitalised(in_words(step.id)), step.wrong, step.people);
    const std::vector<WrongCells> grids = wrong_cells(step);
    const bool fits = grids.size() <= most_grids && !grids.empty() && grids.front().columns <= most_columns;
    if (!fits) document.add(Prose{{caption + most_wrong_cells(step)}});
    for (std::size_t i = 0; fits && i < grids.size(); ++i) document.add(grid(grids[i], caption));
  }
}

// All that a teacher is to look at in a hand-in.
std::vector<std::string> remarks_on(const GradedHandIn& one, const Scheme& scheme) {
  const GradeWords& said = language().grades;
  std::vector<std::string> all;
  if (!one.error.empty()) all.push_back((one.files.empty() ? "" : listed(one.files) + ": ") + one.error);
  if (!one.grade.undecided.empty())
    all.push_back(said.decide(undecided_cells(one.grade), spelled_points(undecided_points(one.grade))));
  if (const std::size_t coarse = coarse_as_right(one.grade, scheme); coarse > 0)
    all.push_back(said.coarse_counted(coarse));
  all.insert(all.end(), one.remarks.begin(), one.remarks.end());
  return all;
}

void tell_what_to_look_at(const GradedClass& graded, Document& document) {
  const GradeWords& said = language().grades;
  Table table = table_with({said.who, said.what});
  for (const Remarked& one : to_look_at(graded)) add_row(table, {shortened(one.name, widest_name), one.remark});
  if (!table.rows.empty()) {
    document.add(Headline{2, {said.to_look_at}});
    document.add(std::move(table));
  }
  const std::string absent = who_handed_in_nothing(graded);
  if (absent.empty()) return;
  document.add(Headline{2, {said.absent}});
  document.add(Prose{{absent}});
}

}  // namespace

std::string how_graded(const StepGrade& step) {
  const GradeWords& said = language().grades;
  if (!step.handed_in) return said.not_handed_in;
  if (step.other_shape) return said.other_shape;
  std::vector<std::string> parts = {std::to_string(step.right) + " of " + std::to_string(step.cells) + " " +
                                    said.right.text()};
  const auto add = [&](std::size_t count, const std::string& words) {
    if (count > 0) parts.push_back(std::to_string(count) + " " + words);
  };
  add(step.wrong, said.wrong);
  add(step.consistent, said.follow);
  add(step.too_coarse, said.coarse);
  add(step.blank, said.blank);
  add(step.missing, said.missing);
  return listed(parts);
}

std::string spelled_percent(double percent) { return shortest(rounded(percent, {1, RoundingMode::half_up})); }

std::string spelled_sum(const Grade& grade) {
  std::string text;
  for (const StepGrade& step : grade.steps) {
    if (step.of <= 0) continue;
    std::string term = spelled_points(step.earned);
    const bool is_part = step.earned > 0 && step.counted < step.cells;
    if (is_part) term = spelled_points(step.of) + "·" + std::to_string(step.counted) + "/" + std::to_string(step.cells);
    text += (text.empty() ? "" : " + ") + term;
  }
  if (text.empty()) text = "0";
  for (const Deducted& one : grade.deductions) {
    if (one.taken > 0) text += " − " + spelled_points(one.taken);
  }
  return text;
}

std::vector<std::string> told_scheme(const Scheme& scheme) {
  const GradeWords& said = language().grades;
  std::vector<std::string> points, deductions;
  for (const auto& one : scheme.points) points.push_back(in_words(one.step) + " " + spelled_points(one.points));
  for (const auto& one : scheme.deduct) {
    if (one.points > 0) deductions.push_back(one.mistake + " " + spelled_points(one.points));
  }
  std::vector<std::string> told = {
      (points.empty() ? said.one_a_step.text() : said.points_are(listed(points))) + "; " +
          (scheme.per == Scheme::Per::cell ? said.in_proportion : said.all_or_nothing).text(),
      scheme.follow_through ? said.following : said.not_following};
  const Said coarse[] = {said.coarse_right, said.coarse_wrong, said.coarse_ask};
  told.push_back(coarse[static_cast<std::size_t>(scheme.too_coarse)]);
  if (!deductions.empty()) told.push_back(said.deductions_are(listed(deductions)));
  told.push_back(said.rounds_to(shortest(scheme.round_to)));
  for (std::string& one : told) one = capitalised(one) + ".";
  return told;
}

std::string told_mistake(const std::string& id) {
  const Mistake* known = mistake_named(id);
  return (known ? known->words.what.text() : language().grades.no_known_mistake.text()) + " (" + id + ")";
}

std::string verdict_of(const GradedHandIn& one) {
  const GradeWords& said = language().grades;
  const Said verdicts[] = {said.all_right, said.with_faults, said.incomplete};
  const Said whats[] = {said.all_right, said.nothing, said.unreadable, said.no_problem};
  return one.is_graded() ? verdicts[static_cast<std::size_t>(one.verdict)] : whats[static_cast<std::size_t>(one.what)];
}

std::string likely_of(const GradedHandIn& one) {
  constexpr std::size_t most = 2;
  const std::string or_another = language().verdicts.or_another;
  std::vector<std::string> likely;
  for (const GradedHandIn::Finding& found : one.findings) {
    if (found.kind == MistakeKind::note) continue;
    std::string text = found.mistake;
    for (std::size_t i = 0; i < std::min(most, found.ties.size()); ++i) text += or_another + found.ties[i];
    text += found.ties.size() > most ? or_another + "…" : "";
    if (std::ranges::count(likely, text) == 0) likely.push_back(text);
  }
  return listed(likely);
}

std::vector<Remarked> to_look_at(const GradedClass& graded) {
  std::vector<Remarked> all;
  for (const GradedHandIn& one : graded.hand_ins) {
    if (one.what == GradedHandIn::What::nothing) continue;
    for (std::string& remark : remarks_on(one, graded.scheme)) all.push_back({one.name, std::move(remark)});
  }
  return all;
}

std::string who_handed_in_nothing(const GradedClass& graded) {
  std::string names;
  for (const GradedHandIn& one : graded.hand_ins) {
    if (one.what == GradedHandIn::What::nothing) names += (names.empty() ? "" : "; ") + one.name;
  }
  return names.empty() ? "" : names + ".";
}

bool has_different_points(const GradedClass& graded) {
  const auto is_other = [&](const GradedHandIn& one, const GradedHandIn& two) { return one.grade.of != two.grade.of; };
  const GradedHandIn* first = nullptr;
  for (const GradedHandIn& one : graded.hand_ins) {
    if (!one.is_graded()) continue;
    if (first && is_other(*first, one)) return true;
    first = &one;
  }
  return false;
}

std::vector<std::string> told_overview(const GradedClass& graded) {
  const GradeWords& said = language().grades;
  std::vector<std::string> parts;
  std::size_t handed_in = 0;
  for (const GradedHandIn& one : graded.hand_ins) handed_in += one.what == GradedHandIn::What::nothing ? 0 : 1;
  for (const Said& words : {said.all_right, said.incomplete, said.with_faults, said.unreadable, said.no_problem}) {
    const auto count = std::ranges::count(graded.hand_ins, words.text(), verdict_of);
    if (count > 0) parts.push_back(std::to_string(count) + " " + words.text());
  }
  std::string first = said.of_class(handed_in, parts);
  if (const std::size_t none = graded.hand_ins.size() - handed_in; none > 0)
    first += " " + capitalised(said.nothing.text()) + ": " + std::to_string(none) + ".";
  std::vector<std::string> told = {first};
  if (graded.summary.hand_ins() > 0)
    told.push_back(said.mean_and_median(spelled_percent(graded.summary.mean_percent()),
                                        spelled_percent(graded.summary.median_percent())));
  return told;
}

std::vector<WrongCells> wrong_cells(const ClassSummary::StepOfClass& step) {
  if (step.cells.empty() || step.shape.empty()) return {};
  const std::size_t rank = step.shape.size();
  const std::size_t columns = step.shape.back(), rows = rank > 1 ? step.shape[rank - 2] : 1;
  if (rows * columns == 0) return {};
  std::vector<WrongCells> grids;
  for (std::size_t at = 0; at < step.cells.size(); at += rows * columns) {
    WrongCells one{.place = "", .rows = rows, .columns = columns, .people = {}};
    one.people.assign(step.cells.begin() + static_cast<std::ptrdiff_t>(at),
                      step.cells.begin() + static_cast<std::ptrdiff_t>(at + rows * columns));
    std::size_t left = at / (rows * columns);
    for (std::size_t axis = rank > 2 ? rank - 2 : 0; axis-- > 0; left /= step.shape[axis])
      one.place = std::to_string(left % step.shape[axis] + 1) + (one.place.empty() ? "" : ",") + one.place;
    if (!one.place.empty()) one.place = "[" + one.place + ",·,·]";
    if (std::ranges::any_of(one.people, [](std::size_t people) { return people > 0; })) grids.push_back(std::move(one));
  }
  return grids;
}

Document feedback(const GradedHandIn& graded, const Report& report, const Trace& trace, const Scheme& scheme) {
  const GradeWords& said = language().grades;
  Document document = titled(trace.title);
  if (!graded.name.empty()) document.add(Prose{{language().verdicts.handed_in_by(graded.name)}});
  for (const std::string& part : graded.unread) document.add(Remark{{capitalised(said.part_not_read(part))}});
  tell_points(graded.grade, scheme, document);
  tell_coarse(graded.grade, scheme, document);
  document.add(Headline{2, {said.what_was_found}});
  tell_verdict(report, trace, {.follows_counts = scheme.follow_through}, 3, document);
  return document;
}

Document feedback_without_grade(const GradedHandIn& one) {
  Document document = titled(language().grades.title);
  if (!one.name.empty()) document.add(Prose{{language().verdicts.handed_in_by(one.name)}});
  document.add(Prose{{language().grades.not_graded_yet}});
  std::vector<std::string> names;  // the folder is the teacher's
  for (const std::string& file : one.files) names.push_back(file.substr(file.rfind('/') + 1));
  document.add(Prose{{listed(names) + ": " + one.error + (one.help.empty() ? "" : "; " + one.help)}});
  return document;
}

Document told_class(const GradedClass& graded) {
  const GradeWords& said = language().grades;
  Document document = titled(dotted(said.title, graded.title));
  for (const std::string& sentence : told_overview(graded)) document.add(Prose{{sentence}});
  std::string scheme;
  for (const std::string& sentence : told_scheme(graded.scheme)) scheme += (scheme.empty() ? "" : " ") + sentence;
  document.add(Prose{{scheme}});
  if (has_different_points(graded)) document.add(Remark{{said.different_points}});
  tell_what_to_look_at(graded, document);
  document.add(Headline{2, {said.everybody}});
  document.add(people_table(graded));
  if (graded.summary.hand_ins() == 0) return document;
  tell_distribution(graded.summary, document);
  tell_mistakes(graded.summary, document);
  tell_cells(graded.summary, document);
  return document;
}

}  // namespace attn
