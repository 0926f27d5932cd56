#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "explain/arithmetic/lines.h"
#include "explain/place.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "ops/regroups.h"
#include "problem/labels.h"
#include "trace/trace.h"
#include "words/language.h"

namespace attn {
namespace {

// Unless all is asked for: so many queries and rows.
constexpr std::size_t most_rows = 12;

// Whether two steps are told in one go, query by query.
bool go_together(const Step& a, const Step& b) {
  const Shape& x = a.result.shape();
  const Shape& y = b.result.shape();
  return a.part == b.part && !is_given(a) && !is_given(b) && x.has("query") && y.has("query") &&
         x.has("batch") == y.has("batch") && x.has("head") == y.has("head");
}

// The axis whose rows a step by itself is told by.
const Dim* positions(const std::vector<Dim>& inner) {
  const auto found = std::ranges::find_if(inner, [](const Dim& dim) { return is_position(dim.axis); });
  return found == inner.end() ? nullptr : &*found;
}

// The rest of a place's words behind those that were said already. REQUIRES: they begin with those.
std::string without(const std::string& said, const std::string& words) {
  assert(words.starts_with(said));
  if (said.empty()) return words;
  const std::size_t rest = words.find_first_not_of(" ·", said.size());
  return rest == std::string::npos ? "" : words.substr(rest);
}

// Whether a note is about what stands at that place. REQUIRES: the shape has its axes.
bool is_at(const Note& note, const Shape& shape, const Place& place) {
  for (const auto& [axis, index] : place) {
    assert(shape.has(axis));
    const std::size_t at = *shape.position(axis);
    if (at < note.index.size() && note.index[at] != index) return false;
  }
  return true;
}

class Narrator {
 public:
  Narrator(const Trace& trace, const ExplainOptions& options, Level level, const Numerals& numerals, Remarks& remarks,
           Document& document)
      : trace_(trace),
        options_(options),
        level_(level),
        document_(document),
        numerals_(numerals),
        lines_(trace, numerals, term_limit(options), options.full ? no_limit : most_lines_of_a_row),
        remarks_(remarks) {}

  void tell(std::span<const Step* const> steps) {
    for (std::size_t i = 0; i < steps.size();) {
      std::size_t end = i + 1;
      while (end < steps.size() && go_together(*steps[i], *steps[end])) ++end;
      tell_run(steps.subspan(i, end - i));
      i = end;
    }
  }

  // The matrices of one step, at every place.
  void tell_matrices(const Step& step) {
    tell_some(places_of(step), most_places, said_.more_of_these, said_.one_place_by, [&](const Place& place) {
      add_matrices(step, place, [&](Matrix& matrix) {
        if (matrix.title != matrix.part) matrix.title = dotted(matrix.part, matrix.title);
      });
      add_notes(step, place);
    });
  }

  // What is known before any step: truncation, padding, a shape that may be misread.
  void tell_notes_on_givens() {
    remarks_.add(document_, [&](const Note& note) {
      const Step* step = trace_.find(note.step);
      return note.step.empty() || (step && is_given(*step));
    });
  }

 private:
  void add(Block block) { document_.add(std::move(block)); }
  Derivation& last_derivation() { return std::get<Derivation>(document_.blocks.back()); }

  void tell_run(std::span<const Step* const> run) {
    const Step& first = *run.front();
    if (run.size() == 1 && is_given(first)) return;
    if (std::exchange(told_part_, first.part) != first.part) {
      if (const std::string title = part_title(trace_, first); !title.empty()) add(Headline{2, {title}});
      if (options_.only.empty()) tell_givens_of_part(trace_, first.part, options_, numerals_, document_);
    }
    if (run.size() > 1) {
      tell_by_query(run);
    } else {
      tell_alone(first);
    }
  }

  // Tells the first of these, and then how many more there are and how to see them.
  template <class List, class Tell>
  void tell_some(List&& all, std::size_t limit, const std::string& more, const Said& how, Tell tell_one) {
    const std::size_t shown = options_.full ? all.size() : std::min(limit, all.size());
    for (auto& one : std::span(all).first(shown)) tell_one(one);
    if (shown < all.size()) say_left_out(said_.left_out(all.size() - shown, more), how);
  }

  // How much is not told, and, to those who run the program, how to see it.
  void say_left_out(std::string words, const Said& how) {
    add(Prose{{std::move(words)}});
    document_.hint(how);
  }

  // Whether it is known how many queries there are at a place that fill up no sequence.
  bool is_counted(const Step& step, const Dim& dim, const Place& place) const {
    return own_places(trace_, step.heading.id, step.part, step.result.shape(), dim.axis, sequence_of(place))
        .has_value();
  }

  // The rows along an axis: of queries the one asked for; else those that are no padding.
  template <class Tell>
  void tell_some_rows(const Step& step, const Dim& dim, const std::vector<std::string>& labels, const Place& place,
                      std::size_t limit, const std::string& more, const Said& how, Tell tell_row) {
    if (dim.axis == "query" && options_.query) {
      tell_row(*options_.query - 1);
      return say_of_others(step, 0);
    }
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < own_size(trace_, step, dim, sequence_of(place)); ++i) {
      if (is_counted(step, dim, place) || labels[i] != padding_label) rows.push_back(i);
    }
    if (options_.brief && !rows.empty()) {
      const bool of_queries = dim.axis == "query";
      tell_row((of_queries ? weighing_several(step, rows, place) : std::nullopt).value_or(rows.front()));
      say_of_others(step, rows.size() - 1, of_queries);
    } else {
      tell_some(rows, limit, more, how, tell_row);
    }
    const std::size_t padded = dim.size - rows.size();
    const bool of_values = step.heading.role == Role::value && dim.axis == "key";
    if (padded > 0) add(Remark{{said_.padded(padded, said_.axis(of_values ? "value" : dim.axis))}});
  }

  void tell_alone(const Step& step) {
    add(Headline{2, {step.heading.title}});
    say_what_a_product_is(step);
    const bool by_rows = level_ >= Level::rows && !regroups(step.op) && !is_told_by_another(step);
    const std::optional<Place> only = only_place(step);
    tell_some(places_of(step), most_places, said_.more_of_these, said_.one_place_by, [&](const Place& place) {
      const std::string where = place_words(step.result.shape(), place);
      const bool writes = by_rows && (!only || *only == place);
      if (writes && !where.empty()) add(Headline{3, {where}});
      if (writes) tell_rows(step, place);
      add_matrices(step, place, [&](Matrix& matrix) {
        // The headlines say it.
        matrix.title.clear();
        if (writes) matrix.place = without(where, matrix.place);
      });
      add_notes(step, place);
    });
  }

  // In brief: so many rows of this place, and all of the others, are made as what was told.
  void say_of_others(const Step& step, std::size_t rows, bool of_queries = true) {
    const std::size_t places = options_.brief ? places_of(step).size() - 1 : 0;
    if (rows + places == 0) return;
    add(Prose{{said_.in_the_same_way(rows, of_queries, places, axis_of_places(step))}});
    if (!options_.only.empty()) document_.hint(said_.all_by);  // else it was asked for in brief
  }

  // In brief the one place at which rows are written out: where a query weighs several keys, if
  // there is such a one. Else nothing: they are at every place.
  std::optional<Place> only_place(const Step& step) const {
    if (!options_.brief) return std::nullopt;
    const std::vector<Place> places = places_of(step);
    const auto weighs_several = [&](const Place& place) {
      std::vector<std::size_t> queries(
          own_size(trace_, step, {"query", step.result.shape().size("query")}, sequence_of(place)));
      std::iota(queries.begin(), queries.end(), std::size_t{0});
      return weighing_several(step, queries, place).has_value();
    };
    const auto found = step.result.shape().has("query") ? std::ranges::find_if(places, weighs_several) : places.end();
    return found == places.end() ? places.front() : *found;
  }

  // Of these queries the first that weighs several keys.
  std::optional<std::size_t> weighing_several(const Step& step, const std::vector<std::size_t>& queries,
                                              const Place& place) const {
    const auto weights = std::ranges::find_if(trace_.steps, [&](const Step& other) {
      return other.part == step.part && other.heading.role == Role::attention_weight &&
             other.result.shape().has("query");
    });
    if (weights == trace_.steps.end()) return std::nullopt;
    const Shape& shape = weights->result.shape();
    const auto weighs_several = [&](std::size_t query) {
      const std::size_t first = offset_at(shape, with(place, "query", query));
      const auto row = weights->result.data().subspan(first, shape.back().size);
      return std::ranges::count_if(row, [](double weight) { return weight != 0; }) > 1;
    };
    const auto found = std::ranges::find_if(queries, weighs_several);
    return found == queries.end() ? std::nullopt : std::optional(*found);
  }

  // In brief one row of products says how all are made, but for a query that is asked for.
  bool is_told_by_another(const Step& step) {
    if (!options_.brief || !std::holds_alternative<Contract>(step.op)) return false;
    const bool is_asked = options_.query && step.result.shape().has("query");
    return std::exchange(told_products_, true) && !is_asked;
  }

  // In brief of a softmax only what people compare is put together: the weights.
  bool is_put_together(const Step& step) const {
    const auto* softmax = std::get_if<Softmax>(&step.op);
    if (!options_.brief || !softmax) return true;
    return softmax->part == Softmax::Part::weights || softmax->part == Softmax::Part::shares;
  }

  // Once, before the first of them is written out.
  void say_what_a_product_is(const Step& step) {
    if (level_ != Level::cells || said_product_ || !std::holds_alternative<Contract>(step.op)) return;
    said_product_ = true;
    add(Prose{{said_.dot_product}});
  }

  // Where not all lines of a row were written out, how many more there are.
  void say_what_is_left_of(const Step& step, const Place& place) {
    const std::size_t left = lines_.left_out(step, place);
    if (left > 0) say_left_out(said_.left_out(left, said_.more_of_these), said_.all_by);
  }

  void tell_rows(const Step& step, const Place& place) {
    const std::vector<Dim> inner = inner_axes(step.result.shape(), place);
    const Dim* down = positions(inner);
    if (!down || (inner.size() == 1 && level_ == Level::cells)) {
      if (level_ == Level::cells) {
        add(lines_.cells(step, place));
        say_what_is_left_of(step, place);
      }
      return;
    }

    const std::vector<std::string> labels = axis_labels(trace_, step.heading, *down, place);
    bool has_begun = false;
    tell_some_rows(step, *down, labels, place, most_rows, said_.more_rows, said_.all_by, [&](std::size_t row) {
      const Place there = with(place, down->axis, row);
      if (level_ == Level::cells) {
        add(lines_.cells(step, there));
        last_derivation().title = labels[row];
        say_what_is_left_of(step, there);
      } else {
        if (!std::exchange(has_begun, true)) add(Derivation{});
        last_derivation().lines.push_back(lines_.row(step, there));
      }
    });
  }

  void tell_by_query(std::span<const Step* const> run) {
    const Step& first = *run.front();
    const Dim queries{"query", first.result.shape().size("query")};
    const std::optional<Place> only = only_place(first);
    tell_some(places_of(first), most_places, said_.more_places(axis_of_places(first)), said_.one_place_by,
              [&](const Place& place) {
                const bool writes = level_ >= Level::rows && (!only || *only == place);
                if (writes) {
                  tell_some_rows(first, queries, axis_labels(trace_, first.heading, queries, place), place,
                                 most_queries, said_.more_queries, said_.one_query_by,
                                 [&](std::size_t row) { tell_query(run, with(place, "query", row)); });
                }
                tell_together(run, place);
              });
  }

  // Whose queries are told: of which head of which sequence, or of all heads again.
  std::string where_words(const Step& step, const Place& place) const {
    const auto has_heads = [](const Step& of) { return of.result.shape().has("head"); };
    const bool of_all_heads = !has_heads(step) && std::ranges::any_of(trace_.steps, has_heads);
    return dotted(place_words(step.result.shape(), place), of_all_heads ? said_.all_heads.text() : "");
  }

  void tell_query(std::span<const Step* const> run, const Place& place) {
    const Step& first = *run.front();
    const Shape& shape = first.result.shape();
    const std::size_t query = place.back().second;
    const std::string number = std::to_string(query + 1);
    const std::string label = axis_label(trace_, first.heading, {"query", shape.size("query")}, place, query);
    std::string words = dotted(where_words(first, place), said_.one_query_told(number));
    if (label != number) words += " · " + label;
    add(Headline{2, {words}});

    Derivation brief;
    for (const Step* step : run) {
      if (level_ == Level::cells) {
        add(lines_.cells(*step, place));
        say_what_is_left_of(*step, place);
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
  void tell_together(std::span<const Step* const> run, const Place& place) {
    const bool told = level_ >= Level::rows;
    if (told && options_.query) return;
    const std::string where = place_words(run.front()->result.shape(), place);
    if (told) {
      add(Headline{2, {dotted(where_words(*run.front(), place), said_.all_queries)}});
    } else if (!where.empty()) {
      add(Headline{2, {where}});
    }
    for (const Step* step : run) {
      if (told && inner_axes(step->result.shape(), place).size() != 2) continue;
      if (!is_put_together(*step)) continue;
      // The headline says where.
      add_matrices(*step, place, [&](Matrix& matrix) { matrix.place = without(where, matrix.place); });
      add_notes(*step, place);
    }
  }

  // A step with an axis more than a matrix has is one matrix a query.
  void add_matrices(const Step& step, const Place& place, const std::function<void(Matrix&)>& adapt) {
    const auto query = options_.query ? std::optional(*options_.query - 1) : std::nullopt;
    tell_some(matrices_at(trace_, numerals_, step.heading.id, place, query), most_queries, said_.more_queries,
              said_.one_query_by, [&](Matrix& matrix) {
                adapt(matrix);
                add(std::move(matrix));
              });
  }

  void add_notes(const Step& step, const Place& place) {
    remarks_.add(document_, [&](const Note& note) {
      return note.step == step.heading.id && is_at(note, step.result.shape(), place);
    });
  }

  // What the places of a step differ by: "batch", "head", or both, which is "".
  Axis axis_of_places(const Step& step) const {
    const std::vector<Place> places = places_of(step);
    Axis only;
    for (std::size_t i = 0; i < places.front().size(); ++i) {
      if (places.front()[i].second == places.back()[i].second) continue;
      if (!only.empty()) return {};
      only = places.front()[i].first;
    }
    return only;
  }

  std::vector<Place> places_of(const Step& step) const {
    return outer_places(step.result.shape(), options_.batch.value_or(0),
                        head_of(trace_, step.heading.id, options_.head.value_or(0)));
  }

  const Trace& trace_;
  const ExplainOptions& options_;
  Level level_;
  Document& document_;
  const TellingWords& said_ = language().telling;
  const Numerals& numerals_;
  Lines lines_;
  Remarks& remarks_;
  bool said_product_ = false, told_products_ = false;
  std::optional<std::size_t> told_part_;
};

}  // namespace

Remarks::Remarks(std::vector<const Note*> notes, bool full) : full_(full), notes_(std::move(notes)) {
  for (const Note* note : notes_) ++of_kind_[note->kind];
}

void Remarks::add(Document& document, const std::function<bool(const Note&)>& is_told) {
  constexpr std::size_t most_of_a_kind = 8;
  const TellingWords& said = language().telling;
  const auto told =
      std::stable_partition(notes_.begin(), notes_.end(), [&](const Note* note) { return !is_told(*note); });
  for (const Note* note : std::span(told, notes_.end())) {
    const std::size_t before = added_[note->kind]++;
    if (full_ || before < most_of_a_kind) {
      document.add(Remark{{note->message}});
      if (note->kind == "left_out") document.hint(language().steps.weighted_values_by(note->step));
    } else if (before == most_of_a_kind) {
      document.add(Prose{{said.left_out(of_kind_[note->kind] - before, said.more_notes)}});
      document.hint(said.all_by);
    }
  }
  notes_.erase(told, notes_.end());
}

void Remarks::add_rest(Document& document) {
  add(document, [](const Note&) { return true; });
}

void narrate(const Trace& trace, const ExplainOptions& options, Level level, std::span<const Step* const> steps,
             const Numerals& numerals, Remarks& remarks, Document& document) {
  Narrator narrator(trace, options, level, numerals, remarks, document);
  const bool all = options.only.empty();
  if (level == Level::result && all) {
    if (const Step* result = steps.empty() ? nullptr : steps.back()) {
      document.add(Headline{2, {language().telling.result}});
      narrator.tell_matrices(*result);
    }
  } else if (level <= Level::steps && !all) {
    for (const Step* step : steps) narrator.tell_matrices(*step);
  } else {
    if (all) tell_givens(trace, options, numerals, document);
    if (all) narrator.tell_notes_on_givens();
    narrator.tell(steps);
    // Else it is said where it is said what is given.
    if (!all) tell_mask(trace, steps, document);
  }
}

}  // namespace attn
