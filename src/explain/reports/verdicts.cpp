#include <algorithm>

#include "base/text.h"
#include "explain/reports/verdict.h"
#include "words/language.h"

namespace attn {
namespace {

std::string verdict_words(const MarkedFile& file) {
  const VerdictWords& said = language().verdicts;
  const Said words[] = {said.right, said.wrong, said.incomplete};
  return file.report ? words[static_cast<std::size_t>(file.report->verdict)] : said.not_read;
}

// "scale.none or scale.by_n"
std::string likely(const Report& report) {
  constexpr std::size_t most = 3;
  const std::string or_another = language().verdicts.or_another;
  for (const Diagnosis& diagnosis : report.diagnoses) {
    if (diagnosis.kind == MistakeKind::note) continue;
    std::string text = diagnosis.mistake;
    for (std::size_t i = 0; i < std::min(most, diagnosis.ties.size()); ++i) text += or_another + diagnosis.ties[i];
    return text + (diagnosis.ties.size() > most ? or_another + "…" : "");
  }
  return "";
}

Table overview(std::span<const MarkedFile> files, Reveal reveal) {
  const VerdictWords& said = language().verdicts;
  const bool names = std::ranges::any_of(files, [](const MarkedFile& file) { return !file.name.empty(); });
  Table table{{}, {{said.file}}, {}};
  if (names) table.header.push_back({said.name});
  table.header.insert(table.header.end(), {{said.verdict}, {said.first_wrong}});
  const bool hints = reveal >= Reveal::hint;
  if (hints) table.header.push_back({said.likely});
  for (const MarkedFile& file : files) {
    auto& row = table.rows.emplace_back();
    row = {{file.files.front() + (file.files.size() > 1 ? ", …" : "")}};
    if (names) row.push_back({file.name});
    row.push_back({verdict_words(file)});
    row.push_back({file.report ? file.report->first_wrong : ""});
    if (hints) row.push_back({file.report ? likely(*file.report) : ""});
  }
  return table;
}

std::string totals(std::span<const MarkedFile> files) {
  const VerdictWords& said = language().verdicts;
  std::vector<std::string> parts;
  for (const std::string& words :
       {said.right.text(), said.incomplete.text(), said.wrong.text(), said.not_read.text()}) {
    const auto count = std::ranges::count(files, words, verdict_words);
    if (count > 0) parts.push_back(std::to_string(count) + " " + words);
  }
  const bool are_files = std::ranges::all_of(files, [](const MarkedFile& file) { return file.files.size() == 1; });
  return counted(files.size(), are_files ? "file" : "hand-in") + ": " + listed(parts) + ".";
}

}  // namespace

Document verdicts(std::span<const MarkedFile> files, const Trace& trace, const VerdictOptions& options) {
  Document document = titled(trace.title);
  document.add(Prose{{totals(files)}});
  document.add(overview(files, options.reveal));
  for (const MarkedFile& file : files) {
    if (!file.report || file.report->verdict == Verdict::right) continue;
    document.add(Headline{2, {dotted(file.name, listed(file.files))}});
    tell_verdict(*file.report, trace, options, 3, document);
  }
  return document;
}

}  // namespace attn
