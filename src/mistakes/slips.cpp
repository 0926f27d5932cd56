#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {

// A slip of one cell or row is found where it stands, not by working everything
// out again.
Family slips_family() {
  const MistakeWords& said = language().mistakes;
  return {
      .name = "slip",
      .title = said.slip,
      .mistakes =
          {
              {.id = "slip.term_dropped", .words = said.slip_term_dropped},
              {.id = "slip.sign", .words = said.slip_sign},
              {.id = "slip.cells_swapped", .words = said.slip_cells_swapped},
              {.id = "slip.row_copied", .words = said.slip_row_copied},
              {.id = "slip.digits_swapped", .words = said.slip_digits_swapped},
              {.id = "slip.decimal_point", .words = said.slip_decimal_point},
          },
  };
}

}  // namespace attn
