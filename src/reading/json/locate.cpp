#include "reading/json/locate.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "reading/json/scanner.h"

namespace attn {
namespace {

using Kind = Token::Kind;

bool opens(const Token& token) { return token.kind == Kind::open_object || token.kind == Kind::open_list; }

// A pointer on its way down.
struct Search {
  std::string_view rest;  // "" or "/step/step…"
  bool at_key;
  TextRange* found;
};

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

std::string key_of(std::string_view quoted) {
  if (quoted.find('\\') == std::string_view::npos) return std::string(quoted.substr(1, quoted.size() - 2));
  const auto read = nlohmann::json::parse(quoted, nullptr, false);
  return read.is_string() ? read.get<std::string>() : "";
}

class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text), scanner_(text) {}

  void find(std::vector<Search> searches) {
    const Token first = scanner_.next();
    visit(first, first.range, std::move(searches));
  }

 private:
  // Visits the value that begins with this token, and leaves it behind. What
  // is not found further inside ends here.
  void visit(const Token& first, TextRange key, std::vector<Search> searches) {
    std::map<std::string, std::vector<Search>> inside;
    std::vector<Search> here;
    for (Search& search : searches) {
      if (search.rest.empty() || !opens(first)) {
        here.push_back(search);
      } else {
        const std::string step = taken_step(search.rest);
        inside[step].push_back(search);
      }
    }
    const bool is_object = first.kind == Kind::open_object;
    const TextRange whole{first.range.begin, !opens(first)    ? first.range.end
                                             : inside.empty() ? scanner_.skip_rest()
                                             : is_object      ? visit_members(inside)
                                                              : visit_elements(inside)};
    for (const auto& [step, lost] : inside) {
      for (const Search& search : lost) *search.found = whole;
    }
    for (const Search& search : here) *search.found = search.rest.empty() && search.at_key ? key : whole;
  }

  // Both return where the value ends, and take out what they pass on.

  std::size_t visit_members(std::map<std::string, std::vector<Search>>& inside) {
    Token key = scanner_.next();
    while (key.kind == Kind::text) {
      scanner_.next();  // the colon
      visit_if_wanted(key_of(text_.substr(key.range.begin, key.range.end - key.range.begin)), scanner_.next(),
                      key.range, inside);
      const Token after = scanner_.next();
      if (after.kind != Kind::comma) return after.range.end;
      if (inside.empty()) return scanner_.skip_rest();
      key = scanner_.next();
    }
    return key.range.end;
  }

  std::size_t visit_elements(std::map<std::string, std::vector<Search>>& inside) {
    Token element = scanner_.next();
    for (std::size_t index = 0; element.kind != Kind::close_list && element.kind != Kind::end; ++index) {
      visit_if_wanted(std::to_string(index), element, element.range, inside);
      const Token after = scanner_.next();
      if (after.kind != Kind::comma) return after.range.end;
      if (inside.empty()) return scanner_.skip_rest();
      element = scanner_.next();
    }
    return element.range.end;
  }

  void visit_if_wanted(const std::string& step, const Token& value, TextRange key,
                       std::map<std::string, std::vector<Search>>& inside) {
    auto wanted = inside.extract(step);
    if (!wanted.empty()) {
      visit(value, key, std::move(wanted.mapped()));
    } else if (opens(value)) {
      scanner_.skip_rest();
    }
  }

  std::string_view text_;
  Scanner scanner_;
};

}  // namespace

std::vector<TextRange> located(std::string_view text, std::span<const Pointed> wanted) {
  std::vector<TextRange> ranges(wanted.size());
  std::vector<Search> searches;
  for (std::size_t i = 0; i < wanted.size(); ++i) searches.push_back({wanted[i].pointer, wanted[i].at_key, &ranges[i]});
  if (!searches.empty()) Walk(text).find(std::move(searches));
  return ranges;
}

}  // namespace attn
