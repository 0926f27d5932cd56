#include <string>

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
    line.add_option("ID", id, "one of them, as scale.none");
    rendering.declare_formats(line, json_alone());
  }
  Exit run() const {
    const Rendering plan = understood(rendering, json_alone());
    const Mistake* one = id.empty() ? nullptr : mistake_named(id);
    if (!id.empty() && !one) {
      throw unknown("no mistake is called", id, names_of(all_mistakes(), &Mistake::id), "attn mistakes lists them all");
    }
    return write_out(
        plan, [&] { return one ? told_mistake(*one) : told_catalogue(); },
        [&] { return one ? mistake_json(*one) : catalogue_json(); });
  }
};

}  // namespace

Command mistakes_command() {
  return command<MistakesOptions>("mistakes", "List the mistakes that check knows, or tell about one");
}

}  // namespace attn
