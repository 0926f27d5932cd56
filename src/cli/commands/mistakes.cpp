#include "exports/mistakes.h"

#include <memory>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/render.h"
#include "explain/reports/catalogue.h"
#include "mistakes/mistake.h"

namespace attn {
namespace {

struct MistakesOptions {
  std::string id;
  RenderOptions rendering;
};

Exit complain_of_id(const std::string& id) {
  std::vector<std::string> known;
  for (const Mistake* mistake : all_mistakes()) known.push_back(mistake->id);
  return complain("no mistake is called `" + id + "`" + did_you_mean(id, known), "attn mistakes lists them all");
}

Exit list_mistakes(const MistakesOptions& options) {
  Rendering rendering;
  if (const auto wrong = understand(options.rendering, json_alone(), rendering)) return *wrong;
  const Mistake* one = options.id.empty() ? nullptr : mistake_named(options.id);
  if (!options.id.empty() && !one) return complain_of_id(options.id);
  return write_out(rendering, [&](const Target& target) {
    if (!target.format) return one ? mistake_json(*one) : catalogue_json();
    return rendered(one ? told_mistake(*one) : told_catalogue(), target, rendering);
  });
}

}  // namespace

Command mistakes_command() {
  return {.name = "mistakes",
          .summary = "List the mistakes that check knows, or tell about one",
          .declare = [](CommandLine& line) {
            const auto options = std::make_shared<MistakesOptions>();
            line.add_option("ID", options->id, "one of them, as scale.none");
            options->rendering.declare_formats(line, json_alone());
            return [options] { return list_mistakes(*options); };
          }};
}

}  // namespace attn
