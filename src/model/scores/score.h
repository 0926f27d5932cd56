#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem/choice.h"
#include "trace/recorder.h"

namespace attn {

// A way to compare every query with every key.
struct Score {
  // Its name in a problem file, a line about it, and the parameters it takes.
  ChoiceSpec spec = {};

  // Whether scores are divided by √d_k where the problem gives no `scale`
  // (Vaswani et al. 2017, section 3.2.1).
  bool divided_by_root_width = false;

  // Records the steps that lead from `queries` [batch?, head?, query, d_k] and
  // `keys` [batch?, head?, key, d_k] (d_q and d_k where widths may differ: each
  // has its own) to the step "scores" [batch?, head?, query, key], which is the
  // last. A tensor parameter p is given under the id "score.p"; a number is
  // choice.numbers.at("p").
  std::function<void(Recorder& work, const Choice& choice, const std::string& queries, const std::string& keys)>
      compose = {};
};

// Every score, in the order in which people are shown them: the rows that
// scores/CMakeLists.txt names.
const std::vector<Score>& scores();

// REQUIRES: there is a score of that name.
const Score& score_named(const std::string& name);

}  // namespace attn
