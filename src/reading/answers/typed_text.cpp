#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/text.h"
#include "problem/faults.h"
#include "reading/answers/answers.h"
#include "reading/answers/cells.h"
#include "reading/answers/typed_value.h"

// Answers as people type them into a text file:
//
//   # by hand, two decimals
//   S = [2 4 4; 4 16 12; 4 12 10]
//   A[1,:] = [0.06 0.47 0.47]
//   c₁ = [1.94 6.68 1.60]
//
// A statement is a step, perhaps a place in it, an equals sign and a value. A value
// is read in two goes: into lists of lists as they are typed, whatever stands in
// them, and then into the cells of the step.

namespace attn {
namespace {

// Which cells a statement is about: an index from 0 for each axis, or none where it
// is about all along it.
using PartIndex = std::vector<std::optional<std::size_t>>;

class TextReader {
 public:
  // `unknown` takes the steps that nobody knows; the same as `faults` where those are faults.
  TextReader(std::string_view text, const KnownSteps& known, Faults& faults, Faults& unknown)
      : text_(text), known_(known), faults_(faults), unknown_(unknown), brackets_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  Answers read() {
    while (at_ < text_.size()) read_statement();
    if (answered_.empty() && !faults_.any()) {
      faults_.add("no-steps", "", TextRange{0, 0}, "there are no answers in this file", how_to_type);
    }
    for (Answered& one : answered_) {
      become_whole(one);
      answers_.steps.push_back(std::move(one.step));
    }
    return std::move(answers_);
  }

 private:
  // What was given for one step so far.
  struct Answered {
    AnsweredStep step;
    bool has_single_cells = false;
    std::set<std::vector<std::size_t>> places = {};
  };

  // What stands before the equals sign.
  struct Target {
    TextRange range;  // all of it
    std::string id = {};
    std::optional<PartIndex> part = {};
    std::optional<std::size_t> subscript = {};  // "₁₂", as a number
  };

  std::string_view piece(TextRange range) const { return piece_of(text_, range); }

  void read_statement() {
    const std::size_t begin = at_;
    const std::string_view line = line_from(text_, begin);
    const TextRange all = without_spaces(text_, {begin, begin + line.substr(0, line.find('#')).size()});
    if (all.begin == all.end) return skip_rest_of_line();
    if (auto name = name_in(line)) {
      // One person's paper would be marked as another's in a class, where the first name counts.
      if (!answers_.name.empty() && !name->empty() && *name != answers_.name)
        faults_.add("duplicate-key", "", all, "a name is given already", "keep one of the two");
      if (answers_.name.empty()) answers_.name = std::move(*name);
      return skip_rest_of_line();
    }
    const std::optional<TextRange> sign = sign_in(line);
    if (!sign) {
      faults_.add("no-answer", "", all, "this line says no step and what it is", how_to_type);
      return skip_rest_of_line();
    }
    const std::optional<Target> target = target_of(without_spaces(text_, {all.begin, begin + sign->begin}));
    at_ = begin + sign->end;
    const std::optional<TypedValue> value = read_typed_value(text_, at_, brackets_, faults_);
    if (!value) return skip_to_statement();
    if (target) add(*target, *value);
    skip_rest_of_line();
  }

  // What stands behind a value is a comment, or nothing.
  void skip_rest_of_line() { at_ += line_from(text_, at_).size() + 1; }

  void skip_to_statement() {
    do {
      skip_rest_of_line();
    } while (at_ < text_.size() && !may_be_statement(line_from(text_, at_)));
  }

  // Reads "S", "S[1,2]", "S(2,:)", "s₂".
  std::optional<Target> target_of(TextRange range) {
    Target target{range};
    TextRange name = range;
    const std::size_t open = piece(range).find_first_of("[(");
    if (open != std::string_view::npos) {
      name = without_spaces(text_, {range.begin, range.begin + open});
      target.part = part_of({range.begin + open, range.end});
      if (!target.part) return std::nullopt;
    }
    KnownSteps::Ids ids = known_.called(piece(name));
    if (ids.empty() && !target.part) {
      const auto [letters, number] = without_subscript(piece(name));
      if (number) ids = known_.called(letters);
      if (!ids.empty()) target.subscript = number;
    }
    if (ids.size() == 1) {
      target.id = std::move(ids.front());
      return target;
    }
    const std::string typed(piece(name));
    if (name.begin == name.end) {
      return faults_.add("no-answer", "", TextRange{range.begin, range.begin + 1},
                         "no step stands before the equals sign", how_to_type);
    }
    const std::string_view behind = line_from(text_, range.end);
    const bool is_heading = behind.substr(without_spaces(behind, {0, behind.size()}).begin).starts_with(':');
    if (ids.empty() && is_heading && !known_.meant_by(typed)) {
      return faults_.add("no-answer", "", range, "\"" + shown(typed) + "\" is not a step that is known", how_to_type);
    }
    if (ids.empty()) return unknown_.add([&] { return unknown_step(typed, name, known_); });
    return faults_.add("ambiguous-step", "", name, symbol_of_several(typed, ids), write_the_id);
  }

  // "[1,2]", "(2,:)", with the brackets.
  std::optional<PartIndex> part_of(TextRange range) {
    const std::string_view typed = piece(range);
    const auto refuse = [&] {
      return faults_.add("bad-index", "", range, "\"" + shown(typed) + "\" is no place in a step",
                         "indices count from 1, one an axis, and : stands for all along it: S[1,2], S[2,:]");
    };
    if (typed.size() < 2 || typed.back() != (typed.front() == '[' ? ']' : ')')) return refuse();
    PartIndex part;
    for (const std::string& word : split(std::string(typed.substr(1, typed.size() - 2)) + ",", ',')) {
      const TextRange inner = without_spaces(word, {0, word.size()});
      const std::string_view index = piece_of(word, inner);
      std::size_t number = 0;
      const bool is_all = index == ":";
      if (!is_all && (!parse_natural(index, number) || number == 0)) return refuse();
      if (part.size() == most_typed_levels) return refuse();
      part.push_back(is_all ? std::nullopt : std::optional(number - 1));
    }
    return part;
  }

  void add(const Target& target, const TypedValue& value) {
    std::optional<PartIndex> part = target.part;
    if (target.subscript) part = numbered_part(target, *target.subscript, value);
    if (target.subscript && !part) return;
    const Shape* shape = known_.shape(target.id);
    // S[2] is S[2,:], as long as the step has more axes.
    while (part && shape && part->size() < shape->rank()) part->emplace_back();
    if (has_decimal_commas(value, part, shape) || !measured(value)) return;
    part ? add_part(target, *part, value) : add_whole(target, value);
  }

  // Says so, if commas stand before decimals in this value.
  // REQUIRES: the part has an index for each axis of the shape.
  bool has_decimal_commas(const TypedValue& value, const std::optional<PartIndex>& part, const Shape* shape) {
    std::optional<std::size_t> wanted;
    if (shape) wanted = 1;
    for (std::size_t axis = 0; shape && axis < shape->rank(); ++axis) {
      const bool is_fixed = part && (*part)[axis];
      if (!is_fixed) *wanted *= (*shape)[axis].size;
    }
    auto fault = decimal_comma_fault(text_, comma_runs(text_, value), wanted);
    if (!fault) return false;
    faults_.add(std::move(*fault));
    return true;
  }

  // Finds the sizes of the lists, level by level; false where they do not have one.
  bool measured(const TypedValue& value) {
    sizes_.clear();
    for (const TypedValue* first = &value; first->is_list; first = &first->items.front()) {
      sizes_.push_back(first->items.size());
      if (first->items.empty()) {
        faults_.add("no-numbers", "", first->range, "this list has no numbers in it", how_to_type_a_blank);
        return false;
      }
    }
    return fits(value, 0);
  }

  bool fits(const TypedValue& value, std::size_t level) {
    if (value.is_list != (level < sizes_.size())) {
      faults_.add("mixed-list", "", value.range,
                  value.is_list ? "this is a list, where the others are numbers"
                                : "this is a number, where the others are lists",
                  "write each row in brackets, [[1, 2], [3, 4]], or each in a line of its own");
      return false;
    }
    if (!value.is_list) return true;
    if (value.items.size() != sizes_[level]) {
      if (const auto step = step_that_begins(value)) {
        faults_.add("no-answer", "", *step, "an equals sign is missing behind " + shown(piece(*step)), how_to_type);
        return false;
      }
      faults_.add("ragged-list", "", value.range,
                  "this row has " + counted(value.items.size(), "number") + ", and the first one has " +
                      std::to_string(sizes_[level]),
                  how_to_type_a_blank);
      return false;
    }
    return std::ranges::all_of(value.items, [&](const TypedValue& item) { return fits(item, level + 1); });
  }

  // Where a row begins with the name of a step rather than with a number.
  std::optional<TextRange> step_that_begins(const TypedValue& row) const {
    const TypedValue* first = row.items.empty() ? nullptr : &row.items.front();
    if (!first || first->is_list || is_spelled_number(piece(first->range))) return std::nullopt;
    const std::string_view name = piece(first->range);
    const bool is_step = !known_.called(name).empty() || !known_.called(without_subscript(name).first).empty();
    return is_step ? std::optional(first->range) : std::nullopt;
  }

  AnsweredStep::Cell cell_of(const TypedValue& value) {
    std::string_view typed = piece(value.range);
    const bool is_quoted = typed.size() > 1 && typed.starts_with('"') && typed.ends_with('"');
    if (is_quoted) typed = typed.substr(1, typed.size() - 2);
    const bool is_blank = typed.find_first_not_of("_? ") == std::string_view::npos || typed == "null";
    if (is_blank) return std::nullopt;
    if (faults_.are_enough() && !is_spelled_number(typed)) return faults_.count_one_more();
    const Result<SpelledNumber> number = spelled_number(typed);
    if (!number) return faults_.add(number_fault(number.faults().front(), typed, "", value.range, is_quoted ? 1 : 0));
    return WrittenNumber{number.value().value, number.value().decimals, std::string(typed)};
  }

  void add_cells(const TypedValue& value, std::vector<AnsweredStep::Cell>& cells) {
    if (!value.is_list) return cells.push_back(cell_of(value));
    for (const TypedValue& item : value.items) add_cells(item, cells);
  }

  Answered& answered(const std::string& id) {
    const auto [found, is_new] = place_of_.emplace(id, answered_.size());
    if (is_new) answered_.push_back({{.id = id}});
    return answered_[found->second];
  }

  void given_already(const Target& target, const std::string& what) {
    faults_.add("duplicate-step", "", target.range, what + " is given already", "keep one of the two");
  }

  void add_whole(const Target& target, const TypedValue& value) {
    const bool is_given = place_of_.count(target.id) > 0;
    if (is_given) return given_already(target, target.id);
    AnsweredStep& step = answered(target.id).step;
    step.shape = sizes_;
    add_cells(value, step.cells);
    const Shape* shape = known_.shape(target.id);
    if (!shape) return;
    const bool is_column = sizes_.size() == 2 && sizes_[1] == 1;
    if (shape->rank() == 1 && is_column) step.shape = {sizes_[0]};
    // Matrices of several heads may stand one under the other.
    step.stacked = shape->rank() > 2 && sizes_.size() == 2;
  }

  // A row of a matrix, or a number of a vector, for the position that it belongs to.
  std::optional<PartIndex> numbered_part(const Target& target, std::size_t number, const TypedValue& value) {
    const Shape* shape = known_.shape(target.id);
    const auto refuse = [&](const std::string& why) {
      return faults_.add("bad-index", "", target.range, "\"" + shown(piece(target.range)) + "\" " + why,
                         "write indices, one an axis, and : for all along it: S[1,2], S[2,:]");
    };
    if (!shape || shape->rank() == 0 || shape->rank() > 2)
      return refuse("does not say which numbers of the step are meant");
    const bool is_matrix = shape->rank() == 2;
    // s₁₂ is S[1,2], where one number is given or there is no row 12.
    const bool may_be_cell = is_matrix && number >= 11 && number <= 99 && number % 10 != 0;
    const auto cell = [&] { return PartIndex{number / 10 - 1, number % 10 - 1}; };
    for (const char* axis : {"query", "token", "key"}) {
      const auto position = shape->position(axis);
      if (!position) continue;
      const std::size_t size = (*shape)[*position].size;
      const bool is_row_of_one = is_matrix && shape->count() == size && number <= size;
      if (may_be_cell && (number > size || (!value.is_list && !is_row_of_one))) return cell();
      if (is_matrix && !value.is_list && !is_row_of_one) return refuse("is a row, and one number is given");
      PartIndex part(shape->rank());
      part[*position] = number - 1;
      return part;
    }
    return refuse("does not say which numbers of the step are meant");
  }

  void add_part(const Target& target, const PartIndex& part, const TypedValue& value) {
    const Shape* shape = known_.shape(target.id);
    if (shape && part.size() > shape->rank()) {
      faults_.add("bad-index", "", target.range,
                  target.id + " has " + counted(shape->rank(), "axis") + ", and " + counted(part.size(), "index") +
                      " stand here",
                  "an index for each axis: batch and head first");
      return;
    }
    std::vector<std::size_t> free;  // the axes that the value lies along
    for (std::size_t axis = 0; axis < part.size(); ++axis) {
      if (!part[axis]) free.push_back(axis);
    }
    std::vector<std::size_t> sizes = sizes_;
    // A column is written as one, or as a row.
    const bool lies_flat = free.size() == 1 && sizes.size() == 2 && std::ranges::count(sizes, std::size_t{1}) > 0;
    if (lies_flat) sizes = {sizes[0] * sizes[1]};
    if (free.empty() && std::ranges::count(sizes, std::size_t{1}) == std::ssize(sizes)) sizes.clear();  // [4]
    if (free.size() == 2 && sizes.size() == 1) sizes.insert(sizes.begin(), 1);
    std::vector<std::size_t> wanted;
    for (const std::size_t axis : free) wanted.push_back(shape ? (*shape)[axis].size : 0);
    // Of a row of one the brackets may be left out.
    if (sizes.empty() && std::ranges::count(wanted, std::size_t{1}) == std::ssize(wanted)) sizes = wanted;
    if (shape ? sizes != wanted : sizes.size() != free.size()) {
      const std::string takes = shape              ? amount(wanted)
                                : free.empty()     ? "one number"
                                : free.size() == 1 ? "a row"
                                                   : "a matrix";
      faults_.add("bad-value", "", value.range,
                  shown(piece(target.range)) + " takes " + takes + ", and " + amount(sizes) +
                      (sizes.empty() ? " stands here" : " stand here"),
                  how_to_type_a_blank);
      return;
    }

    std::vector<AnsweredStep::Cell> cells;
    add_cells(value, cells);
    const bool is_whole = place_of_.count(target.id) > 0 && !answered(target.id).step.by_cell;
    if (is_whole) return given_already(target, target.id);
    Answered& into = answered(target.id);
    into.step.by_cell = true;
    into.has_single_cells = into.has_single_cells || free.empty();
    for (std::size_t at = 0; at < cells.size(); ++at) {
      std::vector<std::size_t> index;
      for (const auto& one : part) index.push_back(one.value_or(0));
      for (std::size_t level = free.size(), rest = at; level-- > 0; rest /= sizes[level]) {
        index[free[level]] = rest % sizes[level];
      }
      if (!into.places.insert(index).second) return given_already(target, target.id + spelled_index(index));
      into.step.placed.push_back({std::move(index), std::move(cells[at])});
    }
  }

  static std::string amount(const std::vector<std::size_t>& sizes) {
    if (sizes.size() < 2) return sizes.empty() ? "one number" : counted(sizes[0], "number");
    return spelled_sizes(sizes) + " numbers";
  }

  // Rows that are all of a step are as good as the step, written at once.
  void become_whole(Answered& one) const {
    const Shape* shape = known_.shape(one.step.id);
    if (!shape || !one.step.by_cell || one.has_single_cells || one.places.size() != shape->count()) return;
    const std::vector<std::size_t> sizes = shape->sizes();
    const auto is_inside = [&](const auto& index) { return std::ranges::equal(index, sizes, std::less<>()); };
    if (!std::ranges::all_of(one.places, is_inside)) return;
    std::ranges::sort(one.step.placed, {}, &AnsweredStep::Placed::index);
    for (AnsweredStep::Placed& placed : one.step.placed) one.step.cells.push_back(std::move(placed.number));
    one.step.placed.clear();
    one.step.by_cell = false;
    one.step.shape = sizes;
  }

  std::string_view text_;
  const KnownSteps& known_;
  Faults& faults_;
  Faults& unknown_;
  RoundBrackets brackets_;
  std::size_t at_ = 0;
  Answers answers_;
  std::vector<Answered> answered_;               // in the order of the file
  std::map<std::string, std::size_t> place_of_;  // of a step among those
  std::vector<std::size_t> sizes_;               // of the value at hand
};

}  // namespace

Result<Answers> read_answers_text(std::string_view text, const KnownSteps& known, Faults* unknown) {
  if (auto found = fault_of_bytes(text)) return *found;
  Faults faults;
  Answers answers = TextReader(text, known, faults, unknown ? *unknown : faults).read();
  if (faults.any()) return faults.take();
  return answers;
}

}  // namespace attn
