#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hashed_places.h"

namespace attn {

// Where a text of JSON ends that begins there, its quotes with it. REQUIRES: JSON.
std::size_t end_of_json_text(std::string_view text, std::size_t begin);

// What a text of JSON says, from its spelling with quotes. REQUIRES: a text that a reader of JSON has accepted.
std::string unescaped_json(std::string_view spelling);

// The keys of an object, or other texts of JSON that name something, of which there may be millions: one takes as much
// as a HashedPlace.
class JsonKeys {
 public:
  // Of a text of JSON, below 4 GiB, which outlives them.
  explicit JsonKeys(std::string_view text) : text_(text) {}

  // `spelling`: a piece of the text, with its quotes.
  void add(std::string_view spelling);

  // To be called behind the last. Where in the text those begin that say what one before them says; in order.
  std::vector<std::uint32_t> repeated();

  // Of the one that begins there.
  std::string_view spelling_at(std::uint32_t place) const;

 private:
  std::string_view text_;
  HashedPlaces keys_;
};

// A key as a step of a JSON Pointer (RFC 6901, section 3).
std::string pointer_step(std::string_view key);

}  // namespace attn
