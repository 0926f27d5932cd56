#include "tokenizers/vocabulary.h"

#include <algorithm>

namespace attn {
namespace {

constexpr std::uint32_t no_place = ~std::uint32_t{0};

}  // namespace

void Vocabulary::add(std::string_view spelling, std::size_t id) {
  letters_ += spelling;
  ends_.push_back(static_cast<std::uint32_t>(letters_.size()));
  ids_.push_back(static_cast<std::uint32_t>(id));
}

std::string_view Vocabulary::spelling_at(std::size_t place) const {
  const std::size_t begin = place == 0 ? 0 : ends_[place - 1];
  return std::string_view(letters_).substr(begin, ends_[place] - begin);
}

std::vector<std::size_t> Vocabulary::index() {
  std::vector<std::size_t> repeated;
  by_hash_ = {};
  by_hash_.reserve(size());
  with_id_.assign(size(), no_place);
  for (std::uint32_t place = 0; place < size(); ++place) {
    if (ids_[place] == passed_over) continue;
    by_hash_.add(short_hash(spelling_at(place)), place);
    if (ids_[place] >= size()) continue;
    std::uint32_t& with_id = with_id_[ids_[place]];
    if (with_id != no_place) repeated.push_back(place);
    if (with_id == no_place) with_id = place;
  }
  by_hash_.put_in_order([&](std::uint32_t place) { return spelling_at(place); },
                        [&](std::uint32_t place) { repeated.push_back(place); });
  by_hash_.find_buckets();
  std::ranges::sort(repeated);
  repeated.erase(std::unique(repeated.begin(), repeated.end()), repeated.end());
  return repeated;
}

std::optional<std::size_t> Vocabulary::left_out() const {
  const auto none = std::ranges::find(with_id_, no_place);
  return none == with_id_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(none - with_id_.begin()));
}

std::optional<std::size_t> Vocabulary::id(std::string_view spelling) const {
  const auto place = by_hash_.find(spelling, [&](std::uint32_t at) { return spelling_at(at); });
  return place ? std::optional<std::size_t>(ids_[*place]) : std::nullopt;
}

std::optional<std::string_view> Vocabulary::spelling(std::size_t id) const {
  return id < with_id_.size() ? std::optional(spelling_at(with_id_[id])) : std::nullopt;
}

std::size_t AllTokens::add(const std::string& spelling) {
  if (const auto known = id(spelling)) return *known;
  const std::size_t next = size();
  added_.push_back(spelling);
  ids_of_added_.emplace(spelling, next);
  return next;
}

std::optional<std::size_t> AllTokens::id(std::string_view spelling) const {
  if (const auto of_model = model_->id(spelling)) return of_model;
  const auto found = ids_of_added_.find(spelling);
  return found == ids_of_added_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string_view> AllTokens::spelling(std::size_t id) const {
  if (id < model_->size()) return model_->spelling(id);
  return id < size() ? std::optional<std::string_view>(added_[id - model_->size()]) : std::nullopt;
}

}  // namespace attn
