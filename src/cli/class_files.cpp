#include "cli/class_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/hand_ins.h"
#include "files/input_file.h"
#include "problem/faults.h"
#include "reading/answers/file.h"
#include "reading/roster.h"
#include "tokenizers/unicode.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

// Deeper folders are nobody's hand-in.
constexpr int most_levels = 6;

// "Anna Müller", where a course's server calls the folder "Anna Müller_1234_assignsubmission_file_".
std::string named_by_folder(std::string name) {
  const std::size_t server = name.find("_assignsubmission_");
  if (server == std::string::npos) return name;
  name.resize(server);
  const std::size_t number = name.find_last_not_of("0123456789");
  return number != std::string::npos && name[number] == '_' ? name.substr(0, number) : name;
}

class ClassFiles {
 public:
  ClassFiles(const KnownSteps& known, std::vector<std::string>& left_out) : known_(known), left_out_(left_out) {}

  void add_word(const std::string& word) {
    if (word == "-") return add_file(word);
    const fs::file_type kind = kind_of(word);
    if (kind == fs::file_type::not_found || kind == fs::file_type::none) {
      throw Refusal("there is no file and no folder `" + shown(word) + "`",
                    "is it spelled as it is called? ls shows all")
          .at({.value = word});
    }
    if (kind != fs::file_type::directory) return add_file(word);
    const std::size_t before = all_.size();
    for (const fs::directory_entry& entry : entries_of(word)) add_entry(entry);
    if (all_.size() == before)
      throw Refusal("the folder `" + word + "` has no answers",
                    "a hand-in is a .json, .csv or .txt file, or a folder of such files")
          .at({.value = word});
  }

  // Files of one name in folders of their own, anna/answers.json and ben/answers.json, are those of
  // the folders' people.
  std::vector<FilesOfPerson> take() {
    std::map<std::string, std::size_t> of_name, in_folder;
    for (const FilesOfPerson& one : all_) {
      ++of_name[person_key(one.name)];
      ++in_folder[one.folder];
    }
    for (FilesOfPerson& one : all_) {
      if (of_name[person_key(one.name)] < 2 || in_folder[one.folder] > 1 || one.folder.empty()) continue;
      one.name = named_by_folder(one.folder);
    }
    return std::move(all_);
  }

 private:
  void add_entry(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    const std::string path = entry.path().lexically_normal().string();
    if (name.starts_with('.') || name == "__MACOSX" || name_of_read(path)) return;
    if (is_own_folder(entry)) return add_folder_of_person(path, name);
    if (is_own_file(entry) && is_answers_file(name)) return add_file(path);
    left_out_.push_back(path);
  }

  void add_folder_of_person(const std::string& folder, const std::string& name) {
    FilesOfPerson person{.name = named_by_folder(name), .folder = name};
    std::vector<std::string> others;
    // A folder of nothing but problems that were read is nobody's.
    if (!gather(folder, 1, person.files, others) && person.files.empty() && others.empty()) return;
    if (person.files.empty()) {
      person.problem = others.empty() ? "the folder is empty"
                                      : "none of these is a .json, .csv or .txt file: " + shown_names(others);
      person.files.push_back(folder);
    }
    all_.push_back(std::move(person));
  }

  // Returns false where there are files that were read already.
  static bool gather(const std::string& folder, int level, std::vector<std::string>& files,
                     std::vector<std::string>& others) {
    bool is_new = true;
    for (const fs::directory_entry& entry : entries_of(folder)) {
      const std::string name = entry.path().filename().string();
      const std::string path = entry.path().lexically_normal().string();
      std::error_code unknown;
      const bool was_read = name_of_read(path).has_value();
      is_new = is_new && !was_read;
      if (name.starts_with('.') || was_read) continue;
      if (entry.is_directory(unknown) && !entry.is_symlink(unknown) && level < most_levels) {
        is_new = gather(path, level + 1, files, others) && is_new;
      } else {
        (is_own_file(entry) && is_answers_file(name) ? files : others).push_back(path);
      }
    }
    return is_new;
  }

  static std::string shown_names(std::vector<std::string> paths) {
    constexpr std::size_t most = 4;
    for (std::string& path : paths) path = fs::path(path).filename().string();
    if (paths.size() > most) {
      paths.resize(most);
      paths.emplace_back("…");
    }
    return printable(listed(paths));
  }

  // Files that name no step are one person's only beside others that do.
  void add_file(const std::string& file) {
    const fs::path path(file);
    const FileOfAnswers named = file == "-" ? FileOfAnswers{} : named_by_file(file, known_);
    FilesOfPerson person{.name = named.person.substr(0, named.person.find('.')),
                         .folder = path.parent_path().filename().string(),
                         .files = {file}};
    person.whole_name = named.person.empty() && file != "-" ? path.stem().string() : named.person;
    if (person.name.empty() && !named.step.empty()) person.name = person.folder;
    // J. Doe and J. Smith are two, though both names are J up to the point.
    const std::string& whose = named.person.empty() ? person.name : named.person;
    const std::string key = path.parent_path().string() + "/\n" + person_key(whose);
    const bool is_part = !named.step.empty() && !person.name.empty();
    const auto [same, is_first] = of_person_.emplace(key, Place{all_.size(), is_part});
    if (!is_first && (is_part || same->second.has_parts)) {
      same->second.has_parts = true;
      all_[same->second.index].files.push_back(file);
      return;
    }
    all_.push_back(std::move(person));
  }

  const KnownSteps& known_;
  std::vector<std::string>& left_out_;
  std::vector<FilesOfPerson> all_;
  struct Place {
    std::size_t index;
    bool has_parts;  // files of single steps
  };
  std::map<std::string, Place> of_person_;  // by folder and person: the first hand-in
};

}  // namespace

std::vector<FilesOfPerson> files_of_class(const std::vector<std::string>& words, const KnownSteps& known,
                                          std::vector<std::string>& left_out) {
  ClassFiles files(known, left_out);
  for (const std::string& word : words) files.add_word(word);
  return files.take();
}

std::string loose_person_key(std::string_view name) {
  // "Anna (1)": a browser's second download.
  const std::size_t copy = name.rfind(" (");
  if (copy != std::string_view::npos && name.ends_with(')')) name = name.substr(0, copy);
  const std::string apart = normalised(person_key(name), NormalForm::nfkd);
  const auto is_mark = [](char32_t point) {
    return (point >= 0x300 && point < 0x370) || (point >= 0x2010 && point <= 0x201f);
  };
  std::string key;
  for (std::size_t at = 0; at < apart.size();) {
    const CodePoint point = code_point(apart, at);
    const bool counts = point.bytes > 1 ? !is_mark(point.value) : is_ascii_alnum(apart[at]);
    if (counts) key += apart.substr(at, point.bytes);
    at += point.bytes;
  }
  return key;
}

std::string file_name_for(const std::string& name) {
  constexpr std::size_t most_bytes = 80;
  std::string made;
  const std::string text = printable(name);
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    const std::string letter = text.substr(at, point.bytes);
    const bool is_plain =
        point.bytes > 1 ? !is_unseen(point.value) : is_ascii_alnum(letter[0]) || letter == "-" || letter == " ";
    if (made.size() + point.bytes > most_bytes) break;
    made += is_plain ? letter : "_";
    at += point.bytes;
  }
  while (made.starts_with('-') || made.starts_with(' ')) made[0] = '_';
  while (made.ends_with(' ')) made.pop_back();
  return made.empty() ? "hand-in" : made;
}

}  // namespace attn
