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

// The pieces of blocks, matrices that stand side by side taken together.
LatexPieces pieces_of(const std::vector<Block>& blocks, std::size_t begin, std::size_t end, const LatexPage& page) {
  LatexPieces all;
  std::vector<const Matrix*> waiting;
  const auto add = [&](LatexPieces pieces) { std::ranges::move(pieces, std::back_inserter(all)); };
  const auto flush = [&] {
    if (!waiting.empty()) add(latex_pieces(std::exchange(waiting, {}), page));
  };
  for (std::size_t i = begin; i < end; ++i) {
    std::visit(Overloaded{
                   [&](const Matrix& matrix) {
                     if (!matrix.beside) flush();
                     waiting.push_back(&matrix);
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
  return "\\begin{frame}[t]{" + title + "}\n\\begin{attnslide}{" + std::to_string(scale(pieces, page)) + "}\n" +
         joined(pieces) + "\\end{attnslide}\n\\end{frame}\n\n";
}

class SlideWriter {
 public:
  explicit SlideWriter(const LatexPage& page) : page_(page) {}

  std::string write(const Document& document) {
    for (const Stop& stop : stops(document)) {
      std::size_t first = stop.first;
      const std::size_t end = stop.first + stop.count;
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
    return last;
  }

  void fill(const LatexPieces& pieces) {
    LatexPieces body;
    double height = 0;
    for (const LatexPiece& one : pieces) {
      if (!body.empty() && height + one.height > page_.height) {
        text_ += frame(title_, std::exchange(body, {}), page_);
        height = 0;
      }
      body.push_back(one);
      height += one.height;
    }
    if (!body.empty()) text_ += frame(title_, body, page_);
  }

  LatexPage page_;
  std::string title_;
  std::string text_;
};

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
  const auto page = [&](LatexPage one) {
    one.full = options.full;
    return one;
  };
  if (options.has("beamer")) return latex_slides_begin() + SlideWriter(page(on_a_slide)).write(document) + latex_end();
  const auto text = [&](const LatexPage& one) {
    return joined(pieces_of(document.blocks, 0, document.blocks.size(), one));
  };
  const std::string of_sheet = document.sheet ? latex_sheet_macros() : "";
  if (options.has("standalone")) return latex_paper_begin(of_sheet) + "\n" + text(page(on_paper)) + "\n" + latex_end();
  return "% \\input this where amsmath and amssymb are loaded; with xcolor it is in colour,\n"
         "% with booktabs its tables have better rules, with graphicx nothing is too wide.\n"
         "\\begingroup\n" +
         latex_macros() + of_sheet + "\\allowdisplaybreaks \\emergencystretch=3em\n\n" + text(page(in_a_document)) +
         "\n\\endgroup\n";
}

std::string write_latex(const Document& document, const FormatOptions& options) {
  const std::string text = written_latex(document, options);
  return options.ascii ? ascii_only(text) : text;
}

}  // namespace

Format latex_format() {
  return {.name = "latex",
          .ending = ".tex",
          .summary = "for papers, handouts and slides",
          .write = write_latex,
          .settings = {{"standalone", {}, "a whole document, which compiles alone"},
                       {"beamer", {}, "slides, one step at a time", true}}};
}

}  // namespace attn
