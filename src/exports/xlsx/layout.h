#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/place.h"
#include "trace/trace.h"

namespace attn {

// A cell of a workbook; all counted from 0.
struct SheetCell {
  std::size_t sheet = 0, row = 0, column = 0;

  bool operator==(const SheetCell&) const = default;
};

// "B3", "B3:E3"; with dollars "$B$3".
std::string cell_reference(const SheetCell& cell, bool is_fixed = false);

// A matrix of a tensor on a sheet: what one head of one sequence has of it. Above its first row
// stand the labels of its columns, and above these what it is of, where there are several.
struct SheetBlock {
  Place place;
  std::size_t first = 0;  // which number of the tensor stands in its first cell
  std::size_t row = 0;    // of the sheet, of its first cell
};

// A tensor on a sheet: a line with its symbol and title, one with its formula, its blocks one
// below the other. Rows are labelled in the first column; numbers stand from the second on.
struct SheetTable {
  const Heading* heading = nullptr;
  const Tensor<double>* numbers = nullptr;
  const Step* step = nullptr;               // null: given
  const GivenTensor* given = nullptr;       // null: a step
  std::size_t sheet = 0, row = 0;           // of its first line
  std::vector<Dim> down = {}, across = {};  // at most one each: the axes of a block
  std::vector<SheetBlock> blocks = {};
  std::vector<std::pair<std::size_t, std::size_t>> steps =
      {};  // rows and columns from a number to its neighbour along each axis

  SheetCell at(std::size_t cell) const;
  bool is_given() const { return !step || is_given_step(); }

 private:
  bool is_given_step() const;
};

// Which tensor of a trace stands where: a sheet for each part of the computation, what is given
// above what is computed of it.
class SheetLayout {
 public:
  explicit SheetLayout(const Trace& trace);

  struct Sheet {
    std::string name;   // what formulas call it
    std::string title;  // for people
    std::size_t rows = 0, columns = 0;
  };

  static constexpr std::size_t first_column = 1;  // of numbers: the labels stand before it

  const std::vector<Sheet>& sheets() const { return sheets_; }
  const std::vector<SheetTable>& tables() const { return tables_; }
  const SheetTable& table(std::string_view id) const { return tables_[places_.find(id)->second]; }

  // How a formula on that sheet calls a cell: "B3", on another sheet "'layer1.self'!B3".
  std::string reference(const SheetCell& cell, std::size_t from) const;

 private:
  std::vector<Sheet> sheets_;
  std::vector<SheetTable> tables_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace attn
