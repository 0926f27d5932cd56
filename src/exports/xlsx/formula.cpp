#include "exports/xlsx/formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "base/numbers.h"
#include "explain/provenance.h"
#include "exports/export.h"
#include "ops/functions.h"
#include "ops/one_of.h"
#include "trace/rounding.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t most_written_products = 12;  // of a sum that a person reads
constexpr std::size_t longest_formula = 8000;      // a spreadsheet reads 8192 characters

const std::string quoted_minus_infinity = std::string("\"") + minus_infinity_text + "\"";

std::string spelled_in_sheet(double number) { return number < 0 ? "(" + shortest(number) + ")" : shortest(number); }

std::string prefix_of(const Trace& trace, std::size_t part) {
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  return part < parts.size() ? parts[part].prefix : "";
}

// The id as it is called within its part.
std::string own_id(const std::string& id, const std::string& prefix) {
  return !prefix.empty() && id.starts_with(prefix + ".") ? id.substr(prefix.size() + 1) : id;
}

std::string sum_of(const std::vector<std::string>& terms) {
  std::string text;
  for (const std::string& term : terms) text += (text.empty() ? "" : "+") + term;
  return text;
}

// The options that a step has, which all its cells share.
struct StepOptions {
  std::string parameter;  // of Map, of eps
  std::string base;       // of Waves, Softmax, Online; "" for e
  std::string decimals;   // that it is rounded to; "" where it is not
};

// Writes one cell of a step. Visits an Op.
class CellFormula {
 public:
  CellFormula(const Trace& trace, const SheetLayout& layout, const SheetTable& table, const Reading& reading,
              const StepOptions& options, const std::set<std::string>& texts, bool closes_rows)
      : trace_(trace),
        layout_(layout),
        table_(table),
        reading_(reading),
        options_(options),
        texts_(texts),
        closes_rows_(closes_rows) {}

  std::string write(std::size_t cell) {
    cell_ = cell;
    made_ = provenance(reading_, cell);
    return std::visit(*this, reading_.op);
  }

  std::string operator()(const Given&) { return ""; }

  template <OneOf<Copy, Split, Merge, Join, Repeat, Pick> Moved>
  std::string operator()(const Moved&) {
    for (std::size_t i = 0; i < made_.operands.size(); ++i) {
      if (made_.operands[i].count > 0) return term(i);
    }
    return "0";
  }

  std::string operator()(const Waves& op) {
    const Shape& shape = reading_.result;
    const std::vector<std::size_t> index = shape.index(cell_);
    const WavePlace place(op, index[*shape.position(op.features.axis)]);
    const std::string position = std::to_string(op.first + index[*shape.position(op.positions.axis)]);
    return rounded((place.is_sine ? "SIN(" : "COS(") + position + "/" + options_.base + "^(" +
                   std::to_string(2 * place.pair) + "/" + std::to_string(op.width) + "))");
  }

  std::string operator()(const Rotate&) {
    if (made_.operands[1].count == 0) return rounded(term(0));
    const bool is_first = made_.own_term == 0U;
    const std::string own = term(0, is_first ? 0 : 1), other = term(0, is_first ? 1 : 0);
    return rounded(own + "*" + term(1) + (is_first ? "-" : "+") + other + "*" + term(2));
  }

  std::string operator()(const Contract& op) {
    const std::string sum = products(0);
    if (op.then == Contract::Then::add) return rounded(sum_of(with_further({sum}, 2)));
    const std::string divisor = term(2) + "*" + term(3);
    const std::string quotient = when(divisor + "=0", "0", "(" + sum + ")/(" + divisor + ")");
    return rounded(sum_of(with_further({quotient}, 4)));
  }

  std::string operator()(const Combine& op) {
    if (op.function == Binary::minimum) return rounded("MIN(" + all_terms() + ")");
    constexpr std::string_view signs = "+-*/";
    std::string text = term(0);
    for (std::size_t i = 1; i < made_.operands.size(); ++i) {
      text += signs[static_cast<std::size_t>(op.function)] + term(i);
    }
    text = rounded(text);
    const bool has_text = std::ranges::any_of(reading_.operands, [&](const auto& one) { return is_text(one.id); });
    if (has_text) {
      text = when("COUNT(" + all_terms() + ")<" + std::to_string(made_.operands.size()), quoted_minus_infinity, text);
    }
    return unless_closed("0", text);
  }

  std::string operator()(const Map& op) { return unless_closed("0", rounded(applied_to(op.function, term(0)))); }

  std::string operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return rounded(sum_of(with_further({row_sum()}, 1)));
      case Reducer::maximum:
        return rounded(largest());
      case Reducer::norm:
        return rounded("SQRT(SUMSQ(" + range(0) + "))");
    }
    return "";
  }

  std::string operator()(const Gate& op) {
    return unless_closed("0", rounded(applied_to(op.function, term(0)) + "*" + term(1)));
  }

  std::string operator()(const Normalize& op) {
    const std::string fewer = op.fewer > 0 ? "-" + std::to_string(op.fewer) : "";
    switch (op.part) {
      case Normalize::Part::mean:
        return rounded("AVERAGE(" + range(0) + ")");
      case Normalize::Part::variance:
        return rounded("SUMPRODUCT((" + range(0) + "-" + term(1) + ")^2)/(" + count(0) + fewer + ")");
      case Normalize::Part::mean_square:
        return rounded("SUMSQ(" + range(0) + ")/" + count(0));
      case Normalize::Part::normalized:
        return rounded(normalized(op));
      case Normalize::Part::affine:
        return rounded(term(0) + "*" + term(1) + "+" + term(2));
    }
    return "";
  }

  std::string operator()(const Close&) {
    const bool is_biased = made_.operands.size() > 1;
    std::vector<std::string> conditions;
    if (made_.open) conditions.push_back(mask() + "=0");
    if (is_biased && is_text(reading_.operands[1].id)) conditions.push_back("ISTEXT(" + term(1) + ")");
    const std::string number = is_biased ? rounded(term(0) + "+" + term(1)) : term(0);
    if (conditions.empty()) return number;
    const std::string condition =
        conditions.size() == 1 ? conditions[0] : "OR(" + conditions[0] + "," + conditions[1] + ")";
    return when(condition, quoted_minus_infinity, number);
  }

  std::string operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return largest();
      case Softmax::Part::exponentials:
        return exponential(term(0), term(1), is_text(reading_.operands[0].id));
      case Softmax::Part::sum: {
        if (made_.operands.size() == 1) return row_sum();
        const std::string sink = power(term(1) + "-" + term(2));
        return row_sum() + "+" + sink;
      }
      case Softmax::Part::weights: {
        const std::string weight = rounded(term(0) + "/" + term(1));
        return closes_rows_ ? when(term(1) + "=0", "0", weight) : weight;
      }
      case Softmax::Part::shares: {
        const std::string own = term(0, *made_.own_term);
        const std::string weight = rounded(own + "/SUM(" + range(0) + ")");
        if (!made_.open) return weight;
        const std::string sum = is_text(reading_.operands[0].id) ? "SUM(" + range(0) + ")"
                                                                 : "SUMIF(" + mask_range() + ",1," + range(0) + ")";
        return when(mask(*made_.own_term) + "=0", "0", rounded(own + "/" + sum));
      }
    }
    return "";
  }

  std::string operator()(const Online& op) {
    const std::size_t last = made_.operands.size() - 1;
    const bool carries = made_.operands[last].count > 0;
    switch (op.part) {
      case Online::Part::block_maximum:
        return largest();
      case Online::Part::maximum:
        return carries ? largest_of(term(0) + "," + term(1)) : term(0);
      case Online::Part::rescale:
        return made_.operands[0].count == 1 ? "0" : exponential(term(0), term(0, 1), true);
      case Online::Part::exponentials:
        return exponential(term(0), term(1), is_text(reading_.operands[0].id));
      case Online::Part::sum:
        return (carries ? term(last) + "*" + term(last - 1) + "+" : "") + row_sum();
      case Online::Part::context:
        return (carries ? term(last) + "*" + term(last - 1) + "+" : "") + products(0);
      case Online::Part::result:
        return when(term(1) + "=0", "0", rounded(term(0) + "/" + term(1)));
    }
    return "";
  }

 private:
  static std::string when(const std::string& condition, const std::string& then, const std::string& otherwise) {
    return "IF(" + condition + "," + then + "," + otherwise + ")";
  }

  // Where a number is next to a tie for its last bits alone, it is one: it is read to fewer digits first.
  std::string rounded(const std::string& number) const {
    if (options_.decimals.empty()) return number;
    return "ROUND(ROUND(" + number + ",MIN(" + options_.decimals + "+9,20))," + options_.decimals + ")";
  }

  bool is_text(const std::string& id) const { return texts_.contains(id); }

  SheetCell place(const Slice& slice, std::size_t i) const { return layout_.table(slice.tensor).at(slice.cell(i)); }
  std::string reference(const SheetCell& cell) const { return layout_.reference(cell, table_.sheet); }

  // The cell of the i-th operand.
  std::string term(std::size_t i, std::size_t which = 0) const { return reference(place(made_.operands[i], which)); }

  std::string mask(std::size_t which = 0) const {
    return reference(place(*made_.open, made_.open->count > 1 ? which : 0));
  }

  std::string all_terms() const {
    std::string text;
    for (std::size_t i = 0; i < made_.operands.size(); ++i) text += (i > 0 ? "," : "") + term(i);
    return text;
  }

  std::string unless_closed(const std::string& closed, const std::string& number) const {
    return made_.open ? when(mask() + "=0", closed, number) : number;
  }

  enum class Run { row, column, none };

  Run run(const Slice& slice) const {
    const SheetCell first = place(slice, 0);
    bool is_row = true, is_column = true;
    for (std::size_t i = 1; i < slice.count; ++i) {
      const SheetCell cell = place(slice, i);
      is_row = is_row && cell.row == first.row && cell.column == first.column + i;
      is_column = is_column && cell.column == first.column && cell.row == first.row + i;
    }
    return is_row ? Run::row : is_column ? Run::column : Run::none;
  }

  // "B3:E3", or every cell where they do not stand side by side.
  std::string range(const Slice& slice) const {
    if (slice.count > 1 && run(slice) != Run::none) {
      return reference(place(slice, 0)) + ":" + cell_reference(place(slice, slice.count - 1));
    }
    std::string text;
    for (std::size_t i = 0; i < slice.count; ++i) text += (i > 0 ? "," : "") + reference(place(slice, i));
    return text;
  }
  std::string range(std::size_t operand) const { return range(made_.operands[operand]); }
  std::string mask_range() const { return range(*made_.open); }

  std::string count(std::size_t operand) const { return "COUNT(" + range(operand) + ")"; }

  std::string row_sum() const { return made_.operands[0].count == 1 ? term(0) : "SUM(" + range(0) + ")"; }

  // Σ a·b of two operands that run along the same axis. What the mask closes is not read.
  std::string products(std::size_t first) const {
    const Slice &a = made_.operands[first], &b = made_.operands[first + 1];
    if (made_.open || a.count <= most_written_products) {
      std::vector<std::string> terms;
      for (std::size_t i = 0; i < a.count; ++i) {
        const std::string product = term(first, i) + "*" + term(first + 1, i);
        terms.push_back(made_.open ? when(mask(i) + "=0", "0", product) : product);
      }
      const std::string sum = sum_of(terms);
      if (!made_.open || sum.size() < longest_formula) return sum;
    }
    const Run of_a = run(a), of_b = run(b);
    if (made_.open) refuse_not_finite({a, b});
    if (of_a == Run::none || of_b == Run::none) throw too_long();
    if (of_a == of_b) return "SUMPRODUCT(" + range(a) + "," + range(b) + ")";
    return "SUM(MMULT(" + range(of_a == Run::row ? a : b) + "," + range(of_a == Run::row ? b : a) + "))";
  }

  std::vector<std::string> with_further(std::vector<std::string> terms, std::size_t first) const {
    for (std::size_t i = first; i < made_.operands.size(); ++i) terms.push_back(term(i));
    return terms;
  }

  // What is closed, or no number, does not count; −∞ where nothing does.
  std::string largest() const {
    std::string counted = range(0);
    for (std::size_t i = 1; i < made_.operands.size(); ++i) counted += "," + term(i);
    const bool is_masked = made_.open && !is_text(reading_.operands[0].id);
    if (!is_masked) return largest_of(counted, is_text(reading_.operands[0].id));
    counted.clear();
    for (std::size_t i = 0; i < made_.operands[0].count; ++i) {
      counted += when(mask(i) + "=0", "-1E+308", term(0, i)) + ",";
    }
    for (std::size_t i = 1; i < made_.operands.size(); ++i) counted += term(i) + ",";
    counted.pop_back();
    const std::string most = "MAX(" + counted + ")";
    if (made_.operands.size() > 1) return most;  // a sink is open wherever a row is closed
    return when("SUM(" + mask_range() + ")=0", quoted_minus_infinity, most);
  }

  std::string largest_of(const std::string& counted, bool may_be_none = true) const {
    const std::string most = "MAX(" + counted + ")";
    return may_be_none ? when("COUNT(" + counted + ")=0", quoted_minus_infinity, most) : most;
  }

  // Where nothing is left of a power, EXP says 0 and ^ an error.
  std::string power(const std::string& exponent) const {
    if (options_.base.empty()) return "EXP(" + exponent + ")";
    const std::string raised = options_.base + "^(" + exponent + ")";
    return when("(" + exponent + ")*LN(" + options_.base + ")<-708", "0", raised);
  }

  std::string exponential(const std::string& score, const std::string& maximum, bool may_be_text) const {
    const std::string value = power(score + "-" + maximum);
    if (may_be_text) return when("ISTEXT(" + score + ")", "0", value);
    return unless_closed("0", value);
  }

  std::string applied_to(Unary function, const std::string& a) const {
    switch (function) {
      case Unary::multiply:
        return a + "*" + options_.parameter;
      case Unary::divide:
        return a + "/" + options_.parameter;
      case Unary::add:
        return a + "+" + options_.parameter;
      case Unary::exp:
        return "EXP(" + a + ")";
      case Unary::tanh:
        return "TANH(" + a + ")";
      case Unary::softcap:
        return options_.parameter + "*TANH(" + a + "/" + options_.parameter + ")";
      case Unary::square:
        return a + "^2";
      case Unary::sqrt:
        return "SQRT(" + a + ")";
      case Unary::relu:
        return "MAX(" + a + ",0)";
      case Unary::gelu:
        return a + "*0.5*(1+ERF(" + a + "/SQRT(2)))";
      case Unary::gelu_tanh:
        return a + "*0.5*(1+TANH(SQRT(2/PI())*(" + a + "+0.044715*" + a + "^3)))";
      case Unary::silu:
        return when(a + "<-709", "0", a + "/(1+EXP(-" + a + "))");  // EXP(710) is too large a number
    }
    return "";
  }

  std::string normalized(const Normalize& op) const {
    const bool is_centred = made_.operands.size() == 3;
    const std::string variance = term(is_centred ? 2 : 1);
    const std::string eps = op.eps == 0 ? "" : "+" + options_.parameter;
    const std::string divisor = op.eps_outside ? "(SQRT(" + variance + ")" + eps + ")" : "SQRT(" + variance + eps + ")";
    const std::string upper = is_centred ? "(" + term(0) + "-" + term(1) + ")" : term(0);
    return when(variance + eps + "=0", "0", upper + "/" + divisor);
  }

  // A sum over whole ranges reads what the mask closes, too: times 0 a number is nothing, and any other an error.
  void refuse_not_finite(const std::array<Slice, 2>& read) const {
    for (const Slice& slice : read) {
      const Tensor<double>& numbers = trace_.value(slice.tensor);
      for (std::size_t i = 0; i < slice.count; ++i) {
        const Slice& open = *made_.open;
        const bool is_open = trace_.value(open.tensor)[open.cell(open.count > 1 ? i : 0)] != 0;
        if (is_open || std::isfinite(numbers[slice.cell(i)])) continue;
        const FileWords& said = language().files;
        throw ExportError({said.not_finite(cell_name(trace_, {slice.tensor, slice.cell(i)})), said.smaller});
      }
    }
  }

  static ExportError too_long() {
    const FileWords& said = language().files;
    return ExportError({said.too_wide("xlsx"), said.smaller});
  }

  const Trace& trace_;
  const SheetLayout& layout_;
  const SheetTable& table_;
  const Reading& reading_;
  const StepOptions& options_;
  const std::set<std::string>& texts_;
  bool closes_rows_;
  std::size_t cell_ = 0;
  Provenance made_;
};

// The options of a step, as cells with names.
class OptionFinder {
 public:
  OptionFinder(const Trace& trace, SheetOptions& options, const Step& step)
      : options_(options), step_(step), prefix_(prefix_of(trace, step.part)), own_(own_id(step.heading.id, prefix_)) {}

  StepOptions find(const Arithmetic& arithmetic) {
    StepOptions found;
    std::visit(
        Overloaded{
            [&](const Map& map) { found.parameter = parameter_of(map); },
            [&](const Waves& waves) {
              found.base = named("wave_base", said_.wave_base(step_.heading.title), waves.base);
            },
            [&](const Normalize& norm) {
              if (norm.part == Normalize::Part::normalized && norm.eps != 0)
                found.parameter = named("norm_eps", said_.eps(step_.heading.title), norm.eps);
            },
            [&](const Softmax& softmax) { found.base = base(softmax.base); },
            [&](const Online& online) { found.base = base(online.base); },
            []<OneOf<Given, Copy, Split, Merge, Join, Repeat, Pick, Rotate, Contract, Combine, Reduce, Gate, Close> O>(
                const O&) {},
        },
        step_.op);
    if (arithmetic.hand_rounding && is_rounded_by_hand(step_.op, step_.operands.size())) {
      found.decimals = options_.name_of(
          "", {"kept_decimals", said_.decimals, static_cast<double>(arithmetic.hand_rounding->decimals)});
    }
    return found;
  }

 private:
  std::string named(const std::string& name, const std::string& meaning, double value,
                    const std::string& formula = "") {
    return options_.name_of(prefix_, {name, meaning, value, formula});
  }

  std::string base(double base) {
    return base == 0 ? "" : named("softmax_base", said_.power_base(step_.heading.title), base);
  }

  std::string parameter_of(const Map& map) {
    const std::string symbol = step_.heading.symbol.text();
    // "√3": as a person writes the divisor, so it stands in its cell.
    constexpr std::string_view root = "√";
    const bool is_root = map.spelling.starts_with(root);
    const std::string formula = is_root ? "SQRT(" + map.spelling.substr(root.size()) + ")" : "";
    switch (map.function) {
      case Unary::multiply:
        return named(own_ + "_factor", said_.factor(symbol), map.parameter, formula);
      case Unary::divide:
        return named(own_ + "_divisor", said_.divisor(symbol), map.parameter, formula);
      case Unary::add:
        return named(own_ + "_summand", said_.summand(symbol), map.parameter, formula);
      case Unary::softcap:
        return named(own_ + "_c", said_.cap(symbol), map.parameter, formula);
      default:
        return "";
    }
  }

  const FileWords& said_ = language().files;
  SheetOptions& options_;
  const Step& step_;
  std::string prefix_, own_;
};

// Whether every number of the row of a softmax may be closed.
bool closes_rows(const Trace& trace, const Step& step) {
  return std::ranges::any_of(trace.steps, [&](const Step& other) {
    return other.part == step.part && std::holds_alternative<Close>(other.op);
  });
}

}  // namespace

SheetFormulas::SheetFormulas(const Trace& trace, const SheetLayout& layout, SheetOptions& options)
    : trace_(trace), layout_(layout), options_(options) {
  find_texts();
  // Which row of a table is read for which distance follows from where the queries stand.
  for (const Step& step : trace.steps) {
    const auto* pick = std::get_if<Pick>(&step.op);
    if (pick && pick->rows.shape().rank() > 1) fixed_.insert(prefix_of(trace, step.part));
  }
}

// −∞ comes from what is added to scores, and from closing them, and is handed on by what regroups.
void SheetFormulas::find_texts() {
  for (const GivenTensor& given : trace_.givens) {
    if (given.rule && given.rule->kind == GivenRule::Kind::finite) texts_.insert(given.rule->of);
  }
  for (const Step& step : trace_.steps) {
    const auto reads_text = [&] {
      return std::ranges::any_of(step.operands, [&](const Operand& one) { return texts_.contains(one.id); });
    };
    const bool is_text = std::visit(
        Overloaded{
            [&](const Close&) { return step.open.has_value() || reads_text(); },
            [&]<OneOf<Copy, Split, Merge, Join, Repeat, Pick, Combine> O>(const O&) { return reads_text(); },
            [&](const Softmax& softmax) { return softmax.part == Softmax::Part::maximum && step.open.has_value(); },
            [&](const Reduce& reduce) {
              return reduce.function == Reducer::maximum && (step.open.has_value() || reads_text());
            },
            [&](const Online& online) {
              return online.part == Online::Part::block_maximum || online.part == Online::Part::maximum;
            },
            []<OneOf<Given, Waves, Rotate, Contract, Map, Gate, Normalize> O>(const O&) { return false; },
        },
        step.op);
    if (is_text) texts_.insert(step.heading.id);
  }
}

std::vector<std::string> SheetFormulas::of(const SheetTable& table) {
  if (table.given) return table.given->rule ? of_rule(table) : std::vector<std::string>();
  return table.is_given() ? std::vector<std::string>() : of_step(table);
}

std::vector<std::string> SheetFormulas::of_step(const SheetTable& table) {
  const Step& step = *table.step;
  const Reading reading = reading_of(trace_, step);
  const StepOptions options = OptionFinder(trace_, options_, step).find(trace_.arithmetic);
  CellFormula cell(trace_, layout_, table, reading, options, texts_, closes_rows(trace_, step));
  std::vector<std::string> all;
  for (std::size_t i = 0; i < step.result.size(); ++i) all.push_back(cell.write(i));
  return all;
}

std::vector<std::string> SheetFormulas::of_rule(const SheetTable& table) {
  const FileWords& said = language().files;
  const GivenRule& rule = *table.given->rule;
  const Shape& shape = table.numbers->shape();
  const std::string prefix = prefix_of(trace_, table.given->part);
  const auto& attention = trace_.recipe.parts()[table.given->part].attention;
  const bool is_causal = attention && table.given->heading.id == attention->causal_rule;
  const auto along = [&](const std::vector<std::size_t>& index, std::string_view axis) {
    const auto position = shape.position(axis);
    return position ? index[*position] : 0;
  };
  // The number of the problem that this sequence has: a cell of the options.
  const auto value = [&](const std::vector<std::size_t>& index) {
    const std::size_t sequence = rule.values.size() > 1 ? along(index, "batch") : 0;
    const bool is_length = rule.kind == GivenRule::Kind::length;
    const double number = rule.values[sequence];
    if (!is_length && fixed_.contains(prefix)) return spelled_in_sheet(number);
    const std::string suffix = rule.values.size() > 1 ? "_" + std::to_string(sequence + 1) : "";
    const std::string of = rule.values.size() > 1 ? ", " + std::to_string(sequence + 1) : "";
    return is_length ? options_.name_of(prefix, {"valid_keys" + suffix, said.length(of), number})
                     : options_.name_of(prefix, {"query_offset" + suffix, said.offset(of), number});
  };
  const auto limit = [&](const std::string& name, const std::string& meaning, std::int64_t number) {
    return options_.name_of(prefix, {name, meaning, static_cast<double>(number)});
  };
  std::vector<std::string> all;
  for (std::size_t i = 0; i < table.numbers->size(); ++i) {
    const std::vector<std::size_t> index = shape.index(i);
    const std::size_t key = along(index, "key");
    const std::string j = std::to_string(key), query = std::to_string(along(index, "query"));
    const bool is_appended = shape.has("key") && key >= rule.keys && rule.kind != GivenRule::Kind::finite;
    switch (rule.kind) {
      case GivenRule::Kind::band: {
        if (is_appended) {
          all.emplace_back("1");
          break;
        }
        const std::string position = query + "+" + value(index);
        if (is_causal) {
          all.push_back("IF(" + j + "<=" + position + ",1,0)");
          break;
        }
        const std::string left = limit("window_left", said.left, rule.left);
        const std::string right = limit("window_right", said.right, rule.right);
        all.push_back("IF(AND(OR(" + left + "<0," + j + ">=" + position + "-" + left + "),OR(" + right + "<0," + j +
                      "<=" + position + "+" + right + ")),1,0)");
        break;
      }
      case GivenRule::Kind::length:
        all.push_back(is_appended ? "1" : "IF(" + j + "<" + value(index) + ",1,0)");
        break;
      case GivenRule::Kind::finite:
        all.push_back("IF(ISNUMBER(" + layout_.reference(layout_.table(rule.of).at(i), table.sheet) + "),1,0)");
        break;
      case GivenRule::Kind::distance:
        all.push_back(is_appended ? "0" : "-ABS(" + query + "+" + value(index) + "-" + j + ")");
        break;
      case GivenRule::Kind::powers:
        all.push_back("2^" + spelled_in_sheet(rule.values[i]));
        break;
    }
  }
  return all;
}

}  // namespace attn
