#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/recipe.h"

// What a problem cannot show: mistakes that change none of its numbers, and mistakes that
// give the same ones, so that nobody who marks it can say which was made.

namespace attn {

// How much a person hands in: every step, or the result alone.
enum class SeenFrom { all, result };

// "all", as programs read it.
constexpr std::string_view name(SeenFrom from) { return from == SeenFrom::all ? "all" : "result"; }

// A mistake that makes no difference in what is handed in.
struct Invisible {
  std::string mistake;  // id in the catalogue
  SeenFrom from = SeenFrom::all;
  std::vector<std::string> variants;  // the readings of it that are meant; empty where all are
  bool by_sizes = false;              // no other numbers of the same sizes would show it
};

// Mistakes that give the same numbers, in the order of the catalogue.
struct Alike {
  std::vector<std::string> mistakes;
  SeenFrom from = SeenFrom::all;
  bool by_sizes = false;  // no other numbers of the same sizes would tell them apart
};

struct Lint {
  std::vector<Invisible> invisible;
  std::vector<Alike> alike;

  bool is_silent() const { return invisible.empty() && alike.empty(); }

  // The findings that other numbers might do away with.
  std::size_t by_numbers() const;
};

// When two numbers count as the same: where both are written alike with so many decimals
// or, with a `least`, where they are less than that apart.
struct Likeness {
  int digits = 2;
  double least = 0;
};

// Looks for such mistakes in problems of one kind. What no numbers whatever tell apart, as
// ÷d_k and ÷√d_k taken twice, is no fault of a problem: the same computation on other
// widths and on numbers drawn at random shows what that is, once for all of its kind.
class Linter {
 public:
  // REQUIRES: the recipe fits.
  explicit Linter(const Recipe& kind);

  // REQUIRES: the recipe of a problem of that kind: the same lines and shapes. Of the
  // catalogue those mistakes count that are rewrites of a computation and errors: no slips,
  // conventions, or ways to round.
  Lint lint(const Recipe& recipe, const Likeness& likeness) const;

  // About how many bytes one look takes: every mistake that can be made is worked out.
  static std::size_t bytes(const Recipe& recipe);

  // And about how many lines of a recipe it reads; of more than `most` they are not counted to the end.
  static std::size_t lines(const Recipe& recipe, std::size_t most);

  // What no numbers of these sizes show or tell apart, and numbers of other sizes do.
  const Lint& of_sizes() const;

 private:
  struct Known;
  std::shared_ptr<const Known> known_;
};

}  // namespace attn
