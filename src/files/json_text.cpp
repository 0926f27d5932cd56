#include "files/json_text.h"

#include <cstddef>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace attn {
namespace {

constexpr std::size_t deepest = 64;

// Goes through a text and builds nothing.
class Precaution : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string fault;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    names_.emplace_back();
    return goes_in();
  }
  bool key(string_t& name) override {
    if (names_.back().insert(name).second) return true;
    fault = "says twice what `" + shown(name) + "` is";
    return false;
  }
  bool end_object() override {
    names_.pop_back();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override { return goes_in(); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    fault = "is no JSON from its byte " + std::to_string(position) + " on";
    return false;
  }

 private:
  bool goes_in() {
    if (++depth_ <= deepest) return true;
    fault = "is nested deeper than " + std::to_string(deepest);
    return false;
  }

  std::vector<std::set<std::string>> names_;  // of the objects that are open
  std::size_t depth_ = 0;
};

}  // namespace

std::string wrong_with_json(const std::string& text) {
  // The library takes it for the end of the text.
  if (text.find('\0') != std::string::npos) return "has the byte NUL, which JSON has not";
  Precaution precaution;
  if (nlohmann::json::sax_parse(text, &precaution)) return "";
  return precaution.fault.empty() ? "is no JSON" : precaution.fault;
}

}  // namespace attn
