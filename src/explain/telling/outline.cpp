#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/place.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "trace/trace.h"
#include "words/language.h"

namespace attn {
namespace {

// Of all attentions together, so that a figure stays small; and of one.
constexpr std::size_t most_weights = 400'000, most_maps = 16;

// Lines that follow one another and belong to one part are a box; what is given as a step is one by itself.
class Outliner {
 public:
  Outliner(const Trace& trace, const Numerals& numerals)
      : trace_(trace), numerals_(numerals), box_of_(trace.recipe.size()) {}

  std::vector<OutlinePart> told() {
    const Recipe& recipe = trace_.recipe;
    for (std::size_t line = 0; line < recipe.size(); ++line) {
      const Instruction& instruction = recipe.instruction(line);
      if (instruction.kind == Instruction::Kind::given) continue;
      if (!goes_on(instruction)) begin(instruction);
      box_of_[line] = boxes_.size() - 1;
      if (instruction.kind == Instruction::Kind::step) tell_result(line);
      for (const std::size_t operand : recipe.operands(line)) read(operand);
      if (const auto open = recipe.open(line)) read(*open);
    }
    if (numbers_drawn_ > most_weights) {
      for (OutlinePart& box : boxes_) box.weights.clear();
    }
    return std::move(boxes_);
  }

 private:
  bool goes_on(const Instruction& instruction) const {
    return last_ && !last_->given && !instruction.given && last_->part == instruction.part;
  }

  void begin(const Instruction& instruction) {
    last_ = &instruction;
    const RecipePart& part = trace_.recipe.parts()[instruction.part];
    OutlinePart& box = boxes_.emplace_back();
    if (!instruction.given) {
      box.id = part.prefix;
      box.title = part.title;
    }
    has_title_ = !box.title.empty();
    box.of_encoder = instruction.id().starts_with("encoder.");
    if (part.attention && !instruction.given) add_weights(part.attention->weights, box);
  }

  // The last line that is shown is what the box makes.
  void tell_result(std::size_t line) {
    const Heading& heading = trace_.recipe.instruction(line).heading;
    OutlinePart& box = boxes_.back();
    if (!has_title_) box.title = dotted(box.of_encoder ? language().block.encoder.text() : "", heading.title);
    box.role = heading.role;
    box.name = {Span(heading.symbol, heading.role)};
    box.sizes = "[" + to_string(trace_.recipe.shape(line)) + "]";
  }

  void read(std::size_t operand) {
    const std::optional<std::size_t> from = box_of_[operand];
    std::vector<std::size_t>& reads = boxes_.back().reads;
    if (from && *from != boxes_.size() - 1 && std::ranges::count(reads, *from) == 0) reads.push_back(*from);
  }

  void add_weights(const StepId& id, OutlinePart& box) {
    const Step* weights = trace_.find(id);
    if (!weights) return;
    const std::vector<Place> places = outer_places(weights->result.shape(), 0, 0);
    if (places.size() > most_maps) return;
    numbers_drawn_ += weights->result.size();
    if (numbers_drawn_ > most_weights) return;
    for (const Place& place : places) {
      std::ranges::move(matrices_at(trace_, numerals_, id, place), std::back_inserter(box.weights));
    }
  }

  const Trace& trace_;
  const Numerals& numerals_;
  std::vector<OutlinePart> boxes_;
  std::vector<std::optional<std::size_t>> box_of_;  // by line
  const Instruction* last_ = nullptr;               // that began a box
  bool has_title_ = false;                          // the part of the last box
  std::size_t numbers_drawn_ = 0;
};

}  // namespace

std::vector<OutlinePart> outline(const Trace& trace, const Numerals& numerals) {
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  const auto titled = std::ranges::count_if(parts, [](const RecipePart& part) { return !part.title.empty(); });
  return titled > 1 ? Outliner(trace, numerals).told() : std::vector<OutlinePart>();
}

}  // namespace attn
