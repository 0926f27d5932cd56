#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/render.h"
#include "explain/reports/lists.h"
#include "exports/json.h"
#include "mistakes/mistake.h"

namespace attn {
namespace {

struct MistakesOptions {
  std::string id;
  RenderOptions rendering;

  void declare(CommandLine& line) {
    line.add_option("ID", id, "one of them, as scale.none, or a family, as scale");
    rendering.declare(line, RenderOptions::Shows::words, json_alone());
  }
  Exit run() const {
    const Rendering plan = understood(rendering, json_alone());
    if (const Mistake* one = id.empty() ? nullptr : mistake_named(id)) {
      return write_out(
          plan, [&] { return told_mistake(*one); }, [&] { return mistake_json(*one); });
    }
    // "scale" is all that are called scale.…
    std::vector<const Mistake*> some;
    std::ranges::copy_if(all_mistakes(), std::back_inserter(some),
                         [&](const Mistake* one) { return id.empty() || one->id.starts_with(id + "."); });
    if (some.empty()) {
      throw unknown("no mistake is called", id, names_of(all_mistakes(), &Mistake::id), "attn mistakes lists them all");
    }
    return write_out(
        plan, [&] { return told_catalogue(some); }, [&] { return catalogue_json(some); });
  }
};

}  // namespace

Command mistakes_command() {
  return command<MistakesOptions>({.name = "mistakes",
                                   .summary = "List the mistakes that check knows, or tell about some",
                                   .group = "Mark",
                                   .examples = {"attn mistakes scale", "attn mistakes softmax.columns"}});
}

}  // namespace attn
