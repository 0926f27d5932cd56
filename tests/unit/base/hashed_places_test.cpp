#include "base/hashed_places.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "catch.h"

namespace attn {
namespace {

// Texts of two letters, so that many are there more than once.
std::vector<std::string> short_texts(std::size_t count) {
  Random random(7);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.emplace_back();
    for (std::int64_t bits = random.integer(1, 511); bits > 1; bits /= 2) texts.back() += bits % 2 == 0 ? 'a' : 'b';
  }
  return texts;
}

}  // namespace

TEST_CASE("texts that are there again are told, however few hashes there are") {
  const std::vector<std::string> texts = short_texts(2'000);
  std::set<std::size_t> expected;
  std::map<std::string, std::size_t> first;
  for (std::size_t place = 0; place < texts.size(); ++place) {
    if (!first.emplace(texts[place], place).second) expected.insert(place);
  }
  REQUIRE(expected.size() > 100);
  REQUIRE(first.size() > 100);
  for (const std::uint32_t hashes : {1U, 3U, 1000U, 0U}) {
    CAPTURE(hashes);
    HashedPlaces hashed;
    for (std::uint32_t place = 0; place < texts.size(); ++place) {
      const std::uint32_t hash = short_hash(texts[place]);
      hashed.add(hashes == 0 ? hash : hash % hashes, place);
    }
    std::set<std::size_t> repeated;
    hashed.put_in_order([&](std::uint32_t place) -> std::string_view { return texts[place]; },
                        [&](std::uint32_t place) { CHECK(repeated.insert(place).second); });
    CHECK(repeated == expected);
    CHECK(std::ranges::is_sorted(hashed.in_order(), [&](const HashedPlace& one, const HashedPlace& other) {
      return one.hash != other.hash ? one.hash < other.hash : texts[one.place] < texts[other.place];
    }));
  }
}

TEST_CASE("of few texts and of many each is found, and no other") {
  for (const std::uint32_t count : {0U, 1U, 15U, 16U, 17U, 40'000U}) {
    CAPTURE(count);
    std::vector<std::string> texts;
    HashedPlaces hashed;
    for (std::uint32_t place = 0; place < count; ++place) {
      texts.push_back(std::to_string(place));
      hashed.add(short_hash(texts.back()), place);
    }
    const auto spelled = [&](std::uint32_t place) -> std::string_view { return texts[place]; };
    hashed.put_in_order(spelled, [](std::uint32_t) { FAIL("none is there twice"); });
    for (const bool has_buckets : {false, true}) {
      CAPTURE(has_buckets);
      if (has_buckets) hashed.find_buckets();
      std::size_t found = 0, found_of_others = 0;
      for (std::uint32_t place = 0; place < count; ++place) {
        if (hashed.find(texts[place], spelled) == place) ++found;
      }
      for (std::uint32_t other = count; other < count + 1'000; ++other) {
        if (hashed.find(std::to_string(other), spelled)) ++found_of_others;
      }
      CHECK(found == count);
      CHECK(found_of_others == 0);
    }
  }
}

}  // namespace attn
