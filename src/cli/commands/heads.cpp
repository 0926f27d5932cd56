#include "explain/reports/heads.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "exports/json.h"
#include "problem/faults.h"

namespace attn {
namespace {

// In the order of Look.
const std::vector<std::string> look_names = {"itself", "previous", "next", "first", "pair"};

struct HeadsOptions {
  std::string file, pair, by, top = "5", batch;
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

// The token that is called so, or has that number; of several the one that stands first.
std::optional<std::size_t> find_token(const std::string& typed, const std::vector<std::string>& tokens) {
  auto found = std::ranges::find(tokens, typed);
  if (found == tokens.end()) found = std::ranges::find(tokens, "“" + typed + "”");  // one that looks like padding
  if (found != tokens.end()) return static_cast<std::size_t>(found - tokens.begin());
  std::size_t number = 0;
  if (parse_natural(typed, number) && number >= 1 && number <= tokens.size()) return number - 1;
  return std::nullopt;
}

// Both of one list: there are several where a decoder stands behind an encoder.
TokenPair find_pair(const std::string& typed, const std::vector<std::vector<std::string>>& lists) {
  const std::size_t comma = typed.find(',');
  if (comma == std::string::npos)
    throw Refusal("`" + shown(typed) + "` is no pair of tokens", "--pair it,animal").at({"--pair", typed});
  const std::array<std::string, 2> names = {typed.substr(0, comma), typed.substr(comma + 1)};
  std::vector<std::string> all;
  for (const std::vector<std::string>& tokens : lists) {
    const auto query = find_token(names[0], tokens), key = find_token(names[1], tokens);
    if (query && key) return {tokens, *query, *key};
    all.insert(all.end(), tokens.begin(), tokens.end());
  }
  const auto is_in_some = [&](const std::string& name) {
    return std::ranges::any_of(
        lists, [&](const std::vector<std::string>& tokens) { return find_token(name, tokens).has_value(); });
  };
  if (is_in_some(names[0]) && is_in_some(names[1]))
    throw Refusal("`" + shown(names[0]) + "` and `" + shown(names[1]) + "` are tokens of different sequences",
                  "no head to its own tokens looks from one to the other")
        .at({"--pair", typed});
  const std::string& missing = names[is_in_some(names[0]) ? 1 : 0];
  throw unknown("no token is called", missing, all, "the tokens are " + listed(all)).at({"--pair", missing});
}

void HeadsOptions::declare(CommandLine& line) {
  line.add_option("FILE", file, "a problem, or - for standard input", {.is_required = true});
  line.begin_group("What is ranked");
  line.add_option("--pair", pair, "also how much of one token's attention goes to another: it,animal, or 11,2",
                  {.value = "QUERY,KEY"});
  line.add_option("--by", by, "only by one kind of look", {.value = "LOOK", .choices = look_names});
  line.add_option("--top", top, "so many heads of each kind", {.value = "N", .shows_default = true});
  line.add_option("--batch", batch, "of this sequence, counted from 1; else of the first", {.value = "I"});
  rendering.declare(line, RenderOptions::Shows::words, json_and_csv());
  computing.declare(line);
}

Exit HeadsOptions::run() const {
  const Rendering plan = understood(rendering, json_and_csv());
  HeadsTold told{.top = whole_number("--top", top, "number of heads", 1)};
  if (!by.empty()) told.by = static_cast<Look>(choice("--by", by, look_names));
  if (told.by == Look::pair && pair.empty()) {
    throw Refusal("nothing says which pair", "give --pair it,animal").at({"--by", by});
  }
  const Problem problem = open_problem(file, computing, plan.color);
  const Attention& attention = problem.attention();
  if (!batch.empty()) told.sequence = whole_number("--batch", batch, "sequence", 1, attention.batch) - 1;
  Computation computation(problem);
  const std::vector<StepId> weights = weights_of_heads(computation.recipe());
  if (weights.empty())
    throw Refusal("no attention of this problem attends to its own tokens", "give a problem that has one");
  computation.leave_out_statement();
  computation.keep_only(weights);

  std::optional<TokenPair> found;
  if (!pair.empty()) {
    found = find_pair(pair, tokens_of_heads(computation.recipe(), {attention.query_labels, attention.key_labels},
                                            attention.own_queries, told.sequence));
  }
  const Trace trace = compute(computation, computing);
  const HeadsReport report = heads_of(trace, told.sequence, found);
  return hand_out(plan, [&](const Target& target, Sink& sink) {
    sink.write(target.format            ? rendered(told_heads(trace, report, told), target, plan)
               : target.name() == "csv" ? heads_csv(report)
                                        : heads_json(report));
  });
}

}  // namespace

Command heads_command() {
  return command<HeadsOptions>(
      {.name = "heads",
       .summary = "Rank the heads of a model by where they look",
       .group = "See every number",
       .examples = {"attn heads data/induction.json", "attn heads data/induction.json --pair 7,4"}});
}

}  // namespace attn
