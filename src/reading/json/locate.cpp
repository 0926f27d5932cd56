#include "reading/json/locate.h"

#include <map>
#include <optional>

#include "base/json_spelling.h"
#include "reading/json/json.h"

namespace attn {
namespace {

// A pointer on its way down.
struct Search {
  std::string_view rest;  // "" or "/step/step…"
  bool at_key;
  TextRange* found;
};

using SearchesByStep = std::map<std::string, std::vector<Search>>;

// The first step of a pointer, its escapes undone; taken off the pointer.
std::string taken_step(std::string_view& rest) {
  rest.remove_prefix(1);
  const std::string_view raw = rest.substr(0, rest.find('/'));
  rest.remove_prefix(raw.size());
  std::string step;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const bool escape = raw[i] == '~' && i + 1 < raw.size();
    step += escape ? (raw[++i] == '1' ? '/' : '~') : raw[i];
  }
  return step;
}

// Follows pointers into a value; those that lead nowhere in it end at it.
class Finding {
 public:
  explicit Finding(std::string_view text) : text_(text) {}

  void find(const JsonValue& value, std::string_view key, const std::vector<Search>& searches) {
    const TextRange here = place_in(text_, value.spelling());
    const bool is_object = value.kind() == JsonValue::Kind::object;
    SearchesByStep inside;
    for (Search search : searches) {
      *search.found = search.rest.empty() && search.at_key ? place_in(text_, key) : here;
      if (search.rest.empty() || !(is_object || value.kind() == JsonValue::Kind::list)) continue;
      const std::string step = taken_step(search.rest);
      inside[step].push_back(search);
    }
    if (inside.empty()) return;
    std::size_t index = 0;
    for (JsonWalk walk(value); !inside.empty() && walk.next(); ++index) {
      const std::string step = is_object ? unescaped_json(walk.key_spelling()) : std::to_string(index);
      const auto wanted = inside.extract(step);
      if (wanted.empty()) continue;
      find(walk.value(), is_object ? walk.key_spelling() : walk.value().spelling(), wanted.mapped());
    }
  }

 private:
  std::string_view text_;
};

// Nothing where the text has nothing but blanks.
std::optional<JsonValue> root_of(std::string_view text) {
  Scanner scanner(text);
  const TextRange first = scanner.next().range;
  if (first.begin == first.end) return std::nullopt;
  const bool opens = text[first.begin] == '{' || text[first.begin] == '[';
  return JsonValue(spelled(text, {first.begin, opens ? scanner.skip_rest() : first.end}));
}

}  // namespace

std::vector<TextRange> located(std::string_view text, std::span<const Pointed> wanted) {
  std::vector<TextRange> ranges(wanted.size());
  std::vector<Search> searches;
  for (std::size_t i = 0; i < wanted.size(); ++i) searches.push_back({wanted[i].pointer, wanted[i].at_key, &ranges[i]});
  if (searches.empty()) return ranges;
  if (const auto root = root_of(text)) Finding(text).find(*root, root->spelling(), searches);
  return ranges;
}

}  // namespace attn
