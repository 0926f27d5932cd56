#include "files/input_file.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "catch.h"

using namespace attn;
namespace fs = std::filesystem;

namespace {

// A folder of its own, with the file ten.bin of the bytes "0123456789".
class FolderOfTen {
 public:
  FolderOfTen() : path_(fs::temp_directory_path() / ("attn_input_file_test_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
    std::ofstream(file(), std::ios::binary) << "0123456789";
  }
  ~FolderOfTen() { fs::remove_all(path_); }
  FolderOfTen(const FolderOfTen&) = delete;
  FolderOfTen& operator=(const FolderOfTen&) = delete;

  std::string name() const { return path_.string(); }
  std::string file() const { return (path_ / "ten.bin").string(); }

 private:
  fs::path path_;
};

std::string refusal_within(const std::string& folder, const std::string& path) {
  INFO(folder << " and " << path);
  const Result<InputFile> opened = InputFile::open_within(folder, path, HardLinks::refused);
  REQUIRE_FALSE(opened);
  return opened.faults()[0].message;
}

}  // namespace

TEST_CASE("a file is read from any place, and not beyond its end", "[files]") {
  const FolderOfTen folder;
  const Result<InputFile> opened = InputFile::open_within(folder.name(), "./ten.bin", HardLinks::refused);
  REQUIRE(opened);
  CHECK(opened.value().size() == 10);
  std::array<char, 4> bytes{};
  REQUIRE_FALSE(opened.value().read(3, bytes));
  CHECK(std::string(bytes.data(), bytes.size()) == "3456");
  const auto fault = opened.value().read(8, bytes);
  REQUIRE(fault);
  CHECK(fault->message == "ends after 10 bytes, and more are wanted");
}

TEST_CASE("a file that becomes shorter while it is open is told to end early", "[files]") {
  const FolderOfTen folder;
  const Result<InputFile> opened = InputFile::open(folder.file());
  REQUIRE(opened);
  fs::resize_file(folder.file(), 5);
  std::array<char, 10> bytes{};
  const auto fault = opened.value().read(0, bytes);
  REQUIRE(fault);
  CHECK(fault->message == "ends after 5 bytes, and more are wanted");
}

TEST_CASE("no path leads out of its folder, and no folder is a file", "[files]") {
  const FolderOfTen folder;
  const std::string outside = "is outside the folder of the problem, where nothing is read";
  CHECK(refusal_within(folder.name(), "../ten.bin") == outside);
  CHECK(refusal_within(folder.name(), folder.file()) == outside);
  CHECK(refusal_within(folder.name(), "x/../../ten.bin") == outside);
  CHECK(refusal_within(folder.name(), ".") == "is a folder, not a file");
  CHECK(refusal_within(folder.name(), "") == "is not there");
  CHECK(refusal_within(folder.name(), std::string("ten.bin\0", 8)) == "is not there");
  CHECK(refusal_within(folder.name() + "/nowhere", "ten.bin") == "is not there");
  CHECK(refusal_within("", "no such file.bin") == "is not there");
  CHECK_FALSE(InputFile::leads_out(""));
  CHECK_FALSE(InputFile::leads_out("x/../ten.bin"));
}

TEST_CASE("what the system does not give comes with what to do about it", "[files]") {
  const auto said = [](int reason) { return refused_by_system("x.npy cannot be read", reason, "no-file"); };
  CHECK(said(EACCES).help.text() == "may you read it? ls -l tells");
  CHECK(said(ENAMETOOLONG).help.text() == "no file can be called so");
  CHECK(said(ENXIO).help.text() == "it is no file that has a content: name another");
  CHECK(said(EACCES).code == "no-file");
  CHECK(said(EMFILE).code == "machine");
  const Result<InputFile> nul = InputFile::open(std::string("ten.bin\0", 8));
  REQUIRE_FALSE(nul);
  CHECK(nul.faults()[0].message == "is not there");
}

TEST_CASE("a file is the same by every name, and a pipe is none that was read", "[files]") {
  const FolderOfTen folder;
  CHECK(file_identity(folder.file()) == file_identity(folder.name() + "/./ten.bin"));
  CHECK(file_identity(folder.name() + "/a/../b.bin") == file_identity(folder.name() + "/b.bin"));
  forget_read(folder.file());  // or what had its number before
  REQUIRE(InputFile::open(folder.file()));
  CHECK(name_of_read(folder.name() + "/./ten.bin") == folder.file());
  forget_read(folder.file());
  CHECK_FALSE(name_of_read(folder.file()));

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  remember_read(ends[0], "a pipe");
  CHECK_FALSE(name_of_read("/dev/fd/" + std::to_string(ends[0])));
  ::close(ends[0]);
  ::close(ends[1]);
}
