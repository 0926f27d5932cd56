#include "formats/markup.h"

#include "base/text.h"

namespace attn {

std::string escaped_markup(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string_view class_name(Role role) {
  switch (role) {
    case Role::input:
      return "input";
    case Role::weight_matrix:
      return "weight_matrix";
    case Role::query:
      return "query";
    case Role::key:
      return "key";
    case Role::value:
      return "value";
    case Role::score:
      return "score";
    case Role::mask:
      return "mask";
    case Role::softmax:
      return "softmax";
    case Role::attention_weight:
      return "attention_weight";
    case Role::weighted_value:
      return "weighted_value";
    case Role::output:
      return "output";
  }
  return "";
}

}  // namespace attn
