#include "model/at_once.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/math.h"
#include "model/finite_scores.h"
#include "model/masks/mask.h"
#include "model/notes.h"
#include "model/positions/position.h"
#include "model/scores/score.h"
#include "model/softmaxes/softmax_kind.h"
#include "ops/shapes.h"
#include "words/language.h"

namespace attn {
namespace {

// --- numbers of a trace as fused attention reads them -------------------------

// Vectors [batch, head, row, feature] in T, without gaps.
template <class T>
struct Rows4 {
  std::vector<T> numbers;
  Strides at;
};

template <class T>
Rows4<T> vectors_of(const Tensor<double>& tensor, const Axis& row, const Axis& feature) {
  const Shape& shape = tensor.shape();
  const auto size = [&](const Axis& axis) { return shape.has(axis) ? shape.size(axis) : 1; };
  const std::size_t batches = size("batch"), heads = size("head"), rows = size(row), features = size(feature);
  Rows4<T> out{std::vector<T>(tensor.size()),
               {shape.has("batch") ? heads * rows * features : 0, shape.has("head") ? rows * features : 0, features}};
  auto to = out.numbers.begin();
  for (std::size_t b = 0; b < batches; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t from = b * shape.stride("batch") + h * shape.stride("head") + r * shape.stride(row);
        for (std::size_t f = 0; f < features; ++f) *to++ = static_cast<T>(tensor[from + f * shape.stride(feature)]);
      }
    }
  }
  return out;
}

// Something with a number a cell, or for some of its axes only.
template <class T>
struct Cells4 {
  std::vector<T> numbers;
  CellStrides at;
};

template <class T>
Cells4<T> cells_of(const Tensor<double>& tensor) {
  const Shape& shape = tensor.shape();
  const auto stride = [&](const char* axis) { return static_cast<std::ptrdiff_t>(shape.stride(axis)); };
  Cells4<T> out{{}, {stride("batch"), stride("head"), stride("query"), stride("key")}};
  out.numbers.reserve(tensor.size());
  for (const double number : tensor.data()) out.numbers.push_back(static_cast<T>(number));
  return out;
}

// --- what the problem asks for ------------------------------------------------

// The nearer of two limits, −1 being none.
std::int64_t nearer(std::int64_t a, std::int64_t b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); }

// One tensor of them all, with the axes that they have; nothing of none.
std::optional<std::string> combined(RecipeBuilder& work, const std::string& id, Binary how,
                                    const std::vector<Operand>& operands) {
  if (operands.empty()) return std::nullopt;
  if (operands.size() == 1) return operands[0].id;
  return work.hidden_step({.id = id, .role = Role::mask}, Combine{how, {}}, operands);
}

// A number for each distance from a query to a key, in a row: that of the last
// query and the first key comes first.
std::string given_distances(RecipeBuilder& work, const Attention& attention) {
  const BiasOfDistance bias = position_of(attention).bias_of_distance(attention);
  const std::size_t heads = attention.heads.value_or(1), distances = attention.query_count + attention.key_count - 1;
  Shape shape;
  if (bias.first_queries.size() > 1) shape.append({"batch", bias.first_queries.size()});
  shape.append({"head", heads});
  shape.append({"distance", distances});
  const auto make = [&attention, bias, shape, heads, distances] {
    Tensor<double> numbers(shape);
    std::size_t at = 0;
    for (const std::int64_t position : bias.first_queries) {
      const std::int64_t first = 1 - position - static_cast<std::int64_t>(attention.query_count);
      for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t i = 0; i < distances; ++i) {
          numbers[at++] = bias.at(head, first + static_cast<std::int64_t>(i));
        }
      }
    }
    return numbers;
  };
  return work.given({.id = "bias_of_distance", .role = Role::mask}, shape, make);
}

void read_masks(RecipeBuilder& work, const Attention& attention, ReadAtOnce& read) {
  std::vector<Operand> closing, adding;
  for (const MaskRule& rule : mask_rules(attention, work.arithmetic().dtype)) {
    if (rule.sees) {
      read.sees = {nearer(read.sees.left, rule.sees->left), nearer(read.sees.right, rule.sees->right)};
    } else if (rule.by_length) {
      read.by_length = true;
    } else {
      const bool closes = rule.effect == MaskRule::Effect::closes;
      (closes ? closing : adding).emplace_back(work.given(rule.heading, rule.shape, rule.make));
    }
  }
  if (const Position& position = position_of(attention); position.biases) {
    read.bias_of_distance = position.bias_of_distance && adding.empty() && attention.appended_count() == 0;
    const std::vector<Operand> first = read.bias_of_distance ? std::vector<Operand>{given_distances(work, attention)}
                                                             : position.biases(work, attention);
    adding.insert(adding.begin(), first.begin(), first.end());
  }
  read.open = combined(work, "mask", Binary::minimum, closing);
  read.bias = combined(work, "score_bias", Binary::add, adding);
}

Shape context_shape(const RecipeBuilder& work, const Attention& attention, const std::string& queries,
                    const std::string& values) {
  const Shape& from = work.shape(queries);
  Shape weights;
  for (const char* axis : {"batch", "head", "query"}) {
    if (from.has(axis)) weights.append({axis, from.size(axis)});
  }
  weights.append({"key", attention.all_key_count()});
  Shape summed;  // several heads may share one of values
  for (const Dim& dim : work.shape(values).dims()) {
    summed.append({dim.axis, dim.axis == "head" ? from.size("head") : dim.size});
  }
  const std::array<Shape, 2> operands = {weights, summed};
  return result_shape(Contract{"key"}, operands, work.vectors());
}

// The numbers of what the computation reads, by id.
class NumbersAtOnce {
 public:
  NumbersAtOnce(const Recipe& recipe, const Values<double>& carried) : recipe_(recipe), carried_(carried) {}

  const Tensor<double>& operator()(const std::string& id) const { return *carried_[*recipe_.line(id)]; }

 private:
  const Recipe& recipe_;
  const Values<double>& carried_;
};

// Whether −∞ is added to a cell that no mask closes: the steps take that as a
// number like any other, whose weight is 0 and meets what the values hold.
bool has_unannounced_closing(const NumbersAtOnce& numbers, const ReadAtOnce& read) {
  const Tensor<double>& bias = numbers(*read.bias);
  const auto is_infinite = [](double added) { return added == -std::numeric_limits<double>::infinity(); };
  if (std::ranges::none_of(bias.data(), is_infinite)) return false;
  if (!read.open || read.bias_of_distance) return true;
  const Tensor<double>& open = numbers(*read.open);
  Shape cells = bias.shape();
  for (const Dim& dim : open.shape().dims()) {
    if (!cells.has(dim.axis)) cells.append(dim);
  }
  for (std::size_t at = 0; at < cells.count(); ++at) {
    const std::vector<std::size_t> index = cells.index(at);
    std::size_t of_bias = 0, of_open = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      of_bias += index[i] * bias.shape().stride(cells[i].axis);
      of_open += index[i] * open.shape().stride(cells[i].axis);
    }
    if (is_infinite(bias[of_bias]) && open[of_open] != 0) return true;
  }
  return false;
}

// The largest number that is added to a score; −∞ closes a cell, and what else is
// not finite is seen in the context.
template <class T>
double largest_added(const std::vector<T>& bias) {
  double largest = 0;
  for (const T added : bias) {
    if (std::isfinite(added)) largest = std::max(largest, std::abs(static_cast<double>(added)));
  }
  return largest;
}

template <class T>
struct Computed {
  Tensor<double> context;
  std::vector<std::uint8_t> closed_rows;
  bool holds = false;
};

template <class T>
Computed<T> computed(const NumbersAtOnce& numbers, Backend& backend, const Attention& attention, const ReadAtOnce& read,
                     const Shape& shape) {
  const Rows4<T> q = vectors_of<T>(numbers(read.queries), "query", "d_k");
  const Rows4<T> k = vectors_of<T>(numbers(read.keys), "key", "d_k");
  const Rows4<T> v = vectors_of<T>(numbers(read.values), "key", "d_v");

  FusedAttention<T> call;
  call.batch = attention.batch;
  call.heads = attention.heads.value_or(1);
  call.kv_heads = attention.heads ? attention.heads_of_keys() : 1;
  call.queries = attention.query_count;
  call.keys = attention.all_key_count();
  call.key_width = numbers(read.keys).shape().size("d_k");
  call.value_width = numbers(read.values).shape().size("d_v");
  call.q = q.numbers.data();
  call.k = k.numbers.data();
  call.v = v.numbers.data();
  call.q_at = q.at;
  call.k_at = k.at;
  call.v_at = v.at;

  const std::size_t row = call.value_width, head = call.queries * row;
  std::vector<T> context(call.batch * call.heads * head);
  call.context = context.data();
  call.context_at = {call.heads * head, head, row};

  const Score& score = score_named(attention.score.name);
  if (const auto* scale = attention.option<double>("scale")) {
    call.scale = *scale;
  } else if (score.divided_by_root_width) {
    call.scale = 1 / std::sqrt(static_cast<double>(attention.key_width));
  }
  if (const auto* softcap = attention.option<double>("softcap")) call.softcap = *softcap;
  if (read.exponentials.base != 0) call.log_base = log(read.exponentials.base);
  std::vector<T> sinks;
  if (read.sinks) {
    const Tensor<double>& given = numbers(*read.sinks);
    sinks = cells_of<T>(given).numbers;
    call.sinks = sinks.data();
    call.sink_stride = given.shape().stride("head");
  }

  call.left = read.sees.left;
  call.right = read.sees.right;
  Integers offsets = attention.offsets();
  if (offsets.size() == 1) offsets.resize(call.batch, offsets[0]);
  if (!offsets.empty()) call.offsets = offsets.data();
  std::vector<std::size_t> lengths;
  if (read.by_length) {
    const Integers& given = attention.option<PerSequence>("lengths")->values;
    lengths.assign(given.begin(), given.end());
    call.lengths = lengths.data();
  }
  call.appended = attention.appended_count();

  Cells4<std::uint8_t> open;
  if (read.open) {
    open = cells_of<std::uint8_t>(numbers(*read.open));
    call.open = open.numbers.data();
    call.open_at = open.at;
  }
  Cells4<T> bias;
  if (read.bias) {
    bias = cells_of<T>(numbers(*read.bias));
    call.bias = bias.numbers.data();
    call.bias_at = bias.at;
    if (read.bias_of_distance) {
      call.bias += call.queries - 1;
      call.bias_at.query = -1;
      call.bias_at.key = 1;
    }
  }
  Computed<T> out;
  out.context = Tensor<double>(shape);
  if (read.bias && has_unannounced_closing(numbers, read)) return out;
  if (!has_finite_scores(call, largest_added(bias.numbers))) return out;
  out.closed_rows.resize(call.batch * call.heads * call.queries);
  call.closed_rows = out.closed_rows.data();
  out.holds = backend.attend(call) && std::ranges::all_of(context, [](T number) { return std::isfinite(number); });

  auto from = context.begin();
  for (std::size_t b = 0; b < call.batch; ++b) {
    for (std::size_t h = 0; h < call.heads; ++h) {
      for (std::size_t i = 0; i < call.queries; ++i) {
        const std::size_t to = b * shape.stride("batch") + h * shape.stride("head") + i * shape.stride("query");
        for (std::size_t d = 0; d < call.value_width; ++d) out.context[to + d * shape.stride("d_v")] = *from++;
      }
    }
  }
  return out;
}

std::vector<Note> closed_row_notes(const Attention& attention, const std::vector<std::uint8_t>& closed) {
  Shape rows;
  if (attention.batched) rows.append({"batch", attention.batch});
  if (attention.heads) rows.append({"head", *attention.heads});
  rows.append({"query", attention.query_count});
  std::vector<Note> notes;
  for (std::size_t at = 0; at < closed.size(); ++at) {
    if (closed[at]) notes.push_back(closed_row_note("context", rows.index(at)));
  }
  return notes;
}

}  // namespace

bool has_fused_form(const Attention& attention, const Arithmetic& arithmetic) {
  const Position& position = position_of(attention);
  const bool exact = arithmetic.dtype == Dtype::f64 || arithmetic.dtype == Dtype::f32;
  return exact && !arithmetic.hand_rounding && score_named(attention.score.name).multiplied &&
         softmax_of(attention).exponentials && !position.score_terms && !position.context_terms;
}

ReadAtOnce record_context_at_once(RecipeBuilder& work, const Attention& attention, const Projected& all) {
  ReadAtOnce read{.queries = score_named(attention.score.name)
                                 .multiplied(work, attention.score, {.queries = all.queries, .keys = all.keys}),
                  .keys = all.keys,
                  .values = all.values};
  read.exponentials = softmax_of(attention).exponentials(chosen_softmax(attention));
  if (read.exponentials.sink) read.sinks = read.exponentials.sink->id;
  read_masks(work, attention, read);
  read.context = work.step_of_shape(
      {"context", "C", language().steps.context, language().steps.at_once_formula.text(), Role::output},
      context_shape(work, attention, read.queries, read.values));
  return read;
}

std::size_t bytes_copied_at_once(const Recipe& recipe, const ReadAtOnce& read, Dtype dtype) {
  const auto count = [&](const std::string& id) { return recipe.shape(id).count(); };
  std::size_t numbers = count(read.queries) + count(read.keys) + count(read.values) + count(read.context);
  if (read.bias) numbers += count(*read.bias);
  if (read.sinks) numbers += count(*read.sinks);
  const Shape& context = recipe.shape(read.context);
  const std::size_t rows = context.count() / context.size("d_v");
  return numbers * (dtype == Dtype::f32 ? sizeof(float) : sizeof(double)) +
         (read.open ? count(*read.open) : 0) * sizeof(std::uint8_t) +  // the mask
         rows * sizeof(std::uint8_t) +                                 // closed rows
         recipe.shape(read.queries).size("query") * sizeof(double);    // how far scores get
}

AtOncePolicy::AtOncePolicy(const Attention& attention, const Arithmetic& arithmetic, ReadAtOnce read, Backend& backend)
    : ComputingPolicy(backend.in_any_order(), arithmetic),
      attention_(attention),
      dtype_(arithmetic.dtype),
      read_(std::move(read)),
      backend_(backend.in_any_order()) {}

std::shared_ptr<const Tensor<double>> AtOncePolicy::make(const Recipe& recipe, std::size_t line,
                                                         const Values<double>& carried) {
  if (recipe.instruction(line).id() != read_.context) return ComputingPolicy::make(recipe, line, carried);
  const NumbersAtOnce numbers(recipe, carried);
  const auto keep = [&](auto computed) {
    holds_ = computed.holds;
    notes_ = closed_row_notes(attention_, computed.closed_rows);
    return std::make_shared<const Tensor<double>>(std::move(computed.context));
  };
  const Shape& shape = recipe.shape(line);
  return dtype_ == Dtype::f32 ? keep(computed<float>(numbers, backend_, attention_, read_, shape))
                              : keep(computed<double>(numbers, backend_, attention_, read_, shape));
}

}  // namespace attn
