#include "explain/reports/listing.h"

#include "words/language.h"

namespace attn {

Document told_listings(std::span<const Listing> listings) {
  Document document;
  if (listings.size() > 1) document.blocks.emplace_back(Headline{1, {language().telling.what_there_is}});
  for (const Listing& listing : listings) {
    document.blocks.emplace_back(Headline{listings.size() > 1 ? 2 : 1, {listing.title}});
    document.blocks.emplace_back(Prose{{listing.where}});
    Table table;
    for (const Listed& row : listing.rows) table.rows.push_back({{row.name}, {row.summary}});
    document.blocks.emplace_back(std::move(table));
  }
  return document;
}

}  // namespace attn
