#include <cstddef>
#include <string>

#include "formats/latex/blocks.h"

namespace attn {
namespace {

// Around the number of a step, until it is known where on a slide its piece stands. No text of a document has them.
constexpr char before_step = '\x01', behind_step = '\x02';

}  // namespace

std::string latex_step(int step) { return before_step + std::to_string(step) + behind_step; }

std::string latex_from_step(int step, const std::string& text, const LatexPage& page) {
  if (!page.overlays || step == 0 || text.empty()) return text;
  return "\\attnshow{" + latex_step(step) + "}{" + text + "}";
}

std::string latex_built_up(const LatexPiece& piece, int before) {
  std::string text;
  for (std::size_t at = 0; at < piece.text.size();) {
    const std::size_t mark = piece.text.find(before_step, at);
    text.append(piece.text, at, mark - at);
    if (mark == std::string::npos) break;
    const std::size_t end = piece.text.find(behind_step, mark);
    text += std::to_string(before + 1 + std::stoi(piece.text.substr(mark + 1, end - mark - 1)));
    at = end + 1;
  }
  if (before == 0) return text;
  // Between paragraphs: within one it would take a line of its own.
  return "\\par\\begin{uncoverenv}<" + std::to_string(before + 1) + "->\n" + text + "\\par\\end{uncoverenv}\n";
}

}  // namespace attn
