#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/options.h"
#include "cli/render.h"
#include "compare/conventions/convention.h"
#include "explain/reports/lists.h"
#include "exports/export.h"
#include "exports/json.h"
#include "files/tensor_file.h"
#include "formats/format.h"
#include "mistakes/mistake.h"
#include "model/attention.h"
#include "model/masks/mask.h"

namespace attn {
namespace {

// The rows of a table, by what names and what summarises one.
template <class Rows, class Name, class Summary>
std::vector<Listed> rows_of(const Rows& table, Name name, Summary summary) {
  std::vector<Listed> rows;
  for (const auto& row : table)
    rows.push_back({std::string(std::invoke(name, row)), std::string(std::invoke(summary, row))});
  return rows;
}

template <class Rows>
std::vector<Listed> rows_of(const Rows& table) {
  return rows_of(
      table, [](const auto& row) { return row.name; }, [](const auto& row) { return row.summary; });
}

// Everything, from the tables themselves.
std::vector<Listing> listings() {
  const Catalog known = catalog();
  return {
      {"scores", "Scores", "How a query and a key are compared: the key `score` of a problem.", rows_of(known.scores)},
      {"positions", "Positions", "How positions enter: the key `positions` of a problem.", rows_of(known.positions)},
      {"masks", "Masks", "What closes cells of the scores, or adds to them: keys of a problem.",
       rows_of(
           masks(), [](const Mask& mask) { return mask.spec.name; },
           [](const Mask& mask) { return mask.spec.summary; })},
      {"softmaxes", "Softmax", "How scores become weights: the key `softmax` of a problem.", rows_of(known.softmaxes)},
      {"norms", "Norms", "How a block normalizes vectors: its key `norm_type`.", rows_of(known.norms)},
      {"activations", "Activations",
       "What stands between the two products of a network: the key `activation` of a block.",
       rows_of(known.activations)},
      {"formats", "Formats for people", "What --format takes, and -o by the ending of its file.", rows_of(formats())},
      {"exports", "Formats for programs", "What --format takes as well, and -o by the ending of its file.",
       rows_of(exports())},
      {"files", "Files of tensors", "Where a tensor of a problem may stand: {\"file\": \"x.npy\"}.",
       rows_of(tensor_readers(), &Reader::ending, &Reader::summary)},
      {"mistakes", "Mistakes", "What attn check knows people to do; attn mistakes ID tells about one.",
       rows_of(all_mistakes(), &Mistake::id, [](const Mistake* mistake) { return mistake->words.what.text(); })},
      {"conventions", "Conventions", "What attn diff knows programs to differ in, besides the mistakes.",
       rows_of(conventions(), &Convention::id, &Convention::what)},
  };
}

struct ListOptions {
  std::string what;
  RenderOptions rendering;

  void declare(CommandLine& line) {
    line.add_option("WHAT", what, "one table of them", {.choices = names_of(listings())});
    rendering.declare(line, RenderOptions::Shows::words, json_alone());
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
  return command<ListOptions>({.name = "list",
                               .summary = "List what there is: scores, positions, masks, softmaxes, formats, mistakes",
                               .group = "Look up",
                               .examples = {"attn list positions"}});
}

}  // namespace attn
