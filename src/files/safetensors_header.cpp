#include "files/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "files/input_file.h"

namespace attn {
namespace {

constexpr std::size_t most_axes = 64;

// More than any file of a model has: the largest spread theirs over many.
constexpr std::size_t most_tensors = 50'000;

constexpr char save_again[] = "write it again, with save_file of safetensors.torch or safetensors.numpy";
constexpr char fetch_again[] = "it was cut short or changed on its way: copy it again";

// Takes the words of the JSON text one by one, and stops at the first that a
// header cannot have. No tree is built, so that nothing can be nested deeply.
class HeaderWords : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHeader header;
  std::optional<Diagnostic> fault;

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return unexpected("a fraction"); }
  bool binary(binary_t&) override { return unexpected("bytes"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (at_ == At::size && entry_.shape.size() < most_axes) {
      entry_.shape.push_back(number);
    } else if (at_ == At::offset && offsets_ < 2) {
      (offsets_++ == 0 ? entry_.begin : entry_.end) = number;
    } else {
      return unexpected("a number");
    }
    return true;
  }

  bool string(string_t& text) override {
    if (at_ == At::metadatum) {
      if (!header.metadata.emplace(key_, text).second) return refuse("names " + printable(key_) + " twice");
      at_ = At::metadata;
    } else if (at_ == At::dtype) {
      entry_.dtype = text;
      at_ = At::entry;
    } else {
      return unexpected("a text");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (at_ == At::start) {
      at_ = At::names;
    } else if (at_ == At::named) {
      at_ = key_ == "__metadata__" ? At::metadata : At::entry;
      if (at_ == At::metadata && std::exchange(has_metadata_, true)) return refuse("names __metadata__ twice");
      entry_ = {.name = key_, .dtype = "", .shape = {}, .begin = 0, .end = 0};
      has_ = {};
      offsets_ = 0;
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool key(string_t& key) override {
    if (key.find('\0') != std::string::npos) return refuse("has a name with the character NUL");
    if (at_ == At::entry) {
      constexpr std::array<std::string_view, 3> known = {"dtype", "shape", "data_offsets"};
      constexpr At places[] = {At::dtype, At::shape, At::offsets};
      const auto found = static_cast<std::size_t>(std::ranges::find(known, key) - known.begin());
      if (found == known.size()) return refuse("says of " + shown() + " what no header has: " + printable(key));
      if (std::exchange(has_[found], true)) return refuse("says twice of " + shown() + " what its " + key + " is");
      at_ = places[found];
      return true;
    }
    key_ = key;
    at_ = at_ == At::names ? At::named : At::metadatum;
    return true;
  }

  bool end_object() override {
    if (at_ == At::entry) {
      if (!has_[0] || !has_[1] || offsets_ != 2)
        return refuse("does not say dtype, shape and data_offsets of " + shown());
      if (header.entries.size() == most_tensors) {
        fault = file_fault("has more than 50,000 tensors", "store those that are needed in a file of their own");
        return false;
      }
      header.entries.push_back(std::move(entry_));
      at_ = At::names;
    } else {
      at_ = at_ == At::metadata ? At::names : At::end;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (at_ == At::shape) {
      at_ = At::size;
    } else if (at_ == At::offsets) {
      at_ = At::offset;
    } else {
      return unexpected("a list");
    }
    return true;
  }

  bool end_array() override {
    at_ = At::entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    return refuse("is no JSON from its byte " + std::to_string(position) + " on");
  }

 private:
  enum class At { start, names, named, metadata, metadatum, entry, dtype, shape, size, offsets, offset, end };

  std::string shown() const { return printable(entry_.name); }

  bool refuse(const std::string& what) {
    if (!fault) fault = file_fault("has a header that " + what, save_again);
    return false;
  }

  bool unexpected(const std::string& what) {
    assert(at_ != At::start && at_ != At::end);  // a header begins with {, and what follows it is no JSON
    return refuse("has " + what + " where none can be, at " + printable(key_));
  }

  At at_ = At::start;
  std::string key_;  // the last name
  SafetensorsHeader::Entry entry_;
  std::array<bool, 3> has_{};  // of the entry: dtype, shape, data_offsets
  std::size_t offsets_ = 0;
  bool has_metadata_ = false;
};

std::optional<Diagnostic> wrong_places(std::vector<SafetensorsHeader::Entry>& entries, std::size_t data_size) {
  std::unordered_set<std::string_view> names;
  for (const SafetensorsHeader::Entry& entry : entries) {
    if (!names.insert(entry.name).second) {
      return file_fault("has two tensors called " + printable(entry.name), save_again);
    }
  }

  const auto place = [](const auto& one) { return std::tuple(one.begin, one.end, std::string_view(one.name)); };
  if (!std::ranges::is_sorted(entries, {}, place)) std::ranges::sort(entries, {}, place);
  std::size_t covered = 0;
  for (const SafetensorsHeader::Entry& entry : entries) {
    const auto range = [&] { return "bytes " + std::to_string(entry.begin) + " to " + std::to_string(entry.end); };
    if (entry.end < entry.begin || entry.end > data_size) {
      return file_fault("says that " + printable(entry.name) + " is in " + range() + ", and there are " +
                            std::to_string(data_size) + " after its header",
                        fetch_again);
    }
    if (entry.begin != covered) {
      return file_fault("says that " + printable(entry.name) + " is in " + range() +
                            ", and the tensor before it ends at " + std::to_string(covered),
                        save_again);
    }
    covered = entry.end;
  }
  if (covered == data_size) return std::nullopt;
  return file_fault("has " + std::to_string(data_size) + " bytes after its header, of which its tensors are " +
                        std::to_string(covered),
                    fetch_again);
}

}  // namespace

Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, std::size_t data_size) {
  if (!json.starts_with('{'))
    return file_fault("is no .safetensors file: its header does not begin with {", save_again);
  // The reader of JSON takes it for the end of the text.
  if (const std::size_t nul = json.find('\0'); nul != std::string_view::npos) {
    return file_fault("has a header with the byte NUL, at byte " + std::to_string(nul + 1),
                      "a header is JSON, and padded with spaces");
  }
  HeaderWords words;
  if (!nlohmann::json::sax_parse(json, &words) || words.fault) {
    return words.fault ? *words.fault : file_fault("has a header that is no JSON", save_again);
  }
  if (auto fault = wrong_places(words.header.entries, data_size)) return *std::move(fault);
  return std::move(words.header);
}

}  // namespace attn
