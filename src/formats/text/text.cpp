#include "base/text.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "formats/format.h"
#include "formats/styled.h"
#include "formats/text/layout.h"

namespace attn {
namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t narrowest = 40;
constexpr std::size_t between = 3;  // columns between matrices side by side

// Writes a document block by block, an empty line between any two.
class TextWriter {
 public:
  explicit TextWriter(const FormatOptions& options)
      : typesetter_(options), width_(std::max(options.width, narrowest)) {}

  std::string write(const Document& document) {
    for (const Block& block : document.blocks) {
      const auto* matrix = std::get_if<Matrix>(&block);
      if (!matrix || !matrix->beside) flush();
      std::visit([&](const auto& content) { lay_out(content); }, block);
    }
    flush();
    return std::move(text_);
  }

 private:
  void lay_out(const Headline& headline) {
    std::vector<StyledLine> lines = {typesetter_.line(headline.text, Weight::bold)};
    if (widest(lines) > width_) lines = typesetter_.wrapped(headline.text, width_, Weight::bold);
    if (headline.level <= 2) {
      const std::string rule = repeated(headline.level == 1 ? "═" : "─", std::min(widest(lines), width_));
      lines.emplace_back().add({typesetter_.spelled(rule)});
    }
    print(std::move(lines), 0);
  }

  void lay_out(const Prose& prose) { print(typesetter_.wrapped(prose.text, width_ - indent), indent); }

  void lay_out(const Remark& remark) {
    print(typesetter_.wrapped(joined({"Note: "}, remark.text), width_ - indent), indent);
  }

  // What is last goes to the end of the line.
  void lay_out(const Fields& fields) {
    std::string line;
    const std::size_t room = (width_ - indent) / std::max<std::size_t>(fields.all.size(), 1);
    for (const Field& field : fields.all) {
      const std::string words = (line.empty() ? "" : "  ") + field.name + ": " + printable(field.written);
      line += words + repeated(field.written.empty() ? "_" : " ", room - std::min(room, display_width(words)));
    }
    std::vector<StyledLine> lines;
    lines.emplace_back().add({typesetter_.spelled(line)});
    print(std::move(lines), indent);
  }

  void lay_out(const GeometryTold& told) {
    for (const Block& block : without_pictures(told)) {
      std::visit([&](const auto& content) { lay_out(content); }, block);
    }
  }

  // A derivation, a table, a tree.
  void lay_out(const auto& block) { print(laid_out(block, typesetter_, width_ - indent), indent); }

  // Matrices wait until it is known whether the next one stands beside them.
  void lay_out(const Matrix& matrix) {
    MatrixBox box = laid_out_narrow(matrix, typesetter_);
    const std::size_t width = box.width();
    if (!matrix.beside || waiting_.empty() || indent + side_width_ + between + width > width_) flush();
    side_width_ += (waiting_.empty() ? 0 : between) + width;
    waiting_.push_back({&matrix, std::move(box)});
  }

  // Those that wait side by side: their captions first, so that numbers start on one line.
  void flush() {
    if (waiting_.empty()) return;
    if (waiting_.size() == 1) waiting_[0].box = laid_out(*waiting_[0].matrix, typesetter_, width_ - indent);
    std::vector<StyledLine> lines;
    std::size_t at = 0;
    std::size_t captions = 0;
    for (const Waiting& one : waiting_) captions = std::max(captions, one.box.caption.size());
    for (auto& [matrix, box] : waiting_) {
      const std::size_t width = box.width();
      lines.resize(std::max(lines.size(), captions + 1 + box.body.size()));
      put(std::move(box.caption), 0, at, lines);
      put(std::move(box.body), captions + 1, at, lines);
      at += width + between;
    }
    print(std::move(lines), indent);
    waiting_.clear();
    side_width_ = 0;
  }

  static void put(std::vector<StyledLine> part, std::size_t from, std::size_t at, std::vector<StyledLine>& lines) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      lines[from + i].pad_to(at);
      lines[from + i].add(std::move(part[i]));
    }
  }

  void print(std::vector<StyledLine> lines, std::size_t by) {
    if (!text_.empty()) text_ += "\n";
    for (StyledLine& line : lines) {
      StyledLine whole(by);
      whole.add(std::move(line));
      text_ += typesetter_.printed(whole);
    }
  }

  struct Waiting {
    const Matrix* matrix;
    MatrixBox box;
  };

  Typesetter typesetter_;
  std::size_t width_;
  std::string text_;
  std::vector<Waiting> waiting_;
  std::size_t side_width_ = 0;
};

}  // namespace

Format text_format() {
  return {"text",
          ".txt",
          "for a terminal",
          [](const Document& document, const FormatOptions& options, Sink& sink) {
            sink.write(TextWriter(options).write(document));
            return hints_on_cuts(document, options.full);
          },
          {{"heatmap", {}, "scores and weights shaded by their size, a bar beside each weight", true}}};
}

}  // namespace attn
