#include <string>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr WorksheetWords english_worksheet = {
    .title = "Worksheet",
    .name = "Name",
    .date = "Date",
    .key_of = "{} · key",
    .decimals =
        [](int decimals, bool is_rounded) {
          const std::string so_many =
              decimals == 0 ? "as a whole number" : "with " + counted(std::size_t(decimals), "decimal");
          return "Write a number into every box: " + so_many +
                 (decimals == 0 ? "" : ", or without any where it is whole and nothing was rounded on the way") +
                 (is_rounded ? ", and go on with what you wrote." : ".");
        },
    .half_is_there = "Every other number is there already.",
    .faded = "The first query is worked out and the second one begun; work the others out in the same way.",
    .worked_out = "{}, worked out",
    .given_rounded =
        [](int decimals) {
          return "Given numbers are shown with " + counted(std::size_t(decimals), "decimal") + ", and there are more.";
        },
    .to_work_out = "To work out",
};

}  // namespace attn
