#pragma once

#include <span>
#include <string>

#include "compare/golden.h"

// What `attn golden` found, for programs.

namespace attn {

// The object with the schema "attn/golden/1" that docs/commands.md describes.
std::string goldens_json(std::span<const GoldenVerdict> verdicts);

// JUnit XML, as continuous integration reads it: a testcase a file. What differs is a
// failure, what could not be compared an error.
std::string goldens_junit(std::span<const GoldenVerdict> verdicts);

}  // namespace attn
