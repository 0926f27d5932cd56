#include "formats/cut.h"

#include <fmt/core.h>

namespace attn {
namespace {

constexpr std::size_t most_rows = 20, most_columns = 32, kept = 16;

}  // namespace

Extent cut_of(const Matrix& matrix, bool full) {
  if (full) return {matrix.rows(), matrix.columns()};
  return {matrix.rows() > most_rows ? kept : matrix.rows(), matrix.columns() > most_columns ? kept : matrix.columns()};
}

std::string words_of_cut(std::size_t left_out, std::string_view what) {
  if (left_out == 0) return "";
  return fmt::format("… {} more {}{}, --full shows {}", left_out, what, left_out == 1 ? "" : "s",
                     left_out == 1 ? "it" : "them");
}

}  // namespace attn
