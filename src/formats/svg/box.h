#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "formats/places.h"
#include "formats/svg/drawings.h"
#include "formats/svg/grid.h"
#include "formats/svg/pen.h"

namespace attn {

// One step as a box: its formula, its title, and what it has in each place (head,
// sequence).
class StepBox {
 public:
  explicit StepBox(std::vector<ToldMatrix> places) : places_(std::move(places)), of_(places_.size()) {}

  // Of several heads and sequences the first alone.
  void keep_first() { places_.resize(1); }

  const std::string& step() const { return first().step; }
  const std::vector<ToldMatrix>& places() const { return places_; }
  const Matrix& first() const { return *places_.front().matrix; }

  // Lays it out in about that width.
  void lay_out(const Theme& theme, double room, const Room& figure, bool full);

  // How many of its places are small maps; are not drawn.
  std::size_t drawn_small() const { return maps_.size(); }
  std::size_t not_drawn() const { return of_ - shown_.size() - maps_.size(); }
  bool has_numbers() const { return shown_.front().grid.has_numbers(); }

  double width() const { return width_; }
  double height() const { return height_; }

  // How much is above the numbers. Boxes beside each other have it alike.
  double head() const { return head_; }
  void set_head(double head);

  std::string drawn(double x, double y, const Theme& theme) const;

 private:
  struct Shown {
    const ToldMatrix* told;
    Grid grid;
    double x = 0, y = 0;  // below the head
  };
  struct Map {
    const ToldMatrix* told;
    Drawing drawing;
    double x = 0, y = 0, room = 0;
    std::string above;  // what the place begins with, where it is another than before
  };

  // Where one place of several is all there is, the figure says which.
  bool is_named(const ToldMatrix& place) const { return !place.place.empty() && places_.size() == of_; }
  void lay_out_grids(const Theme& theme, double room, const Room& figure, bool full);
  void lay_out_maps(const Theme& theme, double room, const Room& figure);
  void lay_out_head(const Theme& theme, double room, const Room& figure);

  std::vector<ToldMatrix> places_;
  std::size_t of_;        // places there are
  std::string left_out_;  // words for the places that are not drawn
  std::vector<Runs> formula_, title_;
  std::string sizes_;
  std::vector<Shown> shown_;
  std::vector<Map> maps_;
  double padding_ = 0, formula_size_ = 0;
  double inner_ = 0;  // width of what is below the head
  double body_ = 0;   // and its height
  double head_ = 0, width_ = 0, height_ = 0;
};

}  // namespace attn
