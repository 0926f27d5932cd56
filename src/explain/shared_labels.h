#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace attn {

// The labels of a side of a matrix. Copies share them: of a step that is a matrix for each query all have the
// same, and a token may be a long text.
class SharedLabels {
 public:
  SharedLabels() : SharedLabels(std::vector<std::string>()) {}
  SharedLabels(std::vector<std::string> all)  // NOLINT(google-explicit-constructor)
      : all_(std::make_shared<std::vector<std::string>>(std::move(all))) {}
  SharedLabels(std::initializer_list<std::string> all) : SharedLabels(std::vector<std::string>(all)) {}

  operator const std::vector<std::string>&() const { return *all_; }  // NOLINT(google-explicit-constructor)
  const std::string& operator[](std::size_t index) const { return (*all_)[index]; }
  std::size_t size() const { return all_->size(); }
  auto begin() const { return std::as_const(*all_).begin(); }
  auto end() const { return std::as_const(*all_).end(); }
  bool operator==(const SharedLabels& other) const { return all_ == other.all_ || *all_ == *other.all_; }

  // To be changed: from then on they are shared with no other.
  std::vector<std::string>& own() {
    if (all_.use_count() > 1) all_ = std::make_shared<std::vector<std::string>>(*all_);
    return *all_;
  }

 private:
  std::shared_ptr<std::vector<std::string>> all_;
};

}  // namespace attn
