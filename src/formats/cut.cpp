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

std::string words_of_cut(std::size_t left_out, std::string_view what) {
  if (left_out == 0) return "";
  return "… " + counted(left_out, "more " + std::string(what)) + ", --full shows " + (left_out == 1 ? "it" : "them");
}

std::string words_of_part(std::string_view what, std::size_t begin, std::size_t end, std::size_t of) {
  if (begin == 0 && end == of) return "";
  return end - begin == 1 ? fmt::format("{} {} of {}", what, end, of)
                          : fmt::format("{}s {}–{} of {}", what, begin + 1, end, of);
}

}  // namespace attn
