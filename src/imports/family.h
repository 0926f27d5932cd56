#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "imports/import.h"
#include "imports/model_files.h"

namespace attn {

using OrderedJson = nlohmann::ordered_json;

// Thrown by what is below where a model can't be a problem; import_model() gives it back.
struct NotImported {
  Diagnostic fault;
};

// Which part of a tensor is meant, beside its name.
struct TakenPart {
  std::optional<std::pair<std::size_t, std::size_t>> rows = {}, columns = {};
  bool is_transposed = false;
};

// A model being taken over: what it says of itself, and which of its tensors were asked for.
class TakenModel {
 public:
  // REQUIRES: both outlive it.
  TakenModel(const ModelFiles& files, const ImportWishes& wishes) : files_(files), wishes_(wishes) {}

  const ImportWishes& wishes() const { return wishes_; }

  // --- settings: what config.json says of a key, or else `usual`; without one the key has to be there.
  bool says(const char* key) const;
  const nlohmann::json* setting(const char* key) const;  // as it stands there; null where it is not, or null
  std::size_t count(const char* key, std::optional<std::size_t> usual = {}) const;
  double number(const char* key, double usual) const;
  bool flag(const char* key, bool usual) const;
  std::string word(const char* key, const std::string& usual) const;

  // Refuses a flag that is set, any value but null, and any word but these.
  void refuse_flag(const char* key) const;
  void refuse_setting(const char* key) const;
  void accept_words(const char* key, const std::string& usual, const std::vector<std::string>& known) const;

  // What a problem calls the function between the matrices of a feed-forward network.
  std::string activation(const std::string& name, bool is_gated) const;

  // --- tensors, by their names behind the prefix
  // The first of these under which there is that tensor, or the one that was asked for, becomes the prefix.
  void find_prefix(const std::vector<std::string>& prefixes, const std::string& tensor);
  const std::string& prefix() const { return prefix_; }
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  // What stands before the names beside the part that the prefix leads to: "model." of "model.encoder.".
  std::string outside() const;
  // That becomes the prefix where there is such a tensor, and else nothing does.
  void step_outside(const std::string& tensor);
  bool has(const std::string& name) const;
  const std::vector<std::size_t>& shape(const std::string& name) const;
  std::size_t rows(const std::string& name) const;  // of a matrix; what is none is refused

  // A reference to it, as a problem has them. REQUIRES nothing: a tensor that is not there is refused.
  OrderedJson tensor(const std::string& name, const TakenPart& part = {});
  OrderedJson rows_of_ids(const std::string& name);  // those of the tokens
  std::vector<double> numbers(const std::string& name, std::size_t from, std::size_t to);

  // Tensors called so that are not read: buffers, or what stands behind the last hidden
  // state, which is then told: in front of everything, behind the prefix, or beside the part that it leads to.
  void pass_over(std::string_view beginning);
  void pass_over_any(std::string_view ending);
  void leave_out(std::string_view beginning, const std::string& what);

  // The layers that are wanted, counted from 0; the others' tensors are passed over.
  // `name` is that of a layer's tensors up to its number, `owner` is the half of it that has them, as words name it.
  std::vector<std::size_t> layers(std::size_t count, const std::string& name, const std::string& owner = "model");

  // Refuses a tensor whose size along that axis, the first or the last, is not what config.json says under that key,
  // where it says anything: `times` as many where it counts one of several.
  enum class Axis { first, last };
  // REQUIRES: times > 0.
  void check_size(const std::string& name, Axis axis, const char* key, std::size_t times = 1) const;

  // How many heads config.json says there are. Refuses what is none, or does not divide that size of the tensor.
  std::size_t heads(const char* key, const std::string& tensor, Axis axis) const;

  // What is added to variances; refuses what is negative.
  double eps(const char* key, double usual) const;

  // Refuses more tokens than there are positions.
  void check_positions(std::size_t positions) const;

  // --- the problem
  // {"gain": …, "bias": …}, the bias where it has a name.
  OrderedJson norm(const std::string& gain, const std::string& bias = "");

  // Title, tokens and inputs.
  OrderedJson problem(const std::string& title, const std::string& embeddings);

  // The same of a state dict, which has none: so many vectors, of a file or drawn.
  OrderedJson vectors(std::size_t count, std::size_t width, const VectorsInFile& file, std::size_t seed) const;

  // Whether the model ends in logits, by its architecture; where that is not said, whether it has what makes them:
  // lm_head.weight, or (`is_tied`) the embeddings, which do as well.
  bool makes_logits(bool is_tied) const;

  // Logits, where they are wanted: of a tensor [vocabulary][d_model], or turned already.
  void add_logits(OrderedJson& block, const std::string& unembedding, bool is_turned);

  // What is called so belongs to what is imported, though it stands outside of the prefix that was asked for.
  void claim(std::string beginning) { claimed_ = std::move(beginning); }

  // Refuses what nobody asked for; what stands outside of a prefix that somebody asked for is left out.
  void check_all_read();
  const std::vector<std::string>& left_out() const { return left_out_; }

  [[noreturn]] void refuse(const char* code, const std::string& message, const std::string& help) const;

 private:
  std::string full(const std::string& name) const { return prefix_ + name; }

  const ModelFiles& files_;
  const ImportWishes& wishes_;
  std::string prefix_;
  std::optional<std::string> claimed_;
  std::set<std::string> read_;
  std::vector<std::string> left_out_;
};

// A kind of model that others store.
struct ModelFamily {
  std::string name;                // as --from takes it
  std::string summary;             // a line about it
  std::vector<std::string> types;  // what config.json calls it: "model_type"
  // Those of the options of attn import that say something of it, beside --prefix and what names tokens.
  std::vector<std::string> options;
  std::function<OrderedJson(TakenModel&)> problem;
};

// Every one: the rows that families/CMakeLists.txt names.
const std::vector<ModelFamily>& importable_models();

}  // namespace attn
