#include <algorithm>
#include <cstddef>
#include <iterator>
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

// The lines of an article, narrow enough for smaller letters to fit a column of two; of our own page; of a slide.
constexpr double in_a_document = 280, on_paper = 490;
constexpr double slide_width = 429;

// The sizes that numbers may have, the largest first.
constexpr LatexNumbers normal{"\\normalsize"}, small{"\\small", 0.925, 0.92, 9},
    smaller{"\\footnotesize", 0.85, 0.79, 5}, smallest{"\\scriptsize", 0.8, 0.62, 3};

std::vector<LatexPage> possible_pages(const FormatOptions& options) {
  std::vector<LatexPage> pages;
  if (!options.has("beamer")) {
    const double width = options.has("standalone") ? on_paper : in_a_document;
    for (const LatexNumbers& numbers : {normal, small, smaller}) pages.push_back({.width = width, .numbers = numbers});
  } else {
    const auto add = [&](int letters, const LatexNumbers& numbers) {
      const double scale = 10.0 / letters;
      pages.push_back({.width = slide_width * scale,
                       .height = latex_slide_height(letters) * scale,
                       .letters = letters,
                       .numbers = numbers});
    };
    add(12, normal);
    add(11, normal);
    for (const LatexNumbers& numbers : {normal, small, smaller, smallest}) add(10, numbers);
  }
  for (LatexPage& page : pages) {
    page.full = options.full;
    page.overlays = options.has("overlays");
  }
  return pages;
}

// That with the largest numbers of which as many matrices are whole as can be.
LatexPage fitting_page(const Document& document, const FormatOptions& options) {
  const std::vector<LatexPage> pages = possible_pages(options);
  if (document.sheet) {
    LatexPage page = pages.front();
    page.sheet = true;
    return page;
  }
  return *std::ranges::max_element(pages, {},
                                   [&](const LatexPage& page) { return latex_whole_matrices(document, page); });
}

LatexPieces one_piece(std::string text, double height) { return {{std::move(text), height}}; }

LatexPieces latex_pieces(const Headline& headline, const LatexPage& page) {
  const char* command = headline.level == 1 ? "\\attntitle{" : headline.level == 2 ? "\\attnpart{" : "\\attnsubpart{";
  const double width = 1.2 * latex_text_width(plain(headline.text));
  LatexPieces pieces = one_piece(command + latex_prose(headline.text) + "}\n", latex_height(width, page) + 5);
  pieces[0].leads = true;
  return pieces;
}

LatexPieces latex_pieces(const Prose& prose, const LatexPage& page) {
  LatexPieces pieces =
      one_piece(latex_prose(prose.text) + "\n", latex_height(latex_text_width(plain(prose.text)), page));
  pieces[0].follows = true;
  return pieces;
}

LatexPieces latex_pieces(const Remark& remark, const LatexPage& page) {
  const double width = 0.85 * latex_text_width(plain(remark.text)) + 40;
  LatexPieces pieces = one_piece("\\attnnote{" + latex_prose(remark.text) + "}\n", latex_height(width, page) + 3);
  pieces[0].follows = true;
  return pieces;
}

LatexPieces latex_pieces(const Fields& fields, const LatexPage&) {
  std::string text;
  for (const Field& field : fields.all) {
    const std::string name = latex_text(field.name);
    text += text.empty() ? "" : "\\quad ";
    text += field.written.empty() ? "\\attnfield{" + name + "}" : name + ":~" + latex_text(field.written) + "\\hfill";
  }
  return one_piece("\\par\\medskip\\noindent " + text + "\\par\\medskip\n", 25);
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
                     const bool is_filled_in = !matrix.boxes.empty() || !matrix.handed_in.empty();
                     if (is_filled_in && !matrix.beside) flush();
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

// How many blocks say what the document is: its title, and the words that follow.
std::size_t opening_of(const std::vector<Block>& blocks) {
  std::size_t end = 0;
  const auto is_title = [&] {
    const auto* headline = std::get_if<Headline>(&blocks[end]);
    return headline && headline->level == 1;
  };
  while (end < blocks.size() && (is_title() || std::holds_alternative<Prose>(blocks[end]))) ++end;
  return end;
}

class SlideWriter {
 public:
  explicit SlideWriter(const LatexPage& page) : page_(page) {}

  // `blocks` are those of the document, headed.
  std::string write(const Document& document, const std::vector<Block>& blocks) {
    const std::size_t opened = opening(document, blocks);
    for (std::size_t first = opened, end = first; first < blocks.size(); first = end) {
      end = first + 1;
      while (end < blocks.size() && !(begins_part(blocks[end]) && !begins_part(blocks[end - 1]))) ++end;
      part(blocks, first, end);
    }
    flush();
    return std::move(text_);
  }

 private:
  static constexpr double widest_title = 300;
  static constexpr double headline_height = 24;

  static bool begins_part(const Block& block) {
    const auto* headline = std::get_if<Headline>(&block);
    return headline && headline->level <= 2;
  }

  static std::string titled(const Inline& part) {
    if (latex_text_width(plain(part)) <= widest_title) return latex_prose(part);
    return latex_label(plain(part), widest_title);
  }

  // What a slide is called. A list says what steps its part has, and each slide then says which it has itself.
  struct Title {
    std::string text;
    bool is_list = false;
  };

  static std::vector<std::string> names_in(const LatexPieces& pieces) {
    std::vector<std::string> names;
    for (const LatexPiece& one : pieces) names.insert(names.end(), one.names.begin(), one.names.end());
    return names;
  }
  static bool is_list(const std::string& title, const LatexPieces& pieces) {
    const std::vector<std::string> names = names_in(pieces);
    return !names.empty() && title == latex_titles(names);
  }

  static double height(const LatexPieces& pieces) {
    double total = 0;
    for (const LatexPiece& one : pieces) total += one.height;
    return total;
  }

  // The slide with the title of it all, the words that follow, and how its numbers flow.
  std::size_t opening(const Document& document, const std::vector<Block>& blocks) {
    const std::size_t end = opening_of(blocks);
    fill(pieces_of(blocks, 0, end, page_));
    const auto* headline = end > 0 ? std::get_if<Headline>(&blocks.front()) : nullptr;
    if (headline) next_title_ = {titled(headline->text)};
    fill(latex_flow(document, page_));
    flush();
    return end;
  }

  // A part begins a slide, but for numbers that all fit behind those of the part before.
  void part(const std::vector<Block>& blocks, std::size_t first, std::size_t end) {
    const auto* headline = std::get_if<Headline>(&blocks[first]);
    // The headline of the part is the title of its slides.
    const bool is_title = headline && latex_text_width(plain(headline->text)) <= widest_title;
    const LatexPieces pieces = pieces_of(blocks, first + (is_title ? 1 : 0), end, page_);
    const bool works_out =
        std::any_of(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                    blocks.begin() + static_cast<std::ptrdiff_t>(end), [](const Block& block) {
                      return std::holds_alternative<Derivation>(block) || std::holds_alternative<Tree>(block);
                    });
    const bool fits = height_ + headline_height + height(pieces) <= page_.height;
    next_title_ = headline ? Title{titled(headline->text), is_list(plain(headline->text), pieces)} : Title{};
    if (works_out || body_.empty() || !fits) {
      flush();
      title_ = next_title_;
    } else if (is_title) {
      add({"\\attnpart{" + latex_prose(headline->text) + "}\n", headline_height});
    }
    fill(pieces);
    if (pieces.empty()) add({"~\n", 0});
  }

  void fill(const LatexPieces& pieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      // A headline stays with what it leads to, and that with what is said of it.
      double together = pieces[i].height;
      std::size_t next = i;
      while (next + 1 < pieces.size() && pieces[next].leads) together += pieces[++next].height;
      double with_words = together;
      while (next + 1 < pieces.size() && pieces[next + 1].follows) with_words += pieces[++next].height;
      if (with_words <= page_.height) together = with_words;
      const bool is_led = i > 0 && pieces[i - 1].leads;
      if (!body_.empty() && !is_led && height_ + together > page_.height) flush();
      add(pieces[i]);
    }
  }

  void add(const LatexPiece& piece) {
    body_.push_back(piece);
    height_ += piece.height;
  }

  void flush() {
    if (body_.empty()) return;
    const std::string list = title_.is_list ? latex_prose(latex_titles(names_in(body_))) : "";
    const std::string& title = list.empty() ? title_.text : list;
    text_ += "\\begin{frame}[t]{" + title + "}\n\\begin{attnslide}\n" + (title.empty() ? "\\vspace*{6mm}\n" : "");
    int before = 0;
    for (const LatexPiece& one : body_) {
      text_ += (before > 0 ? "\n" : "") + (page_.overlays ? latex_built_up(one, before) : one.text);
      before += one.steps;
    }
    text_ += "\\end{attnslide}\n\\end{frame}\n\n";
    body_.clear();
    height_ = 0;
    title_ = next_title_;
  }

  LatexPage page_;
  Title title_, next_title_;
  LatexPieces body_;  // of the slide that is being filled
  double height_ = 0;
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
  const LatexPage page = fitting_page(document, options);
  const std::vector<Block> blocks = latex_headed(document.blocks);
  if (options.has("beamer")) {
    return latex_slides_begin(page.letters) + latex_numbers(page.numbers) + SlideWriter(page).write(document, blocks) +
           latex_end();
  }
  const std::size_t opened = opening_of(blocks);
  LatexPieces pieces = pieces_of(blocks, 0, opened, page);
  std::ranges::move(latex_flow(document, page), std::back_inserter(pieces));
  std::ranges::move(pieces_of(blocks, opened, blocks.size(), page), std::back_inserter(pieces));
  const std::string text = latex_numbers(page.numbers) + "\n" + joined(pieces) + "\n";
  const std::string of_sheet = document.sheet ? latex_sheet_macros() : "";
  if (options.has("standalone")) return latex_paper_begin(of_sheet) + text + latex_end();
  return "% \\input this where amsmath and amssymb are loaded; with xcolor it is in colour, with its\n"
         "% option table attention weights are shaded, with tikz there are figures; with booktabs\n"
         "% tables have better rules, with graphicx nothing is too wide.\n"
         "\\par\\begingroup\n" +
         latex_macros() + of_sheet + "\\allowdisplaybreaks \\emergencystretch=3em\n" + latex_narrow() + text +
         "\\endgroup\n";
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
                       {"beamer", {}, "slides", true},
                       {"overlays", {}, "with --beamer: each slide is built up", true, "beamer"}},
          .wants_behind = true};
}

}  // namespace attn
