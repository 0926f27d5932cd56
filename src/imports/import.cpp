#include "imports/import.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "imports/family.h"
#include "imports/model_files.h"

namespace attn {
namespace {

constexpr std::size_t widest = 110;

// On one line, a blank behind commas and colons.
void write_flat(const OrderedJson& value, std::string& text) {
  if (!value.is_structured()) {
    text += value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    return;
  }
  text += value.is_array() ? "[" : "{";
  bool is_first = true;
  for (const auto& [key, member] : value.items()) {
    if (!is_first) text += ", ";
    is_first = false;
    if (value.is_object()) text += OrderedJson(key).dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + ": ";
    write_flat(member, text);
  }
  text += value.is_array() ? "]" : "}";
}

// JSON as people lay it out: what fits a line in one, and numbers of a tensor always.
void lay_out(const OrderedJson& value, std::size_t indent, std::string& text) {
  std::string flat;
  write_flat(value, flat);
  const bool is_leaf = !value.is_structured() || value.empty();
  const bool is_row = value.is_array() && !value.front().is_structured();
  if (is_leaf || is_row || flat.size() + indent <= widest) {
    text += flat;
    return;
  }
  const std::string inner(indent + 2, ' ');
  text += value.is_array() ? "[\n" : "{\n";
  bool is_first = true;
  for (const auto& [key, member] : value.items()) {
    if (!is_first) text += ",\n";
    is_first = false;
    text += inner;
    if (value.is_object()) text += OrderedJson(key).dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + ": ";
    lay_out(member, indent + 2, text);
  }
  text += "\n" + std::string(indent, ' ') + (value.is_array() ? "]" : "}");
}

const ModelFamily& family_of(const ModelFiles& files, const ImportWishes& wishes) {
  std::vector<std::string> names;
  for (const ModelFamily& family : importable_models()) names.push_back(family.name);
  const auto type = files.config().find("model_type");
  const std::string said = type != files.config().end() && type->is_string() ? type->get<std::string>() : "";
  for (const ModelFamily& family : importable_models()) {
    if (wishes.from.empty() ? std::ranges::find(family.types, said) != family.types.end()
                            : family.name == wishes.from) {
      return family;
    }
  }
  if (!wishes.from.empty()) {
    throw NotImported{{.code = "unknown-model",
                       .message = "no family of models is called `" + printable(wishes.from) + "`",
                       .help = "--from takes " + listed(names)}};
  }
  throw NotImported{{.code = "unknown-model",
                     .message = said.empty() ? "nothing says what kind of model this is"
                                             : "a model of the type `" + printable(said) + "` is not computed here",
                     .help = "--from says how to read it: " + listed(names)}};
}

}  // namespace

Result<ImportedModel> import_model(const std::string& path, const ImportWishes& wishes) {
  Result<ModelFiles> files = ModelFiles::open(path);
  if (!files) return files.faults();
  try {
    TakenModel model(files.value(), wishes);
    model.refuse_setting("quantization_config");
    const OrderedJson problem = family_of(files.value(), wishes).problem(model);
    model.check_all_read();
    ImportedModel made{.problem = "", .left_out = model.left_out()};
    lay_out(problem, 0, made.problem);
    made.problem += '\n';
    return made;
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
