#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "formats/figures.h"
#include "formats/latex/blocks.h"
#include "formats/latex/math.h"
#include "formats/looks.h"

namespace attn {
namespace {

constexpr std::size_t most_tokens = 24;  // on a side
constexpr double widest_slot = 64;       // of a token
constexpr double axis_names = 38;        // beside the tokens
constexpr double narrowest_slot = 30;    // where there is a choice
constexpr double around_lines = 37, name_height = 13;
constexpr double thinnest = 0.004;  // of a line that can be seen

bool has_arcs(const Matrix& matrix) {
  const bool joins = (matrix.row_axis == "query" && matrix.column_axis == "key") ||
                     (matrix.row_axis == "key" && matrix.column_axis == "query");
  return matrix.role == Role::attention_weight && joins && matrix.handed_in.empty() && matrix.boxes.empty() &&
         matrix.rows() > 0 && matrix.columns() > 1 && std::max(matrix.rows(), matrix.columns()) <= most_tokens;
}

// Where tokens stand.
class Tokens {
 public:
  Tokens(const std::vector<std::string>& labels, double slot) : labels_(labels), slot_(slot) {}

  double x(std::size_t at) const { return axis_names + slot_ * (static_cast<double>(at) + 0.5); }

  // The tokens on their line; padding, which nobody reads, fainter.
  std::string line(Role role, std::string_view name, double y) const {
    const auto token = [&](std::string_view anchor, double x, const std::string& label) {
      return fmt::format("\\attntoken{{{}}}{{{:.1f}}}{{{}}}{{{}}}\n", anchor, x, y, label);
    };
    std::string text = token(" west", 0, latex_coloured(role, std::string(name)));
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const std::string label = latex_label(labels_[i], (slot_ - 3) / 0.8);
      text += token("", x(i), is_padding(labels_[i]) ? "\\attnfaint{" + label + "}" : latex_coloured(role, label));
    }
    return text;
  }

 private:
  const std::vector<std::string>& labels_;
  double slot_;
};

// How high the lines are: the more tokens, the higher, so that long ones can be told apart.
double band_of(double tokens, const LatexPage& page) {
  constexpr double lowest = 19, of_a_token = 3, highest = 60, highest_on_slide = 36;
  return std::clamp(of_a_token * (tokens + 2), lowest, page.is_slide() ? highest_on_slide : highest);
}

// The symbol of the weights, and the place that they are of.
std::string whose(const Matrix& weights) {
  const std::string symbol = latex_inline_math({Span(weights.symbol, weights.role)});
  return symbol + (weights.place.empty() ? "" : ", " + latex_text(weights.place));
}

double most_tokens_of(const Matrix& weights) {
  return static_cast<double>(std::max(weights.rows(), weights.columns()));
}

}  // namespace

double latex_arcs_width(const Matrix& weights) { return axis_names + 8 + narrowest_slot * most_tokens_of(weights); }

LatexPieces latex_arcs(const Matrix& weights, const LatexPage& page, bool says_whose) {
  if (page.sheet || !has_arcs(weights)) return {};
  const bool turned = weights.row_axis == "key";
  const std::vector<std::string>& query_labels = turned ? weights.column_labels : weights.row_labels;
  const std::vector<std::string>& key_labels = turned ? weights.row_labels : weights.column_labels;
  const double most = most_tokens_of(weights);
  const double slot = std::min(widest_slot, (page.width - axis_names - 8) / most);
  const double band = band_of(most, page);
  const Tokens queries(query_labels, slot), keys(key_labels, slot);

  const Heat heat(weights);
  std::string text = fmt::format("\\begin{{attnpicture}}\\def\\attnband{{{:.0f}}}\n", band);
  for (const bool dark : {false, true}) {  // on top
    for (std::size_t row = 0; row < weights.rows(); ++row) {
      for (std::size_t column = 0; column < weights.columns(); ++column) {
        const double share = heat.size(row, column).value_or(0);
        if (share < thinnest || (share > 0.3) != dark) continue;
        if (is_padding(weights.row_labels[row]) || is_padding(weights.column_labels[column])) continue;
        text += fmt::format("\\attnarc{{{:.1f}}}{{{:.1f}}}{{{:.3f}}}{{{}}}\n", queries.x(turned ? column : row),
                            keys.x(turned ? row : column), share, std::lround(20 + 75 * share));
      }
    }
  }
  text += queries.line(Role::query, "queries", band + 13) + keys.line(Role::key, "keys", 0);
  double height = band + around_lines;
  if (says_whose) {
    text += fmt::format("\\attntoken{{ west}}{{0}}{{{:.0f}}}{{{}}}\n", band + 13 + name_height, whose(weights));
    height += name_height;
  }
  return {{"\\attnfigure{" + text + "\\end{attnpicture}}\n", height}};
}

}  // namespace attn
