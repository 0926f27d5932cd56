#pragma once

#include <span>
#include <string>

#include "explain/reports/listing.h"

namespace attn {

// An object with an array for each listing: of objects with name and summary.
std::string listings_json(std::span<const Listing> listings);

}  // namespace attn
