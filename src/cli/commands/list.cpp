#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/options.h"
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

std::vector<Listed> all_mistakes() {
  std::vector<Listed> rows;
  for (const Family& family : families()) {
    for (const Mistake& mistake : family.mistakes) rows.push_back({mistake.id, mistake.words.what});
  }
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
      {"mistakes", "Mistakes", "What attn check knows people to do; attn mistakes ID tells about one.", all_mistakes()},
      {"conventions", "Conventions", "What attn diff knows programs to differ in, besides the mistakes.",
       all_conventions()},
  };
}

struct ListOptions {
  std::string what;
  RenderOptions rendering;

  void declare(CommandLine& line) {
    line.add_option("WHAT", what, "one table of them: scores, positions, …");
    rendering.declare_formats(line, json_alone());
  }
  Exit run() const {
    const Rendering plan = understood(rendering, json_alone());
    std::vector<Listing> all = listings();
    if (!what.empty()) {
      const auto found = std::ranges::find(all, what, &Listing::name);
      if (found == all.end()) {
        const std::vector<std::string> names = names_of(all);
        throw unknown("there is no list of", what, names,
                      "attn list lists everything; one table is one of " + listed(names));
      }
      all = {Listing(*found)};
    }
    return write_out(
        plan, [&] { return told_listings(all); }, [&] { return listings_json(all); });
  }
};

}  // namespace

Command list_command() {
  return command<ListOptions>("list", "List what there is: scores, positions, masks, softmaxes, formats, mistakes");
}

}  // namespace attn
