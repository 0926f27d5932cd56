#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mistakes/right_attention.h"
#include "words/mistakes.h"

namespace attn {

// What a known way of going astray makes of a computation.
struct Rewrite {
  std::string step;     // id of the step at which it was made
  std::string variant;  // which reading of the mistake, where there are several; "" where there is one
  Recipe recipe;
};

enum class MistakeKind { error, convention, note };

// "error", as programs read it.
constexpr std::string_view name(MistakeKind kind) {
  constexpr std::string_view names[] = {"error", "convention", "note"};
  return names[static_cast<std::size_t>(kind)];
}

// A row of the catalogue: something people are known to do instead of what the
// problem asks for.
struct Mistake {
  std::string id;  // "scale.none"
  MistakeKind kind = MistakeKind::error;
  OneMistake words;

  // Every way to make it in this computation; none where it cannot be made in
  // it, or would change no instruction. Empty for what is no rewrite of the
  // computation: slips of one cell, layouts, roundings.
  std::function<std::vector<Rewrite>(const RightAttention& right)> rewrites = {};
};

// Mistakes of one kind, the most common first.
struct Family {
  std::string name;   // "scale": what the ids begin with
  std::string title;  // "Scale", for a heading
  std::vector<Mistake> mistakes;
};

// Every known family: the rows that mistakes/CMakeLists.txt names.
const std::vector<Family>& families();

// The mistake of that id; null where none is called so.
const Mistake* mistake_named(std::string_view id);

}  // namespace attn
