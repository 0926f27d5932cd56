#include "words/language.h"

#include <type_traits>

#include "catch.h"
#include "words/english/english.h"

namespace attn {
namespace {

// What a second language would look like that lacks a sentence, or all of a room.
template <class Words>
concept compiles_without_example = requires {
  Words{.what = "what", .hint = "hint"};
};
template <class Words>
concept compiles_in_full = requires {
  Words{.what = "what", .hint = "hint", .example = "example"};
};
template <class Words>
concept compiles_without_mistakes = requires {
  Words{.steps = english_steps,
        .telling = english_telling,
        .verdicts = english_verdicts,
        .differences = english_differences};
};

template <class Words>
constexpr bool must_be_said = std::is_aggregate_v<Words> && !std::is_default_constructible_v<Words>;

static_assert(compiles_in_full<OneMistake> && !compiles_without_example<OneMistake>);
static_assert(!compiles_without_mistakes<Language>);
static_assert(!std::is_default_constructible_v<Said> && !std::is_default_constructible_v<Saying<int>>);
static_assert(must_be_said<StepWords> && must_be_said<TellingWords> && must_be_said<MistakeWords> &&
              must_be_said<VerdictWords> && must_be_said<DifferenceWords>);

TEST_CASE("a language says sentences about what they are told", "[words]") {
  CHECK(language().steps.inputs("") == "Inputs");
  CHECK(language().steps.inputs("query") == "Inputs that the queries are made from");
  CHECK(language().telling.no(2, 3, language().telling.row) == "no: not in 2 of 3 rows");
  CHECK(language().verdicts.so_many(3, 3, true) == "all 3");
  CHECK(language().verdicts.row_again(2, 1, false) == "row 2 is row 1 again");
  CHECK(language().verdicts.row_again(2, 1, true) == "column 2 is column 1 again");
  CHECK(language().steps.first_vectors(3) == "the first 3 vectors of {0}");
  CHECK(language().differences.other_step("A", "B", "scores") == "The numbers of B are those of A's scores.");
}

}  // namespace
}  // namespace attn
