#include "reading/answers/csv_rows.h"

#include <algorithm>

#include "base/text.h"

namespace attn {
namespace {

bool is_blank_character(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// What spreadsheets write depends on where one lives.
char separator_of(std::string_view text) {
  bool quoted = false;
  bool tab = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ';') return ';';
    tab = tab || c == '\t';
  }
  return tab ? '\t' : ',';
}

}  // namespace

CsvRows::CsvRows(std::string_view text) : text_(text), separator_(separator_of(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  // What Excel is told by "sep=;", others may be told, too.
  constexpr std::string_view telling = "sep=";
  const std::string_view rest = text_.substr(at_);
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  is_told_ = line.starts_with(telling) && line.find_last_not_of('\r') == telling.size();
  if (!is_told_) return;
  separator_ = line[telling.size()];
  at_ = std::min(at_ + line.size() + 1, text_.size());
}

CsvRows CsvRows::with_headings(std::string_view text) {
  CsvRows rows(text);
  if (rows.is_told_) return rows;
  const std::size_t begin = text.find_first_not_of("\r\n", rows.at_);
  if (begin == std::string_view::npos) return rows;
  rows.separator_ = separator_of(text.substr(begin, text.find('\n', begin) - begin));
  return rows;
}

CsvRow CsvRows::next() {
  CsvRow fields;
  for (bool more = true; more;) {
    fields.push_back(next_field());
    more = at_ < text_.size() && text_[at_] == separator_;
    if (more) ++at_;
  }
  if (at_ < text_.size()) ++at_;  // the line break
  const CsvField& first = fields.front();
  if (fields.size() == 1 && first.range.begin == first.range.end) fields.clear();
  return fields;
}

std::optional<Diagnostic> CsvRows::open_quote() const {
  if (!open_quote_) return std::nullopt;
  return Diagnostic{.code = "syntax",
                    .where = "",
                    .message = "this quote is never closed: all that follows would be one field",
                    .help = "end the field with \"; a quote inside it is written \"\"",
                    .range = TextRange{*open_quote_, *open_quote_ + 1}};
}

std::string CsvRows::content(const CsvField& field) const {
  std::string text(text_.substr(field.range.begin, field.range.end - field.range.begin));
  if (!field.quoted) return text;
  std::string inner;
  std::size_t at = 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '"' && (at + 1 >= text.size() || text[at + 1] != '"')) break;
    if (text[at] == '"') ++at;
    inner += text[at];
  }
  return inner + text.substr(std::min(at + 1, text.size()));
}

bool CsvRows::is_empty(const CsvField& field) const {
  return field.range.begin == field.range.end || std::ranges::all_of(content(field), is_blank_character);
}

bool CsvRows::is_all_empty(const CsvRow& row) const {
  return std::ranges::all_of(row, [&](const CsvField& field) { return is_empty(field); });
}

Result<SpelledNumber> CsvRows::number(const CsvField& field) const { return spelled_number(number_text(field)); }

std::string CsvRows::number_text(const CsvField& field) const {
  std::string text = content(field);
  for (std::size_t at = 0; (separator_ != ',' || field.quoted) && at + 1 < text.size(); ++at) {
    if (text[at] == ',' && is_ascii_digit(text[at + 1])) text[at] = '.';
  }
  return text;
}

bool CsvRows::counts(const CsvRow& row, std::size_t from) const {
  std::size_t end = row.size();
  while (end > from && is_empty(row[end - 1])) --end;
  if (end <= from) return false;
  const std::size_t first = content(row[from]) == "0" ? 0 : 1;
  for (std::size_t at = from; at < end; ++at) {
    if (content(row[at]) != std::to_string(first + at - from)) return false;
  }
  return true;
}

bool CsvRows::are_headings(const CsvRow& row) const {
  const auto is_heading = [&](const CsvField& field) { return is_empty(field) || is_words(field); };
  return std::all_of(row.begin() + 1, row.end(), is_heading) || counts(row);
}

CsvField CsvRows::next_field() {
  while (at_ < text_.size() && is_blank_character(text_[at_]) && !ends_field(text_[at_])) ++at_;
  CsvField field{{at_, at_}};
  if (at_ < text_.size() && text_[at_] == '"') {
    field.quoted = true;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') continue;
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
      ++at_;
    }
    if (at_ == text_.size()) open_quote_ = field.range.begin;
    if (at_ < text_.size()) ++at_;
  }
  const std::size_t rest = at_;
  while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
  std::size_t end = at_;
  while (end > rest && is_blank_character(text_[end - 1])) --end;
  field.range.end = end;
  return field;
}

}  // namespace attn
