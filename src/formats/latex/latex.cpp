#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/utf8.h"
#include "formats/format.h"
#include "formats/latex/blocks.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

// The lines of an article of 10 points, of our own page, of a slide.
constexpr LatexPage in_a_document = {.width = 340};
constexpr LatexPage on_paper = {.width = 468};
constexpr LatexPage on_a_slide = {.width = 400, .height = 185};

LatexPieces piece(std::string text, double height) { return {{std::move(text), height}}; }

LatexPieces latex_pieces(const Headline& headline, const LatexPage& page) {
  const char* command = headline.level == 1 ? "\\attntitle{" : headline.level == 2 ? "\\attnpart{" : "\\attnsubpart{";
  return piece(command + latex_prose(headline.text) + "}\n",
               latex_height(latex_text_width(plain(headline.text)), page));
}

LatexPieces latex_pieces(const Prose& prose, const LatexPage& page) {
  return piece(latex_prose(prose.text) + "\n", latex_height(latex_text_width(plain(prose.text)), page));
}

LatexPieces latex_pieces(const Remark& remark, const LatexPage& page) {
  const double width = latex_text_width(plain(remark.text)) + 30;
  return piece("\\attnnote{" + latex_prose(remark.text) + "}\n", latex_height(width, page) + 12);
}

LatexPieces latex_pieces(const Fields& fields, const LatexPage&) {
  std::string text;
  for (const Field& field : fields.all) {
    const std::string name = latex_text(field.name);
    text += text.empty() ? "" : "\\quad ";
    text += field.written.empty() ? "\\attnfield{" + name + "}" : name + ":~" + latex_text(field.written) + "\\hfill";
  }
  return piece("\\par\\medskip\\noindent " + text + "\\par\\medskip\n", 25);
}

// A long vector lies down, so that it takes a line and not a page.
Matrix lying(const Matrix& matrix) {
  Matrix turned = matrix;
  std::swap(turned.row_labels, turned.column_labels);
  std::swap(turned.row_axis, turned.column_axis);
  turned.words.clear();  // they say which are the rows
  return turned;
}

bool lies_down(const Matrix& matrix) {
  constexpr std::size_t longest_column = 6, widest_row = 16;
  return matrix.columns() == 1 && matrix.column_axis.empty() && matrix.rows() > longest_column &&
         matrix.rows() <= widest_row && matrix.boxes.empty() && matrix.handed_in.empty();
}

// The pieces of blocks, matrices that stand side by side taken together, as do those of several heads.
LatexPieces pieces_of(const std::vector<Block>& blocks, std::size_t begin, std::size_t end, const LatexPage& page) {
  LatexPieces all;
  std::vector<const Matrix*> waiting;
  std::vector<Matrix> turned;  // those that lie down
  turned.reserve(end - begin);
  const auto add = [&](LatexPieces pieces) { std::ranges::move(pieces, std::back_inserter(all)); };
  const auto flush = [&] {
    if (waiting.empty()) return;
    const Matrix* weights = waiting.size() == 1 ? waiting.front() : nullptr;
    add(latex_pieces(std::exchange(waiting, {}), page));
    if (weights) add(latex_arcs(*weights, page));
  };
  for (std::size_t i = begin; i < end; ++i) {
    std::visit(Overloaded{
                   [&](const Matrix& matrix) {
                     const bool goes_on = !waiting.empty() && waiting.back()->step == matrix.step;
                     if (!matrix.beside && !goes_on) flush();
                     waiting.push_back(lies_down(matrix) ? &turned.emplace_back(lying(matrix)) : &matrix);
                   },
                   [&](const auto& block) {
                     flush();
                     add(latex_pieces(block, page));
                   },
               },
               blocks[i]);
  }
  flush();
  return all;
}

std::string joined(const LatexPieces& pieces) {
  std::string text;
  for (const LatexPiece& one : pieces) text += (text.empty() ? "" : "\n") + one.text;
  return text;
}

// How many per cent larger than text its content can be for everybody in the room to read it.
int scale(const LatexPieces& pieces, const LatexPage& page) {
  for (const int percent : {160, 140, 120}) {
    double height = 0, width = 0;
    for (const LatexPiece& one : pieces) {
      // Running text has more lines where these are shorter.
      height += one.width > 0 ? one.height : one.height * percent / 100;
      width = std::max(width, one.width);
    }
    if (height * percent / 100 <= page.height && width * percent / 100 <= page.width) return percent;
  }
  return 100;
}

std::string frame(const std::string& title, const LatexPieces& pieces, const LatexPage& page) {
  std::string content = page.builds_up ? "" : joined(pieces);
  std::size_t from = 1;
  for (const LatexPiece& one : pieces) {
    if (!page.builds_up) break;
    content += "\\renewcommand\\attnfrom{" + std::to_string(from) + "}" + one.text + "\n";
    from += one.steps;
  }
  return "\\begin{frame}[t]{" + title + "}\n\\begin{attnslide}{" + std::to_string(scale(pieces, page)) + "}\n" +
         content + "\\end{attnslide}\n\\end{frame}\n\n";
}

class SlideWriter {
 public:
  explicit SlideWriter(const LatexPage& page) : page_(page) {}

  std::string write(const Document& document) {
    flow_ = latex_flow(document, page_);
    const std::vector<Stop> all = stops(document);
    for (std::size_t at = 0; at < all.size(); ++at) {
      const Stop& stop = all[at];
      std::size_t first = stop.first;
      while (at + 1 < all.size() && belong_together(document, all[at], all[at + 1])) ++at;
      const std::size_t end = all[at].first + all[at].count;
      const auto* headline = std::get_if<Headline>(&document.blocks[first]);
      if (headline && headline->level == 1) first = opening(document.blocks, first, end);
      // The headline of the part is the title of its slides.
      const auto* part = first < end ? std::get_if<Headline>(&document.blocks[first]) : nullptr;
      const bool is_title = part && part->level == 2 && part->text == stop.part;
      title_ = titled(stop.part);
      if (is_title && latex_text_width(plain(stop.part)) <= widest_title) ++first;
      fill(pieces_of(document.blocks, first, end, page_));
      if (first >= end && is_title) text_ += frame(title_, piece("~\n", 0), page_);
    }
    return std::move(text_);
  }

 private:
  static constexpr double widest_title = 300;

  // Whether two things to look at are one on a slide: matrices of one step, of several heads;
  // vectors that lie down; what is said of the problem beside its weights.
  static bool belong_together(const Document& document, const Stop& one, const Stop& next) {
    if (one.part != next.part) return false;
    const auto* a = std::get_if<Matrix>(&document.blocks[one.first + one.count - 1]);
    if (a && std::holds_alternative<Table>(document.blocks[next.first])) return true;
    const auto* b = std::get_if<Matrix>(&document.blocks[next.first]);
    return a && b && (a->step == b->step || (lies_down(*a) && lies_down(*b)));
  }

  static std::string titled(const Inline& part) {
    if (latex_text_width(plain(part)) <= widest_title) return latex_prose(part);
    return latex_label(plain(part), widest_title);
  }

  // The slide with the title of it all, and the words that follow.
  std::size_t opening(const std::vector<Block>& blocks, std::size_t first, std::size_t end) {
    std::size_t last = first + 1;
    while (last < end && std::holds_alternative<Prose>(blocks[last])) ++last;
    LatexPieces pieces = pieces_of(blocks, first, last, page_);
    pieces.insert(pieces.begin(), {"\\vspace*{10mm}\n", 40});
    text_ += frame("", pieces, page_);
    for (const LatexPiece& one : flow_) text_ += frame("", {one}, page_);
    return last;
  }

  void fill(const LatexPieces& pieces) {
    LatexPieces body;
    double height = 0;
    for (const LatexPiece& one : pieces) {
      // What is a little too high is shown a little smaller.
      if (!body.empty() && height + one.height > 1.3 * page_.height) {
        text_ += frame(title_, std::exchange(body, {}), page_);
        height = 0;
      }
      body.push_back(one);
      height += one.height;
    }
    if (!body.empty()) text_ += frame(title_, body, page_);
  }

  LatexPage page_;
  LatexPieces flow_;  // the picture of the whole
  std::string title_;
  std::string text_;
};

bool is_opening(const Block& block, std::size_t at) {
  const auto* headline = std::get_if<Headline>(&block);
  return std::holds_alternative<Prose>(block) || (headline && headline->level == 1 && at == 0);
}

// The same in ASCII: every other character by its number.
std::string ascii_only(std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    if (point.value < 0x80) {
      all += text[at];
    } else {
      const std::string number = fmt::format("{:X}", static_cast<unsigned>(point.value));
      const std::string command = "\\attnchar{" + number + "}{";
      const bool commanded = all.ends_with(command);
      all += (commanded ? "" : command) + "\\char\"" + number + " " + (commanded ? "" : "}");
    }
    at += point.bytes;
  }
  return all;
}

std::string written_latex(const Document& document, const FormatOptions& options) {
  const bool builds_up = options.has("overlays");
  const auto page = [&](LatexPage one) {
    one.full = options.full;
    one.builds_up = builds_up;
    one.numbers = &numbers_that_fit(document, one);
    return one;
  };
  if (options.has("beamer") || builds_up) {
    const LatexPage slide = page(on_a_slide);
    return latex_slides_begin() + slide.numbers->macro + SlideWriter(slide).write(document) + latex_end();
  }
  // The picture of the whole stands behind the title and the words about it.
  const auto text = [&](const LatexPage& one) {
    std::size_t opening = 0;
    while (opening < document.blocks.size() && is_opening(document.blocks[opening], opening)) ++opening;
    LatexPieces pieces = pieces_of(document.blocks, 0, opening, one);
    std::ranges::move(latex_flow(document, one), std::back_inserter(pieces));
    std::ranges::move(pieces_of(document.blocks, opening, document.blocks.size(), one), std::back_inserter(pieces));
    return joined(pieces);
  };
  const std::string of_sheet = document.sheet ? latex_sheet_macros() : "";
  if (options.has("standalone")) {
    const LatexPage paper = page(on_paper);
    return latex_paper_begin(of_sheet) + "\n" + paper.numbers->macro + text(paper) + "\n" + latex_end();
  }
  const LatexPage within = page(in_a_document);
  return "% \\input this where amsmath and amssymb are loaded; with xcolor it is in colour,\n"
         "% with booktabs its tables have better rules, with graphicx nothing is too wide,\n"
         "% with colortbl weights are shaded, with tikz they are drawn as arcs as well.\n"
         "\\begingroup\n" +
         latex_macros() + of_sheet + within.numbers->macro + "\\allowdisplaybreaks \\emergencystretch=3em\n\n" +
         text(within) + "\n\\endgroup\n";
}

void write_latex(const Document& document, const FormatOptions& options, Sink& sink) {
  const std::string text = written_latex(document, options);
  sink.write(options.ascii ? ascii_only(text) : text);
}

}  // namespace

Format latex_format() {
  return {.name = "latex",
          .ending = ".tex",
          .summary = "for papers, handouts and slides",
          .write = write_latex,
          .settings = {{"standalone", {}, "a whole document, which compiles alone"},
                       {"beamer", {}, "slides, one step at a time", true},
                       {"overlays", {}, "slides that are built up line by line", true}},
          .wants_behind = true};
}

}  // namespace attn
