#include "cli/view.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <unistd.h>
#include <utility>

#include <fmt/core.h>

#include "base/sink.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/lecture.h"
#include "cli/options.h"
#include "cli/picked.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "explain/place.h"
#include "explain/telling/asked.h"
#include "explain/telling/steps.h"
#include "explain/telling/why.h"
#include "exports/export.h"
#include "model/computation.h"
#include "problem/faults.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {
namespace {

const std::vector<std::string> level_names = {"result", "steps", "rows", "cells"};  // as Level has them

// What the options mean, once they are known to mean something.
struct ViewPlan {
  Rendering rendering;
  ExplainOptions explaining;
  std::size_t most_bytes = 0;                    // that what is told may take
  std::vector<std::string> steps_of_parts = {};  // of the parts that are asked for
};

// Their steps.
std::vector<std::string> steps_of_parts(const std::vector<std::size_t>& parts, const Recipe& recipe) {
  std::vector<std::string> ids;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const Instruction& step = recipe.instruction(line);
    const bool is_in = std::ranges::find(parts, step.part) != parts.end();
    if (is_in && step.kind == Instruction::Kind::step) ids.push_back(step.id());
  }
  return ids;
}

// A person is shown part of a problem; a program gets whole steps.
void refuse_parts_for_programs(const ViewOptions& options, const std::vector<Target>& targets) {
  const bool is_part = !options.batch.empty() || !options.head.empty() || !options.query.empty();
  if (is_part && std::ranges::all_of(targets, &Target::exported)) {
    throw Refusal("--batch, --head and --query narrow what people are shown",
                  targets[0].name() + " holds whole steps: --only picks them")
        .at({!options.batch.empty()  ? "--batch"
             : !options.head.empty() ? "--head"
                                     : "--query"});
  }
}

// What changes how people are shown a trace changes nothing in one for programs.
void refuse_no_effect(const ViewOptions& options, const std::vector<Target>& targets) {
  if (!std::ranges::all_of(targets, &Target::exported)) return;
  const RenderOptions& look = options.rendering;
  const std::string name = targets[0].name();
  const auto refuse_if = [&](bool is_given, const std::string& option, const std::string& why) {
    if (is_given)
      throw Refusal("`" + option + "` changes nothing in " + name, why + "; leave " + option + " out")
          .at({option.substr(0, option.find(' '))});
  };
  refuse_if(!look.precision.empty(), "--precision", name + " has every digit of every number");
  refuse_if(!options.level.empty(), "--explain", name + " has whole steps, and --only picks them");
  refuse_if(options.brief, "--brief", name + " has whole steps, and --only picks them");
  refuse_if(options.geometry, "--geometry", name + " has whole steps, and --only picks them");
  refuse_if(options.full, "--full", name + " leaves nothing out");
  refuse_if(look.color == "always", "--color always", name + " has no colours");
}

Refusal not_written_in(const Unwritable& why, const std::string& name) {
  return Refusal(why.message, why.help, why.is_here ? Exit::wrong_environment : Exit::wrong_input)
      .at({"--format", name});
}

// What this program cannot write at all, and what makes no sense of some of the steps, or of so many.
void refuse_unwritable(const ViewOptions& options, const std::vector<Target>& targets, const Recipe& recipe) {
  for (const Target& target : targets) {
    if (!target.exported) continue;
    if (target.exported->missing) {
      if (const auto why = target.exported->missing()) throw not_written_in(*why, target.name());
    }
    if (const std::size_t numbers = recipe.bytes() / sizeof(double), most = target.exported->most_numbers;
        most > 0 && numbers > most) {
      const FileWords& said = language().files;
      throw not_written_in({said.too_many_numbers(target.name(), numbers, most), said.smaller}, target.name());
    }
    if (!target.exported->wants_every_step) continue;
    const std::string picks = !options.only.empty()    ? "--only"
                              : !options.part.empty()  ? "--part"
                              : !options.layer.empty() ? "--layer"
                              : options.at_once        ? "--at-once"
                                                       : "";
    if (picks.empty()) continue;
    throw Refusal(language().files.every_step(target.name()), "leave " + picks + " out").at({picks});
  }
}

void refuse_bytes_on_terminal(const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    if (target.format || !target.path.empty() || !is_terminal(STDOUT_FILENO) || target.exported->is_text) continue;
    throw Refusal("the format " + target.name() + " is not text, and standard output is a terminal",
                  "write a file: -o trace" + target.exported->ending)
        .at({"--format"});
  }
}

// Refuses --brief where it leaves nothing out, or what is asked for.
void refuse_brief(const ViewOptions& options, const ViewPlan& view) {
  if (!options.brief) return;
  const ExplainOptions& explaining = view.explaining;
  if (options.full) {
    throw Refusal("--brief leaves out, and --full leaves nothing out", "give the one or the other").at({"--brief"});
  }
  if (options.at_once || explaining.level == Level::result) {
    throw Refusal("--brief changes nothing where only the result is shown", "leave --brief out").at({"--brief"});
  }
  if (explaining.level == Level::steps && !explaining.only.empty()) {
    throw Refusal("--brief changes nothing where the matrices of chosen steps are shown", "leave --brief out")
        .at({"--brief"});
  }
}

// Whether these are one step that can be worked out without showing another: the last, or a
// block's logits, which its probabilities follow from.
bool is_result(const std::vector<std::string>& only, const std::vector<std::string>& steps) {
  const std::string_view asked = only.empty() ? "" : std::string_view(only.front());
  return std::ranges::count(only, asked) == std::ssize(only) && (asked == steps.back() || asked == "logits");
}

// --at-once asks for the result and nothing else.
void ask_for_result(const ViewOptions& options, const Problem& problem, const std::vector<std::string>& steps,
                    ViewPlan& view) {
  std::vector<std::string>& only = view.explaining.only;
  const bool others = (!only.empty() && !is_result(only, steps)) || !view.explaining.parts.empty();
  if (others || view.explaining.level.value_or(Level::result) != Level::result || options.pause) {
    throw Refusal("--at-once computes the result alone, and other steps are asked for",
                  "leave out the one or the other")
        .at({"--at-once"});
  }
  if (problem.keys_a_block) {
    throw Refusal("--algorithm is how the steps go through the keys, and --at-once computes none",
                  "leave out the one or the other")
        .at({"--algorithm"});
  }
  view.explaining.level = Level::result;
  if (std::ranges::any_of(view.rendering.targets, &Target::exported) && only.empty()) only = {steps.back()};
}

// It is about several steps, of which none may be left out.
void ask_for_geometry(const ViewOptions& options, ViewPlan& view) {
  if (!options.only.empty() || options.at_once) {
    throw Refusal("--geometry takes scores, weights and vectors, and other steps are asked for",
                  "leave out the one or the other")
        .at({"--geometry"});
  }
  view.explaining.geometry = GeometryWanted::asked;
}

// What has no place for them, or no steps to say them of.
void refuse_bounds(const ViewOptions& options, const std::vector<Target>& targets) {
  if (!options.bounds) return;
  if (options.at_once) {
    throw Refusal("--bounds are of steps, and --at-once computes none", "leave out the one or the other")
        .at({"--bounds"});
  }
  const auto says_them = [](const Target& target) { return target.format || target.name() == "json"; };
  if (std::ranges::any_of(targets, says_them)) return;
  throw Refusal("`--bounds` changes nothing in " + targets[0].name(), "json has them, and what people are shown")
      .at({"--bounds"});
}

ViewPlan understood(const ViewOptions& options, const Problem& problem, Computation& computation) {
  ViewPlan view{understood(options.rendering, exports()), {}};
  const std::vector<Target>& targets = view.rendering.targets;
  refuse_unwritable(options, targets, computation.recipe());
  refuse_bytes_on_terminal(targets);
  refuse_no_effect(options, targets);
  ExplainOptions& explaining = view.explaining;
  explaining.full = view.rendering.look.full = options.full;
  explaining.precision = view.rendering.precision;
  explaining.behind = view.rendering.wants_behind();
  if (!options.level.empty()) {
    explaining.level = Level(choice("--explain", options.level, level_names));
  }
  explaining.only = picked_steps(options.only, computation);
  explaining.parts = picked_parts(options.part, options.layer, computation.recipe());
  if (!explaining.parts.empty() && !options.only.empty()) {
    throw Refusal("--only picks steps, and a part of the block is asked for too", "give the one or the other")
        .at({"--only"});
  }
  view.steps_of_parts = steps_of_parts(explaining.parts, computation.recipe());
  const Attention& attention = problem.attention();
  explaining.batch = picked_index("--batch", options.batch, attention.batch, "sequences");
  const Recipe& recipe = computation.recipe();
  const std::size_t heads = heads_told(recipe, explaining.parts, explaining.only);
  const std::size_t queries = queries_told(recipe, explaining.parts, explaining.only);
  explaining.head = picked_index("--head", options.head, heads, "heads");
  explaining.query = picked_index("--query", options.query, queries, "queries");
  explaining.brief = options.brief;
  refuse_brief(options, view);
  if (options.geometry) ask_for_geometry(options, view);
  refuse_bounds(options, targets);
  if (options.brief && explaining.only.empty() && std::ranges::none_of(targets, &Target::exported)) {
    computation.leave_out_weighted_values();
  }
  if (options.at_once) ask_for_result(options, problem, computation.steps(), view);
  refuse_parts_for_programs(options, targets);
  return view;
}

// Steps of so many bytes are made in passing: their result has the same bits on
// every machine, and people see with it what must hold.
constexpr std::size_t made_in_passing = std::size_t{16} << 20;

// Whether the result is all that is asked for, and worth computing by itself.
bool wants_only_result(const Computation& computation, const ViewOptions& options, const ViewPlan& view) {
  const std::vector<std::string>& only = view.explaining.only;
  const bool is_small = computation.recipe().bytes() <= made_in_passing;
  if (options.pause || options.geometry || options.bounds || !view.explaining.parts.empty() ||
      (is_small && !options.at_once))
    return false;
  const bool names_result = is_result(only, computation.steps());
  const auto needs_result_only = [&](const Target& target) {
    if (!target.format) return names_result;
    return view.explaining.level == Level::result && (only.empty() || names_result);
  };
  return std::ranges::all_of(view.rendering.targets, needs_result_only);
}

// The trace with no steps but these, and nothing that is given.
Trace only_steps(Trace trace, const std::vector<std::string>& only) {
  const std::vector<Step> all = std::move(trace.steps);
  trace.steps.clear();
  trace.givens.clear();
  for (const Step& step : all) {
    if (std::ranges::find(only, step.heading.id) != only.end()) trace.steps.push_back(step);
  }
  return trace;
}

// Whether it takes a while to write.
bool is_long(const Trace& trace) {
  std::size_t numbers = 0;
  for (const Step& step : trace.steps) numbers += step.result.size();
  return numbers > 100'000;
}

// Goes where another sink goes, and says meanwhile which share of the expected bytes is there.
class ToldSink final : public Sink {
 public:
  ToldSink(Sink& sink, Progress& progress, std::string what, std::size_t expected)
      : sink_(sink), progress_(progress), what_(std::move(what)), expected_(expected) {}

  void write(std::string_view piece) override {
    sink_.write(piece);
    written_ += piece.size();
    const std::size_t percent = std::min<std::size_t>(99, written_ / (expected_ / 100 + 1));
    progress_.now(fmt::format("{}, {} % of about {}", what_, percent, spelled_size(expected_)));
  }

 private:
  Sink& sink_;
  Progress& progress_;
  std::string what_;
  std::size_t expected_, written_ = 0;
};

// Of what will be large it is said how large: there is still time to stop.
void announce(const std::string& what, std::size_t bytes) {
  constexpr std::size_t large = std::size_t{1} << 30;
  if (bytes > large) say("attn: note: " + printable(what) + ", about " + spelled_size(bytes) + "\n");
}

void write_export(const Export& exported, const Trace& trace, const std::string& what, Progress& progress, Sink& sink) {
  if (!is_long(trace)) return exported.write(trace, sink);
  const std::size_t expected = exported.expected_bytes(trace);
  announce(what, expected);
  ToldSink told(sink, progress, what, expected);
  exported.write(trace, told);
}

// Refuses lines of arithmetic and matrices that would fill the memory there may be.
void refuse_too_long(const Trace& trace, const ViewPlan& view) {
  const std::size_t bytes = bytes_told(trace, view.explaining);
  if (bytes <= view.most_bytes) return;
  const bool full = view.explaining.full;
  throw Refusal(fmt::format("what there is to show takes about {}, and --max-memory is {}", spelled_size(bytes),
                            spelled_size(view.most_bytes)),
                full ? "leave --full out, show less by --only, --query or --explain, or give a larger --max-memory"
                     : "show less by --only, --query or --explain, or give a larger --max-memory",
                Exit::wrong_environment)
      .at({full ? "--full" : "--max-memory"});
}

// Refuses a format that cannot say this, or that takes more memory to make than there may be.
void refuse_unwritable(const Target& target, const Trace& trace, const ViewPlan& view) {
  if (!target.exported) return;
  if (target.exported->unwritable) {
    if (const auto why = target.exported->unwritable(trace)) throw not_written_in(*why, target.name());
  }
  if (!target.exported->bytes_taken) return;
  const std::size_t bytes = target.exported->bytes_taken(trace);
  if (bytes <= view.most_bytes) return;
  throw Refusal(fmt::format("{} takes about {} to make, and --max-memory is {}", target.name(), spelled_size(bytes),
                            spelled_size(view.most_bytes)),
                "give a smaller problem, or a larger --max-memory", Exit::wrong_environment)
      .at({"--max-memory"});
}

void write(const Target& target, const Trace& trace, const ViewPlan& view, Sink& sink, Hints& hints) {
  const bool is_seen = target.path.empty() && is_terminal(STDOUT_FILENO);
  const std::string what = "writing " + (target.path.empty() ? target.name() : target.path);
  Progress progress(what, !is_seen && is_long(trace));
  const std::vector<std::string>& only = view.explaining.parts.empty() ? view.explaining.only : view.steps_of_parts;
  if (target.format) {
    refuse_too_long(trace, view);
    ExplainOptions explaining = view.explaining;
    const bool beside = target.format->wants_geometry && explaining.only.empty() && explaining.level != Level::result &&
                        explaining.geometry == GeometryWanted::none;
    if (beside) explaining.geometry = GeometryWanted::where_small;
    hints.render(explain(trace, explaining), target, view.rendering, sink);
  } else if (only.empty()) {
    write_export(*target.exported, trace, what, progress, sink);
  } else {
    write_export(*target.exported, only_steps(trace, only), what, progress, sink);
  }
}

// Says so where --at-once was asked for and the steps were computed all the same.
void tell_if_not_at_once(const ViewOptions& options, const Trace& trace) {
  if (!options.at_once || std::ranges::find(trace.notes, "at_once", &Note::kind) != trace.notes.end()) return;
  const Arithmetic& arithmetic = trace.arithmetic;
  say("attn: note: --at-once: the result was computed step by step; " +
      (arithmetic.hand_rounding ? "every step is rounded by hand"
       : rounds_once_a_step(arithmetic.dtype)
           ? "in " + std::string(name(arithmetic.dtype)) + " every step is rounded, but where a GPU computes it at once"
           : "at once go finite scores that are dot products, with a softmax of "
             "exponentials and no relative positions, where the backend has it") +
      "\n");
}

// Why a question has no answer, as something to look at.
Document told(const std::string& question, const Diagnostic& fault) {
  Document document{{Headline{2, {"why " + question}}, Prose{{fault.message}}}};
  document.blocks.push_back(Prose{{"help: " + fault.help.text()}});
  return document;
}

Document answer(const Trace& trace, const std::string& typed, const ExplainOptions& explaining) {
  const Result<Question> question = read_question(typed);
  if (!question) return told(typed, question.faults().front());
  const Result<Asked> asked = find_asked(trace, question.value());
  if (!asked) return told(typed, asked.faults().front());
  return why(trace, asked.value(), {.depth = {}, .precision = explaining.precision, .full = explaining.full});
}

// "S[1,2]", or what else there is.
std::string example(const Trace& trace) {
  const Step* step = trace.attention() ? trace.find(trace.attention()->scores) : nullptr;
  if (!step) step = trace.find("result");
  const Shape& shape = step->result.shape();
  const std::size_t second = shape.rank() > 0 && shape.back().size > 1 ? 1 : 0;
  return CellNames(trace).of({step->heading.id, second}).text;
}

// Refuses where there can be no lecture: it is for people who sit at a terminal.
void refuse_pause(const Rendering& rendering) {
  const Target& target = rendering.targets.front();
  if (!target.path.empty()) {
    throw Refusal("--pause shows a lecture in the terminal, and -o writes a file", "leave one of them out")
        .at({"--pause"});
  }
  if (target.name() != "text") {
    throw Refusal("--pause shows text in the terminal, and --format says " + target.name(), "leave one of them out")
        .at({"--format"});
  }
  if (const std::string missing = Terminal::missing(); !missing.empty()) {
    throw Refusal("--pause needs a terminal: " + missing,
                  "leave --pause out, or start it in a terminal, with the problem in a file", Exit::wrong_environment)
        .at({"--pause"});
  }
}

// Steps through the document key by key, until the person at the terminal has had enough.
// What they ask about is looked up in the trace.
// REQUIRES: refuse_pause() has nothing against it.
Exit pause(const Trace& trace, Document document, const ExplainOptions& explaining, const Rendering& rendering) {
  const Target& target = rendering.targets.front();
  Lecture lecture({.document = std::move(document),
                   .write = [&](const Document& part) { return rendered(part, target, rendering); },
                   .why = [&](const std::string& question) { return answer(trace, question, explaining); },
                   .example = example(trace),
                   .ascii = rendering.look.ascii});
  int signal = 0;
  {
    Terminal terminal(colored(rendering.color));
    while (!lecture.is_over()) {
      lecture.resize(terminal_size(STDOUT_FILENO));
      if (!terminal.show(lecture.screen())) break;
      const Terminal::Event event = terminal.next();
      if (event.key) lecture.press(*event.key);
      if (event.is_over) break;
    }
    signal = terminal.signal();
  }
  if (signal != 0) std::raise(signal);
  return Exit::done;
}

}  // namespace

void ViewOptions::declare(CommandLine& line) {
  line.begin_group("What is shown");
  line.add_option("--explain", level, "how much", {.value = "LEVEL", .choices = level_names});
  line.add_option("--only", only, "only these steps, by their ids or symbols; * and ? stand for any letters and one",
                  {.value = "STEP,STEP", .is_single = true, .splits_commas = true});
  line.add_option("--batch", batch, "only this sequence, counted from 1", {.value = "I"});
  line.add_option("--head", head, "only this head", {.value = "I"});
  line.add_option("--query", query, "only this query", {.value = "I"});
  line.add_option("--part", part, "of a block only this: layer1.self, layer1.ffn, or all of layer1", {.value = "PART"});
  line.add_option("--layer", layer, "of a block only this layer", {.value = "N"});
  line.add_flag("--brief", brief, "as for a lecture: one query and one row written out, no weighted values");
  line.add_flag("--geometry", geometry,
                "also the vectors of one query: lengths, angles, shares; svg draws them and nothing else");
  line.add_flag("--full", full, "leave nothing out, however long");
  line.add_flag("--bounds", bounds, "say of each step how far its numbers are from the exact ones at most");
  line.add_flag("--pause", pause, "step through it in the terminal, key by key, as a lecture");
  line.add_flag("--at-once", at_once, "only the result, computed without the steps, however small");
  rendering.declare(line, RenderOptions::Shows::steps, exports());
}

namespace {

// Of a large problem nothing is computed or held that nobody asks for.
void leave_out_the_rest(const ViewPlan& view, Computation& computation, const ViewOptions& viewing) {
  const bool says_statement = std::ranges::any_of(view.rendering.targets, [](const Target& target) {
    return target.exported && (target.name() == "json" || target.name() == "safetensors");
  });
  if (!says_statement) computation.leave_out_statement();
  const std::vector<std::string>& asked = view.explaining.parts.empty() ? view.explaining.only : view.steps_of_parts;
  const bool is_worth_it = viewing.at_once || computation.recipe().bytes() > made_in_passing;
  if (!asked.empty() && !viewing.bounds && is_worth_it) computation.keep_only(asked);
}

}  // namespace

Exit show(const Problem& problem, ComputeOptions computing, const ViewOptions& viewing) {
  computing.bounds = viewing.bounds;
  Computation computation(problem);
  ViewPlan view = understood(viewing, problem, computation);
  view.most_bytes = computing.max_bytes();
  if (viewing.pause) refuse_pause(view.rendering);
  leave_out_the_rest(view, computation, viewing);

  const Trace trace = compute(computation, computing, wants_only_result(computation, viewing, view));
  if (view.explaining.geometry == GeometryWanted::asked) {
    if (const auto why = no_geometry(trace, view.explaining)) {
      throw Refusal("vectors cannot be drawn: " + *why, "leave --geometry out").at({"--geometry"});
    }
  }
  tell_if_not_at_once(viewing, trace);

  if (viewing.pause) {
    refuse_too_long(trace, view);
    return pause(trace, explain(trace, view.explaining), view.explaining, view.rendering);
  }
  for (const Target& target : view.rendering.targets) {
    refuse_unwritable(target, trace, view);
  }
  try {
    Hints hints(viewing.brief);
    const Exit exit =
        hand_out(view.rendering, [&](const Target& target, Sink& sink) { write(target, trace, view, sink, hints); });
    hints.say();
    return exit;
  } catch (const ExportError& error) {
    throw not_written_in(error.why(), "");
  }
}

}  // namespace attn
