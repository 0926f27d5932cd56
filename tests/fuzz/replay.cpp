// Runs harnesses on files: the corpus, and everything that was ever found. Any
// compiler builds it.
//
//     attn_fuzz_replay tests/fuzz            every harness on corpus/NAME and found/NAME
//     attn_fuzz_replay NAME FILE...          one harness on these files

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness.h"

namespace {

namespace fs = std::filesystem;

void run(const attn::Harness& harness, const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  // Who crashes here has said where: the last line is the file.
  std::fprintf(stderr, "%s %s\n", harness.name.c_str(), file.string().c_str());
  harness.run(bytes);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

int run_all(const fs::path& folder) {
  for (const attn::Harness& harness : attn::harnesses()) {
    const std::vector<fs::path> corpus = files_in(folder / "corpus" / harness.name);
    if (corpus.empty()) {
      std::fprintf(stderr, "%s has no corpus in %s\n", harness.name.c_str(), folder.string().c_str());
      return 1;
    }
    for (const fs::path& file : corpus) run(harness, file);
    for (const fs::path& file : files_in(folder / "found" / harness.name)) run(harness, file);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.size() == 1) return run_all(words[0]);
  const auto named = std::ranges::find(attn::harnesses(), words.empty() ? "" : words[0], &attn::Harness::name);
  if (named == attn::harnesses().end()) {
    std::fprintf(stderr, "usage: attn_fuzz_replay FOLDER | NAME FILE...; names:");
    for (const attn::Harness& harness : attn::harnesses()) std::fprintf(stderr, " %s", harness.name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (std::size_t i = 1; i < words.size(); ++i) run(*named, words[i]);
  return 0;
}
