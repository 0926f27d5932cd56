#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hashed_places.h"

namespace attn {

// The tokens of a model as it spells them, and their ids. Of a file there may be millions, which are short: one takes
// 20 bytes beside its spelling.
class Vocabulary {
 public:
  // In place of the id of a token that cannot be read: it keeps its place, and is no token.
  static constexpr std::size_t passed_over = 0xFFFF'FFFF;

  // Adds a token; it is not found before index() was called. REQUIRES: all spellings together take less than 4 GiB, and
  // ids 32 bits.
  void add(std::string_view spelling, std::size_t id);

  // To be called behind the last token. The tokens, by their places in the order in which they were added, of
  // which the spelling or the id was there before; where there are any, nothing else should be asked.
  std::vector<std::size_t> index();

  // The least id that no token has, where ids are not all from 0 on.
  std::optional<std::size_t> left_out() const;

  std::optional<std::size_t> id(std::string_view spelling) const;

  // Nothing where no token has that id. REQUIRES: none is left out.
  std::optional<std::string_view> spelling(std::size_t id) const;

  // Calls `action` with every spelling and its id, in the order in which they were added.
  template <class Action>
  void for_each(Action action) const {
    for (std::size_t place = 0; place < size(); ++place) action(spelling_at(place), std::size_t{ids_[place]});
  }

  std::size_t size() const { return ids_.size(); }
  std::string_view spelling_at(std::size_t place) const;

 private:
  std::string letters_;                 // of all spellings
  std::vector<std::uint32_t> ends_;     // there, of each place
  std::vector<std::uint32_t> ids_;      // of each place
  std::vector<std::uint32_t> with_id_;  // the place that has each id
  HashedPlaces by_hash_;
};

// What a model knows, and what was added to it behind.
class AllTokens {
 public:
  AllTokens() = default;
  explicit AllTokens(std::shared_ptr<const Vocabulary> model) : model_(std::move(model)) {}

  // The id of a token that is added: that of the same spelling where there is one, and else the next.
  std::size_t add(const std::string& spelling);

  std::optional<std::size_t> id(std::string_view spelling) const;
  std::optional<std::string_view> spelling(std::size_t id) const;
  std::size_t size() const { return model_->size() + added_.size(); }

 private:
  std::shared_ptr<const Vocabulary> model_ = std::make_shared<const Vocabulary>();
  std::vector<std::string> added_;  // their ids follow those of the model
  std::map<std::string, std::size_t, std::less<>> ids_of_added_;
};

}  // namespace attn
