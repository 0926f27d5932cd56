#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "base/utf8.h"
#include "tokenizers/model.h"

namespace attn {
namespace {

constexpr std::size_t nowhere = ~std::size_t{0};

// A token of a word that is being merged, and its neighbours.
struct Link {
  std::size_t id;
  std::size_t left = nowhere;
  std::size_t right = nowhere;
  bool is_merged = false;  // into its left neighbour
};

// Two neighbours that may become one: the lowest rank first, and of the same the leftmost.
struct Chance {
  std::size_t rank, place, id;

  bool operator<(const Chance& other) const { return std::tie(other.rank, other.place) < std::tie(rank, place); }
};

bool is_before(const BytePairs::Merge& one, const BytePairs::Merge& other) {
  return std::tie(one.left, one.right, one.rank) < std::tie(other.left, other.right, other.rank);
}

bool is_of_same_pair(const BytePairs::Merge& one, const BytePairs::Merge& other) {
  return one.left == other.left && one.right == other.right;
}

// Puts them in order of their pairs, one of each: a table by hashes could be made slow by a file.
void put_in_order(std::vector<BytePairs::Merge>& merges) {
  std::ranges::sort(merges, is_before);
  // The last of each pair is the first from behind.
  const auto kept = std::unique(merges.rbegin(), merges.rend(), is_of_same_pair);
  merges.erase(merges.begin(), kept.base());
}

// What two tokens become, if anything. REQUIRES: in order.
const BytePairs::Merge* find_merge(const std::vector<BytePairs::Merge>& merges, std::size_t left, std::size_t right) {
  const auto found = std::ranges::partition_point(
      merges, [&](const BytePairs::Merge& merge) { return std::tie(merge.left, merge.right) < std::tie(left, right); });
  return found != merges.end() && found->left == left && found->right == right ? &*found : nullptr;
}

// All merges that there are, in time that grows with n log n.
void merge(std::vector<Link>& links, const BytePairs& pairs) {
  std::priority_queue<Chance> chances;
  const auto consider = [&](std::size_t place) {
    if (place == nowhere || links[place].right == nowhere) return;
    const BytePairs::Merge* found = find_merge(pairs.merges, links[place].id, links[links[place].right].id);
    if (found != nullptr) chances.push({found->rank, place, found->made});
  };
  for (std::size_t i = 0; i + 1 < links.size(); ++i) consider(i);

  while (!chances.empty()) {
    const Chance chance = chances.top();
    chances.pop();
    Link& link = links[chance.place];
    if (link.is_merged || link.right == nowhere) continue;
    // What stood there when it was thought of may have been merged with others meanwhile.
    const BytePairs::Merge* still = find_merge(pairs.merges, link.id, links[link.right].id);
    if (still == nullptr || still->made != chance.id) continue;

    Link& right = links[link.right];
    right.is_merged = true;
    link.id = chance.id;
    link.right = right.right;
    if (link.right != nowhere) links[link.right].left = chance.place;
    consider(link.left);
    consider(chance.place);
  }
}

// Characters of a word as tokens.
class Characters {
 public:
  Characters(const Vocabulary& vocabulary, const BytePairs& pairs) : vocabulary_(vocabulary), pairs_(pairs) {}

  std::vector<Link> of(std::string_view word) {
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t bytes = code_point(word, at).bytes;
      std::string character(word.substr(at, bytes));
      at += bytes;
      if (at == word.size()) character += pairs_.end_of_word_suffix;
      add(character);
    }
    say_unknown();
    return std::move(links_);
  }

 private:
  void add(const std::string& character) {
    if (const auto found = vocabulary_.id(character)) {
      say_unknown();
      push(*found);
    } else if (!pairs_.falls_back_to_bytes || !add_bytes(character)) {
      // Said when the next token comes: bytes go ahead of it, as they do in the reference.
      if (!pairs_.fuses_unknown) say_unknown();
      is_unknown_ = pairs_.unknown.has_value();
    }
  }

  bool add_bytes(const std::string& character) {
    std::vector<std::size_t> bytes;
    for (const char c : character) {
      const auto found = vocabulary_.id(spelled_byte(static_cast<unsigned char>(c)));
      if (!found) return false;
      bytes.push_back(*found);
    }
    for (const std::size_t byte : bytes) push(byte);
    return true;
  }

  void say_unknown() {
    if (std::exchange(is_unknown_, false)) push(*pairs_.unknown);
  }

  void push(std::size_t id) {
    const std::size_t place = links_.size();
    if (place > 0) links_.back().right = place;
    links_.push_back({.id = id, .left = place > 0 ? place - 1 : nowhere});
  }

  const Vocabulary& vocabulary_;
  const BytePairs& pairs_;
  std::vector<Link> links_;
  bool is_unknown_ = false;
};

}  // namespace

void BytePairs::add(std::uint32_t left, std::uint32_t right, std::uint32_t made) {
  merges.push_back({.left = left, .right = right, .made = made, .rank = said++});
  if (merges.size() < thinned_at) return;
  put_in_order(merges);
  thinned_at = std::max(thinned_at, 2 * merges.size());
}

CutsWords cutting_by_merges(std::shared_ptr<const Vocabulary> vocabulary, std::shared_ptr<BytePairs> settings) {
  put_in_order(settings->merges);
  return [vocabulary = std::move(vocabulary), pairs = std::shared_ptr<const BytePairs>(std::move(settings))](
             std::string_view word, std::vector<std::size_t>& ids) {
    if (pairs->ignores_merges) {
      if (const auto found = vocabulary->id(word)) return ids.push_back(*found);
    }
    std::vector<Link> links = Characters(*vocabulary, *pairs).of(word);
    merge(links, *pairs);
    for (const Link& link : links) {
      if (!link.is_merged) ids.push_back(link.id);
    }
  };
}

}  // namespace attn
