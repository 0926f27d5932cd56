#include "model/computation.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "backend/cpu/cpu.h"
#include "catch.h"
#include "model/forward.h"
#include "model/online.h"
#include "model/positions/position.h"
#include "unit/model/attentions.h"

namespace attn {
namespace {

constexpr std::size_t any_bytes = std::size_t{1} << 30;

const std::string three_tokens = R"({"inputs": [[1, 0, 2], [0, 1, 1], [1, 1, 0]])";

std::vector<std::string> ids_of(const Trace& trace) {
  std::vector<std::string> ids;
  for (const Step& step : trace.steps) ids.push_back(step.heading.id);
  return ids;
}

// Vectors of one number each, which nobody ever makes.
Problem never_made(std::size_t queries, std::size_t keys) {
  const auto tensor = [](const Axis& rows, const Axis& columns, std::size_t count) {
    return Source(Shape{{rows, count}, {columns, 1}},
                  []() -> std::vector<double> { throw std::logic_error("these numbers have no room"); });
  };
  Problem problem;
  problem.attention().queries = tensor("query", "d_k", queries);
  problem.attention().keys = tensor("key", "d_k", keys);
  problem.attention().values = tensor("key", "d_v", keys);
  problem.attention().query_count = queries;
  problem.attention().key_count = keys;
  problem.attention().key_width = problem.attention().value_width = 1;
  problem.attention().score = {.name = "dot"};
  return problem;
}

TEST_CASE("bytes that no size holds are as many as there can be, and refused", "[model]") {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const Problem long_one = never_made(std::size_t{1} << 31, std::size_t{1} << 31);
  CHECK(recipe_of(long_one).bytes() == most);
  CpuBackend backend(1);
  Computation computation(long_one);
  const auto refused = computation.run(backend, false, most - 1);
  REQUIRE(std::holds_alternative<TooLarge>(refused));
  CHECK(std::get<TooLarge>(refused).needed == most);
  // At once there are no scores, and still more bytes than a fourth of what there can be.
  const auto needed = bytes_at_once(never_made(std::size_t{1} << 59, std::size_t{1} << 59), backend);
  REQUIRE(needed);
  CHECK(*needed >= most / 4);
}

TEST_CASE("a computation keeps steps that are there, whoever asks for what else", "[model]") {
  const Problem problem = problem_of(three_tokens + R"(, "weights": {"key": [[1, 0], [0, 1], [1, 1]],
      "query": [[0, 1], [1, 0], [1, 2]], "value": [[1, 0], [0, 1], [2, 1]]}})");
  Computation computation(problem);
  const std::vector<std::string> all = computation.steps();
  computation.keep({"nobody.knows", "inputs", "weights.key"});
  CHECK(computation.steps() == all);
  computation.keep_only({"nobody.knows", "scores"});
  CpuBackend backend(1);
  const auto made = computation.run(backend, false, any_bytes);
  REQUIRE(std::holds_alternative<Trace>(made));
  const std::vector<std::string> kept = ids_of(std::get<Trace>(made));
  CHECK(std::ranges::find(kept, "scores") != kept.end());
  CHECK(std::ranges::find(kept, "context") == kept.end());
}

TEST_CASE("a result alone is noted as all steps are: rows without open keys, vectors without length", "[model]") {
  const Problem problem = problem_of(R"({"queries": [[1, 2, 0, 0], [3, 4, 1, 1]], "keys": [[0, 0], [0, 1]],
      "values": [[1, 2], [3, 4]], "heads": 2, "kv_heads": 1, "score": "cosine", "mask": {"allow": [[1, 0], [0, 0]]}})");
  CpuBackend backend(1);
  const Trace all = attention(problem, backend);
  Computation computation(problem);
  computation.keep_only({"result"});
  const auto made = computation.run(backend, true, any_bytes);
  REQUIRE(std::holds_alternative<Trace>(made));
  const auto noted = [](const Trace& trace, const std::string& kind) {
    std::vector<std::vector<std::size_t>> places;
    for (const Note& note : trace.notes) {
      if (note.kind == kind) places.push_back(note.index);
    }
    return places;
  };
  CHECK(noted(all, "closed_row").size() == 2);   // one a head
  CHECK(noted(all, "zero_vector").size() == 2);  // a key, and the first query of the second head
  for (const std::string kind : {"closed_row", "zero_vector"})
    CHECK(noted(std::get<Trace>(made), kind) == noted(all, kind));
}

TEST_CASE("notes on very many rows have to fit, too", "[model]") {
  const Problem problem = problem_of(R"({"queries": {"random": "normal", "shape": [500, 1], "seed": 1}, "keys": [[1]],
      "lengths": 0})");
  CpuBackend backend(1);
  const auto needed = [&](std::size_t most_bytes) {
    const auto made = Computation(problem).run(backend, false, most_bytes);
    return std::holds_alternative<TooLarge>(made) ? std::get<TooLarge>(made).needed : 0;
  };
  const std::size_t steps = needed(0), with_notes = needed(steps);
  CHECK(with_notes == steps + 500 * 400);
  CHECK(needed(with_notes - 1) == with_notes);
  CHECK(needed(with_notes) == 0);
}

TEST_CASE("whoever does not watch gets the same result", "[model]") {
  const Problem problem =
      problem_of(R"({"inputs": {"random": "normal", "shape": [320, 320], "seed": 1}, "scale": 0.01})");
  REQUIRE(problem.draws_many);
  CpuBackend backend(1);
  const auto unwatched = Computation(problem).run(backend, true, any_bytes);
  std::string seen;
  const Watcher watcher{.draws = [&] { seen += "draws;"; },
                        .computes_at_once = [&] { seen += "at once;"; },
                        .computes_step = [&](std::string_view id) { seen += std::string(id) + ";"; }};
  const auto watched = Computation(problem).run(backend, true, any_bytes, watcher);
  REQUIRE(std::holds_alternative<Trace>(unwatched));
  REQUIRE(std::holds_alternative<Trace>(watched));
  CHECK(seen == "draws;at once;");
  CHECK(std::get<Trace>(unwatched).value("result") == std::get<Trace>(watched).value("result"));
}

TEST_CASE("a result alone that is not finite comes of the steps, with a note of where it began", "[model]") {
  const Problem problem = problem_of(R"({"queries": [[1]], "keys": [[1], [2]], "values": [["inf"], [3]]})");
  CpuBackend backend(1);
  const auto made = Computation(problem).run(backend, true, any_bytes);
  REQUIRE(std::holds_alternative<Trace>(made));
  const Trace& trace = std::get<Trace>(made);
  CHECK(trace.value("result")[0] == std::numeric_limits<double>::infinity());
  CHECK(std::ranges::count(trace.notes, "overflow", &Note::kind) == 1);
  CHECK(trace.steps.size() > 1);
}

TEST_CASE("what has too little room is told the less that it takes, steps or all at once", "[model]") {
  CpuBackend backend(1);
  // Of many keys the scores take more than copies of the vectors; of few the copies do.
  for (const std::string shape : {"[100, 2]", "[2, 100]"}) {
    const Problem problem =
        problem_of(R"({"inputs": {"random": "normal", "shape": )" + shape + R"(, "seed": 1}, "heads": 1})");
    Computation computation(problem);
    computation.keep_only({"result"});
    const std::size_t at_once = *bytes_at_once(problem, backend);
    const auto made = computation.run(backend, true, 100);
    REQUIRE(std::holds_alternative<TooLarge>(made));
    const TooLarge refusal = std::get<TooLarge>(made);
    CHECK(refusal.is_result_alone == (shape == "[100, 2]"));
    CHECK((refusal.needed == at_once) == refusal.is_result_alone);
    CHECK(refusal.needed <= at_once);
  }
}

TEST_CASE("the result of a block in 16 bits is that of its steps, in their order", "[model]") {
  const Problem problem = problem_of(R"({"inputs": [[1, 0.5], [0.3, 2]], "arithmetic": {"dtype": "bf16"},
      "block": {"kind": "encoder", "layers": [{"self": {}, "ffn": {"in": [[1, 0.7], [0.1, 1]], "out": [[1, 0.9], [0.3, 1]]},
                                               "norm1": {}, "norm2": {}}]}})");
  CpuBackend backend(1);
  const Trace steps = attention(problem, backend);
  const auto made = Computation(problem).run(backend, true, any_bytes);
  REQUIRE(std::holds_alternative<Trace>(made));
  const Trace& result = std::get<Trace>(made);
  CHECK(result.value("result") == steps.value("result"));
  CHECK(std::ranges::count(result.notes, "at_once", &Note::kind) == 0);
}

TEST_CASE("of a result that has no room as steps it is told what the steps take, where at once it is not finite",
          "[model]") {
  const Problem problem = problem_of(R"({"queries": {"random": "normal", "shape": [200, 2], "seed": 1},
      "keys": {"random": "normal", "shape": [2, 2], "seed": 2}, "values": [["inf"], [3]]})");
  CpuBackend backend(1);
  const std::size_t at_once = *bytes_at_once(problem, backend);
  const auto made = Computation(problem).run(backend, true, at_once);
  REQUIRE(std::holds_alternative<TooLarge>(made));
  CHECK_FALSE(std::get<TooLarge>(made).is_result_alone);
  CHECK(std::get<TooLarge>(made).needed > at_once);
}

TEST_CASE("the online softmax goes through a decoder and through the encoder that it reads", "[model]") {
  const std::string ffn = R"("ffn": {"in": [[1, 0], [0, 1]], "out": [[1, 0], [0, 1]]})";
  const auto misfit = [&](const std::string& of_encoder) {
    return misfit_of_online(problem_of(R"({"inputs": [[1, 0], [0, 2]], "block": {"kind": "decoder", "layers": [
        {"self": {}, "cross": {}, )" + ffn +
                                       R"(}], "memory": {"inputs": [[1, 1], [2, 0]])" + of_encoder +
                                       R"(, "block": {"layers": [{"self": {}, )" + ffn + "}]}}}}"));
  };
  CHECK_FALSE(misfit(""));
  const auto without_exponentials = misfit(R"(, "softmax": "linear")");
  REQUIRE(without_exponentials);
  CHECK_THAT(*without_exponentials, contains("linear"));
}

TEST_CASE("a forward that is rounded by hand is the step of those who round each step", "[model]") {
  const Problem problem = problem_of(R"({"inputs": [[1, 0.5], [0.3, 2]], "arithmetic": {"hand_rounding": "1"},
      "weights": {"query": [[1, 0.7], [0.1, 1]], "key": [[1, 0.2], [0, 1]], "value": [[0.9, 1], [1, 0.3]]}})");
  CpuBackend backend(1);
  Forward forward(problem, "context", backend.in_any_order());
  const Trace steps = attention(problem, backend);
  CHECK(*forward.run() == steps.value("context"));
}

TEST_CASE("an online softmax is told of the context where no key is open, and of nothing that it has not", "[model]") {
  Problem problem = problem_of(three_tokens + R"(, "mask": {"allow": [[0, 1, 1], [1, 1, 1], [0, 0, 0]]}})");
  problem.keys_a_block = 1;
  const Trace trace = alone(problem);
  // A maximum before the first open key is infinite, and nothing is wrong with it.
  REQUIRE(trace.value("running_maximum")[0] == -std::numeric_limits<double>::infinity());
  REQUIRE(trace.notes.size() == 1);
  CHECK(trace.notes[0].kind == "closed_row");
  CHECK(trace.notes[0].step == "context");
  CHECK(trace.notes[0].index == std::vector<std::size_t>{2});
}

TEST_CASE("a vector of no length is no matter where every cell that reads it is closed", "[model]") {
  const auto noted = [](const std::string& mask) {
    return std::ranges::count(alone(problem_of(R"({"queries": [[1, 2], [3, 4]], "keys": [[0, 0], [0, 1]],
        "values": [[1], [2]], "score": "cosine", "mask": {"allow": )" +
                                               mask + "}}"))
                                  .notes,
                              "zero_vector", &Note::kind);
  };
  CHECK(noted("[[0, 1], [0, 1]]") == 0);
  CHECK(noted("[[0, 1], [1, 1]]") == 1);
}

TEST_CASE("an online softmax has no weights for positions that are added to values", "[model]") {
  const auto misfit = misfit_of_online(problem_of(
      three_tokens + R"(, "positions": {"type": "relative", "values": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}})"));
  REQUIRE(misfit);
  CHECK_THAT(*misfit, contains("relative"));
}

TEST_CASE("what is particular to some attentions of a block and not to all is not said of it", "[model]") {
  const auto said = [](const std::string& self, const std::string& cross, const std::string& of_encoder) {
    return alone(problem_of(R"({"inputs": [[1, 0], [0, 2]], "block": {"kind": "decoder", "layers": [
        {"self": {)" + self +
                            R"(}, "cross": {)" + cross +
                            R"(}}], "memory": {"inputs": [[1, 1], [2, 0]], "block": {"layers": [{"self": {)" +
                            of_encoder + "}}]}}}}"))
        .particulars.size();
  };
  const std::string near = R"("window": [1, 1])", far = R"("window": [2, 2])";
  CHECK(said(near, near, near) == 1);
  CHECK(said(near, near, far) == 0);
  CHECK(said(near, far, near) == 0);
  CHECK(said(near, "", near) == 0);
  CHECK(said(near, near, "") == 0);
}

TEST_CASE("the usual softmax is nothing particular, whether a problem names it or not", "[model]") {
  const Trace unnamed = alone(problem_of(three_tokens + "}"));
  const Trace named = alone(problem_of(three_tokens + R"(, "softmax": "softmax"})"));
  const Trace other = alone(problem_of(three_tokens + R"(, "softmax": {"base": 2}})"));
  CHECK(named.particulars.empty());
  CHECK(other.particulars.size() == 1);
  Problem chosen = problem_of(three_tokens + "}");
  chosen.attention().softmax = Choice{.name = "softmax"};
  CHECK(alone(chosen).particulars.empty());
  CHECK(named.value("result") == unnamed.value("result"));
}

TEST_CASE("a vector of no length is noted where any head asks for its angle, however many heads there are", "[model]") {
  const std::string problem = R"({"inputs": [[0, 0, 1, 2], [1, 0, 2, 1]], "heads": 2, "score": "cosine")";
  const auto noted = [](const Trace& trace) { return std::ranges::count(trace.notes, "zero_vector", &Note::kind); };
  // Query 1 and key 1 of head 1, whatever a mask of queries and keys alone closes behind them.
  CHECK(noted(alone(problem_of(problem + "}"))) == 2);
  CHECK(noted(alone(problem_of(problem + R"(, "causal": true})"))) == 2);
  CHECK(noted(alone(problem_of(R"({"inputs": [[0, 0, 1, 2], [1, 0, 2, 1]], "score": "cosine"})"))) == 0);
}

TEST_CASE("position to content takes the row of the other distance, or of the same as the published code has it",
          "[model]") {
  const std::string begin = R"({"inputs": [[1, 0], [0, 2], [1, 1]], "positions": {"type": "deberta",
      "embeddings": [[1, 0], [0, 1], [2, 0], [0, 3]], "query": [[1, 2], [3, 1]])";
  const Trace paper = alone(problem_of(begin + "}}"));
  const Trace code = alone(problem_of(begin + R"(, "as_published_code": true}})"));
  const Step& of_paper = *paper.find("position_to_content");
  const Step& of_code = *code.find("position_to_content");
  CHECK_THAT(of_paper.heading.formula.text(), contains("[δ(j, i)]"));
  CHECK_THAT(of_code.heading.formula.text(), contains("[δ(i, j)]"));
  // k_j·Q_r of rows δ: two or more before the key, one before, the same, any behind.
  const Tensor<double>& products = paper.value("key_distance_scores");
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const auto row = [](std::ptrdiff_t apart) {
        return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(apart + 2, 0, 3));
      };
      const auto apart = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(j);
      CHECK(of_paper.result[i * 3 + j] == products[j * 4 + row(-apart)]);
      CHECK(of_code.result[i * 3 + j] == products[j * 4 + row(apart)]);
    }
  }
}

TEST_CASE("rotary positions fit queries and keys as far as their widths are known", "[model]") {
  const auto rope =
      std::ranges::find(positions(), std::string("rope"), [](const Position& one) { return one.spec.name; });
  REQUIRE(rope != positions().end());
  const auto& misfit = rope->spec.misfit;
  const Choice all{.name = "rope"}, two{.name = "rope", .numbers = {{"dims", 2}}};
  ChoiceSetting setting;
  CHECK_FALSE(misfit(all, setting));
  setting.query_width = 4;
  CHECK_FALSE(misfit(all, setting));
  setting.key_width = 6;
  CHECK(misfit(all, setting));
  CHECK_FALSE(misfit(two, setting));
  setting.query_width.reset();
  CHECK_FALSE(misfit(all, setting));
  setting.key_width = 5;
  CHECK(misfit(all, setting));
  CHECK_FALSE(misfit(two, setting));
}

}  // namespace
}  // namespace attn
