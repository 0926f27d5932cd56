#include "mark/quiz.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>
#include <span>
#include <unistd.h>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/shell_word.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/picked.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "exercises/exercise.h"
#include "explain/reports/quiz.h"
#include "exports/answers.h"
#include "exports/blank_answers.h"
#include "files/input_file.h"
#include "model/computation.h"
#include "model/possible_steps.h"
#include "problem/faults.h"
#include "reading/answers/typed_row.h"
#include "words/language.h"

namespace attn {
namespace {

struct QuizOptions {
  std::string file, tries = "3", transcript, batch;
  std::vector<std::string> steps;
  RenderOptions rendering;
  ComputeOptions computing;

  void declare(CommandLine& line);
  Exit run() const;
};

// Lines as somebody types them, or as they come from a pipe.
class TypedLines {
 public:
  // The next line without its end; nothing where there is none, or the person had enough.
  // Of a line longer than anybody types only the beginning is kept.
  std::optional<std::string> next() {
    constexpr std::size_t longest = std::size_t{1} << 16;
    std::string line;
    for (bool has_any = false;; has_any = true) {
      if (at_ == size_ && !fill()) return has_any ? std::optional(std::move(line)) : std::nullopt;
      const char c = buffer_[at_++];
      if (c == '\n') return line;
      if (c != '\r' && line.size() < longest) line += c;
    }
  }

  // What errno was where reading failed, else 0; Ctrl-C is no failure.
  int failure() const { return failure_; }

 private:
  bool fill() {
    const ssize_t got = ::read(STDIN_FILENO, buffer_, sizeof buffer_);
    if (got < 0 && errno != EINTR) failure_ = errno;
    at_ = 0;
    size_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0;
  }

  char buffer_[4096] = {};
  std::size_t at_ = 0, size_ = 0;
  int failure_ = 0;
};

// Lets Ctrl-C end what is being read, once: the summary still comes. A second one ends the program.
class EndsByInterrupt {
 public:
  EndsByInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, &before_);
  }
  ~EndsByInterrupt() { ::sigaction(SIGINT, &before_, nullptr); }
  EndsByInterrupt(const EndsByInterrupt&) = delete;
  EndsByInterrupt& operator=(const EndsByInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

// What somebody may say in place of numbers.
enum class Word { none, help, hint, skip, back, quit };

Word word_of(std::string_view line) {
  std::string word;
  for (const char c : line) {
    if (c != ' ' && c != '\t') word += is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (word.empty() || word == "skip") return Word::skip;
  if (word == "?" || word == "help") return Word::help;
  if (word == "hint") return Word::hint;
  if (word == "back") return Word::back;
  return word == "quit" || word == "exit" || word == "q" ? Word::quit : Word::none;
}

// A quiz as it goes on in a terminal, or a pipe.
class Session {
 public:
  Session(const Trace& trace, Quiz& quiz, const KnownSteps& known, const Rendering& look)
      : trace_(trace), quiz_(quiz), known_(known), look_(look), teller_(trace, quiz, look.precision) {}

  void run() {
    const EndsByInterrupt interrupt;
    show(teller_.opening());
    show(teller_.question());
    while (!quiz_.is_over()) {
      write("> ");
      const std::optional<std::string> line = lines_.next();
      // Where nobody sees what was typed it is written there, so that it reads as a dialogue.
      if (!line || !is_terminal(STDIN_FILENO)) write(printable(line.value_or("")) + "\n");
      if (!line || !goes_on(*line)) return;
    }
  }

  // Where the answers could not be read to their end, what there was of them is not lost.
  void refuse_lost_answers() const {
    if (lines_.failure() != 0)
      throw Refusal(refused_by_system("standard input cannot be read", lines_.failure(), "unreadable"));
  }

  // How it went. A command stands on one line, however long: it is there to be copied.
  void end(const std::vector<std::string>& commands) const {
    show(teller_.summary(!commands.empty()));
    for (const std::string& command : commands) write("  " + command + "\n");
  }

 private:
  void show(const Document& document) const {
    write(rendered(document, look_.targets.front(), look_));
    write("\n");
  }

  static void write(std::string_view text) { print(text); }

  void say(const std::string& text) const { show({{Prose{{text}}}}); }

  // Does what the line says; false where it ends the quiz.
  bool goes_on(const std::string& line) {
    switch (word_of(line)) {
      case Word::quit:
        return false;
      case Word::help:
        show(teller_.given());
        show(teller_.question());
        return true;
      case Word::hint:
        react(quiz_.hint());
        return true;
      case Word::skip:
        react(quiz_.give_up());
        return true;
      case Word::back:
        go_back();
        return true;
      case Word::none:
        break;
    }
    answer(line);
    return true;
  }

  void go_back() {
    const QuizWords& said = language().quiz;
    if (quiz_.back()) return show(teller_.question());
    say(quiz_.at() == 0 ? said.nothing_before : said.shown_before);
  }

  void answer(const std::string& line) {
    const QuizQuestion& question = quiz_.question();
    TypedPlace place{question.step, {}};
    for (std::size_t axis = 0; axis < question.index.size(); ++axis) {
      place.index.push_back(question.along == axis ? std::nullopt : std::optional(question.index[axis]));
    }
    const auto& attention = trace_.recipe.parts()[trace_.find(question.step)->part].attention;
    const bool is_masked = attention && attention->masked == question.step;
    Result<std::vector<AnsweredStep::Cell>> cells = read_typed_row(line, place, known_, is_masked ? "-inf" : "0");
    if (cells) return react(quiz_.answer(std::move(cells.value())));
    const Diagnostic& fault = cells.faults().front();
    say(capitalised(fault.message) + ": " + fault.help.text() + ". " + language().quiz.no_try.text());
  }

  void react(const QuizReaction& reaction) {
    show(teller_.reaction(reaction));
    const std::size_t before = quiz_.at();
    quiz_.on();
    if (!quiz_.is_over() && quiz_.at() != before) show(teller_.question());
  }

  const Trace& trace_;
  Quiz& quiz_;
  const KnownSteps& known_;
  const Rendering& look_;
  QuizTeller teller_;
  TypedLines lines_;
};

void refuse_quiz_files(const QuizOptions& options) {
  if (options.file == "-") {
    throw Refusal("standard input holds the answers here, and FILE is -", "give the problem by name")
        .at({.value = "-"});
  }
  if (options.transcript.empty() || options.transcript.ends_with(".json")) return;
  throw Refusal("`--transcript " + shown(options.transcript) + "` would not be read back as answers",
                "call it *.json: attn check reads it")
      .at({"--transcript", options.transcript});
}

// Whether the transcript can be written is known before anybody has answered anything.
void refuse_transcript(const std::string& path) {
  if (path.empty()) return;
  refuse_to_replace(path, "--transcript");
  std::error_code unknown;
  const auto folder = std::filesystem::path(path).parent_path();
  if (std::filesystem::is_directory(path, unknown)) throw not_written(path, "it is a directory");
  if (!folder.empty() && !std::filesystem::is_directory(folder, unknown))
    throw not_written(path, "there is no folder " + folder.string());
}

// Sizes of a problem of one attention, as options of attn exercise: as many of them as an exercise can have.
std::string sizes_as_options(const Problem& problem, const Trace& trace) {
  constexpr std::size_t most = 6;  // for work by hand
  const Attention& attention = problem.attention();
  const Anatomy* at = trace.attention();
  ExerciseWishes wishes;
  wishes.inputs = std::clamp<std::size_t>(attention.query_count, 2, most);
  if (attention.heads.value_or(1) > 1) wishes.heads = 2;
  wishes.causal = trace.recipe.has(at->causal_rule);
  const auto wish = [&](std::optional<std::size_t> ExerciseWishes::*which, std::size_t size) {
    if (size < 2 || size > most) return;
    ExerciseWishes with = wishes;
    with.*which = size;
    if (!contradiction_in(with) && coincidences_in(with).empty()) wishes = with;
  };
  wish(&ExerciseWishes::value_width, trace.recipe.shape(at->values).size("d_v"));
  wish(&ExerciseWishes::key_width, trace.recipe.shape(at->keys).size("d_k"));
  std::string options = fmt::format(" --inputs {}", *wishes.inputs);
  if (wishes.key_width) options += fmt::format(" --d-k {}", *wishes.key_width);
  if (wishes.value_width) options += fmt::format(" --d-v {}", *wishes.value_width);
  if (wishes.heads) options += fmt::format(" --heads {}", *wishes.heads);
  if (wishes.causal) options += " --causal";
  return options;
}

// The next difficulty, of those that `attn exercise --help` lists, above that of the numbers that are given.
int harder_than(const Trace& trace) {
  std::vector<std::span<const double>> given;
  for (const GivenTensor& one : trace.givens) given.push_back(one.value.data());
  for (const Step& step : trace.steps) {
    if (std::holds_alternative<Given>(step.op)) given.push_back(step.result.data());
  }
  double most = 0;
  for (const auto& numbers : given) {
    for (const double number : numbers) {
      if (number != std::floor(number)) return most_difficulty;
      if (std::isfinite(number)) most = std::max(most, std::abs(number));
    }
  }
  return most <= 1 ? usual_difficulty + 1 : most_difficulty;
}

// Whether attn exercise --like makes another: not where numbers stand in other files, or a mask leaves none pleasant.
bool has_others_like(const std::string& text, int difficulty) {
  Result<Sketch> sketch = sketch_like(text, digits_unless_said);
  if (!sketch) return false;
  const Result<ExerciseMaker> maker = ExerciseMaker::of(std::move(sketch.value()), difficulty, read_sketched, true);
  return maker && maker.value().finds_any();
}

// How to practise what did not go well: another problem of that kind, and a quiz on it.
std::vector<std::string> practice(const QuizOptions& options, const std::string& text, const Problem& problem,
                                  const Trace& trace, const Quiz& quiz) {
  std::size_t asked = 0, right = 0;
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < quiz.records().size(); ++i) {
    const QuizRecord& record = quiz.records()[i];
    if (!record.is_settled() && record.tries == 0) continue;
    ++asked;
    right += record.is_right_at_first() ? 1 : 0;
    const std::string& step = quiz.plan().questions[i].step;
    if (!record.is_right_at_first() && (steps.empty() || steps.back() != step)) steps.push_back(step);
  }
  if (!trace.attention() || asked == 0) return {};
  // Where half went wrong small numbers come first.
  const int difficulty = 2 * right < asked ? 1 : right < asked ? 2 : harder_than(trace);
  const bool is_alike =
      !problem.block && !trace.batched && !quiz.plan().is_selection && has_others_like(text, difficulty);
  std::string exercise = "attn exercise";
  exercise += is_alike ? " --like " + shell_file(options.file) : sizes_as_options(problem, trace);
  const bool is_taken = std::filesystem::path(options.file).filename() == "practice.json";
  const std::string other = is_taken ? "practice-2.json" : "practice.json";
  exercise += fmt::format(" --difficulty {} -o {}", difficulty, other);
  std::string again = "attn quiz " + other;
  if (is_alike && !steps.empty()) {
    std::string names;
    for (const std::string& step : steps) names += (names.empty() ? "" : ",") + step;
    again += " --steps " + names;
  }
  return {exercise, again};
}

void QuizOptions::declare(CommandLine& line) {
  line.add_option("FILE", file, "a problem", {.is_required = true});
  line.begin_group("What is asked");
  line.add_option("--steps", steps, "only these steps, by their ids or symbols; * and ? stand for any letters and one",
                  {.value = "STEP,STEP", .is_single = true, .splits_commas = true});
  line.add_option("--tries", tries, "of each question, before the answer is shown",
                  {.value = "N", .shows_default = true});
  line.add_option("--batch", batch, "about this sequence, counted from 1; else the first", {.value = "I"});
  line.add_option("--transcript", transcript, "write what was answered, for attn check to read", {.value = "FILE"});
  line.begin_group("How it is written");
  line.add_option("--precision", rendering.precision, "decimals shown", {.value = "N"});
  line.add_option("--color", rendering.color, "when there is colour",
                  {.value = "WHEN", .choices = {"auto", "always", "never"}, .shows_default = true});
  line.add_flag("--ascii", rendering.ascii, "nothing but ASCII characters");
  computing.declare(line);
  line.remove_option("--hand-rounding");
}

Exit QuizOptions::run() const {
  refuse_quiz_files(*this);
  const Rendering look = understood(rendering);
  const std::size_t most_tries = whole_number("--tries", tries, "number of tries", 1, 100);
  const std::string text = text_of(file, rendering.color_of_errors());
  Problem problem = open_problem_text(text, file, computing, rendering.color_of_errors());
  refuse_transcript(transcript);
  const Attention& attention = problem.attention();
  const std::size_t sequence = batch.empty() ? 1 : whole_number("--batch", batch, "sequence", 1, attention.batch);
  MarkingRule rule;
  rule.problem_rounding = problem.take_hand_rounding();

  Computation computation(problem);
  std::vector<std::string> asked = picked_steps(steps, computation);
  const KnownSteps known = KnownSteps::of(computation.whole(), possible_steps);
  const Trace trace = compute(computation, computing);
  if (asked.empty()) asked = steps_of_quiz(trace, steps_to_work_out(trace));
  QuizPlan plan = quiz_plan(trace, asked, sequence - 1);
  if (plan.questions.empty()) {
    throw Refusal("there is nothing to ask: no step of it is to be worked out", "name steps: --steps result");
  }
  const Checker checker(trace, rule);
  Quiz quiz(checker, std::move(plan), most_tries);
  Session session(trace, quiz, known, look);
  session.run();
  session.end(practice(*this, text, problem, trace, quiz));
  if (!transcript.empty()) {
    const auto why = write_file(transcript, [&](Sink& sink) { sink.write(answers_json(quiz.answers())); });
    if (why) throw not_written(transcript, *why);
    say("attn: " + printable(transcript) + " has the answers: attn check " + shell_file(file) + " " +
        shell_file(transcript) + "\n");
  }
  session.refuse_lost_answers();
  return quiz.has_wrong() && quiz.report().verdict == Verdict::wrong ? Exit::differs : Exit::done;
}

}  // namespace

Command quiz_command() {
  return command<QuizOptions>({.name = "quiz",
                               .summary = "Ask somebody step by step, with hints",
                               .group = "Mark",
                               .examples = {"attn quiz data/worked-example.json",
                                            "attn quiz data/worked-example.json --steps S,A --transcript mine.json"}});
}

}  // namespace attn
