#include "formats/html/base64.h"

#include <string_view>

namespace attn {

void Base64::hand_over() {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 4; ++i) text_ += i <= bytes_ ? digits[waiting_ >> (18 - 6 * i) & 63] : '=';
  waiting_ = 0;
  bytes_ = 0;
}

}  // namespace attn
