#include "explain/telling/why.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "explain/place.h"
#include "explain/telling/closing.h"
#include "explain/telling/parts.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"
#include "sanitized.h"
#include "unit/explain/calculator.h"
#include "unit/explain/examples.h"
#include "unit/model/attentions.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

using Cell = std::pair<std::string, std::size_t>;
using CellSet = std::set<Cell>;

// Every problem in data/, computed.
const std::map<std::string, Trace>& traces() {
  static const std::map<std::string, Trace> all = [] {
    std::map<std::string, Trace> computed;
    for (const auto& entry : fs::directory_iterator(fs::path(ATTN_SOURCE_DIR) / "data")) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".json") || name.ends_with(".golden.json")) continue;
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      const Result<Problem> problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
      ReferenceBackend backend;
      computed.emplace(name, attention(problem.value(), backend, {.all_steps = true}));
    }
    return computed;
  }();
  return all;
}

// What a cell is made of, walked by hand: every cell of every operand that
// agrees with it on the axes they share, without what is closed.
class Walker {
  using Place = std::map<Axis, std::size_t>;

 public:
  Walker(const Trace& trace, const Step& step) : trace_(trace), step_(step) {}

  struct Read {
    std::vector<std::vector<std::size_t>> operands;  // in index order
    std::vector<std::size_t> closed;                 // of the mask
  };

  Read cells(std::size_t cell) const {
    Read read;
    const Place at = place(step_.result.shape(), cell);
    const Tensor<double>* mask = step_.open ? &trace_.value(step_.open->id) : nullptr;
    std::vector<Place> closed;
    if (mask) {
      const Shape shape = shape_as_read(*step_.open, mask->shape());
      for (const std::size_t i : agreeing(shape, {all_of_a_row(at)})) {
        if ((*mask)[i] != 0) continue;
        read.closed.push_back(i);
        closed.push_back(plain_place(shape, i));
      }
    }
    for (const Operand& operand : step_.operands) {
      const Shape shape = shape_as_read(operand, trace_.value(operand.id).shape());
      const bool is_bias = read.operands.size() >= 2 && std::holds_alternative<Contract>(step_.op);
      std::vector<std::size_t> kept;
      for (const std::size_t i : agreeing(shape, places_in(read.operands.size(), shape, at))) {
        const Place here = plain_place(shape, i);
        const bool is_closed = std::ranges::any_of(closed, [&](const auto& one) { return agree(one, here); });
        if (is_bias || !is_closed) kept.push_back(i);
      }
      read.operands.push_back(std::move(kept));
    }
    return read;
  }

 private:
  static Place plain_place(const Shape& shape, std::size_t cell) {
    const std::vector<std::size_t> index = shape.index(cell);
    Place at;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) at[shape[axis].axis] = index[axis];
    return at;
  }

  // What is split or merged stands under the names of the operand, too.
  Place place(const Shape& shape, std::size_t cell) const {
    Place at = plain_place(shape, cell);
    if (const auto* split = std::get_if<Split>(&step_.op)) {
      at[split->axis] = at[split->outer] * shape.size(split->inner) + at[split->inner];
    }
    if (const auto* merge = std::get_if<Merge>(&step_.op)) {
      const std::size_t inner = trace_.value(step_.operands[0].id).shape().size(merge->inner);
      at[merge->outer] = at[merge->axis] / inner;
      at[merge->inner] = at[merge->axis] % inner;
    }
    return at;
  }

  static bool agree(const Place& a, const Place& b) {
    return std::ranges::all_of(
        a, [&](const auto& one) { return !b.contains(one.first) || b.at(one.first) == one.second; });
  }

  // A share is made from its whole row.
  Place all_of_a_row(Place at) const {
    const auto* softmax = std::get_if<Softmax>(&step_.op);
    if (softmax && softmax->part == Softmax::Part::shares) at.erase(softmax->over);
    return at;
  }

  // Where an operand is read: in one place or, if numbers are rotated, in two; in none, perhaps.
  std::vector<Place> places_in(std::size_t operand, const Shape& shape, Place at) const {
    if (const auto* repeat = std::get_if<Repeat>(&step_.op)) {
      std::size_t& index = at[repeat->axis];
      index = repeat->tiled ? index % shape.size(repeat->axis) : index / repeat->times;
    } else if (const auto* join = std::get_if<Join>(&step_.op)) {
      std::size_t before = 0;
      for (std::size_t i = 0; i < operand; ++i) {
        const Operand& other = step_.operands[i];
        before += shape_as_read(other, trace_.value(other.id).shape()).size(join->axis);
      }
      std::size_t& index = at[join->axis];
      if (index < before || index - before >= shape.size(join->axis)) return {};
      index -= before;
    } else if (const auto* pick = std::get_if<Pick>(&step_.op)) {
      std::size_t cell = 0;
      for (const Dim& dim : pick->rows.shape().dims()) cell = cell * dim.size + at.at(dim.axis);
      if (pick->rows[cell] < 0) return {};
      at[pick->axis] = static_cast<std::size_t>(pick->rows[cell]);
    } else if (const auto* rotate = std::get_if<Rotate>(&step_.op)) {
      const Operand& table = step_.operands[1];
      const std::size_t pairs = shape_as_read(table, trace_.value(table.id).shape()).size(rotate->pair);
      const std::size_t feature = at[rotate->axis];
      const bool turns = feature < 2 * pairs;
      const std::size_t pair = rotate->interleaved ? feature / 2 : feature % pairs;
      if (operand > 0) {
        if (!turns) return {};
        at[rotate->pair] = pair;
      } else if (turns) {
        Place other = at;
        other[rotate->axis] = rotate->interleaved ? feature ^ 1 : (feature + pairs) % (2 * pairs);
        return {at, other};
      }
    }
    return {all_of_a_row(std::move(at))};
  }

  static std::vector<std::size_t> agreeing(const Shape& shape, const std::vector<Place>& places) {
    std::vector<std::size_t> all;
    for (const Place& at : places) {
      for (const std::size_t cell : agreeing(shape, at)) all.push_back(cell);
    }
    return all;
  }

  static std::vector<std::size_t> agreeing(const Shape& shape, const Place& at) {
    std::vector<std::size_t> cells = {0};
    for (const Dim& dim : shape.dims()) {
      std::vector<std::size_t> longer;
      for (const std::size_t cell : cells) {
        for (std::size_t i = 0; i < dim.size; ++i) {
          if (!at.contains(dim.axis) || at.at(dim.axis) == i) longer.push_back(cell * dim.size + i);
        }
      }
      cells = std::move(longer);
    }
    return cells;
  }

  const Trace& trace_;
  const Step& step_;
};

// How many terms a sum has besides those that its first operand brings: what is
// added to it, the divisor of a cosine, the sink of a softmax.
std::size_t further_terms(const Step& step) {
  const std::size_t operands = step.operands.size();
  if (const auto* contract = std::get_if<Contract>(&step.op)) {
    return contract->then == Contract::Then::divide ? operands - 3 : operands - 2;
  }
  if (std::holds_alternative<Reduce>(step.op)) return operands - 1;
  return operands > 1 ? 1 : 0;
}

// The ingredients by that walk. In a row of softmax with no open score nothing
// but the maximum, or the sum, is read.
CellSet expected(const Trace& trace, const Step& step, std::size_t cell, std::size_t* terms = nullptr) {
  const Walker::Read read = Walker(trace, step).cells(cell);
  const auto* softmax = std::get_if<Softmax>(&step.op);
  bool no_open_score = false;
  const bool by_row =
      softmax && (softmax->part == Softmax::Part::weights || softmax->part == Softmax::Part::exponentials);
  if (by_row && !read.operands[1].empty()) {
    const double said = trace.value(step.operands[1].id)[read.operands[1][0]];
    no_open_score = softmax->part == Softmax::Part::weights ? said == 0 : std::isinf(said) && said < 0;
  }
  CellSet cells;
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    if (no_open_score && i == 0) continue;
    for (const std::size_t at : read.operands[i]) cells.emplace(step.operands[i].id, at);
  }
  if (terms) *terms = read.operands.empty() ? 0 : read.operands[0].size() + further_terms(step);
  for (const std::size_t at : read.closed) cells.emplace(step.open->id, at);
  return cells;
}

const Tree& tree_of(const Document& document) {
  const auto found =
      std::ranges::find_if(document.blocks, [](const Block& block) { return std::holds_alternative<Tree>(block); });
  REQUIRE(found != document.blocks.end());
  return std::get<Tree>(*found);
}

CellSet cells_of(const Branch& branch) {
  CellSet cells;
  for (const Slice& slice : branch.cells) {
    for (std::size_t i = 0; i < slice.count; ++i) cells.emplace(slice.tensor, slice.cell(i));
  }
  return cells;
}

bool points_back(const Branch& branch) { return plain(branch.line.remark) == "see above"; }

bool sums(const Op& op) {
  const auto* softmax = std::get_if<Softmax>(&op);
  return std::holds_alternative<Contract>(op) || std::holds_alternative<Reduce>(op) ||
         (softmax && (softmax->part == Softmax::Part::maximum || softmax->part == Softmax::Part::sum));
}

// What is wrong with the first line about that cell; empty where nothing is.
std::string fault_in_line(const Trace& trace, const Step& step, std::size_t cell, const Equation& line,
                          const CellSet& made_of, std::size_t terms) {
  const double value = step.result[cell];
  if (line.sides.size() < 2) return "it has no number";
  const std::string result = written_out(line.sides.back());
  Calculator last(result);
  const double said = last.result();
  const double room = 1e-9 * std::max(1.0, std::abs(value));
  const bool is_nan = std::isnan(value);
  if (is_nan && written_out(line.sides.back()).find("NaN") != std::string::npos) return "";
  if (!last.done() || !(said == value || std::abs(said - value) <= room)) return "it ends with another number";
  if (is_given(step)) return plain(line.remark) == "given" ? "" : "it is given and does not say so";

  // Rounded by hand, the number is not what its arithmetic comes to, and the line says so.
  double unit = 0;
  if (trace.arithmetic.hand_rounding) unit = std::pow(10, -trace.arithmetic.hand_rounding->decimals);
  if (rounds_once_a_step(trace.arithmetic.dtype)) unit = std::ldexp(std::abs(value), -8) + 1e-7;
  bool worked_out = false;
  bool as_worked_out = true;
  for (std::size_t i = 1; i + 1 < line.sides.size(); ++i) {
    const std::string text = written_out(line.sides[i]);
    if (made_of.size() == 1 && text == CellNames(trace).of({made_of.begin()->first, made_of.begin()->second}).text) {
      if (trace.value(made_of.begin()->first)[made_of.begin()->second] != value) return "it hands on another number";
      worked_out = true;
      continue;
    }
    Calculator calculator(text);
    const double computed = calculator.result();
    if (!calculator.done()) continue;  // "q₁·k₂"
    // What is 0 where a divisor is 0 says so.
    if (std::isnan(computed) && plain(line.remark).find("divisor") != std::string::npos) return "";
    worked_out = true;
    as_worked_out = as_worked_out && (computed == value || std::abs(computed - value) <= room);
    if (!(computed == value || std::abs(computed - value) <= room + unit))
      return "its arithmetic comes to another number: " + text;
    const bool is_root = !text.empty() && text.starts_with("√") && line.sides[i].terms.size() == 1;  // √(3² + 4²) = √25
    if (sums(step.op) && !is_root && line.sides[i].terms.size() != terms)
      return "it has " + text + " where there are " + std::to_string(terms) + " terms";
  }
  const std::string remark = plain(line.remark);
  // Of half precision only what shows is said.
  if (rounds_once_a_step(trace.arithmetic.dtype)) as_worked_out = remark.find("rounded to") == std::string::npos;
  if (!as_worked_out && remark.find("rounded to") == std::string::npos) return "it is rounded and does not say so";
  if (as_worked_out && remark.find("rounded to") != std::string::npos) return "it is not rounded and says so";
  if (!worked_out && remark.find("closed") == std::string::npos) return "it says nothing about where it comes from";
  return "";
}

TEST_CASE("every number of every problem is told by exactly what its operation reads, and comes to it",
          "[explain][why]") {
  std::size_t told = 0;
  for (const auto& [name, trace] : traces()) {
    for (const Step& step : trace.steps) {
      const std::string& id = step.heading.id;
      for (std::size_t cell = 0; cell < step.result.size(); cell += stride_where_slow, ++told) {
        const Document document = why(trace, {id, cell}, {.depth = 1, .precision = 17, .full = true});
        const Tree& tree = tree_of(document);
        std::size_t terms = 0;
        const CellSet made_of = is_given(step) ? CellSet{} : expected(trace, step, cell, &terms);
        CellSet below;
        for (const Branch& branch : std::span(tree.branches).subspan(1)) below.merge(cells_of(branch));
        std::string fault = fault_in_line(trace, step, cell, tree.branches[0].line, made_of, terms);
        if (below != made_of) fault = "what is told below it is not what it was made of";
        if (fault.empty() && cells_of(tree.branches[0]) == CellSet{{id, cell}}) continue;
        FAIL_CHECK(name << ": " << cell_name(trace, {id, cell, 0, 1}) << ": " << fault);
      }
    }
  }
  CHECK(told > 25'000 / stride_where_slow);
}

// What is wrong with a tree that goes back to the inputs; empty where nothing is.
std::string fault_in_tree(const Trace& trace, const Cell& asked, const Tree& tree) {
  CellSet told;
  CellSet needed = {asked};
  for (const Branch& branch : tree.branches) {
    for (const Cell& cell : cells_of(branch)) {
      const std::string name = cell_name(trace, {cell.first, cell.second, 0, 1});
      if (points_back(branch) && !told.contains(cell)) return name + " is said to be above and is not";
      const Step* step = trace.find(cell.first);
      const bool computed = step && !is_given(*step);
      if (!points_back(branch) && computed && told.contains(cell) && step->heading.role != Role::mask) {
        return name + " is told twice";
      }
      if (computed && !told.contains(cell)) needed.merge(expected(trace, *step, cell.second));
      told.insert(cell);
    }
  }
  if (told != needed) return "what is told is not what is needed";
  return "";
}

TEST_CASE("a tree goes back to the inputs and tells each number once", "[explain][why]") {
  for (const auto& [name, trace] : traces()) {
    std::size_t numbers = 0;
    for (const Step& step : trace.steps) numbers += step.result.size();
    if (numbers > (stride_where_slow > 1 ? 600 : 2500)) continue;
    for (const Step& step : trace.steps) {
      const std::string& id = step.heading.id;
      for (const std::size_t cell : {std::size_t{0}, step.result.size() / 2, step.result.size() - 1}) {
        const Document document = why(trace, {id, cell}, {.depth = {}, .precision = {}, .full = true});
        INFO(name << ": " << cell_name(trace, {id, cell, 0, 1}));
        CHECK(fault_in_tree(trace, {id, cell}, tree_of(document)) == "");
      }
    }
  }
}

std::string in_text(const Trace& trace, const std::string& typed, const WhyOptions& options = {}) {
  const Result<Question> question = read_question(typed);
  REQUIRE(question);
  const Result<Asked> asked = find_asked(trace, question.value());
  REQUIRE(asked);
  const bool full = options.full || !asked.value().cell;
  return as_text(why(trace, asked.value(), options), {.full = full});
}

std::string tree_in_text(const Trace& trace, const std::string& typed, const WhyOptions& options = {}) {
  const std::string text = in_text(trace, typed, options);
  const Asked asked = find_asked(trace, read_question(typed).value()).value();
  const std::size_t begin = text.find("\n  " + CellNames(trace).of({asked.id, *asked.cell}).text + " ");
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + 1);
}

TEST_CASE("a score is followed back to the inputs", "[explain][why]") {
  const Trace trace = examples::traced(examples::worked_example());
  CHECK(tree_in_text(trace, "scores[1,2]") ==
        "  S[1,2] = q₁·k₂ = 1×4 + 0×4 + 2×0 = 4\n"
        "  ├ Q[1,1] = 1×1 + 0×1 + 1×0 + 0×0 = 1\n"
        "  │ ├ X[1,1…4] = [1, 0, 1, 0]  (given)\n"
        "  │ └ W_Q[1…4,1] = [1, 1, 0, 0]  (given)\n"
        "  ├ Q[1,2] = 1×0 + 0×0 + 1×0 + 0×1 = 0\n"
        "  │ ├ W_Q[1…4,2] = [0, 0, 0, 1]  (given)\n"
        "  │ └ X[1,1…4]  (see above)\n"
        "  ├ Q[1,3] = 1×1 + 0×0 + 1×1 + 0×1 = 2\n"
        "  │ ├ W_Q[1…4,3] = [1, 0, 1, 1]  (given)\n"
        "  │ └ X[1,1…4]  (see above)\n"
        "  ├ K[2,1] = 0×0 + 2×1 + 0×0 + 2×1 = 4\n"
        "  │ ├ X[2,1…4] = [0, 2, 0, 2]  (given)\n"
        "  │ └ W_K[1…4,1] = [0, 1, 0, 1]  (given)\n"
        "  ├ K[2,2] = 0×0 + 2×1 + 0×1 + 2×1 = 4\n"
        "  │ ├ W_K[1…4,2] = [0, 1, 1, 1]  (given)\n"
        "  │ └ X[2,1…4]  (see above)\n"
        "  └ K[2,3] = 0×1 + 2×0 + 0×0 + 2×0 = 0\n"
        "    ├ W_K[1…4,3] = [1, 0, 0, 0]  (given)\n"
        "    └ X[2,1…4]  (see above)\n");
}

TEST_CASE("what names a number asks for it", "[explain][why]") {
  std::size_t by_symbol = 0;
  for (const auto& [name, trace] : traces()) {
    const CellNames names(trace);
    std::vector<std::string> ids;
    for (const GivenTensor& given : trace.givens) ids.push_back(given.heading.id);
    for (const Step& step : trace.steps) ids.push_back(step.heading.id);
    for (const std::string& id : ids) {
      const std::size_t last = trace.value(id).size() - 1;
      const std::string called = names.of({id, last}).text;
      INFO(name << ": " << called);
      const Result<Question> question = read_question(called);
      REQUIRE(question);
      const Result<Asked> asked = find_asked(trace, question.value());
      REQUIRE(asked);
      CHECK(asked.value().id == id);
      CHECK(asked.value().cell.value_or(0) == last);
      by_symbol += called.starts_with(id) ? 0 : 1;
    }
  }
  CHECK(by_symbol > 500);
}

TEST_CASE("a number is called by its id where its symbol is another's too", "[explain][why]") {
  Trace trace = examples::traced(examples::worked_example());
  CHECK(CellNames(trace).of({"scores", 1}).text == "S[1,2]");
  const Step scores = *trace.find("scores");
  Heading same = scores.heading;
  same.id = "other_scores";
  trace.steps.push_back(step_of(same, scores.op, scores.operands, scores.open, scores.result));
  CHECK(CellNames(trace).of({"scores", 1}).text == "scores[1,2]");
  CHECK(CellNames(trace).of({"other_scores", 1}).text == "other_scores[1,2]");
}

TEST_CASE("a closed cell says which rule closes it, and why", "[explain][why]") {
  const Trace causal = examples::traced(examples::causal_sentence());
  CHECK(tree_in_text(causal, "attention_weights[1,2]") ==
        "  A[1,2] = 0  (closed by causal)\n"
        "  └ M[1,2] = M_causal[1,2] = 0  (closed by causal)\n"
        "    └ M_causal[1,2] = 0  (causal: a query sees no key after its own position)\n");
  const Trace ragged = examples::traced(examples::ragged_heads());
  CHECK(examples::holds(tree_in_text(ragged, "masked_scores[2,1,1,3]"), "S″[2,1,1,3] = −∞  (closed by lengths)"));
  const Trace none = examples::traced(examples::closed_row());
  CHECK(examples::holds(tree_in_text(none, "row_maximum[2]"), "m[2] = −∞  (every cell is closed)"));
  CHECK(examples::holds(tree_in_text(none, "attention_weights[2,1]"), "  Note: row [2] has every key closed"));
}

TEST_CASE("why an appended key is open is said beside where the others are", "[explain][why]") {
  Problem problem = examples::closed_row();
  Attention& attention = problem.attention();
  attention.appended =
      KeysAndValues{examples::scattered({{"key", 1}, {"d_k", 4}}, 4), examples::scattered({{"key", 1}, {"d_v", 2}}, 5)};
  attention.key_labels[0].push_back("Appended 1");
  attention.options = {{"causal", true}, {"lengths", PerSequence{{2}}}, {"window", Integers{0, 0}}};
  const Trace trace = examples::traced(problem);
  const std::string tree = tree_in_text(trace, "mask[1,6]");
  INFO(tree);
  for (const char* rule : {"j ≤ i; open", "i − 0 ≤ j ≤ i + 0; open", "j ≤ length; open"}) {
    CHECK(examples::holds(tree, "(open where " + std::string(rule) + " where j > 5)"));
  }
}

TEST_CASE("a number that infinity added to it closes names the mask that adds it", "[explain][why]") {
  Problem problem = examples::worked_example();
  problem.attention().options["mask"] = std::vector<MaskTerm>{
      {MaskTerm::Kind::add, examples::matrix("query", "key", {{0, -infinity, 0.5}, {0, 0, 0}, {0, 0, 0}})}};
  const Trace trace = examples::traced(problem);
  const std::string closed = tree_in_text(trace, "masked_scores[1,2]");
  CHECK(examples::holds(closed, "S″[1,2] = −∞  (closed by mask)"));
  CHECK(examples::holds(closed, "(mask: closed where the problem adds −∞"));
  CHECK_FALSE(examples::holds(closed, "S[1,2] = q₁"));
  CHECK(examples::holds(tree_in_text(trace, "masked_scores[1,3]", {.depth = 2, .precision = {}, .full = false}),
                        "S″[1,3] = 4 + 0.5 = 4.5"));
}

TEST_CASE("the depth is how many levels are told below the number", "[explain][why]") {
  const Trace trace = examples::traced(examples::worked_example());
  for (const std::size_t depth : {0u, 1u, 2u, 3u, 7u, 20u}) {
    const Document document = why(trace, {"context", 0}, {.depth = depth, .precision = {}, .full = false});
    std::size_t deepest = 0;
    for (const Branch& branch : tree_of(document).branches) deepest = std::max(deepest, branch.depth);
    CHECK(deepest == std::min<std::size_t>(depth, 7));
  }
}

TEST_CASE("a number that was told on the last level goes on where it stands higher", "[explain][why]") {
  // scores[1,2] is three levels below attention_weights[1,1] by way of the maximum, and two by itself.
  const Trace trace = examples::traced(examples::worked_example());
  const Document document = why(trace, {"attention_weights", 0}, {.depth = 3, .precision = {}, .full = false});
  const auto& branches = tree_of(document).branches;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (const Slice& cells : branches[i].cells) {
      if (cells.tensor != "row_maximum" || points_back(branches[i])) continue;
      CHECK(branches[i + 1].depth == branches[i].depth + 1);
    }
  }
}

TEST_CASE("a long tree is cut by default, and says how to see more", "[explain][why]") {
  const Trace trace = examples::traced(examples::large());
  const std::string text = in_text(trace, "attention_weights[1,1,1]");
  CHECK(examples::lines_of(text).size() < 250);
  CHECK(examples::holds(text, "levels of up to"));
  CHECK_FALSE(examples::holds(text, "--"));
  const Asked question = find_asked(trace, read_question("attention_weights[1,1,1]").value()).value();
  std::string hints;
  for (const std::string& hint : why(trace, question).hints) hints += hint + "\n";
  CHECK(examples::holds(hints, "--depth"));
  CHECK(examples::holds(hints, "--full"));
  const std::string small = in_text(examples::traced(examples::worked_example()), "context[1,1]");
  CHECK_FALSE(examples::holds(small, "--"));
}

TEST_CASE("the sum that is asked for is written out, however long it is", "[explain][why]") {
  const Trace trace = examples::traced(examples::large());
  for (const char* asked : {"projected_keys[1,1]", "keys[1,1,1]"}) {
    const Result<Asked> found = find_asked(trace, read_question(asked).value());
    const Document document = why(trace, found.value(), {.depth = 1, .precision = {}, .full = false});
    std::size_t longest = 0;
    for (const Branch& branch : tree_of(document).branches) {
      for (const Expression& side : branch.line.sides) longest = std::max(longest, side.terms.size());
    }
    CHECK(longest == 64);
  }
}

TEST_CASE("of a sum longer than asked for, below it stand the numbers of the terms that are written",
          "[explain][why]") {
  const Trace trace = examples::traced(examples::large());
  for (const std::size_t top : {1u, 3u, 7u}) {
    const Asked asked{"projected_keys", 5};
    const Document document = why(trace, asked, {.depth = 1, .top = top});
    const Tree& tree = tree_of(document);
    const Step& step = *trace.find(asked.id);
    const Numerals numerals(4, trace);
    const Reading reading = reading_of(trace, step);
    const Working working = worked_cell(trace, step, reading, 5, numerals, {top, TermLimit::Kept::largest});
    CellSet written;
    for (const Slice& row : provenance(reading, 5).operands) {
      for (const std::size_t place : working.places) written.emplace(row.tensor, row.cell(row.count > 1 ? place : 0));
    }
    CellSet below;
    for (const Branch& branch : std::span(tree.branches).subspan(1)) below.merge(cells_of(branch));
    CHECK(below == written);
    CHECK(examples::holds(in_text(trace, "projected_keys[1,6]", {.top = top}),
                          "(" + std::to_string(64 - top) + " more: "));
  }
}

TEST_CASE("a row that is too long to be written out is told by its largest terms", "[explain][why]") {
  std::vector<double> ones(5000, 1);
  ones[4321] = 9;
  const Trace trace = examples::traced(examples::wide(ones));
  const std::string text = in_text(trace, "scores[1,1]");
  CHECK(examples::holds(text, "S[1,1] = q₁·k₁ = 9×9 + 1×1"));
  CHECK(examples::holds(text, "(4984 more: 4984)"));
  CHECK(examples::holds(text, "= 5080\n"));
  CHECK(examples::holds(text, "the 16 largest terms are written"));
  CHECK(examples::lines_of(text).size() < 30);
  CHECK(examples::holds(in_text(trace, "S", {.top = 2}), "S[1,1] = q₁·k₁ = 9×9 + 1×1 + (4998 more: 4998) = 5080"));
  CHECK(examples::holds(in_text(trace, "S", {.top = 2}), "(d_k 4322, 1)"));
  CHECK(examples::lines_of(in_text(trace, "S")).size() < 30);
  CHECK(examples::lines_of(in_text(trace, "scores[1,1]", {.full = true})).size() > 300);
}

TEST_CASE("what would take too much memory is not told", "[explain][why]") {
  const Trace trace = examples::traced(examples::large());
  const Asked number{"attention_weights", 0}, step{"scores", std::nullopt};
  for (const Asked& asked : {number, step}) {
    CHECK_FALSE(why_within(10'000, trace, asked, {.full = true}));
    CHECK(why_within(std::size_t{1} << 30, trace, asked, {.full = true}));
  }
  CHECK(why_within(1'000'000, trace, number));
  CHECK_FALSE(why_within(1'000'000, trace, number, {.full = true}));
}

TEST_CASE("with more memory no less is told", "[explain][why]") {
  const Trace trace = examples::traced(examples::large());
  const Asked asked{"projected_keys", 70};
  bool told = false;
  std::size_t refused = 0;
  for (std::size_t bytes = 0; bytes < 600'000; bytes += 5'000) {
    const bool now = why_within(bytes, trace, asked, {.depth = 2, .full = true}).has_value();
    CHECK((now || !told));
    told = now;
    refused += now ? 0 : 1;
  }
  CHECK(told);
  CHECK(refused > 10);
}

TEST_CASE("what is added to a sum that is cut is told beside its largest terms", "[explain][why]") {
  const Trace trace = examples::traced(examples::causal_sentence());
  const std::string text = in_text(trace, "K[1,1]", {.depth = 1, .top = 2});
  CHECK(examples::holds(text, "(2 more: "));
  CHECK(examples::holds(text, "b_K[1] = "));
}

TEST_CASE("a tree goes down to the last level of which all lines fit", "[explain][why]") {
  constexpr std::size_t width = 60;
  Problem problem = examples::worked_example();
  for (auto part : {&Attention::query, &Attention::key}) {
    (problem.attention().*part) = Projection{examples::scattered({{"d_model", 4}, {"d_k", width}}, 1), {}};
  }
  problem.attention().key_width = width;
  const Trace trace = examples::traced(problem);
  const auto deepest = [&](std::size_t top) {
    std::size_t depth = 0;
    const Document document = why(trace, {"scores", 1}, {.top = top});
    for (const Branch& branch : tree_of(document).branches) depth = std::max(depth, branch.depth);
    return depth;
  };
  CHECK(deepest(3) == 2);
  CHECK(deepest(30) == 1);
}

TEST_CASE("a number that is read twice is told once", "[explain][why]") {
  RecipeBuilder work;
  const std::string a = work.given({.id = "a", .symbol = "A", .role = Role::input},
                                   LateTensor(Tensor<double>(Shape{{"query", 2}}, {3, 4})));
  const std::string b = work.step({.id = "b", .symbol = "B"}, Map{Unary::add, 1, ""}, {a});
  work.step({.id = "made", .symbol = "Y"}, Combine{Binary::multiply, {}}, {b, b});
  CHECK(tree_in_text(worked_out(work), "made[2]") ==
        "  Y[2] = 5 × 5 = 25\n"
        "  └ B[2] = 4 + 1 = 5\n"
        "    └ A[2] = 4  (given)\n");
}

// Sums of a row of ones from which the mask takes what it says, given and not made of rules.
Trace behind_given_mask(const std::vector<double>& open) {
  const Shape row{{"key", open.size()}};
  RecipeBuilder work;
  const std::string a = work.given({.id = "a", .symbol = "A", .role = Role::input},
                                   LateTensor(Tensor<double>(row, std::vector<double>(open.size(), 1))));
  const std::string mask = work.given({.id = "mask", .symbol = "M", .title = "gaps: as given", .role = Role::mask},
                                      LateTensor(Tensor<double>(row, open)));
  work.step({.id = "made", .symbol = "Y", .role = Role::softmax}, Softmax{Softmax::Part::maximum, "key"}, {a}, mask);
  return worked_out(work);
}

TEST_CASE("a mask that is given closes cells by its own name", "[explain][why]") {
  const Trace trace = behind_given_mask({1, 0, 0, 1});
  const std::string text = in_text(trace, "made");
  CHECK(examples::holds(text, "gaps"));
  const Document document = why(trace, {"made", 0}, {});
  const std::string tree = as_text(document);
  CHECK(examples::holds(tree, "Y = max(1, 1) = 1"));
  CHECK(examples::holds(tree, "M[2…3] = [0, 0]"));
  CHECK(examples::holds(tree, "(gaps: as given)"));
  CHECK(closed_by(trace, {"mask", 1, 1, 2}) == "closed by gaps");
}

TEST_CASE("where a row is closed here and there the first runs are told and the others named", "[explain][why]") {
  Problem problem = examples::causal_sentence(std::vector<std::string>(24, "word"));
  problem.attention().options.erase("causal");
  Tensor<double> open(Shape{{"query", 24}, {"key", 24}}, std::vector<double>(24 * 24, 1));
  for (std::size_t i = 0; i < open.size(); i += 2) open[i] = 0;
  problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::allow, open}};
  const Trace trace = examples::traced(problem);
  const std::string text = in_text(trace, "row_maximum[1]", {.depth = 1, .top = 2});
  INFO(text);
  CHECK(examples::holds(text, "M[1,1] = 0  (closed by mask)"));
  CHECK(examples::holds(text, "M[1,3] = 0  (closed by mask)"));
  CHECK_FALSE(examples::holds(text, "M[1,5] = 0"));
  CHECK(examples::holds(text, "10 more"));
  CHECK(examples::holds(text, "M[1,11] …"));
  CHECK_FALSE(examples::holds(text, "M[1,13]"));
}

TEST_CASE("a rule that closes a whole row is told once below it", "[explain][why]") {
  Problem problem = examples::closed_row();
  problem.attention().options["mask"] =
      std::vector<MaskTerm>{{MaskTerm::Kind::allow, Tensor<double>(Shape{{"query", 2}}, {1, 0})}};
  const std::string text = in_text(examples::traced(problem), "row_maximum[2]");
  INFO(text);
  CHECK(examples::holds(text, "M[2,1…5] = [0, 0, 0, 0, 0]  (closed by mask)"));
  std::size_t told = 0;
  for (std::size_t at = text.find("M_1[2] = 0"); at != std::string::npos; at = text.find("M_1[2] = 0", at + 1)) ++told;
  CHECK(told == 1);
}

TEST_CASE("a note stands with the numbers that it is about", "[explain][why]") {
  Trace trace = examples::traced(examples::causal_sentence());
  trace.notes = {{"", {}, "general", "about nothing told"},
                 {"nowhere", {}, "other", "about what is not there"},
                 {"scores", {0}, "row", "about row 1"},
                 {"scores", {2}, "row", "about row 3"},
                 {"scores", {0, 1, 0}, "odd", "about more than there is"},
                 {"weights.key", {1}, "given", "about what is given"}};
  const std::string text = in_text(trace, "scores[1,2]");
  CHECK(examples::holds(text, "about row 1"));
  CHECK(examples::holds(text, "about what is given"));
  for (const char* elsewhere : {"about nothing told", "about what is not there", "about row 3", "about more"}) {
    CHECK_FALSE(examples::holds(text, elsewhere));
  }
}

TEST_CASE("a single number has no place among others", "[explain][why]") {
  RecipeBuilder work;
  const std::string x = work.given({.id = "x", .symbol = "x", .role = Role::input},
                                   LateTensor(Tensor<double>(Shape{{"d_model", 2}}, {1, 5})));
  work.step({.id = "mean", .symbol = "μ", .title = "Mean", .formula = "{} = mean of {0}"},
            Normalize{Normalize::Part::mean, "d_model"}, {x});
  const Trace trace = worked_out(work);
  const std::string text = as_text(why(trace, {"mean", 0}, {}));
  CHECK(examples::holds(text, "μ = mean of x\n"));
  CHECK(examples::holds(text, "μ = (1 + 5) / 2 = 6 / 2 = 3"));
  CHECK(examples::holds(as_text(why(trace, {"mean", std::nullopt}, {})), "μ = (1 + 5) / 2 = 6 / 2 = 3"));
}

TEST_CASE("what is rounded by hand says what it was", "[explain][why]") {
  Problem problem = examples::worked_example();
  problem.arithmetic.hand_rounding = parse_hand_rounding("1:keep-sum");
  CHECK(examples::holds(tree_in_text(examples::traced(problem), "attention_weights[1,2]"),
                        "A[1,2] = 1 / 2.1353 ≈ 0.5\n"
                        "    (0.4683 rounded to 1 decimal, so that the row keeps its sum)\n"));
  problem.arithmetic.hand_rounding = parse_hand_rounding("2:truncate");
  CHECK(
      examples::holds(tree_in_text(examples::traced(problem), "attention_weights[1,2]"), "(0.4683 cut to 2 decimals)"));
}

TEST_CASE("what is told of rounding by hand in a narrow dtype leads to the number that is shown", "[explain][why]") {
  const auto told = [](const std::string& query, const std::string& arithmetic) {
    const std::string text = R"({"queries": [[)" + query + R"(]], "keys": [[-3]], "score": "dot", "arithmetic": )";
    const std::string tree = tree_in_text(examples::traced(problem_of(text + arithmetic + "}")), "scores[1,1]");
    return std::regex_replace(tree, std::regex("\\s+"), " ");
  };
  CHECK(examples::holds(told("-0.8701171875", R"({"dtype": "f16", "hand_rounding": "2:truncate"})"),
                        "S[1,1] = q₁·k₁ = (−0.8701)×(−3) ≈ 2.5996 (2.6104, rounded to half precision: 2.6094 cut to "
                        "2 decimals, rounded to half precision)"));
  CHECK(examples::holds(told("-0.875", R"({"dtype": "f16", "hand_rounding": "1:truncate"})"),
                        "≈ 2.5996 (2.625 cut to 1 decimal, rounded to half precision)"));
  CHECK(examples::holds(told("-0.8359375", R"({"dtype": "bf16", "hand_rounding": "0"})"),
                        "≈ 3 (2.5078, rounded to bfloat16: 2.5 rounded to 0 decimals)"));
  CHECK(examples::holds(told("-0.8701171875", R"({"hand_rounding": "2:truncate"})"),
                        "≈ 2.61 (2.6104 cut to 2 decimals)"));
}

TEST_CASE("beside rounding by hand the inner numbers of softmax say what the dtype made of them", "[explain][why]") {
  const std::string text = R"({"queries": [[1]], "keys": [[0], [-0.58], [-2.31]], "values": [[1], [2], [3]],
                              "score": "dot", "arithmetic": {"dtype": "f16", "hand_rounding": "2:keep-sum"}})";
  const std::string told = tree_in_text(examples::traced(problem_of(text)), "exponential_sums[1]");
  CHECK(examples::holds(told, "0.5599"));
  CHECK(examples::holds(told, "rounded to half precision"));
  CHECK_FALSE(examples::holds(told, "decimals"));
}

TEST_CASE("a padded query says so", "[explain][why]") {
  const Trace trace = examples::traced(examples::ragged_heads());
  CHECK(examples::holds(in_text(trace, "context[2,1,3,1]"), "query 3 of sequence 2 is padding"));
  CHECK_FALSE(examples::holds(in_text(trace, "context[1,1,3,1]"), "is padding:"));
}

TEST_CASE("without an index all of the step is told", "[explain][why]") {
  const Trace trace = examples::traced(examples::worked_example());
  const std::string scores = in_text(trace, "scores");
  for (std::size_t i = 1; i <= 3; ++i) {
    for (std::size_t j = 1; j <= 3; ++j) {
      CHECK(examples::holds(scores, "S[" + std::to_string(i) + "," + std::to_string(j) + "] = "));
    }
  }
  CHECK(examples::holds(in_text(trace, "weights.key"), "W_K"));
  CHECK(examples::holds(in_text(trace, "inputs"), "X"));
  Problem large = examples::large();
  large.attention().heads = 2;
  large.attention().key_width = large.attention().value_width = 32;
  CHECK(examples::holds(in_text(examples::traced(large), "scores"), "S[40,40] = q₄₀·k₄₀"));
}

TEST_CASE("of a very large step one row of one head is told, and how to ask for more", "[explain][why]") {
  const std::string scores = in_text(examples::traced(examples::large()), "scores");
  CHECK(examples::holds(scores, "S[1,40] = q₁·k₄₀"));
  CHECK_FALSE(examples::holds(scores, "S[2,1] = "));
  CHECK(examples::holds(scores, "… 39 more queries and 7 more heads in the same"));
}

// The index, counted from 1, that the question means; or what is said about it.
std::string found(const Trace& trace, const std::string& typed) {
  const Result<Question> question = read_question(typed);
  if (!question) return question.faults()[0].message;
  const Result<Asked> asked = find_asked(trace, question.value());
  if (!asked) return asked.faults()[0].message;
  return asked.value().cell ? cell_name(trace, {asked.value().id, *asked.value().cell, 0, 1}) : asked.value().id;
}

TEST_CASE("a number is found by numbers and by labels", "[explain][why]") {
  const Trace trace =
      examples::traced(examples::causal_sentence({"it", "a, b", "[CLS]", "3", "don't", "\"", "x]", "\\"}));
  CHECK(found(trace, "scores") == "scores");
  CHECK(found(trace, "result") == "output");
  CHECK(found(trace, "result[1,2]") == "output[1,2]");
  CHECK(found(trace, " scores [ 2 , 1 ] ") == "scores[2,1]");
  CHECK(found(trace, "scores[it,2]") == "scores[1,2]");
  CHECK(found(trace, "scores['a, b',it]") == "scores[2,1]");
  CHECK(found(trace, "scores[\"a, b\",it]") == "scores[2,1]");
  CHECK(found(trace, "scores[[CLS],it]") == "scores[3,1]");
  CHECK(found(trace, "scores[3,'3']") == "scores[3,4]");
  CHECK(found(trace, "scores[don't,\"don't\"]") == "scores[5,5]");
  CHECK(found(trace, "scores['don\\'t',1]") == "scores[5,1]");
  CHECK(found(trace, "scores['\"',\"\\\"\"]") == "scores[6,6]");
  CHECK(found(trace, "scores['x]',1]") == "scores[7,1]");
  CHECK(found(trace, "scores['\\\\',\\]") == "scores[8,8]");
  CHECK(found(trace, "inputs[it,4]") == "inputs[1,4]");
  CHECK(found(trace, "weights.key[4,3]") == "weights.key[4,3]");
  CHECK(found(trace, "biases.key[3]") == "biases.key[3]");
  CHECK(found(trace, "mask.causal[it,[CLS]]") == "mask.causal[1,3]");
}

TEST_CASE("labels are those of the sequence that is asked for", "[explain][why]") {
  Problem problem = examples::ragged_heads();
  problem.attention().query_labels = problem.attention().key_labels = {{"the", "dog", "barks"}, {"dog", "the", "·"}};
  const Trace trace = examples::traced(problem);
  CHECK(found(trace, "scores[1,1,dog,the]") == "scores[1,1,2,1]");
  CHECK(found(trace, "scores[2,2,dog,the]") == "scores[2,2,1,2]");
  CHECK(found(trace, "scores[2,2,barks,1]") == "no query of scores is called `barks`");
}

TEST_CASE("a question that cannot be answered is told what is there", "[explain][why]") {
  const Trace trace = examples::traced(examples::causal_sentence({"the", "cat", "saw", "the"}));
  CHECK(found(trace, "scores[the,1]") == "`the` is more than one query: 1 and 4");
  CHECK(found(trace, "scores[1,cta]") == "no key of scores is called `cta`; did you mean `cat`?");
  CHECK(found(trace, "scores[1,5]") == "scores has no key 5: key goes from 1 to 4");
  CHECK(found(trace, "scores[0,1]") == "scores has no query 0: query goes from 1 to 4");
  CHECK(found(trace, "scores[1,-1]") == "scores has no key -1: key goes from 1 to 4");
  CHECK(found(trace, "scores[1,1.5]") == "scores has no key 1.5: key goes from 1 to 4");
  CHECK(found(trace, "keys[1,cat]") == "`cat` is no d_k of keys: they have numbers only");
  CHECK(found(trace, "scores[1]") == "`scores[1]` has 1 index, and scores has 2 axes");
  CHECK(found(trace, "scores[1,1,1]") == "`scores[1,1,1]` has 3 indices, and scores has 2 axes");
  CHECK(found(trace, "scroes[1,1]") == "this problem has no step `scroes`; did you mean `scores`?");
  CHECK(found(trace, "S[1,1]") == found(trace, "scores[1,1]"));
  CHECK(found(trace, "Y[1,1]").starts_with("this problem has no step `Y`"));
  CHECK(found(trace, "") == "`` names no step");
  CHECK(found(trace, "[1,1]") == "`[1,1]` names no step");
  CHECK(found(trace, "scores[") == "`scores[` has no ] at its end");
  CHECK(found(trace, "scores[1,2") == "`scores[1,2` has no ] at its end");
  CHECK(found(trace, "scores[1,,2]") == "`scores[1,,2]` has an empty index");
  CHECK(found(trace, "scores[1,2] 3") == "`3` is too much in `scores[1,2] 3`");
  CHECK(found(trace, "scores['a'b,2]") == "`b,2]` is too much in `scores['a'b,2]`");
  CHECK(found(trace, "scores['a,2]") == "a quote is opened and not closed in `scores['a,2]`");
}

std::string help_for(const Trace& trace, const std::string& typed) {
  const Result<Asked> asked = find_asked(trace, read_question(typed).value());
  REQUIRE_FALSE(asked);
  return asked.faults()[0].help.text();
}

TEST_CASE("an index may stand between tabs and end in a backslash", "[explain][why]") {
  const Trace trace = examples::traced(examples::causal_sentence());
  CHECK(found(trace, "scores[\t1 ,\t2\t]") == "scores[1,2]");
  CHECK(found(trace, "scores['1\\") == "a quote is opened and not closed in `scores['1\\`");
}

TEST_CASE("of many steps and labels the first are listed", "[explain][why]") {
  const std::string given_alone = help_for(examples::traced(examples::wide({1, 2})), "Y");
  INFO(given_alone);
  CHECK(examples::holds(given_alone, "its steps are keys, queries, values, scores"));
  CHECK_FALSE(examples::holds(given_alone, "given are"));

  RecipeBuilder work;
  std::string last =
      work.given({.id = "a", .symbol = "A", .role = Role::input}, LateTensor(Tensor<double>(Shape{{"query", 1}}, {1})));
  for (int i = 1; i <= 41; ++i) last = work.step({.id = "step" + std::to_string(i), .symbol = "S"}, Copy{}, {last});
  const std::string of_many = help_for(worked_out(work), "Y");
  CHECK(examples::holds(of_many, "step39, step40, …"));
  CHECK_FALSE(examples::holds(of_many, "step41"));

  std::vector<std::string> words;
  for (char letter = 'a'; letter <= 'u'; ++letter) words.push_back(std::string("word-") + letter);
  const std::string labels = help_for(examples::traced(examples::causal_sentence(words)), "scores[1,none]");
  CHECK(examples::holds(labels, "word-s, word-t, …"));
  CHECK_FALSE(examples::holds(labels, "word-u"));
}

TEST_CASE("a symbol that several steps have names none of them", "[explain][why]") {
  RecipeBuilder work;
  const std::string a =
      work.given({.id = "a", .symbol = "A", .role = Role::input}, LateTensor(Tensor<double>(Shape{{"query", 1}}, {1})));
  work.step({.id = "first", .symbol = "S"}, Copy{}, {a});
  work.step({.id = "second", .symbol = "S"}, Copy{}, {a});
  const Trace trace = worked_out(work);
  CHECK(examples::holds(found(trace, "S[1]"), "first, second"));
  CHECK(found(trace, "second[1]") == "second[1]");
}

TEST_CASE("whatever is typed is read, or refused", "[explain][why]") {
  const Trace trace = examples::traced(examples::causal_sentence());
  const std::string letters = "scores[]12,'\"\\ \xff";
  const std::vector<std::string> right = {"scores[1,2]", "scores[cat,'sat']", "weights.key[4,\"3\"]", "scores[ it ,1]"};
  std::uint32_t seed = 1;
  const auto drawn = [&](std::size_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 12) % below;
  };
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string typed = right[drawn(right.size())];
    for (std::size_t changes = drawn(4); changes > 0; --changes) {
      typed.replace(drawn(typed.size() + 1), drawn(2), std::string(drawn(2), letters[drawn(letters.size())]));
    }
    const std::string said = found(trace, typed);
    REQUIRE_FALSE(said.empty());
    refused += trace.find(said.substr(0, said.find('['))) ? 0 : 1;
  }
  CHECK(refused > 5'000);
  CHECK(refused < 19'000);
}

TEST_CASE("a tree in ASCII is ASCII, and keeps to its columns", "[explain][why]") {
  const Trace trace = examples::traced(examples::ragged_heads());
  const Document document = why(trace, {"output", 0}, {.depth = {}, .precision = {}, .full = true});
  for (const std::size_t width : {60u, 80u, 120u}) {
    const std::string text = as_text(document, {.width = width, .color = false, .ascii = true, .full = false});
    for (const std::string& line : examples::lines_of(text)) {
      INFO(line);
      CHECK(line.size() <= width);
      CHECK(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; }));
    }
  }
}

}  // namespace
}  // namespace attn
