#include "tokenizers/added_tokens.h"

#include <utility>

#include "base/utf8.h"
#include "tokenizers/unicode.h"

namespace attn {
namespace {

std::size_t end_of_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const CodePoint point = code_point(text, at);
    if (!is_white_space(point.value)) break;
    at += point.bytes;
  }
  return at;
}

std::size_t begin_of_blanks(std::string_view text, std::size_t at, std::size_t least) {
  while (at > least) {
    std::size_t before = at - 1;
    while (before > least && continues_utf8(text[before])) --before;
    if (!is_white_space(code_point(text, before).value)) break;
    at = before;
  }
  return at;
}

}  // namespace

void AddedTokens::add(AddedToken token) {
  trie_.add(token.content, tokens_.size());
  tokens_.push_back(std::move(token));
}

std::vector<AddedTokens::Found> AddedTokens::found_in(std::string_view text) const {
  std::vector<Found> found;
  std::size_t done = 0, blanks_end = 0;  // of the run of blanks that was gone through last
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0, index = 0;
    trie_.for_each_prefix(text.substr(at), [&](std::size_t bytes, std::size_t number) {
      length = bytes;
      index = number;
    });
    if (length == 0) {
      ++at;
      continue;
    }
    // Blanks that one token takes are not hidden from the next: it may be of blanks itself.
    const AddedToken& token = tokens_[index];
    std::size_t begin = at;
    at += length;
    if (token.takes_blanks_before && begin > done) begin = begin_of_blanks(text, begin, done);
    // A token that is a blank takes all behind it at each of a run: its end is looked for once.
    if (token.takes_blanks_behind && at > blanks_end) blanks_end = end_of_blanks(text, at);
    const std::size_t end = token.takes_blanks_behind ? blanks_end : at;
    if (begin > done) found.push_back({{done, begin}, std::nullopt});
    found.push_back({{begin, end}, token.id});
    done = end;
  }
  if (done < text.size()) found.push_back({{done, text.size()}, std::nullopt});
  return found;
}

}  // namespace attn
