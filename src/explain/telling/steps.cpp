#include "explain/telling/steps.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "explain/place.h"
#include "explain/telling/exactness.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "words/language.h"

namespace attn {
namespace {

// Up to so many products, lines or numbers a level is readable.
constexpr std::size_t most_products_at_cells = 300;
constexpr std::size_t most_numbers_at_rows = 1000;
constexpr std::size_t most_numbers_at_steps = 20'000;

// How much of a step the options leave.
std::size_t numbers_told(const Step& step, const ExplainOptions& options) {
  std::size_t numbers = 1;
  bool one_row = options.brief;  // of those along the first axis of positions, at one place
  for (const Dim& dim : step.result.shape().dims()) {
    const bool is_row = one_row && is_position(dim.axis);
    one_row = one_row && !is_row;
    const bool one = (dim.axis == "batch" && options.batch) || (dim.axis == "head" && options.head) ||
                     (dim.axis == "query" && options.query) || (options.brief && is_outer(dim.axis)) || is_row;
    numbers *= one ? 1 : dim.size;
  }
  return numbers;
}

std::size_t products_told(const Trace& trace, const Step& step, const ExplainOptions& options) {
  const auto* contract = std::get_if<Contract>(&step.op);
  if (!contract) return numbers_told(step, options);
  const Operand& first = step.operands[0];
  if (!trace.find(first.id) && !trace.find_given(first.id)) return numbers_told(step, options);
  return numbers_told(step, options) * shape_as_read(first, trace.value(first.id).shape()).size(contract->over);
}

ExplainOptions at_length(ExplainOptions options) {
  options.brief = false;
  return options;
}

// How many of so many weighted values there are in matrices, one a query: of a few queries.
std::size_t numbers_of_queries(std::size_t numbers, std::size_t queries, const ExplainOptions& options) {
  return options.full || options.query ? numbers : numbers / queries * std::min(queries, most_queries);
}

// The same where only matrices are told: of a step that is one a query, a few.
std::size_t numbers_in_matrices(const Step& step, const ExplainOptions& options) {
  const Shape& shape = step.result.shape();
  const std::size_t numbers = numbers_told(step, options);
  const auto inner = std::ranges::count_if(shape.dims(), [](const Dim& dim) { return !is_outer(dim.axis); });
  if (!shape.has("query") || inner < 3) return numbers;
  return numbers_of_queries(numbers, shape.size("query"), options);
}

// How many weighted values a step adds up that are no step of their own.
std::size_t weighted_values_in(const Trace& trace, const Step& step, const ExplainOptions& options) {
  const auto* contract = std::get_if<Contract>(&step.op);
  const bool is_context = contract && contract->over == "key" && step.heading.role == Role::output;
  return is_context ? products_told(trace, step, options) : 0;
}

// How closely as much fits a person. What is brief is told as closely as the same at length:
// it leaves out, and adds nothing.
Level fitting_level(const Trace& trace, const std::vector<const Step*>& steps, const ExplainOptions& asked) {
  const ExplainOptions options = at_length(asked);
  std::size_t products = 0;
  std::size_t numbers = 0;
  std::size_t in_matrices = 0;
  for (const Step* step : steps) {
    products += products_told(trace, *step, options);
    numbers += numbers_told(*step, options);
    in_matrices += numbers_in_matrices(*step, options);
    if (!asked.brief) continue;
    const std::size_t left_out = weighted_values_in(trace, *step, options);
    numbers += left_out;
    if (left_out > 0) in_matrices += numbers_of_queries(left_out, step->result.shape().size("query"), options);
  }
  if (products <= most_products_at_cells) return Level::cells;
  if (numbers <= most_numbers_at_rows) return Level::rows;
  return in_matrices <= most_numbers_at_steps ? Level::steps : Level::result;
}

// Whether the step has the head and the query that are asked for: layers may differ in both.
bool has_place(const Trace& trace, const Step& step, const ExplainOptions& options) {
  const Shape& shape = step.result.shape();
  const std::size_t head = head_of(trace, step.heading.id, options.head.value_or(0));
  return (!shape.has("head") || head <= shape.size("head")) &&
         (!options.query || !shape.has("query") || *options.query <= shape.size("query"));
}

std::vector<const Step*> steps_told(const Trace& trace, const ExplainOptions& options) {
  std::vector<const Step*> steps;
  const Step* result = trace.find("result");
  // Where each is rounded, the context is their sum.
  const bool brief = options.brief && options.only.empty() && !rounds_each_step(trace.arithmetic);
  for (const Step& step : trace.steps) {
    if (brief && step.heading.role == Role::weighted_value) continue;
    const bool asked = options.only.empty() ? is_told(step.part, options)
                                            : std::ranges::any_of(options.only, [&](const std::string& id) {
                                                return id == step.heading.id || (id == "result" && &step == result);
                                              });
    if (asked && has_place(trace, step, options)) steps.push_back(&step);
  }
  return steps;
}

// What is told, and how closely.
struct Told {
  std::vector<const Step*> steps;
  Level level;
  bool head_alone = false;  // of a part of a block, what no other head shares
};

// In brief, matrices that only put numbers of others in another order: all heads' keys as each
// head's, the contexts of all heads side by side.
bool only_regroups(const Step* step) {
  return std::holds_alternative<Split>(step->op) || std::holds_alternative<Merge>(step->op);
}

// Where one head is asked for and all of its part would not fit, its own steps do.
Told told_closely(const Trace& trace, const ExplainOptions& options) {
  std::vector<const Step*> steps = steps_told(trace, options);
  if (options.level) return {std::move(steps), *options.level};
  const Level level = fitting_level(trace, steps, options);
  if (level > Level::result || !options.head || options.parts.empty()) return {std::move(steps), level};
  std::vector<const Step*> of_head = steps;
  std::erase_if(of_head, [](const Step* step) { return !step->result.shape().has("head"); });
  if (of_head.empty()) return {std::move(steps), level};
  if (fitting_level(trace, of_head, options) == Level::result) {
    std::erase_if(of_head, [](const Step* step) { return step->heading.role == Role::weighted_value; });
  }
  const Level closer = std::min(fitting_level(trace, of_head, options), Level::steps);
  return {std::move(of_head), closer, true};
}

Told what_is_told(const Trace& trace, const ExplainOptions& options) {
  Told told = told_closely(trace, options);
  const bool may_leave_out = options.brief && options.only.empty() && told.level == Level::steps;
  if (may_leave_out && !rounds_each_step(trace.arithmetic)) std::erase_if(told.steps, only_regroups);
  return told;
}

// Of every level but the last, what is told; and how to see more, unless this much was asked for.
void say_level(const Told& told, bool was_asked_for, Document& document) {
  if (told.level == Level::cells) return;
  const TellingWords& said = language().telling;
  const std::pair<Said, Said> levels[] = {
      {said.only_the_result, said.steps_by}, {said.every_matrix, said.rows_by}, {said.every_row, said.products_by}};
  const bool of_head = told.head_alone && told.level == Level::steps;
  const auto& [words, more] =
      of_head ? std::pair(said.only_the_head, said.shared_by) : levels[static_cast<std::size_t>(told.level)];
  document.add(Prose{{words}});
  if (!was_asked_for) document.hint(more);
}

// Whether scores become weights among these; online, they are in the exponentials of blocks.
bool has_weights(const std::vector<const Step*>& steps) {
  return std::ranges::any_of(steps, [](const Step* step) {
    return step->heading.role == Role::attention_weight || std::holds_alternative<Online>(step->op);
  });
}

// How scores become weights: what is said before the weights, and of them. Nothing where attentions differ in it.
struct HowWeighed {
  std::optional<std::string> makes, are;
};

std::optional<HowWeighed> weighing_of(const Step& step) {
  const TellingWords& said = language().telling;
  if (std::holds_alternative<Online>(step.op)) {
    return HowWeighed{language().online.idea_softmax.text(), said.idea_sum_1.text()};
  }
  const auto* softmax = std::get_if<Softmax>(&step.op);
  if (!softmax) return std::nullopt;
  if (softmax->part == Softmax::Part::shares) return HowWeighed{said.idea_shares.text(), said.idea_shares_sum_1.text()};
  if (softmax->part != Softmax::Part::maximum) return std::nullopt;
  const bool has_sink = step.operands.size() > 1;
  return HowWeighed{said.idea_softmax.text(), (has_sink ? said.idea_sum_less : said.idea_sum_1).text()};
}

// What all attentions of these steps have in common of it.
HowWeighed common_weighing(const std::vector<const Step*>& steps) {
  std::optional<HowWeighed> common;
  for (const Step* step : steps) {
    const std::optional<HowWeighed> its = weighing_of(*step);
    if (!its) continue;
    if (!common) common = its;
    if (common->makes != its->makes) common->makes.reset();
    if (common->are != its->are) common->are.reset();
  }
  return common.value_or(HowWeighed{});
}

// What attention does, in a few lines.
Prose idea(const std::vector<const Step*>& steps) {
  const TellingWords& said = language().telling;
  const Span query(said.query, Role::query), key(said.key, Role::key), values(said.values, Role::value);
  const Span score(said.score, Role::score), weights(said.weights, Role::attention_weight);
  const Span context(said.context, Role::output);
  const auto [makes, are] = common_weighing(steps);
  Inline told = {said.idea_each, query, said.idea_compared, key, said.idea_match, score};
  const auto add = [&](const Inline& more) { told.insert(told.end(), more.begin(), more.end()); };
  if (makes) add({*makes, weights});
  if (makes && are) add({*are, values, said.idea_added, context});
  told.emplace_back(said.idea_end);
  return {std::move(told)};
}

// Up to so many numbers behind those told are kept, unless all is asked for.
constexpr std::size_t most_numbers_behind = 50'000;

// Every matrix of the trace that no block of the document shows.
void add_what_is_behind(const Trace& trace, const ExplainOptions& options, const Numerals& numerals,
                        Document& document) {
  std::set<std::tuple<std::string, std::size_t, std::size_t>> told;  // step, first cell, how many
  for (const Block& block : document.blocks) {
    if (const auto* matrix = std::get_if<Matrix>(&block)) {
      told.emplace(matrix->step, matrix->first, matrix->cells.size());
    }
  }
  std::size_t numbers = 0;
  const auto add = [&](const Heading& heading) {
    for (const Place& place : outer_places(trace.value(heading.id).shape(), 0, 0)) {
      for (Matrix& matrix : matrices_at(trace, numerals, heading.id, place)) {
        numbers += matrix.cells.size();
        if (!options.full && numbers > most_numbers_behind) return;
        const bool is_told = told.contains({matrix.step, matrix.first, matrix.cells.size()});
        if (!is_told) document.behind.push_back(std::move(matrix));
      }
    }
  };
  for (const GivenTensor& given : trace.givens) add(given.heading);
  for (const Step& step : trace.steps) add(step.heading);
}

// Notes, but for those about another sequence, head or query than the one asked for.
std::vector<const Note*> notes_about(const Trace& trace, const ExplainOptions& options) {
  std::vector<const Note*> notes;
  for (const Note& note : trace.notes) {
    const Step* step = trace.find(note.step);
    if (step && !is_told(step->part, options)) continue;
    const auto is_elsewhere = [&](const Axis& axis, std::optional<std::size_t> asked) {
      if (!asked || (!trace.find(note.step) && !trace.find_given(note.step))) return false;
      const auto at = trace.value(note.step).shape().position(axis);
      return at && *at < note.index.size() && note.index[*at] + 1 != *asked;
    };
    const bool elsewhere = is_elsewhere("batch", options.batch) || is_elsewhere("head", options.head) ||
                           is_elsewhere("query", options.query);
    if (!elsewhere) notes.push_back(&note);
  }
  return notes;
}

Document everything_told(const Trace& trace, ExplainOptions options, const Told& told, const Numerals& numerals) {
  const auto& [steps, level, head_alone] = told;
  options.head_alone = head_alone;
  Document document = titled(trace.title);
  for (const std::string& line : trace.remarks) document.add(Prose{{line}, true});
  if (level >= Level::rows && options.only.empty() && has_weights(steps)) document.add(idea(steps));
  say_level(told, options.level.has_value(), document);

  Remarks remarks(notes_about(trace, options), options.full);
  narrate(trace, options, level, steps, numerals, remarks, document);
  if (!options.only.empty()) return document;

  if (auto table = checks(trace, steps, numerals)) {
    document.add(Headline{2, {language().telling.what_must_hold}});
    document.add(std::move(*table));
  }
  if (auto table = exactness(trace, steps)) {
    document.add(Headline{2, {language().telling.how_exact}});
    document.add(std::move(*table));
  }
  if (remarks.has_more()) document.add(Headline{2, {language().telling.notes}});
  remarks.add_rest(document);
  return document;
}

}  // namespace

TermLimit term_limit(const ExplainOptions& options) {
  if (options.top) return {*options.top, TermLimit::Kept::largest};
  return options.full ? no_limit : usual_terms;
}

std::size_t bytes_told(const Trace& trace, const ExplainOptions& options) {
  const auto [steps, level, head_alone] = what_is_told(trace, options);
  // Of matrices every number is kept, and where none is left out they are written one after another.
  constexpr std::size_t bytes_kept = 16, bytes_written = 240;
  std::size_t in_matrices = 0, in_largest = 0;
  if (level >= Level::steps) {
    for (const Step* step : steps) {
      const std::size_t numbers = numbers_told(*step, at_length(options));
      in_matrices += numbers;
      in_largest = std::max(in_largest, numbers);
    }
  }
  const std::size_t of_matrices = in_matrices * bytes_kept + (options.full ? in_largest * bytes_written : 0);
  if (level < Level::rows) return of_matrices;
  constexpr std::size_t most_rows = most_places * most_queries;
  const std::size_t most_terms = term_limit(options).most;
  std::size_t terms = 0;
  for (const Step* step : steps) {
    const std::size_t numbers = numbers_told(*step, options);
    if (numbers == 0 || is_given(*step)) continue;
    const std::size_t columns = step->result.shape().rank() == 0 ? 1 : step->result.shape().back().size;
    const std::size_t rows = options.full ? numbers / columns : std::min(numbers / columns, most_rows);
    const std::size_t of_each = level == Level::cells ? products_told(trace, *step, options) / numbers : 1;
    const std::size_t on_a_row = options.full ? columns : std::min(columns, most_lines_of_a_row);
    const std::size_t lines = level == Level::cells ? rows * on_a_row : rows;
    const std::size_t on_each = std::min(level == Level::cells ? of_each : columns, most_terms);
    terms += lines * (on_each + terms_a_line_is_worth);
  }
  return terms * bytes_of_a_term + of_matrices;
}

Document explain(const Trace& trace, const ExplainOptions& options) {
  const Told told = what_is_told(trace, options);
  const Numerals numerals(decimals_shown(options.precision), trace,
                          told.level == Level::cells ? Tiny::two_digits : Tiny::as_zero);
  Document document = everything_told(trace, options, told, numerals);
  document.is_selection = !options.only.empty();
  document.precision = numerals.precision();
  document.tolerance = numerals.tolerance();
  if (options.only.empty() && options.parts.empty()) document.outline = outline(trace, numerals);
  tell_geometry(trace, options, numerals, document);
  if (options.behind) add_what_is_behind(trace, options, numerals, document);
  return document;
}

}  // namespace attn
