#include "imports/import.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "files/problem_text.h"
#include "imports/family.h"
#include "imports/model_files.h"

namespace attn {
namespace {

std::string not_computed(const std::string& type) {
  return "a model of the type `" + shortened(printable(type), 60) + "` is not computed here";
}

const ModelFamily& family_of(const ModelFiles& files, const ImportWishes& wishes) {
  std::vector<std::string> names;
  for (const ModelFamily& family : importable_models()) names.push_back(family.name);
  const auto type = files.config().find("model_type");
  const std::string said = type != files.config().end() && type->is_string() ? type->get<std::string>() : "";
  assert(wishes.from.empty() || std::ranges::find(names, wishes.from) != names.end());
  const auto knows = [&](const ModelFamily& family) {
    return std::ranges::find(family.types, said) != family.types.end();
  };
  for (const ModelFamily& family : importable_models()) {
    if (wishes.from.empty() ? !knows(family) : family.name != wishes.from) continue;
    // A state dict of torch is of no type. Others that are built alike multiply, add or count somewhere else.
    if (said.empty() || family.types.empty() || knows(family)) return family;
    const bool is_of_another = std::ranges::any_of(importable_models(), knows);
    throw NotImported{
        {.code = "unknown-model",
         .message = is_of_another
                        ? "config.json says `" + shortened(printable(said), 60) + "`, and --from " + family.name
                        : not_computed(said),
         .help = is_of_another ? "leave --from out" : "--from " + family.name + " takes " + listed(family.types)}};
  }
  std::vector<std::string> types;
  for (const ModelFamily& family : importable_models()) std::ranges::copy(family.types, std::back_inserter(types));
  throw NotImported{
      {.code = "unknown-model",
       .message = said.empty() ? "nothing says what kind of model this is" : not_computed(said),
       .help = said.empty() ? "--from says how to read it: " + listed(names) : "attn computes " + listed(types)}};
}

// The options that say something of such a model.
std::vector<std::string> options_of(const ModelFamily& family) {
  // A state dict of torch, which is of no type, has neither a tokenizer nor a table that tokens are rows of.
  const bool is_state_dict = family.types.empty();
  std::vector<std::string> all = is_state_dict ? std::vector<std::string>{"--tokens", "--prefix"}
                                               : std::vector<std::string>{"--text", "--tokens", "--ids", "--prefix"};
  std::ranges::copy(family.options, std::back_inserter(all));
  return all;
}

// Refuses what was asked for and says nothing of such a model: numbers would be others than somebody meant.
void refuse_options_of_others(const ModelFamily& family, const ImportWishes& wishes) {
  const std::pair<const char*, bool> asked[] = {
      {"--layers", wishes.first.has_value()},       {"--no-logits", !wishes.logits},
      {"--heads", wishes.heads.has_value()},        {"--norm-first", wishes.norm_first},
      {"--activation", !wishes.activation.empty()}, {"--inputs", !wishes.inputs.empty()},
      {"--memory", !wishes.memory.empty()},         {"--source", !wishes.source.empty()}};
  for (const auto& [option, is_asked] : asked) {
    if (!is_asked || std::ranges::find(family.options, option) != family.options.end()) continue;
    throw NotImported{{.code = "bad-wishes",
                       .message = std::string(option) + " says nothing of a model of the family " + family.name,
                       .help = "leave it out: what such a model takes is " + listed(options_of(family))}};
  }
}

}  // namespace

Result<ImportedModel> import_model(const std::string& path, const ImportWishes& wishes) {
  Result<ModelFiles> files = ModelFiles::open(path);
  if (!files) return files.faults();
  try {
    TakenModel model(files.value(), wishes);
    model.refuse_setting("quantization_config");
    const ModelFamily& family = family_of(files.value(), wishes);
    refuse_options_of_others(family, wishes);
    const OrderedJson problem = family.problem(model);
    model.check_all_read();
    return ImportedModel{.problem = problem_text(problem), .left_out = model.left_out()};
  } catch (const NotImported& refused) {
    return refused.fault;
  }
}

std::vector<std::pair<std::string, std::string>> model_families() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const ModelFamily& family : importable_models()) all.emplace_back(family.name, family.summary);
  return all;
}

}  // namespace attn
