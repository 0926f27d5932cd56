#include "exports/export.h"
#include "trace/trace.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {

// The row of a static program, which is to stay small.
Export ipynb_export() {
  return {.name = "ipynb",
          .ending = ".ipynb",
          .summary = "a notebook that computes every step with numpy; not in this program, which is to be small",
          .write = [](const Trace&, Sink&) {},
          .expected_bytes = [](const Trace&) { return std::size_t{0}; },
          .wants_every_step = true,
          .missing = []() -> std::optional<Unwritable> {
            return Unwritable{language().files.left_out("ipynb"), language().files.build_whole, true};
          }};
}

}  // namespace attn
