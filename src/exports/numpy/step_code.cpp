#include "exports/numpy/step_code.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"
#include "exports/numpy/array.h"
#include "exports/numpy/numpy_code.h"
#include "ops/op.h"
#include "trace/rounding.h"

namespace attn {
namespace {

// "…": of the last axis of an array this much.
std::string last_axis(const std::string& slice) { return "[..., " + slice + "]"; }

// Writes a step. Visits an Op; gives the lines before the last, and what is assigned.
class StepCode {
 public:
  StepCode(const Trace& trace, const Step& step, std::set<std::string>& helpers, bool closes, bool reads_non_finite)
      : step_(step), helpers_(helpers), closes_(closes), reads_non_finite_(reads_non_finite) {
    name_ = NumpyCode::variable(step.heading.id);
    result_ = step.result.shape();
    axes_ = result_.axes();
    const auto read = [&](const Operand& operand) {
      const Tensor<double>& numbers = trace.value(operand.id);
      shapes_.push_back(shape_as_read(operand, numbers.shape()));
      reads_undefined_ = reads_undefined_ || std::ranges::any_of(numbers.data(), [](double number) {
                           return std::isnan(number) || number == std::numeric_limits<double>::infinity();
                         });
      return NumpyArray{NumpyCode::variable(operand.id), shapes_.back().axes()};
    };
    for (const Operand& operand : step.operands) operands_.push_back(read(operand));
    if (!step.open) return;
    open_ = read(*step.open);
    const Step* const scores = trace.find(step.operands[0].id);
    is_closed_already_ =
        scores && std::holds_alternative<Close>(scores->op) && scores->open && scores->open->id == step.open->id;
  }

  std::string write(const Arithmetic& arithmetic) {
    std::string value = std::visit(*this, step_.op);
    if (arithmetic.hand_rounding && is_rounded_by_hand(step_.op, step_.operands.size())) {
      value = rounded(value, *arithmetic.hand_rounding);
    }
    return before_ + name_ + " = " + value;
  }

  std::string operator()(const Given&) { return ""; }
  std::string operator()(const Copy&) { return spread(aligned(operands_[0], axes_)); }

  std::string operator()(const Split& op) {
    const NumpyArray& whole = operands_[0];
    std::vector<std::string> sizes;
    AxisNames axes;
    for (const Axis& axis : whole.axes) {
      if (axis != op.axis) {
        axes.push_back(axis);
        sizes.push_back(size(shapes_[0], axis));
        continue;
      }
      axes.insert(axes.end(), {op.outer, op.inner});
      sizes.push_back(std::to_string(op.parts));
      sizes.push_back(std::to_string(shapes_[0].size(op.axis) / op.parts));
    }
    return permuted({whole.text + ".reshape(" + listed(sizes) + ")", axes}, axes_).text;
  }

  std::string operator()(const Merge& op) {
    AxisNames before, after = axes_;
    std::vector<std::string> sizes;
    for (const Axis& axis : axes_) {
      if (axis == op.axis) {
        before.insert(before.end(), {op.outer, op.inner});
      } else {
        before.push_back(axis);
      }
      sizes.push_back(std::to_string(result_.size(axis)));
    }
    return permuted(operands_[0], before).atom() + ".reshape(" + listed(sizes) + ")";
  }

  std::string operator()(const Join& op) {
    std::vector<std::string> joined;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const NumpyArray whole = aligned(operands_[i], axes_);
      if (operands_[i].axes.size() == axes_.size()) {
        joined.push_back(whole.text);
        continue;
      }
      std::vector<std::string> sizes;
      for (const Axis& axis : axes_) {
        sizes.push_back(std::to_string(axis == op.axis ? shapes_[i].size(axis) : result_.size(axis)));
      }
      joined.push_back("np.broadcast_to(" + whole.text + ", (" + listed(sizes) + "))");
    }
    return "np.concatenate([" + listed(joined) + "]" + axis_argument(axes_, op.axis) + ")";
  }

  std::string operator()(const Repeat& op) {
    const NumpyArray ordered = permuted(operands_[0], axes_);
    const std::string times = std::to_string(op.times);
    if (op.tiled) return "np.concatenate([" + ordered.text + "] * " + times + axis_argument(axes_, op.axis) + ")";
    return "np.repeat(" + ordered.text + ", " + times + axis_argument(axes_, op.axis) + ")";
  }

  std::string operator()(const Pick& op) {
    const Shape& rows = op.rows.shape();
    Tensor<double> numbers(rows);
    bool is_anywhere_none = false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<double>(op.rows[i]);
      is_anywhere_none = is_anywhere_none || op.rows[i] < 0;
    }
    const std::string start = "rows = np.array(";
    before_ += start + NumpyCode::literal(numbers, start.size()) + ")\n";
    const NumpyArray which{"rows", rows.axes()};
    const NumpyArray& table = operands_[0];
    std::vector<std::string> index;
    for (const Axis& axis : table.axes) {
      index.push_back(axis == op.axis ? aligned(which, axes_).text
                                      : aligned({"np.arange(" + size(shapes_[0], axis) + ")", {axis}}, axes_).text);
    }
    AxisNames plain = rows.axes();
    AxisNames rest(table.axes.begin() + 1, table.axes.end());
    plain.insert(plain.end(), rest.begin(), rest.end());
    const bool is_plain = table.axes.front() == op.axis && plain == axes_;
    const std::string picked = table.text + "[" + (is_plain ? "rows" : listed(index)) + "]";
    return is_anywhere_none ? "np.where(" + aligned(which, axes_).text + " < 0, 0, " + picked + ")" : picked;
  }

  std::string operator()(const Waves& op) {
    const bool alternates = op.kind == Waves::Kind::alternating;
    before_ +=
        "p = np.arange(" + std::to_string(op.first) + ", " + std::to_string(op.first + op.positions.size) + ")\n";
    before_ += "i = np.arange(" + std::to_string(op.features.size) + ")\n";
    before_ += "angle = p[:, None] / " + in_python(op.base) + " ** (2 * " + (alternates ? "(i // 2)" : "i") + " / " +
               std::to_string(op.width) + ")\n";
    const std::string waves = alternates                     ? "np.where(i % 2 == 0, np.sin(angle), np.cos(angle))"
                              : op.kind == Waves::Kind::sine ? "np.sin(angle)"
                                                             : "np.cos(angle)";
    return permuted({waves, {op.positions.axis, op.features.axis}}, axes_).text;
  }

  std::string operator()(const Rotate& op) {
    const std::size_t pairs = shapes_[1].size(op.pair);
    const std::string half = std::to_string(pairs), all = std::to_string(2 * pairs);
    const NumpyArray& x = operands_[0];
    AxisNames rows;  // those that only the tables have come first
    for (const Axis& axis : axes_) {
      if (!has_axis(x.axes, axis)) rows.push_back(axis);
    }
    const bool is_whole = rows.empty();
    for (const Axis& axis : without(x.axes, op.axis)) rows.push_back(axis);
    AxisNames last = rows, tables = rows;
    last.push_back(op.axis);
    tables.push_back(op.pair);
    const std::string cosine = aligned(operands_[1], tables).text, sine = aligned(operands_[2], tables).text;
    const std::string first = last_axis(op.interleaved ? "0:" + all + ":2" : ":" + half);
    const std::string second = last_axis(op.interleaved ? "1:" + all + ":2" : half + ":" + all);
    before_ += "x = " + (is_whole ? permuted(x, last).text : all_over(aligned(x, last), last)) + "\n";
    before_ += "a, b = x" + first + ", x" + second + "\n";
    before_ += "turned = x.copy()\n";
    before_ += "turned" + first + " = a * " + cosine + " - b * " + sine + "\n";
    before_ += "turned" + second + " = b * " + cosine + " + a * " + sine + "\n";
    return permuted({"turned", last}, axes_).text;
  }

  std::string operator()(const Contract& op) {
    const std::string sum = products(operands_[0], operands_[1], op.over, open_);
    if (op.then == Contract::Then::add) return with_further(sum, 2);
    helpers_.insert("divided");
    const std::string divisor = aligned(operands_[2], axes_).text + " * " + aligned(operands_[3], axes_).text;
    return with_further("divided(" + sum + ", " + divisor + ")", 4);
  }

  std::string operator()(const Combine& op) {
    constexpr std::array<std::string_view, 4> signs = {" + ", " - ", " * ", " / "};
    std::string text = aligned(operands_[0], axes_).text;
    for (std::size_t i = 1; i < operands_.size(); ++i) {
      const std::string next = aligned(operands_[i], axes_).text;
      text = op.function == Binary::minimum ? "np.minimum(" + text + ", " + next + ")"
                                            : text + std::string(signs[static_cast<std::size_t>(op.function)]) + next;
    }
    const bool is_atom = operands_.size() == 1 || op.function == Binary::minimum;
    return where_open(op.along.rank() > 0 ? spread({text, axes_, is_atom}) : text);
  }

  std::string operator()(const Map& op) {
    const NumpyArray a = aligned(operands_[0], axes_);
    return where_open(applied_to(op.function, a, parameter(op)));
  }

  std::string operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return with_further(along(op.over, operands_[0].text + ".sum"), 1);
      case Reducer::maximum:
        return largest(op.over);
      case Reducer::norm:
        return "np.sqrt(" + along(op.over, "(" + operands_[0].text + " ** 2).sum") + ")";
    }
    return "";
  }

  std::string operator()(const Gate& op) {
    const std::string gate = applied_to(op.function, aligned(operands_[0], axes_), "");
    return where_open(gate + " * " + aligned(operands_[1], axes_).text);
  }

  std::string operator()(const Normalize& op) {
    const NumpyArray& x = operands_[0];
    const auto mean = [&](const std::string& of) {
      if (op.fewer == 0) return along(op.over, of + ".mean");
      return along(op.over, of + ".sum") + " / " + std::to_string(shapes_[0].size(op.over) - op.fewer);
    };
    switch (op.part) {
      case Normalize::Part::mean:
        return mean(x.text);
      case Normalize::Part::variance:
        return mean("((" + x.text + " - " + aligned(operands_[1], x.axes).text + ") ** 2)");
      case Normalize::Part::mean_square:
        return mean("(" + x.text + " ** 2)");
      case Normalize::Part::normalized: {
        const bool is_centred = operands_.size() == 3;
        const std::string variance = aligned(operands_[is_centred ? 2 : 1], axes_).text;
        const std::string upper =
            aligned(x, axes_).text + (is_centred ? " - " + aligned(operands_[1], axes_).text : "");
        const std::string eps = in_python(op.eps);
        helpers_.insert("divided");
        return "divided(" + upper + ", np.sqrt(" + variance + (op.eps_outside ? ") + " + eps : " + " + eps + ")") + ")";
      }
      case Normalize::Part::affine:
        return aligned(x, axes_).text + " * " + aligned(operands_[1], axes_).text + " + " +
               aligned(operands_[2], axes_).text;
    }
    return "";
  }

  std::string operator()(const Close&) {
    std::string text = aligned(operands_[0], axes_).text;
    if (operands_.size() > 1) text += " + " + aligned(operands_[1], axes_).text;
    return open_ ? "np.where(" + aligned(*open_, axes_).text + " != 0, " + text + ", -np.inf)" : text;
  }

  std::string operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return largest(op.over);
      case Softmax::Part::exponentials:
        return without_closed(power(op.base, difference(operands_[0], operands_[1], axes_)));
      case Softmax::Part::sum: {
        const std::string sum = along(op.over, operands_[0].text + ".sum");
        return operands_.size() == 1 ? sum
                                     : sum + " + " + power(op.base, difference(operands_[1], operands_[2], axes_));
      }
      case Softmax::Part::weights:
        if (!closes_) return aligned(operands_[0], axes_).text + " / " + aligned(operands_[1], axes_).text;
        helpers_.insert("divided");
        return closed_as_read("divided(" + aligned(operands_[0], axes_).text + ", " +
                              aligned(operands_[1], axes_).text + ")");
      case Softmax::Part::shares: {
        const std::string axis = axis_argument(axes_, op.over).substr(2) + ", keepdims=True";
        const std::string scores = aligned(operands_[0], axes_).text;
        if (!open_) return scores + " / " + scores + ".sum(" + axis + ")";
        const std::string is_open = aligned(*open_, axes_).text + " != 0";
        before_ += "open_scores = np.where(" + is_open + ", " + scores + ", 0)\n";
        return "np.divide(open_scores, open_scores.sum(" + axis +
               "), out=np.zeros(open_scores.shape), where=" + is_open + ")";
      }
    }
    return "";
  }

  std::string operator()(const Online& op) {
    const std::string size = std::to_string(op.size);
    switch (op.part) {
      case Online::Part::block_maximum:
        return each_block(op, last(closed_away(0), op.over) + block_of(op) + ".max(axis=-1)");
      case Online::Part::maximum:
        return "np.maximum.accumulate(" + permuted(operands_[0], axes_).text + axis_argument(axes_, op.blocks) + ")";
      case Online::Part::rescale: {
        before_ += "m = " + last(operands_[0], op.blocks) + "\n";
        before_ +=
            "before = np.where(np.isneginf(m[..., :-1]), -np.inf, m[..., :-1] - np.where(np.isneginf(m[..., 1:]), 0, "
            "m[..., 1:]))\n";
        AxisNames axes = without(operands_[0].axes, op.blocks);
        axes.push_back(op.blocks);
        return permuted(
                   {"np.concatenate([np.zeros_like(m[..., :1]), " + power(op.base, "before") + "], axis=-1)", axes},
                   axes_)
            .text;
      }
      case Online::Part::exponentials: {
        NumpyArray maximum = operands_[1];
        AxisNames axes = order_without(maximum, op.blocks);
        axes.push_back(op.over);
        before_ += "of_key = " + last(maximum, op.blocks) + "[..., np.arange(" + std::to_string(result_.size(op.over)) +
                   ") // " + size + "]\n";
        return power(op.base, difference(operands_[0], {"of_key", axes}, axes_));
      }
      case Online::Part::sum:
        return carried(op, last(operands_[0], op.over) + block_of(op) + ".sum(axis=-1)",
                       last(operands_[1], op.blocks) + "[..., b]");
      case Online::Part::context: {
        const AxisNames made = without(axes_, op.blocks);
        const NumpyArray a = part_of(operands_[0], op), b = part_of(operands_[1], op);
        std::optional<NumpyArray> open;
        if (open_) open = part_of(*open_, op);
        const std::string factor =
            aligned({last(operands_[2], op.blocks) + "[..., b]", order_without(operands_[2], op.blocks)}, made).text;
        axes_ = made;
        const std::string sum = products(a, b, op.over, open);
        axes_ = result_.axes();
        return carried(op, sum, factor);
      }
      case Online::Part::result: {
        helpers_.insert("divided");
        const auto final = [&](const NumpyArray& of) {
          return aligned({last(of, op.blocks) + "[..., -1]", order_without(of, op.blocks)}, axes_).text;
        };
        return "divided(" + final(operands_[0]) + ", " + final(operands_[1]) + ")";
      }
    }
    return "";
  }

 private:
  static std::string size(const Shape& shape, const Axis& axis) { return std::to_string(shape.size(axis)); }

  // ", axis=1"; −1 for the last.
  static std::string axis_argument(const AxisNames& axes, const Axis& axis) {
    const std::size_t place = place_of(axes, axis);
    return ", axis=" + (place + 1 == axes.size() ? "-1" : std::to_string(place));
  }

  // The function of the first operand along an axis, in the axes of the result.
  std::string along(const Axis& axis, const std::string& function) const {
    const AxisNames& read = operands_[0].axes;
    return permuted({function + "(" + axis_argument(read, axis).substr(2) + ")", without(read, axis)}, axes_).text;
  }

  // What is made of all operands in the shape of the result, which one of them may have already.
  std::string spread(const NumpyArray& array) const {
    const auto is_whole = [&](const NumpyArray& one) { return one.axes.size() == axes_.size(); };
    return std::ranges::any_of(operands_, is_whole) ? array.text : all_over(array);
  }

  std::string all_over(const NumpyArray& array) const { return all_over(array, axes_); }

  // The array with as many cells along each of these axes as the result has.
  std::string all_over(const NumpyArray& array, const AxisNames& axes) const {
    std::vector<std::string> sizes;
    for (const Axis& axis : axes) sizes.push_back(size(result_, axis));
    return "np.broadcast_to(" + array.text + ", (" + listed(sizes) + (sizes.size() == 1 ? "," : "") + "))";
  }

  std::string where_open(const std::string& text) const {
    return open_ ? "np.where(" + aligned(*open_, axes_).text + " != 0, " + text + ", 0)" : text;
  }

  // The same of what is 0 in closed cells by itself, unless ∞ or NaN is subtracted there, or divided by.
  std::string closed_as_read(const std::string& text) const { return reads_undefined_ ? where_open(text) : text; }

  // The same where what was read was not: there the mask has made all that it closes −∞ already.
  std::string without_closed(const std::string& text) const {
    return is_closed_already_ ? closed_as_read(text) : where_open(text);
  }

  std::string with_further(std::string text, std::size_t first) const {
    for (std::size_t i = first; i < operands_.size(); ++i) text += " + " + aligned(operands_[i], axes_).text;
    return text;
  }

  // What the mask closes is not read: nothing behind it may leak out of what is no number.
  std::string products(const NumpyArray& a, const NumpyArray& b, const Axis& over,
                       const std::optional<NumpyArray>& open) const {
    if (!open || !reads_non_finite_) {
      AxisNames own = a.axes;
      own.insert(own.end(), b.axes.begin(), b.axes.end());
      own = kept_of(axes_, own);
      const std::string product = product_over(over, a, b, own);
      return own == axes_ ? product : aligned({product, own, false}, axes_).text;
    }
    AxisNames all = axes_;
    all.push_back(over);
    return "np.where(" + aligned(*open, all).text + " != 0, " + aligned(a, all).text + " * " + aligned(b, all).text +
           ", 0).sum(axis=-1)";
  }

  // The first operand with what the mask closes at −∞.
  NumpyArray closed_away(std::size_t operand) const {
    const NumpyArray& scores = operands_[operand];
    if (!open_ || is_closed_already_) return scores;
    return {"np.where(" + aligned(*open_, scores.axes).text + " != 0, " + scores.text + ", -np.inf)", scores.axes};
  }

  std::string largest(const Axis& over) const {
    std::string text = along(over, closed_away(0).text + ".max");
    for (std::size_t i = 1; i < operands_.size(); ++i) {
      text = "np.maximum(" + text + ", " + aligned(operands_[i], axes_).text + ")";
    }
    return text;
  }

  // The score minus the maximum; where that is −∞, since every cell is closed, it is not subtracted.
  std::string difference(const NumpyArray& score, const NumpyArray& maximum, const AxisNames& axes) {
    std::string largest = aligned(maximum, axes).text;
    if (closes_) {
      helpers_.insert("finite");
      largest = "finite(" + largest + ")";
    }
    return aligned(score, axes).text + " - " + largest;
  }

  static std::string power(double base, const std::string& exponent) {
    return base == 0 ? "np.exp(" + exponent + ")" : in_python(base) + " ** (" + exponent + ")";
  }

  static std::string parameter(const Map& map) {
    constexpr std::string_view root = "√";
    if (map.spelling.starts_with(root)) return "np.sqrt(" + map.spelling.substr(root.size()) + ")";
    const std::string number = in_python(map.parameter);
    return map.parameter < 0 ? "(" + number + ")" : number;
  }

  std::string applied_to(Unary function, const NumpyArray& array, const std::string& parameter) {
    const std::string& a = array.text;
    switch (function) {
      case Unary::multiply:
        return a + " * " + parameter;
      case Unary::divide:
        return a + " / " + parameter;
      case Unary::add:
        return a + " + " + parameter;
      case Unary::exp:
        return "np.exp(" + a + ")";
      case Unary::tanh:
        return "np.tanh(" + a + ")";
      case Unary::softcap:
        return parameter + " * np.tanh(" + a + " / " + parameter + ")";
      case Unary::square:
        return a + " ** 2";
      case Unary::sqrt:
        return "np.sqrt(" + a + ")";
      case Unary::relu:
        return "np.maximum(" + a + ", 0)";
      case Unary::gelu:
        helpers_.insert("erf");
        return a + " * 0.5 * (1 + erf(" + a + " / np.sqrt(2)))";
      case Unary::gelu_tanh:
        return a + " * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (" + a + " + 0.044715 * " + a + " ** 3)))";
      case Unary::silu:
        return a + " / (1 + np.exp(-" + a + "))";
    }
    return "";
  }

  // The other axes of an array, in the order of the result.
  AxisNames order_without(const NumpyArray& array, const Axis& axis) const {
    return kept_of(axes_, without(array.axes, axis));
  }

  // The array with that axis last, the others in the order of the result.
  std::string last(const NumpyArray& array, const Axis& axis) const {
    AxisNames order = order_without(array, axis);
    order.push_back(axis);
    return permuted(array, order).text;
  }

  static std::string block_of(const Online& op) {
    const std::string size = std::to_string(op.size);
    return "[..., b * " + size + " : (b + 1) * " + size + "]";
  }

  // What of an operand belongs to block b.
  NumpyArray part_of(const NumpyArray& array, const Online& op) const {
    AxisNames order = order_without(array, op.over);
    order.push_back(op.over);
    if (!has_axis(array.axes, op.over)) return array;
    return {permuted(array, order).text + block_of(op), order};
  }

  std::string stacked(const Online& op, const std::string& list) const {
    AxisNames axes = without(axes_, op.blocks);
    axes.push_back(op.blocks);
    return permuted({"np.stack(" + list + ", axis=-1)", axes}, axes_).text;
  }

  std::string each_block(const Online& op, const std::string& block) const {
    return stacked(op, "[" + block + " for b in range(" + std::to_string(result_.size(op.blocks)) + ")]");
  }

  // What the blocks before gave, rescaled, and what this one adds.
  std::string carried(const Online& op, const std::string& added, const std::string& factor) {
    before_ += "so_far = []\nfor b in range(" + std::to_string(result_.size(op.blocks)) + "):\n";
    before_ += "    before = so_far[-1] * " + factor + " if b > 0 else 0\n";
    before_ += "    so_far.append(before + " + added + ")\n";
    return stacked(op, "so_far");
  }

  std::string rounded(const std::string& value, HandRounding rounding) {
    const auto* softmax = std::get_if<Softmax>(&step_.op);
    const std::string decimals = std::to_string(rounding.decimals);
    if (softmax && rounding.mode == RoundingMode::keep_sum) {
      helpers_.insert({"rounded", "rounded_rows"});
      return "rounded_rows(" + value + ", " + (open_ ? all_over(aligned(*open_, axes_)) : "None") + ", " + decimals +
             axis_argument(axes_, softmax->over) + ")";
    }
    helpers_.insert("rounded");
    return "rounded(" + value + ", " + decimals + ")";
  }

  const Step& step_;
  std::set<std::string>& helpers_;
  bool closes_, reads_non_finite_;
  std::string name_, before_;
  Shape result_;
  AxisNames axes_;
  std::vector<Shape> shapes_;
  std::vector<NumpyArray> operands_;
  std::optional<NumpyArray> open_;
  bool is_closed_already_ = false;  // the first operand is −∞ where the mask closes
  bool reads_undefined_ = false;    // NaN or ∞ is among what it reads
};

}  // namespace

std::string code_of_step(const Trace& trace, const Step& step, NumpySetting setting, std::set<std::string>& helpers) {
  return StepCode(trace, step, helpers, setting.closes, setting.reads_non_finite).write(trace.arithmetic);
}

}  // namespace attn
