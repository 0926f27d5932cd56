#include "imports/import.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/render.h"
#include "files/tensor_file.h"
#include "problem/faults.h"
#include "tokenizers/tokenizer.h"

namespace attn {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::string model, from, text, tokens, ids, layers, prefix, heads, activation, inputs, memory, source, output;
  bool norm_first = false, no_logits = false;

  void declare(CommandLine& line);
  Exit run() const;
};

std::string parent_of(const std::string& file) {
  const std::string parent = fs::path(file).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string folder_of_model(const std::string& model) {
  std::error_code unknown;
  if (fs::is_directory(model, unknown)) return model;
  return parent_of(model);
}

// How a token is called in a table: without the blank before it, unless it is nothing else.
std::string label_of(const TextToken& token) {
  const std::string text = token.spelling.starts_with("##") ? printable(token.spelling) : token.text;
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos || first == 0 ? text : text.substr(first);
}

Refusal refused(const Diagnostics& faults, const std::string& model) { return Refusal(faults, "", model); }

// Which tokens go in: what of the options says so.
class WantedTokens {
 public:
  WantedTokens(const ImportOptions& options, ImportWishes& wishes) : options_(options), wishes_(wishes) {}

  void find() {
    const int said = int{!options_.text.empty()} + int{!options_.tokens.empty()} + int{!options_.ids.empty()};
    if (said > 1) {
      throw Refusal("--text, --tokens and --ids all say what goes in", "give one of them").at({"--text"});
    }
    if (options_.from.starts_with("torch")) {
      refuse_for_state_dict("--text", options_.text, "a state dict has no tokenizer");
      refuse_for_state_dict("--ids", options_.ids, "a state dict has no table that tokens are rows of");
      if (!options_.tokens.empty()) take_names();
      return;
    }
    std::error_code missing;
    const fs::path folder = folder_of_model(options_.model);
    const bool has_tokenizer = fs::exists(folder / "tokenizer.json", missing) ||
                               fs::exists(folder / "vocab.txt", missing) || fs::exists(folder / "vocab.json", missing);
    if (!options_.text.empty() && !has_tokenizer) {
      throw Refusal("no tokenizer stands beside the model", "give --ids, or put tokenizer.json or vocab.txt there")
          .at({"--text", options_.text});
    }
    if (has_tokenizer) read();
    if (!options_.ids.empty()) take_ids();
    if (!options_.tokens.empty()) take_names();
    if (!options_.text.empty()) take_text();
  }

 private:
  static void refuse_for_state_dict(const std::string& option, const std::string& typed, const std::string& why) {
    if (!typed.empty())
      throw Refusal(why, "--tokens names the vectors that go in, --inputs gives them").at({option, typed});
  }

  void read() {
    Result<Tokenizer> tokenizer = read_tokenizer(folder_of_model(options_.model));
    if (!tokenizer) {
      // Whoever gives ids needs none.
      if (options_.text.empty() && options_.tokens.empty()) return;
      throw refused(tokenizer.faults(), options_.model);
    }
    tokenizer_ = std::move(tokenizer.value());
    for (std::size_t id = 0; id < tokenizer_->size(); ++id) {
      const TextToken token = tokenizer_->token(id).value();
      wishes_.vocabulary.push_back(token.text.empty() ? printable(token.spelling) : token.text);
    }
  }

  void take_ids() {
    for (const std::string& one : split(options_.ids, ',')) {
      const std::size_t id = whole_number("--ids", one, "number of a token", 0);
      wishes_.ids.push_back(id);
      const auto token = tokenizer_ ? tokenizer_->token(id) : std::nullopt;
      if (token) wishes_.labels.push_back(label_of(*token));
    }
    if (wishes_.labels.size() != wishes_.ids.size()) wishes_.labels.clear();
  }

  void take_names() {
    wishes_.labels = split(options_.tokens, ',');
    wishes_.tokens = wishes_.labels.size();
    if (options_.from.starts_with("torch")) return;
    if (!tokenizer_)
      throw Refusal("no tokenizer stands beside the model", "give --ids").at({"--tokens", options_.tokens});
    for (const std::string& name : wishes_.labels) wishes_.ids.push_back(id_of(name));
  }

  std::size_t id_of(const std::string& name) {
    if (const auto id = tokenizer_->id(name)) return *id;
    if (ids_by_label_.empty()) {
      // Of those that are called alike the first counts.
      for (std::size_t id = 0; id < tokenizer_->size(); ++id)
        ids_by_label_.try_emplace(label_of(tokenizer_->token(id).value()), id);
    }
    if (const auto found = ids_by_label_.find(name); found != ids_by_label_.end()) return found->second;
    throw Refusal("the model has no token `" + shown(name) + "`", "--text cuts any text into tokens")
        .at({"--tokens", name});
  }

  void take_text() {
    Result<std::vector<TextToken>> tokens = tokenizer_->encode(options_.text);
    if (!tokens) throw refused(tokens.faults(), "--text");
    for (const TextToken& token : tokens.value()) {
      wishes_.ids.push_back(token.id);
      wishes_.labels.push_back(label_of(token));
    }
  }

  const ImportOptions& options_;
  ImportWishes& wishes_;
  std::optional<Tokenizer> tokenizer_;
  std::map<std::string, std::size_t> ids_by_label_ = {};  // once a name is asked for that no token is spelled as
};

// From one folder to another; nothing where a problem in the first may not read it.
std::optional<std::string> way_to(const std::string& folder, const std::string& from) {
  std::error_code unknown;
  const fs::path way = fs::relative(folder, from, unknown);
  if (unknown || way.empty() || *way.begin() == "..") return std::nullopt;
  return way == "." ? "" : way.generic_string() + "/";
}

// How a problem that will lie there names files.
class NamesOfFiles {
 public:
  explicit NamesOfFiles(const std::string& output) : home_(output.empty() ? "." : parent_of(output)) {}

  // What stands before the names of files in the model's folder.
  std::string of_model(const std::string& folder) {
    const auto way = way_to(folder, home_);
    if (!way) root_ = folder;
    return way.value_or("");
  }

  // FILE[:TENSOR], where a file may have a colon in its name.
  VectorsInFile of_vectors(const std::string& option, const std::string& typed) {
    if (typed.empty()) return {};
    std::error_code missing;
    const std::size_t colon = fs::exists(typed, missing) ? typed.size() : std::min(typed.rfind(':'), typed.size());
    const std::string file = typed.substr(0, colon);
    const std::string tensor = colon == typed.size() ? "" : typed.substr(colon + 1);
    return {.file = way_of(option, typed, file), .tensor = tensor, .shape = shape_of(option, typed, file, tensor)};
  }

  // The folder elsewhere that the problem is to be run with; empty where it needs none.
  const std::string& root() const { return root_; }

 private:
  // Of a file of tensors; nothing of another, whose reader is the problem's.
  static std::vector<std::size_t> shape_of(const std::string& option, const std::string& typed, const std::string& file,
                                           const std::string& tensor) {
    if (!names_tensor_file(file)) return {};
    const auto opened = open_tensor_file(file);
    if (!opened) throw Refusal(opened.faults(), "", file);
    const std::vector<std::string>& names = opened.value()->names();
    if (names.empty()) {
      throw Refusal(shown(file) + " has no tensors", option + " takes FILE, or FILE:TENSOR").at({option, typed});
    }
    const auto meant = tensor.empty() && names.size() == 1 ? names.begin() : std::ranges::find(names, tensor);
    if (meant == names.end()) {
      std::vector<std::string> some(names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), 12));
      for (std::string& name : some) name = shown(name);
      throw Refusal(tensor.empty() ? shown(file) + " has several tensors"
                                   : shown(file) + " has no tensor `" + shown(tensor) + "`",
                    "name one behind a colon: " + listed(some))
          .at({option, typed});
    }
    const auto outline = opened.value()->outline(static_cast<std::size_t>(meant - names.begin()),
                                                 std::numeric_limits<std::size_t>::max());
    if (!outline) throw Refusal(outline.faults(), "", file);
    const std::vector<std::size_t>& shape = outline.value().shape;
    if (shape.size() < 2 || shape.size() > 3 || std::ranges::count(shape, 0) > 0) {
      throw Refusal(shown(file) + " has no rows of vectors there",
                    option + " takes vectors: [token][number], or of several texts [text][token][number]")
          .at({option, typed});
    }
    return shape;
  }

  std::string way_of(const std::string& option, const std::string& typed, const std::string& file) {
    const std::string folder = parent_of(file);
    std::error_code missing;
    if (!fs::exists(file, missing)) {
      throw Refusal("there is no file " + shown(file), option + " takes FILE, or FILE:TENSOR").at({option, typed});
    }
    auto way = way_to(folder, home_);
    if (!way && root_.empty()) root_ = folder;
    if (!way) way = way_to(folder, root_);
    if (way) {
      const std::string name = *way + fs::path(file).filename().string();
      std::error_code unknown;
      const fs::path beside = fs::path(home_) / name;
      if (fs::exists(beside, unknown) && !fs::equivalent(beside, file, unknown)) {
        throw Refusal("the problem would read " + shown(beside.generic_string()) + " in place of " + shown(file),
                      "--root comes second: write the problem to another folder with -o, or call the file otherwise")
            .at({option, typed});
      }
      return name;
    }
    throw Refusal(shown(file) + " lies neither beside the problem nor beside the model",
                  "--root leads a problem to one folder: copy the file to " + shown(root_))
        .at({option, typed});
  }

  std::string home_, root_;
};

std::vector<std::string> names_of_families() {
  return names_of(model_families(), [](const auto& family) { return family.first; });
}

void check_family(const std::string& typed) {
  const std::vector<std::string> names = names_of_families();
  if (typed.empty() || std::ranges::find(names, typed) != names.end()) return;
  throw unknown("no family of models is called", typed, names, "--from takes " + listed(names)).at({"--from", typed});
}

void take_layers(const std::string& typed, ImportWishes& wishes) {
  const std::size_t dash = typed.find('-');
  wishes.first = whole_number("--layers", typed.substr(0, dash), "layer", 1);
  wishes.last = dash == std::string::npos ? wishes.first : whole_number("--layers", typed.substr(dash + 1), "layer", 1);
}

void ImportOptions::declare(CommandLine& line) {
  line.add_option("MODEL", model, "a folder with config.json and model.safetensors, or one file of tensors",
                  {.is_required = true});
  line.begin_group("What is taken over");
  line.add_option("--from", from, "what kind of model it is, where config.json does not say so",
                  {.value = "FAMILY", .choices = names_of_families()});
  line.add_option("--text", text, "a text that goes in, by the tokenizer beside the model", {.value = "TEXT"});
  line.add_option("--tokens", tokens, "tokens that go in, by their names", {.value = "A,B"});
  line.add_option("--ids", ids, "the same by their numbers", {.value = "1,2"});
  line.add_option("--layers", layers, "only these layers", {.value = "1-2"});
  line.add_option("--prefix", prefix, "what stands before the names of its tensors; else found out", {.value = "NAME"});
  line.add_flag("--no-logits", no_logits, "up to the last hidden state");
  line.begin_group("Of a state dict of PyTorch");
  line.add_option("--heads", heads, "how many heads there are", {.value = "N"});
  line.add_flag("--norm-first", norm_first, "norms stand before attention and network");
  line.add_option("--activation", activation, "of its networks: relu (the default) or gelu", {.value = "NAME"});
  line.add_option("--inputs", inputs, "the vectors that go in; else drawn at random", {.value = "FILE[:TENSOR]"});
  line.add_option("--memory", memory, "those that cross-attention reads", {.value = "FILE[:TENSOR]"});
  line.add_option("--source", source, "those that go into the encoder of a whole nn.Transformer",
                  {.value = "FILE[:TENSOR]"});
  line.begin_group("Where it goes");
  line.add_option("-o,--output", output, "write to a file", {.value = "FILE"});
}

Exit ImportOptions::run() const {
  ImportWishes wishes{.from = from, .logits = !no_logits, .norm_first = norm_first, .activation = activation};
  if (!prefix.empty()) wishes.prefix = prefix;
  if (!heads.empty()) wishes.heads = whole_number("--heads", heads, "number of heads", 1);
  if (!layers.empty()) take_layers(layers, wishes);
  check_family(from);
  WantedTokens(*this, wishes).find();
  NamesOfFiles names(output);
  wishes.folder = names.of_model(folder_of_model(model));
  wishes.inputs = names.of_vectors("--inputs", inputs);
  wishes.memory = names.of_vectors("--memory", memory);
  wishes.source = names.of_vectors("--source", source);
  const bool is_torch = from.starts_with("torch");
  if (std::error_code unknown;
      !is_torch && wishes.heads && fs::exists(fs::path(folder_of_model(model)) / "config.json", unknown)) {
    throw Refusal("the model's config.json says how many heads there are", "--heads is for a state dict of torch")
        .at({"--heads", heads});
  }
  if (!is_torch && wishes.ids.empty()) {
    if (!text.empty()) {
      throw Refusal("the tokenizer makes no token of this text",
                    "it leaves out what it does not know; give another text")
          .at({"--text", text});
    }
    throw Refusal("nothing says which tokens go in", "give --text, --tokens or --ids").at({"--text"});
  }
  Result<ImportedModel> made = import_model(model, wishes);
  if (!made) throw refused(made.faults(), model);
  for (const std::string& one : made.value().left_out) say("attn: note: left out: " + one + "\n");
  if (!names.root().empty()) {
    say("attn: note: a problem reads files beside it: run it with --root " + printable(names.root()) + "\n");
  }
  Rendering plan;
  plan.targets.push_back({.path = output});
  return hand_out(plan, [&](const Target&, Sink& sink) { sink.write(made.value().problem); });
}

}  // namespace

Command import_command() {
  return command<ImportOptions>(
      {.name = "import",
       .summary = "Make a problem of a real model",
       .group = "See every number",
       .examples = {"attn import data/multihead.safetensors --from torch-mha --heads 2 --tokens a,b"}});
}

}  // namespace attn
