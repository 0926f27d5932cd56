#include "explain/telling/exactness.h"

#include <utility>

#include <fmt/core.h>

#include "base/numbers.h"
#include "explain/arithmetic/lines.h"
#include "ops/regroups.h"
#include "trace/bounds.h"
#include "words/language.h"

namespace attn {
namespace {

// Of two digits, and never less than it is.
std::string spelled(double bound) {
  double read = 0;
  const std::string nearest = fmt::format("{:.2g}", bound);
  parse_number(nearest, read);
  return read < bound ? fmt::format("{:.2g}", 1.05 * bound) : nearest;
}

// So many digits less than the dtype has are worth a word.
bool is_poor(const Goodness& good, Dtype dtype) { return good.digits + 4 <= significant_digits(dtype); }

// Of a table, briefly.
std::string words_of(const Trace& trace, const CellNames& names, const Step& step, const Goodness& good, bool briefly) {
  const TellingWords& said = language().telling;
  if (good.is_exact) return good.unknown > 0 ? said.not_known(good.unknown) : said.exact.text();
  const bool names_worst = is_poor(good, trace.arithmetic.dtype) && step.result.size() > 1;
  const int digits = names_worst ? 0 : good.digits;
  const std::string bound = spelled(good.absolute);
  std::string words = said.good_to(digits, briefly ? "" : bound);
  if (briefly) words += (words.empty() ? "" : ", ") + said.at_most(bound);
  if (names_worst) words += said.worst_is(names.of({step.heading.id, good.worst, 0, 1}).text, good.digits);
  if (good.unknown > 0) words += "; " + said.not_known(good.unknown);
  return words;
}

}  // namespace

std::string exactness_words(const Trace& trace, const Step& step) {
  if (!step.bounds() || regroups(step.op)) return "";
  return words_of(trace, CellNames(trace), step, goodness_of(step.result, step.bounds()->since), false);
}

std::optional<Table> exactness(const Trace& trace, std::span<const Step* const> steps) {
  const TellingWords& said = language().telling;
  const CellNames names(trace);
  Table table;
  table.header = {{""}, {said.since_givens}, {said.by_itself}};
  for (const Step* step : steps) {
    if (!step->bounds() || regroups(step->op)) continue;
    const Goodness since = goodness_of(step->result, step->bounds()->since);
    const Goodness own = goodness_of(step->result, step->bounds()->own);
    const std::string by_itself = !own.is_exact     ? said.at_most(spelled(own.absolute))
                                  : own.unknown > 0 ? said.not_known(own.unknown)
                                                    : said.exact.text();
    const std::string title = part_title(trace, *step);
    Inline name = {Span(step->heading.symbol, step->heading.role)};
    if (!title.empty()) name.insert(name.begin(), Span(title + ": "));
    table.rows.push_back({std::move(name), {words_of(trace, names, *step, since, true)}, {by_itself}});
  }
  return table.rows.empty() ? std::nullopt : std::optional(std::move(table));
}

}  // namespace attn
