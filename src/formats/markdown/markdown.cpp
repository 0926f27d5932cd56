#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "formats/cut.h"
#include "formats/format.h"
#include "formats/markdown/text.h"
#include "formats/styled.h"
#include "formats/text/layout.h"

namespace attn {
namespace {

constexpr std::size_t code_width = 88;

// What programs that show slides look for: Marp in an editor, and Quarto.
constexpr std::string_view slides_header =
    "---\nmarp: true\nformat: {revealjs: {scrollable: true, smaller: true}}\n---\n";

// A longer cell does not make its whole column as wide.
constexpr std::size_t widest_padded = 60;

// A table as GitHub and pandoc read it, padded so that it reads as one in an
// editor, too. Cells are Markdown already; every row has as many as the header.
// Columns from `right` on are set to the right.
std::string markdown_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                           std::size_t right) {
  std::vector<std::size_t> widths(header.size(), 3);
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], std::min(display_width(row[i]), widest_padded));
    }
  };
  measure(header);
  for (const auto& row : rows) measure(row);

  std::string text;
  const auto write = [&](const std::vector<std::string>& row) {
    text += "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const auto padded = i >= right ? padded_before : padded_behind;
      text += " " + padded(i < row.size() ? row[i] : "", widths[i]) + " |";
    }
    text += "\n";
  };
  write(header);
  text += "|";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    text += i >= right ? " " + std::string(widths[i] - 1, '-') + ": |" : " " + std::string(widths[i], '-') + " |";
  }
  text += "\n";
  for (const auto& row : rows) write(row);
  return text;
}

// The numbers of a matrix between the labels of its rows and columns, and how
// many are left out.
std::string matrix_table(const Matrix& matrix, const MarkdownStyle& style, bool full) {
  const auto [shown_rows, shown_columns] = cut_of(matrix, full);

  std::vector<std::string> header = {""};
  for (std::size_t column = 0; column < shown_columns; ++column) {
    header.push_back(words_of(matrix.column_labels[column], style));
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t row = 0; row < shown_rows; ++row) {
    rows.push_back({emphasised(words_of(matrix.row_labels[row], style), "**")});
    for (std::size_t column = 0; column < shown_columns; ++column) {
      std::string cell = words_of(matrix.cell(row, column), style);
      // As high as two lines and as wide as four letters, whatever stands in it.
      if (!matrix.boxes.empty()) cell = (cell.empty() ? "&emsp;" : cell) + "<br>&emsp;&emsp;&emsp;&emsp;";
      rows.back().push_back(matrix.mark(row, column) == Mark::wrong ? emphasised(cell, "**") : cell);
    }
  }
  std::string text = markdown_table(header, rows, 1);
  for (const std::string& words : words_of_cut(matrix, {shown_rows, shown_columns})) {
    text += "\n" + emphasised(words_of(words, style), "*") + "\n";
  }
  return text;
}

// Writes a document block by block, an empty line between any two.
class MarkdownWriter {
 public:
  explicit MarkdownWriter(const FormatOptions& options)
      : typesetter_({.width = code_width, .ascii = options.ascii, .full = options.full}),
        slides_(options.has("slides")),
        full_(options.full) {
    // Nothing that shows slides reads the fences of GitHub.
    const std::string_view math = options.get("math", slides_ ? "dollar" : "github");
    style_.math = math == "none" ? MathStyle::none : math == "dollar" ? MathStyle::dollar : MathStyle::github;
    style_.ascii = options.ascii;
  }

  std::string write(const Document& document) {
    if (slides_) {
      text_ = slides_header;
      for (const Stop& stop : stops(document)) write_slide(document, stop);
    } else {
      for (const Block& block : document.blocks) write(block);
    }
    return std::move(text_);
  }

 private:
  // A slide has one heading, so that programs that begin a slide at each
  // heading begin none within it; the headlines below it are bold.
  void write_slide(const Document& document, const Stop& stop) {
    if (stop.first > 0) add("---\n");
    std::size_t at = stop.first;
    const std::size_t end = stop.first + stop.count;
    const auto* first = std::get_if<Headline>(&document.blocks[at]);
    if (first && first->level <= 2) {
      write(document.blocks[at++]);
    } else if (!stop.part.empty()) {
      lay_out(Headline{2, stop.part});
    }
    for (; at < end; ++at) {
      const auto* headline = std::get_if<Headline>(&document.blocks[at]);
      if (headline) {
        add(emphasised(words(headline->text), "**") + "\n");
      } else {
        write(document.blocks[at]);
      }
    }
  }

  void write(const Block& block) {
    std::visit([&](const auto& content) { lay_out(content); }, block);
  }

  void lay_out(const Headline& headline) {
    const auto level = static_cast<std::size_t>(std::clamp(headline.level, 1, 6));
    add(std::string(level, '#') + " " + words(headline.text) + "\n");
  }

  void lay_out(const Prose& prose) { add(running(prose.text) + "\n"); }

  void lay_out(const Remark& remark) { add("> **Note:** " + running(remark.text) + "\n"); }

  void lay_out(const Fields& fields) {
    std::string text;
    for (const Field& field : fields.all) {
      const std::string line = field.written.empty() ? repeated("\\_", 24) : running({field.written});
      text += (text.empty() ? "" : "&emsp;") + emphasised(words_of(field.name, style_) + ":", "**") + " " + line;
    }
    add(text + "\n");
  }

  void lay_out(const Derivation& derivation) {
    const bool is_one_line = derivation.formula.empty() && derivation.lines.size() == 1;
    if (is_one_line) {
      add(caption(inline_equation(derivation.lines[0], style_), derivation.title) + "\n");
      return;
    }
    const std::string title = caption(formula(derivation.formula), derivation.title);
    if (!title.empty()) add(title + "\n");
    if (derivation.lines.empty()) return;
    if (style_.math != MathStyle::none) return add_list_or_math(display_math(derivation, style_));
    if (const auto lines = shown_lines(derivation)) return add(code_block(*lines));
    add_list_or_math(display_math(derivation, style_));
  }

  void lay_out(const Matrix& matrix) {
    std::string text = caption(formula(matrix.name()), matrix.caption());
    if (const std::string meaning = matrix.meaning(); !meaning.empty()) {
      text += (text.empty() ? "" : "\\\n") + words({meaning});
    }
    if (!text.empty()) add(text + "\n");
    add(matrix_table(matrix, style_, full_));
  }

  void lay_out(const Table& table) {
    if (!table.caption.empty()) add(emphasised(running(table.caption), "**") + "\n");
    std::size_t columns = table.header.size();
    for (const auto& row : table.rows) columns = std::max(columns, row.size());
    if (table.header.empty() && columns == 2) return add_list(pairs(table));
    std::vector<std::string> header(columns);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < table.header.size(); ++i) header[i] = running(table.header[i]);
    for (const auto& row : table.rows) {
      rows.emplace_back();
      for (const Inline& cell : row) rows.back().push_back(running(cell));
    }
    add(markdown_table(header, rows, table.numbers ? 1 : columns));
  }

  // Without a header, a table in Markdown would have an empty one.
  std::string pairs(const Table& table) const {
    std::string items;
    for (const auto& row : table.rows) {
      items += "- " + (row.empty() || row[0].empty() ? "" : emphasised(running(row[0]) + ":", "**"));
      if (row.size() > 1) items += " " + running(row[1]);
      items += "\n";
    }
    return items;
  }

  void lay_out(const GeometryTold& told) {
    for (const Block& block : without_pictures(told)) write(block);
  }

  void lay_out(const Tree& tree) {
    if (style_.math == MathStyle::none) return add(code(laid_out(tree, typesetter_, code_width)));
    std::string items;
    for (const Branch& branch : tree.branches) {
      items += std::string(2 * branch.depth, ' ') + "- " + inline_equation(branch.line, style_) + "\n";
    }
    add_list(items);
  }

  // The lines as a terminal has them, but with the whole of their labels; nothing
  // where labels would stand beside lines that are broken.
  std::optional<std::string> shown_lines(const Derivation& derivation) const {
    Derivation bare{{}, "", derivation.lines};
    std::size_t widest = 0;
    for (Equation& line : bare.lines) {
      widest = std::max(widest, typesetter_.width(plain(line.label)));
      line.label.clear();
    }
    const std::vector<StyledLine> lines = laid_out(bare, typesetter_, code_width);
    if (widest > 0 && lines.size() != bare.lines.size()) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      StyledLine line;
      if (widest > 0) line.add({typesetter_.spelled(plain(derivation.lines[i].label))});
      if (widest > 0) line.pad_to(widest + 2);
      line.add(lines[i]);
      text += typesetter_.printed(line);
    }
    return text;
  }

  std::string code(const std::vector<StyledLine>& lines) const {
    std::string text;
    for (const StyledLine& line : lines) text += typesetter_.printed(line);
    return code_block(text);
  }

  // A formula, and in bold what it is called.
  std::string caption(const std::string& made, const std::string& title) const {
    const std::string called = emphasised(words({title}), "**");
    return made + (made.empty() || called.empty() ? "" : " ") + called;
  }

  std::string formula(const Inline& text) const { return text.empty() ? "" : inline_math(text, style_); }
  std::string running(const Inline& text) const { return running_text(text, style_); }
  std::string words(const Inline& text) const { return words_of(plain(text), style_); }

  void add(const std::string& block) {
    if (!text_.empty()) text_ += "\n";
    text_ += block;
    after_list_ = false;
  }

  // Two lists in a row would be one, but that their bullets differ.
  void add_list(std::string items) {
    const bool second = after_list_;
    if (second) {
      for (std::size_t line = 0; line < items.size(); line = items.find('\n', line) + 1) {
        items[items.find_first_not_of(' ', line)] = '*';
      }
    }
    add(items);
    after_list_ = !second;
  }

  void add_list_or_math(const std::string& text) {
    if (text.starts_with("- ")) {
      add_list(text);
    } else {
      add(text);
    }
  }

  Typesetter typesetter_;
  bool slides_, full_;
  MarkdownStyle style_;
  std::string text_;
  bool after_list_ = false;
};

}  // namespace

Format markdown_format() {
  return {.name = "markdown",
          .ending = ".md",
          .summary = "for GitHub, notebooks and slides",
          .write =
              [](const Document& document, const FormatOptions& options, Sink& sink) {
                sink.write(MarkdownWriter(options).write(document));
                return hints_on_cuts(document, options.full);
              },
          .settings = {{"math", {"github", "dollar", "none"}, "how formulas are written"},
                       {"slides", {}, "a slide for each thing to look at, formulas between dollars", true}}};
}

}  // namespace attn
