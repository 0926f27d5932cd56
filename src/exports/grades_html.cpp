#include <algorithm>
#include <string>

#include "base/text.h"
#include "explain/reports/grades.h"
#include "exports/grades.h"
#include "exports/xml_text.h"
#include "words/grades.h"
#include "words/language.h"

// The page of a class: tables, bars and maps of its numbers; nothing of it runs.

namespace attn {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light; --ink: #1d2329; --faint: #5c6670; --grid: #d9dee3; --bar: #56b4e9; --wrong: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; color: var(--ink); background: #fff;
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.9rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .8rem; padding-bottom: .3rem; border-bottom: 1px solid var(--grid); }
p { margin: .5rem 0; max-width: 48rem; }
p.scheme { color: var(--faint); font-size: .92rem; }
table { border-collapse: collapse; }
.wide { width: 100%; }
th { text-align: left; font-weight: 600; color: var(--faint); font-size: .88rem; }
th, td { padding: .3rem .6rem .3rem 0; vertical-align: top; }
.wide tr + tr { border-top: 1px solid var(--grid); }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bar { display: block; height: .8rem; min-width: 1px; background: var(--bar); border-radius: 2px; }
.track { width: 9rem; padding-top: .65rem; }
.track span.of { display: block; background: #eef1f4; border-radius: 2px; }
.bad { color: var(--wrong); }
.chart { display: flex; align-items: flex-end; gap: .35rem; height: 13rem; }
.chart div { flex: 1; text-align: center; font-size: .8rem; color: var(--faint); }
.chart b { display: block; color: var(--ink); font-weight: 600; }
.chart i { display: block; background: var(--bar); border-radius: 2px 2px 0 0; border-bottom: 1px solid var(--ink); }
.maps { display: flex; flex-wrap: wrap; gap: 1.5rem 2.5rem; }
.maps figure { margin: 0; break-inside: avoid; overflow-x: auto; max-width: 100%; }
figcaption { font-size: .92rem; margin-bottom: .35rem; }
.maps td { width: 2.6rem; min-width: 1.9rem; height: 2.1rem; padding: 0; text-align: center; vertical-align: middle;
  border: 1px solid var(--grid); font-variant-numeric: tabular-nums; }
.maps th { padding: 0 .4rem; text-align: center; vertical-align: middle; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .chart { height: 8rem; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
)";

std::string text_of(const std::string& text) { return in_xml(printable(text)); }

std::string element(const char* name, const std::string& content) {
  return std::string("<") + name + ">" + content + "</" + name + ">";
}

std::string cell(const std::string& text, bool is_number = false) {
  return (is_number ? "<td class=\"n\">" : "<td>") + text_of(text) + "</td>";
}

std::string heading(const std::string& text) { return element("h2", text_of(text)) + "\n"; }

// "62.5%", of something that is `of` at most.
std::string share(double part, double of) {
  return spelled_points(of > 0 ? std::clamp(100 * part / of, 0.0, 100.0) : 0) + "%";
}

class ClassPage {
 public:
  explicit ClassPage(const GradedClass& graded) : graded_(graded) {}

  std::string written() {
    const std::string title = text_of(dotted(said_.title, graded_.title));
    text_ =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<title>" +
        title + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
    for (const std::string& sentence : told_overview(graded_)) text_ += element("p", text_of(sentence)) + "\n";
    std::string scheme;
    for (const std::string& sentence : told_scheme(graded_.scheme)) scheme += (scheme.empty() ? "" : " ") + sentence;
    text_ += "<p class=\"scheme\">" + text_of(scheme) + "</p>\n";
    if (has_different_points(graded_)) text_ += element("p", text_of(said_.different_points)) + "\n";
    lay_out_what_to_look_at();
    if (graded_.summary.hand_ins() > 0) {
      lay_out_distribution();
      lay_out_mistakes();
      lay_out_cells();
    }
    lay_out_people();
    return std::move(text_) + "</body>\n</html>\n";
  }

 private:
  void open_table(std::initializer_list<std::pair<std::string, bool>> columns) {
    text_ += "<table class=\"wide\">\n<tr>";
    for (const auto& [title, is_number] : columns)
      text_ += (is_number ? "<th class=\"n\" scope=\"col\">" : "<th scope=\"col\">") + text_of(title) + "</th>";
    text_ += "</tr>\n";
  }

  void lay_out_what_to_look_at() {
    std::string rows;
    for (const GradedHandIn& one : graded_.hand_ins) {
      for (const std::string& remark : told_remarks(one)) rows += "<tr>" + cell(one.name) + cell(remark) + "</tr>\n";
    }
    if (rows.empty()) return;
    text_ += heading(said_.to_look_at);
    open_table({{said_.who, false}, {said_.what, false}});
    text_ += rows + "</table>\n";
  }

  void lay_out_distribution() {
    const auto counts = graded_.summary.distribution();
    const std::size_t most = std::max<std::size_t>(1, *std::ranges::max_element(counts));
    text_ += heading(said_.distribution) + "<div class=\"chart\">\n";
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      const std::string range = bin == 10 ? said_.whole.text() : said_.from_to(bin * 10, bin * 10 + 9);
      const double height = 9.5 * static_cast<double>(counts[bin]) / static_cast<double>(most);
      text_ += "<div><b>" + (counts[bin] == 0 ? "" : std::to_string(counts[bin])) +
               "</b><i style=\"height:" + spelled_points(height) + "rem\"></i>" + text_of(range) + "</div>\n";
    }
    text_ += "</div>\n";
  }

  void lay_out_mistakes() {
    const auto made = graded_.summary.mistakes();
    text_ += heading(said_.mistakes);
    if (made.empty()) {
      text_ += element("p", text_of(said_.no_mistakes)) + "\n";
      return;
    }
    open_table({{said_.mistake, false}, {said_.step, false}, {said_.hand_ins, true}, {"", false}});
    const auto most = static_cast<double>(made.front().people);
    for (const ClassSummary::Made& one : made) {
      text_ += "<tr>" + cell(told_mistake(one.mistake)) + cell(in_words(one.step)) +
               cell(std::to_string(one.people), true) + bar(static_cast<double>(one.people), most) + "</tr>\n";
    }
    text_ += "</table>\n";
  }

  static std::string bar(double part, double of) {
    return "<td class=\"track\"><span class=\"of\"><span class=\"bar\" style=\"width:" + share(part, of) +
           "\"></span></span></td>";
  }

  void lay_out_cells() {
    std::string maps;
    for (const ClassSummary::StepOfClass& step : graded_.summary.steps()) {
      if (step.wrong == 0) continue;
      const std::string caption = said_.wrong_in(capitalised(in_words(step.id)), step.wrong, step.people);
      const std::vector<WrongCells> grids = wrong_cells(step);
      if (grids.empty()) maps += element("figure", element("figcaption", text_of(caption))) + "\n";
      for (const WrongCells& grid : grids) maps += map(grid, caption, step.people);
    }
    if (maps.empty()) return;
    text_ +=
        heading(said_.cells) + element("p", text_of(said_.how_cells)) + "\n<div class=\"maps\">\n" + maps + "</div>\n";
  }

  // The redder, the more of those who handed the step in have the number wrong.
  static std::string map(const WrongCells& grid, const std::string& caption, std::size_t people) {
    std::string rows = "<tr><th></th>";
    for (std::size_t column = 0; column < grid.columns; ++column) rows += element("th", std::to_string(column + 1));
    for (std::size_t row = 0; row < grid.rows; ++row) {
      rows += "</tr>\n<tr>" + element("th", std::to_string(row + 1));
      for (std::size_t column = 0; column < grid.columns; ++column) {
        const std::size_t wrong = grid.people[row * grid.columns + column];
        const double part = people == 0 ? 0 : static_cast<double>(wrong) / static_cast<double>(people);
        rows += wrong == 0 ? "<td>·</td>"
                           : "<td style=\"background:rgba(213,94,0," + spelled_points(0.12 + 0.75 * part) + ")\">" +
                                 std::to_string(wrong) + "</td>";
      }
    }
    return "<figure><figcaption>" + text_of(dotted(caption, grid.place)) + "</figcaption><table>\n" + rows +
           "</tr>\n</table></figure>\n";
  }

  void lay_out_people() {
    text_ += heading(said_.everybody);
    open_table({{said_.name, false},
                {said_.points, true},
                {said_.of, true},
                {said_.percent, true},
                {"", false},
                {said_.verdict, false},
                {language().verdicts.first_wrong, false},
                {said_.likely, false}});
    for (const GradedHandIn& one : graded_.hand_ins) {
      const Grade& grade = one.grade;
      text_ += "<tr>" + cell(one.name);
      text_ += one.is_failed() ? "<td></td><td></td><td></td><td></td>"
                               : cell(spelled_points(grade.points), true) + cell(spelled_points(grade.of), true) +
                                     cell(spelled_percent(grade.percent()), true) + bar(grade.points, grade.of);
      text_ += one.is_graded() ? cell(verdict_of(one)) : "<td class=\"bad\">" + text_of(verdict_of(one)) + "</td>";
      text_ += cell(in_words(one.first_wrong)) + cell(likely_of(one)) + "</tr>\n";
    }
    text_ += "</table>\n";
  }

  const GradeWords& said_ = language().grades;
  const GradedClass& graded_;
  std::string text_;
};

}  // namespace

std::string grades_html(const GradedClass& graded) { return ClassPage(graded).written(); }

}  // namespace attn
