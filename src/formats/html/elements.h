#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sink.h"
#include "explain/document.h"
#include "formats/cut.h"
#include "formats/format.h"

namespace attn {

// Running text; what names a tensor has the class of its role.
std::string page_text(const Inline& text);

// A formula as elements <math>, a new one where words begin or end, so that a line
// can be broken there; names of tensors have the class of their role.
std::string math_elements(const Inline& formula);

// Other people's name of a row, a column or a line: however it is written, it
// leaves what is around it in order.
std::string page_label(std::string_view label);

using ClosingReasons = std::map<std::string, std::string>;

// Elements of a page.
// `reasons`: why a cell is closed, by its index "[1,2]"; a line that says so adds its own, and one that
// says "closed" alone is told.
std::string page_lines(const Derivation& derivation, ClosingReasons& reasons);
std::string page_table(const Table& table, const std::string& part);  // `part`: names a table that has no caption
std::string page_tree(const Tree& tree);

// How much of a matrix a page shows: all of it, unless it is very large.
inline constexpr std::size_t most_shown_whole = 5000;
Extent shown_of(const Matrix& matrix, const FormatOptions& options);

struct HeadRoom;
HeadRoom room_of(const Matrix& matrix, Extent shown);

// Whether the numbers of the matrix say where they come from; not so where
// somebody handed them in.
bool is_sourced(const Matrix& matrix);

// Whether it is the weights of queries (rows) over keys (columns).
bool are_weights(const Matrix& matrix);

// Of a very large one no cells are written: the page's script draws a row when it comes into sight
// (decision 0016). Then the table says how numbers are spelled, and a row its numbers, as attributes.
bool is_drawn_late(const Matrix& matrix, Extent shown);
std::string late_format(const Matrix& matrix);
std::string late_cells(const Matrix& matrix, std::size_t row, std::size_t columns);

// A matrix of the page, in the order of the page.
struct PageMatrix {
  const Matrix* matrix;
  Extent shown;
};

// The rules that close numbers of a matrix, as far as they are in the page: their matrices, of which
// the titles are "causal: a query sees no key after its own position".
std::vector<const Matrix*> closing_rules(const Matrix& matrix, Extent shown, const std::vector<PageMatrix>& page);

// A matrix as a table that scrolls in its box, its place among those of the page
// being `number` where it is sourced; `closing` are the rules that close numbers of it.
void write_matrix(const Matrix& matrix, Extent shown, std::optional<std::size_t> number,
                  const std::vector<const Matrix*>& closing, Outgoing& page);

// Those rules in words, one a line.
std::string page_rules(const std::vector<const Matrix*>& rules);

// The same weights as arcs, and how to read them. Empty where they are too many.
std::string page_arcs(const Matrix& weights);

// Vectors as pictures, which a script lets move, and their numbers; folded up.
std::string page_geometry(const GeometryTold& told);

// A string of JSON, quoted, with nothing in it that HTML would read.
std::string json_string(std::string_view text);

// A document that is a sheet to be filled in, as a whole page. `style` is that of all pages.
std::string sheet_page(const Document& document, std::string style);

// What the script of a page needs to know to say where a number comes from: of
// each matrix its op, and which cells of which steps each of its cells read. The
// numbers themselves it reads from the page. JSON that no text in it can end.
std::string numbers_json(const Document& document, const std::vector<PageMatrix>& matrices);

}  // namespace attn
