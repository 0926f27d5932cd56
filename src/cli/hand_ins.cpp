#include "cli/hand_ins.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "files/input_file.h"
#include "reading/answers/file.h"
#include "reading/text_file.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

// Says what of a folder is not read.
void say_left_out(const std::string& folder, std::vector<std::string> names) {
  constexpr std::size_t most = 8;
  if (names.empty()) return;
  say("attn: note: left out of " + printable(folder) + ": " + printable(listed(first_of(std::move(names), most))) +
      "\n");
}

// What cannot be followed to its end leads out, too.
bool leads_out(const fs::directory_entry& entry) {
  std::error_code unknown;
  if (!entry.is_symlink(unknown)) return false;
  const fs::path parent = entry.path().parent_path();
  const fs::path folder = followed(parent.empty() ? "." : parent), found = followed(entry.path());
  return folder.empty() || found.empty() || std::ranges::mismatch(folder, found).in1 != folder.end();
}

void add_folder(const std::string& folder, const std::string& problem, std::vector<std::string>& files) {
  std::vector<std::string> left_out;
  const std::size_t before = files.size();
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::string name = entry.path().filename().string();
    const std::string path = entry.path().lexically_normal().string();
    std::error_code unknown;
    const bool is_problem = problem != "-" && fs::equivalent(entry.path(), problem, unknown);
    const bool is_read = !name.starts_with('.') && is_own_file(entry) && is_answers_file(name);
    if (is_read && !is_problem) {
      files.push_back(path);
    } else {
      left_out.push_back(name + (is_problem ? " (the problem)" : why_left_out(entry)));
    }
  }
  say_left_out(folder, std::move(left_out));
  if (files.size() == before) {
    throw Refusal("the folder `" + folder + "` has no answers", "its .json, .csv and .txt files are read")
        .at({.value = folder});
  }
}

HandIn read_file(const std::string& file, const std::string& step, const KnownSteps& known, const RenderOptions& look) {
  const auto failed = [&](const Diagnostics& faults, std::string_view text) {
    return HandIn{{file},
                  std::nullopt,
                  faults.front().message,
                  Refusal(faults, text, file, look.color_of_errors()).say(look.format_of_errors())};
  };
  const Result<std::string> text = read_writing(file);
  if (!text) return failed(text.faults(), "");
  Result<Answers> answers = read_answers_of(file, text.value(), step, known);
  if (!answers) return failed(answers.faults(), text.value());
  return {{file}, std::move(answers.value())};
}

// Whose a file is: the folder it is in and what it is called before a step's name. Files
// that name no step are one person's only beside others that do.
class People {
 public:
  People(const std::vector<std::string>& files, const KnownSteps& known) {
    for (const std::string& file : files) {
      const FileOfAnswers name = named_by_file(file, known);
      keys_.push_back(file == "-" ? "" : fs::path(file).parent_path().string() + "/\n" + name.person);
      names_.push_back(name.step.empty() ? "" : name.person);
      if (file != "-" && !name.step.empty()) with_steps_.insert(keys_.back());
    }
  }

  // The same for files of one person; empty for a file that stands alone.
  std::string key(std::size_t file) const { return with_steps_.contains(keys_[file]) ? keys_[file] : ""; }

  // Empty where the file's name does not say it beside a step.
  const std::string& name(std::size_t file) const { return names_[file]; }

 private:
  std::vector<std::string> keys_, names_;
  std::set<std::string> with_steps_;  // keys
};

// Adds one file's steps to those of others; or says why not.
void add_to(HandIn& into, HandIn more, const RenderOptions& look) {
  for (AnsweredStep& step : more.answers->steps) {
    const auto same = std::ranges::find(into.answers->steps, step.id, &AnsweredStep::id);
    if (same != into.answers->steps.end()) {
      const Diagnostic fault{.code = "duplicate-step",
                             .where = "",
                             .message = step.id + " is handed in already, with " + into.files.front(),
                             .help = "files that are called alike before the step's name are one hand-in"};
      const Refusal refusal(Diagnostics{fault}, "", more.files.front(), look.color_of_errors());
      into.code = std::max(into.code, refusal.say(look.format_of_errors()));
      into.error = fault.message;
      into.answers.reset();
      break;
    }
    into.answers->steps.push_back(std::move(step));
  }
  into.files.push_back(more.files.front());
  if (into.answers && into.answers->name.empty()) into.answers->name = more.answers->name;
}

Refusal unreadable(const std::string& path, const std::error_code& error) {
  return Refusal(refused_by_system("`" + path + "` cannot be read", error.value(), "unreadable")).at({.value = path});
}

// Where the machine is to blame that it could not be found out.
void refuse_fault_of_machine(const fs::path& path, const std::error_code& error) {
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  if (is_fault_of_machine(error.value())) throw unreadable(path.string(), error);
}

}  // namespace

fs::path followed(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  refuse_fault_of_machine(path, error);
  return error ? fs::path() : found;
}

fs::file_type kind_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status found = fs::status(path, error);
  refuse_fault_of_machine(path, error);
  return found.type();
}

std::vector<fs::directory_entry> entries_of(const std::string& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) entries.push_back(*at);
  if (error) throw unreadable(folder, error);
  std::ranges::sort(entries, {}, [](const fs::directory_entry& entry) { return entry.path().filename().string(); });
  return entries;
}

bool is_own_file(const fs::directory_entry& entry) {
  std::error_code unknown;
  return entry.is_regular_file(unknown) && !leads_out(entry);
}

bool is_own_folder(const fs::directory_entry& entry) {
  std::error_code unknown;
  return entry.is_directory(unknown) && !leads_out(entry);
}

std::string why_left_out(const fs::directory_entry& entry) {
  std::error_code unknown;
  if (leads_out(entry)) return " (a link to elsewhere)";
  return entry.is_regular_file(unknown) || entry.is_directory(unknown) ? "" : " (no file)";
}

std::vector<fs::path> json_files_of(const std::string& folder) {
  std::vector<fs::path> files;
  std::vector<std::string> left_out;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    if (entry.path().extension() != ".json") continue;
    if (is_own_file(entry)) {
      files.push_back(entry.path());
    } else {
      left_out.push_back(entry.path().filename().string() + why_left_out(entry));
    }
  }
  say_left_out(folder, std::move(left_out));
  return files;
}

std::vector<std::string> answer_files(const std::vector<std::string>& words, const std::string& problem) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    if (word != "-" && kind_of(word) == fs::file_type::directory) {
      add_folder(word, problem, files);
    } else {
      files.push_back(word);
    }
  }
  return files;
}

std::vector<HandIn> read_hand_ins(const std::vector<std::string>& files, const std::string& step,
                                  const KnownSteps& known, const RenderOptions& look) {
  const People people(files, known);
  std::vector<HandIn> hand_ins;
  std::map<std::string, std::size_t> places;  // of the hand-in of each key
  for (std::size_t file = 0; file < files.size(); ++file) {
    HandIn read = read_file(files[file], step, known, look);
    if (read.answers && read.answers->name.empty()) read.answers->name = people.name(file);
    const std::string key = read.answers ? people.key(file) : "";
    const auto [same, is_new] = places.emplace(key, hand_ins.size());
    const bool is_more = !key.empty() && !is_new && hand_ins[same->second].answers;
    if (is_more) {
      add_to(hand_ins[same->second], std::move(read), look);
    } else {
      hand_ins.push_back(std::move(read));
    }
  }
  return hand_ins;
}

}  // namespace attn
