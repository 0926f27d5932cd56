#include "explain/reports/worksheet.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/rounding.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/picked.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "exports/blank_answers.h"
#include "problem/faults.h"
#include "reading/json/json.h"
#include "reading/problem/problem.h"

namespace attn {
namespace {

// More boxes than on some pages are worth a word, and more than in a book are a mistake.
constexpr std::size_t boxes_of_a_page = 90, many_boxes = 1000, most_boxes = 20'000;

struct SheetOptions {
  std::string file;
  std::vector<std::string> blank;
  std::string seed, digits, batch, head, query, part, layer;
  bool fade = false, key = false;
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

// A sheet is of paper: what is drawn or computed with is no place to write on.
Rendering understood_of_paper(const SheetOptions& options) {
  Rendering plan = understood(options.rendering);
  for (const Target& target : plan.targets) {
    if (target.name() != "svg") continue;
    throw Refusal("svg draws figures, and a worksheet is to be written on",
                  "say --format html, latex, markdown or text")
        .at({"--format"});
  }
  plan.look.full = true;
  plan.look.settings["standalone"] = "";  // a handout, not a piece of one
  return plan;
}

Blanks blanks_of(const SheetOptions& options, Computation& computation) {
  Blanks blanks;
  const auto names = [&](const char* word) { return std::ranges::count(options.blank, word) > 0; };
  if (options.fade && !options.blank.empty()) {
    throw Refusal("--fade and --blank both say what is blank", "give the one or the other").at({"--fade"});
  }
  if ((names("all") || names("some")) && options.blank.size() > 1) {
    throw Refusal("--blank " + listed(options.blank) + " says two things",
                  "say all, or some, or the steps: --blank scores,context")
        .at({"--blank"});
  }
  if (options.fade) {
    blanks.kind = Blanks::Kind::faded;
  } else if (names("some")) {
    blanks.kind = Blanks::Kind::half;
  } else if (!options.blank.empty() && !names("all")) {
    blanks.kind = Blanks::Kind::named;
    blanks.steps = picked_steps(options.blank, computation);
  }
  if (!options.seed.empty()) {
    if (blanks.kind != Blanks::Kind::half) {
      throw Refusal("--seed draws which half is blank, and --blank some is not given", "leave --seed out")
          .at({"--seed"});
    }
    blanks.seed = whole_number("--seed", options.seed, "seed", 0);
  }
  return blanks;
}

int digits_of(const SheetOptions& options, const Problem& problem) {
  if (!options.digits.empty()) {
    return static_cast<int>(whole_number("--digits", options.digits, "number of decimals", 0, 15));
  }
  if (const auto& by_hand = problem.arithmetic.hand_rounding) return by_hand->decimals;
  return problem.digits.value_or(digits_unless_said);
}

void refuse_fading(const SheetOptions& options, const Problem& problem) {
  if (!options.fade) return;
  if (!options.query.empty()) {
    throw Refusal("--fade goes from query to query, and --query picks one", "leave one of them out").at({"--query"});
  }
  if (problem.attention().query_count < 2) {
    throw Refusal("--fade works the first query out, and there is no other", "say --blank some").at({"--fade"});
  }
}

// Refuses blanks in what is given.
void refuse_given(const Blanks& blanks, const Trace& trace) {
  for (const std::string& id : blanks.steps) {
    if (!std::holds_alternative<Given>(trace.find(id)->op)) continue;
    throw Refusal("`" + id + "` is given: there is nothing to work out",
                  "the steps to work out are " + listed(steps_to_work_out(trace)))
        .at({"--blank"});
  }
}

std::size_t numbers_to_work_out(const Recipe& recipe) {
  std::size_t numbers = 0;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    if (!std::holds_alternative<Given>(recipe.instruction(line).op)) numbers += recipe.shape(line).count();
  }
  return numbers;
}

void check_size(std::size_t boxes, const Blanks& blanks) {
  if (boxes == 0) {
    throw Refusal(blanks.kind == Blanks::Kind::named ? "none of the steps that --blank names is on this sheet"
                                                     : "there is nothing to work out on this sheet",
                  "attn run shows the steps that there are")
        .at({"--blank"});
  }
  const char* less = "--blank names steps, and --query, --head, --part pick what is on it";
  if (boxes > most_boxes) {
    throw Refusal(
        fmt::format("this sheet would have {} boxes, which is about {} pages", boxes, boxes / boxes_of_a_page), less)
        .at({});
  }
  if (boxes > many_boxes) {
    say(fmt::format("attn: note: this sheet has {} boxes, on about {} pages; {}\n", boxes, boxes / boxes_of_a_page,
                    less));
  }
}

// What an author says of the numbers is not for those who work them out.
void tell_hidden(const Worksheet& sheet, const Problem& problem) {
  std::vector<std::string> hidden = sheet.answers_in(problem.title, true);
  for (const std::string& line : problem.remarks) std::ranges::move(sheet.answers_in(line), std::back_inserter(hidden));
  if (hidden.empty()) return;
  say("attn: note: the title or the notes of the problem say numbers of the answers (" + listed(hidden) +
      "); the sheet has ___ in their place\n");
}

void SheetOptions::declare(CommandLine& line) {
  line.add_option("FILE", file, "a problem, or - for standard input", {.is_required = true});
  line.begin_group("What is blank");
  line.add_option(
      "--blank", blank,
      "all numbers, some (every other one), or those of steps, by their ids or symbols; the others are shown",
      {.value = "all|some|STEP,STEP", .is_single = true, .splits_commas = true});
  line.add_option("--seed", seed, "of --blank some: draw which half", {.value = "N"});
  line.add_flag("--fade", fade, "the first query worked out, half of the second blank, and all of the rest");
  line.add_flag("--key", key, "the same sheet with the numbers");
  line.begin_group("What is on it");
  line.add_option("--digits", digits, "decimals that answers have; else what the problem says, or 2", {.value = "N"});
  line.add_option("--batch", batch, "only this sequence, counted from 1", {.value = "I"});
  line.add_option("--head", head, "only this head", {.value = "I"});
  line.add_option("--query", query, "only this query", {.value = "I"});
  line.add_option("--part", part, "of a block only this: layer1.self, layer1.ffn, or all of layer1", {.value = "PART"});
  line.add_option("--layer", layer, "of a block only this layer", {.value = "N"});
  rendering.declare(line, RenderOptions::Shows::numbers);
  computing.declare(line);
}

Exit SheetOptions::run() const {
  const Rendering plan = understood_of_paper(*this);
  const std::string text = text_of(file, rendering.color_of_errors());
  const Problem problem = open_problem_text(text, file, computing, rendering.color_of_errors());
  Computation computation(problem);
  WorksheetOptions options{.blanks = blanks_of(*this, computation),
                           .person = owner_of_problem(parse_json(text).value().root),
                           .is_key = key,
                           .digits = digits_of(*this, problem),
                           .precision = plan.precision,
                           .to_work_out = {},
                           .parts = picked_parts(part, layer, computation.recipe())};
  refuse_fading(*this, problem);
  const Attention& attention = problem.attention();
  options.batch = picked_index("--batch", batch, attention.batch, "sequences");
  options.head = picked_index("--head", head, heads_told(computation.recipe(), options.parts), "heads");
  options.query = picked_index("--query", query, queries_told(computation.recipe(), options.parts), "queries");

  // A sheet of all of it has about as many boxes as there are numbers to work out: they need not be computed to know.
  const bool is_of_all = options.blanks.kind == Blanks::Kind::all && batch.empty() && head.empty() && query.empty() &&
                         options.parts.empty();
  const std::size_t numbers = is_of_all ? numbers_to_work_out(computation.recipe()) : 0;
  if (numbers > 100 * most_boxes) check_size(numbers, options.blanks);
  const Trace trace = compute(computation, computing);
  refuse_given(options.blanks, trace);
  options.to_work_out = steps_to_work_out(trace);
  const Worksheet sheet(trace, options);
  check_size(sheet.boxes(), options.blanks);
  if (!key) tell_hidden(sheet, problem);
  return write_out(plan, [&] { return sheet.document(); });
}

}  // namespace

Command worksheet_command() {
  return command<SheetOptions>({.name = "worksheet",
                                .summary = "Print a problem with blanks, or its key",
                                .group = "Teach a class",
                                .examples = {"attn worksheet data/worked-example.json -o sheet.html -o sheet.tex",
                                             "attn worksheet data/worked-example-causal.json --fade --key"}});
}

}  // namespace attn
