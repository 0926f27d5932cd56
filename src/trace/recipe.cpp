#include "trace/recipe.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "ops/shapes.h"

namespace attn {
namespace {

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

// In fewer lines an id is found as soon by looking at each.
constexpr std::size_t many_lines = 200;

std::size_t plus(std::size_t a, std::size_t b) { return b > most - a ? most : a + b; }

std::size_t bytes_of(const Shape& shape) {
  const std::size_t count = shape.count();
  return count > most / sizeof(double) ? most : count * sizeof(double);
}

// The shape under the names that the operand is read by; nothing where an axis would be there twice.
std::optional<Shape> read_by(const Operand& operand, const Shape& shape) {
  Shape read = shape;
  for (const auto& [from, to] : operand.renamed) {
    if (!read.has(from)) continue;
    if (from != to && read.has(to)) return std::nullopt;
    read = read.renamed(from, to);
  }
  return read;
}

Walk walk_over(const Shape& shape, const std::vector<Shape>& read, const Shape* open) {
  std::vector<Cells<double>> cells;
  for (const Shape& operand : read) cells.push_back({&operand, nullptr});
  const Cells<double> mask{open, nullptr};
  return {shape, std::span<const Cells<double>>(cells), open ? &mask : nullptr};
}

}  // namespace

GivenNumbers::GivenNumbers(LateTensor<double> numbers)
    : points(std::move(numbers)), intervals(points.shape(), [from = points] {
        const Tensor<double>& given = from.numbers();
        return Tensor<Interval>(given.shape(), {given.data().begin(), given.data().end()});
      }) {}

Shape shape_as_read(const Operand& operand, const Shape& shape) {
  std::optional<Shape> read = read_by(operand, shape);
  assert(read);
  return std::move(*read);
}

std::optional<std::size_t> Recipe::line(std::string_view id) const {
  if (lines_.size() < many_lines) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].instruction->id() == id) return i;
    }
    return std::nullopt;
  }
  const auto found = places_.find(id);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

const Instruction* Recipe::find(std::string_view id) const {
  const auto found = line(id);
  return found ? &instruction(*found) : nullptr;
}

std::size_t Recipe::place_of(std::string_view id) const {
  const auto found = line(id);
  assert(found);
  return *found;
}

std::vector<StepId> Recipe::steps() const {
  std::vector<StepId> ids;
  for (const Line& line : lines_) {
    if (line.instruction->kind == Instruction::Kind::step) ids.push_back(line.instruction->id());
  }
  return ids;
}

std::optional<Shape> Recipe::fitting_shape(std::string_view id) const {
  const std::size_t place = place_of(id);
  return place < fitting_ ? std::optional(shape(place)) : std::nullopt;
}

const Shape& Recipe::shape(std::string_view id) const {
  const std::size_t place = place_of(id);
  assert(place < fitting_);
  return shape(place);
}

std::size_t Recipe::bytes() const {
  std::size_t all = 0;
  for (const Line& line : lines_) all = plus(all, bytes_of(line.layout->shape));
  return all;
}

const Tensor<double>& Recipe::given(std::string_view id) const {
  const Instruction* found = find(id);
  assert(found && found->given);
  return found->given->points.numbers();
}

void Recipe::append(Instruction made) { insert(lines_.size(), std::move(made)); }

void Recipe::put_givens_first() {
  const auto is_given = [](const Line& line) { return line.instruction->kind == Instruction::Kind::given; };
  auto next = static_cast<std::size_t>(std::ranges::count_if(lines_, is_given));
  std::size_t next_given = 0;
  std::vector<std::size_t> places;
  places.reserve(lines_.size());
  for (const Line& line : lines_) places.push_back(is_given(line) ? next_given++ : next++);
  for (Line& line : lines_) {
    for (std::size_t& operand : line.operands) operand = places[operand];
    if (line.open) *line.open = places[*line.open];
  }
  std::stable_partition(lines_.begin(), lines_.end(), is_given);
  index_all();
}

void Recipe::replace(std::string_view id, Op op, std::vector<Operand> operands, std::optional<Operand> open) {
  const std::size_t place = place_of(id);
  Instruction other = instruction(place);
  other.op = std::move(op);
  other.operands = std::move(operands);
  other.open = std::move(open);
  other.given.reset();
  change(place, std::move(other));
}

void Recipe::insert_before(std::string_view id, Instruction made) {
  const std::size_t place = place_of(id);
  made.part = instruction(place).part;
  insert(place, std::move(made));
}

void Recipe::interpose_after(std::string_view id, Instruction made) {
  const std::size_t place = place_of(id);
  const std::string to = made.id();
  made.part = instruction(place).part;
  insert(place + 1, std::move(made));
  for (std::size_t below = place + 2; below < lines_.size(); ++below) {
    redirect(std::string(lines_[below].instruction->id()), id, to);
  }
}

void Recipe::give(std::string id, Tensor<double> value) {
  insert(0, {.heading = {.id = std::move(id)},
             .op = Given{},
             .given = GivenNumbers(LateTensor<double>(std::move(value))),
             .kind = Instruction::Kind::between});
}

void Recipe::redirect(std::string_view reader, std::string_view from, std::string_view to) {
  const std::size_t place = place_of(reader);
  const auto reads = [&](const Operand& operand) { return operand.id == from; };
  const Instruction& now = instruction(place);
  if (std::ranges::none_of(now.operands, reads) && !(now.open && reads(*now.open))) return;
  Instruction other = now;
  for (Operand& operand : other.operands) {
    if (reads(operand)) operand.id = to;
  }
  if (other.open && reads(*other.open)) other.open->id = to;
  change(place, std::move(other));
}

void Recipe::keep(const std::vector<bool>& wanted) {
  std::vector<std::size_t> places(lines_.size());
  std::vector<Line> kept;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    if (!wanted[line]) continue;
    places[line] = kept.size();
    kept.push_back(std::move(lines_[line]));
    for (std::size_t& operand : kept.back().operands) operand = places[operand];
    if (auto& open = kept.back().open) *open = places[*open];
  }
  lines_ = std::move(kept);
  fitting_ = lines_.size();
  index_all();
}

void Recipe::insert(std::size_t place, Instruction instruction) {
  if (has(instruction.id())) throw std::logic_error("two instructions are called " + instruction.id());
  Line made{std::make_shared<const Instruction>(std::move(instruction))};
  connect(made, place);
  for (std::size_t below = place; below < lines_.size(); ++below) {
    for (std::size_t& operand : lines_[below].operands) operand += operand >= place ? 1 : 0;
    if (auto& open = lines_[below].open; open && *open >= place) ++*open;
  }
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(place), std::move(made));
  index(place);
  if (place > fitting_) return;
  // Nobody reads it yet: no shape below follows from its own.
  lines_[place].layout = laid_out(lines_[place]);
  fitting_ = lines_[place].layout ? fitting_ + 1 : place;
}

// After a line was put there.
void Recipe::index(std::size_t place) {
  const bool moves_others = place + 1 < lines_.size();
  if (moves_others || lines_.size() == many_lines) return index_all();
  if (lines_.size() > many_lines) places_.emplace(instruction(place).id(), place);
}

void Recipe::index_all() {
  places_.clear();
  if (lines_.size() < many_lines) return;
  for (std::size_t place = 0; place < lines_.size(); ++place) places_.emplace(instruction(place).id(), place);
}

void Recipe::change(std::size_t place, Instruction instruction) {
  auto index = places_.extract(lines_[place].instruction->id());
  lines_[place].instruction = std::make_shared<const Instruction>(std::move(instruction));
  if (index) {
    index.key() = lines_[place].instruction->id();
    places_.insert(std::move(index));
  }
  lines_[place].layout.reset();
  connect(lines_[place], place);
  lay_out(place);
}

void Recipe::connect(Line& line, std::size_t place) const {
  const auto above = [&](const Operand& operand) {
    const auto found = this->line(operand.id);
    if (found && *found < place) return *found;
    throw std::logic_error(line.instruction->id() + " reads " + operand.id + ", which is not above it");
  };
  line.operands.clear();
  for (const Operand& operand : line.instruction->operands) line.operands.push_back(above(operand));
  line.open.reset();
  if (line.instruction->open) line.open = above(*line.instruction->open);
}

std::shared_ptr<const LaidOut> Recipe::laid_out(const Line& line) const {
  const Instruction& instruction = *line.instruction;
  std::vector<Shape> read;
  for (std::size_t i = 0; i < line.operands.size(); ++i) {
    std::optional<Shape> operand = read_by(instruction.operands[i], shape(line.operands[i]));
    if (!operand) return nullptr;
    read.push_back(std::move(*operand));
  }
  std::optional<Shape> mask = line.open ? read_by(*instruction.open, shape(*line.open)) : Shape();
  if (!mask) return nullptr;
  Shape open = std::move(*mask);
  Shape made;
  if (instruction.given) {
    made = instruction.given->points.shape();
  } else {
    if (!attn::fits(instruction.op, read)) return nullptr;
    made = result_shape(instruction.op, read, vectors_);
  }
  if (line.layout && line.layout->shape == made && line.layout->read == read && line.layout->open_read == open) {
    return line.layout;
  }
  Walk walk = walk_over(made, read, line.open ? &open : nullptr);
  return std::make_shared<const LaidOut>(LaidOut{std::move(made), std::move(read), std::move(open), std::move(walk)});
}

// Shapes change from a line on downward, and only below what changed.
void Recipe::lay_out(std::size_t from) {
  if (from > fitting_) return;
  std::vector<bool> changed(lines_.size(), false);
  for (std::size_t place = from; place < lines_.size(); ++place) {
    Line& line = lines_[place];
    const bool reads_changed = std::ranges::any_of(line.operands, [&](std::size_t i) { return changed[i]; }) ||
                               (line.open && changed[*line.open]);
    if (place != from && place < fitting_ && !reads_changed) continue;
    auto layout = laid_out(line);
    if (!layout) {
      fitting_ = place;
      return;
    }
    changed[place] = !line.layout || line.layout->shape != layout->shape;
    line.layout = std::move(layout);
  }
  fitting_ = lines_.size();
}

std::vector<std::optional<std::size_t>> same_lines(const Recipe& rewrite, const Recipe& original) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t line = 0; line < original.size(); ++line) places.emplace(original.instruction(line).id(), line);
  std::vector<std::optional<std::size_t>> same(rewrite.size());
  for (std::size_t line = 0; line < rewrite.size(); ++line) {
    const auto twin = places.find(rewrite.instruction(line).id());
    if (twin != places.end() && rewrite.is_same(line, original, twin->second)) same[line] = twin->second;
  }
  return same;
}

}  // namespace attn
