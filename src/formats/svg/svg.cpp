#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "formats/format.h"
#include "formats/outline.h"
#include "formats/places.h"
#include "formats/scene.h"
#include "formats/spelling.h"
#include "formats/svg/drawings.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

constexpr double margin = 24;
constexpr double narrowest = 380;

// What a document has, which says how it is drawn.
struct Contents {
  explicit Contents(const Document& document) {
    for (const Block& block : document.blocks) {
      if (const auto* matrix = std::get_if<Matrix>(&block)) {
        matrices.push_back(matrix);
        steps.insert(matrix->step);
        has_answers = has_answers || !matrix->handed_in.empty();
      }
      if (const auto* found = std::get_if<GeometryTold>(&block)) geometry.push_back(found);
      if (const auto* found = std::get_if<Tree>(&block); found && !found->branches.empty()) tree = found;
      if (const auto* found = std::get_if<Headline>(&block); found && found->level == 1 && !title) title = found;
    }
  }

  const Headline* title = nullptr;
  const Tree* tree = nullptr;
  std::vector<const Matrix*> matrices;
  std::set<std::string> steps;
  std::vector<const GeometryTold*> geometry;
  bool has_answers = false;
};

// A document that is the telling of a computation, drawn under its title: the
// matrices are the figure, the lines are for other formats.
Drawing computation(const Document& document, const Contents& contents, const FormatOptions& options,
                    const Theme& theme) {
  FigureSheet sheet(options, theme);
  if (contents.title) sheet.add(*contents.title);
  if (!document.outline.empty()) {
    sheet.add(outline_drawing(document.outline, theme));
    return sheet.drawing();
  }
  sheet.add(contents.steps.size() == 1 ? map_drawing(told_matrices(document), options, theme)
                                       : flow_drawing(document, options, theme));
  for (const std::string& words : words_left_out(document)) sheet.add(Prose{{words}});
  return sheet.drawing();
}

// Vectors that are asked for, and nothing else.
Drawing geometry(const Contents& contents, const FormatOptions& options, const Theme& theme) {
  FigureSheet sheet(options, theme);
  if (contents.title) sheet.add(*contents.title);
  for (const GeometryTold* told : contents.geometry) sheet.add(*told);
  return sheet.drawing();
}

// All blocks one below the other; a number that is asked for is drawn out before
// the lines that tell of it.
Drawing all_blocks(const Document& document, const FormatOptions& options, const Theme& theme) {
  FigureSheet sheet(options, theme);
  for (const Block& block : document.blocks) {
    const auto* tree = std::get_if<Tree>(&block);
    if (tree && !tree->branches.empty() && !tree->branches[0].made_of.empty()) {
      sheet.add(sum_drawing(tree->branches[0], theme));
    }
    sheet.add(block);
  }
  return sheet.drawing();
}

// The figure in the document's own words.
std::string description(const Document& document, const Contents& contents) {
  if (!contents.geometry.empty()) return geometry_words(*contents.geometry.front());
  if (!document.outline.empty()) return outline_words(document.outline);
  std::string all;
  const auto add = [&](const std::string& words) {
    if (words.empty()) return;
    if (!all.empty()) all += std::string_view(".:?!").find(all.back()) == std::string_view::npos ? ". " : " ";
    all += words;
  };
  const std::vector<ToldMatrix> told = told_matrices(document);
  for (const Block& block : document.blocks) {
    if (const auto* headline = std::get_if<Headline>(&block); headline && told.empty()) {
      add(plain(headline->text));
    } else if (const auto* prose = std::get_if<Prose>(&block)) {
      add(plain(prose->text));
    } else if (const auto* tree = std::get_if<Tree>(&block); tree && !tree->branches.empty()) {
      std::string words;
      for (const Expression& side : tree->branches[0].line.sides)
        words += (words.empty() ? "" : " ") + plain(side.whole());
      add(words);
    }
  }
  for (const ToldMatrix& one : told) add(in_words(one));
  return all;
}

std::string write_svg(const Document& document, const FormatOptions& options) {
  const Theme theme{.classic = options.get("theme", "safe") == "classic"};
  const Contents contents(document);
  const bool told = !contents.matrices.empty() && !contents.has_answers && !contents.tree;
  const Drawing figure = !contents.geometry.empty() ? geometry(contents, options, theme)
                         : told                     ? computation(document, contents, options, theme)
                                                    : all_blocks(document, options, theme);
  const double width = std::max(figure.width, narrowest);
  const std::string title = contents.title
                                ? plain(contents.title->text)
                                : std::string(contents.matrices.empty() ? "attn" : contents.matrices[0]->title);
  return svg(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-family=\"sans-serif\" xml:lang=\"en\" xml:space=\"preserve\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"{4}\"/>\n"
      "<g transform=\"translate({5} {5})\">\n{6}</g>\n</svg>\n",
      width + 2 * margin, figure.height + 2 * margin, escaped_markup(title),
      escaped_markup(description(document, contents)), theme.paper, margin, figure.content);
}

}  // namespace

Format svg_format() {
  return {.name = "svg",
          .ending = ".svg",
          .summary = "one figure",
          .write = write_svg,
          .settings = {{"theme", {"safe", "classic"}, "the colours"}},
          .wants_behind = true};
}

}  // namespace attn
