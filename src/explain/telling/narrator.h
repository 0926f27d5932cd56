#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/arithmetic/lines.h"
#include "explain/arithmetic/symbols.h"
#include "explain/document.h"
#include "explain/numerals.h"
#include "explain/telling/matrices.h"
#include "explain/telling/steps.h"
#include "trace/trace.h"

namespace attn {

// Tells computed steps one after another and appends them to a document.
//
// A step by itself is told row by row. Consecutive steps that carry the axis
// "query" are told query by query, as a person works them out, and their
// matrices follow. Both follow from the axes of the steps and their ops: a
// step that nobody here has heard of is told as well as any other.
class Narrator {
 public:
  // REQUIRES: all outlive the narrator.
  Narrator(const Trace& trace, const ExplainOptions& options, Level level, const Numerals& numerals,
           Document& document);

  // All of these steps; those whose numbers the problem gives are left out.
  void tell(std::span<const Step* const> steps);

  // The matrices of one step, at every place.
  void tell_matrices(const Step& step);

  // Notes on what the problem states.
  void tell_notes_on_givens();

  // Notes that no step told so far has shown.
  std::vector<const Note*> untold() const;

 private:
  void tell_alone(const Step& step);
  void say_what_a_product_is(const Step& step);
  void tell_rows(const Step& step, const Place& place);
  void tell_by_query(std::span<const Step* const> run);
  std::string where_words(const Step& step, const Place& place) const;
  void tell_query(std::span<const Step* const> run, const Place& place);
  void tell_together(std::span<const Step* const> run, const Place& place);

  void add(Block block) { document_.blocks.push_back(std::move(block)); }
  void add_matrices(const Step& step, const Place& place, const std::function<void(Matrix&)>& adapt);
  void add_notes(const Step& step, const Place& place);
  void say_left_out(std::size_t count, const std::string& what, const std::string& how);
  void say_padded(std::size_t count, const Axis& axis);
  std::vector<Place> places_of(const Step& step) const;
  std::vector<std::size_t> rows_of(const Dim& dim, const std::vector<std::string>& labels, const Place& place,
                                   std::size_t& padded) const;
  std::optional<std::size_t> only_query() const;
  std::size_t most(std::size_t most, std::size_t of) const { return options_.full || of <= most ? of : most; }

  const Trace& trace_;
  const ExplainOptions& options_;
  Level level_;
  Document& document_;
  Lines lines_;
  MatrixMaker matrices_;
  std::vector<bool> told_;                                    // of the trace's notes
  std::map<std::string, std::vector<std::size_t>> notes_of_;  // a step, by their index in the trace
  bool said_product_ = false;
};

}  // namespace attn
