#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/text.h"
#include "explain/reports/grades.h"
#include "exports/grades.h"
#include "exports/xml_text.h"
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

// Pieces of a page, one after the other.
std::string page(std::initializer_list<std::string_view> pieces) {
  std::string all;
  for (const std::string_view piece : pieces) all += piece;
  return all;
}

std::string element(std::string_view name, const std::string& text) {
  return page({"<", name, ">", text_of(text), "</", name, ">\n"});
}

std::string cell(const std::string& text, std::string_view attributes = "") {
  return page({"<td", attributes, ">", text_of(text), "</td>"});
}

constexpr std::string_view of_number = " class=\"n\"";

// "62.5", of something that is `of` at most.
std::string percent_of(double part, double of) {
  return spelled_points(of > 0 ? std::clamp(100 * part / of, 0.0, 100.0) : 0);
}

std::string bar(double part, double of) {
  return page({"<td class=\"track\"><span class=\"of\"><span class=\"bar\" style=\"width:", percent_of(part, of),
               "%\"></span></span></td>"});
}

class ClassPage {
 public:
  explicit ClassPage(const GradedClass& graded) : graded_(graded) {}

  std::string written() {
    const std::string title = dotted(said_.title, graded_.title);
    add(
        {"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "base-uri 'none'; form-action 'none'\">\n",
         element("title", title), "<style>", style, "</style>\n</head>\n<body>\n", element("h1", title)});
    for (const std::string& sentence : told_overview(graded_)) add({element("p", sentence)});
    std::string scheme;
    for (const std::string& sentence : told_scheme(graded_.scheme)) scheme += (scheme.empty() ? "" : " ") + sentence;
    add({"<p class=\"scheme\">", text_of(scheme), "</p>\n"});
    if (has_different_points(graded_)) add({element("p", said_.different_points)});
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
  void add(std::initializer_list<std::string_view> pieces) {
    for (const std::string_view piece : pieces) text_ += piece;
  }

  // A column is of numbers where its title begins with #.
  void open_table(std::initializer_list<std::string> columns) {
    add({"<table class=\"wide\">\n<tr>"});
    for (const std::string& title : columns) {
      const bool is_number = title.starts_with('#');
      add({"<th scope=\"col\"", is_number ? of_number : "", ">", text_of(title.substr(is_number ? 1 : 0)), "</th>"});
    }
    add({"</tr>\n"});
  }

  void lay_out_what_to_look_at() {
    std::string rows;
    for (const Remarked& one : to_look_at(graded_)) rows += page({"<tr>", cell(one.name), cell(one.remark), "</tr>\n"});
    if (!rows.empty()) {
      add({element("h2", said_.to_look_at)});
      open_table({said_.who, said_.what});
      add({rows, "</table>\n"});
    }
    const std::string absent = who_handed_in_nothing(graded_);
    if (!absent.empty()) add({element("h2", said_.absent), element("p", absent)});
  }

  void lay_out_distribution() {
    const auto counts = graded_.summary.distribution();
    const auto most = static_cast<double>(std::max<std::size_t>(1, *std::ranges::max_element(counts)));
    add({element("h2", said_.distribution), "<div class=\"chart\">\n"});
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      const std::string range = bin == 10 ? said_.whole.text() : said_.from_to(bin * 10, bin * 10 + 9);
      const std::string height = spelled_points(9.5 * static_cast<double>(counts[bin]) / most);
      add({"<div><b>", counts[bin] == 0 ? "" : std::to_string(counts[bin]), "</b><i style=\"height:", height,
           "rem\"></i>", text_of(range), "</div>\n"});
    }
    add({"</div>\n"});
  }

  void lay_out_mistakes() {
    const auto made = graded_.summary.mistakes();
    add({element("h2", said_.mistakes)});
    if (made.empty()) return add({element("p", said_.no_mistakes)});
    open_table({said_.mistake, said_.step, "#" + said_.hand_ins.text(), ""});
    const auto most = static_cast<double>(made.front().people);
    for (const ClassSummary::Made& one : made) {
      add({"<tr>", cell(told_mistake(one.mistake)), cell(in_words(one.step)),
           cell(std::to_string(one.people), of_number), bar(static_cast<double>(one.people), most), "</tr>\n"});
    }
    add({"</table>\n"});
  }

  void lay_out_cells() {
    std::string maps;
    for (const ClassSummary::StepOfClass& step : graded_.summary.steps()) {
      if (step.wrong == 0) continue;
      const std::string caption = said_.wrong_in(capitalised(in_words(step.id)), step.wrong, step.people);
      const std::vector<WrongCells> grids = wrong_cells(step);
      if (grids.empty()) maps += page({"<figure>", element("figcaption", caption), "</figure>\n"});
      for (const WrongCells& grid : grids) maps += map(grid, caption, static_cast<double>(step.people));
    }
    if (maps.empty()) return;
    add({element("h2", said_.cells), element("p", said_.how_cells), "<div class=\"maps\">\n", maps, "</div>\n"});
  }

  // The redder, the more of those who handed the step in have the number wrong.
  static std::string map(const WrongCells& grid, const std::string& caption, double people) {
    std::string rows = "<tr><th></th>";
    for (std::size_t column = 0; column < grid.columns; ++column) rows += element("th", std::to_string(column + 1));
    for (std::size_t row = 0; row < grid.rows; ++row) {
      rows += "</tr>\n<tr>" + element("th", std::to_string(row + 1));
      for (std::size_t column = 0; column < grid.columns; ++column) {
        const std::size_t wrong = grid.people[row * grid.columns + column];
        const std::string opacity = spelled_points(0.12 + 0.75 * static_cast<double>(wrong) / people);
        rows += wrong == 0 ? cell("·")
                           : cell(std::to_string(wrong), page({" style=\"background:rgba(213,94,0,", opacity, ")\""}));
      }
    }
    return page({"<figure>", element("figcaption", dotted(caption, grid.place)), "<table>\n", rows,
                 "</tr>\n</table></figure>\n"});
  }

  void lay_out_people() {
    add({element("h2", said_.everybody)});
    open_table({said_.name, "#" + said_.points.text(), "#" + said_.of.text(), "#" + said_.percent.text(), "",
                said_.verdict, language().verdicts.first_wrong, said_.likely});
    for (const GradedHandIn& one : graded_.hand_ins) {
      const Grade& grade = one.grade;
      add({"<tr>", cell(one.name)});
      if (one.is_failed()) {
        add({"<td></td><td></td><td></td><td></td>"});
      } else {
        add({cell(spelled_points(grade.points), of_number), cell(spelled_points(grade.of), of_number),
             cell(spelled_percent(grade.percent()), of_number), bar(grade.points, grade.of)});
      }
      add({cell(verdict_of(one), one.is_graded() ? "" : " class=\"bad\""), cell(in_words(one.first_wrong)),
           cell(likely_of(one)), "</tr>\n"});
    }
    add({"</table>\n"});
  }

  const GradeWords& said_ = language().grades;
  const GradedClass& graded_;
  std::string text_;
};

}  // namespace

std::string grades_html(const GradedClass& graded) { return ClassPage(graded).written(); }

}  // namespace attn
