#include "model/options/options.h"

namespace attn {

OptionSpec scale_optionspec() {
  return {.name = "scale",
          .also_called = {"scaling", "scalefactor"},
          .summary = "what scores are multiplied with",
          .written = "multiplies the scores, in place of dividing by √d_k",
          .kind = OptionSpec::Kind::number};
}

}  // namespace attn
