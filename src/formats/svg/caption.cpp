#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "formats/svg/drawings.h"

namespace attn {
namespace {

// What steps of a kind are called that have no box.
struct StepKind {
  const char* name;
  bool (*has)(const Matrix& matrix);
};

constexpr StepKind kinds[] = {
    {"weights that are given", [](const Matrix& matrix) { return matrix.role == Role::weight_matrix; }},
    {"masks and what is added to scores", [](const Matrix& matrix) { return matrix.role == Role::mask; }},
    {"scores", [](const Matrix& matrix) { return matrix.role == Role::score; }},
    {"steps within the softmax", [](const Matrix& matrix) { return matrix.role == Role::softmax; }},
    {"weighted values", [](const Matrix& matrix) { return matrix.role == Role::weighted_value; }},
    {"steps on the way", [](const Matrix&) { return true; }},
};

constexpr std::size_t most_symbols = 8;  // of a kind

const StepKind& kind_of(const Matrix& matrix) {
  return *std::ranges::find_if(kinds, [&](const StepKind& kind) { return kind.has(matrix); });
}

// "causal, lengths and mask"
std::string listed(const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return all;
}

// " (M, B)"
void append_symbols(const std::vector<const Matrix*>& matrices, const Theme& theme, Runs& runs) {
  for (std::size_t i = 0; i < std::min(matrices.size(), most_symbols); ++i) {
    runs.push_back({i == 0 ? " (" : ", "});
    append(formula_runs({Span(matrices[i]->symbol, matrices[i]->role)}, theme), runs);
  }
  runs.push_back({matrices.size() > most_symbols ? ", …)" : ")"});
}

}  // namespace

Runs left_out_runs(const std::vector<const Matrix*>& matrices, bool has_notes, const Theme& theme) {
  Runs runs;
  const auto begin = [&] { runs.push_back({runs.empty() ? "Left out here: " : "; "}); };
  for (const StepKind& kind : kinds) {
    std::vector<const Matrix*> of_kind;
    std::ranges::copy_if(matrices, std::back_inserter(of_kind),
                         [&](const Matrix* matrix) { return &kind_of(*matrix) == &kind; });
    if (of_kind.empty()) continue;
    begin();
    runs.push_back({kind.name});
    append_symbols(of_kind, theme, runs);
  }
  if (has_notes) {
    begin();
    runs.push_back({"the notes of the problem"});
  }
  if (!runs.empty()) runs.push_back({"."});
  return runs;
}

std::string cell_words(const std::vector<const Matrix*>& matrices) {
  bool any_closed = false;
  std::vector<std::string> rules;
  for (const Matrix* matrix : matrices) {
    any_closed = any_closed || std::ranges::find(matrix->closed, true) != matrix->closed.end();
    for (const std::string& rule : matrix->closed_by) {
      if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
    }
  }
  if (!any_closed) return "";
  return "Grey: closed" + (rules.empty() ? "" : " by " + listed(rules)) + ".";
}

}  // namespace attn
