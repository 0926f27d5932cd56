#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "formats/cut.h"

namespace attn {

// A matrix of the page, in the order of the page.
struct PageMatrix {
  const Matrix* matrix;
  Extent shown;
};

// What the script of a page needs to know to say where a number comes from: of
// each matrix its op, and which cells of which steps each of its cells read. The
// numbers themselves it reads from the page. JSON that no text in it can end.
std::string numbers_json(const Document& document, const std::vector<PageMatrix>& matrices);

}  // namespace attn
