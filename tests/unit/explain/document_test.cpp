#include "explain/document.h"

#include <set>
#include <string>

#include "catch.h"
#include "explain/telling/asked.h"
#include "explain/telling/why.h"
#include "unit/explain/examples.h"

namespace attn {
namespace {

Document told(const Problem& problem, const ExplainOptions& options = {}) {
  return explain(examples::traced(problem), options);
}

bool is_something_to_look_at(const Block& block) {
  return !std::holds_alternative<Headline>(block) && !std::holds_alternative<Prose>(block) &&
         !std::holds_alternative<Remark>(block);
}

TEST_CASE("the stops of a lecture are the whole document in order, nothing twice", "[document]") {
  for (const Problem& problem : {examples::worked_example(), examples::ragged_heads(), examples::closed_row()}) {
    for (const Level level : {Level::result, Level::steps, Level::rows, Level::cells}) {
      ExplainOptions options;
      options.level = level;
      const Document document = told(problem, options);
      std::size_t next = 0;
      for (const Stop& stop : stops(document)) {
        CHECK(stop.first == next);
        CHECK(stop.count > 0);
        next += stop.count;
      }
      CHECK(next == document.blocks.size());
    }
  }
}

TEST_CASE("a stop shows one thing, or matrices that stand beside each other", "[document]") {
  const Document document = told(examples::worked_example());
  std::size_t several = 0;
  for (const Stop& stop : stops(document)) {
    std::size_t things = 0;
    bool beside = true;
    for (std::size_t i = stop.first; i < stop.first + stop.count; ++i) {
      if (!is_something_to_look_at(document.blocks[i])) continue;
      const auto* matrix = std::get_if<Matrix>(&document.blocks[i]);
      if (things++ > 0) beside = beside && matrix && matrix->beside;
    }
    CHECK(beside);
    if (things > 1) ++several;
  }
  CHECK(several == 1);  // the weight matrices
}

TEST_CASE("a headline opens a stop and never closes one", "[document]") {
  const Document document = told(examples::ragged_heads());
  for (const Stop& stop : stops(document)) {
    bool content = false;
    for (std::size_t i = stop.first; i < stop.first + stop.count; ++i) {
      const bool headline = std::holds_alternative<Headline>(document.blocks[i]);
      CHECK_FALSE((headline && content));
      content = content || is_something_to_look_at(document.blocks[i]);
    }
    CHECK_FALSE(std::holds_alternative<Headline>(document.blocks[stop.first + stop.count - 1]));
  }
}

TEST_CASE("each stop knows the part it belongs to", "[document]") {
  const Document document = told(examples::worked_example());
  std::string part;
  for (const Stop& stop : stops(document)) {
    for (std::size_t i = stop.first; i < stop.first + stop.count; ++i) {
      if (const auto* headline = std::get_if<Headline>(&document.blocks[i])) part = plain(headline->text);
    }
    CHECK(plain(stop.part) == part);
  }
}

TEST_CASE("a document of headlines alone has one stop", "[document]") {
  CHECK(stops({}).empty());
  CHECK(stops({{Headline{1, {"Title"}}, Headline{2, {"Part"}}}}).size() == 1);
  CHECK(stops({{Prose{{"a"}}, Prose{{"b"}}, Remark{{"c"}}}}).size() == 1);
  CHECK(stops({{Headline{1, {"Title"}}, Prose{{"words"}}, Headline{2, {"Part"}}, Table{}}}).size() == 2);
}

// Every cell of every matrix, by step and place.
std::set<std::pair<std::string, std::size_t>> cells_of(const Document& document) {
  std::set<std::pair<std::string, std::size_t>> cells;
  const auto add = [&](const Matrix& matrix) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      for (std::size_t column = 0; column < matrix.columns(); ++column) {
        cells.emplace(matrix.step, matrix.first + row * matrix.row_stride + column * matrix.column_stride);
      }
    }
  };
  for (const Block& block : document.blocks) {
    if (const auto* matrix = std::get_if<Matrix>(&block)) add(*matrix);
  }
  for (const Matrix& matrix : document.behind) add(matrix);
  return cells;
}

TEST_CASE("with what is behind them, a document has every number that its numbers were made from", "[document]") {
  for (const Problem& problem : {examples::worked_example(), examples::causal_sentence(), examples::ragged_heads(),
                                 examples::closed_row(), examples::in_columns()}) {
    const std::vector<std::string> some = {"attention_weights"};
    for (const auto& only : {std::vector<std::string>{}, some}) {
      ExplainOptions options;
      options.only = only;
      options.behind = true;
      const Document document = told(problem, options);
      const auto cells = cells_of(document);
      for (const Block& block : document.blocks) {
        const auto* matrix = std::get_if<Matrix>(&block);
        for (std::size_t cell = 0; matrix && cell < matrix->cells.size(); ++cell) {
          const Provenance made =
              provenance(matrix->reading, matrix->place_of(cell / matrix->columns(), cell % matrix->columns()));
          for (const Slice& slice : made.operands) {
            for (std::size_t i = 0; i < slice.count; ++i) CHECK(cells.contains({slice.tensor, slice.cell(i)}));
          }
        }
      }
    }
  }
}

TEST_CASE("nothing is behind a document unless it is asked for, and nothing of it is told twice", "[document]") {
  CHECK(told(examples::ragged_heads()).behind.empty());
  ExplainOptions options;
  options.behind = true;
  const Document document = told(examples::ragged_heads(), options);
  CHECK_FALSE(document.behind.empty());
  std::size_t told_cells = 0;
  for (const Block& block : document.blocks) {
    if (const auto* matrix = std::get_if<Matrix>(&block)) told_cells += matrix->cells.size();
  }
  for (const Matrix& matrix : document.behind) told_cells += matrix.cells.size();
  CHECK(told_cells == cells_of(document).size());
}

TEST_CASE("a line of a tree has the numbers it was made from, as they are written in it", "[document]") {
  const Trace trace = examples::traced(examples::worked_example());
  const auto question = read_question("scores[1,2]");
  const Document document = why(trace, find_asked(trace, question.value()).value());
  const Tree* tree = nullptr;
  for (const Block& block : document.blocks) {
    if (const auto* found = std::get_if<Tree>(&block)) tree = found;
  }
  REQUIRE(tree);
  const std::vector<NumbersRead>& made = tree->branches.front().made_of;
  REQUIRE(made.size() == 2);
  CHECK(made[0].name.text == "Q[1,1…3]");
  CHECK(made[0].numbers == std::vector<std::string>{"1", "0", "2"});
  CHECK(made[1].name.text == "K[2,1…3]");
  CHECK(made[1].numbers == std::vector<std::string>{"4", "4", "0"});
}

}  // namespace
}  // namespace attn
