#include "formats/html/policy.h"

#include <span>

#include <fmt/core.h>

#include "formats/html/base64.h"

namespace attn {
namespace {

std::string in_base64(std::span<const unsigned char> bytes) {
  Base64 text;
  for (const unsigned char byte : bytes) text.add(byte);
  return text.text();
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
