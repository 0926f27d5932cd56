#pragma once

#include <algorithm>
#include <cassert>
#include <string_view>
#include <vector>

namespace attn {

// The row of a table of choices whose spec has that name. REQUIRES: there is one.
template <class Row>
const Row& row_named(const std::vector<Row>& rows, std::string_view name) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) { return row.spec.name == name; });
  assert(found != rows.end());
  return *found;
}

}  // namespace attn
