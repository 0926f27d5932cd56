#include "formats/cut.h"

#include <algorithm>
#include <variant>

#include <fmt/core.h>

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
  const auto add = [&](std::string_view what, std::size_t told, std::size_t all) {
    if (told == all) return;
    lines.push_back(all - told == 1 ? fmt::format("… {} {} is left out", what, all)
                                    : fmt::format("… {}s {} to {} are left out", what, told + 1, all));
  };
  add("row", shown.rows, matrix.rows());
  add("column", shown.columns, matrix.columns());
  return lines;
}

std::vector<std::string> hints_on_cuts(const Document& document, bool full, std::size_t whole_up_to) {
  const auto is_cut = [&](const Block& block) {
    const auto* matrix = std::get_if<Matrix>(&block);
    if (!matrix || full || matrix->rows() * matrix->columns() <= whole_up_to) return false;
    const auto [rows, columns] = cut_of(*matrix, false);
    return rows < matrix->rows() || columns < matrix->columns();
  };
  if (std::ranges::none_of(document.blocks, is_cut)) return {};
  return {"--full shows all"};
}

std::string words_of_part(std::string_view what, std::size_t begin, std::size_t end, std::size_t of) {
  if (begin == 0 && end == of) return "";
  return end - begin == 1 ? fmt::format("{} {} of {}", what, end, of)
                          : fmt::format("{}s {}–{} of {}", what, begin + 1, end, of);
}

}  // namespace attn
