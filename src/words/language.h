#pragma once

#include "words/differences.h"
#include "words/mistakes.h"
#include "words/steps.h"
#include "words/telling.h"
#include "words/verdicts.h"

namespace attn {

// All that is said to people about steps, mistakes and checks, in one language. A
// second one is a second value of it: a sentence that it lacks does not compile.
struct Language {
  StepWords steps;
  TellingWords telling;
  MistakeWords mistakes;
  VerdictWords verdicts;
  DifferenceWords differences;
};

// The one that people are told in: English, the only one so far.
const Language& language();

}  // namespace attn
