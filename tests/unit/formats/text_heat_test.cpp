#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "base/text.h"
#include "catch.h"
#include "formats/text/layout.h"
#include "sanitized.h"
#include "unit/explain/examples.h"
#include "unit/formats/as_text.h"
#include "unit/formats/widest.h"

namespace attn {
namespace {

using examples::holds;
using examples::in_text;
using examples::lines_of;

FormatOptions heated(std::size_t width = 80) {
  FormatOptions options;
  options.width = width;
  options.settings["heatmap"] = "";
  return options;
}

ExplainOptions at(Level level) {
  ExplainOptions options;
  options.level = level;
  options.head = 1;
  return options;
}

std::string without_colors(const std::string& text) {
  static const std::regex look("\x1b\\[[0-9;]*m");
  return std::regex_replace(text, look, "");
}

Matrix weights(std::vector<double> cells, std::size_t columns, Role role = Role::attention_weight) {
  Matrix matrix;
  matrix.role = role;
  matrix.symbol = matrix.formula = "A";
  matrix.row_axis = "query";
  matrix.column_axis = "key";
  for (std::size_t i = 1; i <= cells.size() / columns; ++i) matrix.row_labels.own().push_back(std::to_string(i));
  for (std::size_t i = 1; i <= columns; ++i) matrix.column_labels.own().push_back(std::to_string(i));
  matrix.format = Numerals(2, Dtype::f64).format(cells);
  matrix.cells = std::move(cells);
  return matrix;
}

std::vector<std::string> shown(Matrix matrix, FormatOptions options) {
  std::vector<std::string> lines = lines_of(as_text({{std::move(matrix)}}, options));
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

bool any_holds(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return holds(line, part); });
}

// What the picture adds to the words, taken away again.
std::string numbers_only(std::string text) {
  for (const char* sign : {"░", "▒", "▓", "█", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "▁", "▂", "▃", "▄", "▅", "▆", "▇"}) {
    for (std::size_t i = text.find(sign); i != std::string::npos; i = text.find(sign, i)) text.erase(i, 3);
  }
  return std::regex_replace(text, std::regex(" +"), " ");
}

TEST_CASE("a heat map is not wider than the terminal", "[heat]") {
  const std::size_t width = GENERATE(40u, 60u, 80u, 132u);
  const bool color = GENERATE(false, true), ascii = GENERATE(false, true);
  if (stride_where_slow > 1 && (color != ascii || width == 60 || width == 80)) return;
  for (const Problem& problem :
       {examples::worked_example(), examples::causal_sentence(), examples::ragged_heads(), examples::closed_row(),
        examples::causal_sentence({"猫", "👨‍👩‍👧", "🇩🇪", "e\u0301"}), examples::large()}) {
    for (const Level level : {Level::steps, Level::rows, Level::cells}) {
      FormatOptions options = heated(width);
      options.color = color;
      options.ascii = ascii;
      const std::vector<std::string> lines = lines_of(without_colors(in_text(problem, at(level), options)));
      INFO(problem.title << ": " << widest_of(lines));
      CHECK(display_width(widest_of(lines)) <= std::max<std::size_t>(width, 60));
    }
  }
}

TEST_CASE("colours change no letter, and none is left out without the setting", "[heat]") {
  FormatOptions plain, colored = heated();
  colored.color = true;
  const std::string with = without_colors(in_text(examples::causal_sentence(), at(Level::cells), colored));
  const std::string without = in_text(examples::causal_sentence(), at(Level::cells), plain);
  std::vector<std::string> kept;
  for (const std::string& line : lines_of(without)) {
    if (!line.empty() && !holds(numbers_only(with), numbers_only(line))) kept.push_back(line);
  }
  // Rules are as long as what is above; numbers in closed cells stand behind their sign.
  std::erase_if(kept, [](const std::string& line) { return holds(line, "─") || holds(line, "│"); });
  CHECK(kept.empty());
}

TEST_CASE("shades say how large a weight is, and closed cells are marked", "[heat]") {
  Matrix matrix = weights({0.1, 0.3, 0.6, 0, 1, 0}, 3);
  matrix.closed = {false, false, false, true, false, true};
  const std::vector<std::string> lines = shown(matrix, heated());
  CHECK(any_holds(lines, "1 │  ░░ 0.1  ▒▒ 0.3  ▓▓ 0.6"));
  CHECK(any_holds(lines, "2 │  ·  0    ██ 1.0  ·  0"));
  CHECK(lines.back() == "       0 ░░▒▒▓▓██ 1   · closed");
}

TEST_CASE("scores are shaded from the least to the largest", "[heat]") {
  Matrix matrix = weights({-4, 0, 4, -infinity, std::nan(""), 4}, 3, Role::score);
  const std::vector<std::string> lines = shown(matrix, heated());
  CHECK(any_holds(lines, "1 │  ░░  −4  ▓▓   0  ██   4"));
  CHECK(any_holds(lines, "2 │      −∞     NaN  ██   4"));
  CHECK(lines.back() == "       −4 ░░▒▒▓▓██ 4");
  CHECK(shown(weights({2, 2}, 2, Role::score), heated()).back() == "       2 ░░");
}

TEST_CASE("numbers as far apart as there are still have shades", "[heat]") {
  const double largest = std::numeric_limits<double>::max();
  const Matrix matrix = weights({-largest, 0, largest}, 3, Role::score);
  const std::optional<Heat> heat = heat_of(matrix);
  REQUIRE(heat);
  CHECK(heat->size(0, 0) == 0.0);
  CHECK(heat->size(0, 1) == 0.5);
  CHECK(heat->size(0, 2) == 1.0);
}

TEST_CASE("what is no score or weight has no shades", "[heat]") {
  CHECK_FALSE(heat_of(weights({1, 2}, 2, Role::value)));
  CHECK_FALSE(heat_of(weights({std::nan(""), std::nan("")}, 2)));
  Matrix vector = weights({1, 2}, 1, Role::softmax);
  vector.column_axis = "";
  CHECK_FALSE(heat_of(vector));
  Matrix handed_in = weights({1, 2}, 2);
  handed_in.handed_in = {"1", "✗2"};
  CHECK_FALSE(heat_of(handed_in));
}

// Of WCAG: from black on black, 1, to black on white, 21.
double contrast(Shade shade) {
  const auto light = [](int color) {
    const int cube[] = {0, 95, 135, 175, 215, 255};
    const int grey = 8 + 10 * (color - 232), in_cube = color - 16;
    const int red = color >= 232 ? grey : cube[in_cube / 36];
    const int green = color >= 232 ? grey : cube[in_cube / 6 % 6];
    const int blue = color >= 232 ? grey : cube[in_cube % 6];
    const auto linear = [](int part) {
      const double c = part / 255.0;
      return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  };
  const double text = light(shade.text), background = light(shade.background);
  return (std::max(text, background) + 0.05) / (std::min(text, background) + 0.05);
}

TEST_CASE("numbers can be read on every shade", "[heat]") {
  for (double size = 0; size <= 1; size += 0.01) {
    const Piece piece = on_shade("0.5", size);
    REQUIRE(piece.shade);
    CHECK(contrast(*piece.shade) >= 4.5);
  }
}

TEST_CASE("a bar is as long as its share", "[heat]") {
  const Typesetter typesetter(heated());
  const auto text = [&](double share) {
    std::string all;
    const StyledLine line = bar(share, 8, typesetter);
    for (const Piece& piece : line.pieces()) all += piece.text;
    return all;
  };
  CHECK(text(0) == "        │");
  CHECK(text(1e-9) == "▏       │");
  CHECK(text(0.5) == "████    │");
  CHECK(text(0.5 + 1.0 / 64) == "████▏   │");
  CHECK(text(1) == "████████│");
  CHECK(text(2) == "████████│");
  CHECK(text(std::nan("")) == "        │");
}

TEST_CASE("rows of weights have a column for each of them where there is room", "[heat]") {
  CHECK(any_holds(shown(weights({0, 0.5, 0.5}, 3), heated()), "▓▓ 0.5  │   ▄▄ ▄▄│"));
  FormatOptions ascii = heated();
  ascii.ascii = true;
  CHECK(any_holds(shown(weights({0, 0.5, 0.5}, 3), ascii), "++ 0.5  |   ++ ++|"));
  const std::vector<std::string> narrow = shown(weights(std::vector<double>(5, 0.2), 5), heated(54));
  CHECK(any_holds(narrow, "░░ 0.2  │▂▂▂▂▂│"));
  CHECK_FALSE(any_holds(shown(weights(std::vector<double>(5, 0.2), 5), heated(53)), "▂"));
  CHECK_FALSE(any_holds(shown(weights({0, 0.5, 0.5}, 3, Role::score), heated()), "▄"));
}

TEST_CASE("there are no columns of no shares and no shades of a vector", "[heat]") {
  CHECK(column_bars({}, 20, Typesetter(heated())).width() == 0);
  CHECK(column_bars(std::vector{0.5, 0.5}, 3, Typesetter(heated())).width() == 0);
  CHECK(column_bars(std::vector{0.5, 0.5}, 4, Typesetter(heated())).width() == 4);
  Matrix vector = weights({0.25, 0.75}, 2, Role::score);
  CHECK(any_holds(shown(vector, heated()), "▓"));
  vector.row_axis.clear();
  CHECK(shown(vector, heated()) == shown(vector, {}));
}

TEST_CASE("lines of weights have bars from one column on", "[heat]") {
  const std::string cells = in_text(examples::worked_example(), at(Level::cells), heated());
  CHECK(holds(cells, "A[1,1] = 0.1353 / 2.1353 ≈ 0.0634  █▌                      │"));
  CHECK(holds(cells, "A[1,2] = 1 / 2.1353      ≈ 0.4683  ███████████▎            │"));
  const std::string rows = in_text(examples::worked_example(), at(Level::rows), heated());
  CHECK(holds(rows, "a₁ = E₁ / z₁     ≈ [0.0634, 0.4683, 0.4683]  │▁▁ ▄▄ ▄▄│"));
}

}  // namespace
}  // namespace attn
