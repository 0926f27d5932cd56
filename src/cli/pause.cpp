#include "cli/pause.h"

#include <csignal>
#include <string>
#include <unistd.h>
#include <utility>

#include "cli/lecture.h"
#include "cli/terminal.h"
#include "explain/telling/asked.h"
#include "explain/telling/why.h"

namespace attn {
namespace {

// Why a question has no answer, as something to look at.
Document told(const std::string& question, const Diagnostic& fault) {
  Document document{{Headline{2, {"why " + question}}, Prose{{fault.message}}}};
  if (!fault.help.empty()) document.blocks.push_back(Prose{{"help: " + fault.help}});
  return document;
}

Document answer(const Trace& trace, const std::string& typed, const ExplainOptions& explaining) {
  const Result<Question> question = read_question(typed);
  if (!question) return told(typed, question.faults().front());
  const Result<Asked> asked = find_asked(trace, question.value());
  if (!asked) return told(typed, asked.faults().front());
  return why(trace, asked.value(), {.depth = {}, .precision = explaining.precision, .full = explaining.full});
}

// "scores[1,2]", or what else there is.
std::string example(const Trace& trace) {
  const Step* step = trace.attention() ? trace.find(trace.attention()->scores) : nullptr;
  if (!step) step = trace.find("result");
  if (!step) return "scores[1,2]";
  std::string indices;
  const auto dims = step->result.shape().dims();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool second = i + 1 == dims.size() && dims[i].size > 1;
    indices += (i == 0 ? "" : ",") + std::string(second ? "2" : "1");
  }
  return step->heading.id + (indices.empty() ? "" : "[" + indices + "]");
}

}  // namespace

void refuse_pause(const Rendering& rendering) {
  const Target& target = rendering.targets.front();
  if (!target.path.empty()) {
    throw Refusal("--pause shows a lecture in the terminal, and -o writes a file", "leave one of them out");
  }
  if (target.name() != "text") {
    throw Refusal("--pause shows text in the terminal, and --format says " + target.name(), "leave one of them out");
  }
  if (const std::string missing = Terminal::missing(); !missing.empty()) {
    throw Refusal("--pause needs a terminal: " + missing,
                  "leave --pause out, or start it in a terminal, with the problem in a file", Exit::wrong_environment);
  }
}

Exit pause(const Trace& trace, Document document, const ExplainOptions& explaining, const Rendering& rendering) {
  const Target& target = rendering.targets.front();
  Lecture lecture({.document = std::move(document),
                   .write = [&](const Document& part) { return rendered(part, target, rendering); },
                   .why = [&](const std::string& question) { return answer(trace, question, explaining); },
                   .example = example(trace),
                   .ascii = rendering.ascii});
  int signal = 0;
  bool is_gone = false;
  {
    Terminal terminal(colored(rendering.color));
    while (!lecture.is_over() && !is_gone && terminal.signal() == 0) {
      lecture.resize(terminal_size(STDOUT_FILENO));
      if (!terminal.show(lecture.screen())) break;
      const Terminal::Event event = terminal.next();
      if (event.key) lecture.press(*event.key);
      is_gone = event.is_over;
    }
    signal = terminal.signal();
  }
  if (signal != 0) std::raise(signal);
  return Exit::done;
}

}  // namespace attn
