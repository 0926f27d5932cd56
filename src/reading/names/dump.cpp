#include "reading/names/dump.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "reading/json/json.h"
#include "reading/trace.h"

namespace attn {
namespace {

// What programs call their tensors, without case and signs, and the steps that
// may be meant, the likeliest first.
constexpr Synonyms dump_names[] = {
    {"q query querystates querylayer xq", "queries rotated_queries projected_queries"},
    {"qproj", "projected_queries queries"},
    {"k key keystates keylayer xk", "keys rotated_keys all_keys repeated_keys projected_keys"},
    {"kproj", "projected_keys keys"},
    {"v value valuestates valuelayer xv", "values all_values repeated_values projected_values"},
    {"vproj", "projected_values values"},
    {"s qk qkt logits attnlogits attentionlogits attnscores attentionscores similarity sim",
     "scores scaled_scores capped_scores masked_scores"},
    {"attn attnweight attnweights attnprobs attentionprobs attnoutputweights probs", "attention_weights"},
    {"attnmask attentionmask", "mask score_bias"},
    {"causalmask keypaddingmask", "mask"},
    {"alibi positionbias", "score_bias"},
    {"attnbias attentionbias", "score_bias mask"},
    {"attnoutput attentionoutput out o y output result", "output concat context"},
    {"contextlayer z", "context concat"},
    {"outproj oproj", "output"},
    {"hiddenstates", "inputs inputs.query"},
    {"memory encoderhiddenstates", "inputs.key"},
};

Meanings names_of_programs_and_people() {
  Meanings all = meanings(dump_names);
  all.insert(step_aliases().begin(), step_aliases().end());
  return all;
}

std::vector<std::string> meant_by(std::string_view name) {
  static const Meanings meant = names_of_programs_and_people();
  const auto found = meant.find(plain_step_name(name));
  return found == meant.end() ? std::vector<std::string>() : split(found->second, ' ');
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// The axes of each step, as our own .safetensors keep them.
std::map<std::string, std::vector<Axis>> stored_axes(const std::map<std::string, std::string>& metadata) {
  std::map<std::string, std::vector<Axis>> all;
  const auto found = metadata.find("axes");
  if (found == metadata.end()) return all;
  const Result<ParsedJson> parsed = parse_json(found->second);
  const auto object = parsed ? parsed.value().root.object() : std::nullopt;
  if (!object) return all;
  for (const JsonMember& member : object->members) {
    const auto names = member.value.elements();
    if (!names) continue;
    std::vector<Axis> axes;
    for (const JsonValue& name : *names) {
      if (const auto axis = name.text()) axes.push_back(*axis);
    }
    all.emplace(member.key(), std::move(axes));
  }
  return all;
}

// The sizes under those names; under numbers where they name not each axis once.
Shape shape_of(const std::vector<std::size_t>& sizes, const std::vector<Axis>& axes, bool& has_axes) {
  Shape named, numbered;
  has_axes = axes.size() == sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    has_axes = has_axes && !named.has(axes[i]);
    if (has_axes) named.append({axes[i], sizes[i]});
    numbered.append({std::to_string(i + 1), sizes[i]});
  }
  return has_axes ? named : numbered;
}

SideStep side_step(std::string name, std::vector<std::string> ids, FileTensor tensor, const std::vector<Axis>& axes) {
  SideStep step{.name = std::move(name), .ids = std::move(ids), .value = {}};
  if (dtype_named(tensor.dtype)) step.dtype = std::move(tensor.dtype);
  Shape shape = shape_of(tensor.shape, axes, step.has_axes);
  step.value = Tensor<double>(std::move(shape), std::move(tensor.values));
  return step;
}

const std::string* text_of(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? nullptr : &found->second;
}

// The dtype of most of them.
std::string usual_dtype(const std::vector<SideStep>& steps) {
  std::map<std::string, int> count;
  for (const SideStep& step : steps) {
    if (!step.dtype.empty()) ++count[step.dtype];
  }
  const auto most = std::ranges::max_element(count, {}, [](const auto& one) { return one.second; });
  return most == count.end() ? "f64" : most->first;
}

Result<ComparedSide> stored_side(Result<StoredTrace> read) {
  if (!read) return read.faults();
  StoredTrace& trace = read.value();
  ComparedSide side{.dtype = trace.dtype};
  for (StoredStep& step : trace.steps) side.steps.push_back({step.id, {step.id}, std::move(step.value)});
  return side;
}

}  // namespace

std::vector<std::string> meant_steps(std::string_view name, const KnownSteps& known) {
  if (known.has(name)) return {std::string(name)};
  if (auto meant = meant_by(name); !meant.empty()) return meant;
  const std::size_t last = name.find_last_of("./:");
  if (last == std::string_view::npos) return {};
  const std::string_view end = name.substr(last + 1);
  if (known.has(end)) return {std::string(end)};
  // "q_proj.weight" is no step, but "q_proj.output" may be called so by a hook.
  return meant_by(end);
}

void mean_steps_of(const std::vector<std::string>& ids, ComparedSide& theirs) {
  if (!theirs.is_foreign) return;
  static const std::vector<std::string> no_others;
  const KnownSteps ours(ids, []() -> const std::vector<std::string>& { return no_others; });
  for (SideStep& step : theirs.steps) {
    if (ours.has(step.id())) continue;
    std::vector<std::string> meant = meant_steps(step.name, ours);
    if (!meant.empty()) step.ids = std::move(meant);
  }
}

Result<ComparedSide> read_stored_side(std::string_view text) { return stored_side(read_trace(text)); }

std::optional<Result<ComparedSide>> read_side_if_stored(std::string_view text) {
  std::optional<Result<StoredTrace>> read = read_if_trace(text);
  return read ? std::optional(stored_side(*std::move(read))) : std::nullopt;
}

ComparedSide foreign_side(std::vector<FileTensor> tensors, const KnownSteps& known) {
  ComparedSide side{.is_foreign = true};
  for (FileTensor& tensor : tensors) {
    std::string name = std::move(tensor.name);
    std::vector<std::string> ids = meant_steps(name, known);
    side.steps.push_back(side_step(std::move(name), std::move(ids), std::move(tensor), {}));
  }
  side.dtype = usual_dtype(side.steps);
  return side;
}

Result<ComparedSide> read_dump(const std::string& path, std::size_t max_bytes, const KnownSteps& known) {
  Result<std::unique_ptr<TensorFile>> opened = open_tensor_file(path);
  if (!opened) return opened.faults();
  TensorFile& file = *opened.value();
  const std::string* schema = text_of(file.metadata(), "schema");
  ComparedSide side{.is_foreign = !schema || *schema != "attn/trace/1"};
  const auto axes = side.is_foreign ? std::map<std::string, std::vector<Axis>>() : stored_axes(file.metadata());
  side.steps.reserve(file.names().size());
  std::size_t bytes_left = max_bytes;
  for (std::size_t i = 0; i < file.names().size(); ++i) {
    std::string name = file.names()[i].empty() ? stem_of(path) : file.names()[i];
    std::vector<std::string> ids = meant_steps(name, known);
    Result<FileTensor> tensor = file.read(i, bytes_left);
    if (!tensor) {
      // What holds no numbers, as a version or a list of words does, or none that a double is equal to. What is
      // called as a step has to have them.
      const Diagnostic& fault = tensor.faults().front();
      const bool may_be_passed_over = fault.code == "bad-dtype" || fault.code == "not-exact";
      if (!may_be_passed_over || !ids.empty()) return tensor.faults();
      side.unread.push_back({std::move(name), fault.message});
      continue;
    }
    bytes_left -= tensor.value().values.size() * sizeof(double);
    if (!side.is_foreign) ids = {name};
    const auto named = axes.find(name);
    side.steps.push_back(side_step(std::move(name), std::move(ids), std::move(tensor.value()),
                                   named == axes.end() ? std::vector<Axis>() : named->second));
  }
  // Where nothing can be read, the file is of no use.
  if (side.steps.empty() && !side.unread.empty()) return file.read(0, max_bytes).faults();
  const std::string* dtype = side.is_foreign ? nullptr : text_of(file.metadata(), "dtype");
  side.dtype = dtype ? *dtype : usual_dtype(side.steps);
  return side;
}

}  // namespace attn
