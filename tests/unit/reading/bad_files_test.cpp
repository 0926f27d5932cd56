#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "model/attention.h"
#include "reading/problem/problem.h"
#include "reading/report.h"
#include "reading/text_file.h"

using namespace attn;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t two_gib = std::size_t{1} << 31;

std::vector<fs::path> bad_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(ATTN_SOURCE_DIR) / "tests" / "cli" / "bad")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// What is said about a file; empty where nothing is wrong with it.
std::string complaint(const fs::path& file) {
  const Result<std::string> text = read_text(file.string());
  if (!text) return report(text.faults(), "", file.filename().string());
  const Result<Problem> problem = read_problem(text.value(), catalog(), two_gib, file.parent_path().string());
  return problem ? "" : report(problem.faults(), text.value(), file.filename().string());
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

// Set ATTN_UPDATE_GOLDEN=1 to accept what the program says now; then read the
// difference before committing it.
TEST_CASE("each bad file is refused with its message", "[reading][golden]") {
  const std::vector<fs::path> files = bad_files();
  REQUIRE(files.size() >= 80);
  for (const fs::path& file : files) {
    const fs::path expected = fs::path(file).replace_extension(".expected");
    const std::string said = complaint(file);
    INFO(file.filename().string());
    CHECK_FALSE(said.empty());
    if (std::getenv("ATTN_UPDATE_GOLDEN")) {
      std::ofstream(expected, std::ios::binary) << said;
    } else {
      CHECK(said == contents(expected));
    }
  }
}

TEST_CASE("each fault of a bad file says what to do", "[reading]") {
  for (const fs::path& file : bad_files()) {
    std::istringstream said(complaint(file));
    std::size_t faults = 0, helps = 0;
    for (std::string line; std::getline(said, line);) {
      faults += line.find(": error: ") != std::string::npos;
      helps += line.starts_with("  help: ") && line.size() > 10;
    }
    INFO(file.filename().string());
    CHECK(helps == faults);
  }
}

TEST_CASE("no control byte of a bad file reaches its message", "[reading]") {
  for (const fs::path& file : bad_files()) {
    const std::string said = complaint(file);
    INFO(file.filename().string());
    const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F; };
    CHECK(std::ranges::none_of(said, is_control));
  }
}

TEST_CASE("of very many unknown keys the first are told and the rest counted", "[reading]") {
  std::string text = R"({"inputs": [[1, 0], [0, 1]])";
  for (int i = 0; i < 1200; ++i) text += ", \"k" + std::to_string(i) + "\": 0";
  const Result<Problem> problem = read_problem(text + "}", catalog(), two_gib, "");
  REQUIRE_FALSE(problem);
  CHECK(problem.faults().size() < 1200);
  CHECK(problem.faults().size() + problem.faults().back().unkept == 1200);
}

TEST_CASE("of very many unknown keys of a part the first are told and the rest counted", "[reading]") {
  std::string text = R"({"inputs": [[1]], "weights": {)";
  for (int i = 0; i < 1500; ++i) text += (i == 0 ? "\"zzz" : ", \"zzz") + std::to_string(i) + "\": 1";
  const Result<Problem> problem = read_problem(text + "}}", catalog(), two_gib, "");
  REQUIRE_FALSE(problem);
  CHECK(problem.faults().size() < 1500);
  CHECK(problem.faults().size() + problem.faults().back().unkept == 1500);
}

TEST_CASE("of very many unknown parameters the first are told and the rest counted", "[reading]") {
  const std::string misspelt = R"("wieght": [[1]])";
  std::string unknown = R"("zzz": 1)";
  for (int i = 1; i < 1500; ++i) unknown += ", \"zzz" + std::to_string(i) + "\": 1";
  for (const std::string& parameters : {misspelt + ", " + unknown, unknown + ", " + misspelt}) {
    const std::string text = R"({"inputs": [[1]], "score": {"type": "general", )" + parameters + "}}";
    const Result<Problem> problem = read_problem(text, catalog(), two_gib, "");
    REQUIRE_FALSE(problem);
    CHECK(problem.faults().size() == 1000);
    CHECK(problem.faults().size() + problem.faults().back().unkept == 1501);
  }
}

TEST_CASE("of very many texts in place of integers the first are told and the rest counted", "[reading]") {
  std::string lengths = R"("x")";
  for (int i = 1; i < 1500; ++i) lengths += R"(, "x")";
  const Result<Problem> problem =
      read_problem(R"({"inputs": [[1]], "lengths": [)" + lengths + "]}", catalog(), two_gib, "");
  REQUIRE_FALSE(problem);
  CHECK(problem.faults().size() == 1000);
  CHECK(problem.faults().size() + problem.faults().back().unkept == 1500);
}

TEST_CASE("there are at most a thousand masks", "[reading]") {
  const auto with_masks = [](int count) {
    std::string text = R"({"inputs": [[1]], "mask": [{"add": [[0]]})";
    for (int i = 1; i < count; ++i) text += R"(, {"add": [[0]]})";
    return read_problem(text + "]}", catalog(), two_gib, "");
  };
  CHECK(with_masks(1000));
  const Result<Problem> problem = with_masks(1001);
  REQUIRE_FALSE(problem);
  CHECK(problem.faults().front().message == "/mask has 1001 masks; at most 1000 are possible");
}

TEST_CASE("beside what a mask holds a key may be free, and one that is unknown hides no other fault", "[reading]") {
  const auto with_mask = [](const std::string& mask) {
    return read_problem(R"({"inputs": [[1]], "mask": )" + mask + "}", catalog(), two_gib, "");
  };
  CHECK(with_mask(R"({"allow": [[1]], "x-why": 1})"));
  CHECK(with_mask(R"([{"x-why": [[0]], "add": [[1]]}])"));
  const Result<Problem> problem = with_mask(R"({"zzzzzz": 1, "allow": [["x"]]})");
  REQUIRE_FALSE(problem);
  CHECK(problem.faults().size() == 2);
}

TEST_CASE("sequences that do not fit once they are as long as the longest are refused", "[reading]") {
  std::string row = "[1";
  for (int column = 1; column < 200; ++column) row += ", 1";
  row += "]";
  std::string text = R"({"inputs": [[)" + row;
  for (int more = 1; more < 100; ++more) text += ", " + row;
  text += "]";
  for (int sequence = 1; sequence < 100; ++sequence) text += ", [" + row + "]";
  const Result<Problem> problem = read_problem(text + "]}", catalog(), 8'000'000, "");
  REQUIRE_FALSE(problem);
  CHECK(problem.faults().front().code == "too-large");
  CHECK(problem.faults().front().message.find("padded") != std::string::npos);
}
