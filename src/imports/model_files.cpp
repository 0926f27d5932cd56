#include "imports/model_files.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/json_spelling.h"
#include "base/text.h"
#include "files/input_file.h"
#include "files/json_text.h"

namespace attn {
namespace {

// A config.json and an index, which names every tensor, are read as they stand. What the former says of how a model is
// built has a few kilobytes, and becomes a tree of many times its size.
constexpr std::size_t most_bytes = std::size_t{64} << 20, most_bytes_of_settings = std::size_t{1} << 20;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The object that a file holds; nothing where there is no such file.
Result<std::optional<JsonText>> object_in(const std::filesystem::path& path) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return std::optional<JsonText>();
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
  if (size > most_bytes)
    return fault("is larger than " + std::to_string(most_bytes >> 20) + " MiB", "give the folder of a model");
  std::string text(size, '\0');
  if (auto unread = file.value().read(0, text)) return of_file(*std::move(unread));
  const std::string help = "a model's folder has one that says how it is built";
  ReadJsonText object = read_json_text(std::move(text));
  if (!object.wrong.empty()) return fault(object.wrong, help);
  if (!object.text.root().starts_with('{')) return fault("is no JSON object", help);
  return std::optional(std::move(object.text));
}

// What a config.json says of how a model is built. The names of a classifier's classes, which may be many, say nothing
// of it.
Result<nlohmann::json> settings_in(const JsonText& config) {
  nlohmann::json settings = nlohmann::json::object();
  std::size_t bytes = 0;
  for (auto part = config.first_of(config.root()); part; part = config.behind(*part)) {
    std::string name = unescaped_json(part->name);
    if (name == "id2label" || name == "label2id") continue;
    bytes += part->name.size() + part->value.size();
    if (bytes > most_bytes_of_settings) {
      return Diagnostic{.code = "bad-config",
                        .message = "config.json says more than " + std::to_string(most_bytes_of_settings >> 20) +
                                   " MiB of how the model is built",
                        .help = "a model takes a few KiB; leave out what says nothing of it"};
    }
    settings[std::move(name)] = nlohmann::json::parse(part->value, nullptr, false);
  }
  return settings;
}

// What the index of a folder says: which tensor stands in which file.
std::map<std::string, std::string> files_by_tensors(const JsonText& index) {
  std::map<std::string, std::string> files;
  for (auto part = index.first_of(index.root()); part; part = index.behind(*part)) {
    if (unescaped_json(part->name) != "weight_map" || !part->value.starts_with('{')) continue;
    for (auto entry = index.first_of(part->value); entry; entry = index.behind(*entry)) {
      if (entry->value.starts_with('"')) files[unescaped_json(entry->name)] = unescaped_json(entry->value);
    }
  }
  return files;
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
  if (config.value()) {
    Result<nlohmann::json> settings = settings_in(*config.value());
    if (!settings) return settings.faults();
    made.config_ = std::move(settings.value());
  }

  std::set<std::string> files;
  Index index;
  if (!is_folder) {
    files.insert(fs::path(path).filename().string());
  } else if (fs::exists(folder / "model.safetensors", unknown)) {
    files.insert("model.safetensors");
  } else {
    auto read = object_in(folder / "model.safetensors.index.json");
    if (!read) return read.faults();
    if (read.value()) index = files_by_tensors(*read.value());
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
