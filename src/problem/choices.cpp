#include <algorithm>
#include <map>
#include <utility>

#include "problem/options.h"

namespace attn {
namespace {

// A size that an axis must have, and what says so.
struct Fixed {
  std::size_t size;
  std::string because;
};

class Parameters {
 public:
  Parameters(const ChoiceSetting& setting, Vectors vectors, Budget& budget, Faults& faults)
      : vectors_(vectors), heads_(setting.heads), budget_(budget), faults_(faults) {
    fix("d_q", setting.query_width, "queries have ");
    fix("d_k", setting.key_width, "keys have ");
    fix("d_v", setting.value_width, "values have ");
    fix("d_pair", sum(setting.query_width, setting.key_width), "a query and a key together have ");
    fix("d_model", setting.model_width, "the inputs have ");
    fix("head", setting.heads, "the problem has ");
    const std::optional<std::size_t> width = setting.key_width;
    if (setting.heads)
      fix("d_concat", width ? std::optional(*setting.heads * *width) : width, "all heads together have ");
  }

  std::optional<Source> tensor(RawTensor raw, const Parameter& parameter) {
    std::vector<Axis> axes = in_this_problem(parameter.axes);
    std::optional<Regular> found = regular(std::move(raw), budget_, faults_);
    if (!found) return std::nullopt;
    are_late_ = are_late_ || found->late;
    if (parameter.may_be_one_number && found->rank() == 0) return std::move(*found).source({});
    if (vectors_ == Vectors::columns && axes.size() >= 2) std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    if (found->rank() != axes.size()) {
      return faults_.add_of(
          "wrong-rank", found->where,
          "is " + (found->rank() == 0 ? "one number" : "nested " + std::to_string(found->rank()) + " deep") + "; " +
              (axes.empty() ? "one number is wanted"
                            : std::to_string(axes.size()) + " deep is wanted: " + spelled(axes)),
          found->rank() > axes.size() ? "take out the brackets that are too many" : "write more brackets around it");
    }
    Shape shape;
    bool fits = true;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      fits = check_axis(*found, i, axes) && fits;
      shape.append({axes[i], found->shape[i]});
    }
    if (!fits) return std::nullopt;
    return std::move(*found).source(shape);
  }

  // Whether numbers of a tensor have yet to be read.
  bool are_late() const { return are_late_; }

 private:
  static std::optional<std::size_t> sum(std::optional<std::size_t> a, std::optional<std::size_t> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }

  void fix(const Axis& axis, std::optional<std::size_t> size, const std::string& because) {
    if (size) {
      sizes_.insert({axis, {*size, because + std::to_string(*size)}});
    } else {
      unknown_.push_back(axis);
    }
  }

  // The axes that the parameter has where there is no head axis, perhaps.
  std::vector<Axis> in_this_problem(std::vector<Axis> axes) const {
    if (heads_) return axes;
    std::erase(axes, "head");
    for (Axis& axis : axes) {
      if (axis == "d_concat") axis = "d_k";
    }
    return axes;
  }

  static std::string spelled(const std::vector<Axis>& axes) {
    std::string text;
    for (const Axis& axis : axes) text += "[" + axis + "]";
    return text;
  }

  bool check_axis(const Regular& found, std::size_t i, const std::vector<Axis>& axes) {
    if (std::ranges::count(unknown_, axes[i]) > 0) return true;
    const auto [fixed, is_new] =
        sizes_.insert({axes[i], {found.shape[i], shown(found.where) + " has " + std::to_string(found.shape[i])}});
    if (fixed->second.size == found.shape[i]) return true;
    faults_.add_of("shape-mismatch", found.where,
                   "is " + spelled_sizes(found.shape) + ", " + spelled(axes) + ", and " + fixed->second.because +
                       " for " + axes[i],
                   "one of the two has another size than is meant");
    return false;
  }

  Vectors vectors_;
  std::optional<std::size_t> heads_;
  Budget& budget_;
  Faults& faults_;
  std::map<Axis, Fixed> sizes_;
  std::vector<Axis> unknown_;
  bool are_late_ = false;
};

// The choice; `what` is the word for such a one ("score").
Choice chosen(RawChoice raw, const ChoiceSpec& spec, std::string_view what, const ChoiceSetting& setting,
              Vectors vectors, Budget& budget, Faults& faults) {
  Choice choice{.name = spec.name, .numbers = {}, .tensors = {}};
  Parameters parameters(setting, vectors, budget, faults);
  bool complete = true;
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.axes.empty()) {
      const auto number = raw.numbers.find(parameter.name);
      if (number == raw.numbers.end()) continue;
      complete = complete && number->second;
      if (number->second) choice.numbers[parameter.name] = *number->second;
      continue;
    }
    const auto given = raw.tensors.find(parameter.name);
    if (given == raw.tensors.end()) continue;
    auto tensor = given->second ? parameters.tensor(std::move(*given->second), parameter) : std::nullopt;
    complete = complete && tensor;
    if (tensor) choice.tensors.emplace(parameter.name, std::move(*tensor));
  }
  if (!complete || !spec.misfit) return choice;
  const auto check_misfit = [choice, &spec, setting, of = std::string(what), raw = std::move(raw)](Faults& found) {
    const std::optional<Misfit> misfit = spec.misfit(choice, setting);
    if (!misfit) return;
    const std::string where = misfit->parameter.empty() ? raw.where : raw.place(misfit->parameter);
    const std::string subject = misfit->parameter.empty() ? "the " + of + " " + spec.name : shown(where);
    found.add("misfit", where, subject + " " + misfit->message, misfit->help);
  };
  if (!parameters.are_late()) {
    check_misfit(faults);
  } else {
    budget.put_off_no_longer();
    budget.put_off().add([check_misfit](Faults& all) {
      if (!all.any()) check_misfit(all);
    });
  }
  return choice;
}

// Whether what relative positions add to a score has a place in it.
void check_terms(const Attention& attention, const std::string& where, const Catalog& catalog, Faults& faults) {
  if (!attention.positions || attention.score.name.empty()) return;
  const ChoiceSpec* positions = find(catalog.positions, attention.positions->name);
  const ChoiceSpec* score = find(catalog.scores, attention.score.name);
  if (!positions->score_terms || score->score_terms) return;
  faults.add("contradiction", where,
             shown(where) + " is " + positions->name + ", and nothing can be added to the score " + score->name,
             "it is made for dot products");
}

}  // namespace

void fit_choices(Statement& statement, const Catalog& catalog, const ChoiceSetting& setting, Vectors vectors,
                 Attention& attention, Budget& budget, Faults& faults) {
  const auto choose = [&](Stated<RawChoice>& raw, const std::vector<ChoiceSpec>& specs, std::string_view what) {
    const ChoiceSpec* spec = raw ? find(specs, raw->name) : nullptr;  // who reads the file knows the catalog too
    return spec ? std::optional(chosen(std::move(*raw), *spec, what, setting, vectors, budget, faults)) : std::nullopt;
  };
  if (!statement.score.is_given()) statement.score = RawChoice{statement.place("/score"), "scaled_dot", {}, {}};
  if (auto score = choose(statement.score, catalog.scores, "score")) attention.score = std::move(*score);
  attention.positions = choose(statement.positions, catalog.positions, "position encoding");
  attention.softmax = choose(statement.softmax, catalog.softmaxes, "softmax");
  // What everybody means by softmax is said by saying nothing.
  if (attention.softmax && attention.softmax->name == catalog.softmaxes.front().name) attention.softmax.reset();
  check_terms(attention, statement.place("/positions"), catalog, faults);
}

}  // namespace attn
