#include "formats/html/policy.h"

#include <cstdint>
#include <string_view>

#include <fmt/core.h>

#include "formats/html/base64.h"

namespace attn {
namespace {

int value_of(char hexadecimal) { return hexadecimal <= '9' ? hexadecimal - '0' : hexadecimal - 'a' + 10; }

std::string in_base64(std::string_view hexadecimal) {
  Base64 bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    bytes.add(static_cast<std::uint8_t>(value_of(hexadecimal[i]) << 4 | value_of(hexadecimal[i + 1])));
  }
  return bytes.text();
}

}  // namespace

std::string policy_element(const Packed* script) {
  const std::string runs = script ? fmt::format("script-src 'sha256-{}'; ", in_base64(script->sha256)) : std::string();
  return fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; {}"
      "base-uri 'none'; form-action 'none'\">\n",
      runs);
}

std::string script_element(const Packed& script) { return "<script>" + script.text() + "</script>\n"; }

}  // namespace attn
