#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/diagnostic.h"
#include "cli/console.h"

namespace attn {

// A command line as a shell takes it, and a place in it.
struct TypedLine {
  std::string line;  // "attn run p.json --dtyp f32": nothing in it steers a terminal
  TextRange range;
};

// Where the words of a command line say what is meant; where they don't, it was not typed.
// `with_values`: options behind which a value stands, which is no word by its place.
std::optional<TypedLine> find_typed(std::span<const std::string> words, const Typed& meant,
                                    std::span<const std::string> with_values = {});

}  // namespace attn
