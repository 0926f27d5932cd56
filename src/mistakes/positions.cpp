#include <algorithm>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// A line that adds a vector for each position to inputs.
struct PositionedInputs {
  std::string step;
  Operand inputs, encoding;
};

std::vector<PositionedInputs> positioned_inputs(const RightAttention& right) {
  std::vector<PositionedInputs> all;
  for (const auto& own : instructions_with_inputs(right)) {
    const auto* sum = std::get_if<Combine>(&own->op);
    if (!sum || sum->function != Binary::add || own->heading.role != Role::input || own->operands.size() != 2) continue;
    all.push_back({own->id(), own->operands[0], own->operands[1]});
  }
  return all;
}

// The rewrite by these lines, made at the first step that is another; none by none.
Rewrites rewritten_where_first(const RightAttention& right, const std::vector<Instruction>& lines) {
  const auto step = std::ranges::find_if(lines, [&](const Instruction& made) { return right.has(made.id()); });
  if (step == lines.end()) return {};
  return {rewritten(right, step->id(), "", lines)};
}

// Whether what the line makes depends on the distance from a query to a key, and
// brings it into the scores or the context.
bool is_by_distance(const RightAttention& right, const Instruction& own) {
  const auto* pick = std::get_if<Pick>(&own.op);
  return own.id() == right.at.position_bias || (pick && pick->rows.shape().has("query"));
}

// The line under another id, and nothing of it under its own.
void append_nothing_of(const Instruction& own, std::vector<Instruction>& lines) {
  const std::string all = "~all." + own.id();
  lines.push_back(line(all, own.op, own.operands, own.open));
  lines.push_back(line(own.id(), Map{Unary::multiply, 0, ""}, {all}));
}

Rewrites positions_left_out(const RightAttention& right) {
  std::vector<Instruction> lines;
  for (const PositionedInputs& sum : positioned_inputs(right)) lines.push_back(line(sum.step, Copy{}, {sum.inputs}));
  for (const auto& own : right.instructions()) {
    if (std::holds_alternative<Rotate>(own->op)) lines.push_back(line(own->id(), Copy{}, {own->operands[0]}));
    if (is_by_distance(right, *own)) append_nothing_of(*own, lines);
  }
  Rewrites all = rewritten_where_first(right, lines);
  // Numbers for distances that were worked out, and not added to the scores.
  const Instruction* masked = right.find(right.at.masked);
  if (masked && right.has(right.at.position_bias) && masked->operands.size() == 2) {
    const bool closes = std::holds_alternative<Close>(masked->op);
    all.push_back(
        rewritten(right, masked->id(), language().mistakes.not_added,
                  {line(masked->id(), closes ? Op(Close{}) : Op(Copy{}), {masked->operands[0]}, masked->open)}));
  }
  return all;
}

Rewrites positions_added_twice(const RightAttention& right) {
  std::vector<Instruction> lines;
  for (const PositionedInputs& sum : positioned_inputs(right)) {
    lines.push_back(line(sum.step, Combine{Binary::add, {}}, {sum.inputs, sum.encoding, sum.encoding}));
  }
  return rewritten_where_first(right, lines);
}

// The step that is read in place of that one by whoever knows no positions: the
// inputs, or their columns of each head, made by a line of their own.
std::string plain_in_place_of(const RightAttention& right, const std::vector<PositionedInputs>& sums,
                              const std::string& id, std::vector<Instruction>& lines) {
  const auto sum = std::ranges::find(sums, id, &PositionedInputs::step);
  if (sum != sums.end()) return sum->inputs.id;
  const Instruction* split = right.find(id);
  if (!std::holds_alternative<Split>(split->op)) return id;
  const std::string whole = plain_in_place_of(right, sums, split->operands[0].id, lines);
  if (whole == split->operands[0].id) return id;
  const std::string plain = "~plain." + id;
  if (std::ranges::find(lines, plain, &Instruction::id) == lines.end()) {
    lines.push_back(line(plain, split->op, {Operand(whole, split->operands[0].renamed)}));
  }
  return plain;
}

// Keys and values are made from the inputs as they are. Where these have inputs of
// their own, nothing is added to them at all.
Rewrites positions_in_queries_only(const RightAttention& right) {
  const std::vector<PositionedInputs> sums = positioned_inputs(right);
  std::vector<Instruction> lines;
  for (const PositionedInputs& sum : sums) {
    const bool is_own = right.find(sum.step)->part == right.part;
    if (is_own && sum.inputs.id != right.at.query_inputs) lines.push_back(line(sum.step, Copy{}, {sum.inputs}));
  }
  const bool has_own = !lines.empty();
  for (const std::string& id : {right.at.projected_keys, right.at.projected_values, right.at.keys, right.at.values}) {
    const Instruction* own = has_own ? nullptr : right.find(id);
    if (!own || own->operands.empty()) continue;
    std::vector<Operand> operands = own->operands;
    operands[0].id = plain_in_place_of(right, sums, operands[0].id, lines);
    if (operands[0].id != own->operands[0].id) lines.push_back(line(id, own->op, operands, own->open));
  }
  return rewritten_where_first(right, lines);
}

Rewrites positions_counted_from_one(const RightAttention& right) {
  const std::vector<Instruction> lines = lines_counted_on(right, 1);
  return rewritten_where_first(right, lines);
}

// The turn of the keys, of as many positions as there are values.
struct TurnOfKeys {
  const Instruction& keys;
  Rotate turn;
};

std::optional<TurnOfKeys> turn_of_keys(const RightAttention& right) {
  for (const auto& own : right.instructions()) {
    const auto* turn = std::get_if<Rotate>(&own->op);
    if (turn && own->operands[0].id == right.at.keys) return TurnOfKeys{*right.find(own->id()), *turn};
  }
  return std::nullopt;
}

// What was turned may have been written down as the values, or what they were before.
Rewrites values_turned_too(const RightAttention& right, const TurnOfKeys& of) {
  const std::size_t pairs = right.shape(of.keys.operands[1].id).size(of.turn.pair);
  if (size_along(right, right.at.values, "d_v") < 2 * pairs) return {};
  const Instruction& values = *right.find(right.at.values);
  const Rotate turn{"d_v", of.turn.pair, of.turn.interleaved};
  std::vector<Operand> operands = of.keys.operands;
  operands[0] = right.at.values;
  std::vector<Instruction> lines;
  for (const auto& reader : right.instructions()) {
    if (std::ranges::find(reader->operands, right.at.values, &Operand::id) == reader->operands.end()) continue;
    if (lines.empty()) lines.push_back(line("~turned_values", turn, operands));
    lines.push_back(line(reader->id(), reader->op, reader->operands, reader->open));
    for (Operand& operand : lines.back().operands) {
      if (operand.id == right.at.values) operand.id = "~turned_values";
    }
  }
  Rewrites all = {rewritten(right, right.at.values, language().mistakes.written_before_turning, lines)};
  if (values.given) return all;
  // The tables of the keys stand below the values.
  const Instruction &cosines = *right.find(operands[1].id), &sines = *right.find(operands[2].id);
  all.push_back(
      rewritten(right, right.at.values, language().mistakes.written_after_turning,
                {line("~values", values.op, values.operands, values.open),
                 line("~cosines", cosines.op, cosines.operands), line("~sines", sines.op, sines.operands),
                 line(right.at.values, turn,
                      {"~values", Operand("~cosines", operands[1].renamed), Operand("~sines", operands[2].renamed)})}));
  return all;
}

}  // namespace

Family positions_family() {
  const MistakeWords& said = language().mistakes;
  return {said.positions,
          {
              {"positions.left_out", said.positions_left_out, positions_left_out},
              {"positions.added_twice", said.positions_added_twice, positions_added_twice},
              {"positions.queries_only", said.positions_queries_only, positions_in_queries_only},
              {"positions.counted_from_one", said.positions_counted_from_one, positions_counted_from_one},
              {"positions.values_too", said.positions_values_too, where<turn_of_keys, values_turned_too>},
          }};
}

}  // namespace attn
