#include "compare/side_by_side.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "catch.h"
#include "compare/difference.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

using Verdict = StepPair::Verdict;

// A step of a trace, that has names for its axes.
SideStep own_step(const std::string& id, Shape shape, std::vector<double> numbers) {
  return {id, {id}, Tensor<double>(std::move(shape), std::move(numbers)), true};
}

// An array of a file of we do not know whom, which may be one of these steps.
SideStep stored_array(const std::string& name, std::vector<std::string> ids, Shape shape, std::vector<double> numbers) {
  return {name, std::move(ids), Tensor<double>(std::move(shape), std::move(numbers)), false};
}

const Shape two_by_two{{"query", 2}, {"key", 2}};
const Shape unnamed_two_by_two{{"1", 2}, {"2", 2}};

SideBySide beside(std::vector<SideStep> first, std::vector<SideStep> second, std::vector<Anatomy> attentions) {
  ComparedSide one{.steps = std::move(first), .attentions = std::move(attentions)};
  const ComparedSide other{.is_foreign = true, .steps = std::move(second)};
  return side_by_side(std::move(one), other, {.relative = 1e-9});
}

SideBySide beside(std::vector<SideStep> first, std::vector<SideStep> second, Anatomy attention = {}) {
  return beside(std::move(first), std::move(second), std::vector<Anatomy>{std::move(attention)});
}

// "scores differs, context same": what became of each step.
std::string verdicts_of(const SideBySide& sides) {
  const char* words[] = {"same", "differs", "other shape", "only first", "only second"};
  std::string all;
  for (const StepPair& pair : sides.steps) {
    all += (all.empty() ? "" : ", ") + pair.id + " " + words[static_cast<int>(pair.verdict)];
  }
  return all;
}

}  // namespace

TEST_CASE("of closed cells only those with a large negative number are read as closed", "[compare]") {
  const std::vector<double> expected = {1, -infinity, -infinity, 2};
  const auto with = [&](double second, double third) {
    return beside({own_step("masked_scores", two_by_two, expected)},
                  {stored_array("masked_scores", {"masked_scores"}, unnamed_two_by_two, {1, second, third, 2})});
  };
  CHECK(verdicts_of(with(-1e9, -1e9)) == "masked_scores same");
  const SideBySide open = with(-1e9, 0.5);
  CHECK(verdicts_of(open) == "masked_scores differs");
  CHECK(open.steps[0].second[1] == -infinity);
  CHECK(open.steps[0].second[2] == 0.5);
  CHECK(open.steps[0].differing == 1);
}

TEST_CASE("a large negative number closes cells that are open in ours where scores are masked", "[compare]") {
  Anatomy attention;
  attention.masked = "masked_scores";
  const auto read = [&](const std::string& id, double expected) {
    return beside({own_step(id, {{"key", 2}}, {expected, 1})}, {stored_array(id, {id}, {{"1", 2}}, {-1e9, 1})},
                  attention)
        .steps[0]
        .second[0];
  };
  CHECK(read("masked_scores", 2) == -infinity);
  CHECK(read("masked_scores", -1e9) == -1e9);
  CHECK(read("scores", 2) == -1e9);
}

TEST_CASE("of two files by others either may have a large negative number for minus infinity", "[compare]") {
  const auto dump = [](double closed) {
    return ComparedSide{.is_foreign = true, .steps = {stored_array("masked", {}, {{"1", 2}}, {closed, 1})}};
  };
  const SideBySide second = side_by_side(dump(-infinity), dump(-1e9), {}),
                   first = side_by_side(dump(-1e9), dump(-infinity), {});
  CHECK(verdicts_of(second) == "masked same");
  CHECK(verdicts_of(first) == "masked same");
  CHECK(second.steps[0].remarks == first.steps[0].first_remarks);
  CHECK_FALSE(first.steps[0].first_remarks.empty());
  CHECK(second.steps[0].first_remarks.empty());
  CHECK(first.steps[0].remarks.empty());
}

TEST_CASE("steps of two sides are asked for as the trace calls them, and as either side does, each once", "[compare]") {
  const ComparedSide first{.steps = {own_step("queries", {{"key", 2}}, {1, 2})}};
  const ComparedSide second{
      .is_foreign = true,
      .steps = {stored_array("my_q", {"queries"}, {{"1", 2}}, {1, 2}), stored_array("version", {}, {{"1", 1}}, {1})}};
  std::vector<std::string> names;
  for (const StepName& name : names_of_both(nullptr, first, second)) names.push_back(name.id);
  CHECK(names == std::vector<std::string>{"queries", "my_q", "version"});
}

TEST_CASE("a step of a coarser dtype than most is held to what that rounds", "[compare]") {
  SideStep scores = stored_array("scores", {"scores"}, {{"1", 2}}, {1.001, 2}),
           weights = stored_array("weights", {"weights"}, {{"1", 2}}, {1.001, 2});
  scores.dtype = "f16";
  weights.dtype = "f32";
  const ComparedSide other{.dtype = "f32", .is_foreign = true, .steps = {scores, weights}};
  const auto verdicts = [&](const Closeness& closeness) {
    ComparedSide ours{.steps = {own_step("scores", {{"key", 2}}, {1, 2}), own_step("weights", {{"key", 2}}, {1, 2})}};
    return verdicts_of(side_by_side(std::move(ours), other, closeness));
  };
  CHECK(verdicts(usual_closeness("f64", "f32")) == "scores same, weights differs");
  CHECK(verdicts({.relative = 1e-6}) == "scores differs, weights differs");
}

TEST_CASE("what is added to the scores may be stored once for all heads", "[compare]") {
  Anatomy attention;
  attention.bias = "score_bias";
  const Shape heads{{"head", 2}, {"query", 2}, {"key", 2}};
  const std::vector<double> once = {0, 1, 2, 3}, twice = {0, 1, 2, 3, 0, 1, 2, 3};
  const SideBySide same = beside({own_step("score_bias", heads, twice)},
                                 {stored_array("score_bias", {"score_bias"}, unnamed_two_by_two, once)}, attention);
  CHECK(verdicts_of(same) == "score_bias same");
  CHECK(same.steps[0].stored == "the same for every head");
  // Of no other step is that looked for.
  const std::vector<double> apart = {0, 1, 2, 3, 5, 5, 5, 5};
  const auto sides = [&](const std::string& id) {
    return verdicts_of(
        beside({own_step(id, heads, apart)}, {stored_array(id, {id}, unnamed_two_by_two, once)}, attention));
  };
  CHECK(sides("score_bias") == "score_bias differs");
  CHECK(sides("scores") == "scores other shape");
}

TEST_CASE("a mask may be stored once for all heads and queries of a sequence", "[compare]") {
  Anatomy attention;
  attention.mask = "mask";
  const Shape scores{{"batch", 2}, {"head", 1}, {"query", 2}, {"key", 2}};
  const auto mask = [&](std::vector<double> ours, std::vector<double> theirs) {
    return beside({own_step("mask", scores, std::move(ours))},
                  {stored_array("key_padding_mask", {"mask"}, unnamed_two_by_two, std::move(theirs))}, attention);
  };
  const SideBySide padding = mask({1, 0, 1, 0, 1, 1, 1, 1}, {1, 0, 1, 1});
  CHECK(verdicts_of(padding) == "mask same");
  CHECK(padding.steps[0].stored == "the same for every query");
  // Of as many sequences as queries, the one that agrees.
  CHECK(mask({1, 0, 1, 1, 1, 0, 1, 1}, {1, 0, 1, 1}).steps[0].stored == "the same for every batch");
}

TEST_CASE("numbers without names of axes are the mean of no heads", "[compare]") {
  ComparedSide first{.is_foreign = true,
                     .steps = {stored_array("weights", {"attention_weights"}, {{"1", 2}, {"2", 2}}, {1, 0, 0, 1})}};
  const ComparedSide second{.is_foreign = true,
                            .steps = {stored_array("weights", {"attention_weights"}, {{"1", 2}}, {0.5, 0.5})}};
  CHECK(verdicts_of(side_by_side(std::move(first), second, {})) == "attention_weights other shape");
}

TEST_CASE("weights of another size than those of a head are the mean of no heads", "[compare]") {
  const Shape heads{{"head", 2}, {"query", 1}, {"key", 2}};
  Anatomy attention;
  attention.weights = "attention_weights";
  const auto beside_weights = [&](const Shape& shape, std::vector<double> theirs) {
    return verdicts_of(beside({own_step("attention_weights", heads, {1, 0, 0, 1})},
                              {stored_array("weights", {"attention_weights"}, shape, std::move(theirs))}, attention));
  };
  CHECK(beside_weights({{"1", 1}, {"2", 2}}, {0.5, 0.5}) == "attention_weights same");
  CHECK(beside_weights({{"1", 1}, {"2", 3}}, {0.5, 0.5, 0}) == "attention_weights other shape");
}

TEST_CASE("a step that is stored twice under its own name is compared once", "[compare]") {
  const SideBySide sides = beside({own_step("scores", two_by_two, {1, 2, 3, 4})},
                                  {stored_array("scores", {"scores"}, unnamed_two_by_two, {1, 2, 3, 4}),
                                   stored_array("scores", {"scores"}, unnamed_two_by_two, {5, 6, 7, 8})});
  CHECK(verdicts_of(sides) == "scores same");
  CHECK(sides.unknown.empty());
  CHECK_FALSE(sides.different);
}

TEST_CASE("a name that may mean several steps means the one that it fits best", "[compare]") {
  const Shape wide{{"query", 2}, {"d_v", 3}};
  const SideStep context = own_step("context", wide, {1, 2, 3, 4, 5, 6});
  const SideStep output = own_step("output", two_by_two, {1, 2, 3, 4});
  // Of other numbers than either has: of the shape of the second.
  const std::vector<std::string> either = {"context", "output"};
  CHECK(verdicts_of(beside({context, output}, {stored_array("out", either, unnamed_two_by_two, {9, 8, 7, 6})})) ==
        "context only first, output differs");
  // Where the other has its name already, a shape that fits neither is no step.
  const SideBySide taken =
      beside({context, output}, {stored_array("context", {"context"}, {{"1", 2}, {"2", 3}}, {1, 2, 3, 4, 5, 6}),
                                 stored_array("out", either, {{"1", 5}}, {1, 2, 3, 4, 5})});
  CHECK(verdicts_of(taken) == "context same, output only first");
  CHECK(taken.unknown == std::vector<std::string>{"out"});
}

TEST_CASE("of two steps that a name may mean and that differ the one stored as it stands is meant", "[compare]") {
  const Shape tall{{"query", 3}, {"d_v", 2}}, wide{{"query", 2}, {"d_v", 3}};
  const SideStep first = own_step("context", tall, {1, 2, 3, 4, 5, 6});
  const SideStep second = own_step("output", wide, {1, 2, 3, 4, 5, 6});
  const std::vector<double> others = {9, 8, 7, 6, 5, 4};
  const auto named = [&](std::vector<std::string> ids) {
    return verdicts_of(beside({first, second}, {stored_array("out", std::move(ids), {{"1", 2}, {"2", 3}}, others)}));
  };
  CHECK(named({"context", "output"}) == "context only first, output differs");
  CHECK(named({"output", "context"}) == "context only first, output differs");
  // Where both are as they stand, the likelier.
  const SideStep third = own_step("context", wide, {6, 5, 4, 3, 2, 1});
  CHECK(verdicts_of(beside({third, second}, {stored_array("out", {"context", "output"}, {{"1", 2}, {"2", 3}},
                                                          others)})) == "context differs, output only first");
}

TEST_CASE("of two files by others all names are compared and those of one alone are told", "[compare]") {
  ComparedSide first{.is_foreign = true,
                     .steps = {stored_array("q", {"queries"}, unnamed_two_by_two, {1, 2, 3, 4}),
                               stored_array("query", {"queries"}, unnamed_two_by_two, {5, 6, 7, 8})}};
  const ComparedSide second{
      .is_foreign = true,
      .steps = {stored_array("q_proj", {"queries"}, unnamed_two_by_two, {1, 2, 3, 4}),
                stored_array("attn", {"attention_weights", "context"}, unnamed_two_by_two, {1, 0, 0, 1}),
                stored_array("mine", {}, unnamed_two_by_two, {1, 0, 0, 1})}};
  const SideBySide sides = side_by_side(std::move(first), second, {});
  // The second array that may be the queries is called as its file calls it.
  CHECK(verdicts_of(sides) == "queries same, attention_weights only second, mine only second, query only first");
  const auto told = std::ranges::find(sides.steps, "attention_weights", &StepPair::id);
  CHECK(told->name == "attn");
  CHECK(std::ranges::find(sides.steps, "mine", &StepPair::id)->name.empty());
  CHECK_FALSE(sides.different);
}

TEST_CASE("what both sides call by one name is compared whatever else either may mean by it", "[compare]") {
  const std::vector<double> one = {1, 2, 3, 4}, other = {5, 6, 7, 8};
  // The steps of a block, in a dump that calls them by their ids.
  const std::vector<SideStep> block = {own_step("queries", two_by_two, one),
                                       own_step("layer1.self.queries", two_by_two, other)};
  const auto dumped = [&](const std::vector<double>& numbers) {
    return verdicts_of(beside(block, {stored_array("layer1.self.queries", {"queries"}, unnamed_two_by_two, numbers)}));
  };
  CHECK(dumped(other) == "queries only first, layer1.self.queries same");
  CHECK(dumped(one) == "queries only first, layer1.self.queries differs");

  // Two files by others.
  const auto array = [&](const std::string& name, const std::vector<double>& numbers) {
    return stored_array(name, {"queries"}, unnamed_two_by_two, numbers);
  };
  const auto dumps = [](std::vector<SideStep> first, std::vector<SideStep> second) {
    ComparedSide ours{.is_foreign = true, .steps = std::move(first)};
    return verdicts_of(side_by_side(std::move(ours), {.is_foreign = true, .steps = std::move(second)}, {}));
  };
  CHECK(dumps({array("q", one), array("queries", other)}, {array("q", one), array("queries", other)}) ==
        "q same, queries same");
  CHECK(dumps({array("q", one), array("queries", other)}, {array("queries", one)}) == "q only first, queries differs");
  CHECK(dumps({array("q", one)}, {array("queries", other), array("q", one)}) == "queries only second, q same");
  CHECK(dumps({array("1.q", one), array("2.q", one)}, {array("2.q", other), array("1.q", one)}) ==
        "1.q same, 2.q differs");
  CHECK(dumps({array("q", one)}, {array("my_q", other), array("queries", other), array("q", one)}) ==
        "my_q only second, queries only second, q same");
}

TEST_CASE("a mask with ones exchanged is believed for a step that it made and not for what is made of it alone",
          "[compare]") {
  Anatomy attention;
  attention.mask = "mask";
  attention.bias = "score_bias";
  attention.masked = "masked_scores";
  attention.concat = "concatenated_heads";
  const std::vector<double> open = {1, 0, 1, 1}, exchanged = {0, 1, 0, 0}, bias = {0, 1, 2, 3};
  const auto sides = [&](const std::string& beside_it, const std::vector<double>& numbers) {
    return beside({own_step("mask", two_by_two, open), own_step(beside_it, two_by_two, bias)},
                  {stored_array("mask", {"mask"}, unnamed_two_by_two, exchanged),
                   stored_array(beside_it, {beside_it}, unnamed_two_by_two, numbers)},
                  attention);
  };
  CHECK(verdicts_of(sides("masked_scores", bias)) == "mask same, masked_scores same");
  CHECK(verdicts_of(sides("masked_scores", {9, 8, 7, 6})) == "mask differs, masked_scores differs");
  CHECK(verdicts_of(sides("concatenated_heads", bias)) == "mask same, concatenated_heads same");
  CHECK(verdicts_of(sides("score_bias", bias)) == "mask differs, score_bias same");
  // Behind the mask, and made without it.
  CHECK(verdicts_of(sides("relative_values", bias)) == "mask differs, relative_values same");
}

TEST_CASE("what follows in a block from a mask with ones exchanged is what its own stack makes of it", "[compare]") {
  const auto attention = [](const std::string& prefix) {
    Anatomy made;
    made.mask = prefix + "mask";
    return made;
  };
  const std::vector<double> open = {1, 0, 1, 1}, exchanged = {0, 1, 0, 0}, numbers = {0, 1, 2, 3};
  const auto sides = [&](const std::string& prefix, const std::string& behind) {
    const std::string mask = prefix + "mask";
    return verdicts_of(
        beside({own_step(mask, two_by_two, open), own_step(behind, two_by_two, numbers)},
               {stored_array(mask, {mask}, unnamed_two_by_two, exchanged),
                stored_array(behind, {behind}, unnamed_two_by_two, numbers)},
               {attention("encoder.layer1.self."), attention("layer1.self."), attention("layer1.cross.")}));
  };
  CHECK(sides("layer1.self.", "layer1.ffn.output") == "layer1.self.mask same, layer1.ffn.output same");
  CHECK(sides("layer1.self.", "layer1.cross.keys") == "layer1.self.mask differs, layer1.cross.keys same");
  CHECK(sides("encoder.layer1.self.", "inputs") == "encoder.layer1.self.mask differs, inputs same");
}

TEST_CASE("a mask that is added to the scores is read so where it closes other cells, too", "[compare]") {
  Anatomy attention;
  attention.mask = "mask";
  for (const double closed : {-infinity, -1e9}) {
    const SideBySide sides =
        beside({own_step("mask", two_by_two, {1, 0, 1, 1})},
               {stored_array("attn_mask", {"mask"}, unnamed_two_by_two, {0, closed, closed, 0})}, attention);
    CHECK(verdicts_of(sides) == "mask differs");
    CHECK(sides.steps[0].differing == 1);
    CHECK(sides.steps[0].second[2] == 0);
  }
}

TEST_CASE("axes in another order are doubted behind a difference unless a step before it has them so", "[compare]") {
  const std::vector<double> numbers = {1, 2, 3, 4}, turned = {1, 3, 2, 4}, others = {9, 8, 7, 6};
  const std::vector<SideStep> expected = {own_step("queries", two_by_two, numbers),
                                          own_step("keys", two_by_two, numbers),
                                          own_step("values", two_by_two, numbers)};
  const auto sides = [&](const std::vector<double>& queries, const std::vector<double>& values) {
    return beside(expected, {stored_array("my_q", {"queries"}, unnamed_two_by_two, queries),
                             stored_array("my_k", {"keys"}, unnamed_two_by_two, others),
                             stored_array("my_v", {"values"}, unnamed_two_by_two, values)});
  };
  CHECK(verdicts_of(sides(numbers, turned)) == "queries same, keys differs, values differs");
  CHECK(verdicts_of(sides(turned, turned)) == "queries same, keys differs, values same");
  CHECK(sides(turned, turned).steps[2].stored == "[key, query]");

  // Where a file names its axes, they are in its order, whatever the numbers are.
  const Shape other_order{{"key", 2}, {"query", 2}};
  const SideBySide named = beside({own_step("keys", two_by_two, numbers), own_step("values", two_by_two, numbers)},
                                  {{"keys", {"keys"}, Tensor<double>(other_order, others), true},
                                   {"values", {"values"}, Tensor<double>(other_order, others), true}});
  CHECK(verdicts_of(named) == "keys differs, values differs");
}

TEST_CASE("how numbers differ is told only of numbers that can tell it", "[compare]") {
  const auto of = [](const Shape& shape, std::vector<double> first, std::vector<double> second) {
    StepPair pair{.verdict = Verdict::differs, .id = "scores"};
    pair.first = Tensor<double>(shape, std::move(first));
    pair.second = Tensor<double>(shape, std::move(second));
    return relation(pair, nullptr);
  };
  const auto twice = of(two_by_two, {1, 2, 3, 4}, {2, 4, 6, 8});
  REQUIRE(twice);
  CHECK(twice->kind == Relation::Kind::multiple);
  CHECK(twice->factor == 2);
  CHECK_FALSE(of(two_by_two, {0, 0, -infinity, 0}, {1, 2, 3, 4}));  // nothing to take a multiple of
  CHECK_FALSE(of(two_by_two, {3, 3, 3, 3}, {6, 6, 6, 6}));          // alike numbers are multiples of any

  const Shape heads{{"head", 2}, {"query", 1}, {"key", 2}};
  const auto exchanged = of(heads, {1, 2, 3, 4}, {3, 4, 1, 2});
  REQUIRE(exchanged);
  CHECK(exchanged->kind == Relation::Kind::exchanged_heads);
  CHECK(exchanged->heads == std::vector<std::size_t>{1, 0});
  // Heads in their order that differ in their last bits are not exchanged.
  const double last_bits = 1 + 1e-12;
  const auto in_order = of(heads, {1, 2, 3, 4}, {last_bits, 2 * last_bits, 3 * last_bits, 4 * last_bits});
  REQUIRE(in_order);
  CHECK(in_order->kind == Relation::Kind::multiple);
  CHECK(in_order->factor == Approx(last_bits).epsilon(1e-15));
}

TEST_CASE("orders of axes are tried until they are more numbers than anybody waits for", "[compare]") {
  const std::size_t size = 50'000;
  // Of six axes there are 720 orders, and in each all numbers agree but the last.
  Shape ours{{"query", size}, {"key", 32}};
  Shape theirs{{"1", size}, {"2", 2}, {"3", 2}, {"4", 2}, {"5", 2}, {"6", 2}};
  std::vector<double> numbers(size * 32, 0.0);
  const SideStep own = own_step("scores", ours, numbers);
  numbers.back() = 1;
  const SideBySide wrong = beside({own}, {stored_array("scores", {"scores"}, theirs, numbers)});
  CHECK(verdicts_of(wrong) == "scores differs");
  CHECK(wrong.steps[0].orders_left);
  CHECK(wrong.steps[0].differing == 1);
  // The same of a mean of heads.
  Anatomy attention;
  attention.weights = "attention_weights";
  const SideStep of_heads = own_step("attention_weights", {{"head", 2}, {"query", size}, {"key", 32}},
                                     std::vector<double>(2 * numbers.size(), 0.0));
  const SideBySide mean = beside({of_heads}, {stored_array("attn", {"attention_weights"}, theirs, numbers)}, attention);
  CHECK(verdicts_of(mean) == "attention_weights other shape");
  CHECK(mean.steps[0].orders_left);
  // All orders of few numbers are tried.
  const std::vector<double> few(64, 0.0);
  std::vector<double> other = few;
  other.back() = 1;
  const SideBySide small =
      beside({own_step("scores", {{"query", 2}, {"key", 32}}, few)},
             {stored_array("scores", {"scores"}, {{"1", 2}, {"2", 2}, {"3", 2}, {"4", 2}, {"5", 2}, {"6", 2}}, other)});
  CHECK(verdicts_of(small) == "scores differs");
  CHECK_FALSE(small.steps[0].orders_left);
}

TEST_CASE("what cannot be read is not compared, and no step of one side alone", "[compare]") {
  const SideStep scores = own_step("scores", two_by_two, {1, 2, 3, 4});
  ComparedSide theirs{.is_foreign = true, .steps = {scores}, .unread = {{"version", "holds texts"}}};
  const SideBySide sides = side_by_side(ComparedSide{.steps = {scores}}, theirs, {});
  CHECK(verdicts_of(sides) == "scores same");
  CHECK(sides.unknown.empty());
  CHECK(sides.second_unread.front().name == "version");
  // The other side has it, and can be read.
  const SideStep version = stored_array("version", {}, {{"1", 1}}, {1});
  for (const bool is_foreign : {true, false}) {
    const SideBySide of_first =
        side_by_side(ComparedSide{.is_foreign = is_foreign, .steps = {scores, version}}, theirs, {});
    CHECK(verdicts_of(of_first) == "scores same");
    CHECK_FALSE(of_first.different);
    ComparedSide ours{.is_foreign = is_foreign, .steps = {scores}, .unread = theirs.unread};
    const SideBySide of_second = side_by_side(std::move(ours), {.is_foreign = true, .steps = {scores, version}}, {});
    CHECK(verdicts_of(of_second) == "scores same");
    CHECK(of_second.unknown.empty());
    CHECK(of_second.first_unread.front().why == "holds texts");
    CHECK_FALSE(of_second.different);
  }
}

TEST_CASE("how far numbers are apart is told of the first cell that is as far, and relative to none that is 0",
          "[compare]") {
  const SideBySide sides = beside({own_step("scores", two_by_two, {0, 2, 4, 5})},
                                  {stored_array("scores", {"scores"}, unnamed_two_by_two, {1, 3, 5, 5 + 1e-12})});
  const StepPair& pair = sides.steps.at(0);
  CHECK(pair.verdict == Verdict::differs);
  CHECK(pair.differing == 3);  // the fourth is as near as was asked for
  CHECK_FALSE(pair.same_bits);
  REQUIRE((pair.absolute && pair.relative));
  CHECK(pair.absolute->index == std::vector<std::size_t>{0, 0});
  CHECK(pair.absolute->apart == 1);
  CHECK(pair.relative->index == std::vector<std::size_t>{0, 1});
  CHECK(pair.relative->apart == 0.5);
}

TEST_CASE("steps are asked for by what either side calls them, and nothing else is told", "[compare]") {
  ComparedSide first{.steps = {own_step("queries", two_by_two, {1, 2, 3, 4}),
                               own_step("keys", two_by_two, {1, 2, 3, 4}),
                               own_step("values", two_by_two, {1, 2, 3, 4})}};
  const ComparedSide second{.is_foreign = true,
                            .steps = {stored_array("my_q", {"queries"}, unnamed_two_by_two, {1, 2, 3, 4}),
                                      stored_array("my_k", {"keys"}, unnamed_two_by_two, {1, 2, 3, 9}),
                                      stored_array("mine", {}, unnamed_two_by_two, {5, 5, 5, 5})}};
  const auto asked = [&](const std::vector<std::string>& only) {
    return side_by_side(ComparedSide(first), second, {.relative = 1e-9}, only);
  };
  CHECK(verdicts_of(asked({"my_q"})) == "queries same");
  CHECK(asked({"my_q"}).unknown.empty());
  CHECK_FALSE(asked({"my_q"}).different);
  CHECK(verdicts_of(asked({"keys"})) == "keys differs");
  CHECK(asked({"mine"}).unknown == std::vector<std::string>{"mine"});
  // What both have is known whatever was asked for; the values are on one side alone.
  CHECK(asked({"my_q"}).common == std::vector<std::string>{"queries", "keys"});
}

TEST_CASE("a step of one side alone is a difference of two files of ours and none of what others store", "[compare]") {
  const SideStep queries = own_step("queries", two_by_two, {1, 2, 3, 4});
  const SideStep keys = own_step("keys", two_by_two, {1, 2, 3, 4});
  for (const bool is_foreign : {false, true}) {
    const ComparedSide second{.is_foreign = is_foreign, .steps = {queries}};
    const SideBySide sides = side_by_side(ComparedSide{.steps = {queries, keys}}, second, {});
    CHECK(verdicts_of(sides) == "queries same, keys only first");
    CHECK(sides.different == (is_foreign ? std::nullopt : std::optional<std::size_t>(1)));
  }
}

TEST_CASE("of a mask with ones exchanged that nothing bears out every cell differs", "[compare]") {
  Anatomy attention;
  attention.mask = "mask";
  const SideBySide sides = beside({own_step("mask", two_by_two, {1, 0, 1, 1})},
                                  {stored_array("mask", {"mask"}, unnamed_two_by_two, {0, 1, 0, 0})}, attention);
  const StepPair& mask = sides.steps.at(0);
  CHECK(mask.verdict == Verdict::differs);
  CHECK(mask.differing == 4);
  CHECK_FALSE(mask.same_bits);
  CHECK(mask.second[0] == 0);
  CHECK(mask.second[1] == 1);
  REQUIRE(mask.absolute);
  CHECK(mask.absolute->index == std::vector<std::size_t>{0, 0});
  CHECK(mask.absolute->first == 1);
  CHECK(mask.absolute->second == 0);
  CHECK(sides.different == std::optional<std::size_t>(0));
}

TEST_CASE("a step left in our order may be the first that differs", "[compare]") {
  const std::vector<double> numbers = {1, 2, 3, 4}, turned = {1, 3, 2, 4}, others = {9, 8, 7, 6};
  SideBySide sides = beside({own_step("queries", two_by_two, numbers), own_step("keys", two_by_two, numbers)},
                            {stored_array("my_q", {"queries"}, unnamed_two_by_two, turned),
                             stored_array("my_k", {"keys"}, unnamed_two_by_two, others)});
  CHECK(verdicts_of(sides) == "queries same, keys differs");
  CHECK(sides.different == std::optional<std::size_t>(1));
  const SideBySide unturned = left_unturned(std::move(sides));
  CHECK(verdicts_of(unturned) == "queries differs, keys differs");
  CHECK(unturned.different == std::optional<std::size_t>(0));
  CHECK(unturned.steps[0].differing == 2);
}

TEST_CASE("a multiple is taken at the largest number, and none is 0 times another", "[compare]") {
  const auto of = [](std::vector<double> first, std::vector<double> second, double absolute) {
    StepPair pair{.verdict = Verdict::differs, .id = "scores", .tolerance = {.absolute = absolute}};
    pair.first = Tensor<double>(two_by_two, std::move(first));
    pair.second = Tensor<double>(two_by_two, std::move(second));
    return relation(pair, nullptr);
  };
  // 0.001 may be off by as much as itself.
  const auto twice = of({0.001, 1, 10, 1000}, {0.0025, 2, 20, 2000}, 0.001);
  REQUIRE(twice);
  CHECK(twice->factor == 2);
  CHECK_FALSE(of({1, 2, 3, 4}, {0, 0, 0, 0}, 0));
  // What may be off is multiplied, too: also where the sign is another.
  const auto negative = of({1, 2, 3, 1000}, {-2.0015, -4, -6, -2000}, 0.001);
  REQUIRE(negative);
  CHECK(negative->factor == -2);
}

TEST_CASE("what is called by the id of a step stands for it before what may mean it", "[compare]") {
  const ComparedSide first{.is_foreign = true, .steps = {stored_array("q", {"queries"}, {{"1", 2}}, {1, 2})}};
  for (const bool is_behind : {false, true}) {
    ComparedSide second{.is_foreign = true,
                        .steps = {stored_array("queries", {"queries"}, {{"1", 2}}, {1, 2}),
                                  stored_array("my_q", {"queries"}, {{"1", 2}}, {3, 4})}};
    if (is_behind) std::swap(second.steps[0], second.steps[1]);
    const SideBySide sides = side_by_side(first, second, {});
    const auto queries = std::ranges::find(sides.steps, std::string("queries"), &StepPair::id);
    REQUIRE(queries != sides.steps.end());
    CHECK(queries->verdict == Verdict::same);
    CHECK(queries->second_name == "queries");
  }
}

TEST_CASE("heads that differ in one number are told apart by it", "[compare]") {
  const Shape heads{{"head", 2}, {"query", 1}, {"key", 2}};
  for (const std::size_t at : {0, 1}) {
    StepPair pair{.verdict = Verdict::differs, .id = "scores"};
    pair.first = Tensor<double>(heads, {2, 2, 2, 2});
    pair.second = pair.first;
    pair.first[2 + at] = pair.second[at] = 5;
    const auto found = relation(pair, nullptr);
    REQUIRE(found);
    CHECK(found->heads == std::vector<std::size_t>{1, 0});
  }
}

TEST_CASE("of equal heads each stands for one", "[compare]") {
  const Shape heads{{"head", 3}, {"query", 1}, {"key", 2}};
  StepPair pair{.verdict = Verdict::differs, .id = "scores"};
  pair.first = Tensor<double>(heads, {1, 2, 1, 2, 3, 4});
  pair.second = Tensor<double>(heads, {3, 4, 1, 2, 1, 2});
  const auto found = relation(pair, nullptr);
  REQUIRE(found);
  CHECK(found->heads == std::vector<std::size_t>{2, 0, 1});
  pair.second = Tensor<double>(heads, {3, 4, 3, 4, 1, 2});
  CHECK_FALSE(relation(pair, nullptr));
}

TEST_CASE("a mask that is added to the scores may hold other numbers than closed and open", "[compare]") {
  Anatomy attention;
  attention.mask = "mask";
  const SideBySide sides =
      beside({own_step("mask", two_by_two, {1, 0, 1, 1})},
             {stored_array("attn_mask", {"mask"}, unnamed_two_by_two, {0, -1e9, -0.5, 0})}, attention);
  CHECK(verdicts_of(sides) == "mask differs");
}

TEST_CASE("the mean of heads is a mean", "[compare]") {
  const Shape heads{{"head", 2}, {"query", 2}, {"key", 2}};
  Anatomy attention;
  attention.weights = "attention_weights";
  const auto beside_weights = [&](std::vector<double> theirs) {
    return verdicts_of(beside({own_step("attention_weights", heads, {1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75})},
                              {stored_array("weights", {"attention_weights"}, unnamed_two_by_two, std::move(theirs))},
                              attention));
  };
  CHECK(beside_weights({0.5, 0.5, 0.375, 0.625}) == "attention_weights same");
  CHECK(beside_weights({1, 1, 0.75, 1.25}) == "attention_weights other shape");
}
