#include "formats/cut.h"

#include <fmt/core.h>

#include "base/text.h"

namespace attn {
namespace {

constexpr std::size_t most_rows = 20, most_columns = 32, kept = 16;

}  // namespace

Extent cut_of(const Matrix& matrix, bool full) {
  if (full) return {matrix.rows(), matrix.columns()};
  return {matrix.rows() > most_rows ? kept : matrix.rows(), matrix.columns() > most_columns ? kept : matrix.columns()};
}

std::vector<std::string> words_of_cut(const Matrix& matrix, Extent shown) {
  std::vector<std::string> lines;
  const auto add = [&](std::size_t count, std::string_view more) {
    if (count == 0) return;
    lines.push_back(fmt::format("… {}, --full shows {}", counted(count, more), count == 1 ? "it" : "them"));
  };
  add(matrix.rows() - shown.rows, "more row");
  add(matrix.columns() - shown.columns, "more column");
  return lines;
}

std::string words_of_part(std::string_view what, std::size_t begin, std::size_t end, std::size_t of) {
  if (begin == 0 && end == of) return "";
  return end - begin == 1 ? fmt::format("{} {} of {}", what, end, of)
                          : fmt::format("{}s {}–{} of {}", what, begin + 1, end, of);
}

}  // namespace attn
