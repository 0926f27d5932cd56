#include "trace/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "trace/evaluate.h"

namespace attn {
namespace {

constexpr std::array counts = {&Cost::multiplications, &Cost::additions, &Cost::divisions,  &Cost::exponentials,
                               &Cost::comparisons,     &Cost::functions, &Cost::bytes_read, &Cost::bytes_written};

double as_count(std::size_t number) { return static_cast<double>(number); }

// Which share of the cells a mask leaves open.
struct Openness {
  std::size_t open = 1, all = 1;

  // Of so many cells, along which the mask is repeated.
  double of(double cells) const { return cells / as_count(all) * as_count(open); }
};

// Counts what one line does. Visits an Op.
class Counting {
 public:
  Counting(const LaidOut& layout, const Openness& openness) : layout_(layout), openness_(openness) {}

  Cost operator()(const Given&) const { return {}; }
  Cost operator()(const Copy&) const { return {}; }
  Cost operator()(const Split&) const { return {}; }
  Cost operator()(const Merge&) const { return {}; }
  Cost operator()(const Join&) const { return {}; }
  Cost operator()(const Repeat&) const { return {}; }
  Cost operator()(const Pick&) const { return {}; }

  Cost operator()(const Waves&) const { return {.divisions = cells(), .exponentials = cells(), .functions = cells()}; }

  Cost operator()(const Rotate& op) const {
    const double turned = 2 * as_count(layout_.read[1].size(op.pair));
    const double cells_turned = cells() / as_count(layout_.shape.size(op.axis)) * turned;
    return {.multiplications = 2 * cells_turned, .additions = cells_turned};
  }

  Cost operator()(const Contract& op) const {
    const double terms = openness_.of(cells() * size(op.over));
    Cost cost{.multiplications = terms, .additions = terms};
    if (op.then == Contract::Then::divide) {
      cost.multiplications += cells();
      cost.divisions += cells();
      cost.additions += cells() * operands_behind(4);
    } else {
      cost.additions += cells() * operands_behind(2);
    }
    return cost;
  }

  Cost operator()(const Combine& op) const {
    const double times = openness_.of(cells()) * operands_behind(1);
    switch (op.function) {
      case Binary::add:
      case Binary::subtract:
        return {.additions = times};
      case Binary::multiply:
        return {.multiplications = times};
      case Binary::divide:
        return {.divisions = times};
      case Binary::minimum:
        return {.comparisons = times};
    }
    return {};
  }

  Cost operator()(const Map& op) const {
    const double times = openness_.of(cells());
    switch (op.function) {
      case Unary::multiply:
      case Unary::square:
        return {.multiplications = times};
      case Unary::divide:
        return {.divisions = times};
      case Unary::add:
        return {.additions = times};
      case Unary::exp:
        return {.exponentials = times};
      case Unary::softcap:
        return {.multiplications = times, .divisions = times, .functions = times};
      case Unary::tanh:
      case Unary::sqrt:
        return {.functions = times};
      case Unary::relu:
        return {.comparisons = times};
      case Unary::gelu:
        return {.multiplications = 2 * times, .additions = times, .divisions = times, .functions = times};
      case Unary::gelu_tanh:
        return {.multiplications = 6 * times, .additions = 2 * times, .functions = times};
      case Unary::silu:
        return {.additions = times, .divisions = times, .exponentials = times};
    }
    return {};
  }

  Cost operator()(const Gate& op) const {
    Cost cost = (*this)(Map{op.function, 0, ""});
    cost.multiplications += cells();
    return cost;
  }

  Cost operator()(const Normalize& op) const {
    const double terms = cells() * size(op.over);
    switch (op.part) {
      case Normalize::Part::mean:
        return {.additions = terms, .divisions = cells()};
      case Normalize::Part::variance:
        return {.multiplications = terms, .additions = 2 * terms, .divisions = cells()};
      case Normalize::Part::mean_square:
        return {.multiplications = terms, .additions = terms, .divisions = cells()};
      case Normalize::Part::normalized: {
        const double subtracted = layout_.read.size() == 3 ? cells() : 0;
        return {.additions = cells() + subtracted, .divisions = cells(), .functions = cells()};
      }
      case Normalize::Part::affine:
        return {.multiplications = cells(), .additions = cells()};
    }
    return {};
  }

  Cost operator()(const Reduce& op) const {
    const double terms = cells() * size(op.over);
    switch (op.function) {
      case Reducer::sum:
        return {.additions = terms + cells() * operands_behind(1)};
      case Reducer::maximum:
        return {.comparisons = openness_.of(terms) + cells() * operands_behind(1)};
      case Reducer::norm:
        return {.multiplications = terms, .additions = terms, .functions = cells()};
    }
    return {};
  }

  Cost operator()(const Close&) const { return {.additions = openness_.of(cells()) * operands_behind(1)}; }

  Cost operator()(const Softmax& op) const {
    const double open = openness_.of(cells());
    const double terms = cells() * size(op.over);
    switch (op.part) {
      case Softmax::Part::maximum:
        return {.comparisons = openness_.of(terms) + cells() * operands_behind(1)};
      case Softmax::Part::exponentials:
        return {.additions = open, .exponentials = open};
      case Softmax::Part::sum: {
        const double of_sinks = layout_.read.size() > 1 ? cells() : 0;
        return {.additions = terms + 2 * of_sinks, .exponentials = of_sinks};
      }
      case Softmax::Part::weights:
        return {.divisions = open};
      case Softmax::Part::shares:
        return {.additions = open, .divisions = open};
    }
    return {};
  }

  Cost operator()(const Online& op) const {
    const auto numbers = [&] { return cells() / as_count(layout_.shape.size(op.blocks)) * size(op.over); };
    const double carried =
        cells() - (layout_.shape.has(op.blocks) ? cells() / as_count(layout_.shape.size(op.blocks)) : 0);
    switch (op.part) {
      case Online::Part::block_maximum:
        return {.comparisons = openness_.of(numbers())};
      case Online::Part::maximum:
        return {.comparisons = carried};
      case Online::Part::rescale:
        return {.additions = carried, .exponentials = carried};
      case Online::Part::exponentials:
        return {.additions = openness_.of(cells()), .exponentials = openness_.of(cells())};
      case Online::Part::sum:
        return {.multiplications = carried, .additions = numbers()};
      case Online::Part::context: {
        const double terms = openness_.of(numbers());
        return {.multiplications = carried + terms, .additions = terms};
      }
      case Online::Part::result:
        return {.divisions = cells()};
    }
    return {};
  }

 private:
  double cells() const { return as_count(layout_.shape.count()); }
  double size(const Axis& axis) const { return as_count(layout_.read[0].size(axis)); }

  // How many operands there are from that one on.
  double operands_behind(std::size_t first) const {
    return as_count(layout_.read.size() - std::min(first, layout_.read.size()));
  }

  const LaidOut& layout_;
  const Openness& openness_;
};

Openness openness_of(const Recipe& recipe, std::size_t mask) {
  const Tensor<double> cells = value_in(recipe, recipe.instruction(mask).id());
  const auto open = std::ranges::count_if(cells.data(), [](double cell) { return cell != 0; });
  return {static_cast<std::size_t>(open), std::max<std::size_t>(cells.size(), 1)};
}

// The axis whose rows are a token's own.
std::optional<Axis> axis_of_tokens(const Shape& shape) {
  for (const char* const axis : {"query", "key", "token"}) {
    if (shape.has(axis)) return axis;
  }
  return std::nullopt;
}

double times_divided_up(double number, double by) {
  double times = 0;
  for (double reached = 1; reached < number; reached *= by) ++times;
  return times;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  for (const auto count : counts) this->*count += other.*count;
  return *this;
}

Cost Cost::operator*(double times) const {
  Cost made = *this;
  for (const auto count : counts) made.*count *= times;
  return made;
}

std::vector<StepCost> costs_of(const Recipe& recipe) {
  const auto bytes = static_cast<double>(bytes_of(recipe.dtype()));
  std::map<std::size_t, Openness> masks;
  std::vector<StepCost> steps;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& made = recipe.instruction(line);
    if (std::holds_alternative<Given>(made.op)) continue;
    const LaidOut& layout = recipe.layout(line);
    const auto open = recipe.open(line);
    if (open && !masks.contains(*open)) masks.emplace(*open, openness_of(recipe, *open));

    double read = open ? as_count(layout.open_read.count()) : 0;
    for (const Shape& shape : layout.read) read += as_count(shape.count());
    const auto with = [&](const Openness& openness) {
      Cost cost = std::visit(Counting(layout, openness), made.op);
      cost.bytes_read = read * bytes;
      cost.bytes_written = as_count(layout.shape.count()) * bytes;
      return cost;
    };
    steps.push_back({line, with(open ? masks.at(*open) : Openness()), with({})});
  }
  return steps;
}

std::optional<NextToken> next_token(const Recipe& recipe, const std::vector<StepCost>& steps) {
  // In a block, keys and values can be kept only where no token sees later ones.
  const std::vector<RecipePart>& parts = recipe.parts();
  std::optional<std::size_t> last;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (!parts[part].attention) continue;
    const Anatomy& at = *parts[part].attention;
    if (at.query_inputs != at.key_inputs || (parts.size() > 1 && !recipe.has(at.causal_rule))) return std::nullopt;
    last = part;
  }
  if (!last) return std::nullopt;
  std::size_t queries = 0, keys = 0;
  for (const StepCost& step : steps) {
    const Shape& shape = recipe.shape(step.line);
    if (shape.has("query")) queries = shape.size("query");
    if (shape.has("key")) keys = std::max(keys, shape.size("key"));
  }
  if (queries == 0 || queries != keys) return std::nullopt;
  NextToken next;
  for (const StepCost& step : steps) {
    const Shape& shape = recipe.shape(step.line);
    const auto axis = axis_of_tokens(shape);
    const Cost own = axis ? step.all_open * (1 / as_count(shape.size(*axis))) : step.all_open;
    next.with_cache += own;
    // The last attention reads keys of all tokens, which everything before it makes.
    const std::size_t part = recipe.instruction(step.line).part;
    const bool of_new_alone = part > *last || (part == *last && axis == "query");
    next.without_cache += of_new_alone ? own : step.all_open;
  }
  return next;
}

std::vector<LayerCost> layer_costs(double tokens, double width, double kernel, double neighbours) {
  using Kind = LayerCost::Kind;
  return {{Kind::self_attention, tokens * tokens * width, 1, 1},
          {Kind::recurrent, tokens * width * width, tokens, tokens, width},
          {Kind::convolutional, kernel * tokens * width * width, 1, times_divided_up(tokens, kernel), kernel * width},
          {Kind::restricted, neighbours * tokens * width, 1, std::ceil(tokens / neighbours), neighbours}};
}

}  // namespace attn
