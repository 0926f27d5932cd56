#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/render.h"
#include "compare/conventions/convention.h"
#include "explain/reports/listing.h"
#include "exports/export.h"
#include "exports/listing.h"
#include "files/reader.h"
#include "formats/format.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "model/masks/mask.h"

namespace attn {
namespace {

struct ListOptions {
  std::string what;
  RenderOptions rendering;
};

std::vector<Listed> all_masks() {
  std::vector<Listed> rows;
  for (const Mask& mask : masks()) rows.push_back({mask.spec.name, mask.spec.summary});
  return rows;
}

// Rows of any table whose rows have a name and a summary.
template <class Rows>
std::vector<Listed> named_rows(const Rows& table) {
  std::vector<Listed> rows;
  for (const auto& row : table) rows.push_back({std::string(row.name), std::string(row.summary)});
  return rows;
}

std::vector<Listed> known_mistakes() {
  std::vector<Listed> rows;
  for (const Mistake* mistake : all_mistakes()) rows.push_back({mistake->id, mistake->words.what});
  return rows;
}

std::vector<Listed> all_conventions() {
  std::vector<Listed> rows;
  for (const Convention& convention : conventions()) rows.push_back({convention.id, convention.what});
  return rows;
}

std::vector<Listed> tensor_files() {
  std::vector<Listed> rows;
  for (const Reader& reader : tensor_readers()) rows.push_back({reader.ending, reader.summary});
  return rows;
}

// Everything, from the tables themselves.
std::vector<Listing> listings() {
  const Catalog known = catalog();
  return {
      {"scores", "Scores", "How a query and a key are compared: the key `score` of a problem.",
       named_rows(known.scores)},
      {"positions", "Positions", "How positions enter: the key `positions` of a problem.", named_rows(known.positions)},
      {"masks", "Masks", "What closes cells of the scores, or adds to them: keys of a problem.", all_masks()},
      {"softmaxes", "Softmax", "How scores become weights: the key `softmax` of a problem.",
       named_rows(known.softmaxes)},
      {"formats", "Formats for people", "What --format takes, and -o by the ending of its file.",
       named_rows(formats())},
      {"exports", "Formats for programs", "What --format takes as well, and -o by the ending of its file.",
       named_rows(exports())},
      {"files", "Files of tensors", "Where a tensor of a problem may stand: {\"file\": \"x.npy\"}.", tensor_files()},
      {"mistakes", "Mistakes", "What attn check knows people to do; attn mistakes ID tells about one.",
       known_mistakes()},
      {"conventions", "Conventions", "What attn diff knows programs to differ in, besides the mistakes.",
       all_conventions()},
  };
}

Exit complain_of_word(const std::string& typed, const std::vector<Listing>& all) {
  std::vector<std::string> names;
  for (const Listing& one : all) names.push_back(one.name);
  return complain("there is no list of `" + typed + "`" + did_you_mean(typed, names),
                  "attn list lists everything; one table is one of " + listed(names));
}

Exit list(const ListOptions& options) {
  Rendering rendering;
  if (const auto wrong = understand(options.rendering, json_alone(), rendering)) return *wrong;
  std::vector<Listing> all = listings();
  if (!options.what.empty()) {
    const auto one = std::ranges::find(all, options.what, &Listing::name);
    if (one == all.end()) return complain_of_word(options.what, all);
    all = {Listing(*one)};
  }
  return write_out(rendering, [&](const Target& target) {
    return target.format ? rendered(told_listings(all), target, rendering) : listings_json(all);
  });
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "List what there is: scores, positions, masks, softmaxes, formats, mistakes",
          .declare = [](CommandLine& line) {
            const auto options = std::make_shared<ListOptions>();
            line.add_option("WHAT", options->what, "one table of them: scores, positions, …");
            options->rendering.declare_formats(line, json_alone());
            return [options] { return list(*options); };
          }};
}

}  // namespace attn
