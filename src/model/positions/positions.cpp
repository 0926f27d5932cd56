#include "model/positions/position.h"

namespace attn {

std::optional<Misfit> misfit_with_inputs(const Choice&, const ChoiceSetting& setting) {
  if (setting.from_inputs) return std::nullopt;
  return Misfit{.message = "is added to inputs, and queries are given directly",
                .help = "add it before you project, or give inputs and weights"};
}

Rows rows_by_distance(const Attention& attention, const std::function<std::int64_t(std::int64_t, std::int64_t)>& row) {
  const Shape shape = {{"query", attention.query_count}, {"key", attention.all_key_count()}};
  const auto past = static_cast<std::int64_t>(attention.past_count());
  const auto keys = static_cast<std::int64_t>(attention.key_count);
  const auto all_keys = static_cast<std::int64_t>(attention.all_key_count());
  const auto queries = static_cast<std::int64_t>(attention.query_count);
  return Rows(shape, [=] {
    std::vector<std::int64_t> rows;
    rows.reserve(shape.count());
    for (std::int64_t i = past; i < past + queries; ++i) {
      for (std::int64_t j = 0; j < all_keys; ++j) rows.push_back(j < keys ? row(i, j) : -1);
    }
    return Tensor<std::int64_t>(shape, std::move(rows));
  });
}

}  // namespace attn
