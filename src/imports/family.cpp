#include "imports/family.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace attn {
namespace {

std::string spelled(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t size : shape) text += "[" + std::to_string(size) + "]";
  return text.empty() ? "one number" : text;
}

// What files say may be of any length; names of tensors are long.
std::string in_ticks(std::string_view name) { return "`" + shortened(visible(name.substr(0, 400)), 100) + "`"; }

}  // namespace

void TakenModel::refuse(const char* code, const std::string& message, const std::string& help) const {
  throw NotImported{{.code = code, .message = message, .help = help}};
}

// --- settings ----------------------------------------------------------------------

const nlohmann::json* TakenModel::setting(const char* key) const {
  const auto found = files_.config().find(key);
  return found == files_.config().end() || found->is_null() ? nullptr : &*found;
}

bool TakenModel::says(const char* key) const { return setting(key) != nullptr; }

std::size_t TakenModel::count(const char* key, std::optional<std::size_t> usual) const {
  const nlohmann::json* said = setting(key);
  if (!said && usual) return *usual;
  if (!said)
    refuse("bad-config", "config.json does not say " + in_ticks(key), "a model of this kind cannot do without");
  if (!said->is_number_unsigned()) {
    refuse("bad-config", "config.json says of " + in_ticks(key) + " what is no whole number", "it counts something");
  }
  return said->get<std::size_t>();
}

double TakenModel::number(const char* key, double usual) const {
  const nlohmann::json* said = setting(key);
  if (!said) return usual;
  if (!said->is_number() || !std::isfinite(said->get<double>())) {
    refuse("bad-config", "config.json says of " + in_ticks(key) + " what is no number", "write one");
  }
  return said->get<double>();
}

bool TakenModel::flag(const char* key, bool usual) const {
  const nlohmann::json* said = setting(key);
  if (!said) return usual;
  if (!said->is_boolean()) {
    refuse("bad-config", "config.json says of " + in_ticks(key) + " neither true nor false", "write one of the two");
  }
  return said->get<bool>();
}

std::string TakenModel::word(const char* key, const std::string& usual) const {
  const nlohmann::json* said = setting(key);
  if (!said) return usual;
  if (!said->is_string()) {
    refuse("bad-config", "config.json says of " + in_ticks(key) + " what is no text", "write a text");
  }
  return said->get<std::string>();
}

void TakenModel::refuse_flag(const char* key) const {
  if (flag(key, false))
    refuse("not-computed", "the model has " + in_ticks(key) + ", which attn does not compute",
           "import a model without it");
}

void TakenModel::refuse_setting(const char* key) const {
  if (says(key))
    refuse("not-computed", "the model has " + in_ticks(key) + ", which attn does not compute",
           "import a model without it");
}

void TakenModel::accept_words(const char* key, const std::string& usual, const std::vector<std::string>& known) const {
  const std::string said = word(key, usual);
  if (std::ranges::find(known, said) != known.end()) return;
  refuse("not-computed", "the model's " + in_ticks(key) + " is " + in_ticks(said) + ", which attn does not compute",
         "what it computes here: " + listed(known));
}

std::string TakenModel::activation(const std::string& name, bool is_gated) const {
  struct Called {
    const char *theirs, *plain, *gated;
  };
  constexpr Called all[] = {{"relu", "relu", ""},
                            {"gelu", "gelu", "geglu"},
                            {"gelu_new", "gelu_tanh", "geglu_tanh"},
                            {"gelu_pytorch_tanh", "gelu_tanh", "geglu_tanh"},
                            {"silu", "silu", "swiglu"},
                            {"swish", "silu", "swiglu"}};
  for (const Called& one : all) {
    const std::string ours = is_gated ? one.gated : one.plain;
    if (name == one.theirs && !ours.empty()) return ours;
  }
  refuse("not-computed",
         "the model's networks go through " + in_ticks(name) + (is_gated ? " and a gate" : "") +
             ", which attn does not compute",
         "attn list activations shows what it computes");
}

// --- tensors -----------------------------------------------------------------------

void TakenModel::find_prefix(const std::vector<std::string>& prefixes, const std::string& tensor) {
  const auto stands = [&](const std::string& prefix) { return files_.tensors().contains(prefix + tensor); };
  if (wishes_.prefix) {
    prefix_ = *wishes_.prefix;
    if (stands(prefix_)) return;
    refuse("no-tensor", "no tensor is called " + in_ticks(prefix_ + tensor),
           "--prefix is what stands before " + tensor + " in the names of tensors");
  }
  const auto found = std::ranges::find_if(prefixes, stands);
  if (found != prefixes.end()) {
    prefix_ = *found;
    return;
  }
  std::string help = "--prefix says what stands before " + tensor;
  for (const auto& [name, place] : files_.tensors()) {
    if (name.ends_with(tensor)) help = "give --prefix " + printable(name.substr(0, name.size() - tensor.size()));
  }
  refuse("no-tensor", "no tensor of the model is called " + in_ticks(tensor), help);
}

std::string TakenModel::outside() const {
  if (prefix_.size() < 2) return "";
  const std::size_t dot = prefix_.rfind('.', prefix_.size() - 2);
  return dot == std::string::npos ? "" : prefix_.substr(0, dot + 1);
}

void TakenModel::step_outside(const std::string& tensor) {
  prefix_ = outside();
  if (!has(tensor)) prefix_.clear();
}

bool TakenModel::has(const std::string& name) const { return files_.tensors().contains(full(name)); }

const std::vector<std::size_t>& TakenModel::shape(const std::string& name) const {
  const auto found = files_.tensors().find(full(name));
  if (found != files_.tensors().end()) return found->second.shape;
  refuse("no-tensor", "no tensor of the model is called " + in_ticks(full(name)), "a model of this kind has one");
}

std::size_t TakenModel::rows(const std::string& name) const {
  const std::vector<std::size_t>& all = shape(name);
  if (all.size() == 2) return all[0];
  refuse("bad-shape", in_ticks(full(name)) + " is " + spelled(all) + ", no matrix",
         "a matrix has two axes: rows and columns");
}

OrderedJson TakenModel::tensor(const std::string& name, const TakenPart& part) {
  shape(name);
  read_.insert(full(name));
  OrderedJson reference = {{"file", wishes_.folder + files_.tensors().at(full(name)).file}, {"tensor", full(name)}};
  const auto range = [&](const char* key, const auto& of) {
    if (of) reference[key] = {of->first, of->second};
  };
  range("rows", part.rows);
  range("columns", part.columns);
  if (part.is_transposed) reference["transpose"] = true;
  return reference;
}

OrderedJson TakenModel::rows_of_ids(const std::string& name) {
  const std::size_t tokens = rows(name);
  for (const std::size_t id : wishes_.ids) {
    if (id < tokens) continue;
    refuse("bad-ids", "the model has no token " + std::to_string(id),
           "it has " + counted(tokens, "token") + ", counted from 0");
  }
  OrderedJson reference = tensor(name);
  reference["take"] = wishes_.ids;
  return reference;
}

std::vector<double> TakenModel::numbers(const std::string& name, std::size_t from, std::size_t to) {
  if (to > rows(name)) {
    refuse("bad-shape",
           in_ticks(full(name)) + " is " + spelled(shape(name)) + " and has no rows up to " + std::to_string(to),
           "import fewer tokens");
  }
  read_.insert(full(name));
  TensorPart part;
  part.rows = TensorPart::Range{from, to};
  auto read = files_.read(full(name), part);
  if (!read) throw NotImported{read.faults().front()};
  return std::move(read.value());
}

void TakenModel::pass_over(std::string_view beginning) {
  // There may be as many layers as tensors: those of one stand side by side, and no others are looked at.
  const std::string whole = full(std::string(beginning));
  for (auto at = files_.tensors().lower_bound(whole); at != files_.tensors().end(); ++at) {
    if (!at->first.starts_with(whole)) break;
    read_.insert(at->first);
  }
}

void TakenModel::pass_over_any(std::string_view ending) {
  for (const auto& [name, place] : files_.tensors()) {
    if (name.ends_with(ending)) read_.insert(name);
  }
}

void TakenModel::leave_out(std::string_view beginning, const std::string& what) {
  const std::string here = full(std::string(beginning)), beside = outside() + std::string(beginning);
  bool is_there = false;
  for (const auto& [name, place] : files_.tensors()) {
    const bool is_called_so = name.starts_with(beginning) || name.starts_with(here) || name.starts_with(beside);
    if (is_called_so && read_.insert(name).second) is_there = true;
  }
  if (is_there) left_out_.push_back(what);
}

std::vector<std::size_t> TakenModel::layers(std::size_t count, const std::string& name, const std::string& owner) {
  const std::size_t first = wishes_.first.value_or(1), last = wishes_.last.value_or(count);
  if (count == 0) refuse("bad-config", "the " + owner + " has no layers", "give one that has");
  if (first < 1 || last > count || first > last) {
    refuse("bad-layers",
           "the " + owner + " has " + counted(count, "layer") + ", and " + std::to_string(first) + "-" +
               std::to_string(last) + " are asked for",
           "--layers 1-2 takes the first two");
  }
  // Each has one at least: numbers of another model, or of nobody, would be gone through one by one.
  const std::size_t tensors = files_.tensors().size();
  if (count > tensors) {
    refuse("bad-config",
           "the model has " + counted(count, "layer") + " by its config.json, and " + counted(tensors, "tensor") +
               " in all",
           "is config.json the one of another model?");
  }
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 1 >= first && i + 1 <= last) {
      wanted.push_back(i);
    } else {
      pass_over(name + std::to_string(i) + ".");
    }
  }
  const std::string theirs = owner == "model" ? "the layers " : "the " + owner + "'s layers ";
  if (first > 1)
    left_out_.push_back(theirs + "before layer " + std::to_string(first) + ": its inputs are what goes into the model");
  if (last < count) left_out_.push_back(theirs + "behind layer " + std::to_string(last));
  return wanted;
}

void TakenModel::check_size(const std::string& name, Axis axis, const char* key, std::size_t times) const {
  const std::vector<std::size_t>& all = shape(name);
  if (!says(key) || all.empty()) return;
  const std::size_t size = axis == Axis::first ? all.front() : all.back(), said = count(key);
  if (size % times == 0 && size / times == said) return;
  const std::string of_it = times == 1 ? "" : ", " + std::to_string(times) + " times";
  refuse("bad-config",
         in_ticks(full(name)) + " is " + spelled(all) + ", and config.json says " + in_ticks(key) + " is " +
             std::to_string(said) + of_it,
         "the two belong to different models: fetch both again");
}

std::size_t TakenModel::heads(const char* key, const std::string& name, Axis axis) const {
  const std::vector<std::size_t>& all = shape(name);
  const std::size_t said = count(key), size = all.empty() ? 0 : axis == Axis::first ? all.front() : all.back();
  if (said > 0 && size % said == 0) return said;
  refuse("bad-config",
         in_ticks(full(name)) + " is " + spelled(all) + ", and config.json says " + in_ticks(key) + " is " +
             std::to_string(said) + ", which does not divide " + std::to_string(size),
         "the two belong to different models: fetch both again");
}

double TakenModel::eps(const char* key, double usual) const {
  const double said = number(key, usual);
  if (said < 0)
    refuse("bad-config", "config.json says of " + in_ticks(key) + " a negative number", "it is added to a variance");
  return said;
}

void TakenModel::check_positions(std::size_t positions) const {
  if (wishes_.ids.size() <= positions) return;
  refuse("bad-ids",
         "the text has " + counted(wishes_.ids.size(), "token") + ", and the model " + counted(positions, "position"),
         "import a shorter text");
}

// --- the problem -------------------------------------------------------------------

OrderedJson TakenModel::norm(const std::string& gain, const std::string& bias) {
  OrderedJson made = {{"gain", tensor(gain)}};
  if (!bias.empty()) made["bias"] = tensor(bias);
  return made;
}

OrderedJson TakenModel::problem(const std::string& title, const std::string& embeddings) {
  OrderedJson made = {{"title", title}};
  if (!wishes_.labels.empty()) made["tokens"] = wishes_.labels;
  made["inputs"] = rows_of_ids(embeddings);
  return made;
}

OrderedJson TakenModel::vectors(std::size_t count, std::size_t width, const VectorsInFile& file,
                                std::size_t seed) const {
  if (file.empty()) return {{"random", "normal"}, {"shape", {count, width}}, {"seed", seed}};
  if (!file.shape.empty() && file.shape.back() != width) {
    refuse("bad-wishes",
           in_ticks(file.file) + " has vectors of " + counted(file.shape.back(), "number") +
               ", and the model reads vectors of " + std::to_string(width),
           "an axis of the array is the tokens, the last one the numbers of each");
  }
  OrderedJson made = {{"file", file.file}};
  if (!file.tensor.empty()) made["tensor"] = file.tensor;
  return made;
}

bool TakenModel::makes_logits(bool is_tied) const {
  const nlohmann::json* said = setting("architectures");
  if (!said || !said->is_array() || said->empty() || !said->front().is_string()) {
    const std::string matrix = "lm_head.weight";
    return is_tied || files_.tensors().contains(matrix) || files_.tensors().contains(outside() + matrix);
  }
  const std::string name = said->front().get<std::string>();
  return name.ends_with("LMHeadModel") || name.ends_with("ForCausalLM");
}

void TakenModel::add_logits(OrderedJson& block, const std::string& unembedding, bool is_turned) {
  if (!wishes_.logits) {
    read_.insert(full(unembedding));
    left_out_.push_back("the logits");
    return;
  }
  if (!has(unembedding)) {
    refuse("no-tensor", "no tensor of the model is called " + in_ticks(full(unembedding)),
           "config.json says that the model makes logits with it: --no-logits ends before");
  }
  const std::size_t tokens = rows(unembedding);
  block["unembedding"] = tensor(unembedding, {.is_transposed = !is_turned});
  if (wishes_.vocabulary.empty() || wishes_.vocabulary.size() > tokens) return;
  // Tables are longer than vocabularies where somebody wanted a round number.
  std::vector<std::string> vocabulary = wishes_.vocabulary;
  for (std::size_t id = vocabulary.size(); id < tokens; ++id) vocabulary.push_back("unused " + std::to_string(id));
  block["vocabulary"] = std::move(vocabulary);
}

void TakenModel::check_all_read() {
  bool is_any_outside = false;
  for (const auto& [name, place] : files_.tensors()) {
    if (read_.contains(name)) continue;
    // Whoever names a part of a larger model wants no more than that.
    if (wishes_.prefix && !name.starts_with(*wishes_.prefix) && !(claimed_ && name.starts_with(*claimed_))) {
      is_any_outside = true;
      continue;
    }
    refuse("not-computed",
           "the model has " + in_ticks(name) + " " + spelled(place.shape) + ", which attn does not compute",
           "import a model without it");
  }
  if (is_any_outside) left_out_.push_back("what stands outside of " + in_ticks(*wishes_.prefix + "…"));
}

}  // namespace attn
