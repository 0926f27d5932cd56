#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "base/math.h"
#include "explain/geometry/read.h"
#include "explain/place.h"
#include "explain/telling/parts.h"
#include "words/language.h"

namespace attn {
namespace {

// Beside all else a page has so many keys of so many numbers drawn, in so many heads.
constexpr std::size_t most_keys_beside = 40, most_width_beside = 128, most_drawn_beside = 8;
constexpr std::size_t most_keys_asked = 128;
constexpr std::size_t most_rows_of_keys = 24;

// The attentions that are told.
std::vector<const RecipePart*> attentions_told(const Trace& trace, const ExplainOptions& options) {
  std::vector<const RecipePart*> told;
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].attention && is_told(i, options)) told.push_back(&parts[i]);
  }
  return told;
}

const Step* weights_of(const Trace& trace, const RecipePart& part) { return trace.find(part.attention->weights); }

// Numbers of one column, so that their decimals stand below each other; what is none is a dash.
std::vector<std::string> column_of(const std::vector<double>& numbers, const Numerals& numerals,
                                   const std::string& unit = "") {
  std::vector<double> finite;
  for (const double number : numbers) {
    if (std::isfinite(number)) finite.push_back(number);
  }
  const NumberFormat format = numerals.format(finite);
  std::vector<std::string> column;
  for (const double number : numbers) {
    column.push_back(std::isnan(number) ? "—" : written(number, format) + unit);
  }
  return column;
}

std::vector<double> in_degrees(std::vector<double> angles) {
  for (double& angle : angles) angle = angle * 180 / std::numbers::pi;
  return angles;
}

class GeometryTeller {
 public:
  GeometryTeller(const ReadGeometry& read, const Numerals& numerals, bool full)
      : read_(read), drawn_(read.drawn), numerals_(numerals) {
    for (std::size_t key = 0; key < drawn_.keys.size(); ++key) {
      if (full || drawn_.keys.size() <= most_rows_of_keys || drawn_.keys[key].named) rows_.push_back(key);
    }
  }

  std::vector<GeometryPicture> pictures() const {
    std::vector<GeometryPicture> all = {{GeometryPicture::Kind::arrows, said_.arrows, arrows_drawn(), {arrows_mean()}}};
    if (drawn_.context) {
      all.push_back({GeometryPicture::Kind::points, said_.points, points_drawn(), {where_it_lies()}});
    }
    if (!drawn_.turned.empty()) {
      const auto position = static_cast<std::size_t>(drawn_.turned[0].position);
      all.push_back({GeometryPicture::Kind::turning, said_.turning, {}, {said_.turned_so(position)}});
    }
    if (!drawn_.sharpened.empty()) {
      all.push_back({GeometryPicture::Kind::sharpening, said_.sharpening, {}, {said_.times}});
    }
    return all;
  }

  std::vector<Table> tables() const {
    std::vector<Table> all = {compared()};
    if (!drawn_.turned.empty()) all.push_back(turned());
    if (!drawn_.sharpened.empty()) all.push_back(sharpened());
    return all;
  }

 private:
  std::string in_plane(const DrawnPlane& plane, std::size_t width, double kept, bool is_spread) const {
    const std::string what = is_spread ? said_.the_values : said_.queries_and_keys;
    switch (plane.kind) {
      case DrawnPlane::Kind::line:
        return said_.on_a_line(what);
      case DrawnPlane::Kind::plane:
        return said_.as_they_are(what, width);
      case DrawnPlane::Kind::space:
        return said_.in_space(what);
      case DrawnPlane::Kind::principal:
        return said_.in_principal(what, width, std::to_string(std::lround(100 * kept)), is_spread);
    }
    return "";
  }

  std::vector<std::string> arrows_drawn() const {
    const std::size_t width = drawn_.asked().numbers.size();
    if (width == 0) return {};
    std::vector<std::string> words = {in_plane(drawn_.arrows, width, read_.arrows_kept, false)};
    if (std::ranges::any_of(drawn_.keys, &DrawnVector::closed)) words.push_back(said_.paler);
    const auto named = static_cast<std::size_t>(std::ranges::count(drawn_.keys, true, &DrawnVector::named));
    if (named < drawn_.keys.size()) words.push_back(said_.only_named(named, drawn_.keys.size() - named));
    return words;
  }

  std::string arrows_mean() const {
    if (drawn_.asked().numbers.empty()) return said_.no_arrows;
    if (read_.comparison == Comparison::product) {
      return said_.by_product(read_.score_symbol, drawn_.asked().name, "k");
    }
    return read_.comparison == Comparison::cosine ? said_.by_cosine(read_.score_symbol) : said_.by_more.text();
  }

  std::vector<std::string> points_drawn() const {
    std::vector<std::string> words = {in_plane(drawn_.points, drawn_.context->numbers.size(), read_.points_kept, true)};
    if (!drawn_.path.empty()) {
      words.push_back(said_.way);
      if (drawn_.zero_counts) words.push_back(said_.way_of_sink);
    }
    return words;
  }

  // Only what follows from the weights is said.
  std::string where_it_lies() const {
    double sum = 0;
    bool any_negative = false;
    for (const double weight : drawn_.weights) {
      sum += weight;
      any_negative = any_negative || !(weight >= 0);
    }
    if (std::ranges::all_of(drawn_.keys, &DrawnVector::closed)) return said_.all_closed;
    if (!read_.is_mean || any_negative) return said_.not_within(read_.context_symbol);
    if (drawn_.zero_counts && sum <= 1) return said_.within_zero(read_.context_symbol);
    return numerals_.same(sum, 1) ? said_.within(read_.context_symbol) : said_.not_within(read_.context_symbol);
  }

  void add_column(Table& table, Inline name, const std::vector<std::string>& cells) const {
    table.header.push_back(std::move(name));
    for (std::size_t i = 0; i < rows_.size(); ++i) table.rows[i].push_back({cells[rows_[i]]});
  }

  Table of_keys(Inline caption) const {
    Table table{.caption = std::move(caption), .header = {{Span(said_.key, Role::key)}}, .rows = {}, .numbers = true};
    for (const std::size_t key : rows_) table.rows.push_back({{Span(drawn_.keys[key].words(), Role::key)}});
    return table;
  }

  Table compared() const {
    const DrawnVector& query = drawn_.asked();
    const bool has_arrows = !query.numbers.empty();
    Inline caption = {Span(query.words(), Role::query)};
    if (has_arrows) caption.emplace_back(" · " + said_.length.text() + " " + numerals_.in_line(read_.query_length));
    Table table = of_keys(std::move(caption));
    if (has_arrows) {
      std::vector<double> cosines;
      for (const double angle : drawn_.angles) cosines.push_back(std::isnan(angle) ? angle : cosine_of(angle));
      add_column(table, {said_.length}, column_of(read_.arrow_lengths, numerals_));
      add_column(table, {said_.angle}, column_of(in_degrees(drawn_.angles), numerals_, "°"));
      add_column(table, {said_.cosine}, column_of(cosines, numerals_));
      add_column(table, {Span(query.name + "·k", Role::score)}, column_of(read_.products, numerals_));
    }
    if (!has_arrows || read_.comparison != Comparison::product) {
      add_column(table, {Span(read_.score_symbol, Role::score)}, column_of(read_.scores, numerals_));
    }
    const auto is_changed = [&](std::size_t key) {
      return !drawn_.keys[key].closed && !numerals_.same(read_.read_by_softmax[key], read_.scores[key]);
    };
    if (std::ranges::any_of(rows_, is_changed)) {
      add_column(table, {Span(drawn_.read_symbol, Role::score)}, column_of(read_.read_by_softmax, numerals_));
    }
    std::vector<std::string> weights = column_of(drawn_.weights, numerals_);
    for (std::size_t key = 0; key < weights.size(); ++key) {
      if (drawn_.keys[key].closed) weights[key] = said_.closed;
    }
    add_column(table, {Span(said_.weight, Role::attention_weight)}, weights);
    return table;
  }

  // Of right angles the cosine is 0, whatever the last digit of the angle says.
  double cosine_of(double angle) const {
    const double cosine = attn::cos(angle);
    return std::abs(cosine) < numerals_.tolerance() ? 0 : cosine;
  }

  std::string pair_of(const DrawnPoint& point) const {
    return "(" + numerals_.in_line(point.x) + ", " + numerals_.in_line(point.y) + ")";
  }

  Table turned() const {
    Table table{.caption = {Span(drawn_.asked().words(), Role::query)},
                .header = {{said_.pair}, {said_.before}, {said_.angle}, {said_.degrees}, {said_.after}},
                .rows = {},
                .numbers = true};
    for (std::size_t i = 0; i < drawn_.turned.size(); ++i) {
      const TurnedPair& pair = drawn_.turned[i];
      table.rows.push_back({{std::to_string(i + 1)},
                            {pair_of(pair.before)},
                            {numerals_.in_line(pair.position) + " × " + numerals_.in_line(pair.each) + " = " +
                             numerals_.in_line(pair.angle)},
                            {numerals_.in_line(pair.angle * 180 / std::numbers::pi) + "°"},
                            {pair_of(pair.after)}});
    }
    return table;
  }

  Table sharpened() const {
    Table table = of_keys({said_.blunt_to_sharp});
    for (const Sharpened& one : drawn_.sharpened) {
      add_column(table, {"× " + one.factor}, column_of(one.weights, numerals_));
    }
    return table;
  }

  const ReadGeometry& read_;
  const Geometry& drawn_;
  const Numerals& numerals_;
  const GeometryWords& said_ = language().geometry;
  std::vector<std::size_t> rows_;  // the keys of the tables
};

// The heads and sequences that are asked for.
std::vector<Place> drawn_places(const Step& weights, const ExplainOptions& options) {
  return outer_places(weights.result.shape(), options.batch.value_or(0), options.head.value_or(0));
}

// Whether a page has room for it, beside all else.
bool is_small(const Trace& trace, const ExplainOptions& options) {
  std::size_t count = 0;
  for (const RecipePart* part : attentions_told(trace, options)) {
    const Step* weights = weights_of(trace, *part);
    if (!weights) continue;
    const Shape& shape = weights->result.shape();
    if (!shape.has("key") || shape.size("key") > most_keys_beside) return false;
    if (!shape.has("query") || shape.size("query") > most_keys_beside) return false;
    for (const StepId& id : {part->attention->queries, part->attention->values}) {
      const Step* vectors = trace.find(id);
      if (vectors && vectors->result.shape().back().size > most_width_beside) return false;
    }
    count += drawn_places(*weights, options).size();
  }
  return count > 0 && count <= most_drawn_beside;
}

std::string title_of(const Trace& trace, const RecipePart& part, const Step& weights, const Place& place,
                     const ReadGeometry& read) {
  const std::string number = std::to_string(read.drawn.query + 1);
  const std::string where =
      dotted(trace.recipe.parts().size() > 1 ? part.title : "", place_words(weights.result.shape(), place));
  return dotted(dotted(where, language().telling.one_query_told(number)), read.drawn.asked().label);
}

// Why this attention cannot be drawn.
std::optional<std::string> no_geometry_of(const RecipePart& part, const Trace& trace, const ExplainOptions& options) {
  const GeometryWords& said = language().geometry;
  const Step* weights = weights_of(trace, part);
  if (!weights || !trace.find(part.attention->scores) || !weights->result.shape().has("key")) {
    return said.no_weights;
  }
  const Shape& shape = weights->result.shape();
  const std::size_t keys = shape.size("key");
  if (keys > most_keys_asked) return said.too_many_keys(keys, most_keys_asked);
  const auto is_padding = [&](const Place& place) {
    return *options.query > own_size(trace, *weights, {"query", shape.size("query")}, sequence_of(place));
  };
  if (options.query && std::ranges::all_of(drawn_places(*weights, options), is_padding)) {
    return said.no_query(*options.query);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> no_geometry(const Trace& trace, const ExplainOptions& options) {
  std::optional<std::string> of_first;
  for (const RecipePart* part : attentions_told(trace, options)) {
    auto why = no_geometry_of(*part, trace, options);
    if (!why) return std::nullopt;
    if (!of_first) of_first = std::move(why);
  }
  if (!of_first) return language().geometry.no_such_part;
  return of_first;
}

void tell_geometry(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document) {
  const bool asked = options.geometry == GeometryWanted::asked;
  if (options.geometry == GeometryWanted::none || (asked && no_geometry(trace, options))) return;
  if (!asked && !is_small(trace, options)) return;
  bool has_begun = false;
  for (const RecipePart* part : attentions_told(trace, options)) {
    const Step* weights = weights_of(trace, *part);
    if (!weights || (asked && no_geometry_of(*part, trace, options))) continue;
    for (const Place& place : drawn_places(*weights, options)) {
      const auto query = options.query ? std::optional(*options.query - 1) : std::nullopt;
      auto read = read_geometry(trace, *part->attention, place, query);
      if (!read) continue;
      if (!std::exchange(has_begun, true)) document.add(Headline{2, {language().geometry.title}});
      const GeometryTeller teller(*read, numerals, options.full);
      GeometryTold told{title_of(trace, *part, *weights, place, *read), {}, teller.pictures(), teller.tables()};
      told.drawn = std::move(read->drawn);
      document.add(std::move(told));
      if (asked) return;
    }
  }
}

}  // namespace attn
