#pragma once

#include <cstddef>
#include <optional>

#include "problem/attention.h"
#include "problem/choice.h"
#include "problem/extra_keys.h"
#include "problem/projections.h"
#include "problem/sources.h"

namespace attn {

// What one attention of a problem is fitted with.
struct AttentionSetting {
  Setting setting;    // vectors, layout, how inputs are split; heads are found out
  std::size_t limit;  // of tokens
  const Catalog& catalog;
  Budget& budget;
  Faults& faults;
};

// Fits what a statement says of one attention to the vectors that it attends with
// and to. Every step goes as far as what came before it allows, so that one fault
// does not hide another.
class FittedAttention {
 public:
  // REQUIRES: the sources' sides were checked; all outlive it. Its own parts of the
  // statement are taken out of it.
  FittedAttention(Statement& statement, Sources& sources, const AttentionSetting& in);

  // Whether nothing of it was faulty in itself, which was reported elsewhere.
  bool is_complete() const;

  // How many numbers each vector of its result has; nothing where that is not known.
  std::optional<std::size_t> result_width() const;

  // The matrix that its last step multiplies by, or the side that it reads, for faults.
  std::string last_matrix() const;

  const Setting& setting() const { return setting_; }

  // Whether there is room for the labels of its queries and keys, of so many letters in all; a fault where not.
  bool has_room_for_labels(std::size_t letters);

  // The attention, without labels. REQUIRES: is_complete(), and no fault.
  Attention take();

 private:
  bool is_direct() const { return sources_.form == Sources::Form::direct; }
  void read_weights();
  void check_widths();
  bool takes_equal_widths() const;
  void measure_extra_keys();
  void read_extra_keys();
  ChoiceSetting choice_setting() const;
  void read_choices();
  bool knows_past() const;
  void read_options();
  std::optional<Shape> shape_of_scores() const;
  void fill_direct();
  Source direct(Side& side, const Axis& row, const Axis& feature) const;

  Statement& statement_;
  Sources& sources_;
  Setting setting_;
  std::size_t limit_;
  const Catalog& catalog_;
  Budget& budget_;
  Faults& faults_;
  Part query_, key_, value_, output_;
  std::optional<ExtraSides> past_, appended_;
  std::optional<std::size_t> query_width_, key_width_, value_width_;  // of one head
  Attention attention_;
};

}  // namespace attn
