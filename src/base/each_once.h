#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attn {

// Texts in the order in which they come, each once.
class EachOnce {
 public:
  bool has(const std::string& text) const { return known_.contains(text); }

  void add(std::string text) {
    if (known_.insert(text).second) texts_.push_back(std::move(text));
  }

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::set<std::string> known_;
  std::vector<std::string> texts_;
};

}  // namespace attn
