#include "explain/telling/why.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "explain/place.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "explain/telling/steps.h"
#include "words/language.h"

namespace attn {
namespace {

// Unless all is asked for: about so many lines.
constexpr std::size_t most_lines = 150;

// And of the sum asked for so many terms, which are about as many lines.
constexpr std::size_t most_terms_asked = 900;

// "query 1 (it), key 2 (dog)"
std::string place_of_cell(const Trace& trace, const Asked& asked) {
  const Heading& heading = trace.heading(asked.id);
  const Shape& shape = trace.value(asked.id).shape();
  const std::vector<std::size_t> index = shape.index(*asked.cell);
  std::string words;
  Place place;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const Dim& dim = shape[axis];
    const std::string number = std::to_string(index[axis] + 1);
    const std::string label = axis_label(trace, heading, dim, place, index[axis]);
    words += (words.empty() ? "" : ", ") + std::string(dim.axis == "batch" ? "sequence" : dim.axis) + " " + number;
    if (!is_numbered(label, index[axis])) words += " (" + label + ")";
    place.emplace_back(dim.axis, index[axis]);
  }
  return words;
}

// As deep as is asked for, else as deep as fits.
Ancestry fitting(const Trace& trace, const Asked& asked, const WhyOptions& options, const Numerals& numerals,
                 std::size_t most_bytes, std::size_t& depth) {
  const std::size_t most_terms = options.top.value_or(options.full ? no_limit : usual_terms);
  const std::size_t most_asked = options.top.value_or(options.full ? no_limit : most_terms_asked);
  const auto told = [&](std::size_t lines) {
    return ancestry(trace, asked.id, *asked.cell, numerals,
                    {depth, lines, most_terms, most_asked, most_bytes, options.depth || options.full});
  };
  const std::size_t deepest = levels_below(trace, asked.id);
  depth = options.depth.value_or(deepest);
  if (options.depth || options.full) return told(no_limit);
  Ancestry all = told(most_lines);
  if (all.complete) return all;
  for (depth = 1; depth < deepest; ++depth) {
    if (!told(most_lines).complete) break;
  }
  depth = std::max<std::size_t>(depth - 1, 1);
  return told(no_limit);
}

// What is left out, and, to those who run the program, how to see it.
void say_what_is_cut(const Trace& trace, const Asked& asked, const Ancestry& told, const WhyOptions& options,
                     std::size_t depth, Document& document) {
  const TellingWords& said = language().telling;
  std::string words;
  const auto say = [&](const std::string& more, const std::string& how) {
    words += (words.empty() ? "" : " ") + more;
    document.hint(how);
  };
  const std::size_t deepest = levels_below(trace, asked.id);
  if (told.deeper && !options.depth) say(said.levels_shown(depth, deepest), said.deeper_by(depth, deepest));
  if (told.at_edge) say(said.stops_at_edge, said.beyond_edge_by(deepest));
  if (told.sums_cut) {
    say(said.sums_cut(options.top.value_or(usual_terms)), said.more_terms_by);
  } else if (told.cut) {
    say(said.lists_cut, said.all_by);
  }
  if (!words.empty()) document.add(Prose{{std::move(words)}});
}

// Whether a note is about one of the numbers told, or about all that they stand among.
bool is_about(const Note& note, const Trace& trace, const Tree& tree) {
  if (note.step.empty() || (!trace.find(note.step) && !trace.find_given(note.step))) return false;
  const Shape& shape = trace.value(note.step).shape();
  for (const Branch& branch : tree.branches) {
    for (const Slice& cells : branch.cells) {
      if (cells.tensor != trace.heading(note.step).id) continue;
      for (std::size_t i = 0; i < cells.count; ++i) {
        const std::vector<std::size_t> index = shape.index(cells.cell(i));
        if (note.index.size() <= index.size() && std::equal(note.index.begin(), note.index.end(), index.begin())) {
          return true;
        }
      }
    }
  }
  return false;
}

// Where the number is of a query that only fills up its sequence.
std::optional<std::string> padding_words(const Trace& trace, const Asked& asked) {
  const Shape& shape = trace.value(asked.id).shape();
  const auto query = shape.position("query");
  const Step* const step = trace.find(asked.id);
  if (!step || !query) return std::nullopt;
  const std::vector<std::size_t> index = shape.index(*asked.cell);
  const std::size_t sequence = shape.has("batch") ? index[*shape.position("batch")] : 0;
  if (index[*query] < own_size(trace, *step, shape[*query], sequence)) return std::nullopt;
  return language().telling.padding_query(index[*query] + 1, sequence + 1);
}

std::optional<Document> one_number(const Trace& trace, const Asked& asked, const WhyOptions& options,
                                   std::size_t most_bytes) {
  const Heading& heading = trace.heading(asked.id);
  const Numerals numerals(decimals_shown(options.precision), trace, Tiny::two_digits);
  std::size_t depth = 0;
  Ancestry told = fitting(trace, asked, options, numerals, most_bytes, depth);
  if (told.too_large) return std::nullopt;

  Document document = titled(trace.title);
  const Span name = CellNames(trace).of({asked.id, *asked.cell, 0, 1});
  document.add(Headline{2, {name, " · " + heading.title}});
  const std::string place = place_of_cell(trace, asked);
  document.add(
      Prose{{Span(heading.formula.text(), heading.role), place.empty() ? "" : language().telling.at_place(place)}});
  document.add(told.tree);
  say_what_is_cut(trace, asked, told, options, depth, document);
  if (const auto padding = padding_words(trace, asked)) document.add(Remark{{*padding}});
  std::vector<const Note*> notes;
  for (const Note& note : trace.notes) {
    if (is_about(note, trace, told.tree)) notes.push_back(&note);
  }
  Remarks(std::move(notes), options.full).add_rest(document);
  return document;
}

// Without an index all of a step is told, unless it is very long: then a row of it is.
constexpr std::size_t most_numbers_told_whole = 5000, most_terms_told_whole = 20'000;

// How many terms each number of a step is made of.
std::size_t terms_of(const Trace& trace, const Step& step) {
  if (step.result.size() == 0) return 0;
  const Provenance made = provenance(reading_of(trace, step), 0);
  return made.operands.empty() ? 1 : made.operands[0].count;
}

// How many terms of each sum of the step are told.
std::optional<std::size_t> terms_told(const Trace& trace, const Step& step, const WhyOptions& options) {
  if (options.top || options.full) return options.top;
  const std::size_t numbers = std::max<std::size_t>(step.result.size(), 1);
  const bool is_short = terms_of(trace, step) <= std::min(most_terms_asked, most_terms_told_whole / numbers);
  return is_short ? std::nullopt : std::optional(usual_terms);
}

std::optional<Document> whole_step(const Trace& trace, const Asked& asked, const WhyOptions& options,
                                   std::size_t most_bytes) {
  const Step* step = trace.find(asked.id);
  if (step && !is_given(*step)) {
    const bool full = options.full || is_told_whole(trace, asked);
    const ExplainOptions explaining{.level = Level::cells,
                                    .only = {asked.id},
                                    .precision = options.precision,
                                    .full = full,
                                    .brief = !full,
                                    .top = terms_told(trace, *step, options)};
    if (bytes_told(trace, explaining) > most_bytes) return std::nullopt;
    Document document = explain(trace, explaining);
    if (explaining.top && terms_of(trace, *step) > *explaining.top) {
      document.add(Prose{{language().telling.sums_cut(*explaining.top)}});
      document.hint(language().telling.more_terms_by);
    }
    document.hint(language().telling.one_number_by(CellNames(trace).of({asked.id, 0, 0, 1}).text));
    return document;
  }
  Document document = titled(trace.title);
  const Numerals numerals(decimals_shown(options.precision), trace);
  for (Matrix& matrix : matrices_of(trace, numerals, asked.id)) document.add(std::move(matrix));
  return document;
}

}  // namespace

bool has_terms(const Trace& trace, const Asked& asked) {
  const Step* step = trace.find(asked.id);
  return step && !is_given(*step);
}

bool is_told_whole(const Trace& trace, const Asked& asked) {
  return !asked.cell && trace.value(asked.id).size() <= most_numbers_told_whole;
}

Document why(const Trace& trace, const Asked& asked, const WhyOptions& options) {
  return *why_within(no_limit, trace, asked, options);
}

std::optional<Document> why_within(std::size_t most_bytes, const Trace& trace, const Asked& asked,
                                   const WhyOptions& options) {
  return asked.cell ? one_number(trace, asked, options, most_bytes) : whole_step(trace, asked, options, most_bytes);
}

}  // namespace attn
