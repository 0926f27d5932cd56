#include "mistakes/mistake.h"

namespace attn {

// A slip of one cell or row is found where it stands, not by working everything
// out again.
Family slips_family() {
  return {
      .name = "slip",
      .title = "Slips of the pen",
      .mistakes =
          {
              {.id = "slip.term_dropped",
               .what = "a term of the sum was left out",
               .hint = "Work this number out again, one product after the other.",
               .example = "1·4 + 2·0 for 1·4 + 0·4 + 2·0"},
              {.id = "slip.sign",
               .what = "a sign was lost",
               .hint = "Work this number out again and mind the minus signs.",
               .example = "1·4 + 2·1 for 1·4 + 2·(−1)"},
              {.id = "slip.cells_swapped",
               .what = "two numbers were exchanged",
               .hint = "Check which place each of the two belongs to.",
               .example = "[4, 2] for [2, 4]"},
              {.id = "slip.row_copied",
               .what = "a row was copied from another one",
               .hint = "Work this row out from its own numbers.",
               .example = "row 2 the same as row 1"},
              {.id = "slip.digits_swapped",
               .what = "two digits were exchanged",
               .hint = "Copy this number out again, digit by digit.",
               .example = "0.64 for 0.46"},
              {.id = "slip.decimal_point",
               .what = "the decimal point stands in the wrong place",
               .hint = "Check how large this number should be.",
               .example = "4.6 for 0.46"},
          },
  };
}

}  // namespace attn
