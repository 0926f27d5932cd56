#include <algorithm>
#include <array>
#include <cstdio>

#include "base/utf8.h"
#include "tokenizers/model.h"
#include "tokenizers/trie.h"

namespace attn {
namespace {

// How much less likely than the least likely token is one that nobody knows.
constexpr double unknown_penalty = 10.0;

// The likeliest way to a place in a word.
struct Way {
  std::size_t from = 0;
  std::size_t token = 0;
  double score = 0;
  bool is_there = false;

  void offer(std::size_t start, std::size_t id, double offered) {
    if (is_there && offered <= score) return;
    *this = {start, id, offered, true};
  }
};

struct Kept {
  std::shared_ptr<const Vocabulary> vocabulary;
  Unigrams unigrams;
  Trie trie;
  double unknown_score = 0;

  std::vector<Way> ways(std::string_view word) const {
    std::vector<Way> ways(word.size() + 1);
    for (std::size_t at = 0; at < word.size();) {
      const double score = ways[at].score;
      const std::size_t bytes = code_point(word, at).bytes;
      bool covers_one = false;
      trie.for_each_prefix(word.substr(at), [&](std::size_t length, std::size_t id) {
        ways[at + length].offer(at, id, unigrams.scores[id] + score);
        covers_one = covers_one || length == bytes;
      });
      if (!covers_one) ways[at + bytes].offer(at, unigrams.unknown, unknown_score + score);
      at += bytes;
    }
    return ways;
  }

  // Unknown characters side by side are one text: a token after all, or its bytes, or unknown.
  void add_unknown(std::string_view text, std::vector<std::size_t>& added) const {
    if (const auto found = vocabulary->id(text)) return added.push_back(*found);
    if (unigrams.falls_back_to_bytes) {
      std::vector<std::size_t> bytes;
      for (const char c : text) {
        const auto found = vocabulary->id(spelled_byte(static_cast<unsigned char>(c)));
        if (found) bytes.push_back(*found);
      }
      if (bytes.size() == text.size()) {
        added.insert(added.end(), bytes.begin(), bytes.end());
        return;
      }
    }
    added.push_back(unigrams.unknown);
  }
};

}  // namespace

CutsWords cutting_by_probability(std::shared_ptr<const Vocabulary> vocabulary, Unigrams settings) {
  const auto made = std::make_shared<Kept>();
  made->vocabulary = std::move(vocabulary);
  made->unknown_score = *std::ranges::min_element(settings.scores) - unknown_penalty;
  made->unigrams = std::move(settings);
  made->vocabulary->for_each([&](std::string_view spelling, std::size_t id) {
    if (!spelling.empty()) made->trie.add(spelling, id);
  });

  return [kept = std::shared_ptr<const Kept>(made)](std::string_view word, std::vector<std::size_t>& ids) {
    const std::vector<Way> ways = kept->ways(word);
    std::vector<std::pair<std::size_t, std::size_t>> cuts;  // from the end: where they begin, and their token
    for (std::size_t end = word.size(); end > 0; end = ways[end].from)
      cuts.emplace_back(ways[end].from, ways[end].token);

    const std::size_t unknown = kept->unigrams.unknown;
    for (std::size_t i = cuts.size(); i-- > 0;) {
      const std::size_t begin = cuts[i].first;
      if (cuts[i].second != unknown) {
        ids.push_back(cuts[i].second);
        continue;
      }
      while (i > 0 && cuts[i - 1].second == unknown) --i;
      const std::size_t end = i > 0 ? cuts[i - 1].first : word.size();
      kept->add_unknown(word.substr(begin, end - begin), ids);
    }
  };
}

std::string spelled_byte(unsigned char byte) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "<0x%02X>", static_cast<unsigned>(byte));
  return text.data();
}

}  // namespace attn
