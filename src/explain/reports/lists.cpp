#include "explain/reports/lists.h"

#include <algorithm>

#include "words/language.h"

namespace attn {

Document told_listings(std::span<const Listing> listings) {
  Document document;
  if (listings.size() > 1) document.add(Headline{1, {language().telling.what_there_is}});
  for (const Listing& listing : listings) {
    document.add(Headline{listings.size() > 1 ? 2 : 1, {listing.title}});
    document.add(Prose{{listing.where}});
    Table table;
    for (const Listed& row : listing.rows) table.rows.push_back({{row.name}, {row.summary}});
    document.add(std::move(table));
  }
  return document;
}

Document told_catalogue(std::span<const Mistake* const> mistakes) {
  const TellingWords& said = language().telling;
  Document document{{Headline{1, {said.known_mistakes}}}};
  for (const Family& family : families()) {
    bool has_title = false;
    for (const Mistake& mistake : family.mistakes) {
      if (std::ranges::find(mistakes, mistake.id, &Mistake::id) == mistakes.end()) continue;
      if (!has_title) document.add(Headline{2, {family.title}});
      has_title = true;
      document.add(Prose{{said.mistake(mistake.id, mistake.words.what, mistake.words.example)}});
    }
  }
  return document;
}

Document told_mistake(const Mistake& mistake) {
  const TellingWords& said = language().telling;
  const Said kinds[] = {said.a_mistake, said.a_convention, said.a_note};
  return {{Headline{1, {mistake.id}}, Prose{{said.looks_as_if(mistake.words.what)}},
           Prose{{said.for_example(mistake.words.example)}}, Prose{{said.what_to_do(mistake.words.hint)}},
           Prose{{kinds[static_cast<std::size_t>(mistake.kind)]}}}};
}

}  // namespace attn
