#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attn {

// Bytes as characters that can be seen, one each (Radford et al. 2019): those that can be seen anyway are
// themselves, and the others are the characters from U+0100 on, in order. A space is "Ġ", a line break "Ċ".
std::string in_byte_alphabet(std::string_view bytes);

// The bytes that such a text stands for; nothing where it has another character.
std::optional<std::string> from_byte_alphabet(std::string_view text);

}  // namespace attn
