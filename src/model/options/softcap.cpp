#include "model/options/options.h"

namespace attn {

OptionSpec softcap_optionspec() {
  return {.name = "softcap",
          .also_called = {"logitsoftcap", "attnlogitsoftcapping", "softcapping"},
          .summary = "what scores are squeezed between",
          .written = "c > 0: scores become c·tanh(scores / c)",
          .kind = OptionSpec::Kind::number,
          .above = 0,
          .help = "a score s becomes c·tanh(s / c), between −c and c"};
}

}  // namespace attn
