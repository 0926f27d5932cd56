#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/key_difference.h"
#include "compare/side_by_side.h"

namespace attn {

// Numbers of another side that stand where a step of ours does, in its order.
struct TheirStep {
  std::string id;
  const Tensor<double>* value = nullptr;
  Tolerance tolerance;
};

// Another reading of the problem that gives the other side's numbers.
struct LikelyCause {
  std::string id;                        // of a mistake or a convention: "scale.none"
  std::size_t part = 0;                  // of the recipe: the attention that is read so
  std::string what;                      // "the scores were not scaled: …", for "It is as if …"
  std::string variant;                   // which of its readings, where there are several
  std::string step;                      // the first that differed, and agrees now
  std::vector<std::string> follow = {};  // those behind it that agree now, one after another
  std::string next = {};                 // the first that does not; empty where all do
  std::vector<std::string> also = {};    // ids that explain as much
};

// What explains, one on top of the other, why their steps are not those of the
// trace; empty where nothing known does. The steps that they have not are as
// they would be in each reading.
//
// Readings are tried until so much was worked out anew for them, which takes some
// five seconds and is the same on every machine: a product counts as 1, any other
// number as 16. `are_all_tried` says whether that was enough for all of them.
constexpr std::size_t most_work_for_readings = 5'000'000'000;
std::vector<LikelyCause> explanations(const Trace& trace, std::span<const TheirStep> theirs,
                                      bool* are_all_tried = nullptr, std::size_t most_work = most_work_for_readings);

// How the numbers of a step that differ on two sides belong together.
struct Relation {
  enum class Kind { multiple, exchanged_heads, other_step };
  Kind kind = Kind::multiple;
  double factor = 1;                    // multiple: the second is so many times the first
  std::vector<std::size_t> heads = {};  // exchanged_heads: which of the first's each of the second's is, from 0
  std::string step = {};                // other_step: the one of the trace whose numbers the second has
};

// Nothing where they do not belong together in any of these ways. `trace` may be null.
std::optional<Relation> relation(const StepPair& different, const Trace* trace);

// What was compared.
struct ComparedFile {
  enum class Kind { problem, trace, dump };
  std::string letter;  // "A" or "B"
  std::string file;
  Kind kind = Kind::problem;
  std::string dtype;
};

// Everything there is to say of two files.
struct DiffReport {
  ComparedFile first, second;  // the first is the one whose steps and order are used
  Closeness closeness;
  bool is_usual = true;  // not what somebody asked for
  SideBySide sides;
  std::vector<KeyDifference> keys;                   // of two problems
  std::vector<std::pair<std::string, bool>> inputs;  // what the first different step is made of, and whether it agrees
  std::optional<Relation> relation;                  // of the first different step
  std::vector<LikelyCause> explanations;
  bool is_rounding = false;    // all numbers that differ are as far apart as rounding leaves them
  bool could_explain = false;  // one side is a problem
  bool all_tried = true;       // and every mistake and convention was tried

  bool is_equal() const { return !sides.different; }

  // Whether a side was stored by we do not know whom.
  bool has_dump() const { return first.kind == ComparedFile::Kind::dump || second.kind == ComparedFile::Kind::dump; }

  // Whether no step is on both sides, or none that was asked for; that ours have different steps is a difference.
  bool compares_nothing() const {
    return sides.common.empty() || (!sides.has_common() && (has_dump() || sides.steps.empty()));
  }
};

// One of two things to be compared.
struct Subject {
  ComparedFile file;
  ComparedSide side;
  const Trace* trace = nullptr;  // of a problem
};

// Compares them, with `only` by those steps alone, and finds what explains the first
// difference. Where nobody asks for a closeness, it is the one that is usual for such two.
// The keys in which two problems differ are known to those who read them.
// REQUIRES: the first is a problem, or no worse known than the second; its side
// says what is what among its steps.
DiffReport compared(Subject first, const Subject& second, const std::optional<Closeness>& asked,
                    const std::vector<std::string>& only = {});

}  // namespace attn
