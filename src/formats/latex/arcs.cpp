#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "formats/latex/blocks.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

constexpr double height = 62;     // token_gap the two lines of tokens
constexpr double widest_arc = 5;  // of the weight 1
constexpr double least_drawn = 0.005;
constexpr double letters = 0.8;  // of the size of text
constexpr double token_gap = 8;  // tokens

// Where tokens stand on their line.
std::vector<double> places(std::size_t count, double width) {
  std::vector<double> at;
  for (std::size_t i = 0; i < count; ++i) {
    at.push_back(width * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
  }
  return at;
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, letters * latex_label_width(label));
  return width + token_gap;
}

std::string tokens(const std::vector<std::string>& labels, const std::vector<double>& at, double y, const char* anchor,
                   const char* command) {
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("\\node[anchor={},inner sep=1.5pt] at ({:.1f}pt,{:.0f}pt) {{\\strut\\{}{{{}}}}};\n", anchor,
                        at[i], y, command, latex_label(labels[i]));
  }
  return text;
}

}  // namespace

LatexPieces latex_arcs(const Matrix& weights, const LatexPage& page) {
  const bool is_turned = weights.row_axis == "key" && weights.column_axis == "query";
  const bool is_kept = weights.row_axis == "query" && weights.column_axis == "key";
  if (weights.role != Role::attention_weight || (!is_kept && !is_turned) || !weights.handed_in.empty() ||
      !weights.boxes.empty())
    return {};
  const std::vector<std::string>& queries = is_turned ? weights.column_labels : weights.row_labels;
  const std::vector<std::string>& keys = is_turned ? weights.row_labels : weights.column_labels;
  const double each = std::max(widest(queries), widest(keys));
  const auto most = static_cast<double>(std::max(queries.size(), keys.size()));
  if (each * most > page.width) return {};
  const double width = std::min(page.width, std::max(each, 40.0) * most);

  const std::vector<double> from = places(queries.size(), width), to = places(keys.size(), width);
  std::string arcs;
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for (std::size_t key = 0; key < keys.size(); ++key) {
      const std::size_t row = is_turned ? key : query, column = is_turned ? query : key;
      const double weight = weights.number(row, column);
      if (weights.is_closed(row, column) || !std::isfinite(weight) || weight < least_drawn) continue;
      const double share = std::min(weight, 1.0);
      arcs += fmt::format(
          "\\draw[attnheat!{:.0f}!attnweight,line width={:.2f}pt,opacity={:.2f}] ({:.1f}pt,{:.0f}pt) .. controls "
          "({:.1f}pt,{:.0f}pt) and ({:.1f}pt,{:.0f}pt) .. ({:.1f}pt,0pt);\n",
          100 - 60 * share, std::max(0.2, share * widest_arc), 0.45 + 0.5 * share, from[query], height, from[query],
          height / 2, to[key], height / 2, to[key]);
    }
  }
  const std::string text = "\\attndrawing{\\begin{tikzpicture}[font=\\footnotesize]\n" + arcs +
                           tokens(queries, from, height, "south", "attnquery") +
                           tokens(keys, to, 0, "north", "attnkey") + "\\end{tikzpicture}}\n";
  return {{text, height + 40, width}};
}

}  // namespace attn
