#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "formats/latex/blocks.h"
#include "formats/latex/math.h"

namespace attn {
namespace {

bool begins_part(const Block& block) {
  const auto* headline = std::get_if<Headline>(&block);
  return headline && headline->level <= 2;
}

// What the matrices up to the next headline are called.
std::vector<std::string> names_from(const std::vector<Block>& blocks, std::size_t begin) {
  std::vector<std::string> names;
  for (std::size_t i = begin; i < blocks.size() && !begins_part(blocks[i]); ++i) {
    if (const auto* matrix = std::get_if<Matrix>(&blocks[i])) names.push_back(latex_short_title(matrix->title));
  }
  return names;
}

// Whether the next matrix is of the same step, at another place.
bool goes_on(const std::vector<Block>& blocks, std::size_t at) {
  const auto* next = at + 1 < blocks.size() ? std::get_if<Matrix>(&blocks[at + 1]) : nullptr;
  return next && !next->place.empty() && next->step == std::get<Matrix>(blocks[at]).step;
}

}  // namespace

std::string latex_short_title(const std::string& title) { return title.substr(0, title.find_first_of(":,;(")); }

std::string latex_titles(const std::vector<std::string>& names) {
  constexpr double widest = 300;
  std::vector<std::string> each;
  for (const std::string& name : names) {
    if (!name.empty() && std::ranges::find(each, name) == each.end()) each.push_back(name);
  }
  std::string list;
  for (const std::string& name : each) list += (list.empty() ? "" : ", ") + name;
  return latex_text_width(list) <= widest ? list : each.front() + " – " + each.back();
}

std::vector<Block> latex_headed(const std::vector<Block>& blocks) {
  std::vector<Block> all;
  std::string where;       // as the last headline says
  bool is_of_one = false;  // the headline is that of one step: its matrices have no titles
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (const auto* headline = std::get_if<Headline>(&blocks[i])) {
      where = headline->level > 2 ? plain(headline->text) : "";
      if (headline->level <= 2) is_of_one = false;
    }
    const auto* matrix = std::get_if<Matrix>(&blocks[i]);
    if (matrix && is_of_one && !matrix->title.empty()) {
      all.push_back(Headline{2, {latex_titles(names_from(blocks, i))}});
      where.clear();
      is_of_one = false;
    }
    is_of_one = is_of_one || (matrix && matrix->title.empty());
    all.push_back(blocks[i]);
    if (matrix && matrix->place.empty() && goes_on(blocks, i)) std::get<Matrix>(all.back()).place = where;
  }
  return all;
}

}  // namespace attn
