#pragma once

#include <span>
#include <string>

#include "explain/reports/lists.h"
#include "mistakes/mistake.h"

namespace attn {

// An object with an array for each listing: of objects with name and summary.
std::string listings_json(std::span<const Listing> listings);

// Every known mistake: an array of objects with id, kind, what, hint and example.
std::string catalogue_json();

// One of them: the object alone.
std::string mistake_json(const Mistake& mistake);

}  // namespace attn
