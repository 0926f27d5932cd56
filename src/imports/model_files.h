#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "files/tensor_file.h"

namespace attn {

// A model as it lies on a disk: what config.json says, and which tensor stands in which file.
class ModelFiles {
 public:
  // Of a folder, or of one file of tensors, beside which config.json may stand.
  static Result<ModelFiles> open(const std::string& path);

  // An object; empty where there is no config.json.
  const nlohmann::json& config() const { return config_; }

  struct Place {
    std::string file;  // relative to the model's folder
    std::size_t index = 0;
    std::vector<std::size_t> shape = {};
  };
  const std::map<std::string, Place>& tensors() const { return tensors_; }

  // The numbers of a part. REQUIRES: there is such a tensor.
  Result<std::vector<double>> read(const std::string& tensor, const TensorPart& part) const;

 private:
  // In which file each tensor stands, as the index of a folder says.
  using Index = std::map<std::string, std::string>;

  std::optional<Diagnostics> open_file(const std::string& folder, const std::string& file, const Index& index);

  nlohmann::json config_ = nlohmann::json::object();
  std::map<std::string, Place> tensors_;
  std::map<std::string, std::unique_ptr<TensorFile>> files_;
};

}  // namespace attn
