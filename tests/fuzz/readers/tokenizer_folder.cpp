#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cut_text.h"
#include "harness.h"

namespace attn {
namespace {

constexpr std::array<std::string_view, 7> names = {"vocab.txt",
                                                   "vocab.json",
                                                   "merges.txt",
                                                   "config.json",
                                                   "added_tokens.json",
                                                   "tokenizer_config.json",
                                                   "special_tokens_map.json"};

// A folder of a model: one for all runs, in memory where the system has such files.
class ModelFolder {
 public:
  ModelFolder() {
    path_ = (std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
            "/attn-tokenizer-XXXXXX";
    demand(::mkdtemp(path_.data()) != nullptr, "there is room for a folder");
  }
  ~ModelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  const std::string& path() const { return path_; }

  void clear() {
    for (const std::string_view name : written_) std::filesystem::remove(place(name));
    written_.clear();
  }

  void write(std::string_view name, std::string_view text) {
    std::ofstream(place(name), std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    written_.push_back(name);
  }

 private:
  std::string place(std::string_view name) const { return path_ + "/" + std::string(name); }

  std::string path_;
  std::vector<std::string_view> written_;
};

// Files of a folder, each its name, a line end and what stands in it, with NULs between; what has no such name is
// the text that is cut.
void run(std::string_view bytes) {
  static ModelFolder folder;
  folder.clear();
  std::string_view text = "Hello, the 2 wörld's\n…";
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, bytes.find('\0'));
    bytes.remove_prefix(std::min(part.size() + 1, bytes.size()));
    const std::size_t end = std::min(part.find('\n'), part.size());
    const auto name = std::ranges::find(names, part.substr(0, end));
    if (name == names.end()) {
      text = part;
    } else {
      folder.write(*name, part.substr(std::min(end + 1, part.size())));
    }
  }
  demand_cut(read_tokenizer(folder.path()), text);
}

}  // namespace

Harness tokenizer_folder_harness() { return {"tokenizer_folder", run}; }

}  // namespace attn
