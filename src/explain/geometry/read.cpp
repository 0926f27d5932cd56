#include "explain/geometry/read.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/math.h"
#include "explain/provenance.h"
#include "explain/worked_cell.h"
#include "ops/functions.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t most_named = 16;  // keys
constexpr std::size_t most_arrows_named = 14;

std::vector<double> numbers_at(const Trace& trace, const Slice& cells) {
  const Tensor<double>& tensor = trace.value(cells.tensor);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < cells.count; ++i) numbers.push_back(tensor[cells.cell(i)]);
  return numbers;
}

double largest_size(const std::vector<double>& vector) {
  double largest = 0;
  for (const double number : vector) largest = larger(largest, std::abs(number));
  return largest;
}

// Whether all of these would be one dot, beside how far they are from zero.
bool is_one_place(const std::vector<DrawnPoint>& path) {
  return std::ranges::all_of(path, [&](const DrawnPoint& point) {
    const double away = std::max(std::abs(point.x - path[0].x), std::abs(point.y - path[0].y));
    return away <= 1e-3 * std::max(std::abs(path[0].x), std::abs(path[0].y));
  });
}

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))); }

// The scores times `factor`, as softmax weighs them.
struct Softened {
  const std::vector<double>& scores;
  const std::vector<bool>& open;
  std::optional<double> sink;
  double base = 0;

  // Shares of the whole, of which a sink takes one. REQUIRES: some are open, whose largest then adds 1 to the sum.
  std::vector<double> weights(double factor) const {
    double largest = sink.value_or(-std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (open[i]) largest = std::max(largest, scores[i]);
    }
    // Of what is multiplied before the difference is taken, more than one might be infinite.
    const auto exponential = [&](double score) { return factor == 0 ? 1 : power(base, factor * (score - largest)); };
    std::vector<double> weights(scores.size(), 0);
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (open[i]) sum += weights[i] = exponential(scores[i]);
    }
    if (sink) sum += exponential(*sink);
    for (double& weight : weights) weight /= sum;
    return weights;
  }
};

class GeometryReader {
 public:
  GeometryReader(const Trace& trace, const Anatomy& attention, const Place& place)
      : trace_(trace), attention_(attention), place_(place), symbols_(trace) {}

  bool can_read(std::optional<std::size_t> asked) {
    scores_ = trace_.find(attention_.scores);
    weights_ = trace_.find(attention_.weights);
    if (!scores_ || !weights_) return false;
    const Shape& shape = weights_->result.shape();
    if (!shape.has("query") || !shape.has("key") || !scores_->result.shape().has("key")) return false;
    softmax_ = trace_.find(attention_.maximum);
    if (!softmax_) softmax_ = weights_;
    const auto* softmax = std::get_if<Softmax>(&softmax_->op);
    if (!softmax) return false;
    softmax_reading_ = reading_of(trace_, *softmax_);
    by_powers_ = softmax->part == Softmax::Part::maximum;
    if (const Step* powers = trace_.find(attention_.exponentials)) {
      if (const auto* op = std::get_if<Softmax>(&powers->op)) base_ = op->base;
    }
    key_count_ = shape.size("key");
    query_count_ = shape.size("query");
    query_count_ = own_size(trace_, *weights_, {"query", query_count_}, sequence_of(place_));
    return query_count_ > asked.value_or(0) && !softmax_reading_.operands.empty();
  }

  ReadGeometry read(std::optional<std::size_t> asked) {
    read_rows();
    read_arrows();
    read_rotation();
    made_.drawn.query = asked ? *asked : telling_query();
    compare();
    read_values();
    name_some();
    read_turns();
    sharpen();
    give_rule();
    return std::move(made_);
  }

 private:
  Place at_query(std::size_t query) const { return with(place_, "query", query); }
  std::size_t cell_of(const Step& step, std::size_t query, std::size_t key) const {
    Place place;
    for (const auto& one : with(at_query(query), "key", key)) {
      if (step.result.shape().has(one.first)) place.push_back(one);
    }
    return offset_at(step.result.shape(), place);
  }

  std::string label_of(const Axis& axis, std::size_t index) const {
    const Shape& shape = weights_->result.shape();
    const std::string label = axis_label(trace_, weights_->heading, {axis, shape.size(axis)}, place_, index);
    return is_numbered(label, index) ? "" : label;
  }

  // What softmax reads of each query, and which of it is open.
  void read_rows() {
    for (std::size_t query = 0; query < query_count_; ++query) {
      const Provenance made = provenance(softmax_reading_, cell_of(*softmax_, query, 0));
      rows_.push_back(numbers_at(trace_, made.operands[0]));
      std::vector<bool> open(key_count_, true);
      if (made.open) {
        const std::vector<double> mask = numbers_at(trace_, *made.open);
        for (std::size_t key = 0; key < key_count_; ++key) open[key] = mask[mask.size() > 1 ? key : 0] != 0;
      }
      open_.push_back(std::move(open));
      if (by_powers_ && made.operands.size() > 1) sinks_.push_back(numbers_at(trace_, made.operands[1])[0]);
    }
  }

  DrawnVector vector_at(const Heading& heading, const Shape& shape, const Axis& axis, std::size_t index,
                        const Slice& cells, Role role) const {
    const Span name = symbols_.part(heading, shape, {{axis, index}});
    return {name.text, label_of(axis, index), role, numbers_at(trace_, cells)};
  }

  // Queries and keys where their numbers are multiplied; else as they go into what compares them.
  void read_arrows() {
    Geometry& drawn = made_.drawn;
    made_.score_symbol = scores_->heading.symbol.text();
    const Reading reading = reading_of(trace_, *scores_);
    const auto* sum = std::get_if<Contract>(&scores_->op);
    const bool multiplies = sum && reading.operands.size() >= 2 && reading.operands[0].shape.has("query") &&
                            reading.operands[1].shape.has("key");
    if (multiplies) {
      if (reading.operands.size() == 2) made_.comparison = Comparison::product;
      if (sum->then == Contract::Then::divide) made_.comparison = Comparison::cosine;
      const auto add = [&](std::vector<DrawnVector>& all, std::size_t operand, const Axis& axis, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
          const bool is_query = operand == 0;
          const Slice cells =
              provenance(reading, cell_of(*scores_, is_query ? i : 0, is_query ? 0 : i)).operands[operand];
          const Heading& heading = trace_.heading(cells.tensor);
          all.push_back(
              vector_at(heading, reading.operands[operand].shape, axis, i, cells, is_query ? Role::query : Role::key));
        }
      };
      compared_queries_ = reading.operands[0].id;
      add(drawn.queries, 0, "query", query_count_);
      add(drawn.keys, 1, "key", key_count_);
    } else {
      add_uncompared(drawn.queries, attention_.queries, "query", query_count_, Role::query);
      add_uncompared(drawn.keys, attention_.keys, "key", key_count_, Role::key);
    }
    if (drawn.queries.empty() || drawn.keys.empty() ||
        drawn.queries[0].numbers.size() != drawn.keys[0].numbers.size()) {
      forget_arrows();
    }
    if (drawn.keys[0].numbers.empty()) return;
    std::vector<const DrawnVector*> all;
    for (const DrawnVector& vector : drawn.queries) all.push_back(&vector);
    for (const DrawnVector& vector : drawn.keys) all.push_back(&vector);
    drawn.arrows = plane_for(all, false, made_.arrows_kept);
  }

  // They have names, and no numbers.
  void forget_arrows() {
    Geometry& drawn = made_.drawn;
    drawn.queries.clear();
    drawn.keys.clear();
    const std::string small[] = {"q", "k"};
    for (std::size_t i = 0; i < query_count_; ++i) {
      drawn.queries.push_back({small[0] + std::to_string(i + 1), label_of("query", i), Role::query, {}});
    }
    for (std::size_t i = 0; i < key_count_; ++i) {
      drawn.keys.push_back({small[1] + std::to_string(i + 1), label_of("key", i), Role::key, {}});
    }
  }

  void add_uncompared(std::vector<DrawnVector>& all, const std::string& id, const Axis& axis, std::size_t count,
                      Role role) {
    if (!trace_.find(id) && !trace_.find_given(id)) return;
    const Shape& shape = trace_.value(id).shape();
    Place place;
    for (const auto& [of, index] : place_) {
      if (!shape.has(of)) continue;
      const std::size_t own = of == "head" ? head_of(trace_, id, index + 1) - 1 : index;
      place.emplace_back(of, std::min(own, shape.size(of) - 1));
    }
    const std::vector<Dim> inner = inner_axes(shape, place);
    if (inner.size() != 2 || !shape.has(axis) || shape.size(axis) < count) return;
    const Dim& features = inner[0].axis == axis ? inner[1] : inner[0];
    for (std::size_t i = 0; i < count; ++i) {
      const Slice cells{id, offset_at(shape, with(place, axis, i)), shape.stride(features.axis), features.size};
      all.push_back(vector_at(trace_.heading(id), shape, axis, i, cells, role));
    }
  }

  DrawnPlane plane_for(const std::vector<const DrawnVector*>& vectors, bool about_mean, double& kept) const {
    const std::size_t width = vectors.front()->numbers.size();
    const GeometryWords& said = language().geometry;
    if (width == 1) return {DrawnPlane::Kind::line, {1}, {0}, said.axis(1), ""};
    if (width == 2) return {DrawnPlane::Kind::plane, {1, 0}, {0, 1}, said.axis(1), said.axis(2)};
    constexpr double half_root_of_3 = 0.8660254037844386;  // seen from 30° beside the first axis, from above
    if (width == 3) {
      return {DrawnPlane::Kind::space, {-0.5, half_root_of_3, 0}, {-0.28 * half_root_of_3, -0.14, 0.96}, "", ""};
    }
    VectorList rows;
    for (const DrawnVector* vector : vectors) {
      if (vector->can_be_drawn()) rows.push_back(vector->numbers);
    }
    if (about_mean && !rows.empty()) {
      for (std::size_t i = 0; i < width; ++i) {
        double sum = 0;
        for (const std::vector<double>& row : rows) sum += row[i] / static_cast<double>(rows.size());
        for (std::vector<double>& row : rows) row[i] -= sum;
      }
    }
    if (rows.empty()) rows.emplace_back(width, 0);
    Directions found = principal_directions(std::move(rows));
    kept = found.first_share + found.second_share;
    return {DrawnPlane::Kind::principal, std::move(found.first), std::move(found.second),
            said.principal(1, percent(found.first_share)), said.principal(2, percent(found.second_share))};
  }

  // The queries as they were before their positions turned them, if these did.
  void read_rotation() {
    const Step* turned = compared_queries_.empty() ? nullptr : trace_.find(compared_queries_);
    if (!turned || !std::holds_alternative<Rotate>(turned->op)) return;
    rotated_ = turned;
  }

  // A query that sees several keys says more than one that does not, one that is turned more than one that is not.
  std::size_t telling_query() const {
    std::size_t best = 0;
    for (std::size_t query = 0; query < query_count_; ++query) {
      if (std::ranges::count(open_[query], true) < 2) continue;
      if (!rotated_ || query > 0 || query_count_ == 1) return query;
      best = query;
    }
    return best;
  }

  void compare() {
    Geometry& drawn = made_.drawn;
    const std::size_t query = drawn.query;
    const std::vector<double>& own = drawn.asked().numbers;
    made_.query_length = length_of(own);
    for (std::size_t key = 0; key < key_count_; ++key) {
      DrawnVector& other = drawn.keys[key];
      other.closed = !open_[query][key];
      made_.products.push_back(dot_product(own, other.numbers));
      made_.arrow_lengths.push_back(length_of(other.numbers));
      made_.scores.push_back(scores_->result[cell_of(*scores_, query, key)]);
      drawn.angles.push_back(angle_between(own, other.numbers));
      drawn.weights.push_back(weights_->result[cell_of(*weights_, query, key)]);
    }
    made_.read_by_softmax = rows_[query];
    drawn.read_symbol = trace_.heading(softmax_reading_.operands[0].id).symbol.text();
  }

  // Of the step that weighs the values: which those are, and what comes of them.
  void read_values() {
    const Step* context = trace_.find(attention_.context);
    const Step* weighing =
        context && std::holds_alternative<Contract>(context->op) ? context : trace_.find(attention_.weighted_values);
    if (!context || !weighing || inner_axes(context->result.shape(), at_context(*context)).size() != 1) return;
    const Dim features = inner_axes(context->result.shape(), at_context(*context)).front();
    const Reading reading = reading_of(trace_, *weighing);
    if (reading.operands.size() < 2 || !weighing->result.shape().has(features.axis)) return;
    const std::size_t beside = weighing == context ? 2 : 1;
    made_.is_mean = reading_of(trace_, *context).operands.size() == beside;
    Geometry& drawn = made_.drawn;
    const std::size_t stride = weighing->result.shape().stride(features.axis);
    const bool by_key = weighing->result.shape().has("key");
    for (std::size_t key = 0; key < key_count_; ++key) {
      std::vector<double> numbers;
      std::string tensor;
      for (std::size_t i = 0; i < features.size; ++i) {
        const Slice cells =
            provenance(reading, cell_of(*weighing, drawn.query, by_key ? key : 0) + i * stride).operands[1];
        tensor = cells.tensor;
        numbers.push_back(trace_.value(tensor)[cells.cell(by_key ? 0 : key)]);
      }
      const Span name = symbols_.part(trace_.heading(tensor), reading.operands[1].shape, {{"key", key}});
      drawn.values.push_back(
          {name.text, label_of("key", key), Role::value, std::move(numbers), drawn.keys[key].closed});
    }
    const Slice all{context->heading.id, cell_of(*context, drawn.query, 0),
                    context->result.shape().stride(features.axis), features.size};
    drawn.context = DrawnVector{symbols_.part(context->heading, context->result.shape(), {{"query", drawn.query}}).text,
                                "", Role::output, numbers_at(trace_, all)};
    made_.context_symbol = drawn.context->name;
    std::vector<const DrawnVector*> vectors;
    for (const DrawnVector& value : drawn.values) vectors.push_back(&value);
    drawn.points = plane_for(vectors, true, made_.points_kept);
    const auto asked_sink = sinks_.empty() ? std::nullopt : std::optional(sinks_[drawn.query]);
    drawn.zero_counts = asked_sink.has_value();
    find_corners();
  }

  Place at_context(const Step& context) const {
    Place place;
    for (const auto& one : at_query(0)) {
      if (context.result.shape().has(one.first)) place.push_back(one);
    }
    return place;
  }

  void find_corners() {
    Geometry& drawn = made_.drawn;
    std::vector<DrawnPoint> points;
    std::vector<std::size_t> of;
    for (std::size_t key = 0; key < key_count_; ++key) {
      if (drawn.values[key].closed || !drawn.values[key].can_be_drawn()) continue;
      points.push_back(drawn.points.of(drawn.values[key].numbers));
      of.push_back(key);
    }
    if (drawn.zero_counts) {
      points.push_back({});
      of.push_back(key_count_);
    }
    for (const std::size_t corner : hull(points)) drawn.corners.push_back(of[corner]);
  }

  // Of many keys those of the largest weights.
  void name_some() {
    Geometry& drawn = made_.drawn;
    if (key_count_ > most_named) {
      for (DrawnVector& key : drawn.keys) key.named = false;
      for (const std::size_t key : places_of_largest(drawn.weights, most_named)) drawn.keys[key].named = true;
    }
    for (std::size_t i = 0; i < drawn.values.size(); ++i) drawn.values[i].named = drawn.keys[i].named;
    const bool few = drawn.queries.size() + drawn.keys.size() <= most_arrows_named;
    for (std::size_t i = 0; i < drawn.queries.size(); ++i) drawn.queries[i].named = few || i == drawn.query;
  }

  void read_turns() {
    if (!rotated_ || !made_.drawn.asked().can_be_drawn()) return;
    const auto& rotate = std::get<Rotate>(rotated_->op);
    const Reading reading = reading_of(trace_, *rotated_);
    if (reading.operands.size() < 3) return;
    const Step* cosines = trace_.find(reading.operands[1].id);
    const auto* waves = cosines ? std::get_if<Waves>(&cosines->op) : nullptr;
    if (!waves) return;
    const Reading scores = reading_of(trace_, *scores_);
    const Slice row = provenance(scores, cell_of(*scores_, made_.drawn.query, 0)).operands[0];
    const std::size_t pairs = waves->features.size;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const std::size_t first = rotate.interleaved ? 2 * pair : pair;
      const std::size_t second = turn_of(rotate, first, pairs).partner;
      const Provenance made = provenance(reading, row.cell(first));
      const Slice &from = made.operands[0], &wave = made.operands[1];
      const Tensor<double>& before = trace_.value(from.tensor);
      const std::vector<std::size_t> at = cosines->result.shape().index(wave.first);
      const std::size_t position = waves->first + at[*cosines->result.shape().position(waves->positions.axis)];
      const double each = 1 / attn::pow(waves->base, static_cast<double>(2 * pair) / static_cast<double>(waves->width));
      made_.drawn.turned.push_back({{before[from.cell(0)], before[from.cell(1)]},
                                    {rotated_->result[row.cell(first)], rotated_->result[row.cell(second)]},
                                    static_cast<double>(position),
                                    each,
                                    static_cast<double>(position) * each});
    }
  }

  void sharpen() {
    Geometry& drawn = made_.drawn;
    const std::size_t query = drawn.query;
    const std::vector<double>& row = rows_[query];
    const bool any_open = std::ranges::count(open_[query], true) > 0;
    if (!by_powers_ || !any_open) return;
    for (std::size_t key = 0; key < key_count_; ++key) {
      if (open_[query][key] && !std::isfinite(row[key])) return;
    }
    const Softened softened{row, open_[query], sinks_.empty() ? std::nullopt : std::optional(sinks_[query]), base_};
    constexpr std::pair<const char*, double> factors[] = {{"1/4", 0.25}, {"1/2", 0.5}, {"1", 1}, {"2", 2}, {"4", 4}};
    for (const auto& [name, factor] : factors) {
      const bool is_own = factor == 1;
      std::vector<double> weights = is_own ? drawn.weights : softened.weights(factor);
      const DrawnPoint context = point_of(weights);
      drawn.sharpened.push_back({name, std::move(weights), context, is_own});
    }
    if (!drawn.context || !made_.is_mean || !std::ranges::all_of(drawn.values, &DrawnVector::can_be_drawn)) return;
    drawn.path.push_back(point_of(softened.weights(0)));
    for (int power = -20; power <= 24; ++power) {
      drawn.path.push_back(point_of(softened.weights(attn::pow(2, power / 4.0))));
    }
    if (is_one_place(drawn.path)) drawn.path.clear();
  }

  // Where the values stand together, each by its weight.
  DrawnPoint point_of(const std::vector<double>& weights) const {
    DrawnPoint sum;
    for (std::size_t key = 0; key < made_.drawn.values.size(); ++key) {
      if (weights[key] == 0) continue;
      const DrawnPoint at = made_.drawn.points.of(made_.drawn.values[key].numbers);
      sum.x += weights[key] * at.x;
      sum.y += weights[key] * at.y;
    }
    return sum;
  }

  // What a page can work out as well: where every number but the last digits follows from vectors.
  void give_rule() {
    const bool rounds = rounds_each_step(trace_.arithmetic);
    if (!by_powers_ || made_.comparison == Comparison::other || rounds || !made_.is_mean) return;
    WeighingRule rule;
    rule.by_cosine = made_.comparison == Comparison::cosine;
    rule.base = base_;
    rule.sinks = sinks_;
    const auto map_of = [&](const std::string& id) -> const Map* {
      const Step* step = trace_.find(id);
      return step ? std::get_if<Map>(&step->op) : nullptr;
    };
    if (const Map* scaled = map_of(attention_.scaled)) {
      rule.scale = scaled->function == Unary::divide ? 1 / scaled->parameter : scaled->parameter;
    }
    if (const Map* capped = map_of(attention_.capped)) rule.cap = capped->parameter;
    const Step* masked = trace_.find(attention_.masked);
    const std::optional<Reading> closing = masked ? std::optional(reading_of(trace_, *masked)) : std::nullopt;
    for (std::size_t query = 0; query < query_count_; ++query) {
      for (std::size_t key = 0; key < key_count_; ++key) {
        rule.open.push_back(open_[query][key]);
        if (!closing || closing->operands.size() < 2) continue;
        rule.biases.push_back(numbers_at(trace_, provenance(*closing, cell_of(*masked, query, key)).operands[1])[0]);
      }
    }
    made_.drawn.rule = std::move(rule);
  }

  const Trace& trace_;
  const Anatomy& attention_;
  const Place& place_;
  Symbols symbols_;
  const Step *scores_ = nullptr, *weights_ = nullptr, *softmax_ = nullptr, *rotated_ = nullptr;
  Reading softmax_reading_;
  bool by_powers_ = false;
  double base_ = 0;
  std::string compared_queries_;
  std::size_t query_count_ = 0, key_count_ = 0;
  std::vector<std::vector<double>> rows_;  // a query a row
  std::vector<std::vector<bool>> open_;
  std::vector<double> sinks_;
  ReadGeometry made_;
};

}  // namespace

bool DrawnVector::can_be_drawn() const {
  constexpr double largest = 1e300;  // so that sums and differences are finite, too
  return std::ranges::all_of(numbers, [](double number) { return std::abs(number) <= largest; });
}

DrawnPoint DrawnPlane::of(std::span<const double> numbers) const {
  DrawnPoint point;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    point.x += right[i] * numbers[i];
    point.y += up[i] * numbers[i];
  }
  return point;
}

double length_of(const std::vector<double>& vector) {
  const double largest = largest_size(vector);
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double number : vector) sum += number / largest * (number / largest);
  return largest * sqrt(sum);
}

// By half of it, which is exact near 0 and 180 degrees, where a cosine says little (Kahan 2006).
double angle_between(const std::vector<double>& a, const std::vector<double>& b) {
  const double a_length = length_of(a), b_length = length_of(b);
  if (!(a_length > 0 && b_length > 0) || std::isinf(a_length) || std::isinf(b_length)) return std::nan("");
  std::vector<double> apart, together;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart.push_back(a[i] / a_length - b[i] / b_length);
    together.push_back(a[i] / a_length + b[i] / b_length);
  }
  return 2 * attn::atan2(length_of(apart), length_of(together));
}

std::optional<ReadGeometry> read_geometry(const Trace& trace, const Anatomy& attention, const Place& place,
                                          std::optional<std::size_t> query) {
  GeometryReader reader(trace, attention, place);
  return reader.can_read(query) ? std::optional(reader.read(query)) : std::nullopt;
}

}  // namespace attn
