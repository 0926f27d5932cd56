#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "model/possible_steps.h"

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
    {"tokenizers", {"base", "files"}},
    {"imports", {"base", "tensor", "files"}},
    {"ops", {"base", "tensor"}},
    {"backend", {"base", "tensor", "ops"}},
    {"problem", {"base", "tensor"}},
    {"trace", {"base", "formula", "tensor", "ops", "backend", "problem"}},
    {"mistakes", {"base", "words", "tensor", "ops", "trace"}},
    {"compare", {"base", "words", "tensor", "ops", "trace", "mistakes"}},
    {"mark", {"base", "words", "tensor", "ops", "trace", "mistakes"}},
    {"model", {"base", "formula", "words", "tensor", "ops", "backend", "problem", "trace"}},
    {"exercises", {"base", "files", "problem", "trace", "mistakes", "mark", "model"}},
    {"explain", {"base", "formula", "words", "tensor", "ops", "problem", "trace", "mistakes", "compare", "mark"}},
    {"formats", {"base", "formula", "explain"}},
    {"exports",
     {"base", "words", "tensor", "ops", "problem", "trace", "mistakes", "compare", "mark", "explain", "formats"}},
    {"reading", {"base", "tensor", "files", "tokenizers", "problem", "trace", "mistakes", "compare", "mark"}},
    {"bench", {"base", "tensor", "backend", "explain", "exports"}},
    {"cli",
     {"base", "words", "tensor",    "ops",     "backend", "bench",   "problem", "trace", "mistakes",   "compare",
      "mark", "model", "exercises", "explain", "formats", "exports", "reading", "files", "tokenizers", "imports"}},
};

// What a folder never sees, not through any header of another folder either.
const std::map<std::string, Names> never_sees = {
    {"problem", {"ops", "backend", "trace"}},
    {"mistakes", {"backend", "bench", "model", "explain"}},
    {"mark", {"backend", "bench", "model", "explain"}},
    {"compare", {"backend", "bench", "model", "explain"}},
    {"model", {"bench", "explain", "reading"}},
    {"exercises", {"bench", "explain", "reading"}},
    {"explain", {"backend", "bench", "model", "reading"}},
    {"formats", {"backend", "bench", "model", "reading", "mistakes", "mark", "compare", "files", "exports"}},
    {"exports", {"backend", "bench", "model", "reading"}},
    {"reading", {"backend", "bench", "model", "explain"}},
    {"bench", {"files", "model", "reading", "mistakes", "mark", "compare"}},
};

// The rooms of a folder that see no other room of it, or only these.
const std::map<std::string, Names> rooms_beside = {
    {"backend/cpu", {}},
    {"backend/cuda", {}},
    {"bench/cpu", {}},
    {"bench/cuda", {}},
    {"compare/conventions", {}},
    {"formats/formula", {}},
    {"formats/html", {"formats/formula", "formats/svg"}},
    {"formats/latex", {"formats/formula", "formats/svg"}},
    {"formats/markdown", {"formats/latex", "formats/text"}},
    {"formats/svg", {"formats/formula"}},
    {"formats/text", {}},
    {"model/masks", {}},
    {"model/positions", {}},
    {"model/scores", {}},
    {"model/softmaxes", {}},
};

// Who may include which library; everyone may include the standard one.
const std::map<std::string, Names> library_users = {
    {"mpfr.h", {"base"}},
    {"fmt", {"base", "words", "explain", "formats", "bench", "cli"}},
    {"nlohmann", {"exercises", "exports", "files", "reading", "bench", "tokenizers", "imports"}},
    {"zlib.h", {"base", "exports", "files"}},
    {"xlsxwriter.h", {"exports"}},
    {"utf8proc.h", {"tokenizers"}},
    {"pcre2.h", {"tokenizers"}},
    {"hwy", {"backend", "bench"}},
    {"CLI", {"cli"}},
};

struct Include {
  fs::path file;
  std::string from;    // the folder of the file
  std::string header;  // as written
  bool system = false;
};

std::vector<Include> includes_below(const fs::path& source) {
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

std::vector<Include> all_includes() { return includes_below(fs::path(ATTN_SOURCE_DIR) / "src"); }

std::string first_folder(const std::string& header) { return header.substr(0, header.find('/')); }

// "formats/html" of "formats/html/numbers.h"; "" of what stands in no room of its folder.
std::string room_of(const std::string& path) {
  const std::size_t folder = path.find('/');
  const std::size_t room = folder == std::string::npos ? folder : path.find('/', folder + 1);
  return room == std::string::npos ? "" : path.substr(0, room);
}

// Every header of ours that a file includes, or that those include in turn; with
// each the one that it came by.
std::map<std::string, std::string> seen_by(const std::string& file, const std::map<std::string, Names>& includes_of) {
  std::map<std::string, std::string> seen;
  std::vector<std::string> left = {file};
  while (!left.empty()) {
    const std::string from = left.back();
    left.pop_back();
    if (!includes_of.contains(from)) continue;
    for (const std::string& header : includes_of.at(from)) {
      if (seen.emplace(header, from).second) left.push_back(header);
    }
  }
  return seen;
}

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

TEST_CASE("what a folder does not know comes to it by no header of another folder", "[architecture]") {
  std::map<std::string, Names> includes_of;
  for (const Include& include : all_includes()) {
    if (!include.system) includes_of[include.file.string()].insert(include.header);
  }
  std::size_t looked_at = 0;
  for (const auto& [file, headers] : includes_of) {
    const auto rule = never_sees.find(first_folder(file));
    if (rule == never_sees.end()) continue;
    ++looked_at;
    for (const auto& [header, by] : seen_by(file, includes_of)) {
      INFO(file << " sees " << header << " by " << by);
      CHECK_FALSE(rule->second.contains(first_folder(header)));
    }
  }
  CHECK(looked_at > 100);
}

TEST_CASE("the rooms of a folder see no other room of it but those they are said to", "[architecture]") {
  Names found;
  for (const Include& include : all_includes()) {
    const std::string from = room_of(include.file.string()), to = room_of(include.header);
    const auto rule = rooms_beside.find(from);
    if (include.system || rule == rooms_beside.end()) continue;
    found.insert(from);
    if (to.empty() || to == from || first_folder(to) != first_folder(from)) continue;
    INFO(include.file.string() << " includes " << include.header);
    CHECK(rule->second.contains(to));
  }
  CHECK(found.size() == rooms_beside.size());
}

TEST_CASE("the Python package is beside the command line, and one source of it knows Python", "[architecture]") {
  const Names not_seen = {"cli", "bench"};
  std::size_t looked_at = 0;
  for (const Include& include : includes_below(fs::path(ATTN_SOURCE_DIR) / "python")) {
    INFO(include.file.string() << " includes " << include.header);
    const std::string to = first_folder(include.header);
    if (include.system) {
      CHECK((to != "pybind11" || include.file == "bindings.cpp"));
    } else if (include.header.find('/') != std::string::npos) {
      ++looked_at;
      CHECK(may_include.contains(to));
      CHECK_FALSE(not_seen.contains(to));
    }
  }
  CHECK(looked_at > 10);
}

TEST_CASE("formats read documents and know nothing else of explain", "[architecture]") {
  for (const Include& include : all_includes()) {
    if (include.from != "formats" || first_folder(include.header) != "explain") continue;
    INFO(include.file.string());
    CHECK(include.header == "explain/document.h");
  }
}

TEST_CASE("exports know of formats how formulas, words and roles look, and nothing else", "[architecture]") {
  const Names looks = {"formats/latex/math.h", "formats/looks.h", "formats/markdown/text.h"};
  for (const Include& include : all_includes()) {
    if (include.from != "exports" || first_folder(include.header) != "formats") continue;
    INFO(include.file.string());
    CHECK(looks.contains(include.header));
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

TEST_CASE("CUDA is known in its backend and nowhere else, and kernels include only its headers and base's",
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
  // what is wrong with a file is told where it is found.
  const std::regex sentence(R"rx("[^"]*[a-z]{2,} [a-z]{2,}[^"]*")rx"),
      heading(R"rx(\.(title = "|formula = "[^"]*[a-z]{3,} [^"]*")|"\{\}[^"]*[a-z]{3,} [^"]*")rx"
              R"rx(|\{"[a-z_.]+", "[^"]*", "[A-Z][a-z])rx");
  for (const char* folder : {"mistakes", "mark", "explain", "model"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ATTN_SOURCE_DIR) / "src" / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() != ".cpp") continue;
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        CAPTURE(entry.path().string(), line);
        const std::string code = line.substr(0, line.find("//"));
        CHECK(!std::regex_search(code, std::string(folder) == "model" ? heading : sentence));
      }
    }
  }
}

TEST_CASE("no step is found by a name but in model/, and in the tables of names that people and programs use",
          "[architecture]") {
  // Ids of one everyday word stand for keys of files and axes, too.
  std::set<std::string> ids;
  for (const std::string& id : attn::possible_steps()) {
    if (id.find('_') != std::string::npos) ids.insert(id);
  }
  CHECK(ids.size() > 30);
  const std::regex literal(R"rx("([a-z_.]+)")rx");
  const fs::path source = fs::path(ATTN_SOURCE_DIR) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const fs::path relative = fs::relative(entry.path(), source);
    const std::string folder = relative.begin()->string();
    const bool may_name = folder == "model" || relative.string().starts_with("reading/names/");
    if (!entry.is_regular_file() || may_name ||
        (entry.path().extension() != ".cpp" && entry.path().extension() != ".h"))
      continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      if (line.find("//") != std::string::npos) line.resize(line.find("//"));
      for (std::sregex_iterator match(line.begin(), line.end(), literal), end; match != end; ++match) {
        INFO(relative.string() << ": " << line);
        CHECK_FALSE(ids.contains((*match)[1]));
      }
    }
  }
}
