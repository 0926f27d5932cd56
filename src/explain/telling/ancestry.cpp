#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "explain/arithmetic/lines.h"
#include "explain/place.h"
#include "explain/telling/closing.h"
#include "explain/telling/parts.h"
#include "ops/regroups.h"
#include "trace/rounding.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t terms_on_a_line = 6;

// Whether a step hands on numbers of others as they are.
bool hands_on(const Step& step) {
  const bool closes_only = std::holds_alternative<Close>(step.op) && step.operands.size() == 1;
  return regroups(step.op) || closes_only;
}

bool keeps_sum(const HandRounding& rounding, const Op& op) {
  return rounding.mode == RoundingMode::keep_sum && std::holds_alternative<Softmax>(op);
}

std::string rounding_words(const HandRounding& rounding, const Op& op) {
  return language().telling.by_hand(rounding.decimals, rounding.mode == RoundingMode::truncate,
                                    keeps_sum(rounding, op));
}

class AncestryWriter {
 public:
  AncestryWriter(const Trace& trace, const Numerals& numerals, const AncestryOptions& options)
      : trace_(trace),
        numerals_(numerals),
        options_(options),
        lines_(trace, numerals, {options.most_terms, TermLimit::Kept::largest}),
        whole_lines_(trace, numerals, no_limit),
        names_(trace),
        masks_(masks_read(trace)) {
    for (const std::string& mask : masks_) {
      for (ClosingRule& rule : closing_rules(trace, mask)) rules_.emplace(rule.id, std::move(rule.reason));
    }
  }

  Ancestry write(const std::string& id, std::size_t cell) {
    if (const Step* step = trace_.find(id)) part_ = step->part;
    tell(source(id), cell, 0, true);
    tell_what_waits();
    return std::move(told_);
  }

 private:
  // A tensor of the trace, and what of it was told.
  struct Source {
    std::string id;
    const Heading& heading;
    const Tensor<double>& value;
    const Step* step;  // null where it is given, or made in another part
    Reading reading;
    enum class State : unsigned char { new_to_all, told, told_with_children };
    std::vector<State> state;
  };
  using State = Source::State;

  // The numbers that one number is made of, while they are told.
  struct Level {
    std::size_t depth;
    std::vector<Slice> above;  // of them those that were told before
  };
  using LevelOfTelling = std::shared_ptr<Level>;

  // Those of one tensor among them.
  struct Row {
    CellList list;
    LevelOfTelling level;
    bool asked;
    std::vector<std::size_t> too_small;
    CellList known{list.tensor, {}}, left_out{list.tensor, {}};
    std::size_t next = 0;
  };

  // Behind a number stand those it is made of, and behind them theirs, tens of thousands deep: more than there is room
  // for as calls within calls. What is left to tell waits in a list instead.
  using Telling = std::function<void()>;

  // Comes after what is told already and what was put off since, and before what waited then.
  void then(Telling telling) { put_off_.push_back(std::move(telling)); }

  void tell_what_waits() {
    while (told_.complete) {
      std::move(put_off_.rbegin(), put_off_.rend(), std::back_inserter(waiting_));
      put_off_.clear();
      if (waiting_.empty()) return;
      const Telling telling = std::move(waiting_.back());
      waiting_.pop_back();
      telling();
    }
  }

  Source& source(const std::string& id) {
    const auto known = sources_.find(id);
    if (known != sources_.end()) return known->second;
    const Step* step = trace_.find(id);
    if (step && is_given(*step)) step = nullptr;
    const Tensor<double>& value = trace_.value(id);
    const bool is_behind_edge = step && !options_.crosses_parts && step->part != part_;
    if (is_behind_edge) step = nullptr;
    Reading reading = step ? reading_of(trace_, *step) : Reading{};
    Source made{id, trace_.heading(id), value, step, std::move(reading), std::vector<State>(value.size())};
    return sources_.emplace(id, std::move(made)).first->second;
  }

  void add(std::size_t depth, std::vector<Slice> cells, Equation line) {
    if (!told_.complete) return;
    std::size_t terms = 0;
    for (const Expression& side : line.sides) terms += side.terms.size();
    lines_told_ += 1 + terms / terms_on_a_line;
    told_.tree.branches.push_back({depth, std::move(cells), std::move(line)});
    if (lines_told_ > options_.most_lines) told_.complete = false;
  }

  // Whether so many more terms have room, so deep: each row of what they are told in begins with a rule a level.
  bool has_room(std::size_t terms, std::size_t depth = 0) {
    constexpr std::size_t levels_of_a_term = bytes_of_a_term / 48;
    terms_told_ += terms + terms_a_line_is_worth + depth / levels_of_a_term;
    told_.too_large = told_.too_large || terms_told_ > options_.most_bytes / bytes_of_a_term;
    told_.complete = told_.complete && !told_.too_large;
    return told_.complete;
  }

  // `asked`: the number is the one asked for, or hands on to it.
  void tell(Source& about, std::size_t cell, std::size_t depth, bool asked = false) {
    if (!told_.complete) return;
    if (!about.step) return tell_given(about, {about.id, cell}, depth);
    about.state[cell] = State::told;
    const Ingredients made = ingredients(trace_, about.reading, cell);
    std::size_t terms = 0;
    for (const CellList& list : made.read) terms = std::max(terms, list.places.size());
    const bool whole = asked && terms <= options_.most_asked;
    if (!has_room(whole ? terms : std::min(terms, options_.most_terms), depth)) return;

    const Working working = worked(about, cell, whole);
    told_.sums_cut = told_.sums_cut || working.of > 0;
    add(depth, {{about.id, cell}}, line(about, cell, made, working));
    told_.tree.branches.back().made_of = parts(made, working);
    tell_children(about, cell, depth, made, working, asked && hands_on(*about.step));
  }

  // Whether only some of these numbers are written in the line that reads them.
  static bool is_cut(const CellList& list, const Working& working) {
    return working.of > 0 && list.places.size() == working.of;
  }

  static CellList written_of(const CellList& list, const Working& working) {
    CellList written{list.tensor, {}};
    for (const std::size_t term : working.written) written.places.push_back(list.places[term]);
    return written;
  }

  void tell_children(Source& about, std::size_t cell, std::size_t depth) {
    tell_children(about, cell, depth, ingredients(trace_, about.reading, cell), worked(about, cell, false), false);
  }

  void tell_children(Source& about, std::size_t cell, std::size_t depth, const Ingredients& made,
                     const Working& working, bool asked) {
    if (depth == options_.depth) {
      told_.deeper = told_.deeper || !made.read.empty() || !made.closed.places.empty();
      return;
    }
    about.state[cell] = State::told_with_children;
    const auto level = std::make_shared<Level>(Level{depth + 1, {}});
    for (auto read = made.read.begin(); read != made.read.end(); ++read) {
      const bool is_first = std::ranges::find(made.read, *read) == read;
      if (!is_first) continue;
      const bool cut = is_cut(*read, working);
      const std::size_t most = cut ? working.written.size() : options_.most_terms;
      then([this, list = cut ? written_of(*read, working) : *read, level, cut, most, asked] {
        Source& of = source(list.tensor);
        if (cut && !of.step) return tell_given_cells(of, list, *level);
        tell_all(list, level, most, asked);
      });
    }
    if (!made.closed.places.empty()) then([this, closed = made.closed, level] { tell_closed(closed, level); });
    then([this, level] { point_back(level->above, level->depth); });
  }

  // Of more new numbers than `most` all but the largest, in order.
  std::vector<std::size_t> too_small(const Source& about, const CellList& list, std::size_t most) const {
    std::vector<std::size_t> cells;
    std::ranges::copy_if(list.places, std::back_inserter(cells),
                         [&](std::size_t cell) { return about.state[cell] == State::new_to_all; });
    if (cells.size() <= most) return {};
    std::vector<double> sizes;
    for (const std::size_t cell : cells) sizes.push_back(std::abs(about.value[cell]));
    std::vector<bool> is_told(cells.size());
    for (const std::size_t place : places_of_largest(sizes, most)) is_told[place] = true;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_told[i]) left.push_back(cells[i]);
    }
    std::ranges::sort(left);
    return left;
  }

  // Of more new numbers than `most` the largest are told.
  void tell_all(const CellList& list, const LevelOfTelling& level, std::size_t most, bool asked = false) {
    Source& about = source(list.tensor);
    if (about.step) return tell_rest(std::make_shared<Row>(Row{list, level, asked, too_small(about, list, most)}));
    tell_runs(about, list, level->above, [&](const Slice& run) { tell_given(about, run, level->depth); });
  }

  // The next number of the row, what it is made of, and then the others.
  void tell_rest(const std::shared_ptr<Row>& row) {
    Source& about = source(row->list.tensor);
    const std::size_t depth = row->level->depth;
    while (row->next < row->list.places.size()) {
      const std::size_t cell = row->list.places[row->next++];
      const State state = about.state[cell];
      if (state == State::new_to_all && std::ranges::binary_search(row->too_small, cell)) {
        row->left_out.places.push_back(cell);
      } else if (state == State::new_to_all) {
        tell(about, cell, depth, row->asked);
        return then([this, row] { tell_rest(row); });
      } else if (state == State::told && depth < options_.depth) {
        point_back({{about.id, cell}}, depth);
        tell_children(about, cell, depth);
        return then([this, row] { tell_rest(row); });
      } else {
        row->known.places.push_back(cell);
      }
    }
    std::ranges::move(cell_runs(about.value.shape(), row->known), std::back_inserter(row->level->above));
    if (!row->left_out.places.empty()) say_left_out(about, row->left_out, depth);
  }

  // Each run of neighbours in which a cell is new.
  template <class Tell>
  void tell_runs(Source& about, const CellList& list, std::vector<Slice>& above, Tell tell_run) {
    for (Slice& run : cell_runs(about.value.shape(), list)) {
      const bool is_new = any_of(run, [&](std::size_t cell) { return about.state[cell] == State::new_to_all; });
      if (is_new) {
        tell_run(run);
      } else {
        above.push_back(std::move(run));
      }
    }
  }

  template <class Holds>
  static bool any_of(const Slice& run, Holds holds) {
    for (std::size_t i = 0; i < run.count; ++i) {
      if (holds(run.cell(i))) return true;
    }
    return false;
  }

  void tell_given(Source& about, const Slice& run, std::size_t depth) {
    for (std::size_t i = 0; i < run.count; ++i) about.state[run.cell(i)] = State::told_with_children;
    const bool closes = any_of(run, [&](std::size_t cell) { return about.value[cell] == 0; });
    Equation line = named(run, numbers(about, run));
    const auto rule = rules_.find(about.id);
    line.remark = {rule == rules_.end() ? whence(about) : closes ? rule->second : about.heading.formula.text()};
    add(depth, {run}, std::move(line));
  }

  // Where numbers come from that are not worked out here.
  std::string whence(const Source& about) {
    const Step* step = trace_.find(about.id);
    if (!step || is_given(*step)) return said_.is_given;
    told_.at_edge = true;
    const std::string part = part_title(trace_, *step);
    return part.empty() ? step->heading.title : part;
  }

  // Given numbers that stand here and there, on one line: "X[1,5] = 2, X[1,9] ≈ 0.3333".
  void tell_given_cells(Source& about, const CellList& list, Level& level) {
    std::vector<Slice> cells;
    for (const std::size_t cell : list.places) cells.push_back({about.id, cell});
    const bool is_new =
        std::ranges::any_of(list.places, [&](std::size_t cell) { return about.state[cell] == State::new_to_all; });
    if (!is_new) return void(level.above.insert(level.above.end(), cells.begin(), cells.end()));
    Expression numbers;
    for (const std::size_t cell : list.places) {
      about.state[cell] = State::told_with_children;
      const std::string relation = numerals_.exact(about.value[cell]) ? " = " : " ≈ ";
      numbers.terms.push_back(joined(name({about.id, cell}), {relation, number(about, cell), ","}));
    }
    numbers.terms.back().pop_back();
    add(level.depth, std::move(cells), {{}, {std::move(numbers)}, {whence(about)}});
  }

  // Cells of the mask: one with the rules behind it; of a row, those side by side together.
  void tell_closed(const CellList& closed, const LevelOfTelling& level) {
    Source& mask = source(closed.tensor);
    if (!mask.step || closed.places.size() == 1) return tell_all(closed, level, options_.most_terms);
    CellList left_out{closed.tensor, {}};
    std::size_t told = 0;
    tell_runs(mask, closed, level->above, [&](const Slice& run) {
      if (told++ < options_.most_terms) {
        return then([this, &mask, run, depth = level->depth] { tell_closed_run(mask, run, depth); });
      }
      for (std::size_t i = 0; i < run.count; ++i) left_out.places.push_back(run.cell(i));
    });
    if (left_out.places.empty()) return;
    then([this, &mask, left_out, depth = level->depth] { say_left_out(mask, left_out, depth); });
  }

  void tell_closed_run(Source& mask, const Slice& run, std::size_t depth) {
    Equation line = named(run, numbers(mask, run));
    line.remark = {closed_by(trace_, run)};
    add(depth, {run}, std::move(line));
    const bool last = depth == options_.depth;
    told_.deeper = told_.deeper || last;
    std::vector<CellList> rules;
    for (std::size_t i = 0; i < run.count; ++i) {
      mask.state[run.cell(i)] = last ? State::told : State::told_with_children;
      for (const CellList& read : ingredients(trace_, mask.reading, run.cell(i)).read) {
        auto rule = std::ranges::find(rules, read.tensor, &CellList::tensor);
        if (rule == rules.end()) rule = rules.insert(rules.end(), CellList{read.tensor, {}});
        for (const std::size_t cell : read.places) {
          if (std::ranges::find(rule->places, cell) == rule->places.end()) rule->places.push_back(cell);
        }
      }
    }
    if (last) return;
    const auto level = std::make_shared<Level>(Level{depth + 1, {}});
    for (CellList& rule : rules) {
      then([this, rule = std::move(rule), level] { tell_all(rule, level, options_.most_terms); });
    }
    then([this, level] { point_back(level->above, level->depth); });
  }

  // What was told above already.
  void point_back(const std::vector<Slice>& cells, std::size_t depth) {
    if (cells.empty()) return;
    Equation line;
    line.sides.push_back({"", {}});
    for (const Slice& slice : cells) {
      if (!line.sides[0].terms.empty()) line.sides[0].terms.back().emplace_back(",");
      line.sides[0].terms.push_back(name(slice));
    }
    line.remark = {said_.see_above};
    add(depth, cells, std::move(line));
  }

  void say_left_out(const Source& about, const CellList& cells, std::size_t depth) {
    told_.cut = true;
    std::vector<Slice> slices = cell_runs(about.value.shape(), cells);
    const bool is_long = slices.size() > most_shown();
    if (is_long) slices.resize(most_shown());
    Equation line;
    line.sides.push_back({"", {{said_.so_many_more(cells.places.size())}}});
    for (const Slice& slice : slices) line.sides[0].terms.push_back(name(slice));
    if (is_long) line.sides[0].terms.push_back({"…"});
    add(depth, std::move(slices), std::move(line));
  }

  // The arithmetic of the number, all of it or as much as usual.
  Working worked(const Source& about, std::size_t cell, bool whole) const {
    if (hands_on(*about.step)) return lines_.worked(*about.step, about.reading, cell);
    Place place;
    for (const std::size_t index : about.value.shape().index(cell)) {
      place.emplace_back(about.value.shape()[place.size()].axis, index);
    }
    return (whole ? whole_lines_ : lines_).working(*about.step, about.reading, place);
  }

  Equation line(const Source& about, std::size_t cell, const Ingredients& made, const Working& working) const {
    Equation line{{}, {{"", {name({about.id, cell})}}}, {}};
    const bool one = made.read.size() == 1 && made.read[0].places.size() == 1;
    if (one && hands_on(*about.step)) {
      line.sides.push_back({"=", {name({made.read[0].tensor, made.read[0].places[0], 0, 1})}});
    }
    line.sides.insert(line.sides.end(), working.sides.begin(), working.sides.end());
    line.remark = remark(about, cell, made, working);
    return line;
  }

  Inline remark(const Source& about, std::size_t cell, const Ingredients& made, const Working& working) const {
    const auto open = provenance(about.reading, cell).open;
    if (open && made.read.empty() && open->count == 1) return {closed_by(trace_, *open)};
    if (!working.remark.empty()) return working.remark;
    if (std::ranges::find(masks_, about.id) != masks_.end())
      return {about.value[cell] == 0 ? closed_by(trace_, {about.id, cell}) : std::string(said_.open)};
    const std::string computed = numerals_.in_line(working.computed);
    const auto& rounding = trace_.arithmetic.hand_rounding;
    // The inner numbers of softmax are carried on in full: what they lose, they lose to the dtype.
    if (rounding && is_rounded_by_hand(about.step->op, about.step->operands.size())) {
      if (!working.rounded) return {};
      // A dtype that rounds once a step does so before the person, and what they write is one of its numbers again.
      const double held = stored(working.computed, trace_.arithmetic.dtype);
      const std::string first = then_stored(computed, working.computed, held);
      const std::string read = first == computed ? computed : first + ": " + numerals_.in_line(held);
      // What a row that keeps its sum makes of one number is told by that number alone.
      const double by_hand = rounded(keeps_sum(*rounding, about.step->op) ? about.value[cell] : held, *rounding);
      return {then_stored(read + rounding_words(*rounding, about.step->op), by_hand, about.value[cell])};
    }
    const std::string told = then_stored(computed, working.computed, about.value[cell]);
    return told == computed ? Inline{} : Inline{told};
  }

  // The words, which lead to a number, and that the dtype made another of it, where that shows.
  std::string then_stored(const std::string& words, double number, double in_dtype) const {
    const Dtype dtype = trace_.arithmetic.dtype;
    const bool shows = rounds_once_a_step(dtype) && numerals_.in_line(number) != numerals_.in_line(in_dtype);
    return shows ? said_.rounded_to(words, said_.precision(attn::name(dtype))) : words;
  }

  // What the number was made from: all of it, or as much as the line says.
  std::vector<NumbersRead> parts(const Ingredients& made, const Working& working) {
    std::vector<NumbersRead> all;
    for (const CellList& list : made.read) {
      const Source& read = source(list.tensor);
      if (is_cut(list, working)) {
        const std::size_t first = list.places.front(), last = list.places.back();
        NumbersRead part{name({list.tensor, first, last - first, 2}).front(), {}};
        for (const std::size_t cell : written_of(list, working).places) part.numbers.push_back(number(read, cell).text);
        part.numbers.push_back(said_.others(list.places.size() - working.written.size()));
        all.push_back(std::move(part));
        continue;
      }
      for (const Slice& run : cell_runs(read.value.shape(), list)) {
        NumbersRead part{name(run).front(), {}};
        for (std::size_t i = 0; i < run.count; ++i) part.numbers.push_back(number(read, run.cell(i)).text);
        all.push_back(std::move(part));
      }
    }
    return all;
  }

  Span number(const Source& about, std::size_t cell) const {
    return {numerals_.in_line(about.value[cell], numerals_.decimals_of(about.id)), about.heading.role};
  }

  Expression numbers(const Source& about, const Slice& run) {
    const bool rounds = any_of(run, [&](std::size_t cell) { return !numerals_.exact(about.value[cell]); });
    told_.cut = told_.cut || run.count > most_shown();
    if (!has_room(std::min(run.count, most_shown()))) return {"", {}};
    const std::string relation = rounds ? "≈" : "=";
    if (run.count > 1) return {relation, lines_.list(about.value, run, about.heading.role)};
    return {relation, {{number(about, run.first)}}};
  }

  Inline name(const Slice& cells) const { return {names_.of(cells)}; }
  Equation named(const Slice& cells, Expression is) const { return {{}, {{"", {name(cells)}}, std::move(is)}, {}}; }
  std::size_t most_shown() const { return std::max<std::size_t>(options_.most_terms, 4); }

  const TellingWords& said_ = language().telling;
  const Trace& trace_;
  const Numerals& numerals_;
  AncestryOptions options_;
  Lines lines_, whole_lines_;
  const CellNames names_;
  const std::vector<std::string> masks_;
  std::map<std::string, std::string, std::less<>> rules_;  // why each closes
  std::map<std::string, Source, std::less<>> sources_;
  std::vector<Telling> waiting_, put_off_;  // the next is the last; in the order they are told in
  Ancestry told_;
  std::size_t lines_told_ = 0, terms_told_ = 0;
  std::optional<std::size_t> part_;  // in which the number asked for was made
};

}  // namespace

Ancestry ancestry(const Trace& trace, const std::string& id, std::size_t cell, const Numerals& numerals,
                  const AncestryOptions& options) {
  return AncestryWriter(trace, numerals, options).write(id, cell);
}

}  // namespace attn
