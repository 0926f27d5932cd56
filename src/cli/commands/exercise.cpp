#include "exercises/exercise.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "backend/cpu/threads.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/class_files.h"
#include "cli/options.h"
#include "cli/problem_file.h"
#include "cli/progress.h"
#include "cli/render.h"
#include "exports/blank_answers.h"
#include "files/input_file.h"
#include "problem/faults.h"
#include "reading/roster.h"
#include "reading/text_file.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> score_names = {"scaled_dot", "dot", "cosine", "general", "additive", "concat"};
const std::vector<std::string> position_names = {"sinusoidal", "learned", "rope", "alibi", "relative"};
const std::vector<std::string> block_names = {"encoder", "decoder", "decoder_only"};

constexpr std::size_t most_size = 32, most_digits = 8, most_count = 100'000;

struct ExerciseOptions {
  std::string like, seed, inputs, width, key_width, value_width, heads, score, positions, block;
  std::string window, digits, difficulty = std::to_string(usual_difficulty), count = "1", roster, output;
  bool causal = false, cross = false;
  HardwareOptions hardware;

  void declare(CommandLine& line);
  Exit run() const;
};

// One problem to be made: whose it is, if it is somebody's.
struct Wanted {
  std::string name;
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> own = {};  // members of the file

  std::string stem() const { return file_name_for(name); }  // of its file
};

struct Made {
  std::string problem, key;
};

std::optional<std::size_t> size_of(std::string_view option, const std::string& typed, std::string_view kind) {
  if (typed.empty()) return std::nullopt;
  return whole_number(option, typed, kind, 1, most_size);
}

void refuse_together(const std::string& one, const std::string& other, const std::string& why) {
  throw Refusal(one + " stands against " + other, why).at({one});
}

std::pair<int, int> window_of(const std::string& typed) {
  const std::vector<std::string> sides = split(typed, ',');
  if (sides.size() != 2) {
    throw Refusal("`" + shown(typed) + "` is no window",
                  "--window takes how many keys to the left and to the right: 1,1")
        .at({"--window", typed});
  }
  const auto side = [&](const std::string& one) {
    if (one == "-1") return -1;
    return static_cast<int>(whole_number("--window", one, "number of keys", 0, most_size));
  };
  return {side(sides[0]), side(sides[1])};
}

ExerciseWishes wishes_of(const ExerciseOptions& options, int digits) {
  ExerciseWishes wishes{
      .inputs = size_of("--inputs", options.inputs, "number of inputs"),
      .width = size_of("--width", options.width, "width"),
      .key_width = size_of("--d-k", options.key_width, "width"),
      .value_width = size_of("--d-v", options.value_width, "width"),
      .heads = size_of("--heads", options.heads, "number of heads"),
      .score = options.score.empty() ? score_names.front() : score_names[choice("--score", options.score, score_names)],
      .causal = options.causal,
      .cross = options.cross,
      .digits = digits};
  if (!options.positions.empty()) {
    wishes.positions = position_names[choice("--positions", options.positions, position_names)];
  }
  if (!options.block.empty()) wishes.block = block_names[choice("--block", options.block, block_names)];
  if (!options.window.empty()) wishes.window = window_of(options.window);
  if (wishes.cross && !wishes.block.empty()) {
    refuse_together("--cross", "--block", "--block decoder has an attention that reads what an encoder made");
  }
  return wishes;
}

// The options that --like FILE leaves no room for.
void refuse_beside_like(const ExerciseOptions& options) {
  const std::pair<const char*, bool> others[] = {
      {"--inputs", !options.inputs.empty()},
      {"--width", !options.width.empty()},
      {"--d-k", !options.key_width.empty()},
      {"--d-v", !options.value_width.empty()},
      {"--heads", !options.heads.empty()},
      {"--positions", !options.positions.empty()},
      {"--block", !options.block.empty()},
      {"--window", !options.window.empty()},
      {"--score", !options.score.empty()},
      {"--causal", options.causal},
      {"--cross", options.cross},
  };
  for (const auto& [name, is_given] : others) {
    if (is_given) refuse_together(name, "--like", "--like takes sizes, score and masks from its file");
  }
}

// A seed of one's own, which does not change when others come or go.
std::uint64_t seed_of_person(std::uint64_t seed, const std::string& name) {
  constexpr std::uint64_t offset = 0xcbf29ce484222325, prime = 0x100000001b3;  // FNV-1a
  std::uint64_t hash = offset ^ seed;
  for (const unsigned char c : name) hash = (hash ^ c) * prime;
  constexpr std::int64_t most_seed = 999'999'999;
  return static_cast<std::uint64_t>(Random(hash).integer(1, most_seed));
}

constexpr const char* suffix = ".json";

// What a problem calls what the list says of its person; not as what it says already.
std::string member_of(const std::string& column, const std::string& roster) {
  if (column == "seed" || column == "for") {
    throw Refusal("a column of the list is called `" + column + "`, and x-" + column + " is what a problem says itself",
                  "call it otherwise, or take it out")
        .at({"--roster", roster});
  }
  return "x-" + column;
}

// How many problems there will be, and what each is called.
std::vector<Wanted> wanted_of(const ExerciseOptions& options, std::uint64_t seed) {
  std::vector<Wanted> all;
  if (!options.roster.empty()) {
    const Roster roster = read_of(options.roster, read_roster, writing_of(options.roster));
    for (const Roster::Person& person : roster.people) {
      Wanted one{person.name, seed_of_person(seed, person_key(person.name))};
      for (const auto& [column, value] : person.others) one.own.emplace_back(member_of(column, options.roster), value);
      one.own.emplace_back("title", "Exercise for " + person.name);
      one.own.emplace_back("x-for", person.name);
      all.push_back(std::move(one));
    }
    return all;
  }
  const std::size_t count = whole_number("--count", options.count, "number of problems", 1, most_count);
  for (std::size_t i = 0; i < count; ++i) all.push_back({"exercise-" + std::to_string(seed + i), seed + i});
  return all;
}

void refuse_names_alike(const std::vector<Wanted>& all, const std::string& roster) {
  std::map<std::string, std::string> names;  // by file
  for (const Wanted& one : all) {
    const auto [other, is_new] = names.emplace(person_key(one.stem()), one.name);
    if (is_new) continue;
    throw Refusal("the files of `" + shown(other->second) + "` and `" + shown(one.name) + "` would be called alike",
                  "give each a name of letters and digits of its own")
        .at({"--roster", roster});
  }
}

// Throws a Refusal where there is no such exercise.
Made made(const ExerciseMaker& maker, const Wanted& wanted, bool with_key) {
  const Result<std::string> text = maker.make(wanted.seed, wanted.own);
  if (!text) {
    Diagnostic fault = text.faults().front();
    if (with_key) fault.message = "for " + shown(wanted.name) + ": " + fault.message;
    throw Refusal(fault);
  }
  Made done{.problem = text.value(), .key = ""};
  if (!with_key) return done;
  const Problem problem = std::move(read_sketched(done.problem).value());
  ComputeOptions alone;  // others draw meanwhile
  alone.hardware.threads = "1";
  const Trace trace = compute(problem, alone);
  done.key = worked_answers(trace, steps_to_work_out(trace), problem.digits.value_or(0));
  return done;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw not_written(folder.string(), error.message());
}

// Whoever makes exercises anew has perhaps handed the old ones out: their keys stay.
void refuse_other_problem(const fs::path& path, const std::string& text) {
  if (const auto read = name_of_read(path.string())) {
    throw Refusal("`" + shown(path.string()) + "` would replace a file that is read here", "write to another folder")
        .at({"-o,--output"});
  }
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return;
  const Result<std::string> old = read_text(path.string());
  if (!old && old.faults().front().code == "machine") throw Refusal(old.faults(), "", path.string());
  if (old && old.value() == text) return;
  throw Refusal("`" + shown(path.string()) + "` is there already, and another problem",
                "write to another folder, or take that one away")
      .at({"-o,--output"});
}

// The problems in a folder, and beside them one with the keys: each problem once more, for
// `attn grade`, and what its steps come to, as somebody would hand it in.
void write_folder(const fs::path& folder, const std::vector<Wanted>& wanted, const std::vector<Made>& all) {
  const fs::path keys = folder / folder_of_keys;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const fs::path& place : {folder, keys})
      refuse_other_problem(place / (wanted[i].stem() + suffix), all[i].problem);
  }
  make_folder(keys);
  FilesTogether files;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string stem = wanted[i].stem();
    files.write(folder / (stem + suffix), all[i].problem);
    files.write(keys / (stem + suffix), all[i].problem);
    files.write(keys / (stem + ".txt"), all[i].key);
  }
  files.finish();
}

ExerciseMaker maker_of(const ExerciseWishes& wishes, int difficulty) {
  if (auto fault = contradiction_in(wishes)) throw Refusal(*fault);
  Result<ExerciseMaker> maker = ExerciseMaker::of(sketch_of(wishes), difficulty, read_sketched);
  if (maker) return std::move(maker.value());
  Diagnostic fault = maker.faults().front();
  if (fault.code == "sizes-coincide") {
    const std::vector<std::string> pairs = coincidences_in(wishes);
    if (pairs.empty()) fault.help = "larger sizes, no two of them the same, or one the other's square";
    if (!pairs.empty()) fault.message = listed(pairs) + ": " + fault.message;
  }
  throw Refusal(fault);
}

ExerciseMaker maker_of(const ExerciseOptions& options) {
  const int difficulty = static_cast<int>(
      whole_number("--difficulty", options.difficulty, "difficulty", least_difficulty, most_difficulty));
  const auto typed_digits = [&](int otherwise) {
    return options.digits.empty()
               ? otherwise
               : static_cast<int>(whole_number("--digits", options.digits, "number of digits", 0, most_digits));
  };
  const int usual_digits = ExerciseWishes::usual_digits(options.positions);
  if (options.like.empty()) return maker_of(wishes_of(options, typed_digits(usual_digits)), difficulty);
  refuse_beside_like(options);
  const std::string text = text_of(options.like);
  const Problem like = open_problem_text(text, options.like, {});
  Result<Sketch> sketch = sketch_like(text, typed_digits(like.digits.value_or(usual_digits)));
  if (!sketch) throw Refusal(sketch.faults(), text, options.like);
  Result<ExerciseMaker> maker = ExerciseMaker::of(std::move(sketch.value()), difficulty, read_sketched, true);
  if (!maker) throw Refusal(maker.faults().front());
  return std::move(maker.value());
}

void ExerciseOptions::declare(CommandLine& line) {
  line.begin_group("What it is about");
  line.add_option("--like", like, "another problem of this one's kind, with other numbers", {.value = "FILE"});
  line.add_option("--inputs", inputs, "how many tokens", {.value = "N"});
  line.add_option("--width", width, "how many numbers an input has: d_model", {.value = "D"});
  line.add_option("--d-k", key_width, "the width of queries and keys", {.value = "N"});
  line.add_option("--d-v", value_width, "the width of values", {.value = "N"});
  line.add_option("--heads", heads, "several heads, side by side", {.value = "N"});
  line.add_option("--score", score, "how queries and keys are compared; else scaled_dot",
                  {.value = "NAME", .choices = score_names});
  line.add_flag("--causal", causal, "no query sees what comes behind it");
  line.add_option("--window", window, "how many keys to the left and right are seen; -1: all", {.value = "LEFT,RIGHT"});
  line.add_flag("--cross", cross, "keys and values come of other inputs than queries");
  line.add_option("--positions", positions, "how positions are told", {.value = "NAME", .choices = position_names});
  line.add_option("--block", block, "a whole layer of a transformer", {.value = "KIND", .choices = block_names});
  line.begin_group("How hard it is");
  line.add_option("--difficulty", difficulty, "numbers: 1: 0 and 1; 2: 0 to 2; 3: −1 to 1; 4: −2 to 2; 5: one decimal",
                  {.value = "1…5", .shows_default = true});
  line.add_option("--digits", digits, "decimals that answers are to have; else 2, or as many as show what it is about",
                  {.value = "N"});
  line.begin_group("How many");
  line.add_option("--seed", seed, "the same seed makes the same problem; else one is drawn", {.value = "N"});
  line.add_option("--count", count, "so many, seeds counted on from the first", {.value = "N", .shows_default = true});
  line.add_option("--roster", roster, "one for each person of a table with a column `name`", {.value = "FILE.csv"});
  line.begin_group("Where it goes");
  line.add_option("-o,--output", output, "a file; a folder for several, which gets one with keys",
                  {.value = "FILE|DIR"});
  line.add_option("--threads", hardware.threads, "how many work at once; else one a processor", {.value = "N"});
}

// Of one, standard output or a file; of several, a folder.
bool goes_into_folder(const ExerciseOptions& options, std::size_t count) {
  std::error_code unknown;
  const bool names_folder = options.output.ends_with('/') || fs::is_directory(options.output, unknown);
  const bool is_class = count > 1 || !options.roster.empty();
  if (is_class && (options.output.empty() || options.output == "-")) {
    throw Refusal(counted(count, "problem") + (count == 1 ? " and its key need" : " need") + " a folder",
                  "name one: -o exercises")
        .at({"-o,--output"});
  }
  return is_class || names_folder;
}

Exit ExerciseOptions::run() const {
  if (!roster.empty() && count != "1") {
    refuse_together("--count", "--roster", "each person of the roster gets one problem");
  }
  constexpr std::size_t most_seed = std::size_t{1} << 53;  // as JSON numbers hold
  constexpr std::size_t drawn_seeds = 1'000'000;
  const std::uint64_t first =
      seed.empty() ? std::random_device()() % drawn_seeds : whole_number("--seed", seed, "seed", 0, most_seed);
  const std::vector<Wanted> wanted = wanted_of(*this, first);
  if (roster.empty() && first + wanted.size() - 1 > most_seed) {
    throw Refusal("--seed " + seed + " would be counted on beyond the largest seed", "a smaller --seed")
        .at({"--seed", seed});
  }
  const bool is_folder = goes_into_folder(*this, wanted.size());
  refuse_names_alike(wanted, roster);
  const ExerciseMaker maker = maker_of(*this);

  std::vector<Made> all(wanted.size());
  {
    std::atomic<std::size_t> done = 0;
    Progress progress("drawing problems", true);
    Threads threads(std::min(hardware.thread_count(), wanted.size()));
    threads.each(wanted.size(), [&](std::size_t i) {
      all[i] = made(maker, wanted[i], is_folder);
      progress.now(fmt::format("drawing problems, {} of {} done", ++done, wanted.size()));
    });
  }
  if (is_folder) {
    write_folder(output, wanted, all);
    say(fmt::format("attn: {} by --seed {} in {}, and the keys in {}\n", counted(all.size(), "problem"), first,
                    printable(output), printable((fs::path(output) / "keys").string())));
    return Exit::done;
  }
  Rendering plan;
  plan.targets.push_back({.path = path_of_output(output)});
  return hand_out(plan, [&](const Target&, Sink& sink) { sink.write(all.front().problem); });
}

}  // namespace

Command exercise_command() {
  return command<ExerciseOptions>({.name = "exercise",
                                   .summary = "Make a problem that is pleasant to work by hand",
                                   .group = "Teach a class",
                                   .examples = {"attn exercise --seed 7 --causal"}});
}

}  // namespace attn
