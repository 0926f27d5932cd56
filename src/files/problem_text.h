#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace attn {

// JSON as people write problem files: what fits a line on one, a row of numbers always.
// Ends with a line break.
std::string problem_text(const nlohmann::ordered_json& json);

}  // namespace attn
