#pragma once

#include <set>
#include <string>
#include <vector>

namespace attn {

// A number that a formula takes from the problem's options: a cell with a name.
struct SheetOption {
  std::string name;     // as formulas have it
  std::string meaning;  // for people
  double value = 0;
  std::string formula = {};  // where the number itself is computed: "SQRT(3)"
};

// The text as a name that formulas can use: "layer1_self_scores".
std::string defined_name(std::string text);

// The options of a workbook, each once.
class SheetOptions {
 public:
  // Its name in formulas: the one that is wanted, or, where that is taken for another number,
  // one with the prefix before it.
  std::string name_of(const std::string& prefix, SheetOption wanted);

  // Keeps a name for something else.
  void keep_free(const std::string& name) { kept_free_.insert(name); }

  const std::vector<SheetOption>& all() const { return all_; }

 private:
  std::vector<SheetOption> all_;
  std::set<std::string> kept_free_;
};

}  // namespace attn
