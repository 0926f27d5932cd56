#include "reading/text_file.h"

#include <filesystem>
#include <fstream>

#include "catch.h"

using namespace attn;
namespace fs = std::filesystem;

TEST_CASE("what people wrote in UTF-16 reads as the same text in UTF-8", "[text_file]") {
  const fs::path path = fs::temp_directory_path() / "attn_text_file_utf16.txt";
  const std::u16string text = u"S = [2, −4] 🙂\n";
  for (const bool little : {true, false}) {
    std::string bytes;
    const auto add = [&](char16_t unit) {
      const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
      bytes += little ? std::string{low, high} : std::string{high, low};
    };
    add(u'\xFEFF');
    for (const char16_t unit : text) add(unit);
    std::ofstream(path, std::ios::binary) << bytes;
    const Result<std::string> read = read_writing(path.string());
    REQUIRE(read);
    CHECK(read.value() == "S = [2, −4] 🙂\n");
    // Half a character more, or half of a pair, is no UTF-16: it comes as it is.
    for (const std::string& broken : {bytes + "x", bytes + std::string(little ? "\x3D\xD8" : "\xD8\x3D")}) {
      std::ofstream(path, std::ios::binary) << broken;
      CHECK(read_writing(path.string()).value() == broken);
    }
  }
  // UTF-32 begins alike, and comes as it is, too.
  const std::string wide("\xFF\xFE\0\0S\0\0\0", 8);
  std::ofstream(path, std::ios::binary) << wide;
  CHECK(read_writing(path.string()).value() == wide);
  fs::remove(path);
}

TEST_CASE("lines that people wrote on an old Mac end as all others do", "[text_file]") {
  const fs::path path = fs::temp_directory_path() / "attn_text_file_mac.txt";
  const auto read = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return read_writing(path.string()).value();
  };
  using namespace std::string_literals;
  CHECK(read("2,4\r16,12\r") == "2,4\n16,12\n");
  CHECK(read("\xFF\xFE"
             "2\0\r\0"
             "4\0"s) == "2\n4");
  CHECK(read("2,4\r\n16,12\r\n") == "2,4\r\n16,12\r\n");
  CHECK(read("2,4\r16,12\n") == "2,4\r16,12\n");
  CHECK(read_text(path.string()).value() == "2,4\r16,12\n");
  fs::remove(path);
}

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

TEST_CASE("a file that is not there is sought among those that are, of however many", "[text_file]") {
  const fs::path folder = fs::temp_directory_path() / "attn_text_file_missing";
  fs::remove_all(folder);
  fs::create_directory(folder);
  const auto help = [&](const std::string& name) {
    return read_text((folder / name).string()).faults()[0].help.text();
  };
  CHECK(help("problem.json") == "is the path relative to another folder?");
  fs::create_symlink("nowhere.json", folder / "problem.json");
  CHECK(help("problem.json") == "it is a link, and what it leads to is not there");
  for (int i = 1000; i < 2100; ++i) std::ofstream(folder / ("answers" + std::to_string(i) + ".json"));
  CHECK(help("answer1500.json").starts_with("did you mean `"));
  fs::remove_all(folder);
}
