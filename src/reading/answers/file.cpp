#include "reading/answers/file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "reading/answers/answers.h"
#include "reading/answers/typed_value.h"
#include "reading/json/json.h"
#include "reading/json/syntax.h"

namespace attn {
namespace {

std::string stem_of_file(const std::string& file) { return std::filesystem::path(file).stem().string(); }

std::string ending_of(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](char c) { return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending;
}

// What looks like JSON, or is nothing at all.
bool begins_as_json(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return begin == std::string_view::npos || std::string_view("{[\"/").find(text[begin]) != std::string_view::npos;
}

bool is_typed_text(const std::string& file, std::string_view text) {
  return file == "-" ? !begins_as_json(text) : ending_of(file) == ".txt";
}

Result<Answers> read_table(const std::string& file, std::string_view text, const std::string& step,
                           const KnownSteps& known, Faults* unknown) {
  if (!step.empty()) {
    Result<std::string> id = named_step(step, known);
    if (!id) return id.faults();
    return read_answers_csv(text, known, id.value());
  }
  const std::string id = named_by_file(file, known).step;
  Result<Answers> answers = read_answers_csv(text, known, id, unknown);
  if (answers || answers.faults().front().code != "no-step-named") return answers;
  Diagnostics faults = named_step(stem_of_file(file), known).faults();
  faults.front().help =
      "a file of one step is called like the step, such as scores.csv or anna_scores.csv, or its first "
      "row begins with the step; or give --step: " +
      faults.front().help.text();
  return faults;
}

Result<Answers> read_as(const std::string& file, std::string_view text, const std::string& step,
                        const KnownSteps& known, Faults* unknown) {
  const bool is_input = file == "-";
  if (is_table_file(file) || (is_input && !step.empty())) return read_table(file, text, step, known, unknown);
  return is_typed_text(file, text) ? read_answers_text(text, known, unknown) : read_answers(text, known, unknown);
}

// What is much too long for answers to these steps is not read: a number takes at most a thousand bytes, and not each
// is answered.
std::optional<Diagnostic> too_long_for(const KnownSteps& known, std::string_view text) {
  constexpr std::size_t for_words = std::size_t{1} << 19, for_a_number = 1024;
  const auto numbers = known.numbers();
  if (!numbers || text.size() <= for_words || (text.size() - for_words - 1) / for_a_number < *numbers)
    return std::nullopt;
  if (other_format(text)) return std::nullopt;  // which is said
  return Diagnostic{.code = "not-answers",
                    .where = "",
                    .message = "this has " + spelled_size(text.size()) + ", and all steps of the problem together " +
                               counted(*numbers, "number"),
                    .help = "is it the file that is meant? answers have a number for a number, and a few words",
                    .range = TextRange{0, 0}};
}

}  // namespace

bool is_answers_file(const std::string& file) {
  const std::string ending = ending_of(file);
  return ending == ".json" || ending == ".csv" || ending == ".txt";
}

bool is_table_file(const std::string& file) { return ending_of(file) == ".csv"; }

FileOfAnswers named_by_file(const std::string& file, const KnownSteps& known) {
  return file_of_answers(stem_of_file(file), is_table_file(file), known);
}

OriginOfAnswers origin_of_answers(const std::string& file, std::string_view text) {
  OriginOfAnswers origin;
  if (is_table_file(file)) return origin;
  if (!is_typed_text(file, text)) {
    const Result<ParsedJson> parsed = parse_json(text);
    if (!parsed || parsed.value().root.kind() != JsonValue::Kind::object) return origin;
    const auto [name, problem] = members_called(parsed.value().root, {"name", "problem"});
    if (name) origin.name = name->text().value_or("");
    if (problem) origin.problem = problem->text().value_or("");
    return origin;
  }
  for (std::size_t at = 0; at < text.size() && origin.name.empty(); ++at) {
    const std::string_view line = line_from(text, at);
    origin.name = name_in(line).value_or("");
    at += line.size();
  }
  return origin;
}

Result<Answers> read_answers_of(const std::string& file, std::string_view text, const std::string& step,
                                const KnownSteps& known, Faults* unknown) {
  if (auto fault = too_long_for(known, text)) return *std::move(fault);
  Result<Answers> all = read_as(file, text, step, known, nullptr);
  if (all || !unknown) return all;
  Faults left_out;
  Result<Answers> rest = read_as(file, text, step, known, &left_out);
  if (!rest || rest.value().steps.empty()) return all;
  *unknown = std::move(left_out);
  return rest;
}

}  // namespace attn
