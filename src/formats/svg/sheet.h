#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "formats/format.h"
#include "formats/svg/pen.h"

namespace attn {

// Blocks of a document one below the other, as on a sheet of paper.
class FigureSheet {
 public:
  FigureSheet(const FormatOptions& options, const Theme& theme) : options_(options), theme_(theme) {}

  void add(const Block& block);
  void add(const Drawing& drawing);  // in the middle of nothing: at the left

  Drawing drawing() const { return {width_, y_, content_}; }

 private:
  void lay_out(const Headline& headline);
  void lay_out(const Prose& prose);
  void lay_out(const Remark& remark);
  void lay_out(const Derivation& derivation);
  void lay_out(const Matrix& matrix);
  void lay_out(const Table& table);
  void lay_out(const Tree& tree);

  // Broken into lines of at most that width, the widest of which it returns.
  double paragraph(const Runs& runs, const TextLook& look, double x = 0, double width = paper_width);
  void line(double x, const Runs& runs, const TextLook& look);
  void space(double height) { y_ += y_ > 0 ? height : 0; }
  void reach(double x) { width_ = x > width_ ? x : width_; }
  bool aligned(const std::vector<Equation>& lines, double indent);
  void broken(const Equation& equation, double indent);

  static constexpr double paper_width = 820;

  const FormatOptions& options_;
  const Theme& theme_;
  std::string content_;
  double width_ = 0, y_ = 0;
  double beside_x_ = 0, beside_y_ = 0;  // where a matrix beside the last one stands
};

}  // namespace attn
