#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attn {

// A name as people mean it: in small letters, without the characters that are
// signs to `is_sign`, and those that nobody sees.
std::string plain_name(std::string_view name, bool (*is_sign)(char));

// The number of insertions, deletions, replacements and swaps of neighbours
// that turn one text into the other (optimal string alignment). REQUIRES: one of
// them has no more than 64 letters.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name that somebody most likely meant, if any is close enough:
// letter case, "-" and "_" do not count.
std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known);

// "; did you mean `run`?" where there is such a name, else nothing: for the end of a sentence.
std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace attn
