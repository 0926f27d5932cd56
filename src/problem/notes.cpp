#include "problem/notes.h"

#include <algorithm>

namespace attn {
namespace {

using Notes = std::vector<Note>;

// The notes of one kind on each sequence of a side.
void note_cut(const std::string& step, const Side& side, std::size_t limit, Notes& notes) {
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    const std::size_t kept = side.rows_within(limit, b);
    if (kept == side.rows[b]) continue;
    const std::string what = side.batched ? "sequence " + std::to_string(b + 1) + " of " + step : step;
    notes.push_back({step, side.batched ? ListPlace{b} : ListPlace{}, "truncated",
                     what + " is cut from " + counted(side.rows[b], "token") + " to " + std::to_string(kept)});
  }
}

void note_padding(const std::string& step, const Side& side, std::size_t limit, Notes& notes) {
  if (!side.is_ragged_within(limit)) return;
  const std::size_t length = std::min(side.longest(), limit);
  for (std::size_t b = 0; b < side.rows.size(); ++b) {
    const std::size_t own = side.rows_within(limit, b);
    if (own == length) continue;
    notes.push_back({step,
                     {b},
                     "padding",
                     "sequence " + std::to_string(b + 1) + " of " + step + " has " + counted(own, "token") +
                         ", padded to " + std::to_string(length) + " with zeros"});
  }
}

// Of three axes the first is always the batch. Where it has as many entries as
// there are heads, somebody may have meant one matrix a head.
void note_misread(const std::string& step, const Side& side, const Setting& setting, Notes& notes) {
  const std::size_t batch = side.rows.size();
  if (!side.batched || side.heads || batch == 1 || setting.heads != batch) return;
  const std::string axes = setting.vectors == Vectors::rows ? "[batch][token][heads·d]" : "[batch][heads·d][token]";
  notes.push_back({step,
                   {},
                   "misread",
                   step + " are read as " + axes + ": " + std::to_string(batch) +
                       " sequences, the heads side by side; one matrix a head needs a batch axis before it, [1][" +
                       std::to_string(batch) + "][token][d]"});
}

}  // namespace

Notes notes_on(const Sources& sources, const Setting& setting, std::size_t limit) {
  const bool direct = sources.form == Sources::Form::direct;
  const bool self = sources.form == Sources::Form::self_attention;
  struct Named {
    const std::optional<Side>& side;
    std::string step;
  };
  const Named sides[] = {{sources.query, direct ? "queries"
                                         : self ? "inputs"
                                                : "inputs.query"},
                         {sources.key, direct ? "keys" : "inputs.key"},
                         {sources.value, direct ? "values" : "inputs.value"}};
  Notes notes;
  for (const auto& [side, step] : sides) {
    if (side && direct) note_misread(step, *side, step == "queries" ? setting : setting.of_keys(), notes);
    if (side && !direct) note_cut(step, *side, limit, notes);
  }
  for (const auto& [side, step] : sides) {
    if (side && !direct) note_padding(step, *side, limit, notes);
  }
  return notes;
}

}  // namespace attn
