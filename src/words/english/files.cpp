#include "words/files.h"

#include <string>

#include "words/english/english.h"

namespace attn {

constexpr FileWords english_files = {
    .read_me = "Read me",
    .options = "Options",
    .steps = "Steps",
    .what_sheets_are =
        "Every number that is computed is a formula over the cells that it is made of. Click on one to "
        "see which.",
    .edit_these =
        "This colour: what the problem gives. Change any of these cells, here or on the sheet Options, and "
        "all that follows from it is computed anew.",
    .or_these =
        "This colour: what follows from an option, as a causal mask does. It may be changed as well: type over "
        "the formula.",
    .and_see = "This colour: what is computed.",
    .formulas = "Sheets are protected without a password, so that no formula is lost by accident.",
    .closed =
        "A cell of a mask is 1 where a query may look and 0 where it may not. A closed score is −∞, here the "
        "text −∞; type it where a number is added to scores to close a cell.",
    .fixed =
        "What stands where is fixed: how many tokens and heads there are, and which row of a table is read for "
        "which distance. For another layout write the sheet anew.",
    .unwritten =
        "Numbers are computed as a spreadsheet does, in double precision, and may differ from attn's in the "
        "last of sixteen digits.",
    .rounded = "Steps are rounded by hand: every number is rounded, half up, before the next is made of it.",
    .option = "Option",
    .value = "Value",
    .meaning = "What it is",
    .factor = "{} is this times what it is made of",
    .divisor = "{} is what it is made of, divided by this",
    .summand = "{} is what it is made of, and this added",
    .cap = "{} is c·tanh(score / c) for this c",
    .wave_base = "what the angles of {} are powers of",
    .power_base = "what {} is a power of",
    .eps = "what is added to the variance in {}",
    .offset = "the position of the first query among the keys, counted from 0{}",
    .length = "how many keys are no padding{}",
    .left = "how many keys before its own position a query sees; -1: all",
    .right = "how many keys behind its own position a query sees; -1: all",
    .decimals = "decimals that every step is rounded to",
    .what_notebooks_are =
        "Every step of the computation, each worked out by numpy from those before it. Run the cells "
        "from top to bottom. Change what is given and run them again to see what follows.",
    .given = "What is given",
    .given_told = "The numbers of the problem. Change any of them.",
    .worked_out = "Step by step",
    .checked = "Are these attn's numbers?",
    .checked_told = "As long as nothing above was changed, every step is what attn computed.",
    .other_dtype = "{} computes in f64, and the problem asks for {}",
    .other_rounding = "{} cannot round every step by hand as {} says",
    .say_f64 = "say --dtype f64 to have it all in double precision",
    .say_half_up = "a spreadsheet rounds half up: say --hand-rounding N:half-up, with N decimals",
    .too_many_numbers = "{} with {} numbers is more than anybody reads or opens; at most {} are written",
    .too_wide = "{} has at most 16,384 columns and 1,048,576 rows, and a step needs more",
    .not_finite = "{} is not finite, and a spreadsheet has no infinity to go on with",
    .no_library = "this program was built without libxlsxwriter and cannot write {}",
    .no_library_here = "{} is written by libxlsxwriter, which is not installed here",
    .left_out = "this program was built to be small and cannot write {}",
    .every_step = "{} holds every step, since each is made of others",
    .smaller = "a smaller problem; --format npz, json and csv write any",
    .finite_numbers = "give finite numbers, or close the cells with a mask",
    .build_with_library = "install libxlsxwriter-dev and build attn anew; --format csv opens in every spreadsheet",
    .install_library = "on Debian: apt-get install libxlsxwriter4; --format csv opens in every spreadsheet",
    .build_whole = "one that is built with cmake --preset default can; --format npz has the numbers for numpy",
    .disk = "is the disk full, or the folder for temporary files write-protected?",
    .not_written = "the spreadsheet could not be put together",
};

}  // namespace attn
