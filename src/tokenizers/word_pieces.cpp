#include <algorithm>

#include "base/utf8.h"
#include "tokenizers/model.h"
#include "tokenizers/trie.h"

namespace attn {

CutsWords cutting_into_word_pieces(const Vocabulary& vocabulary, const WordPieces& settings) {
  struct Tries {
    Trie first, continuing;
  };
  auto pieces = std::make_shared<Tries>();
  vocabulary.for_each([&](std::string_view spelling, std::size_t id) {
    if (!spelling.empty()) pieces->first.add(spelling, id);
    const std::string& prefix = settings.continuing_prefix;
    if (spelling.starts_with(prefix) && spelling.size() > prefix.size())
      pieces->continuing.add(spelling.substr(prefix.size()), id);
  });

  return [pieces, settings](std::string_view word, std::vector<std::size_t>& ids) {
    const auto characters =
        static_cast<std::size_t>(std::ranges::count_if(word, [](char c) { return !continues_utf8(c); }));
    const std::size_t before = ids.size();
    std::size_t at = characters > settings.most_characters ? word.size() + 1 : 0;
    while (at < word.size()) {
      std::size_t longest = 0, token = 0;
      const Trie& trie = at == 0 ? pieces->first : pieces->continuing;
      trie.for_each_prefix(word.substr(at), [&](std::size_t length, std::size_t id) {
        longest = length;
        token = id;
      });
      if (longest == 0) break;
      ids.push_back(token);
      at += longest;
    }
    if (at == word.size()) return;
    ids.resize(before);
    ids.push_back(settings.unknown);
  };
}

}  // namespace attn
