#include "cli/render.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/options.h"
#include "files/input_file.h"
#include "problem/faults.h"
#include "words/language.h"

namespace attn {
namespace {

// The first target that `matches` says yes to, of formats for people and for programs alike.
template <class Matches>
std::optional<Target> target(std::span<const Export> for_programs, Matches matches) {
  for (const Format& format : formats()) {
    if (matches(format.name, format.ending)) return Target{.format = &format};
  }
  for (const Export& one : for_programs) {
    if (matches(one.name, one.ending)) return Target{.exported = &one};
  }
  return std::nullopt;
}

std::vector<std::string> format_names(std::span<const Export> for_programs) {
  std::vector<std::string> names = names_of(formats());
  std::ranges::copy(names_of(for_programs), std::back_inserter(names));
  return names;
}

std::vector<Target> find_targets(const RenderOptions& options, std::span<const Export> for_programs) {
  const auto named = [&](const std::string& format) {
    return target(for_programs, [&](std::string_view name, std::string_view) { return name == format; });
  };
  const std::vector<std::string> names = format_names(for_programs);
  if (!options.format.empty()) choice("--format", options.format, names);
  if (options.outputs.empty()) return {*named(options.format.empty() ? "text" : options.format)};
  std::vector<Target> targets;
  bool is_format_used = options.format.empty();
  for (const std::string& path : options.outputs) {
    const std::string ending = std::filesystem::path(path).extension().string();
    std::optional<Target> found =
        target(for_programs, [&](std::string_view, std::string_view of_format) { return of_format == ending; });
    if (!found && !options.format.empty()) found = named(options.format);
    if (!found && path_of_output(path).empty()) found = named("text");
    if (!found) {
      throw Refusal("the ending of `" + shown(path) + "` names no format",
                    ending == ".pdf"
                        ? "write a page (-o x.html) and print it, or a handout (--standalone -o x.tex) and run "
                          "pdflatex on it"
                        : "give --format: " + listed(names))
          .at({"-o,--output", path});
    }
    is_format_used = is_format_used || found->name() == options.format;
    found->path = path_of_output(path);
    targets.push_back(*found);
  }
  if (!is_format_used) {
    const std::string& option = options.format_option;
    const bool has_value = option == "--format";
    throw Refusal(option + (has_value ? " " + options.format : "") +
                      " is for a file whose ending names no format, and `" + shown(options.outputs.front()) +
                      "` has one that does",
                  "leave " + option + " out, or write to a name with another ending")
        .at(has_value ? Typed{option, options.format} : Typed{option});
  }
  return targets;
}

// A setting is for a target that has it, and has a value that it knows.
void check_settings(const RenderOptions& options, const std::vector<Target>& targets) {
  for (const auto& [name, value] : options.settings) {
    const Format* owner = nullptr;
    bool is_wanted = false;
    for (const Format& format : formats()) {
      const auto setting = std::ranges::find(format.settings, name, &FormatSetting::name);
      if (setting == format.settings.end()) continue;
      owner = &format;
      if (!setting->values.empty()) choice("--" + name, value, {setting->values.begin(), setting->values.end()});
      is_wanted = is_wanted || std::ranges::count(targets, &format, &Target::format) > 0;
    }
    if (!is_wanted) {
      throw Refusal(fmt::format("--{} is for the format {}, and nothing is written in it", name, owner->name),
                    fmt::format("say --format {}, or -o FILE{}", owner->name, owner->ending))
          .at({"--" + name});
    }
    const auto setting = std::ranges::find(owner->settings, name, &FormatSetting::name);
    if (!setting->needs.empty() && !options.settings.contains(std::string(setting->needs))) {
      throw Refusal(fmt::format("--{} means nothing without --{}", name, setting->needs),
                    fmt::format("say --{} too, or leave --{} out", setting->needs, name))
          .at({"--" + name});
    }
  }
}

const std::vector<std::string> color_names = {"auto", "always", "never"};  // as ColorChoice has them

}  // namespace

std::span<const Export> json_alone() { return {&*std::ranges::find(exports(), "json", &Export::name), 1}; }

std::span<const Export> json_and_csv() {
  static const std::vector<Export> both = [] {
    std::vector<Export> found;
    std::ranges::copy_if(exports(), std::back_inserter(found),
                         [](const Export& one) { return one.name == "json" || one.name == "csv"; });
    return found;
  }();
  return both;
}

bool Rendering::wants_behind() const {
  return std::ranges::any_of(targets, [](const Target& one) { return one.format && one.format->wants_behind; });
}

void RenderOptions::declare(CommandLine& line, Shows shows, std::span<const Export> for_programs) {
  line.begin_group("How it is written");
  line.add_option("--format", format, "the format", {.value = "NAME", .choices = format_names(for_programs)});
  line.add_option("-o,--output", outputs,
                  "write to a file, in the format of its ending, or to -; may be given several times",
                  {.value = "FILE", .is_single = true});
  if (shows != Shows::words) line.add_option("--precision", precision, "decimals shown", {.value = "N"});
  line.add_option("--color", color, "when there is colour",
                  {.value = "WHEN", .choices = color_names, .shows_default = true});
  line.add_flag("--ascii", ascii, "nothing but ASCII characters, as text");
  for (const Format& one : formats()) {
    for (const FormatSetting& setting : one.settings) {
      if (setting.is_about_steps && shows != Shows::steps) continue;
      const std::string name(setting.name);
      const std::string help = std::string(one.name) + ": " + std::string(setting.summary);
      if (setting.values.empty()) {
        line.add_flag(
            "--" + name, [this, name] { settings[name] = ""; }, help);
      } else {
        line.add_option("--" + name, [this, name](const std::string& value) { settings[name] = value; }, help,
                        {.value = "NAME", .choices = {setting.values.begin(), setting.values.end()}});
      }
    }
  }
}

ColorChoice RenderOptions::color_of_errors() const {
  const auto found = std::ranges::find(color_names, color);
  return found == color_names.end() ? ColorChoice::automatic : ColorChoice(found - color_names.begin());
}

ErrorFormat RenderOptions::format_of_errors() const { return format == "json" ? ErrorFormat::json : ErrorFormat::text; }

Rendering understood(const RenderOptions& options, std::span<const Export> for_programs) {
  Rendering rendering;
  rendering.look.ascii = options.ascii;
  rendering.targets = find_targets(options, for_programs);
  check_settings(options, rendering.targets);
  rendering.look.settings = options.settings;
  if (!options.precision.empty()) {
    rendering.precision = static_cast<int>(whole_number("--precision", options.precision, "number of decimals", 0, 17));
  }
  rendering.color = ColorChoice(choice("--color", options.color, color_names));
  refuse_to_overwrite(rendering);  // what is read later is found when something is written
  return rendering;
}

std::string rendered(const Document& document, const Target& target, const Rendering& rendering) {
  StringSink text;
  render(document, target, rendering, text);
  return text.take();
}

std::vector<std::string> render(const Document& document, const Target& target, const Rendering& rendering,
                                Sink& sink) {
  const bool to_screen = target.path.empty();
  FormatOptions format = rendering.look;
  format.width = to_screen ? terminal_size(STDOUT_FILENO).columns : 80;
  format.ascii = format.ascii || (to_screen && target.format->name == "text" && is_ascii_locale());
  format.color = to_screen ? colored(rendering.color) : rendering.color == ColorChoice::always;
  std::erase_if(format.settings, [&](const auto& set) {
    return std::ranges::count(target.format->settings, set.first, &FormatSetting::name) == 0;
  });
  return target.format->write(document, format, sink);
}

void Hints::render(const Document& document, const Target& target, const Rendering& rendering, Sink& sink) {
  for (const std::string& words : document.hints) add(words, target.path);
  for (const std::string& words : attn::render(document, target, rendering, sink)) {
    const auto says_it = [&](const std::string& said) { return said.ends_with(words); };
    if (std::ranges::none_of(document.hints, says_it)) add(words, target.path);
  }
}

void Hints::add(std::string words, const std::string& file) {
  const std::string all = language().telling.all_by;
  if (is_brief_ && words.ends_with(all)) {
    words.replace(words.size() - all.size(), all.size(), "--full in place of --brief shows all");
  }
  auto hint = std::ranges::find(hints_, words, &Hint::words);
  if (hint == hints_.end()) hint = hints_.insert(hint, Hint{words, {}});
  if (!file.empty()) hint->files.push_back(printable(file));
}

void Hints::say() const {
  for (const auto& [words, files] : hints_) {
    attn::say("attn: note: " + (files.empty() ? "" : listed(files) + ": ") + printable(words) + "\n");
  }
}

std::string path_of_output(const std::string& typed) {
  // Behind one letter an equals sign is of the value, and few mean it.
  if (typed.starts_with('=')) {
    throw Refusal(
        "`" + shown(typed) + "` begins with an equals sign",
        "write " + shown(typed.substr(1)) + " alone, behind a blank; or ./" + shown(typed) + " if it is meant")
        .at({"-o,--output", typed});
  }
  return typed == "-" ? "" : typed;
}

void refuse_to_replace(const std::string& path, const std::string& option) {
  const auto read = name_of_read(path);
  if (!read) return;
  throw Refusal("`" + option.substr(0, option.find(',')) + " " + path + "` would replace " +
                    (*read == path ? "a file that is read here" : "`" + *read + "`, which is read here"),
                "give the output another name")
      .at({option, path});
}

void refuse_to_overwrite(const Rendering& rendering) {
  if (std::ranges::count(rendering.targets, "", &Target::path) > 1) {
    throw Refusal("`-o -` is given twice, and standard output is one", "leave one of them out")
        .at({"-o,--output", "-"});
  }
  std::map<std::string, std::string> earlier;  // by identity
  for (const Target& target : rendering.targets) {
    if (target.path.empty()) continue;
    refuse_to_replace(target.path, "-o,--output");
    const std::string identity = file_identity(target.path);
    if (identity.empty()) continue;
    const auto [same, is_new] = earlier.emplace(identity, target.path);
    if (is_new) continue;
    throw Refusal("`-o " + same->second + "` and `-o " + target.path + "` are one file", "give each a name of its own")
        .at({"-o,--output", target.path});
  }
}

Exit hand_out(const Rendering& rendering, const std::function<void(const Target&, Sink&)>& write) {
  refuse_to_overwrite(rendering);
  for (const Target& target : rendering.targets) {
    const auto writing = [&](Sink& sink) { write(target, sink); };
    if (target.path.empty()) {
      print(writing);
    } else if (const auto why = write_file(target.path, writing)) {
      throw not_written(target.path, *why);
    }
  }
  return Exit::done;
}

Exit write_out(const Rendering& rendering, const std::function<Document()>& document,
               const std::function<std::string()>& json) {
  Hints hints;
  const Exit exit = hand_out(rendering, [&](const Target& target, Sink& sink) {
    if (!target.format) return sink.write(json());
    hints.render(document(), target, rendering, sink);
  });
  hints.say();
  return exit;
}

}  // namespace attn
