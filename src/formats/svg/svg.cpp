#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "formats/format.h"
#include "formats/outline.h"
#include "formats/places.h"
#include "formats/scene.h"
#include "formats/spelling.h"
#include "formats/svg/drawings.h"
#include "formats/svg/fit.h"
#include "formats/svg/pen.h"

namespace attn {
namespace {

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

bool has_notes(const Document& document) {
  return std::ranges::any_of(document.blocks, [](const Block& block) {
    const auto* prose = std::get_if<Prose>(&block);
    return prose && prose->by_author;
  });
}

// The title, and the notes of the problem below it.
void add_head(const Document& document, const Contents& contents, const Room& room, FigureSheet& sheet) {
  if (contents.title) sheet.add(*contents.title);
  if (!room.has_notes) return;
  for (const Block& block : document.blocks) {
    if (const auto* prose = std::get_if<Prose>(&block); prose && prose->by_author) sheet.add(*prose);
  }
}

// A document that is the telling of a computation, drawn under its title: the
// matrices are the figure, the lines are for other formats.
Drawing computation(const Document& document, const Contents& contents, const FormatOptions& options,
                    const Theme& theme, const Room& room) {
  FigureSheet sheet(options, theme, room);
  add_head(document, contents, room, sheet);
  if (!document.outline.empty()) {
    sheet.add(outline_drawing(document.outline, theme));
    return sheet.drawing();
  }
  FlowDrawing flow;
  if (contents.steps.size() == 1) {
    sheet.add(map_drawing(told_matrices(document), options, theme, room));
  } else {
    flow = flow_drawing(document, options, theme, room);
    if (!flow.places.empty()) sheet.add(Prose{{flow.places}});
    sheet.add(flow.drawing);
  }
  if (const std::string words = cell_words(contents.matrices); !words.empty()) sheet.add(Prose{{words}});
  for (const std::string& words : words_left_out(document)) sheet.add(Prose{{words}});
  const bool leaves_notes = !room.has_notes && has_notes(document);
  if (const Runs runs = left_out_runs(flow.left_out, leaves_notes, theme); !runs.empty()) sheet.add(runs);
  return sheet.drawing();
}

// Vectors that are asked for, and nothing else.
Drawing geometry(const Document& document, const Contents& contents, const FormatOptions& options, const Theme& theme,
                 const Room& room) {
  FigureSheet sheet(options, theme, room);
  add_head(document, contents, room, sheet);
  for (const GeometryTold* told : contents.geometry) sheet.add(*told);
  return sheet.drawing();
}

// All blocks one below the other; a number that is asked for is drawn out before
// the lines that tell of it.
Drawing all_blocks(const Document& document, const FormatOptions& options, const Theme& theme, const Room& room) {
  FigureSheet sheet(options, theme, room);
  for (const Block& block : document.blocks) {
    const auto* tree = std::get_if<Tree>(&block);
    const bool is_drawn = tree && !tree->branches.empty() && !tree->branches[0].made_of.empty();
    if (is_drawn) sheet.add(sum_drawing(tree->branches[0], theme, room));
    if (!is_drawn || tree->branches.size() > 1) {
      sheet.add(block);
    } else if (const Inline& remark = tree->branches[0].line.remark; !remark.empty()) {
      sheet.add(Prose{in_parentheses(remark)});  // the drawing says the rest of the line
    }
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

FittedFigure figure_of(const Document& document, const FormatOptions& options, const Theme& theme) {
  const Contents contents(document);
  const bool told = !contents.matrices.empty() && !contents.has_answers && !contents.tree;
  return fitted_figure(options.get("fit", "none"), [&](const Room& room) {
    if (!contents.geometry.empty()) return geometry(document, contents, options, theme, room);
    return told ? computation(document, contents, options, theme, room) : all_blocks(document, options, theme, room);
  });
}

std::vector<std::string> write_svg(const Document& document, const FormatOptions& options, Sink& sink) {
  const Theme theme{.classic = options.get("theme", "safe") == "classic"};
  const Contents contents(document);
  const FittedFigure figure = figure_of(document, options, theme);
  const std::string title = contents.title
                                ? plain(contents.title->text)
                                : std::string(contents.matrices.empty() ? "attn" : contents.matrices[0]->title);
  sink.write(
      svg("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{2}\" height=\"{3}\" role=\"img\" "
          "font-family=\"sans-serif\" xml:lang=\"en\" xml:space=\"preserve\">\n"
          "<title>{4}</title>\n<desc>{5}</desc>\n"
          "<rect width=\"{0}\" height=\"{1}\" fill=\"{6}\"/>\n{7}</svg>\n",
          figure.page_width, figure.page_height, figure.width, figure.height, escaped_markup(title),
          escaped_markup(description(document, contents)), theme.paper, figure.content));
  std::vector<std::string> hints = hints_on_cuts(document, options.full);
  const std::string_view less = contents.tree ? "--depth" : "--only or --query";
  if (std::string on_fit = hint_on_fit(options.get("fit", "none"), figure, less); !on_fit.empty())
    hints.push_back(std::move(on_fit));
  return hints;
}

}  // namespace

Format svg_format() {
  return {.name = "svg",
          .ending = ".svg",
          .summary = "one figure",
          .write = write_svg,
          .settings = {{"theme", {"safe", "classic"}, "the colours"},
                       {"fit", {"none", "slide", "column"}, "laid out for a slide or for a column of a paper"}},
          .wants_behind = true};
}

}  // namespace attn
