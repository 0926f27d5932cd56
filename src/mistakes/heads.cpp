#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// A line that makes the vectors of each head.
struct HeadSplit {
  std::string step;
  Operand whole;  // all heads side by side
  Split op;
  Axis row;
  std::size_t rows = 0, width = 0;       // of the whole
  std::vector<Instruction> making = {};  // what puts the heads side by side, where the problem does not
  std::vector<StepId> given = {};        // what that reads, one a head
};

std::optional<Axis> row_of(const Shape& shape) {
  for (const char* row : {"token", "query", "key"}) {
    if (shape.has(row)) return row;
  }
  return std::nullopt;
}

std::vector<HeadSplit> head_splits(const RightAttention& right) {
  std::vector<HeadSplit> all;
  for (const auto& line : right.instructions()) {
    const auto* split = std::get_if<Split>(&line->op);
    if (!split || split->outer != "head" || split->parts < 2) continue;
    const Shape made = right.shape(line->id());
    if (const auto row = row_of(made)) {
      all.push_back(
          {line->id(), line->operands[0], *split, *row, made.size(*row), made.size("head") * made.size(split->inner)});
    }
  }
  return all;
}

// One matrix a head: the products side by side, as the matrices side by side give them.
std::vector<HeadSplit> products_apart(const RightAttention& right) {
  std::vector<HeadSplit> all;
  for (const auto& [step, inner] :
       {std::pair(right.at.keys, Axis("d_k")), {right.at.queries, "d_k"}, {right.at.values, "d_v"}}) {
    const Instruction* made = right.find(step);
    if (!made || !std::holds_alternative<Contract>(made->op)) continue;
    const Shape shape = right.shape(step);
    const Operand& weight = made->operands[1];
    const auto row = row_of(shape);
    if (!row || !shape.has("head") || shape.size("head") < 2 || !right.shape(weight.id).has("head")) continue;
    const std::string apart = "~apart." + step, whole = "~whole." + step;
    const std::size_t heads = shape.size("head");
    HeadSplit split{step, whole, {"~whole", "head", inner, heads}, *row, shape.size(*row), heads * shape.size(inner)};
    split.making = {line(apart, made->op, made->operands), line(whole, Merge{"head", inner, "~whole"}, {apart})};
    split.making.front().kind = Instruction::Kind::hidden;  // these are what a person works out
    for (const Operand& operand : std::span(made->operands).subspan(1)) split.given.push_back(operand.id);
    all.push_back(std::move(split));
  }
  return all;
}

// Where the vectors of each head come from, be they cut from wider ones or made apart.
std::vector<HeadSplit> sources_of_heads(const RightAttention& right) {
  std::vector<HeadSplit> all = products_apart(right);
  std::ranges::move(head_splits(right), std::back_inserter(all));
  return all;
}

void move_behind(std::vector<Instruction>& lines, std::vector<Instruction> more) {
  std::ranges::move(more, std::back_inserter(lines));
}

// The heads by these lines in place of their own.
template <class Lines>
Rewrites split_otherwise(const RightAttention& right, const std::vector<HeadSplit>& splits, Lines lines_of) {
  if (splits.empty()) return {};
  std::vector<Instruction> lines;
  for (const HeadSplit& split : splits) {
    move_behind(lines, split.making);
    move_behind(lines, lines_of(split));
  }
  return {rewritten(right, splits.front().step, "", std::move(lines))};
}

// [rows][width] read as [head][rows][width / heads] in the order of the numbers.
Rewrites no_transpose(const RightAttention& right) {
  const std::vector<HeadSplit> splits = sources_of_heads(right);
  if (std::ranges::all_of(splits, [](const HeadSplit& split) { return split.rows < 2; })) return {};
  return split_otherwise(right, splits, [](const HeadSplit& split) -> std::vector<Instruction> {
    const std::string flat = "~flat." + split.step;
    const std::string parts = "~parts." + split.step;
    return {line(flat, Merge{split.row, split.op.axis, "~flat"}, {split.whole}),
            line(parts, Split{"~flat", "head", "~part", split.op.parts}, {flat}),
            line(split.step, Split{"~part", split.row, split.op.inner, split.rows}, {parts})};
  });
}

// Every h-th column to a head in place of consecutive ones.
Rewrites interleaved(const RightAttention& right) {
  std::vector<HeadSplit> splits = sources_of_heads(right);
  std::erase_if(splits, [](const HeadSplit& split) { return split.width == split.op.parts; });
  return split_otherwise(right, splits, [](const HeadSplit& split) -> std::vector<Instruction> {
    const std::size_t width = split.width / split.op.parts;
    return {line(split.step, Split{split.op.axis, split.op.inner, "head", width}, {split.whole})};
  });
}

// Which head of keys and values each query head reads, where it is ⌊i / (h / g)⌋.
enum class Grouping {
  in_turn,  // i mod g
  by_count  // ⌊i / g⌋: as many to a group as there are groups
};

// Nothing where that is the same, or there are not so many heads.
std::optional<Op> grouped(const Repeat& asked, std::size_t heads, Grouping grouping) {
  if (heads < 2 || asked.times < 2) return std::nullopt;
  if (grouping == Grouping::in_turn) return Repeat{asked.axis, asked.times, !asked.tiled};
  if (asked.times >= heads) return std::nullopt;
  Tensor<std::int64_t> from(Shape{{asked.axis, heads * asked.times}});
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::int64_t>(i / heads);
  return Pick{asked.axis, Rows(std::move(from))};
}

// Keys and values shared so, or only the one or the other.
Rewrites grouped_otherwise(const RightAttention& right, Grouping grouping) {
  std::vector<Instruction> keys, values;
  for (const auto& shared : right.instructions()) {
    const auto* repeat = std::get_if<Repeat>(&shared->op);
    const auto op =
        repeat ? grouped(*repeat, size_along(right, shared->operands[0].id, repeat->axis), grouping) : std::nullopt;
    if (!op) continue;
    const bool are_values = right.shape(shared->id()).has("d_v");
    (are_values ? values : keys).push_back(line(shared->id(), *op, shared->operands));
  }
  if (keys.empty() || values.empty()) return {};
  std::vector<Instruction> both = keys;
  both.insert(both.end(), values.begin(), values.end());
  const MistakeWords& said = language().mistakes;
  const std::string way = grouping == Grouping::in_turn ? said.heads_in_turn : said.heads_by_count;
  return {rewritten(right, keys.front().id(), way, both),
          rewritten(right, keys.front().id(), way + said.only_keys.text(), keys),
          rewritten(right, values.front().id(), way + said.only_values.text(), values)};
}

Rewrites tiled_groups(const RightAttention& right) {
  Rewrites all = grouped_otherwise(right, Grouping::in_turn);
  append(all, grouped_otherwise(right, Grouping::by_count));
  return all;
}

// The line that puts the heads side by side; null where there are not several.
const Instruction* joining(const RightAttention& right) {
  const Instruction* concat = right.find(right.at.concat);
  if (!concat || !std::holds_alternative<Merge>(concat->op) || head_count(right) < 2) return nullptr;
  const Shape& context = right.shape(right.at.context);
  return context.has("head") && context.has("query") && context.has("d_v") ? concat : nullptr;
}

Rewrites merged_without_transpose(const RightAttention& right, const Instruction&) {
  const std::size_t queries = size_along(right, right.at.context, "query");
  if (queries < 2) return {};
  return {rewritten(right, right.at.concat, "",
                    {line("~rows", Merge{"head", "query", "~row"}, {right.at.context}),
                     line("~flat", Merge{"~row", "d_v", "~flat"}, {"~rows"}),
                     line(right.at.concat, Split{"~flat", "query", "d_concat", queries}, {"~flat"})})};
}

Instruction sum_of_heads(const RightAttention& right, const std::string& id) {
  return line(id, Reduce{Reducer::sum, "head"}, {read_as(right.at.context, "d_v", "d_concat")});
}

Rewrites summed(const RightAttention& right, const Instruction&) {
  Rewrite made = rewritten(right, right.at.concat, "", {sum_of_heads(right, right.at.concat)});
  return {ended_where_widths_differ(std::move(made), right.at)};
}

Rewrites averaged(const RightAttention& right, const Instruction&) {
  const Map divided{Unary::divide, static_cast<double>(head_count(right)), ""};
  Rewrite made = rewritten(right, right.at.concat, "",
                           {sum_of_heads(right, "~sum_of_heads"), line(right.at.concat, divided, {"~sum_of_heads"})});
  return {ended_where_widths_differ(std::move(made), right.at)};
}

Rewrites reversed(const RightAttention& right, const Instruction&) {
  const std::size_t heads = head_count(right);
  Tensor<double> from(Shape{{"head", heads}, {"~from", heads}});
  for (std::size_t head = 0; head < heads; ++head) from[head * heads + heads - 1 - head] = 1;
  // The mask leaves one head to be read for each, so that no other's infinities get in.
  return {
      rewritten(right, right.at.concat, "",
                {given_line("~from", std::move(from)),
                 line("~reversed", Contract{"~from"}, {read_as(right.at.context, "head", "~from"), "~from"}, "~from"),
                 line(right.at.concat, Merge{"head", "d_v", "d_concat"}, {"~reversed"})})};
}

const Contract* output_product(const RightAttention& right) {
  const Instruction* output = right.find(right.at.output);
  return output ? std::get_if<Contract>(&output->op) : nullptr;
}

Rewrites output_projection_forgotten(const RightAttention& right, const Contract& product) {
  const Operand& context = right.find(right.at.output)->operands[0];
  return {rewritten(right, right.at.output, "",
                    {line(right.at.output, Copy{}, {read_as(context, product.over, "d_out")})})};
}

Rewrites output_projection_transposed(const RightAttention& right, const Contract& product) {
  std::vector<Operand> operands = right.find(right.at.output)->operands;
  const std::size_t width = size_along(right, operands[1].id, product.over);
  if (width < 2 || width != size_along(right, operands[1].id, "d_out")) return {};
  operands[1] = transposed(operands[1], product.over, "d_out");
  return {rewritten(right, right.at.output, "", {line(right.at.output, product, operands)})};
}

Rewrites scale_by_dmodel(const RightAttention& right, const Map&) {
  const std::size_t width = input_width(right);
  if (head_count(right) < 2 || width == 0 || width == size_along(right, right.at.keys, "d_k")) return {};
  return {with_op(right, right.at.scaled, divided_by_root(width))};
}

bool is_about_heads(const RightAttention& right, const Instruction& line) {
  return std::ranges::any_of(line.operands,
                             [&](const Operand& operand) { return right.shape(operand.id).has("head"); });
}

Shape without_heads(const Shape& along) {
  Shape rest;
  for (const Dim& dim : along.dims()) {
    if (dim.axis != "head") rest.append(dim);
  }
  return rest;
}

// The heads left together: one of all columns.
std::vector<Instruction> left_whole(const RightAttention& right, const std::vector<HeadSplit>& splits) {
  std::vector<Instruction> lines;
  for (const HeadSplit& split : splits) {
    move_behind(lines, split.making);
    lines.push_back(line(split.step, Copy{}, {read_as(split.whole, split.op.axis, split.op.inner)}));
  }
  for (const auto& own : right.instructions()) {
    if (const auto* merge = std::get_if<Merge>(&own->op); merge && merge->outer == "head") {
      lines.push_back(line(own->id(), Copy{}, {read_as(own->operands[0], merge->inner, merge->axis)}));
    } else if (const auto* copy = std::get_if<Copy>(&own->op); copy && copy->along.has("head")) {
      lines.push_back(line(own->id(), Copy{without_heads(copy->along)}, own->operands, own->open));
    } else if (const auto* combine = std::get_if<Combine>(&own->op); combine && combine->along.has("head")) {
      const Combine whole{combine->function, without_heads(combine->along)};
      lines.push_back(line(own->id(), whole, own->operands, own->open));
    }
  }
  return lines;
}

Rewrites one_big_head(const RightAttention& right) {
  const std::vector<HeadSplit> splits = sources_of_heads(right);
  for (const std::string& step : {right.at.keys, right.at.queries, right.at.values}) {
    if (std::ranges::find(splits, step, &HeadSplit::step) == splits.end()) return {};
  }
  for (const std::string& step : {right.at.mask, right.at.bias}) {
    if (right.has(step) && is_about_heads(right, *right.find(step))) return {};
  }
  // Heads that share keys, and what else is given a head, leave no one head to take all as.
  const bool has_parts = std::ranges::any_of(right.instructions(), [&](const auto& line) {
    if (std::holds_alternative<Repeat>(line->op)) return true;
    return line->given && line->given->points.shape().has("head") &&
           std::ranges::none_of(splits, [&](const HeadSplit& split) {
             return std::ranges::find(split.given, line->id()) != split.given.end();
           });
  });
  if (has_parts) return {};
  Rewrite made = rewritten(right, splits.front().step, "", left_whole(right, splits));
  if (!asked_division(right)) return {std::move(made)};
  const std::size_t width = size_along(made.recipe, right.at.keys, "d_k");
  Rewrite rescaled = with_op(made, right.at.scaled, divided_by_root(width));
  rescaled.variant = language().mistakes.by_own_width;
  made.variant = language().mistakes.by_head_width;
  return {std::move(rescaled), std::move(made)};
}

}  // namespace

Family heads_family() {
  const MistakeWords& said = language().mistakes;
  return {said.heads,
          {
              {"heads.output_projection_forgotten", said.heads_output_projection_forgotten,
               where<output_product, output_projection_forgotten>},
              {"heads.output_projection_transposed", said.heads_output_projection_transposed,
               where<output_product, output_projection_transposed>},
              {"heads.scale_by_dmodel", said.heads_scale_by_dmodel, where<asked_division, scale_by_dmodel>},
              {"heads.one_big_head", said.heads_one_big_head, one_big_head},
              {"heads.no_transpose", said.heads_no_transpose, no_transpose},
              {"heads.interleaved", said.heads_interleaved, interleaved},
              {"heads.merged_without_transpose", said.heads_merged_without_transpose,
               where<joining, merged_without_transpose>},
              {"heads.summed", said.heads_summed, where<joining, summed>},
              {"heads.averaged", said.heads_averaged, where<joining, averaged>},
              {"heads.tiled_groups", said.heads_tiled_groups, tiled_groups},
              {"heads.reversed", said.heads_reversed, where<joining, reversed>},
          }};
}

}  // namespace attn
