#include "explain/reports/worksheet.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "base/math.h"
#include "base/random.h"
#include "base/text.h"
#include "explain/arithmetic/lines.h"
#include "explain/place.h"
#include "explain/provenance.h"
#include "explain/telling/closing.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "ops/regroups.h"
#include "problem/labels.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr const char* hidden_number = "___";

// Weighted values are as many as queries, keys and their width together: so many fit a sheet.
constexpr std::size_t most_weighted_values = 60;

// Of what is worked out of one query, so many lines a step.
constexpr std::size_t most_worked_lines = 12;

bool holds(const std::vector<std::string>& ids, const std::string& id) { return std::ranges::count(ids, id) > 0; }

// A mask that the problem gives cell by cell is told as it is; what a rule says of it in words
// is worked out.
bool is_given_mask(const Trace& trace, const Step& step) {
  if (step.heading.role != Role::mask) return false;
  const StepWords& said = language().steps;
  const std::string titles[] = {said.mask_allow, said.mask_block, said.mask_add};
  return std::ranges::any_of(step.operands, [&](const Operand& operand) {
    const GivenTensor* given = trace.find_given(operand.id);
    return given && std::ranges::count(titles, given->heading.title) > 0;
  });
}

// The axis along which a sheet fades; what has none, keys and values, is read by every query.
Axis faded_axis(const Shape& shape) { return shape.has("query") ? "query" : shape.has("token") ? "token" : ""; }

std::size_t index_at(const Shape& shape, std::size_t cell, const Axis& axis) {
  return cell / shape.stride(axis) % shape.size(axis);
}

// None of the first, the latter half of each vector of the second, all of the rest.
bool is_open_when_faded(const Shape& shape, std::size_t cell) {
  const Axis axis = faded_axis(shape);
  if (axis.empty()) return false;
  const std::size_t query = index_at(shape, cell, axis);
  if (query != 1) return query > 1;
  // Where vectors are columns the queries are the last axis, and theirs stands before it.
  for (std::size_t at = shape.rank(); at-- > 0;) {
    const Dim& across = shape[at];
    if (across.axis != axis && !is_outer(across.axis)) return index_at(shape, cell, across.axis) >= across.size / 2;
  }
  return true;
}

bool is_on_white(const Shape& shape, std::size_t cell) {
  std::size_t steps = 0;
  for (std::size_t axis = shape.rank() < 2 ? 0 : shape.rank() - 2; axis < shape.rank(); ++axis) {
    steps += index_at(shape, cell, shape[axis].axis);
  }
  return steps % 2 == 0;
}

bool go_on_one_page(const Step& a, const Step& b) {
  const auto size = [](const Step& step, const Axis& axis) {
    return step.result.shape().has(axis) ? step.result.shape().size(axis) : 0;
  };
  return a.part == b.part && size(a, "batch") == size(b, "batch") && size(a, "head") == size(b, "head");
}

// Rows at the end that only fill up a sequence are nobody's to work out, nor are columns, but for
// those of keys that queries are compared with.
void leave_out_padding(Matrix& matrix) {
  std::size_t rows = matrix.rows();
  while (rows > 1 && is_padding(matrix.row_labels[rows - 1])) --rows;
  if (rows < matrix.rows()) matrix.row_labels.own().resize(rows);
  const bool are_compared = matrix.row_axis == "query" && matrix.column_axis == "key";
  std::size_t columns = matrix.columns();
  while (!are_compared && columns > 1 && matrix.is_padding_column(columns - 1)) --columns;
  std::vector<double> cells;
  std::vector<bool> closed;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      cells.push_back(matrix.number(row, column));
      if (!matrix.closed.empty()) closed.push_back(matrix.is_closed(row, column));
    }
  }
  if (columns < matrix.columns()) matrix.column_labels.own().resize(columns);
  matrix.cells = std::move(cells);
  matrix.closed = std::move(closed);
}

// A number in a text: "0.50", "0,50", "5e-1", "1/2", "50 %".
struct NumberInText {
  double value = 0;
  int decimals = 0;           // fewer than none where tens are rounded: of 1.2e6
  bool is_fraction = false;   // but for "468/1000", which is 0.468
  bool has_exponent = false;  // "76e-1"
  bool is_stated = false;     // "= 4" or one of a list, "[2, 4]"
  std::size_t list = 0;       // which list it is in, counted from 1
};

class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : text_(text) {}

  // Steps to the next number; its bytes are from first() to at().
  std::optional<NumberInText> next() {
    for (; at_ < text_.size() && !begins_number(); ++at_) see(text_[at_]);
    if (at_ == text_.size()) return std::nullopt;
    first_ = at_;
    NumberInText found;
    found.is_stated = lists_ > 0 || after_equals_;
    found.list = lists_ > 0 ? which_list_ : 0;
    read(found);
    if (const std::size_t end = behind_sign('/'); end < text_.size() && is_ascii_digit(text_[end])) {
      at_ = end;
      NumberInText below;
      read(below);
      found.value /= below.value;
      int tens = 0;
      double rest = below.value;
      for (; rest >= 10 && std::fmod(rest, 10) == 0; ++tens) rest /= 10;
      found.is_fraction = rest != 1;
      if (!found.is_fraction) found.decimals += tens;
    } else if (const std::size_t behind = behind_sign('%'); behind != std::string_view::npos) {
      at_ = behind;
      found.value /= 100;
      found.decimals += 2;
    }
    after_equals_ = false;
    return found;
  }

  std::size_t first() const { return first_; }
  std::size_t at() const { return at_; }

 private:
  // ".47" is 0.47.
  bool begins_number() const {
    const bool is_point = text_[at_] == '.' && at_ + 1 < text_.size();
    return is_ascii_digit(text_[at_]) || (is_point && is_ascii_digit(text_[at_ + 1]));
  }

  void see(char c) {
    if (c == '[' && lists_++ == 0) ++which_list_;
    if (c == ']' && lists_ > 0) --lists_;
    // A blank or a sign may stand before the number; ≈ ends in this byte.
    if (c == '=') after_equals_ = true;
    if (is_ascii_letter(c) || c == ',' || c == ';' || c == '.') after_equals_ = false;
  }

  // Where the text goes on behind this sign, which may have a blank on both sides; npos where it does not come next.
  std::size_t behind_sign(char sign) const {
    std::size_t at = at_ + blank_at(at_);
    if (at >= text_.size() || text_[at] != sign) return std::string_view::npos;
    return sign == '%' ? at + 1 : at + 1 + blank_at(at + 1);
  }

  // The bytes of a blank, also of one that breaks no line.
  std::size_t blank_at(std::size_t at) const {
    for (const std::string_view blank : {" ", "\u00a0", "\u202f"}) {
      if (text_.substr(std::min(at, text_.size())).starts_with(blank)) return blank.size();
    }
    return 0;
  }

  void read(NumberInText& number) {
    for (; is_digit_at(at_); ++at_) number.value = number.value * 10 + (text_[at_] - '0');
    if (is_digit_at(at_ + 1) && (text_[at_] == '.' || is_decimal_comma())) {
      double unit = 1;
      for (++at_; is_digit_at(at_); ++at_, ++number.decimals) {
        unit /= 10;
        number.value += unit * (text_[at_] - '0');
      }
    }
    read_exponent(number);
  }

  void read_exponent(NumberInText& number) {
    constexpr int beyond_all_numbers = 10000;
    if (at_ + 1 >= text_.size() || (text_[at_] != 'e' && text_[at_] != 'E')) return;
    const bool is_signed = text_[at_ + 1] == '-' || text_[at_ + 1] == '+';
    const bool is_negative = text_[at_ + 1] == '-';
    if (!is_digit_at(at_ + (is_signed ? 2 : 1))) return;
    int exponent = 0;
    for (at_ += is_signed ? 2 : 1; is_digit_at(at_); ++at_)
      exponent = std::min(exponent * 10 + (text_[at_] - '0'), beyond_all_numbers);
    if (is_negative) exponent = -exponent;
    number.value *= pow(10.0, exponent);
    number.decimals -= exponent;
    number.has_exponent = true;
  }

  bool is_digit_at(std::size_t at) const { return at < text_.size() && is_ascii_digit(text_[at]); }

  // As in "7,96", and not in [7,96] or 7,96,5. REQUIRES: a digit follows.
  bool is_decimal_comma() const {
    if (text_[at_] != ',' || lists_ > 0) return false;
    std::size_t end = at_ + 1;
    while (is_digit_at(end)) ++end;
    const bool one_before = first_ >= 2 && text_[first_ - 1] == ',' && is_digit_at(first_ - 2);
    const bool one_behind = is_digit_at(end + 1) && text_[end] == ',';
    return !one_before && !one_behind;
  }

  std::string_view text_;
  std::size_t at_ = 0, first_ = 0;
  std::size_t lists_ = 0, which_list_ = 0;
  bool after_equals_ = false;
};

void add_numbers_in(const std::string& text, std::vector<double>& numbers) {
  NumberReader reader(text);
  while (const auto number = reader.next()) {
    if (std::isfinite(number->value)) numbers.push_back(number->value);
  }
}

// Whether one of these, in order, lies so near.
bool any_near(const std::vector<double>& numbers, double value, double reach) {
  const auto found = std::ranges::lower_bound(numbers, value - reach);
  return found != numbers.end() && *found <= value + reach;
}

}  // namespace

Worksheet::Worksheet(const Trace& trace, const WorksheetOptions& options) : trace_(trace), options_(options) {
  telling_.parts = options.parts;
  telling_.batch = options.batch;
  telling_.head = options.head;
  telling_.query = options.query;
  telling_.full = true;
  const auto add_numbers = [](const Tensor<double>& tensor, std::vector<double>& to) {
    for (const double number : tensor.data()) to.push_back(std::abs(number));
  };
  for (const GivenTensor& given : trace.givens) add_numbers(given.value, given_);
  for (const Particular& said : trace.particulars) add_numbers_in(said.words, given_);
  for (const std::string& mask : masks_read(trace)) {
    for (const ClosingRule& rule : closing_rules(trace, mask)) add_numbers_in(rule.reason, given_);
  }
  for (const Step& step : trace.steps) {
    if (is_given(step)) add_numbers(step.result, given_);
    if (is_told(step)) open_cells(step);
  }
  std::ranges::sort(given_);
  std::ranges::sort(answers_);
}

// Weighted values that nobody asks for would tell the context, which is their sum.
bool Worksheet::is_told(const Step& step) const {
  const Blanks& blanks = options_.blanks;
  const bool is_much = step.result.size() > most_weighted_values || blanks.kind == Blanks::Kind::named;
  const bool is_left_out =
      step.heading.role == Role::weighted_value && is_much && !holds(blanks.steps, step.heading.id);
  return attn::is_told(step.part, telling_) && !is_given(step) && !is_left_out;
}

// Whether the number is copied from an open cell, or comes to the same: a largest score, what is
// multiplied by 1, a value that has all the weight.
bool Worksheet::repeats_open(const Reading& reading, std::size_t cell, double value) const {
  const bool is_copied = regroups(reading.op) || std::holds_alternative<Close>(reading.op);
  const auto* softmax = std::get_if<Softmax>(&reading.op);
  const bool is_largest = softmax && softmax->part == Softmax::Part::maximum;
  if (!is_copied && !is_largest && (value == 0 || value == 1)) return false;
  const Provenance made = provenance(reading, cell);
  const bool is_product = std::holds_alternative<Contract>(reading.op);
  for (std::size_t at = 0; at < made.operands.size(); ++at) {
    const Slice& read = made.operands[at];
    const auto open = open_.find(read.tensor);
    if (open == open_.end()) continue;
    const Tensor<double>& numbers = trace_.value(read.tensor);
    for (std::size_t i = 0; i < read.count; ++i) {
      const bool is_other_term = made.own_term && at == 0 && i != *made.own_term;
      if (is_other_term || !open->second[read.cell(i)] || numbers[read.cell(i)] != value) continue;
      // Of a sum of products only where this number times 1 is all of it.
      if (!is_product || at > 1 || trace_.value(made.operands[1 - at].tensor)[made.operands[1 - at].cell(i)] == 1) {
        return true;
      }
    }
  }
  return false;
}

void Worksheet::open_cells(const Step& step) {
  const Shape& shape = step.result.shape();
  const Blanks& blanks = options_.blanks;
  const bool can_be_asked = holds(options_.to_work_out, step.heading.id) && !is_given_mask(trace_, step);
  const bool is_named = blanks.kind == Blanks::Kind::named && holds(blanks.steps, step.heading.id);
  const auto told = [&](std::size_t cell, const Axis& axis, std::optional<std::size_t> only) {
    return !only || !shape.has(axis) || index_at(shape, cell, axis) + 1 == *only;
  };
  std::optional<Random> random;
  if (blanks.seed) random.emplace(*blanks.seed + static_cast<std::size_t>(&step - trace_.steps.data()));
  const Reading reading = reading_of(trace_, step);
  const bool may_repeat =
      std::ranges::any_of(reading.operands, [&](const Reading::Source& source) { return open_.contains(source.id); });

  std::vector<bool> open(step.result.size());
  bool any = false, first_of_two = true;
  for (std::size_t cell = 0; cell < open.size(); ++cell) {
    if (random && cell % 2 == 0) first_of_two = random->bits() % 2 == 0;
    const bool is_half = random ? (cell % 2 == 0) == first_of_two : is_on_white(shape, cell);
    const bool is_asked =
        is_named ||
        (can_be_asked && (blanks.kind == Blanks::Kind::all || (blanks.kind == Blanks::Kind::half && is_half) ||
                          (blanks.kind == Blanks::Kind::faded && is_open_when_faded(shape, cell))));
    open[cell] = is_asked || (may_repeat && repeats_open(reading, cell, step.result[cell]));
    if (!open[cell]) continue;
    any = true;
    answers_.push_back(std::abs(step.result[cell]));
    boxes_ +=
        told(cell, "batch", options_.batch) && told(cell, "head", options_.head) && told(cell, "query", options_.query)
            ? 1
            : 0;
  }
  if (any) open_.emplace(step.heading.id, std::move(open));
}

std::vector<Worksheet::Written> Worksheet::answers_written(const std::string& text, bool is_title) const {
  std::vector<Written> found, of_list;  // numbers of a list, and
  std::size_t list = 0;
  bool list_tells = false;  // whether one of them is an answer: then the others are, too
  const auto end_list = [&] {
    if (list_tells) found.insert(found.end(), of_list.begin(), of_list.end());
    of_list.clear();
    list_tells = false;
  };
  NumberReader reader(text);
  while (const auto number = reader.next()) {
    if (number->list != std::exchange(list, number->list)) end_list();
    const double value = number->value;
    // Small numbers without decimals count things, unless they are said to be a result; so do large ones in a title.
    const bool tells = number->decimals > 0 || number->is_fraction || number->has_exponent || number->is_stated ||
                       (value >= 10 && !is_title);
    // A fraction tells an answer that is the same in the decimals of the box, or in two.
    const int decimals = number->is_fraction ? std::max(options_.digits, 2) : number->decimals;
    const bool is_whole = decimals == 0 && !number->has_exponent;
    const double reach = is_whole ? 1e-9 * std::max(1.0, value) : 0.5000001 * pow(10.0, -decimals);
    const bool is_answer =
        std::isfinite(value) && tells && any_near(answers_, value, reach) && !any_near(given_, value, 1e-12);
    const Written written{reader.first(), reader.at() - reader.first()};
    list_tells = list_tells || is_answer;
    if (list > 0) {
      of_list.push_back(written);
    } else if (is_answer) {
      found.push_back(written);
    }
  }
  end_list();
  return found;
}

std::vector<std::string> Worksheet::answers_in(const std::string& text, bool is_title) const {
  std::vector<std::string> numbers;
  for (const Written& one : answers_written(text, is_title)) numbers.push_back(text.substr(one.first, one.count));
  return numbers;
}

std::string Worksheet::without_answers(const std::string& text, bool is_title) const {
  if (options_.is_key) return text;
  std::string rest;
  std::size_t at = 0;
  for (const Written& one : answers_written(text, is_title)) {
    rest += text.substr(at, one.first - at) + hidden_number;
    at = one.first + one.count;
  }
  return rest + text.substr(at);
}

// Tells a worksheet as a document.
class SheetTeller {
 public:
  SheetTeller(const Worksheet& sheet)
      : sheet_(sheet),
        trace_(sheet.trace_),
        options_(sheet.options_),
        of_given_(decimals_of_given(), trace_),
        looked_up_(decimals_of_endless(), trace_),
        numerals_(options_.digits, trace_, Tiny::two_digits),
        lines_(trace_, numerals_, usual_terms) {}

  Document tell() {
    tell_head();
    tell_given();
    tell_steps();
    document_.sheet = FillIn{trace_.statement, options_.is_key};
    document_.precision = numerals_.precision();
    document_.tolerance = numerals_.tolerance();
    return std::move(document_);
  }

 private:
  static constexpr int most_decimals_of_given = 6;

  void add(Block block) { document_.add(std::move(block)); }

  // As many as all that is given needs, where that is not too many for people.
  int decimals_of_given() const {
    return !options_.precision && is_exact_with(most_decimals_of_given) ? most_decimals_of_given
                                                                        : decimals_of_endless();
  }

  // As usual, and at least three more than answers have: what is worked out with them is rounded as on the key.
  int decimals_of_endless() const {
    constexpr int more = 3;
    return decimals_shown(options_.precision.value_or(std::max(decimals_shown(std::nullopt), options_.digits + more)));
  }

  bool is_exact_with(int decimals) const {
    const Numerals numerals(decimals, trace_);
    const auto is_exact = [&](const Tensor<double>& tensor) {
      return std::ranges::all_of(tensor.data(), [&](double number) { return numerals.exact(number); });
    };
    const auto shows_all = [&](const GivenTensor& given) {
      return given.heading.role == Role::mask || !is_told(given.part, sheet_.telling_) || is_exact(given.value);
    };
    return std::ranges::all_of(trace_.givens, shows_all) && std::ranges::all_of(trace_.steps, [&](const Step& step) {
             return !is_given(step) || !is_told(step.part, sheet_.telling_) || is_exact(step.result);
           });
  }

  void tell_head() {
    const std::string title = trace_.title.empty() ? said_.title.text() : sheet_.without_answers(trace_.title, true);
    add(Headline{1, {options_.is_key ? said_.key_of(title) : title}});
    add(Fields{{{said_.name, options_.person}, {said_.date}}});
    for (const std::string& line : trace_.remarks) {
      if (!line.empty()) add(Prose{{sheet_.without_answers(line)}});
    }
    std::string words = said_.decimals(options_.digits, trace_.arithmetic.hand_rounding.has_value());
    if (options_.blanks.kind == Blanks::Kind::half) words += " " + said_.half_is_there.text();
    if (options_.blanks.kind == Blanks::Kind::faded) words += " " + said_.faded.text();
    add(Prose{{words}});
  }

  void tell_given() {
    const std::size_t first = document_.blocks.size();
    tell_givens(trace_, sheet_.telling_, of_given_, document_);
    leave_out_sizes(first);
    // What a program computes in is nobody's business who has a pencil.
    const TellingWords& said = language().telling;
    auto& rows = std::get<Table>(document_.blocks.back()).rows;
    std::erase_if(rows, [&](const std::vector<Inline>& row) {
      const std::string what = plain(row.front());
      return what == said.shown.text() || what == said.numbers.text();
    });
    if (const auto& by_hand = trace_.arithmetic.hand_rounding) {
      rows.push_back({{said.numbers}, {words_of_rounding(*by_hand)}});
    }
    if (rows.empty()) document_.blocks.pop_back();
    if (!is_exact_with(of_given_.precision())) add(Remark{{said_.given_rounded(of_given_.precision())}});
    for (const Note& note : trace_.notes) {
      const Step* step = trace_.find(note.step);
      if (note.step.empty() || (step && is_given(*step))) add(Remark{{note.message}});
    }
  }

  void leave_out_sizes(std::size_t first_block) {
    for (std::size_t i = first_block; i < document_.blocks.size(); ++i) {
      if (auto* matrix = std::get_if<Matrix>(&document_.blocks[i])) matrix->sizes.clear();
    }
  }

  bool is_asked(const Step& step) const { return holds(options_.to_work_out, step.heading.id); }

  // Whether it only has open numbers again, which nobody writes twice.
  bool is_only_repeated(const Step& step) const {
    return !is_asked(step) && sheet_.open_.contains(step.heading.id) && !holds(options_.blanks.steps, step.heading.id);
  }

  void tell_steps() {
    std::vector<const Step*> told;
    for (const Step& step : trace_.steps) {
      if (sheet_.is_told(step) && !is_only_repeated(step)) told.push_back(&step);
    }
    std::optional<std::size_t> part;
    for (std::size_t i = 0; i < told.size();) {
      if (std::exchange(part, told[i]->part) != told[i]->part) open_part(*told[i]);
      std::size_t end = i + 1;
      while (end < told.size() && go_on_one_page(*told[i], *told[end])) ++end;
      tell_together(std::span(told).subspan(i, end - i));
      i = end;
    }
  }

  void open_part(const Step& first) {
    const std::string title = part_title(trace_, first);
    add(Headline{2, {title.empty() ? said_.to_work_out.text() : title}});
    const std::size_t block = document_.blocks.size();
    tell_givens_of_part(trace_, first.part, sheet_.telling_, of_given_, document_);
    leave_out_sizes(block);
  }

  void tell_together(std::span<const Step* const> steps) {
    const Shape& shape = steps.front()->result.shape();
    const std::size_t head = head_of(trace_, steps.front()->heading.id, options_.head.value_or(0));
    for (const Place& place : outer_places(shape, options_.batch.value_or(0), head)) {
      const std::string where = place_words(shape, place);
      if (!where.empty()) add(Headline{3, {where}});
      if (options_.blanks.kind != Blanks::Kind::faded) {
        tell_matrices(steps, place, where, [](const Step&) { return true; });
        continue;
      }
      // What every query reads comes before the first of them.
      const auto fades = [](const Step& step) { return !faded_axis(step.result.shape()).empty(); };
      tell_matrices(steps, place, where, std::not_fn(fades));
      tell_worked_out(steps, place);
      tell_matrices(steps, place, where, fades);
    }
  }

  template <class Which>
  void tell_matrices(std::span<const Step* const> steps, const Place& place, const std::string& where, Which which) {
    bool beside = false;
    for (const Step* step : steps) {
      if (!which(*step)) continue;
      for (Matrix& matrix : matrices(*step, place)) {
        if (matrix.place.starts_with(where)) {
          matrix.place.erase(0, matrix.place.find_first_not_of(" ·", where.size()));
        }
        matrix.beside = std::exchange(beside, true);
        add(std::move(matrix));
      }
    }
  }

  // The first query of these steps, number by number.
  void tell_worked_out(std::span<const Step* const> steps, const Place& place) {
    bool has_begun = false;
    for (const Step* step : steps) {
      const Shape& shape = step->result.shape();
      const Axis axis = faded_axis(shape);
      if (axis.empty() || shape.size(axis) < 2 || !is_asked(*step)) continue;
      const Place first = with(place, axis, 0);
      std::size_t numbers = 1;
      for (const Dim& dim : inner_axes(shape, first)) numbers *= dim.size;
      const bool is_row = inner_axes(shape, first).size() < 2;
      if (reads_open(*step, first) || (!is_row && numbers > most_worked_lines)) continue;
      if (!std::exchange(has_begun, true)) add(Headline{3, {said_.worked_out(name_of_first(*step, axis, place))}});
      add(numbers > most_worked_lines ? Derivation{{}, "", {lines_.row(*step, first)}} : lines_.cells(*step, first));
    }
  }

  // "Query 1 · the"
  std::string name_of_first(const Step& step, const Axis& axis, const Place& place) const {
    const std::string label = axis_label(trace_, step.heading, {axis, step.result.shape().size(axis)}, place, 0);
    const std::string number = capitalised(axis) + " 1";
    return is_numbered(label, 0) ? number : dotted(number, label);
  }

  bool reads_open(const Step& step, const Place& place) const {
    const Reading reading = reading_of(trace_, step);
    const std::size_t first = offset_at(step.result.shape(), place);
    std::size_t numbers = 1;
    for (const Dim& dim : inner_axes(step.result.shape(), place)) numbers *= dim.size;
    for (std::size_t cell = first; cell < first + numbers; ++cell) {
      for (const Slice& read : provenance(reading, cell).operands) {
        const auto open = sheet_.open_.find(read.tensor);
        if (open == sheet_.open_.end()) continue;
        for (std::size_t i = 0; i < read.count; ++i) {
          if (open->second[read.cell(i)]) return true;
        }
      }
    }
    return false;
  }

  std::vector<Matrix> matrices(const Step& step, const Place& place) const {
    const auto query = options_.query ? std::optional(*options_.query - 1) : std::nullopt;
    const Numerals& told = is_asked(step) ? numerals_ : regroups(step.op) ? of_given_ : looked_up_;
    std::vector<Matrix> all = matrices_at(trace_, told, step.heading.id, place, query);
    std::erase_if(all, [&](const Matrix& matrix) { return is_of_padding(step, matrix); });
    for (Matrix& matrix : all) {
      matrix.sizes.clear();
      if (trace_.batched) leave_out_padding(matrix);
      put_into_boxes(matrix);
      // From here on the matrix knows nothing of how its numbers came about, but where they stand.
      matrix.reading = {Given{}, {}, std::nullopt, step.result.shape()};
      const bool was_rounded = trace_.arithmetic.hand_rounding && !comes_of_whole_numbers(step);
      matrix.decimals_in_lines = options_.is_key && was_rounded ? options_.digits : 0;
    }
    return all;
  }

  // Whether there was nothing to be rounded in it, nor before it.
  bool comes_of_whole_numbers(const Step& step) const {
    const auto are_whole = [](const Tensor<double>& tensor) {
      return std::ranges::all_of(tensor.data(), [](double number) { return number == std::trunc(number); });
    };
    const auto* softmax = std::get_if<Softmax>(&step.op);
    const bool keeps_whole = regroups(step.op) || std::holds_alternative<Contract>(step.op) ||
                             std::holds_alternative<Close>(step.op) ||
                             (softmax && softmax->part == Softmax::Part::maximum);
    return are_whole(step.result) && keeps_whole && std::ranges::all_of(step.operands, [&](const Operand& operand) {
             const Step* before = trace_.find(operand.id);
             return before ? comes_of_whole_numbers(*before) : are_whole(trace_.value(operand.id));
           });
  }

  // Whether it is all of one query that only fills up a sequence.
  bool is_of_padding(const Step& step, const Matrix& matrix) const {
    const Shape& shape = step.result.shape();
    const auto batch = shape.position("batch"), query = shape.position("query");
    if (!batch || !query) return false;
    const std::vector<std::size_t> at = shape.index(matrix.first);
    return at[*query] >= own_size(trace_, step, shape[*query], at[*batch]);
  }

  void put_into_boxes(Matrix& matrix) const {
    const auto found = sheet_.open_.find(matrix.step);
    if (found == sheet_.open_.end()) return;
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
      const bool is_open = found->second[matrix.place_of(i / matrix.columns(), i % matrix.columns())];
      boxes.push_back(!is_open ? Box::none : options_.is_key ? Box::filled : Box::open);
      if (boxes.back() == Box::open) matrix.cells[i] = 0;
    }
    if (std::ranges::count(boxes, Box::none) == std::ssize(boxes)) return;
    matrix.boxes = std::move(boxes);
    // What its rows sum to, which comes of the numbers.
    const TellingWords& said = language().telling;
    for (const std::string& sums : {said.each_row_1_or_0.text(), said.each_row_1.text()}) {
      if (const auto at = matrix.words.find(sums); at != std::string::npos) matrix.words.erase(at, sums.size());
    }
    matrix.closed.clear();
    matrix.format = {.decimals = options_.digits};
  }

  const WorksheetWords& said_ = language().worksheet;
  const Worksheet& sheet_;
  const Trace& trace_;
  const WorksheetOptions& options_;
  Numerals of_given_, looked_up_, numerals_;
  Lines lines_;
  Document document_;
};

Document Worksheet::document() const { return SheetTeller(*this).tell(); }

}  // namespace attn
