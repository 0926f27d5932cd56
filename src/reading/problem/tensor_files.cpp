#include "reading/problem/tensor_files.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "files/input_file.h"
#include "files/tensor_file.h"
#include "problem/faults.h"
#include "reading/text_file.h"

namespace attn {
namespace {

constexpr std::size_t most_open = 16;  // files at a time
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
    const auto known = by_names_.find(wanted.file);
    if (known != by_names_.end() && !known->second) return named(known->second.faults().front(), wanted);
    if (known != by_names_.end() && is_awake(known->second.value())) return known->second;

    // Asked of what is open: a path may be too long to be taken to pieces.
    const auto key = [&](const InputFile::State& state) {
      return Key(state, std::filesystem::path(wanted.file).extension().string());
    };
    TensorFile* found = nullptr;
    Result<std::unique_ptr<TensorFile>> file = open(wanted.file, [&](InputFile& anew) {
      const auto same = files_.find(key(anew.state()));
      if (same == files_.end()) return false;
      found = same->second.get();
      return is_awake(found) || found->resume(anew);
    });
    if (!file) {
      const auto fault = by_names_.insert_or_assign(wanted.file, with_help(file.faults().front(), wanted.file)).first;
      return named(fault->second.faults().front(), wanted);
    }
    if (file.value()) {
      found = file.value().get();
      files_[key(found->state())] = std::move(file.value());
    }
    by_names_.insert_or_assign(wanted.file, found);
    if (is_awake(found)) return found;
    if (awake_.size() == most_open) {
      for (TensorFile* one : std::exchange(awake_, {})) one->rest();
    }
    return awake_.emplace_back(found);
  }

  bool is_awake(const TensorFile* file) const { return std::ranges::count(awake_, file) > 0; }

  Result<std::unique_ptr<TensorFile>> open(const std::string& file,
                                           const std::function<bool(InputFile&)>& takes) const {
    namespace fs = std::filesystem;
    Result<std::unique_ptr<TensorFile>> opened = open_tensor_file_within(path_, file, HardLinks::refused, takes);
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
    const bool stands_there = code != "no-file" || leads_nowhere(file);
    if (!is_below && !leads_out && stands_there) return opened;
    Result<std::unique_ptr<TensorFile>> other =
        open_tensor_file_within(root_, is_below ? below.string() : file, HardLinks::read, takes);
    return other || code == "outside" ? std::move(other) : std::move(opened);
  }

  // Whether a part of the way there is a link to what is not.
  bool leads_nowhere(const std::string& file) const {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path way = path_;
    return std::ranges::any_of(fs::path(file), [&](const fs::path& part) {
      way /= part;
      return fs::is_symlink(fs::symlink_status(way, error)) && !fs::exists(way, error);
    });
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

  // A file, and what its ending says that it is.
  using Key = std::pair<InputFile::State, std::string>;

  std::string path_, root_;
  std::size_t suggested_ = 0;
  std::map<Key, std::unique_ptr<TensorFile>> files_;     // what they say of themselves is read once
  std::map<std::string, Result<TensorFile*>> by_names_;  // of which a file may have many
  std::vector<TensorFile*> awake_;                       // those that are open
};

}  // namespace

TensorLoader tensors_in(const std::string& folder, const std::string& root) {
  return [files = std::make_shared<Folder>(folder, root)](const FileReference& wanted, std::size_t max_bytes) {
    return files->found(wanted, max_bytes);
  };
}

}  // namespace attn
