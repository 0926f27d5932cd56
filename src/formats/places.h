#pragma once

#include <set>
#include <string>

#include "explain/document.h"

namespace attn {

// The places that a document tells of: "Head 1 of 3".
class Places {
 public:
  explicit Places(const Document& document);

  // The one that the headline begins with: "Head 1 of 3" of "Head 1 of 3 · Query 2 · cat". May be empty.
  std::string named_by(const Headline& headline) const;

 private:
  std::set<std::string> all_;
};

}  // namespace attn
