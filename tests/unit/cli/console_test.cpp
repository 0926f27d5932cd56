#include "cli/console.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "catch.h"
#include "cli/unfinished_file.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

// A folder that goes with it.
struct FolderOfConsole {
  FolderOfConsole() : path(fs::temp_directory_path() / ("attn_console_test_" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~FolderOfConsole() { fs::remove_all(path); }
  FolderOfConsole(const FolderOfConsole&) = delete;
  FolderOfConsole& operator=(const FolderOfConsole&) = delete;

  std::string text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path / name).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }

  fs::path path;
};

TEST_CASE("a refusal that nobody expected says its first fault", "[cli]") {
  const auto what = [](const std::exception& error) { return std::string(error.what()); };
  CHECK(what(Refusal("the one", "do the other")) == "the one");
  const Diagnostics two = {Diagnostic{.code = "a", .where = "", .message = "first", .help = "mend it"},
                           Diagnostic{.code = "b", .where = "", .message = "second", .help = "mend it"}};
  CHECK(what(Refusal(two, "", "x.json")) == "first");
  CHECK(what(Refusal(Diagnostics(), "", "x.json")).empty());
}

TEST_CASE("files are written together, or none where what wrote them goes without finishing", "[cli]") {
  const FolderOfConsole folder;
  {
    FilesTogether files, others;
    others.write((folder.path / "never").string(), "no");
    files.write((folder.path / "a").string(), "one");
    files.write((folder.path / "b").string(), "two");
    CHECK_FALSE(fs::exists(folder.path / "a"));
    others = std::move(files);  // and what it had before goes
    others.finish();
  }
  CHECK(folder.text("a") == "one");
  CHECK(folder.text("b") == "two");
  CHECK(folder.files() == 2);
}

TEST_CASE("where links lead in a circle there is no folder to write to", "[cli]") {
  const FolderOfConsole folder;
  fs::create_symlink(folder.path / "circle", folder.path / "circle");
  FilesTogether files;
  const std::string path = (folder.path / "circle" / "x").string();
  try {
    files.write(path, "text");
    FAIL("it was written");
  } catch (const Refusal& refusal) {
    CHECK(refusal.code() == Exit::wrong_environment);
    CHECK(std::string(refusal.what()) ==
          path + " cannot be written: there is no folder " + (folder.path / "circle").string());
  }
}

TEST_CASE("an unfinished file that is closed is not closed again, and has the permissions that it was to have",
          "[cli]") {
  const FolderOfConsole folder;
  const std::string path = (folder.path / "x").string();
  {
    UnfinishedFile file(path, 0640);
    REQUIRE(file.descriptor() >= 0);
    CHECK(write_all(file.descriptor(), "text"));
    CHECK(file.close() == 0);
    CHECK(file.descriptor() < 0);
    CHECK(file.close() == 0);
    CHECK(file.take_name() == 0);
  }
  CHECK(folder.text("x") == "text");
  struct stat about {};
  REQUIRE(::stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0640);
}

}  // namespace
}  // namespace attn
