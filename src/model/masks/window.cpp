#include "model/masks/by_position.h"
#include "words/language.h"

namespace attn {
namespace {

Window window_of(const OptionValue& value) {
  const Integers& ends = std::get<Integers>(value);
  return {ends[0], ends[1]};
}

std::pair<std::string, std::string> in_words(const OptionValue& value) {
  const Window window = window_of(value);
  return {language().steps.window_name, language().steps.sees(window.left, window.right)};
}

// Open where i + offset − left ≤ j ≤ i + offset + right.
MaskRule window_rule(const Window& window, const Attention& attention) {
  const std::string position = written_position(attention);
  const std::string left = window.left < 0 ? "" : position + " − " + std::to_string(window.left) + " ≤ ";
  const std::string right = window.right < 0 ? "" : " ≤ " + position + " + " + std::to_string(window.right);
  return closing_by_position(attention,
                             {"mask.window", "M_window", language().steps.window,
                              left.empty() && right.empty() ? language().steps.open_everywhere.text()
                                                            : language().steps.open_where(left + "j" + right),
                              Role::mask},
                             window);
}

}  // namespace

Mask window_mask() {
  return {
      .spec = {.name = "window",
               .also_called = {"windowsize", "slidingwindow", "localwindow"},
               .summary = "a query sees so many keys before its own position and behind it",
               .written = "[left, right]: how far before and after its own position a query sees; -1 is no limit",
               .kind = OptionSpec::Kind::integers,
               .count = 2,
               .least = -1,
               .help = "[left, right]: how many keys before and after its own position a query sees; -1 is no limit",
               .words = in_words},
      .rules = [](const OptionValue& value, const Attention& attention, Dtype) {
        return std::vector{window_rule(window_of(value), attention)};
      }};
}

}  // namespace attn
