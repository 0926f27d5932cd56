#include "reading/problem/tensor_files.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"

// Files that change, or go, between the time when a problem is read and the time when its numbers are.

namespace attn {
namespace {

namespace fs = std::filesystem;

// A folder of .npy files, which goes with it.
class FolderOfArrays {
 public:
  explicit FolderOfArrays(const std::string& name) : path_(fs::temp_directory_path() / name) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  FolderOfArrays(const FolderOfArrays&) = delete;
  FolderOfArrays& operator=(const FolderOfArrays&) = delete;
  ~FolderOfArrays() { fs::remove_all(path_); }

  // Bytes, one a number.
  void write(const std::string& name, const std::string& bytes) const {
    write(name, bytes, "False", "(" + std::to_string(bytes.size()) + ",)");
  }
  void write(const std::string& name, const std::string& bytes, const std::string& is_reversed,
             const std::string& shape) const {
    std::string header = "{'descr': '|u1', 'fortran_order': " + is_reversed + ", 'shape': " + shape + ", }";
    header += std::string(117 - header.size(), ' ') + "\n";
    const std::string file =
        std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + bytes;
    std::ofstream(path_ / name, std::ios::binary) << file;
  }

  // One tensor of that name, the byte 1.
  void write_safetensors(const std::string& name, const std::string& tensor) const {
    const std::string header = R"({")" + tensor + R"(": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})";
    std::string file = std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "\1";
    std::ofstream(path_ / name, std::ios::binary) << file;
  }

  std::string path() const { return path_.string(); }
  fs::path file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

constexpr std::size_t a_mebibyte = std::size_t{1} << 20;

FileReference whole_file(const std::string& name) { return {.file = name, .tensor = std::nullopt}; }

// Of the many that are found one is opened again.
void find_many_others(const FolderOfArrays& folder, const TensorLoader& load) {
  for (int i = 0; i < 40; ++i) {
    const std::string name = "other" + std::to_string(i) + ".npy";
    folder.write(name, "\1");
    REQUIRE(load(whole_file(name), a_mebibyte));
  }
}

TEST_CASE("the numbers of however many files are read once all of them are found", "[tensor_files]") {
  const FolderOfArrays folder("attn_tensor_files_many");
  const TensorLoader load = tensors_in(folder.path());
  folder.write("x.npy", "\1\2\3");
  const Result<FileNumbers> found = load(whole_file("x.npy"), a_mebibyte);
  REQUIRE(found);
  CHECK(found.value().shape == std::vector<std::size_t>{3});
  find_many_others(folder, load);
  const Result<std::vector<double>> numbers = found.value().read();
  REQUIRE(numbers);
  CHECK(numbers.value() == std::vector<double>{1, 2, 3});
}

TEST_CASE("numbers that stand column by column are read row by row, and none are read of none", "[tensor_files]") {
  const FolderOfArrays folder("attn_tensor_files_columns");
  const TensorLoader load = tensors_in(folder.path());
  folder.write("x.npy", "\1\2\3\4\5\6", "True", "(2, 3)");
  folder.write("none.npy", "", "True", "(0, 3)");
  const auto numbers_of = [&](const char* name) {
    const Result<FileNumbers> found = load(whole_file(name), a_mebibyte);
    REQUIRE(found);
    return found.value().read().value();
  };
  CHECK(numbers_of("x.npy") == std::vector<double>{1, 3, 5, 2, 4, 6});
  CHECK(numbers_of("none.npy").empty());
}

TEST_CASE("a file that is not what it was when it was found is told by its name", "[tensor_files]") {
  const FolderOfArrays folder("attn_tensor_files_changed");
  const auto found_before = [&](auto change) {
    const TensorLoader load = tensors_in(folder.path());
    folder.write("x.npy", "\1\2\3");
    const Result<FileNumbers> found = load(whole_file("x.npy"), a_mebibyte);
    REQUIRE(found);
    find_many_others(folder, load);
    change();
    const Result<std::vector<double>> numbers = found.value().read();
    REQUIRE_FALSE(numbers);
    return numbers.faults().front();
  };
  const Diagnostic longer = found_before([&] { folder.write("x.npy", "\1\2\3\4"); });
  CHECK(longer.code == "bad-file");
  CHECK(longer.message == "x.npy has changed while it was read");
  CHECK(found_before([&] { fs::remove(folder.file("x.npy")); }).code == "no-file");
}

TEST_CASE("a tensor that is no longer in its file is told to be in none", "[tensor_files]") {
  const FolderOfArrays folder("attn_tensor_files_renamed");
  const TensorLoader load = tensors_in(folder.path());
  folder.write_safetensors("x.safetensors", "a");
  const Result<FileNumbers> found = load({.file = "x.safetensors", .tensor = "a"}, a_mebibyte);
  REQUIRE(found);
  find_many_others(folder, load);
  folder.write_safetensors("x.safetensors", "bb");
  const Result<std::vector<double>> numbers = found.value().read();
  REQUIRE_FALSE(numbers);
  CHECK(numbers.faults().front().code == "no-tensor");
}

TEST_CASE("a file that another of the same size took the place of is not read by the header of the first",
          "[tensor_files]") {
  const FolderOfArrays folder("attn_tensor_files_replaced");
  const TensorLoader load = tensors_in(folder.path());
  folder.write_safetensors("x.safetensors", "a");
  const Result<FileNumbers> found = load({.file = "x.safetensors", .tensor = "a"}, a_mebibyte);
  REQUIRE(found);
  find_many_others(folder, load);
  folder.write_safetensors("y.safetensors", "b");
  REQUIRE(fs::file_size(folder.file("x.safetensors")) == fs::file_size(folder.file("y.safetensors")));
  fs::rename(folder.file("y.safetensors"), folder.file("x.safetensors"));
  const Result<std::vector<double>> numbers = found.value().read();
  REQUIRE_FALSE(numbers);
  CHECK(numbers.faults().front().code == "no-tensor");
}

TEST_CASE("a file that was written over by another of the same size is not read by the header of the first",
          "[tensor_files]") {
  const FolderOfArrays folder("attn_tensor_files_overwritten");
  const TensorLoader load = tensors_in(folder.path());
  folder.write_safetensors("x.safetensors", "a");
  const Result<FileNumbers> found = load({.file = "x.safetensors", .tensor = "a"}, a_mebibyte);
  REQUIRE(found);
  find_many_others(folder, load);
  // Later than a clock that ticks a hundred times a second can tell apart.
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  folder.write_safetensors("x.safetensors", "b");
  const Result<std::vector<double>> numbers = found.value().read();
  REQUIRE_FALSE(numbers);
  CHECK(numbers.faults().front().code == "no-tensor");
}

TEST_CASE("a link that leads to nothing is not said to be meant in place of itself", "[tensor_files]") {
  const FolderOfArrays folder("attn_tensor_files_links");
  fs::create_symlink("nowhere.npy", folder.file("x.npy"));
  const TensorLoader load = tensors_in(folder.path());
  const Result<FileNumbers> found = load(whole_file("x.npy"), a_mebibyte);
  REQUIRE_FALSE(found);
  CHECK(found.faults().front().help.text().find("did you mean") == std::string::npos);
  const Result<FileNumbers> misspelt = load(whole_file("y.npy"), a_mebibyte);
  REQUIRE_FALSE(misspelt);
  CHECK(misspelt.faults().front().help.text() == "did you mean `x.npy`?");
}

TEST_CASE("a file outside the problem's folder is read below the root that is named, while there is one",
          "[tensor_files]") {
  const FolderOfArrays root("attn_tensor_files_root"), elsewhere("attn_tensor_files_elsewhere");
  root.write("x.npy", "\7");
  elsewhere.write("x.npy", "\7");
  fs::create_directory(root.file("inner"));
  const std::string inner = root.file("inner").string();
  CHECK(tensors_in(inner, root.path())(whole_file("../x.npy"), a_mebibyte));
  const auto code = [&](const std::string& from, const std::string& file) {
    const Result<FileNumbers> found = tensors_in(inner, from)(whole_file(file), a_mebibyte);
    return found ? "" : found.faults().front().code;
  };
  CHECK(code(root.path(), "../../attn_tensor_files_elsewhere/x.npy") == "outside");
  CHECK(code(root.path() + "/nowhere", "../x.npy") == "outside");
  // Below the root that is named, what is wrong is told of the file there.
  CHECK(code(root.path(), "../gone.npy") == "no-file");
  std::ofstream(root.file("damaged.npy")) << "no array";
  CHECK(code(root.path(), "../damaged.npy") == "bad-file");
  // What is there and no file, or damaged, is not sought elsewhere.
  std::ofstream(root.file("inner") / "x.npy") << "no array";
  CHECK(code(root.path(), "x.npy") == "bad-file");
  root.write("y.npy", "\7");
  fs::create_directory(root.file("inner") / "y.npy");
  CHECK(code(root.path(), "y.npy") == "bad-file");
}

}  // namespace
}  // namespace attn
