#include "mistakes/mistake.h"
#include "words/language.h"

namespace attn {

// A slip of one cell or row is found where it stands, not by working everything
// out again.
Family slips_family() {
  const MistakeWords& said = language().mistakes;
  return {said.slip,
          {
              {"slip.term_dropped", said.slip_term_dropped},
              {"slip.sign", said.slip_sign},
              {"slip.cells_swapped", said.slip_cells_swapped},
              {"slip.row_copied", said.slip_row_copied},
              {"slip.digits_swapped", said.slip_digits_swapped},
              {"slip.decimal_point", said.slip_decimal_point},
          }};
}

}  // namespace attn
