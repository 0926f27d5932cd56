#include "imports/model_files.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "files/input_file.h"
#include "files/json_text.h"

namespace attn {
namespace {

using nlohmann::json;

constexpr std::size_t most_bytes_of_json = std::size_t{64} << 20;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The object that a file holds; nothing where there is no such file.
Result<std::optional<json>> object_in(const std::filesystem::path& path) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return std::optional<json>();
  const std::string name = path.filename().string();
  const auto fault = [&](const std::string& what, const std::string& help) {
    return Diagnostic{.code = "bad-config", .message = name + " " + what, .help = help};
  };
  const auto of_file = [&](Diagnostic unread) {
    unread.message = name + " " + unread.message;
    return unread;
  };
  Result<InputFile> file = InputFile::open(path.string());
  if (!file) return of_file(file.faults().front());
  const std::size_t size = file.value().size();
  if (size > most_bytes_of_json) return fault("is larger than 64 MiB", "give the folder of a model");
  std::string text(size, '\0');
  if (auto unread = file.value().read(0, text)) return of_file(*std::move(unread));
  if (const std::string wrong = wrong_with_json(text); !wrong.empty())
    return fault(wrong, "a model's folder has one that says how it is built");
  json read = json::parse(text, nullptr, false);
  if (!read.is_object()) return fault("is no JSON object", "a model's folder has one that says how it is built");
  return std::optional<json>(std::move(read));
}

Diagnostic no_model(const std::string& path) {
  return {.code = "no-file",
          .message = "`" + printable(path) + "` holds no model",
          .help = "give a folder with config.json and model.safetensors, or one file of tensors"};
}

}  // namespace

std::optional<Diagnostics> ModelFiles::open_file(const std::string& folder, const std::string& file,
                                                 const Index& index) {
  auto opened = open_tensor_file_within(folder, file, HardLinks::read);
  const auto of_file = [&](Diagnostics faults) {
    std::error_code unknown;
    const bool is_missing = std::filesystem::status(std::filesystem::path(folder) / file, unknown).type() ==
                            std::filesystem::file_type::not_found;
    for (Diagnostic& fault : faults) {
      if (fault.code == "outside") fault.message = "is outside the folder of the model, where nothing is read";
      if (fault.code == "outside" || is_missing) fault.help = "fetch the files of the model into one folder";
      fault.message = shown(file) + " " + fault.message;
    }
    return faults;
  };
  if (!opened) return of_file(opened.faults());
  TensorFile& tensors = *opened.value();
  for (std::size_t i = 0; i < tensors.names().size(); ++i) {
    Result<TensorOutline> outline = tensors.outline(i, unlimited);
    if (!outline) return of_file(outline.faults());
    const std::string& name = tensors.names()[i];
    const auto said = index.find(name);
    if (said != index.end() && said->second != file) continue;  // it is read where the index says
    const Place place{file, i, outline.value().shape};
    const auto [known, is_new] = tensors_.emplace(name, place);
    if (!is_new) {
      return Diagnostics{
          {.code = "bad-file",
           .message = shown(file) + " has a tensor `" + shown(name) + "`, and so has " + shown(known->second.file),
           .help = "model.safetensors.index.json says which of the two is meant"}};
    }
  }
  files_[file] = std::move(opened.value());
  return std::nullopt;
}

Result<ModelFiles> ModelFiles::open(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const bool is_folder = fs::is_directory(path, unknown);
  if (!is_folder && !fs::exists(path, unknown)) return no_model(path);
  const fs::path parent = fs::path(path).parent_path();
  const fs::path folder = is_folder ? fs::path(path) : parent.empty() ? fs::path(".") : parent;

  ModelFiles made;
  auto config = object_in(folder / "config.json");
  if (!config) return config.faults();
  if (config.value()) made.config_ = std::move(*config.value());

  std::set<std::string> files;
  Index index;
  if (!is_folder) {
    files.insert(fs::path(path).filename().string());
  } else if (fs::exists(folder / "model.safetensors", unknown)) {
    files.insert("model.safetensors");
  } else {
    auto read = object_in(folder / "model.safetensors.index.json");
    if (!read) return read.faults();
    const json map = read.value() ? read.value()->value("weight_map", json::object()) : json::object();
    for (const auto& [tensor, file] : map.items()) {
      if (file.is_string()) index[tensor] = file.get<std::string>();
    }
    for (const auto& [tensor, file] : index) files.insert(file);
  }
  if (files.empty()) return no_model(path);
  for (const std::string& file : files) {
    if (auto faults = made.open_file(folder.string(), file, index)) return *faults;
  }
  for (const auto& [tensor, file] : index) {
    if (made.tensors_.contains(tensor)) continue;
    return Diagnostic{.code = "bad-file",
                      .message = shown(file) + " holds no tensor `" + shown(tensor) +
                                 "`, and model.safetensors.index.json says that it does",
                      .help = "fetch the files of one model into one folder"};
  }
  return made;
}

Result<std::vector<double>> ModelFiles::read(const std::string& tensor, const TensorPart& part) const {
  const Place& place = tensors_.at(tensor);
  Result<FileTensor> read = files_.at(place.file)->read(place.index, unlimited, part);
  if (!read) return read.faults();
  return std::move(read.value().values);
}

}  // namespace attn
