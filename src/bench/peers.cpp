#include "bench/peers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/text.h"
#include "bench/peers_script.h"

namespace attn {
namespace {

constexpr std::array<std::string_view, 3> libraries_known = {"numpy", "torch", "onnxruntime"};

// What stands behind `word` and a space; nothing where the line begins otherwise.
std::optional<std::string> after(std::string_view word, const std::string& line) {
  if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ') return std::nullopt;
  return line.substr(word.size() + 1);
}

// As JSON without a space.
std::string in_one_word(const ModelSizes& model) {
  const nlohmann::json json = {{"layers", model.layers},
                               {"hidden", model.hidden},
                               {"vocabulary", model.vocabulary},
                               {"norm_first", model.norm_first},
                               {"norm", model.norm},
                               {"ends_with_norm", model.ends_with_norm},
                               {"biased", model.biased},
                               {"turned", model.turned},
                               {"activation", model.activation},
                               {"apart", model.apart}};
  std::string text;
  for (const char character : json.dump())
    text += character == ' ' ? std::string("\\u0020") : std::string(1, character);
  return text;
}

std::string request_to_prepare(std::size_t way, const Workload& work) {
  return fmt::format("prepare {} {} {} {} {} {} {} {} {} {:d} {} {}", way, work.batch, work.heads, work.kv_heads,
                     work.queries, work.keys, work.key_width, work.value_width, work.model_width, work.causal,
                     name(work.dtype), work.model ? in_one_word(*work.model) : "-");
}

// A Python process, spoken to line by line over a socket: writing to a pipe that
// nobody reads any more would end this program.
class Process {
 public:
  Process(const std::string& python, std::string_view library, std::size_t threads) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    const std::string of(library);
    const std::string count = std::to_string(threads);
    const std::string script = peers_script.text();
    const std::array<const char*, 6> words = {python.c_str(), "-c", script.c_str(), of.c_str(), count.c_str(), nullptr};
    socket_ = ends[0];
    id_ = ::fork();
    if (id_ == 0) become(words, ends[1]);
    ::close(ends[1]);
  }

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  ~Process() {
    if (socket_ >= 0) ::close(socket_);
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  // The answer to a line; nothing where the process has ended.
  std::optional<std::string> ask(const std::string& line) {
    if (id_ <= 0) return std::nullopt;
    ::kill(id_, SIGCONT);
    const std::string text = line + "\n";
    if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
      return std::nullopt;
    std::optional<std::string> answer = read_line();
    ::kill(id_, SIGSTOP);
    return answer;
  }

  std::optional<std::string> read_line() {
    while (true) {
      const std::size_t end = read_.find('\n');
      if (end != std::string::npos) {
        std::string line = read_.substr(0, end);
        read_.erase(0, end + 1);
        return line;
      }
      std::array<char, 4096> part{};
      const ssize_t count = ::read(socket_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      read_.append(part.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  // In the child, where only calls that are safe after fork() may be made.
  [[noreturn]] static void become(const std::array<const char*, 6>& words, int end) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a stopped process would outlive this program
#endif
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(end, STDIN_FILENO);
    ::dup2(end, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);  // where it did not open, errors go where they went
    ::execvp(words[0], const_cast<char* const*>(words.data()));
    ::_exit(127);
  }

  int socket_ = -1;
  pid_t id_ = -1;
  std::string read_;
};

// One of the ways in which a library computes attention.
class Way final : public Peer {
 public:
  Way(std::shared_ptr<Process> process, std::size_t number, std::string name)
      : process_(std::move(process)), number_(number), name_(std::move(name)) {}

  std::string name() const override { return name_; }

  std::string prepare(const Workload& workload) override {
    const std::optional<std::string> answer = process_->ask(request_to_prepare(number_, workload));
    if (!answer) return "its process has ended";
    if (*answer == "ready") return "";
    return after("no", *answer).value_or("it answered `" + *answer + "`");
  }

  std::optional<double> seconds() override {
    const std::optional<std::string> answer = process_->ask("time " + std::to_string(number_));
    const std::optional<std::string> number = answer ? after("seconds", *answer) : std::nullopt;
    double seconds = 0;
    if (!number || !parse_number(*number, seconds) || seconds <= 0) return std::nullopt;
    return seconds;
  }

 private:
  std::shared_ptr<Process> process_;
  std::size_t number_;
  std::string name_;
};

}  // namespace

Result<Peers> start_peers(const std::string& python, std::size_t threads, bool of_models) {
  Peers peers;
  bool is_python = false;
  std::string answered;  // last
  for (const std::string_view library : libraries_known) {
    if (of_models && library != "torch") continue;
    auto process = std::make_shared<Process>(python, library, threads);
    const std::optional<std::string> hello = process->ask("hello");
    const std::vector<std::string> told = split(hello.value_or("missing\tPython has ended"), '\t');
    const bool is_there = told.size() > 1 && told[0] == "have";
    const bool is_missing = told.size() > 1 && told[0] == "missing";
    is_python = is_python || (hello && (is_there || is_missing));
    if (hello) answered = *hello;
    peers.libraries.push_back({.name = std::string(library),
                               .version = is_there ? told[1] : "",
                               .missing = is_there     ? ""
                                          : is_missing ? told[1]
                                                       : answered});
    for (std::size_t at = 2; is_there && at < told.size(); ++at) {
      const std::optional<std::string> of_model = after("model", told[at]);
      auto& ways = of_model ? peers.model_ways : peers.ways;
      ways.push_back(std::make_unique<Way>(process, at - 2, of_model.value_or(told[at])));
    }
  }
  if (is_python) return peers;
  constexpr std::size_t shown_columns = 40;
  return Diagnostic{.code = "no-python",
                    .message = answered.empty()
                                   ? "there is no Python `" + python + "` to run numpy, torch and onnxruntime with"
                                   : "`" + python + "` is no Python: it answered `" +
                                         shortened(printable(answered), shown_columns) + "`",
                    .help = "--python FILE names another; without --compare none is needed"};
}

}  // namespace attn
