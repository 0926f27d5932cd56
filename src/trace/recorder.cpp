#include "trace/recorder.h"

#include <cassert>
#include <limits>

#include "ops/shapes.h"
#include "trace/rounding.h"

namespace attn {
namespace {

std::size_t plus(std::size_t a, std::size_t b) {
  return b > std::numeric_limits<std::size_t>::max() - a ? std::numeric_limits<std::size_t>::max() : a + b;
}

std::size_t bytes_of(const Shape& shape) {
  const std::size_t count = shape.count();
  return count > std::numeric_limits<std::size_t>::max() / sizeof(double) ? std::numeric_limits<std::size_t>::max()
                                                                          : count * sizeof(double);
}

}  // namespace

Recorder::Recorder(Backend* backend, Arithmetic arithmetic, Vectors vectors)
    : backend_(backend), arithmetic_(arithmetic), vectors_(vectors) {}

std::string Recorder::given(Heading heading, const Tensor<double>& value) {
  return given(std::move(heading), value.shape(), [&] { return value; });
}

std::string Recorder::given(Heading heading, const Shape& shape, const std::function<Tensor<double>()>& make) {
  Entry entry{.keep = Keep::given, .heading = std::move(heading), .op = Given{}, .shape = shape};
  if (backend_) entry.value = rounded_to_dtype(make());
  return keep(std::move(entry));
}

std::string Recorder::given_step(Heading heading, const Tensor<double>& value) {
  Entry entry{.keep = Keep::step, .heading = std::move(heading), .op = Given{}, .shape = value.shape()};
  if (backend_) entry.value = rounded_to_dtype(value);
  return keep(std::move(entry));
}

std::string Recorder::step(Heading heading, Op op, std::vector<Operand> operands, std::optional<Operand> open) {
  return compute(Keep::step, std::move(heading), std::move(op), std::move(operands), std::move(open));
}

std::string Recorder::hidden_step(Heading heading, Op op, std::vector<Operand> operands, std::optional<Operand> open) {
  return compute(Keep::hidden, std::move(heading), std::move(op), std::move(operands), std::move(open));
}

std::string Recorder::step_at_once(Heading heading, const Shape& shape,
                                   const std::function<Tensor<double>(Backend&)>& make) {
  Entry made{.keep = Keep::step, .heading = std::move(heading), .op = Given{}, .shape = shape};
  if (backend_) made.value = make(*backend_);
  return keep(std::move(made));
}

const Shape& Recorder::shape(std::string_view id) const { return entry(id).shape; }

const std::string& Recorder::symbol(std::string_view id) const { return entry(id).heading.symbol; }

Shape Recorder::shape_of(const Op& op, const std::vector<Operand>& operands) const {
  std::vector<Shape> shapes;
  for (const Operand& operand : operands) shapes.push_back(shape_as_read(operand, shape(operand.id)));
  return result_shape(op, shapes, vectors_);
}

std::string Recorder::compute(Keep keeping, Heading heading, Op op, std::vector<Operand> operands,
                              std::optional<Operand> open) {
  Entry made{.keep = keeping, .heading = std::move(heading), .shape = shape_of(op, operands)};
  if (backend_) {
    if (told_) told_(made.heading.id);
    const auto view = [&](const Operand& operand) {
      const Entry& read = entry(operand.id);
      return View{shape_as_read(operand, read.shape), read.value.data()};
    };
    std::vector<View> views;
    for (const Operand& operand : operands) views.push_back(view(operand));
    const View mask = open ? view(*open) : View{};
    made.value = backend_->run(op, views, open ? &mask : nullptr, made.shape, arithmetic_.dtype);

    if (arithmetic_.hand_rounding) {
      round_by_hand(op, operands.size(), *arithmetic_.hand_rounding, open ? &entry(open->id).value : nullptr,
                    made.value);
      made.value = rounded_to_dtype(std::move(made.value));
    }
  }
  made.op = std::move(op);
  made.operands = std::move(operands);
  made.open = std::move(open);
  return keep(std::move(made));
}

const Recorder::Entry& Recorder::entry(std::string_view id) const {
  const auto found = by_id_.find(id);
  assert(found != by_id_.end());
  return *found->second;
}

std::string Recorder::keep(Entry entry) {
  bytes_ = plus(bytes_, bytes_of(entry.shape));
  entries_.push_back(std::move(entry));
  const Entry& kept = entries_.back();
  [[maybe_unused]] const bool is_new = by_id_.emplace(kept.heading.id, &kept).second;
  assert(is_new);
  return kept.heading.id;
}

Tensor<double> Recorder::rounded_to_dtype(Tensor<double> value) const {
  for (double& number : value.data()) number = stored(number, arithmetic_.dtype);
  return value;
}

std::vector<GivenTensor> Recorder::take_givens() {
  std::vector<GivenTensor> givens;
  for (Entry& entry : entries_) {
    if (entry.keep == Keep::given) givens.push_back({entry.heading, std::move(entry.value)});
  }
  return givens;
}

std::vector<Step> Recorder::take_steps() {
  std::vector<Step> steps;
  for (Entry& entry : entries_) {
    if (entry.keep != Keep::step) continue;
    steps.push_back(
        {entry.heading, std::move(entry.op), std::move(entry.operands), std::move(entry.open), std::move(entry.value)});
  }
  return steps;
}

}  // namespace attn
