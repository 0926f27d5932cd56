#include "reading/text_file.h"

#include <filesystem>
#include <fstream>

#include "catch.h"

using namespace attn;
namespace fs = std::filesystem;

TEST_CASE("a file is read whole, whatever its bytes", "[text_file]") {
  const fs::path path = fs::temp_directory_path() / "attn_text_file_test.bin";
  std::string bytes(200'000, 'x');
  bytes[7] = '\0';
  bytes[8] = '\xff';
  std::ofstream(path, std::ios::binary) << bytes;
  const Result<std::string> text = read_text(path.string());
  fs::remove(path);
  REQUIRE(text);
  CHECK(text.value() == bytes);
}

TEST_CASE("what is no readable file is said to be none", "[text_file]") {
  CHECK(read_text("/nowhere/at/all.json").faults()[0].message == "there is no such file");
  CHECK(read_text(fs::temp_directory_path().string()).faults()[0].message == "this is a directory, not a file");
  CHECK(read_text(std::string(100'000, 'x')).faults()[0].code == "unreadable");
}
