#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/diagnostic.h"
#include "base/text.h"

namespace attn {

// Gathers the faults of a file. Each is kept once; of very many only the first
// are kept, and the rest counted. Who adds one is given nothing, to return where
// a fault is all there is.
class Faults {
 public:
  // `where` is a JSON Pointer; see Diagnostic.
  std::nullopt_t add(std::string_view code, std::string where, std::string message, Help help);

  std::nullopt_t add(Diagnostic fault);

  // The same of the fault that a function gives. It is asked only if the fault will be kept: what is wrong in a
  // million places is put into words for the first.
  template <class Worded>
  requires std::is_invocable_r_v<Diagnostic, Worded> std::nullopt_t add(Worded worded) {
    return are_enough() ? count_one_more() : add(Diagnostic(worded()));
  }

  // The same, where the message begins with the place: "/keys" and "is empty".
  std::nullopt_t add_of(std::string_view code, const std::string& where, const std::string& message, Help help);

  // The same at a place in the text.
  std::nullopt_t add(std::string_view code, std::string where, TextRange range, std::string message, Help help);

  // The same, where the key is meant rather than its value.
  std::nullopt_t add_at_key(std::string_view code, std::string where, std::string message, Help help);

  bool any() const { return !list_.empty(); }

  // Whether more are only counted: what they say need not be found out.
  bool are_enough() const;

  // REQUIRES: are_enough().
  std::nullopt_t count_one_more();

  std::size_t count() const { return list_.size(); }
  Diagnostics take() { return std::move(list_); }

 private:
  Diagnostics list_;
};

}  // namespace attn
