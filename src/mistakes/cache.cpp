#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// A line that puts keys or values of the past before the new ones, and perhaps
// others after them.
struct JoinedPast {
  std::string step;
  Operand past;
  std::vector<Operand> rest;  // the new ones first
};

// Both of them, and how many keys there are.
struct Past {
  std::vector<JoinedPast> joins;
  std::size_t length = 0, keys = 0;
};

std::optional<Past> past_of(const RightAttention& right) {
  Past found;
  for (const auto& own : right.instructions()) {
    const auto* join = std::get_if<Join>(&own->op);
    if (!join || join->axis != "key") continue;
    const Operand& first = own->operands[0];
    // What is put after the new ones alone has them first, and they are a step.
    if (right.find(first.id)->kind != Instruction::Kind::given) continue;
    found.joins.push_back({own->id(), first, {own->operands.begin() + 1, own->operands.end()}});
    found.length = size_along(right, first.id, "key");
    found.keys = size_along(right, own->id(), "key");
  }
  return found.joins.empty() ? std::nullopt : std::optional(std::move(found));
}

// Which rows, or columns, are left of the keys.
Rows rows_left(const Past& past) {
  Tensor<std::int64_t> left(Shape{{"key", past.keys - past.length}});
  std::iota(left.data().begin(), left.data().end(), static_cast<std::int64_t>(past.length));
  return Rows(std::move(left));
}

// The shape for the keys that are left.
Shape for_keys_left(const Shape& along, const Past& past) {
  Shape left;
  for (const Dim& dim : along.dims()) left.append({dim.axis, dim.axis == "key" ? past.keys - past.length : dim.size});
  return left;
}

// Of which row each cell reads that is left. REQUIRES: the keys are the last axis.
Rows for_keys_left(const Rows& rows, const Past& past) {
  Tensor<std::int64_t> left(for_keys_left(rows.shape(), past));
  const std::size_t width = past.keys - past.length;
  for (std::size_t at = 0; at < left.size(); ++at) {
    left[at] = rows[at / width * past.keys + past.length + at % width];
  }
  return Rows(std::move(left));
}

// The operation for the keys that are left; the same where it is about no keys.
Op for_keys_left(Op op, const Past& past) {
  if (auto* copy = std::get_if<Copy>(&op)) copy->along = for_keys_left(copy->along, past);
  if (auto* combine = std::get_if<Combine>(&op)) combine->along = for_keys_left(combine->along, past);
  if (auto* pick = std::get_if<Pick>(&op); pick && pick->rows.shape().has("key")) {
    pick->rows = for_keys_left(pick->rows, past);
  }
  return op;
}

// What is given or picked for each key, for those that are left.
void append_for_keys_left(const RightAttention& right, const Past& past, std::vector<Instruction>& lines) {
  for (const auto& own : right.instructions()) {
    if (std::holds_alternative<Join>(own->op)) continue;
    std::vector<Instruction> cut;
    std::vector<Operand> operands = own->operands;
    for (Operand& operand : operands) {
      const bool is_given = right.find(operand.id)->kind == Instruction::Kind::given;
      if (!is_given || size_along(right, operand.id, "key") != past.keys) continue;
      cut.push_back(line("~left." + operand.id, Pick{"key", rows_left(past)}, {operand.id}));
      operand.id = cut.back().id();
    }
    Op op = for_keys_left(own->op, past);
    if (cut.empty() && op == own->op) continue;
    std::ranges::move(cut, std::back_inserter(lines));
    lines.push_back(line(own->id(), std::move(op), std::move(operands), own->open));
  }
}

// New tokens that know of no past also count their positions from 0, where it shows.
Rewrites past_left_out(const RightAttention& right, const Past& past) {
  std::vector<Instruction> lines;
  for (const JoinedPast& join : past.joins) {
    lines.push_back(line(join.step, join.rest.size() == 1 ? Op(Copy{}) : Op(Join{"key"}), join.rest));
  }
  append_for_keys_left(right, past, lines);
  const std::string& step = past.joins.front().step;
  std::vector<Instruction> counted = lines_counted_on(right, -static_cast<std::int64_t>(past.length));
  if (counted.empty()) return {rewritten(right, step, "", lines)};
  Rewrites all = {rewritten(right, step, language().mistakes.positions_after_past, lines)};
  const std::string first = counted.front().id();
  std::ranges::move(lines, std::back_inserter(counted));
  all.push_back(rewritten(right, first, language().mistakes.positions_from_zero, std::move(counted)));
  return all;
}

Rewrites past_behind(const RightAttention& right, const Past& past) {
  std::vector<Instruction> lines;
  for (const JoinedPast& join : past.joins) {
    std::vector<Operand> operands = join.rest;
    operands.insert(operands.begin() + 1, join.past);
    lines.push_back(line(join.step, Join{"key"}, std::move(operands)));
  }
  return {rewritten(right, past.joins.front().step, "", std::move(lines))};
}

}  // namespace

Family cache_family() {
  const MistakeWords& said = language().mistakes;
  return {said.cache,
          {
              {"cache.left_out", said.cache_left_out, where<past_of, past_left_out>},
              {"cache.behind", said.cache_behind, where<past_of, past_behind>},
          }};
}

}  // namespace attn
