#include "cli/render.h"

#include <algorithm>
#include <filesystem>

#include "base/numbers.h"
#include "base/suggest.h"
#include "base/text.h"
#include "files/files_read.h"

namespace attn {
namespace {

// The first target that `matches` says yes to, of formats for people and for programs alike.
template <class Matches>
std::optional<Target> target(std::span<const ProgramFormat> for_programs, Matches matches) {
  for (const Format& format : formats()) {
    if (matches(format.name, format.ending)) return Target{"", &format, std::string(format.name)};
  }
  for (const ProgramFormat& one : for_programs) {
    if (matches(one.name, one.ending)) return Target{"", nullptr, one.name};
  }
  return std::nullopt;
}

std::vector<std::string> format_names(std::span<const ProgramFormat> for_programs) {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  for (const ProgramFormat& one : for_programs) names.push_back(one.name);
  return names;
}

std::optional<Exit> find_targets(const RenderOptions& options, std::span<const ProgramFormat> for_programs,
                                 Rendering& rendering) {
  const auto named = [&](const std::string& format) {
    return target(for_programs, [&](std::string_view name, std::string_view) { return name == format; });
  };
  if (!options.format.empty() && !named(options.format)) {
    return complain_of_choice("--format", options.format, format_names(for_programs));
  }
  for (const std::string& path : options.outputs) {
    const std::string ending = std::filesystem::path(path).extension().string();
    std::optional<Target> found =
        target(for_programs, [&](std::string_view, std::string_view of_format) { return of_format == ending; });
    if (!found && !options.format.empty()) found = named(options.format);
    if (!found) {
      return complain("the ending of `" + path + "` names no format",
                      ending == ".pdf"
                          ? "write a page (-o x.html) and print it, or a handout (--standalone -o x.tex) and run "
                            "pdflatex on it"
                          : "give --format: " + listed(format_names(for_programs)));
    }
    found->path = path;
    rendering.targets.push_back(*found);
  }
  if (options.outputs.empty()) rendering.targets.push_back(*named(options.format.empty() ? "text" : options.format));
  return std::nullopt;
}

std::optional<Exit> find_precision(const std::string& typed, std::optional<int>& precision) {
  if (typed.empty()) return std::nullopt;
  std::size_t value = 0;
  if (!parse_natural(typed, value) || value > 17) {
    return complain("`" + typed + "` is no number of decimals", "--precision takes a whole number from 0 to 17");
  }
  precision = static_cast<int>(value);
  return std::nullopt;
}

// A setting is for a target that has it, and has a value that it knows.
std::optional<Exit> find_settings(const RenderOptions& options, Rendering& rendering) {
  for (const auto& [name, value] : options.settings) {
    const Format* owner = nullptr;
    bool is_wanted = false;
    for (const Format& format : formats()) {
      const auto setting = std::ranges::find(format.settings, name, &FormatSetting::name);
      if (setting == format.settings.end()) continue;
      owner = &format;
      const std::vector<std::string> known(setting->values.begin(), setting->values.end());
      if (!known.empty() && std::ranges::find(known, value) == known.end()) {
        return complain_of_choice("--" + name, value, known);
      }
      is_wanted = is_wanted || std::ranges::any_of(rendering.targets, [&](const Target& one) {
                    return one.format && one.format->name == format.name;
                  });
    }
    if (!is_wanted) {
      const std::string of(owner->name);
      return complain("--" + name + " is for the format " + of + ", and nothing is written in it",
                      "say --format " + of + ", or -o FILE" + std::string(owner->ending));
    }
  }
  rendering.settings = options.settings;
  return std::nullopt;
}

std::optional<ColorChoice> color_named(std::string_view name) {
  if (name == "auto") return ColorChoice::automatic;
  if (name == "always") return ColorChoice::always;
  if (name == "never") return ColorChoice::never;
  return std::nullopt;
}

}  // namespace

const std::vector<ProgramFormat>& json_alone() {
  static const std::vector<ProgramFormat> all = {{"json", ".json"}};
  return all;
}

bool Rendering::wants_behind() const {
  return std::ranges::any_of(targets, [](const Target& one) { return one.format && one.format->wants_behind; });
}

Exit complain_of_choice(const std::string& option, const std::string& typed, const std::vector<std::string>& known) {
  return complain(option + " cannot be `" + typed + "`" + did_you_mean(typed, known),
                  option + " takes " + listed(known));
}

void RenderOptions::declare(CommandLine& line, std::span<const ProgramFormat> for_programs) {
  declare_formats(line, for_programs);
  line.add_option("--precision", precision, "decimals shown").type_name("N");
}

void RenderOptions::declare_formats(CommandLine& line, std::span<const ProgramFormat> for_programs) {
  line.add_option("--format", format, "how it is written: " + listed(format_names(for_programs))).type_name("NAME");
  line.add_option("-o,--output", outputs, "write to a file, in the format of its ending; may be given several times")
      .type_name("FILE")
      .one_at_a_time();
  line.add_option("--color", color, "auto, always, never").type_name("WHEN").shows_default();
  line.add_flag("--ascii", ascii, "nothing but ASCII characters, as text");
  for (const Format& one : formats()) {
    for (const FormatSetting& setting : one.settings) {
      const std::string name(setting.name);
      const std::string help = std::string(one.name) + ": " + std::string(setting.summary);
      if (setting.values.empty()) {
        line.add_flag(
            "--" + name, [this, name] { settings[name] = ""; }, help);
      } else {
        line.add_option(
                "--" + name, [this, name](const std::string& value) { settings[name] = value; },
                help + ": " + listed({setting.values.begin(), setting.values.end()}))
            .type_name("NAME");
      }
    }
  }
}

ColorChoice RenderOptions::color_of_errors() const { return color_named(color).value_or(ColorChoice::automatic); }

std::optional<Exit> understand(const RenderOptions& options, std::span<const ProgramFormat> for_programs,
                               Rendering& rendering) {
  rendering.ascii = options.ascii;
  if (const auto wrong = find_targets(options, for_programs, rendering)) return wrong;
  if (const auto wrong = find_settings(options, rendering)) return wrong;
  if (const auto wrong = find_precision(options.precision, rendering.precision)) return wrong;
  if (!color_named(options.color)) return complain_of_choice("--color", options.color, {"auto", "always", "never"});
  rendering.color = *color_named(options.color);
  return refuse_to_overwrite(rendering);  // what is read later is found when something is written
}

std::string rendered(const Document& document, const Target& target, const Rendering& rendering) {
  const bool to_screen = target.path.empty();
  FormatOptions format;
  format.width = to_screen ? terminal_width() : 80;
  format.color = to_screen ? colored(rendering.color) : rendering.color == ColorChoice::always;
  format.ascii = rendering.ascii;
  format.full = rendering.full;
  for (const FormatSetting& setting : target.format->settings) {
    const auto set = rendering.settings.find(setting.name);
    if (set != rendering.settings.end()) format.settings.insert(*set);
  }
  return target.format->write(document, format);
}

Exit write_out(const Rendering& rendering, const std::function<std::string(const Target&)>& text) {
  return hand_out(rendering, [&](const Target& target, Sink& sink) { sink.write(text(target)); });
}

std::optional<Exit> refuse_to_overwrite(const Rendering& rendering) {
  std::map<std::string, std::string> earlier;  // by identity
  for (const Target& target : rendering.targets) {
    if (target.path.empty()) continue;
    if (const auto read = name_of_read(target.path)) {
      return complain("`-o " + target.path + "` would replace " +
                          (*read == target.path ? "a file that is read here" : "`" + *read + "`, which is read here"),
                      "give the output another name");
    }
    const std::string identity = file_identity(target.path);
    if (identity.empty()) continue;
    const auto [same, is_new] = earlier.emplace(identity, target.path);
    if (is_new) continue;
    return complain("`-o " + same->second + "` and `-o " + target.path + "` are one file",
                    "give each a name of its own");
  }
  return std::nullopt;
}

Exit hand_out(const Rendering& rendering, const std::function<void(const Target&, Sink&)>& write) {
  if (const auto wrong = refuse_to_overwrite(rendering)) return *wrong;
  for (const Target& target : rendering.targets) {
    const auto writing = [&](Sink& sink) { write(target, sink); };
    if (target.path.empty()) {
      if (!print(writing)) return complain("standard output cannot be written", "", Exit::wrong_environment);
    } else if (const auto why = write_file(target.path, writing)) {
      return complain(target.path + " cannot be written: " + *why, "", Exit::wrong_environment);
    }
  }
  return Exit::done;
}

Exit render(const Document& document, const Rendering& rendering) {
  return write_out(rendering, [&](const Target& target) { return rendered(document, target, rendering); });
}

}  // namespace attn
