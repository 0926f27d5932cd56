#include "explain/telling/narrator.h"

#include <algorithm>
#include <utility>

#include "explain/telling/axes.h"
#include "problem/labels.h"
#include "words/language.h"

namespace attn {
namespace {

// Unless all is asked for: so many queries, rows, and terms of a sum.
constexpr std::size_t most_rows = 12;
constexpr std::size_t most_terms = 16;
constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

// Whether two steps are told in one go, query by query.
bool go_together(const Step& a, const Step& b) {
  const Shape& x = a.result.shape();
  const Shape& y = b.result.shape();
  return !is_given(a) && !is_given(b) && x.has("query") && y.has("query") && x.has("batch") == y.has("batch") &&
         x.has("head") == y.has("head");
}

// The axis whose rows a step by itself is told by.
const Dim* positions(const std::vector<Dim>& inner) {
  const auto found = std::ranges::find_if(inner, [](const Dim& dim) { return is_position(dim.axis); });
  return found == inner.end() ? nullptr : &*found;
}

// The rest of a place's words behind those that were said already.
std::string without(const std::string& said, const std::string& words) {
  if (said.empty() || !words.starts_with(said)) return words;
  const std::size_t rest = words.find_first_not_of(" ·", said.size());
  return rest == std::string::npos ? "" : words.substr(rest);
}

// Whether a note is about what stands at that place.
bool is_about(const Note& note, const Shape& shape, const Place& place) {
  for (const auto& [axis, index] : place) {
    const auto at = shape.position(axis);
    if (at && *at < note.index.size() && note.index[*at] != index) return false;
  }
  return true;
}

}  // namespace

Narrator::Narrator(const Trace& trace, const ExplainOptions& options, Level level, const Numerals& numerals,
                   Document& document)
    : trace_(trace),
      options_(options),
      level_(level),
      document_(document),
      lines_(trace, numerals, options.full ? no_limit : most_terms),
      matrices_(trace, numerals),
      told_(trace.notes.size()) {
  for (std::size_t i = 0; i < trace.notes.size(); ++i) notes_of_[trace.notes[i].step].push_back(i);
}

void Narrator::tell(std::span<const Step* const> steps) {
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t end = i + 1;
    while (end < steps.size() && go_together(*steps[i], *steps[end])) ++end;
    if (end - i > 1) {
      tell_by_query(steps.subspan(i, end - i));
    } else if (!is_given(*steps[i])) {
      tell_alone(*steps[i]);
    }
    i = end;
  }
}

void Narrator::tell_alone(const Step& step) {
  add(Headline{2, {step.heading.title}});
  say_what_a_product_is(step);
  const std::vector<Place> places = places_of(step);
  const std::size_t shown = most(most_places, places.size());
  for (const Place& place : std::span(places).first(shown)) {
    const std::string where = place_words(step.result.shape(), place);
    if (level_ >= Level::rows && !regroups(step.op)) {
      if (!where.empty()) add(Headline{3, {where}});
      tell_rows(step, place);
    }
    add_matrices(step, place, [&](Matrix& matrix) {
      // The headlines say it.
      matrix.title.clear();
      if (level_ >= Level::rows && !regroups(step.op)) matrix.place = without(where, matrix.place);
    });
    add_notes(step, place);
  }
  say_left_out(places.size() - shown, language().telling.more_of_these.text(), language().telling.one_place.text());
}

// Once, before the first of them is written out.
void Narrator::say_what_a_product_is(const Step& step) {
  if (level_ != Level::cells || said_product_ || !std::holds_alternative<Contract>(step.op)) return;
  said_product_ = true;
  add(Prose{{language().telling.dot_product}});
}

void Narrator::tell_rows(const Step& step, const Place& place) {
  const std::vector<Dim> inner = inner_axes(step.result.shape(), place);
  const Dim* down = positions(inner);
  if (!down || (inner.size() == 1 && level_ == Level::cells)) {
    if (level_ == Level::cells) add(lines_.cells(step, place));
    return;
  }

  std::size_t padded = 0;
  const std::vector<std::string> labels = axis_labels(trace_, step.heading, *down, place);
  const std::vector<std::size_t> rows = rows_of(*down, labels, place, padded);
  const std::size_t shown = most(most_rows, rows.size());
  Derivation brief;
  for (const std::size_t row : std::span(rows).first(shown)) {
    if (level_ == Level::cells) {
      Derivation cells = lines_.cells(step, with(place, down->axis, row));
      cells.title = labels[row];
      add(std::move(cells));
    } else {
      brief.lines.push_back(lines_.row(step, with(place, down->axis, row)));
    }
  }
  if (!brief.lines.empty()) add(std::move(brief));
  say_left_out(rows.size() - shown, language().telling.more_rows.text(), "");
  say_padded(padded, down->axis);
}

void Narrator::tell_by_query(std::span<const Step* const> run) {
  const std::vector<Place> places = places_of(*run.front());
  const std::size_t shown = most(most_places, places.size());
  const Dim queries{"query", run.front()->result.shape().size("query")};

  for (const Place& place : std::span(places).first(shown)) {
    if (level_ >= Level::rows) {
      const std::vector<std::string> labels = axis_labels(trace_, run.front()->heading, queries, place);
      std::size_t padded = 0;
      const std::vector<std::size_t> rows = rows_of(queries, labels, place, padded);
      const std::size_t told = most(most_queries, rows.size());
      for (const std::size_t row : std::span(rows).first(told)) tell_query(run, with(place, "query", row));
      say_left_out(rows.size() - told, language().telling.more_queries.text(), language().telling.one_query.text());
      say_padded(padded, "query");
    }
    tell_together(run, place);
  }
  say_left_out(places.size() - shown, language().telling.more_places.text(), language().telling.one_place.text());
}

// Whose queries are told: of which head of which sequence, or of all heads again.
std::string Narrator::where_words(const Step& step, const Place& place) const {
  std::string words = place_words(step.result.shape(), place);
  const bool of_all_heads =
      !step.result.shape().has("head") &&
      std::ranges::any_of(trace_.steps, [](const Step& other) { return other.result.shape().has("head"); });
  if (of_all_heads) words += (words.empty() ? "" : " · ") + language().telling.all_heads.text();
  return words;
}

void Narrator::tell_query(std::span<const Step* const> run, const Place& place) {
  const Step& first = *run.front();
  const Shape& shape = first.result.shape();
  const std::size_t query = place.back().second;
  const std::string number = std::to_string(query + 1);
  const std::string label = axis_label(trace_, first.heading, {"query", shape.size("query")}, place, query);
  std::string words = where_words(first, place);
  words += (words.empty() ? "" : " · ") + language().telling.one_query_told(number);
  if (label != number) words += " · " + label;
  add(Headline{2, {words}});

  Derivation brief;
  for (const Step* step : run) {
    if (level_ == Level::cells) {
      add(lines_.cells(*step, place));
      add_notes(*step, place);
    } else if (inner_axes(step->result.shape(), place).size() < 2) {
      brief.lines.push_back(lines_.row(*step, place));
      brief.lines.back().label.clear();
    }
  }
  if (level_ == Level::cells) return;
  add(std::move(brief));
  for (const Step* step : run) add_notes(*step, place);
}

// What was told query by query, put together: the matrices of all queries.
void Narrator::tell_together(std::span<const Step* const> run, const Place& place) {
  const bool told = level_ >= Level::rows;
  if (told && options_.query) return;
  const std::string where = place_words(run.front()->result.shape(), place);
  if (told) {
    const std::string whose = where_words(*run.front(), place);
    add(Headline{2, {whose + (whose.empty() ? "" : " · ") + language().telling.all_queries.text()}});
  } else if (!where.empty()) {
    add(Headline{2, {where}});
  }
  for (const Step* step : run) {
    const bool is_matrix = inner_axes(step->result.shape(), place).size() == 2;
    if (told && !is_matrix) continue;
    // The headline says where.
    add_matrices(*step, place, [&](Matrix& matrix) { matrix.place = without(where, matrix.place); });
    add_notes(*step, place);
  }
}

void Narrator::tell_matrices(const Step& step) {
  const std::vector<Place> places = places_of(step);
  const std::size_t shown = most(most_places, places.size());
  for (const Place& place : std::span(places).first(shown)) {
    add_matrices(step, place, [](Matrix&) {});
    add_notes(step, place);
  }
  say_left_out(places.size() - shown, language().telling.more_of_these.text(), language().telling.one_place.text());
}

// A step with an axis more than a matrix has is one matrix a query.
void Narrator::add_matrices(const Step& step, const Place& place, const std::function<void(Matrix&)>& adapt) {
  std::vector<Matrix> matrices = matrices_.of(step, place, only_query());
  const std::size_t shown = most(most_queries, matrices.size());
  for (Matrix& matrix : std::span(matrices).first(shown)) {
    adapt(matrix);
    add(std::move(matrix));
  }
  say_left_out(matrices.size() - shown, language().telling.more_queries.text(), language().telling.one_query.text());
}

void Narrator::add_notes(const Step& step, const Place& place) {
  const auto notes = notes_of_.find(step.heading.id);
  if (notes == notes_of_.end()) return;
  for (const std::size_t i : notes->second) {
    const Note& note = trace_.notes[i];
    if (told_[i] || !is_about(note, step.result.shape(), place)) continue;
    told_[i] = true;
    add(Remark{{note.message}});
  }
}

std::vector<const Note*> Narrator::untold() const {
  std::vector<const Note*> notes;
  for (std::size_t i = 0; i < trace_.notes.size(); ++i) {
    if (!told_[i]) notes.push_back(&trace_.notes[i]);
  }
  return notes;
}

void Narrator::say_left_out(std::size_t count, const std::string& what, const std::string& how) {
  if (count == 0) return;
  add(Prose{{language().telling.left_out(count, what, how)}});
}

void Narrator::say_padded(std::size_t count, const Axis& axis) {
  if (count == 0) return;
  add(Remark{{language().telling.padded(count, axis_words(axis))}});
}

std::vector<Place> Narrator::places_of(const Step& step) const {
  return outer_places(step.result.shape(), options_.batch.value_or(0), options_.head.value_or(0));
}

// The rows to tell: of queries the one asked for; else those that are no padding.
std::vector<std::size_t> Narrator::rows_of(const Dim& dim, const std::vector<std::string>& labels, const Place& place,
                                           std::size_t& padded) const {
  if (dim.axis == "query" && options_.query) return {*options_.query - 1};
  const std::size_t sequence = sequence_of(place);
  const bool counted = dim.axis == "query" && sequence < trace_.own_queries.size();
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < dim.size; ++i) {
    const bool own = counted ? i < trace_.own_queries[sequence] : labels[i] != padding_label;
    if (own) rows.push_back(i);
  }
  padded = dim.size - rows.size();
  return rows;
}

// What is known before any step: truncation, padding, a shape that may be misread.
void Narrator::tell_notes_on_givens() {
  for (std::size_t i = 0; i < trace_.notes.size(); ++i) {
    const Step* step = trace_.find(trace_.notes[i].step);
    if (!trace_.notes[i].step.empty() && (!step || !is_given(*step))) continue;
    told_[i] = true;
    add(Remark{{trace_.notes[i].message}});
  }
}

std::optional<std::size_t> Narrator::only_query() const {
  if (!options_.query) return std::nullopt;
  return *options_.query - 1;
}

}  // namespace attn
