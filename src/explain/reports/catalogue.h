#pragma once

#include "explain/document.h"
#include "mistakes/mistake.h"

namespace attn {

// Every known mistake, a paragraph each, family by family.
Document told_catalogue();

// One of them, with what to do about it.
Document told_mistake(const Mistake& mistake);

}  // namespace attn
