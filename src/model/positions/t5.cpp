#include <algorithm>
#include <cmath>
#include <string>

#include "base/math.h"
#include "base/numbers.h"
#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

// Which distances share a number: short ones have one of their own, long ones
// share by ever wider steps.
struct Buckets {
  std::int64_t count;
  double max_distance;
  bool bidirectional;

  // Of a key `distance` behind its query, below zero where it is before it.
  std::int64_t of(std::int64_t distance) const {
    const std::int64_t side = bidirectional ? count / 2 : count;
    const std::int64_t start = bidirectional && distance > 0 ? side : 0;
    const std::int64_t far = bidirectional ? std::abs(distance) : std::max<std::int64_t>(-distance, 0);
    const std::int64_t exact = side / 2;
    if (far < exact) return start + far;
    if (exact == 0) return start;
    const auto first = static_cast<double>(exact);
    const double share = log(static_cast<double>(far) / first) / log(max_distance / first);
    // A power that is exact falls on the upper side, whatever the last bit says.
    const double step = std::floor(share * static_cast<double>(side - exact) + 1e-9);
    return start + std::min(exact + static_cast<std::int64_t>(step), side - 1);
  }
};

Buckets buckets_of(const Choice& choice) {
  return {static_cast<std::int64_t>(choice.tensors.at("table").shape().size("bucket")),
          choice.numbers.at("max_distance"), choice.numbers.at("bidirectional") != 0};
}

std::optional<Misfit> misfit(const Choice& choice, const ChoiceSetting&) {
  const Buckets buckets = buckets_of(choice);
  if (buckets.bidirectional && buckets.count % 2 != 0)
    return Misfit{.parameter = "table",
                  .message = "has " + std::to_string(buckets.count) + " buckets; an even number is wanted",
                  .help = "one half is for keys before the query, the other for keys behind it"};
  const std::int64_t exact = (buckets.bidirectional ? buckets.count / 2 : buckets.count) / 2;
  if (buckets.max_distance > static_cast<double>(exact)) return std::nullopt;
  return Misfit{
      .parameter = "max_distance",
      .message = "is not more than " + std::to_string(exact) + ", up to where each distance has its own bucket",
      .help = "a larger max_distance, or fewer buckets in table"};
}

std::vector<Operand> record_biases(RecipeBuilder& work, const Attention& attention) {
  const Buckets buckets = buckets_of(*attention.positions);
  const Rows rows =
      rows_by_distance(attention, [buckets](std::int64_t i, std::int64_t j) { return buckets.of(j - i); });
  return {work.step({"position_bias", "B_P", language().steps.t5_bias, language().steps.of_bucket, Role::mask},
                    Pick{"bucket", rows}, {"positions.table"})};
}

BiasOfDistance bias_of_distance(const Attention& attention) {
  const Source table = attention.positions->tensors.at("table");
  const auto at = [table, buckets = buckets_of(*attention.positions)](std::size_t head, std::int64_t distance) {
    const auto bucket = static_cast<std::size_t>(buckets.of(distance));
    return table.numbers()[bucket * table.shape().stride("bucket") + head * table.shape().stride("head")];
  };
  return {{static_cast<std::int64_t>(attention.past_count())}, at};
}

}  // namespace

Position t5_position() {
  return {.spec = {.name = "t5",
                   .summary = "a learned number for each bucket of distances, added to the scores (Raffel et al. 2020, "
                              "section 2.1)",
                   .parameters = {{.name = "table",
                                   .summary = "a number for each bucket and head, [buckets][heads]",
                                   .symbol = "T",
                                   .axes = {"bucket", "head"}},
                                  {.name = "max_distance",
                                   .summary = "from here on all distances share the last bucket",
                                   .fallback = 128.0,
                                   .kind = Parameter::Kind::whole,
                                   .above = 0},
                                  {.name = "bidirectional",
                                   .summary = "whether keys behind the query have buckets of their own",
                                   .fallback = 1.0,
                                   .kind = Parameter::Kind::boolean}},
                   .misfit = misfit},
          .words =
              [](const Attention& attention) {
                const Buckets buckets = buckets_of(*attention.positions);
                return language().steps.t5(buckets.count, buckets.bidirectional, buckets.max_distance);
              },
          .biases = record_biases,
          .bias_of_distance = bias_of_distance};
}

}  // namespace attn
