#include "reading/problem/tensor_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "files/tensor_file.h"
#include "problem/faults.h"
#include "reading/text_file.h"

namespace attn {
namespace {

constexpr std::size_t most_open = 16;        // files at a time
constexpr std::size_t most_names = 300'000;  // that resting files hold; one file may be asked for by many names
constexpr std::size_t most_named = 12;
constexpr std::size_t most_suggested = 20;  // to look for what is meant takes its time, and nobody reads more

// "`a`, `b`, `c`", of many only the first.
std::string listed_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) {
    text += (i == 0 ? "`" : ", `") + shown(names[i]) + "`";
  }
  if (names.size() > most_named) text += ", … (" + std::to_string(names.size()) + " in all)";
  return text;
}

class Folder : public std::enable_shared_from_this<Folder> {
 public:
  Folder(std::string path, std::string root) : path_(std::move(path)), root_(std::move(root)) {}

  Result<FileNumbers> found(const FileReference& wanted, std::size_t max_bytes) {
    const Result<TensorFile*> file = opened(wanted);
    if (!file) return file.faults();
    const Result<std::size_t> index = index_of(*file.value(), wanted);
    if (!index) return index.faults();
    const Result<TensorOutline> outline = file.value()->outline(index.value(), max_bytes, wanted.part);
    if (!outline) return named(outline.faults().front(), wanted);
    if (outline.value().is_boolean() && !wanted.may_be_booleans) {
      return named({.code = "wrong-kind",
                    .where = "",
                    .message = "holds booleans; numbers are wanted",
                    .help = "booleans are for the allow and block of a mask"},
                   wanted);
    }
    return FileNumbers{outline.value().shape, [folder = shared_from_this(), wanted, shape = outline.value().shape,
                                               max_bytes] { return folder->numbers(wanted, shape, max_bytes); }};
  }

 private:
  // REQUIRES: they were found, and had that shape.
  Result<std::vector<double>> numbers(const FileReference& wanted, const std::vector<std::size_t>& shape,
                                      std::size_t max_bytes) {
    const Result<TensorFile*> file = opened(wanted);
    if (!file) return file.faults();
    const Result<std::size_t> index = index_of(*file.value(), wanted);
    if (!index) return index.faults();
    Result<FileTensor> tensor = file.value()->read(index.value(), max_bytes, wanted.part);
    if (!tensor) return named(tensor.faults().front(), wanted);
    if (tensor.value().shape != shape) {
      return named({.code = "bad-file",
                    .where = "",
                    .message = "has changed while it was read",
                    .help = "try again once nobody writes it"},
                   wanted);
    }
    return std::move(tensor.value().values);
  }

  // The file, which may rest once another is asked for.
  Result<TensorFile*> opened(const FileReference& wanted) {
    if (names_ > most_names && files_.size() > most_open) {
      files_.clear();
      awake_.clear();
      names_ = 0;
    }
    const auto known = files_.find(wanted.file);
    if (known != files_.end() && !known->second) return named(known->second.faults().front(), wanted);
    TensorFile* const before = known == files_.end() ? nullptr : known->second.value().get();
    if (before && std::ranges::count(awake_, before) > 0) return before;
    Result<std::unique_ptr<TensorFile>> file = open(wanted.file, before);
    if (!file) file = with_help(file.faults().front(), wanted.file);
    if (awake_.size() == most_open) {
      for (TensorFile* one : std::exchange(awake_, {})) one->rest();
    }
    const bool is_resumed = file && !file.value();
    if (!is_resumed) {
      if (file) names_ += file.value()->names().size();
      files_.insert_or_assign(wanted.file, std::move(file));
    }
    const Result<std::unique_ptr<TensorFile>>& found = files_.at(wanted.file);
    if (!found) return named(found.faults().front(), wanted);
    return awake_.emplace_back(found.value().get());
  }

  Result<std::unique_ptr<TensorFile>> open(const std::string& file, TensorFile* resting) const {
    namespace fs = std::filesystem;
    Result<std::unique_ptr<TensorFile>> opened = open_tensor_file_within(path_, file, HardLinks::refused, resting);
    if (opened || root_.empty()) return opened;
    const std::string code = opened.faults().front().code;
    if (code != "outside" && code != "no-file" && code != "linked") return opened;
    // What the path leads to from the problem's folder may lie below the root; else it is meant from there.
    std::error_code error;
    const fs::path root = fs::canonical(root_, error);
    const fs::path below =
        error ? fs::path() : fs::weakly_canonical(fs::path(path_) / file, error).lexically_relative(root);
    const bool is_below = !below.empty() && *below.begin() != "..";
    // What stands beside the problem is meant and no other of its name, even if it is not read, or leads nowhere.
    const bool leads_out = fs::path(file).is_absolute() || *fs::path(file).lexically_normal().begin() == "..";
    const bool stands_there = code != "no-file" || fs::is_symlink(fs::symlink_status(fs::path(path_) / file, error));
    if (!is_below && !leads_out && stands_there) return opened;
    Result<std::unique_ptr<TensorFile>> other =
        open_tensor_file_within(root_, is_below ? below.string() : file, HardLinks::read, resting);
    return other || code == "outside" ? std::move(other) : std::move(opened);
  }

  // A fault of a file, as a sentence.
  static Diagnostic named(Diagnostic fault, const FileReference& wanted) {
    fault.message = shown(wanted.file) + " " + fault.message;
    return fault;
  }

  // Where there is no such file, one of the folder may be meant.
  Diagnostic with_help(Diagnostic fault, const std::string& file) {
    if (fault.code != "no-file" || suggested_++ >= most_suggested) return fault;
    const auto meant = closest_file(path_, file, names_tensor_file);
    if (meant && *meant != file) fault.help = "did you mean `" + shown(*meant) + "`?";
    return fault;
  }

  Result<std::size_t> index_of(const TensorFile& file, const FileReference& wanted) {
    const std::vector<std::string>& names = file.names();
    const bool nameless = names.size() == 1 && names.front().empty();
    const auto refused = [&](std::string where, std::string message, Help help) {
      return named(
          {.code = "no-tensor", .where = std::move(where), .message = std::move(message), .help = std::move(help)},
          wanted);
    };
    if (names.empty()) return refused("", "holds no tensor", "write one into it, or name another file");
    if (!wanted.tensor) {
      if (names.size() == 1) return std::size_t{0};
      return refused("", "holds " + std::to_string(names.size()) + " tensors, and which one is meant is not said",
                     R"(say it with "tensor", one of )" + listed_names(names));
    }
    if (nameless) {
      return refused("/tensor", "holds one array, which has no name", R"(leave "tensor" out)");
    }
    for (const std::string& name : {*wanted.tensor, without_ending(*wanted.tensor)}) {
      const auto found = std::ranges::find(names, name);
      if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    }
    const bool suggests = suggested_++ < most_suggested;
    return refused("/tensor",
                   "holds no tensor called `" + shown(*wanted.tensor) + "`" +
                       (suggests ? did_you_mean(*wanted.tensor, names) : ""),
                   "it holds " + listed_names(names));
  }

  // "x.npy" is what an archive itself calls its array "x".
  static std::string without_ending(const std::string& name) {
    return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
  }

  std::string path_, root_;
  std::size_t suggested_ = 0;
  std::size_t names_ = 0;                                             // of tensors in all of them
  std::map<std::string, Result<std::unique_ptr<TensorFile>>> files_;  // what they say of themselves is read once
  std::vector<TensorFile*> awake_;                                    // of them, those that are open
};

}  // namespace

TensorLoader tensors_in(const std::string& folder, const std::string& root) {
  return [files = std::make_shared<Folder>(folder, root)](const FileReference& wanted, std::size_t max_bytes) {
    return files->found(wanted, max_bytes);
  };
}

}  // namespace attn
