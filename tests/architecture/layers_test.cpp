#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "catch.h"

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// Who may include whom. A folder may always include itself.
const std::map<std::string, Names> may_include = {
    {"base", {}},
    {"formula", {"base"}},
    {"words", {"base"}},
    {"tensor", {"base"}},
    {"files", {"base", "tensor"}},
    {"ops", {"base", "tensor"}},
    {"bench", {"base", "tensor", "ops", "backend"}},
    {"backend", {"base", "tensor", "ops", "bench"}},
    {"problem", {"base", "tensor"}},
    {"trace", {"base", "formula", "tensor", "ops", "backend", "problem"}},
    {"mistakes", {"base", "words", "tensor", "ops", "trace"}},
    {"compare", {"base", "words", "tensor", "ops", "trace", "mistakes", "mark"}},
    {"mark", {"base", "words", "tensor", "ops", "trace", "mistakes"}},
    {"model", {"base", "formula", "words", "tensor", "ops", "backend", "problem", "trace"}},
    {"explain",
     {"base", "formula", "words", "tensor", "ops", "bench", "problem", "trace", "mistakes", "compare", "mark"}},
    {"formats", {"base", "formula", "explain"}},
    {"exports",
     {"base", "words", "tensor", "ops", "bench", "problem", "trace", "mistakes", "compare", "mark", "explain"}},
    {"reading", {"base", "tensor", "files", "problem", "trace", "mistakes", "compare", "mark"}},
    {"cli",
     {"base", "words", "tensor", "ops", "backend", "bench", "problem", "trace", "mistakes", "compare", "mark", "model",
      "explain", "formats", "exports", "reading", "files"}},
};

// Who may include which library; everyone may include the standard one.
const std::map<std::string, Names> library_users = {
    {"mpfr.h", {"base"}},
    {"fmt", {"base", "explain", "formats", "cli"}},
    {"nlohmann", {"exports", "files", "reading"}},
    {"zip.h", {"exports", "files"}},
    {"hwy", {"backend"}},
    {"CLI", {"cli"}},
};

struct Include {
  fs::path file;
  std::string from;    // the folder of the file
  std::string header;  // as written
  bool system = false;
};

std::vector<Include> all_includes() {
  const fs::path source = fs::path(ATTN_SOURCE_DIR) / "src";
  const std::regex pattern(R"rx(^\s*#\s*include\s*([<"])([^>"]+)[>"])rx");
  std::vector<Include> found;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".cuh" && extension != ".in") {
      continue;
    }
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, pattern)) continue;
      const fs::path relative = fs::relative(entry.path(), source);
      found.push_back({relative, relative.begin()->string(), match[2], match[1] == "<"});
    }
  }
  return found;
}

std::string first_folder(const std::string& header) { return header.substr(0, header.find('/')); }

}  // namespace

TEST_CASE("every include points down the layers", "[architecture]") {
  const std::vector<Include> includes = all_includes();
  REQUIRE(includes.size() > 100);
  for (const Include& include : includes) {
    if (include.system) continue;
    const std::string to = first_folder(include.header);
    INFO(include.file.string() << " includes " << include.header);
    REQUIRE(may_include.contains(include.from));
    REQUIRE(may_include.contains(to));
    CHECK((to == include.from || may_include.at(include.from).contains(to)));
  }
}

TEST_CASE("formats read documents and know nothing else of explain", "[architecture]") {
  for (const Include& include : all_includes()) {
    if (include.from != "formats" || first_folder(include.header) != "explain") continue;
    INFO(include.file.string());
    CHECK(include.header == "explain/document.h");
  }
}

TEST_CASE("each library is included only where it belongs", "[architecture]") {
  for (const Include& include : all_includes()) {
    const auto users = library_users.find(first_folder(include.header));
    if (!include.system || users == library_users.end()) continue;
    INFO(include.file.string() << " includes " << include.header);
    CHECK(users->second.contains(include.from));
  }
}

TEST_CASE("CUDA is known in its backend and nowhere else, and nvcc sees nothing but the backend's and base's headers",
          "[architecture]") {
  const auto is_of = [](const Include& include, const std::string& folder) {
    return include.file.string().starts_with(folder);
  };
  std::size_t kernels = 0;
  for (const Include& include : all_includes()) {
    INFO(include.file.string() << " includes " << include.header);
    if (include.system && (include.header.starts_with("cu") || include.header.starts_with("nv"))) {
      CHECK(is_of(include, "backend/cuda/"));
    }
    if (include.file.extension() != ".cu" || include.system) continue;
    ++kernels;
    const bool is_fit_for_nvcc = include.header.starts_with("backend/cuda/") || include.header.starts_with("base/");
    CHECK(is_fit_for_nvcc);
  }
  CHECK(kernels > 10);
}

TEST_CASE("no two headers give one name to two types: the linker would take one for the other", "[architecture]") {
  const std::regex pattern(R"rx(^(?:struct|class|enum class) (\w+)(?: final)?(?: :.*)? *\{)rx");
  std::map<std::string, Names> headers_of;
  const fs::path source = fs::path(ATTN_SOURCE_DIR) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (std::regex_search(line, match, pattern)) headers_of[match[1]].insert(fs::relative(entry.path(), source));
    }
  }
  CHECK(headers_of.size() > 100);
  for (const auto& [name, headers] : headers_of) {
    CAPTURE(name, *headers.begin(), *headers.rbegin());
    CHECK(headers.size() == 1);
  }
}

TEST_CASE("only base/math calls the C library's exponential and its kin", "[architecture]") {
  const std::regex call(R"rx(\bstd::(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|tanh|erf)\s*\()rx");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(ATTN_SOURCE_DIR) / "src")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      if (line.find("//") != std::string::npos) line.resize(line.find("//"));
      INFO(entry.path().string() << ": " << line);
      CHECK_FALSE(std::regex_search(line, call));
    }
  }
}

TEST_CASE("sentences stand in words/ and nowhere else", "[architecture]") {
  // Two words in a row in quotes. Choices say what they are in their own files, and
  // what is wrong with a file or a question is told where it is found.
  const std::regex sentence(R"rx("[^"]*[a-z]{2,} [a-z]{2,}[^"]*")rx"),
      heading(R"rx(\.(title = "|formula = "[^"]*[a-z]{3,} [^"]*"))rx");
  const auto is_told_elsewhere = [](const fs::path& file) { return file.filename() == "asked.cpp"; };
  for (const char* folder : {"mistakes", "explain/telling", "explain/arithmetic", "model"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ATTN_SOURCE_DIR) / "src" / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() != ".cpp" || is_told_elsewhere(entry.path())) continue;
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        CAPTURE(entry.path().string(), line);
        const std::string code = line.substr(0, line.find("//"));
        CHECK(!std::regex_search(code, std::string(folder) == "model" ? heading : sentence));
      }
    }
  }
}
