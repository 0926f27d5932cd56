#include "exports/export.h"
#include "trace/trace.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {

// The row of a program that was built without libxlsxwriter.
Export xlsx_export() {
  return {.name = "xlsx",
          .ending = ".xlsx",
          .summary = "a spreadsheet of live formulas; not in this program, which was built without libxlsxwriter",
          .write = [](const Trace&, Sink&) {},
          .expected_bytes = [](const Trace&) { return std::size_t{0}; },
          .is_text = false,
          .wants_every_step = true,
          .missing = []() -> std::optional<Unwritable> {
            return Unwritable{language().files.no_library("xlsx"), language().files.build_with_library, true};
          }};
}

}  // namespace attn
