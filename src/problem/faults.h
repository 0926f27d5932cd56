#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/text.h"

namespace attn {

// Gathers the faults of a file.
class Faults {
 public:
  // `where` is a JSON Pointer; see Diagnostic.
  void add(std::string code, std::string where, std::string message, std::string help = "");

  // The same, where the key is meant rather than its value.
  void add_at_key(std::string code, std::string where, std::string message, std::string help = "");

  bool any() const { return !list_.empty(); }
  std::size_t count() const { return list_.size(); }
  Diagnostics take() { return std::move(list_); }

 private:
  void add(Diagnostic fault);

  Diagnostics list_;
};

// A pointer, or any text of a file, as a sentence shows it: short and printable.
std::string shown(std::string_view text);

}  // namespace attn
