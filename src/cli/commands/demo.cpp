#include <filesystem>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/view.h"
#include "cli/worked_example.h"

namespace attn {
namespace {

// Where the file of the example is, seen from here or from where this program is installed.
std::string example_file() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path installed = fs::path("share") / "attn" / "data" / "worked-example.json";
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  for (const fs::path& file :
       {fs::path("data") / "worked-example.json", program.parent_path().parent_path() / installed}) {
    if (fs::exists(file, unknown)) return file.string();
  }
  return "";
}

std::string things_to_try() {
  const std::string file = example_file();
  std::string text = "\nThree things to try:\n";
  if (file.empty()) return text + "  attn demo -o page.html\n  attn demo --only A,C\n  attn mistakes\n";
  text += "  attn why " + file + " 'C[1,2]'\n";
  text += "  attn check " + file + " --template text -o mine.txt\n";
  return text + "  attn run " + file + " -o page.html\n";
}

class DemoOptions {
 public:
  ComputeOptions computing;
  ViewOptions viewing;

  void declare(CommandLine& line) {
    viewing.declare(line);
    computing.declare(line);
    computing.declare_algorithm(line);
  }
  Exit run() const {
    const RenderOptions& rendering = viewing.rendering;
    const bool is_printed = rendering.outputs.empty() || rendering.outputs == std::vector<std::string>{"-"};
    const bool is_text = is_printed && (rendering.format.empty() || rendering.format == "text");
    ViewOptions shown = viewing;
    shown.brief = shown.brief || (is_text && !asks_for_more());
    const Exit code = show(open_problem_text(worked_example, "worked-example.json", computing), computing, shown);
    if (code == Exit::done && is_text && !viewing.pause) say(things_to_try());
    return code;
  }

 private:
  // Whether the words say themselves how much is shown.
  bool asks_for_more() const {
    return viewing.full || viewing.at_once || !viewing.level.empty() || !viewing.only.empty() || !viewing.query.empty();
  }
};

}  // namespace

Command demo_command() {
  return command<DemoOptions>({.name = "demo",
                               .summary = "Show the built-in worked example, step by step",
                               .group = "See every number",
                               .examples = {"attn demo", "attn demo --full", "attn demo --only A,C --explain cells"}});
}

}  // namespace attn
