#include "explain/reports/lint.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/text.h"
#include "explain/place.h"
#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {
namespace {

// "x₂[1]", "W_Q[2,3]": a vector's number by the vector, any other by its row and column.
std::string name_of_cell(const Trace& trace, const Change& change) {
  const Heading& heading = trace.heading(change.given);
  const Shape& shape = trace.value(change.given).shape();
  const std::vector<std::size_t> index = shape.index(change.cell);
  Place place;
  std::string within;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (heading.role == Role::input && !is_position(shape[axis].axis) && !is_outer(shape[axis].axis)) {
      within += "[" + std::to_string(index[axis] + 1) + "]";
    } else {
      place.emplace_back(shape[axis].axis, index[axis]);
    }
  }
  const std::string outer = place_words(shape, place);
  return Symbols(trace).part(heading, shape, place).text + within + (outer.empty() ? "" : " (" + outer + ")");
}

}  // namespace

std::vector<std::string> advice_in_words(const Trace& trace, const Advice& advice) {
  const LintWords& said = language().lint;
  std::vector<std::string> lines;
  std::string changes;
  for (const Change& change : advice.changes) {
    const std::string one = said.change(name_of_cell(trace, change), shortest(change.from), shortest(change.to));
    changes += (changes.empty() ? "" : said.and_then.text()) + one;
  }
  const std::size_t left = advice.left.invisible.size() + advice.left.alike.size();
  if (!changes.empty()) lines.push_back(changes + (left > 0 ? ": " + said.left(left) : ""));
  if (changes.empty() && advice.left.by_numbers() > 0) lines.push_back(said.no_change_helps);
  for (const std::string& sizes : advice.sizes) lines.push_back(said.other_sizes(sizes));
  return lines;
}

Document told_lint(const LintReport& report) {
  const LintWords& said = language().lint;
  Document document{{Headline{1, {dotted(said.title.text(), printable(report.title))}}}};
  document.add(Prose{{said.how_compared(report.digits)}});
  if (report.lint.is_silent()) document.add(Prose{{said.nothing_found}});
  if (!report.lint.invisible.empty()) document.add(Headline{2, {said.changes_nothing}});
  for (const Invisible& one : report.lint.invisible) {
    std::string text =
        said.invisible(one.mistake, mistake_named(one.mistake)->words.what, one.from == SeenFrom::result);
    if (!one.variants.empty()) text += said.only_readings(listed(one.variants));
    document.add(Prose{{text}});
  }
  if (!report.lint.alike.empty()) document.add(Headline{2, {said.look_alike}});
  for (const Alike& group : report.lint.alike) {
    document.add(Prose{{said.alike(listed(group.mistakes), group.from == SeenFrom::result)}});
  }
  if (!report.advice.empty()) document.add(Headline{2, {said.what_helps}});
  for (const std::string& line : report.advice) document.add(Prose{{capitalised(line) + "."}});
  return document;
}

}  // namespace attn
