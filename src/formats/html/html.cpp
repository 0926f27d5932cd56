#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "formats/figures.h"
#include "formats/format.h"
#include "formats/html/elements.h"
#include "formats/html/heads.h"
#include "formats/html/page.h"
#include "formats/html/policy.h"
#include "formats/looks.h"
#include "formats/outline.h"
#include "formats/places.h"
#include "formats/spelling.h"

namespace attn {
namespace {

// A page of more rows of numbers, some screens, folds its steps up.
constexpr std::size_t most_unfolded_rows = 120;

// The page's, with the colours of roles.
std::string page_look() {
  std::string style = page_style.text();
  const auto put = [&](std::string_view place, std::string_view RoleLook::*colour) {
    std::string colours;
    for (const RoleLook& look : role_looks()) colours += fmt::format("  --{}: {};\n", look.name, look.*colour);
    style.replace(style.find(place), place.size(), colours);
  };
  put("  /* roles */\n", &RoleLook::page);
  put("    /* dark roles */\n", &RoleLook::dark);
  return style;
}

// Of a stop that shows matrices: the step that all of them are of, or their names.
std::string step_of(const Document& document, const Stop& stop) {
  std::set<std::string> steps;
  for (std::size_t i = stop.first; i < stop.first + stop.count; ++i) {
    if (const auto* matrix = std::get_if<Matrix>(&document.blocks[i])) steps.insert(matrix->step);
  }
  return steps.size() == 1 ? *steps.begin() : listed({steps.begin(), steps.end()});
}

// Writes a document as one page: a section a part of it, within these a <div> a
// stop of the lecture.
class PageWriter {
 public:
  PageWriter(const Document& document, const FormatOptions& options, Sink& sink)
      : document_(document),
        options_(options),
        room_(room_of_heads(document, options)),
        groups_(place_groups(document, room_)),
        untold_(untold(document, groups_)),
        page_(sink) {
    for (const Block& block : document.blocks) {
      if (const auto* matrix = std::get_if<Matrix>(&block)) add(*matrix);
    }
    for (const Matrix& matrix : document.behind) add(matrix);
    part_ = name();
    std::size_t rows = 0;
    for (const PageMatrix& matrix : matrices_) rows += matrix.shown.rows;
    folds_ = rows > most_unfolded_rows;
  }

  void write() {
    text_ += head();
    for (const Stop& stop : stops(document_)) lay_out(stop);
    close_section();
    close_groups();
    lay_out_untold_heads("");
    close_groups();
    lay_out_overview();  // where nothing opened a section
    lay_out_what_is_behind();
    text_ += tail();
    page_.hand_over();
  }

 private:
  void add(const Matrix& matrix) {
    if (!is_sourced(matrix)) return;
    numbers_.emplace(&matrix, matrices_.size());
    matrices_.push_back({&matrix, shown_of(matrix, options_)});
  }

  const Headline* title() const {
    const auto* headline = document_.blocks.empty() ? nullptr : std::get_if<Headline>(&document_.blocks.front());
    return headline && headline->level == 1 ? headline : nullptr;
  }

  std::string name() const { return title() ? plain(title()->text) : "Worked out step by step"; }

  std::string head() const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "{5}<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n"
        "<a class=\"skip extra\" href=\"#lecture\">Skip to the computation</a>\n"
        "<header>\n<h1{3}>{2}</h1>\n<div id=\"controls\"></div>\n</header>\n<main id=\"lecture\" tabindex=\"-1\" "
        "style=\"--line:{4}\">\n",
        escaped_markup(name()), page_look(), title() ? page_label(name()) : escaped_markup(name()),
        title() ? "" : " class=\"extra\"", longest_line(document_), policy_element(&page_script));
  }

  std::string tail() const {
    return fmt::format("</main>\n<script type=\"application/json\" id=\"numbers\">{}</script>\n{}</body>\n</html>\n",
                       numbers_json(document_, matrices_), script_element(page_script));
  }

  void lay_out(const Stop& stop) {
    std::size_t begin = stop.first;
    const std::size_t end = stop.first + stop.count;
    if (begin == 0 && title()) ++begin;
    if (begin == end) return;
    const auto* headline = std::get_if<Headline>(&document_.blocks[begin]);
    const bool opens = headline && headline->level <= 2;
    if (!opens) leave_heads(stop);
    if (opens) open_section(begin, *headline);
    const bool has_headline = opens && !headline_told_;
    lay_out_step(stop, has_headline ? headline : nullptr);
    text_ += fmt::format("<div class=\"stop\" id=\"stop-{}\">\n", ++stops_);
    for (std::size_t i = begin + (opens ? 1 : 0); i < end; ++i) {
      if (std::holds_alternative<Matrix>(document_.blocks[i])) {
        i = lay_out_matrices(i, end) - 1;
      } else {
        std::visit([&](const auto& content) { lay_out(content); }, document_.blocks[i]);
      }
    }
    text_ += "</div>\n";
  }

  // What is around the matrices of one step, which may be several stops: those of all heads
  // stand side by side, and on a long page all but weights and results are folded up.
  void lay_out_step(const Stop& stop, const Headline* headline) {
    const std::string step = step_of(document_, stop);
    const std::string look = !step.empty() ? "several" : has_only_lines(stop) ? "worked" : "";
    const bool goes_on = look == look_ && (step == step_ || !folds_);
    if (!headline && !look.empty() && goes_on) return;
    close_step();
    step_ = step;
    look_ = look;
    if (step.empty() || !folds_) {
      if (headline) text_ += heading_in_group(*headline);
      if (!look.empty()) text_ += "<div class=\"" + look + "\">\n";
      return;
    }
    const Matrix* first = nullptr;
    for (std::size_t i = stop.first; !first; ++i) first = std::get_if<Matrix>(&document_.blocks[i]);
    const bool is_open = are_weights(*first) || first->role == Role::output;
    const auto matrices = matrices_of(stop);
    const bool is_told = !headline && matrices.size() == 1;  // by its summary; the caption need not be seen
    text_ += fmt::format("<details class=\"fold{}\"{}>\n<summary>{}{}</summary>\n<div class=\"several\">\n",
                         is_told ? " told" : "", is_open ? " open" : "",
                         headline ? heading_in_group(*headline) + " " : "", folded_name(matrices));
    in_fold_ = true;
  }

  // Lines of arithmetic, below its headline.
  bool has_only_lines(const Stop& stop) const {
    const auto begin = document_.blocks.begin() + static_cast<std::ptrdiff_t>(stop.first);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(stop.count), [](const Block& block) {
      return std::holds_alternative<Derivation>(block) || std::holds_alternative<Headline>(block);
    });
  }

  std::vector<const Matrix*> matrices_of(const Stop& stop) const {
    std::vector<const Matrix*> matrices;
    for (std::size_t i = stop.first; i < stop.first + stop.count; ++i) {
      if (const auto* matrix = std::get_if<Matrix>(&document_.blocks[i])) matrices.push_back(matrix);
    }
    return matrices;
  }

  // "S = Q·Kᵀ Scores: each query times each key [12 × 12]"; of several matrices their symbols.
  static std::string folded_name(const std::vector<const Matrix*>& matrices) {
    std::string names;
    std::vector<std::string> titles;
    std::set<std::string> told;
    for (const Matrix* matrix : matrices) {
      if (!told.insert(matrix->symbol.text()).second) continue;
      names += (names.empty() ? "" : ", ") +
               math_elements(matrices.size() == 1 ? matrix->name() : Inline{Span(matrix->symbol, matrix->role)});
      if (!matrix->title.empty()) titles.push_back(matrix->title);
    }
    std::string words;
    for (const std::string& title : titles) words += (words.empty() ? "" : ", ") + title;
    const std::string& sizes = matrices.front()->sizes;
    const std::string size = matrices.size() == 1 && !sizes.empty() ? sizes.substr(sizes.rfind('[')) : "";
    return fmt::format(R"(<span class="extra"><span class="size">{}</span>{} <span class="what">{}</span></span>)",
                       size, names, words.empty() ? "" : page_label(words));
  }

  void close_step() {
    if (!look_.empty()) text_ += "</div>\n";
    if (std::exchange(in_fold_, false)) text_ += "</details>\n";
    step_.clear();
    look_.clear();
  }

  void open_section(std::size_t block, const Headline& headline) {
    close_section();
    if (group_parts_ == 0) close_group();
    lay_out_overview();
    part_ = plain(headline.text);
    reasons_.clear();
    headline_told_ = false;
    const auto group = groups_.find(block);
    if (group == groups_.end() && group_parts_ == 0) close_groups();
    if (group != groups_.end()) open_group(group->second, headline);
    if (group_parts_ > 0) --group_parts_;
    const auto part = std::ranges::find(document_.outline, part_, &OutlinePart::title);
    const bool is_first = part != document_.outline.end() && parts_told_.insert(section_of(*part)).second;
    text_ += is_first ? "<section id=\"" + section_of(*part) + "\">\n" : "<section>\n";
    in_section_ = true;
  }

  // Heads of one sequence of several stand in a section of it.
  void open_groups(const std::string& whole) {
    if (std::exchange(in_groups_, true)) return;
    last_whole_ = whole;
    if (!whole.empty()) text_ += "<section>\n<h2 class=\"extra\">" + page_label(whole) + "</h2>\n";
    text_ += fmt::format("<div class=\"heads\" style=\"--room:{}\">\n", room_.width());
  }

  void open_group(const PlaceGroup& group, const Headline& headline) {
    if (group.is_whole) {
      close_groups();
      lay_out_untold_heads(group.place);
      return close_groups();
    }
    headline_told_ = group.parts == 1;
    place_ = group.place;
    const std::string whole = whole_of(place_);
    if (in_groups_ && whole != last_whole_) close_groups();
    open_groups(whole);
    text_ += fmt::format("<details class=\"place\"{}>\n", group.is_open ? " open" : "");
    text_ += "<summary" + std::string(headline_told_ ? ">" : " class=\"extra\">") +
             (headline_told_ ? heading_within(headline, whole) : page_label(name_within(group.place, whole))) +
             "</summary>\n";
    in_group_ = true;
    group_parts_ = group.parts;
  }

  void close_section() {
    close_step();
    if (std::exchange(in_section_, false)) text_ += "</section>\n";
  }

  // What is made of all heads together stands in none of them.
  void leave_heads(const Stop& stop) {
    if (!in_group_ || group_parts_ > 0) return;
    for (std::size_t i = stop.first; i < stop.first + stop.count; ++i) {
      const auto* matrix = std::get_if<Matrix>(&document_.blocks[i]);
      if (!matrix) continue;
      const bool is_of_head = matrix->reading.result.has("head");
      if (is_of_head) in_head_ = true;
      if (is_of_head || !in_head_) return;
      close_section();
      close_groups();
      text_ += "<section>\n";
      in_section_ = true;
      return;
    }
  }

  void close_group() {
    in_head_ = false;
    place_.clear();
    if (std::exchange(in_group_, false)) text_ += "</details>\n";
  }

  // Behind the heads that are told stand those that are not.
  void close_groups() {
    close_group();
    if (!in_groups_) return;
    lay_out_untold_heads(last_whole_);
    in_groups_ = false;
    text_ += last_whole_.empty() ? "</div>\n" : "</div>\n</section>\n";
  }

  // Weights of heads that the document does not write out, and what they were made from.
  void lay_out_untold_heads(const std::string& whole) {
    for (Untold& untold : untold_) {
      if (!untold.is_head || !is_within(untold.place, whole)) continue;
      untold.is_head = false;
      open_groups(whole_of(untold.place));
      text_ += "<details class=\"place extra\">\n<summary>" + page_label(name_within(untold.place, last_whole_)) +
               " <span class=\"what\">not written out in lines</span></summary>\n";
      const auto is_result = [](const Matrix* matrix) { return are_weights(*matrix) || matrix->role == Role::output; };
      for (const Matrix* matrix : untold.matrices) {
        if (is_result(matrix)) lay_out_with_arcs(*matrix);
      }
      text_ += "<details class=\"fold\">\n<summary>What they were made from</summary>\n<div class=\"several\">\n";
      for (const Matrix* matrix : untold.matrices) {
        if (!is_result(matrix)) lay_out(*matrix);
      }
      text_ += "</div>\n</details>\n</details>\n";
      untold.matrices.clear();
    }
  }

  static std::string heading(const Headline& headline) {
    const int level = headline.level <= 2 ? 2 : 3;
    return fmt::format("<h{0}>{1}</h{0}>\n", level, page_text(headline.text));
  }

  // What the head or sequence around it says is not said to the eye again.
  std::string heading_in_group(const Headline& headline) const { return heading_within(headline, place_); }
  static std::string heading_within(const Headline& headline, const std::string& outer) {
    std::string text = heading(headline);
    const std::string prefix = escaped_markup(outer) + " · ";
    constexpr std::size_t begin = std::string_view("<h2>").size();
    if (!outer.empty() && text.compare(begin, prefix.size(), prefix) == 0)
      text.replace(begin, prefix.size(), "<span class=\"around\">" + prefix + "</span>");
    return text;
  }

  void lay_out(const Headline& headline) { text_ += heading(headline); }
  void lay_out(const Prose& prose) { text_ += "<p>" + page_text(prose.text) + "</p>\n"; }
  void lay_out(const Remark& remark) { text_ += "<p class=\"note\">Note: " + page_text(remark.text) + "</p>\n"; }
  void lay_out(const Derivation& derivation) { text_ += page_lines(derivation, reasons_); }
  void lay_out(const Table& table) { text_ += page_table(table, part_); }
  void lay_out(const Tree& tree) { text_ += page_tree(tree); }
  void lay_out(const GeometryTold& told) { text_ += page_geometry(told); }
  void lay_out(const Fields&) {}  // only sheets have them
  void lay_out(const Matrix& matrix) {
    const auto number = numbers_.find(&matrix);
    const bool sourced = number != numbers_.end();
    const Extent shown = sourced ? matrices_[number->second].shown : shown_of(matrix, options_);
    write_matrix(matrix, shown, sourced ? std::optional(number->second) : std::nullopt,
                 sourced ? closing_rules(matrix, shown, matrices_) : std::vector<const Matrix*>{}, page_);
  }

  // A matrix and those that stand beside it; returns what comes behind them.
  std::size_t lay_out_matrices(std::size_t begin, std::size_t end) {
    const auto matrix_at = [&](std::size_t i) { return std::get_if<Matrix>(&document_.blocks[i]); };
    std::size_t behind = begin + 1;
    while (behind < end && matrix_at(behind)) ++behind;  // beside one another, as stops() has it
    if (behind == begin + 1) {
      lay_out_with_arcs(*matrix_at(begin));
      return behind;
    }
    text_ += "<div class=\"beside\">\n";
    for (std::size_t i = begin; i < behind; ++i) lay_out(*matrix_at(i));
    text_ += "</div>\n";
    return behind;
  }

  void lay_out_with_arcs(const Matrix& matrix) {
    const std::string drawing = are_weights(matrix) ? page_arcs(matrix) : "";
    if (!drawing.empty()) text_ += "<div class=\"beside\">\n";
    lay_out(matrix);
    if (!drawing.empty()) text_ += drawing + "</div>\n";
  }

  static std::string section_of(const OutlinePart& part) { return "part-" + escaped_markup(part.id); }

  // The whole as boxes, each of which leads to the section of its part.
  void lay_out_outline() {
    if (document_.outline.empty()) return;
    std::set<std::string> told;
    for (const Block& block : document_.blocks) {
      if (const auto* headline = std::get_if<Headline>(&block); headline && headline->level == 2) {
        told.insert(plain(headline->text));
      }
    }
    const Drawing figure = outline_drawing(document_.outline, Theme{}, [&](const OutlinePart& part) {
      return told.contains(part.title) ? "#" + section_of(part) : "";
    });
    text_ += fmt::format(
        "<nav class=\"outline extra\" aria-label=\"The parts\" tabindex=\"0\">\n<svg viewBox=\"-1 -1 {0} {1}\" "
        "width=\"{0}\" height=\"{1}\" font-family=\"sans-serif\">\n{2}</svg>\n</nav>\n",
        svg_number(figure.width + 2), svg_number(figure.height + 2), figure.content);
  }

  // The weights of all heads and sequences as small maps, where there are several.
  void lay_out_overview() {
    if (std::exchange(overview_told_, true)) return;
    lay_out_outline();
    std::vector<SmallMap> maps;
    std::string section;  // the place of the part that we are in
    for (std::size_t i = 0; i < document_.blocks.size(); ++i) {
      if (const auto group = groups_.find(i); group != groups_.end()) section = group->second.place;
      if (const auto* matrix = std::get_if<Matrix>(&document_.blocks[i])) add_map(*matrix, section, maps);
    }
    for (const Matrix& matrix : document_.behind) add_map(matrix, "", maps);
    if (maps.size() < 2 && (maps.empty() || !is_worth_a_map(*maps.front().weights))) return;
    text_ += fmt::format(
        "<nav class=\"overview extra\" aria-label=\"Weights at a glance\">\n<p class=\"hint\">All weights at a glance: "
        "a row a {}, a column a {}. The stronger the colour, the larger the weight. {} leads to its numbers.{}</p>\n"
        "{}</nav>\n",
        page_text({{"query", Role::query}}), page_text({{"key", Role::key}}), maps.size() > 1 ? "Each map" : "The map",
        what_maps_hatch(maps), maps_listed(maps));
  }

  // Small weights are seen at a glance in their table.
  static bool is_worth_a_map(const Matrix& weights) { return weights.rows() > 8 || weights.columns() > 8; }

  struct SmallMap {
    std::string place;   // "Sequence 1 of 2 · Head 2 of 8"
    std::size_t number;  // of its matrix
    const Matrix* weights;
    std::string whole() const { return whole_of(place); }
  };

  // What is grey in maps, and what is faint.
  std::string what_maps_hatch(const std::vector<SmallMap>& maps) const {
    std::vector<const Matrix*> rules;
    bool has_padding = false;
    for (const SmallMap& map : maps) {
      const Matrix& weights = *map.weights;
      for (const Matrix* rule : closing_rules(weights, matrices_[map.number].shown, matrices_)) {
        if (std::ranges::find(rules, rule->title, &Matrix::title) == rules.end()) rules.push_back(rule);
      }
      has_padding = has_padding || std::ranges::any_of(weights.row_labels, is_padding) ||
                    std::ranges::any_of(weights.column_labels, is_padding);
    }
    return (has_padding ? " Faint rows are padding." : "") +
           (rules.empty() ? "" : " Grey is closed, it does not count:" + page_rules(rules));
  }

  void add_map(const Matrix& matrix, const std::string& section, std::vector<SmallMap>& maps) const {
    const auto number = numbers_.find(&matrix);
    if (!are_weights(matrix) || number == numbers_.end()) return;
    const std::string place = dotted(matrix.part, matrix.place.empty() ? section : matrix.place);
    maps.push_back({place.empty() ? matrix.title : place, number->second, &matrix});
  }

  // Heads of one sequence or layer in a list of their own, where there are several of both.
  static std::string maps_listed(const std::vector<SmallMap>& maps) {
    std::set<std::string> wholes;
    for (const SmallMap& map : maps) wholes.insert(map.whole());
    const bool grouped = wholes.size() > 1 && wholes.size() < maps.size();
    const std::string begin =
        fmt::format("<ul style=\"--maps:{}\">\n", grouped ? maps.size() / wholes.size() : maps.size());
    std::string text = grouped ? "" : begin;
    std::string whole;
    for (const SmallMap& map : maps) {
      if (grouped && (text.empty() || map.whole() != whole)) {
        whole = map.whole();
        text += (text.empty() ? "" : "</ul>\n") + (whole.empty() ? "" : "<p>" + page_label(whole) + "</p>\n") + begin;
      }
      text += fmt::format(
          "<li><a href=\"#m{}\"><span class=\"across\">keys →</span><span class=\"down\">queries →</span>{}<span "
          "class=\"of\">{}</span></a></li>\n",
          map.number, small_map(*map.weights), page_label(name_within(map.place, whole)));
    }
    return text + "</ul>\n";
  }

  // The rest, head by head.
  void lay_out_what_is_behind() {
    const bool is_empty = std::ranges::all_of(untold_, [](const Untold& one) { return one.matrices.empty(); });
    if (is_empty) return;
    text_ += "<details id=\"behind\" class=\"extra\">\n<summary>Numbers in between</summary>\n";
    for (const Untold& one : untold_) {
      if (one.matrices.empty()) continue;
      if (!one.place.empty()) text_ += "<details class=\"fold\">\n<summary>" + page_label(one.place) + "</summary>\n";
      text_ += "<div class=\"beside\">\n";
      for (const Matrix* matrix : one.matrices) lay_out(*matrix);
      text_ += one.place.empty() ? "</div>\n" : "</div>\n</details>\n";
    }
    text_ += "</details>\n";
  }

  const Document& document_;
  const FormatOptions& options_;
  HeadRoom room_;
  std::map<std::size_t, PlaceGroup> groups_;  // by their first block
  std::vector<Untold> untold_;                // but what is in the page already
  std::vector<PageMatrix> matrices_;
  std::map<const Matrix*, std::size_t> numbers_;

  Outgoing page_;
  std::string& text_ = page_.text();
  std::string step_, look_;  // of the box that is open around stops
  std::string place_;        // of the group that is open
  std::string last_whole_;   // of the one before it
  ClosingReasons reasons_;   // of this part
  bool folds_ = false, in_fold_ = false, in_groups_ = false, in_head_ = false;
  std::set<std::string> parts_told_;  // the ids of their sections
  std::size_t stops_ = 0;
  std::string part_;             // the last headline of level 2
  std::size_t group_parts_ = 0;  // of the open group those still to come
  bool in_section_ = false, in_group_ = false;
  bool headline_told_ = false;  // by the group around it
  bool overview_told_ = false;
};

}  // namespace

Format html_format() {
  return {.name = "html",
          .ending = ".html",
          .summary = "one page that answers questions",
          .write =
              [](const Document& document, const FormatOptions& options, Sink& sink) {
                if (document.sheet) {
                  sink.write(sheet_page(document, page_look()));
                } else {
                  PageWriter(document, options, sink).write();
                }
                return hints_on_cuts(document, options.full, most_shown_whole);
              },
          .wants_behind = true,
          .wants_geometry = true};
}

}  // namespace attn
