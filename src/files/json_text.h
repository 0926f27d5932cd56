#pragma once

#include <string>

namespace attn {

// What is wrong with a text that some other program wrote as JSON, as the end of a sentence that begins with the file's
// name: "is no JSON from its byte 7 on". Empty where nothing is. Said, too, is what the library that reads it would
// take in silence or with much memory: the byte NUL, a name that an object has twice, and what is nested deeper
// than 64.
std::string wrong_with_json(const std::string& text);

}  // namespace attn
