#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "explain/document.h"
#include "exports/export.h"
#include "formats/format.h"

namespace attn {

// The options that say in which format something is written, where to, and how
// it looks there, as typed.
struct RenderOptions {
  std::string format;
  std::string format_option = "--format";  // what says so: "--json", where that alone says which
  std::vector<std::string> outputs;
  std::string precision;
  std::string color = "auto";
  bool ascii = false;
  std::map<std::string, std::string, std::less<>> settings;  // of formats, as typed; of a switch ""

  // What the output shows: settings of formats that would change nothing else are left out.
  enum class Shows { words, numbers, steps };

  // --format names these besides the formats for people.
  void declare(CommandLine& line, Shows shows, std::span<const Export> for_programs = {});

  // Whether the faults of a file are reported in colour; what --color says, if
  // it says anything that means something.
  ColorChoice color_of_errors() const;

  // As JSON where that is the format.
  ErrorFormat format_of_errors() const;
};

// One place where output goes, and what writes it.
struct Target {
  std::string path = {};             // empty: standard output
  const Format* format = nullptr;    // for people; null: for programs
  const Export* exported = nullptr;  // then: in which format

  std::string name() const { return format ? std::string(format->name) : exported->name; }
};

// What the options mean, once they are known to mean something.
struct Rendering {
  std::vector<Target> targets;
  std::optional<int> precision;
  ColorChoice color = ColorChoice::automatic;
  FormatOptions look;  // `full` is for the caller to set; width and colour are the target's

  // Whether some target shows Document::behind.
  bool wants_behind() const;
};

// What they mean; a Refusal says what is wrong with them. A command that writes for
// people only has no formats for programs.
Rendering understood(const RenderOptions& options, std::span<const Export> for_programs = {});

// The document as it is written to that target. REQUIRES: target.format.
std::string rendered(const Document& document, const Target& target, const Rendering& rendering);

// The same into a sink; returns what the format hints at.
std::vector<std::string> render(const Document& document, const Target& target, const Rendering& rendering, Sink& sink);

// What whoever runs the program may ask it for, to see more than was written. Documents speak to
// their readers, who do not: so it goes to standard error.
class Hints {
 public:
  // Beside --brief, with which --full is refused, it is said to go in its place.
  explicit Hints(bool is_brief = false) : is_brief_(is_brief) {}

  // Writes a document and keeps what it and its format hint at.
  void render(const Document& document, const Target& target, const Rendering& rendering, Sink& sink);

  void say() const;

 private:
  struct Hint {
    std::string words;
    std::vector<std::string> files;  // that it is about; none of standard output
  };
  void add(std::string words, const std::string& file);

  bool is_brief_;
  std::vector<Hint> hints_;
};

// Where -o says that output goes: a file's name, or, of "-", the empty one of standard output.
// Throws Refusal for "=x.html", which is typed without a blank.
std::string path_of_output(const std::string& typed);

// Refuses an output that is a file that was read, by whatever name. `option` is what the path stands behind, as
// declared.
void refuse_to_replace(const std::string& path, const std::string& option);

// The same of every output, which stand behind -o, and two outputs that are one.
void refuse_to_overwrite(const Rendering& rendering);

// Writes to every target what `write` hands over for it; a file whole or not at all,
// and none where one of them is not to be overwritten.
Exit hand_out(const Rendering& rendering, const std::function<void(const Target&, Sink&)>& write);

// The same of a document, and for programs of what `json` gives.
Exit write_out(const Rendering& rendering, const std::function<Document()>& document,
               const std::function<std::string()>& json = {});

// What a command has for programs that writes JSON of its own and nothing else.
std::span<const Export> json_alone();
std::span<const Export> json_and_csv();

}  // namespace attn
