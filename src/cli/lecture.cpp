#include "cli/lecture.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/numbers.h"
#include "base/text.h"
#include "formats/spelling.h"

namespace attn {
namespace {

constexpr std::size_t longest_question = 400;  // bytes
constexpr std::size_t longest_number = 6;      // digits

// Without its last character.
void shorten(std::string& text) {
  while (!text.empty() && continues_utf8(text.back())) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// The end of the text, as much as fits.
std::string last_of(const std::string& text, std::size_t width) {
  std::size_t at = 0;
  while (display_width(std::string_view(text).substr(at)) > width) at += character(text, at).bytes;
  return text.substr(at);
}

int level_of(const Block& block) {
  const auto* headline = std::get_if<Headline>(&block);
  return headline ? headline->level : 0;
}

// The headlines that the stop stands under and does not begin with itself.
std::vector<Block> headlines_above(const Document& document, const Stop& stop) {
  std::vector<Block> above;
  const int own = stop.count > 0 ? level_of(document.blocks[stop.first]) : 0;
  int level = own == 0 ? 4 : own;  // below every headline
  for (std::size_t i = stop.first; i-- > 0 && level > 2;) {
    const int found = level_of(document.blocks[i]);
    if (found == 0 || found >= level) continue;
    above.insert(above.begin(), document.blocks[i]);
    level = found;
  }
  return above;
}

}  // namespace

Lecture::Lecture(Talk talk) : talk_(std::move(talk)), stops_(stops(talk_.document)) {
  if (stops_.empty()) stops_.emplace_back();
  look();
}

void Lecture::resize(TerminalSize size) {
  size_ = size;
  look();
}

void Lecture::press(const Key& key) {
  notice_.clear();
  if (key.kind == Key::Kind::leave) {
    is_over_ = true;
    return;
  }
  switch (mode_) {
    case Mode::stop:
      return press_at_stop(key);
    case Mode::asking:
      return press_while_asking(key);
    case Mode::answer:
      return press_at_answer(key);
  }
}

void Lecture::press_at_stop(const Key& key) {
  using enum Key::Kind;
  const std::string number = std::exchange(number_, "");
  if (key.kind == text && is_ascii_digit(key.text[0])) {
    number_ = number.size() < longest_number ? number + key.text : number;
  } else if (key.kind == backspace && !number.empty()) {
    number_ = number.substr(0, number.size() - 1);
  } else if (key.kind == enter && !number.empty()) {
    number_ = number;
    jump();
  } else if (key.kind == enter || key.kind == right || key.kind == page_down || key.is(' ')) {
    on();
  } else if (key.kind == backspace || key.kind == left || key.kind == page_up || key.is('b')) {
    back();
  } else if (key.kind == down || key.kind == up) {
    scroll(key.kind == down, 1);
  } else if (key.is('w')) {
    mode_ = Mode::asking;
  } else if (key.is('q')) {
    is_over_ = true;
  }
}

void Lecture::press_while_asking(const Key& key) {
  using enum Key::Kind;
  if (key.kind == text && question_.size() + key.text.size() <= longest_question) {
    question_ += key.text;
  } else if (key.kind == backspace) {
    shorten(question_);
  } else if (key.kind == escape) {
    question_.clear();
    mode_ = Mode::stop;
  } else if (key.kind == enter) {
    ask();
  }
}

void Lecture::press_at_answer(const Key& key) {
  using enum Key::Kind;
  const bool goes_on = key.kind == enter || key.kind == page_down || key.is(' ');
  if (goes_on && scroll(true, page())) return;
  if (key.kind == page_up && scroll(false, page())) return;
  if (key.kind == down && scroll(true, 1)) return;
  if (key.kind == up && scroll(false, 1)) return;
  is_over_ = key.is('q');
  mode_ = Mode::stop;
  look();
  top_ = std::min(top_before_, lines_.size() - std::min(lines_.size(), lines_shown()));
}

void Lecture::on() {
  if (scroll(true, page())) return;
  if (at_ + 1 < stops_.size()) go_to(at_ + 1);
}

void Lecture::back() {
  if (scroll(false, page())) return;
  if (at_ == 0) notice_ = "this is the beginning";
  if (at_ > 0) go_to(at_ - 1);
}

void Lecture::go_to(std::size_t stop) {
  at_ = stop;
  top_ = 0;
  look();
}

void Lecture::jump() {
  std::size_t number = 0;
  parse_natural(std::exchange(number_, ""), number);
  if (number < 1) notice_ = "the first is 1";
  if (number > stops_.size()) notice_ = fmt::format("there is no {}: this is the last", number);
  go_to(std::clamp<std::size_t>(number, 1, stops_.size()) - 1);
}

void Lecture::ask() {
  mode_ = Mode::stop;
  const std::string question = std::exchange(question_, "");
  if (question.find_first_not_of(' ') == std::string::npos) return;
  answer_ = talk_.why(question);
  mode_ = Mode::answer;
  top_before_ = std::exchange(top_, 0);
  look();
}

// Writes anew what is shown.
void Lecture::look() {
  lines_ = split(talk_.write(shown()), '\n');
  top_ = std::min(top_, lines_.size() - std::min(lines_.size(), lines_shown()));
}

Document Lecture::shown() const {
  if (mode_ == Mode::answer) return answer_;
  const Stop& stop = stops_[at_];
  Document part;
  part.precision = talk_.document.precision;
  part.tolerance = talk_.document.tolerance;
  part.blocks = headlines_above(talk_.document, stop);
  for (std::size_t i = 0; i < stop.count; ++i) part.blocks.push_back(talk_.document.blocks[stop.first + i]);
  return part;
}

// The last line is the status; a line is free above it where there are lines enough.
std::size_t Lecture::lines_shown() const {
  const std::size_t rows = std::max<std::size_t>(size_.rows, 2);
  return rows - (rows > 6 ? 2 : 1);
}

std::size_t Lecture::lines_below() const { return lines_.size() - std::min(lines_.size(), top_ + lines_shown()); }

// Of the lines seen before, some stay.
std::size_t Lecture::page() const {
  return lines_shown() > 6 ? lines_shown() - 2 : std::max<std::size_t>(1, lines_shown() - 1);
}

bool Lecture::scroll(bool down, std::size_t by) {
  const std::size_t moved = std::min(by, down ? lines_below() : top_);
  top_ = down ? top_ + moved : top_ - moved;
  return moved > 0;
}

Screen Lecture::screen() const {
  Screen screen;
  const std::size_t end = std::min(lines_.size(), top_ + lines_shown());
  screen.lines.assign(lines_.begin() + static_cast<std::ptrdiff_t>(top_),
                      lines_.begin() + static_cast<std::ptrdiff_t>(end));
  screen.is_typing = mode_ == Mode::asking;
  const std::size_t width = std::max<std::size_t>(size_.columns, 2) - 1;
  const std::string line = spelled(status());
  // Of what is typed the end is seen, of all else the beginning.
  screen.status = screen.is_typing ? last_of(line, width)
                  : talk_.ascii    ? line.substr(0, width)
                                   : shortened(line, width);
  return screen;
}

std::string Lecture::status() const {
  if (mode_ == Mode::asking) return "why, for example " + talk_.example + ": " + question_;
  const std::size_t below = lines_below();
  const std::string more = below == 0 ? "" : counted(below, "more line");
  if (mode_ == Mode::answer) {
    return (more.empty() ? "any key goes back" : "Enter " + more + " · any other key goes back") + " · q quit";
  }
  const std::string where = fmt::format("{}/{} · ", at_ + 1, stops_.size());
  if (!number_.empty()) return where + "to " + number_ + ": Enter goes there, Esc stays";
  std::string next = "Enter " + (more.empty() ? "next" : more);
  if (more.empty() && at_ + 1 == stops_.size()) next = "the end";
  return where + (notice_.empty() ? "" : notice_ + " · ") + next + " · b back · number + Enter jump · w why · q quit";
}

std::string Lecture::spelled(const std::string& text) const {
  const std::string safe = printable(text);
  return talk_.ascii ? asciified(safe) : safe;
}

}  // namespace attn
