#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compare/side_by_side.h"
#include "files/tensor_file.h"
#include "reading/names/step_names.h"

namespace attn {

// The steps that another program may mean by a name, the likeliest first: "q"
// is the queries, rotated or not; "model.layers.0.self_attn.q" too. None where
// no step has such a name. Our own ids mean themselves.
std::vector<std::string> meant_steps(std::string_view name, const KnownSteps& known);

// Lets names on a foreign side mean steps of ours, which have these ids. What is the id of a step, but of none of ours,
// may mean another: "output" is the context of an attention without a projection of its output.
void mean_steps_of(const std::vector<std::string>& ids, ComparedSide& theirs);

// What a trace file (docs/trace-format.md) holds.
Result<ComparedSide> read_stored_side(std::string_view text);

// The same where the text says that it is one.
std::optional<Result<ComparedSide>> read_side_if_stored(std::string_view text);

// What another program has of some steps, under names of its own.
ComparedSide foreign_side(std::vector<FileTensor> tensors, const KnownSteps& known);

// What a file of tensors holds (.npy, .npz, .safetensors): another program's
// numbers, or our own with their axes where the file says so. They take no more
// than `max_bytes`. What cannot be read as numbers and has the name of no step is named alone.
Result<ComparedSide> read_dump(const std::string& path, std::size_t max_bytes, const KnownSteps& known);

}  // namespace attn
