#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/math.h"
#include "catch.h"
#include "explain/geometry/read.h"
#include "explain/telling/parts.h"
#include "formats/scene.h"
#include "unit/explain/examples.h"
#include "words/language.h"

using namespace attn;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// The trace as it were if these steps were not known.
Trace without_steps(const Trace& trace, const std::vector<std::string>& ids) {
  Trace rest = trace;
  rest.steps.clear();
  for (const Step& step : trace.steps) {
    if (std::ranges::find(ids, step.heading.id) == ids.end()) rest.steps.push_back(step);
  }
  return rest;
}

// The trace with other numbers as the result of a step, which then follow from nothing.
Trace with_other_numbers(const Trace& trace, const std::string& id, const Tensor<double>& numbers) {
  Trace other = trace;
  other.steps.clear();
  for (const Step& step : trace.steps) {
    if (step.heading.id == id) {
      other.steps.emplace_back(Instruction{.heading = step.heading, .op = Given{}}, numbers);
    } else {
      other.steps.push_back(step);
    }
  }
  return other;
}

std::optional<ReadGeometry> geometry_read(const Trace& trace, const Anatomy& attention, const Place& place = {}) {
  return read_geometry(trace, attention, place, std::nullopt);
}

std::optional<ReadGeometry> geometry_read(const Trace& trace) { return geometry_read(trace, *trace.attention()); }

template <class Change>
Anatomy but(Anatomy attention, Change change) {
  change(attention);
  return attention;
}

Document geometry_told(const Trace& trace, GeometryWanted wanted) {
  ExplainOptions options;
  options.geometry = wanted;
  Document document;
  tell_geometry(trace, options, Numerals(4, Dtype::f64), document);
  return document;
}

std::vector<GeometryPicture::Kind> kinds_told(const Document& document) {
  std::vector<GeometryPicture::Kind> kinds;
  for (const Block& block : document.blocks) {
    if (const auto* told = std::get_if<GeometryTold>(&block)) {
      for (const GeometryPicture& picture : told->pictures) kinds.push_back(picture.kind);
    }
  }
  return kinds;
}

bool has_no_arrows(const ReadGeometry& read) {
  return read.drawn.keys.size() == 3 && read.drawn.keys[2].name == "k3" && read.drawn.queries[0].name == "q1" &&
         std::ranges::all_of(read.drawn.keys, [](const DrawnVector& key) { return key.numbers.empty(); }) &&
         std::ranges::all_of(read.drawn.queries, [](const DrawnVector& query) { return query.numbers.empty(); });
}

// Whether all that is drawn stands somewhere, and not as far away as numbers reach.
bool has_places(const std::variant<SceneLine, SceneDisc, SceneText>& one) {
  std::vector<DrawnPoint> points;
  if (const auto* line = std::get_if<SceneLine>(&one)) points = line->through;
  if (const auto* disc = std::get_if<SceneDisc>(&one)) points = {disc->at};
  if (const auto* text = std::get_if<SceneText>(&one)) points = {text->at};
  return std::ranges::all_of(
      points, [](const DrawnPoint& point) { return std::abs(point.x) < 10000 && std::abs(point.y) < 10000; });
}

// Two queries and five keys, with positions that turn queries and keys.
Problem turned_example() {
  Problem problem = examples::closed_row();
  problem.attention().options.erase("mask");
  problem.attention().positions = Choice{.name = "rope", .numbers = {{"base", 100}, {"interleaved", 0}}, .tensors = {}};
  return problem;
}

}  // namespace

TEST_CASE("an attention without scores and weights of queries and keys has no geometry", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  const Anatomy& all = *trace.attention();
  CHECK(geometry_read(trace, all));
  CHECK_FALSE(geometry_read(without_steps(trace, {"scores"})));
  CHECK_FALSE(geometry_read(without_steps(trace, {"attention_weights"})));
  CHECK_FALSE(geometry_read(trace, but(all, [](Anatomy& at) { at.weights = "row_maximum"; })));
  CHECK_FALSE(geometry_read(trace, but(all, [](Anatomy& at) { at.weights = "keys"; })));
  CHECK_FALSE(geometry_read(trace, but(all, [](Anatomy& at) { at.scores = "queries"; })));
  CHECK_FALSE(geometry_read(trace, but(all, [](Anatomy& at) {
                              at.maximum = "";
                              at.weights = "scores";  // which no softmax made
                            })));
  const Trace sentence = examples::traced(examples::causal_sentence());
  CHECK(geometry_read(sentence));
  CHECK_FALSE(geometry_read(without_steps(sentence, {"masked_scores", "scaled_scores"})));  // that softmax reads
  Trace padding = examples::traced(examples::ragged_heads());
  CHECK(geometry_read(padding));
  padding.own_queries = {0, 2};  // of two sequences the first has none
  CHECK_FALSE(geometry_read(padding));
}

TEST_CASE("where values or contexts are not known there are arrows, and no points", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  const Anatomy& all = *trace.attention();
  const ReadGeometry whole = *geometry_read(trace);
  REQUIRE(whole.drawn.context);
  CHECK_FALSE(whole.drawn.path.empty());
  const std::optional<ReadGeometry> cases[] = {
      geometry_read(without_steps(trace, {"values"})), geometry_read(without_steps(trace, {"context"})),
      geometry_read(without_steps(trace, {"weighted_values"})),
      geometry_read(trace, but(all, [](Anatomy& at) { at.context = "row_maximum"; })),
      geometry_read(trace, but(all, [](Anatomy& at) { at.weighted_values = "exponentials"; }))};
  for (const auto& read : cases) {
    REQUIRE(read);
    CHECK_FALSE(read->drawn.context);
    CHECK(read->drawn.values.empty());
    CHECK(read->drawn.path.empty());
    CHECK_FALSE(read->drawn.rule);
    CHECK(read->drawn.keys[1].numbers == whole.drawn.keys[1].numbers);
    CHECK(read->drawn.weights == whole.drawn.weights);
    CHECK(read->drawn.sharpened.size() == 5);
    CHECK(scene_of(GeometryPicture::Kind::points, read->drawn).drawn.empty());
  }
  using Kind = GeometryPicture::Kind;
  CHECK(kinds_told(geometry_told(trace, GeometryWanted::asked)) ==
        std::vector<Kind>{Kind::arrows, Kind::points, Kind::sharpening});
  for (const GeometryWanted wanted : {GeometryWanted::asked, GeometryWanted::where_small}) {
    CHECK(kinds_told(geometry_told(without_steps(trace, {"values"}), wanted)) ==
          std::vector<Kind>{Kind::arrows, Kind::sharpening});
  }
}

TEST_CASE("where queries or keys are not known they have names alone", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  const Anatomy& all = *trace.attention();
  CHECK(has_no_arrows(*geometry_read(without_steps(trace, {"queries"}))));
  CHECK(has_no_arrows(*geometry_read(without_steps(trace, {"keys"}))));
  // Scores that multiply nothing: the same of vectors that are not those of so many queries and keys.
  const Anatomy other = but(all, [](Anatomy& at) { at.scores = "exponentials"; });
  for (const char* queries : {"row_maximum", "weights.query", "no such step"}) {
    CHECK(has_no_arrows(*geometry_read(trace, but(other, [&](Anatomy& at) { at.queries = queries; }))));
  }
  const Trace fewer = with_other_numbers(trace, "keys", examples::matrix("key", "d_k", {{1, 2, 3}, {4, 5, 6}}));
  CHECK(has_no_arrows(*geometry_read(fewer, other)));
  CHECK(geometry_read(trace, but(all, [](Anatomy& at) { at.scores = "keys"; }))->comparison == Comparison::other);
}

TEST_CASE("queries and keys that are not multiplied stand as they go into what compares them", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  const Anatomy other = but(*trace.attention(), [](Anatomy& at) { at.scores = "exponentials"; });
  const Tensor<double>&queries = trace.value("queries"), &keys = trace.value("keys");
  for (const Place& place : {Place{}, Place{{"head", 0}, {"batch", 0}}}) {  // it has neither
    const ReadGeometry read = *geometry_read(trace, other, place);
    CHECK(read.comparison == Comparison::other);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t at = 0; at < 3; ++at) {
        CHECK(read.drawn.queries[i].numbers[at] == queries[3 * i + at]);
        CHECK(read.drawn.keys[i].numbers[at] == keys[3 * i + at]);
      }
    }
    CHECK(read.drawn.context->numbers == geometry_read(trace)->drawn.context->numbers);
  }
}

TEST_CASE("powers are of e where no step says of what", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  const Anatomy unsaid = but(*trace.attention(), [](Anatomy& at) { at.exponentials = "scores"; });
  const ReadGeometry read = *geometry_read(trace, unsaid);
  CHECK(read.drawn.rule->base == 0);
  CHECK(read.drawn.sharpened[3].weights == geometry_read(trace)->drawn.sharpened[3].weights);
}

TEST_CASE("infinite vectors are not drawn, and infinite scores are not sharpened", "[explain]") {
  Problem problem = examples::closed_row();
  problem.attention().options.erase("mask");
  problem.attention().values = examples::scattered({{"key", 5}, {"d_v", 4}}, 3);
  problem.attention().value_width = 4;
  const Trace trace = examples::traced(problem);
  CHECK(geometry_read(trace)->drawn.corners.size() > 2);
  CHECK(geometry_read(trace)->drawn.sharpened.size() == 5);

  const Tensor<double> values(Shape{{"key", 5}, {"d_v", 4}}, std::vector<double>(20, infinite));
  const Tensor<double> context(Shape{{"query", 2}, {"d_v", 4}}, std::vector<double>(8, infinite));
  ReadGeometry read = *geometry_read(with_other_numbers(trace, "values", values));
  CHECK(read.drawn.corners.empty());
  CHECK(read.drawn.points.right == std::vector<double>{1, 0, 0, 0});
  read.drawn.context->numbers = {infinite, 0, 0, 0};
  const Scene scene = scene_of(GeometryPicture::Kind::points, read.drawn);
  for (const auto& one : scene.drawn) CHECK_FALSE(std::holds_alternative<SceneDisc>(one));

  const Tensor<double> keys(Shape{{"key", 5}, {"d_k", 4}}, std::vector<double>(20, infinite));
  const Tensor<double> queries(Shape{{"query", 2}, {"d_k", 4}}, std::vector<double>(8, infinite));
  const ReadGeometry no_arrows =
      *geometry_read(with_other_numbers(with_other_numbers(trace, "keys", keys), "queries", queries));
  CHECK(std::isnan(no_arrows.drawn.angles[0]));
  CHECK(no_arrows.arrows_kept == 0);

  const Tensor<double> scores(Shape{{"query", 2}, {"key", 5}}, {1, infinite, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(geometry_read(with_other_numbers(trace, "scores", scores))->drawn.sharpened.empty());
}

TEST_CASE("numbers about as large as there are come to no place in a drawing that is none", "[explain]") {
  const std::vector<std::vector<double>> rows = {{1.7e308, 1.7e308, 0, 0}, {-1.7e308, 0, 0, 1.7e308}, {1, 2, 3, 4}};
  for (const std::size_t width : {1, 2, 3, 4}) {
    Problem problem = turned_example();
    if (width % 2 != 0) problem.attention().positions.reset();
    std::vector<double> numbers;
    for (std::size_t i = 0; i < 3 * width; ++i) numbers.push_back(rows[i / width][i % width]);
    problem.attention().keys = Tensor<double>(Shape{{"key", 3}, {"d_k", width}}, numbers);
    problem.attention().queries = Tensor<double>(Shape{{"query", 3}, {"d_k", width}}, numbers);
    problem.attention().values = Tensor<double>(Shape{{"key", 3}, {"d_v", width}}, numbers);
    problem.attention().query_count = problem.attention().key_count = 3;
    problem.attention().key_width = problem.attention().value_width = width;
    problem.attention().query_labels = problem.attention().key_labels = {examples::numbered(3)};
    const Trace trace = examples::traced(problem);
    for (std::size_t query = 0; query < 3; ++query) {
      const ReadGeometry read = *read_geometry(trace, *trace.attention(), {}, query);
      for (const auto kind :
           {GeometryPicture::Kind::arrows, GeometryPicture::Kind::points, GeometryPicture::Kind::turning}) {
        for (const auto& one : scene_of(kind, read.drawn).drawn) CHECK(has_places(one));
      }
    }
  }
}

TEST_CASE("a pair of large numbers turns as one of small numbers does", "[explain]") {
  const auto places = [](double scale) {
    Problem problem = turned_example();
    Tensor<double> queries = examples::scattered({{"query", 2}, {"d_k", 4}}, 1);
    for (double& number : queries.data()) number *= scale;
    problem.attention().queries = queries;
    const Trace trace = examples::traced(problem);
    const Scene scene =
        scene_of(GeometryPicture::Kind::turning, read_geometry(trace, *trace.attention(), {}, 1)->drawn);
    return svg_scene(scene, [](SceneInk) { return std::string("black"); });
  };
  CHECK(examples::holds(places(1), "<polygon"));
  CHECK(places(0x1p+900) == places(1));
}

TEST_CASE("an angle beside a vector of no length, or of infinite length, is none", "[explain]") {
  const std::vector<double> one = {1, 0}, none = {0, 0}, endless = {infinite, 1};
  CHECK(angle_between(one, {0, 2}) == Approx(std::acos(0.0)).epsilon(1e-15));
  for (const auto& [a, b] : {std::pair(one, none), {none, one}, {one, endless}, {endless, one}, {endless, endless}}) {
    CHECK(std::isnan(angle_between(a, b)));
  }
  CHECK(length_of(endless) == infinite);
}

TEST_CASE("turns are told where the angles are known", "[explain]") {
  const Trace trace = examples::traced(turned_example());
  REQUIRE(geometry_read(trace)->drawn.turned.size() == 2);
  CHECK(geometry_read(trace)->drawn.turned[1].each == Approx(0.1).epsilon(1e-15));  // 1 / 100^(2/4)
  const std::string cosines = "rotation_cosines.query", sines = "rotation_sines.query";
  CHECK(geometry_read(without_steps(trace, {sines}))->drawn.turned.empty());
  CHECK(geometry_read(with_other_numbers(trace, cosines, trace.value(cosines)))->drawn.turned.empty());
  Trace given = without_steps(trace, {cosines});
  given.givens.emplace_back(std::make_shared<const Instruction>(
      Instruction{.heading = trace.heading(cosines),
                  .op = Given{},
                  .given = GivenNumbers(LateTensor<double>(trace.value(cosines)))}));
  CHECK(geometry_read(given)->drawn.turned.empty());
}

TEST_CASE("geometry that is asked for and is not there is told why, and none is told", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  const GeometryWords& said = language().geometry;
  CHECK_FALSE(no_geometry(trace, {}));
  CHECK(geometry_told(trace, GeometryWanted::none).blocks.empty());
  const Trace cases[] = {
      without_steps(trace, {"attention_weights"}), without_steps(trace, {"scores"}),
      with_other_numbers(trace, "attention_weights", examples::matrix("query", "d_k", {{1, 0}, {0, 1}})),
      with_other_numbers(trace, "attention_weights", examples::matrix("d_k", "key", {{1, 0}, {0, 1}}))};
  for (const Trace& rest : {cases[0], cases[1], cases[2]}) {
    CHECK(no_geometry(rest, {}) == std::optional(std::string(said.no_weights)));
    CHECK(geometry_told(rest, GeometryWanted::asked).blocks.empty());
  }
  for (const Trace& rest : cases) CHECK(geometry_told(rest, GeometryWanted::where_small).blocks.empty());
}

TEST_CASE("of two attentions that is drawn of which the weights are known", "[explain]") {
  Trace trace = examples::traced(examples::worked_example());
  const std::size_t one = kinds_told(geometry_told(trace, GeometryWanted::where_small)).size();
  RecipePart unknown = trace.recipe.parts().front();
  unknown.attention->weights = unknown.attention->scores = "another.weights";
  trace.recipe.parts().push_back(std::move(unknown));
  CHECK(one == 3);
  CHECK(kinds_told(geometry_told(trace, GeometryWanted::where_small)).size() == one);
}
