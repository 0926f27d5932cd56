#include <algorithm>
#include <variant>

#include "mistakes/rewriting.h"
#include "words/language.h"

namespace attn {
namespace {

// A line that splits vectors into heads.
struct HeadSplit {
  std::string step;
  Operand whole;
  Split op;
  Axis row;
  std::size_t rows = 0, width = 0;  // of the whole
};

std::vector<HeadSplit> head_splits(const RightAttention& right) {
  std::vector<HeadSplit> all;
  for (const auto& line : right.instructions()) {
    const auto* split = std::get_if<Split>(&line->op);
    if (!split || split->outer != "head" || split->parts < 2) continue;
    const Shape made = right.shape(line->id());
    for (const char* row : {"token", "query", "key"}) {
      if (!made.has(row)) continue;
      all.push_back(
          {line->id(), line->operands[0], *split, row, made.size(row), made.size("head") * made.size(split->inner)});
      break;
    }
  }
  return all;
}

std::string first_step(const std::vector<HeadSplit>& splits) { return splits.front().step; }

// [rows][width] read as [head][rows][width / heads] in the order of the numbers.
void split_without_transposing(Recipe& recipe, const HeadSplit& split) {
  const std::string flat = "~flat." + split.step;
  const std::string parts = "~parts." + split.step;
  recipe.insert_before(split.step, in_between(flat, Merge{split.row, split.op.axis, "~flat"}, {split.whole}));
  recipe.insert_before(split.step, in_between(parts, Split{"~flat", "head", "~part", split.op.parts}, {flat}));
  recipe.replace(split.step, Split{"~part", split.row, split.op.inner, split.rows}, {parts});
}

Rewrites no_transpose(const RightAttention& right) {
  std::vector<HeadSplit> splits = head_splits(right);
  if (std::ranges::all_of(splits, [](const HeadSplit& split) { return split.rows < 2; })) return {};
  return {rewritten(right, first_step(splits), "", [&](Recipe& recipe) {
    for (const HeadSplit& split : splits) split_without_transposing(recipe, split);
  })};
}

// Every h-th column to a head in place of consecutive ones.
Rewrites interleaved(const RightAttention& right) {
  std::vector<HeadSplit> splits = head_splits(right);
  std::erase_if(splits, [](const HeadSplit& split) { return split.width == split.op.parts; });
  if (splits.empty()) return {};
  return {rewritten(right, first_step(splits), "", [&](Recipe& recipe) {
    for (const HeadSplit& split : splits) {
      const std::size_t width = split.width / split.op.parts;
      recipe.replace(split.step, Split{split.op.axis, split.op.inner, "head", width}, {split.whole});
    }
  })};
}

// Heads that share keys and values took turns: i mod kv_heads in place of ⌊i / group⌋.
Rewrites tiled_groups(const RightAttention& right) {
  std::vector<std::shared_ptr<const Instruction>> shared;
  for (const auto& line : right.instructions()) {
    const auto* repeat = std::get_if<Repeat>(&line->op);
    if (repeat && repeat->times > 1 && right.shape(line->operands[0].id).size(repeat->axis) > 1) shared.push_back(line);
  }
  if (shared.empty()) return {};
  return {rewritten(right, shared.front()->id(), "", [&](Recipe& recipe) {
    for (const auto& line : shared) {
      Repeat taking_turns = std::get<Repeat>(line->op);
      taking_turns.tiled = !taking_turns.tiled;
      recipe.replace(line->id(), taking_turns, line->operands);
    }
  })};
}

// The line that puts the heads side by side; null where there are not several.
const Instruction* joining(const RightAttention& right) {
  const Instruction* concat = right.find(right.at.concat);
  if (!concat || !std::holds_alternative<Merge>(concat->op) || head_count(right) < 2) return nullptr;
  const Shape context = right.shape(right.at.context);
  return context.has("head") && context.has("query") && context.has("d_v") ? concat : nullptr;
}

Rewrites merged_without_transpose(const RightAttention& right) {
  const std::size_t queries = size_along(right, right.at.context, "query");
  if (!joining(right) || queries < 2) return {};
  return {rewritten(right, right.at.concat, "", [&](Recipe& recipe) {
    recipe.insert_before(right.at.concat, in_between("~rows", Merge{"head", "query", "~row"}, {right.at.context}));
    recipe.insert_before(right.at.concat, in_between("~flat", Merge{"~row", "d_v", "~flat"}, {"~rows"}));
    recipe.replace(right.at.concat, Split{"~flat", "query", "d_concat", queries}, {"~flat"});
  })};
}

Rewrites summed(const RightAttention& right) {
  if (!joining(right)) return {};
  return {rewritten(right, right.at.concat, "", [&](Recipe& recipe) {
    recipe.replace(right.at.concat, Reduce{Reducer::sum, "head"}, {read_as(right.at.context, "d_v", "d_concat")});
    end_where_widths_differ(recipe, right.at);
  })};
}

Rewrites averaged(const RightAttention& right) {
  if (!joining(right)) return {};
  const auto heads = static_cast<double>(head_count(right));
  return {rewritten(right, right.at.concat, "", [&](Recipe& recipe) {
    recipe.insert_before(right.at.concat, in_between("~sum_of_heads", Reduce{Reducer::sum, "head"},
                                                     {read_as(right.at.context, "d_v", "d_concat")}));
    recipe.replace(right.at.concat, Map{Unary::divide, heads, ""}, {"~sum_of_heads"});
    end_where_widths_differ(recipe, right.at);
  })};
}

Rewrites reversed(const RightAttention& right) {
  if (!joining(right)) return {};
  const std::size_t heads = head_count(right);
  return {rewritten(right, right.at.concat, "", [&](Recipe& recipe) {
    Tensor<double> from(Shape{{"head", heads}, {"~from", heads}});
    for (std::size_t head = 0; head < heads; ++head) from[head * heads + heads - 1 - head] = 1;
    recipe.give("~from", std::move(from));
    // The mask leaves one head to be read for each, so that no other's infinities get in.
    recipe.insert_before(right.at.concat, in_between("~reversed", Contract{"~from"},
                                                     {read_as(right.at.context, "head", "~from"), "~from"}, "~from"));
    recipe.replace(right.at.concat, Merge{"head", "d_v", "d_concat"}, {"~reversed"});
  })};
}

const Contract* output_product(const RightAttention& right) {
  const Instruction* output = right.find(right.at.output);
  return output ? std::get_if<Contract>(&output->op) : nullptr;
}

Rewrites output_projection_forgotten(const RightAttention& right) {
  const Contract* product = output_product(right);
  if (!product) return {};
  return {rewritten(right, right.at.output, "", [&](Recipe& recipe) {
    recipe.replace(right.at.output, Copy{},
                   {read_as(right.find(right.at.output)->operands[0], product->over, "d_out")});
  })};
}

Rewrites output_projection_transposed(const RightAttention& right) {
  const Contract* product = output_product(right);
  if (!product) return {};
  std::vector<Operand> operands = right.find(right.at.output)->operands;
  const std::size_t width = size_along(right, operands[1].id, product->over);
  if (width < 2 || width != size_along(right, operands[1].id, "d_out")) return {};
  operands[1] = transposed(operands[1], product->over, "d_out");
  return {rewritten(right, right.at.output, "",
                    [&](Recipe& recipe) { recipe.replace(right.at.output, *product, std::move(operands)); })};
}

Rewrites scale_by_dmodel(const RightAttention& right) {
  const auto asked = asked_scale(right);
  const std::size_t width = input_width(right);
  if (!asked || asked->function != Unary::divide || head_count(right) < 2 || width == 0) return {};
  if (width == size_along(right, right.at.keys, "d_k")) return {};
  return {rewritten(right, right.at.scaled, "", [&](Recipe& recipe) {
    recipe.replace(right.at.scaled, divided_by_root(width), recipe.find(right.at.scaled)->operands);
  })};
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
void leave_whole(Recipe& recipe, std::size_t part, const std::vector<HeadSplit>& splits) {
  for (const HeadSplit& split : splits) {
    recipe.replace(split.step, Copy{}, {read_as(split.whole, split.op.axis, split.op.inner)});
  }
  for (std::size_t place = 0; place < recipe.size(); ++place) {
    const Instruction line = recipe.instruction(place);
    if (line.part != part) continue;
    if (const auto* merge = std::get_if<Merge>(&line.op); merge && merge->outer == "head") {
      recipe.replace(line.id(), Copy{}, {read_as(line.operands[0], merge->inner, merge->axis)});
    } else if (const auto* copy = std::get_if<Copy>(&line.op); copy && copy->along.has("head")) {
      recipe.replace(line.id(), Copy{without_heads(copy->along)}, line.operands, line.open);
    } else if (const auto* combine = std::get_if<Combine>(&line.op); combine && combine->along.has("head")) {
      recipe.replace(line.id(), Combine{combine->function, without_heads(combine->along)}, line.operands, line.open);
    }
  }
}

Rewrites one_big_head(const RightAttention& right) {
  const std::vector<HeadSplit> splits = head_splits(right);
  for (const std::string& step : {right.at.keys, right.at.queries, right.at.values}) {
    if (std::ranges::find(splits, step, &HeadSplit::step) == splits.end()) return {};
  }
  for (const std::string& step : {right.at.mask, right.at.bias}) {
    if (right.has(step) && is_about_heads(right, *right.find(step))) return {};
  }
  // Heads that share keys, and what is given a head, leave no one head to take all as.
  const bool has_parts = std::ranges::any_of(right.instructions(), [](const auto& line) {
    return std::holds_alternative<Repeat>(line->op) || (line->given && line->given->points.shape().has("head"));
  });
  if (has_parts) return {};
  const Rewrite made =
      rewritten(right, first_step(splits), "", [&](Recipe& recipe) { leave_whole(recipe, right.part, splits); });
  const auto asked = asked_scale(right);
  if (!asked || asked->function != Unary::divide) return {made};
  Rewrite rescaled = made;
  rescaled.variant = language().mistakes.by_own_width;
  rescaled.recipe.replace(right.at.scaled, divided_by_root(size_along(made.recipe, right.at.keys, "d_k")),
                          made.recipe.find(right.at.scaled)->operands);
  Rewrite as_asked = made;
  as_asked.variant = language().mistakes.by_head_width;
  return {std::move(rescaled), std::move(as_asked)};
}

}  // namespace

Family heads_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "heads",
      .title = said.heads,
      .mistakes =
          {
              {.id = "heads.output_projection_forgotten",
               .words = said.heads_output_projection_forgotten,
               .rewrites = output_projection_forgotten},
              {.id = "heads.output_projection_transposed",
               .words = said.heads_output_projection_transposed,
               .rewrites = output_projection_transposed},
              {.id = "heads.scale_by_dmodel", .words = said.heads_scale_by_dmodel, .rewrites = scale_by_dmodel},
              {.id = "heads.one_big_head", .words = said.heads_one_big_head, .rewrites = one_big_head},
              {.id = "heads.no_transpose", .words = said.heads_no_transpose, .rewrites = no_transpose},
              {.id = "heads.interleaved", .words = said.heads_interleaved, .rewrites = interleaved},
              {.id = "heads.merged_without_transpose",
               .words = said.heads_merged_without_transpose,
               .rewrites = merged_without_transpose},
              {.id = "heads.summed", .words = said.heads_summed, .rewrites = summed},
              {.id = "heads.averaged", .words = said.heads_averaged, .rewrites = averaged},
              {.id = "heads.tiled_groups", .words = said.heads_tiled_groups, .rewrites = tiled_groups},
              {.id = "heads.reversed", .words = said.heads_reversed, .rewrites = reversed},
          },
  };
}

}  // namespace attn
