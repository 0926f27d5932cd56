#pragma once

#include <string>

#include "mistakes/mistake.h"

namespace attn {

// Every known mistake: an array of objects with id, kind, what, hint and example.
std::string catalogue_json();

// One of them: the object alone.
std::string mistake_json(const Mistake& mistake);

}  // namespace attn
