#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.h"
#include "files/npy_header.h"
#include "files/safetensors_header.h"

using namespace attn;

namespace {

std::string fault_of(const std::string& dictionary) {
  const auto layout = parse_npy_header(dictionary);
  if (layout) return "";
  CHECK_FALSE(layout.faults().front().help.text().empty());
  return layout.faults().front().message;
}

// The reason why a .safetensors header is refused, for so many bytes of numbers.
std::string refusal(const std::string& json, std::size_t bytes) {
  const auto header = parse_safetensors_header(json, bytes);
  if (header) return "";
  CHECK_FALSE(header.faults().front().help.text().empty());
  return header.faults().front().message;
}

// The bytes of a text.
class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text) : ByteSource(text.size()), text_(std::move(text)) {}

  bool is_certain() const override { return true; }
  std::optional<Diagnostic> read(std::span<char> into) override {
    if (into.size() > text_.size() - at_) return file_fault("ends early", "write it again");
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), into.size(), into.begin());
    at_ += into.size();
    return std::nullopt;
  }
  std::optional<Diagnostic> finish() override { return std::nullopt; }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("the header of an .npy file is as long as each byte of its length says", "[files]") {
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }";
  dictionary += std::string(117 - dictionary.size(), ' ') + "\n";
  const auto opened = [&](const std::string& version, const std::string& length) {
    return opened_npy(std::make_unique<TextSource>("\x93NUMPY" + version + length + dictionary));
  };
  using namespace std::string_literals;
  for (const std::string& version : {"\2\0"s, "\3\0"s}) {
    CHECK(opened(version, "\x76\0\0\0"s));
    for (const std::string& length : {"\x77\0\0\0"s, "\x76\1\0\0"s, "\x76\0\1\0"s, "\x76\0\0\1"s}) {
      const auto refused = opened(version, length);
      REQUIRE_FALSE(refused);
      CHECK(refused.faults().front().message == "ends within its header, after 130 bytes");
    }
  }
  CHECK(opened("\1\0"s, "\x76\0"s));
  CHECK_FALSE(opened("\1\0"s, "\x76\1"s));
  for (const std::string& version : {"\0\0"s, "\4\0"s, "\1\1"s, "\2\1"s}) {
    const auto refused = opened(version, version[0] > 1 ? "\x76\0\0\0"s : "\x76\0"s);
    REQUIRE_FALSE(refused);
    CHECK(refused.faults().front().message.find("of the .npy format") != std::string::npos);
  }
}

TEST_CASE("the header of an .npy file is read as the words that numpy writes", "[files]") {
  const auto header = parse_npy_header("{'descr': '>i2', 'fortran_order': True, 'shape': (3, 4), }          \n");
  REQUIRE(header);
  CHECK(header.value().element == Element{Element::Kind::integer, 2});
  CHECK(header.value().foreign);
  CHECK(header.value().first_fastest);
  CHECK(header.value().shape == std::vector<std::size_t>{3, 4});

  using Sizes = std::vector<std::size_t>;
  const auto [text, shape] = GENERATE(table<std::string, Sizes>(
      {{"()", {}}, {"(7,)", {7}}, {"( 7 , )", {7}}, {"(3, 4)", {3, 4}}, {"(3L, 4L)", {3, 4}}, {"(0, 5)", {0, 5}}}));
  const auto other = parse_npy_header("{\"shape\": " + text + ", \"descr\": \"|b1\", \"fortran_order\": False}");
  INFO(text);
  REQUIRE(other);
  CHECK(other.value().shape == shape);
  CHECK(other.value().element == Element{Element::Kind::boolean, 1});
}

TEST_CASE("whatever else stands in the header of an .npy file is refused", "[files]") {
  const auto dictionary = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + "}";
  };
  REQUIRE(fault_of(dictionary("'<f8'", "False", "(3,)")).empty());
  for (const std::string shape : {"(3)", "(3 4)", "(,)", "(-3,)", "(3.0,)", "(1e3,)", "[3]", "(2**3,)", "(True,)", "3",
                                  "((3,),)", "(18446744073709551616,)", "(3,", ""}) {
    INFO(shape);
    CHECK_FALSE(fault_of(dictionary("'<f8'", "False", shape)).empty());
  }
  for (const std::string order : {"0", "'False'", "None", "Falsehood", ""}) {
    INFO(order);
    CHECK_FALSE(fault_of(dictionary("'<f8'", order, "(3,)")).empty());
  }
  for (const std::string descr :
       {"'|O'", "'<U3'", "'<c16'", "'<M8[D]'", "'|V2'", "'<f16'", "'<f3'", "''", "'<'", "'<f8x'", "[('a', '<f8')]",
        "'<f' '8'", "f8", "'|a3'", "'<m8[s]'", "'|V4'", "'|?1'"}) {
    INFO(descr);
    CHECK_FALSE(fault_of(dictionary(descr, "False", "(3,)")).empty());
  }
  for (const std::string text : {"", "{", "{}", "{'descr': '<f8'}", "[]",
                                 "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
                                 "{'descr': '<f8', 'fortran_order': False, 'fortran_order': False, 'shape': (3,)}",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} + {}"}) {
    INFO(text);
    CHECK_FALSE(fault_of(text).empty());
  }
  CHECK(fault_of(dictionary("'|O'", "False", "(3,)")).starts_with("holds pickled Python objects"));
}

TEST_CASE("the header of a .safetensors file names tensors in the order of their bytes", "[files]") {
  const auto header = parse_safetensors_header(
      R"({"__metadata__": {"format": "pt"}, "b": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},)"
      R"( "a": {"data_offsets": [0, 8], "shape": [], "dtype": "I64"}}  )",
      32);
  REQUIRE(header);
  REQUIRE(header.value().entries.size() == 2);
  CHECK(header.value().entries[0].name == "a");
  CHECK(header.value().entries[0].shape.empty());
  CHECK(header.value().entries[1].name == "b");
  CHECK(header.value().entries[1].dtype == "F32");
  CHECK(header.value().entries[1].shape == std::vector<std::size_t>{2, 3});
  CHECK(header.value().metadata.at("format") == "pt");
}

TEST_CASE("the tensors of a .safetensors file are all of its bytes, each once", "[files]") {
  const auto entry = [](const std::string& name, int begin, int end) {
    return "\"" + name + R"(": {"dtype": "U8", "shape": [1], "data_offsets": [)" + std::to_string(begin) + ", " +
           std::to_string(end) + "]}";
  };
  CHECK(refusal("{" + entry("a", 0, 4) + "," + entry("b", 4, 8) + "}", 8).empty());
  CHECK(refusal("{" + entry("a", 0, 4) + "," + entry("b", 5, 8) + "}", 8) ==
        "says that b is in bytes 5 to 8, and the tensor before it ends at 4");
  CHECK_FALSE(refusal("{" + entry("a", 0, 5) + "," + entry("b", 4, 8) + "}", 8).empty());
  CHECK(refusal("{" + entry("a", 0, 4) + "}", 8) == "has 8 bytes after its header, of which its tensors are 4");
  CHECK_FALSE(refusal("{" + entry("a", 0, 9) + "}", 8).empty());
  CHECK_FALSE(refusal("{" + entry("a", 8, 0) + "}", 8).empty());
  CHECK(refusal("{" + entry("a", 0, 4) + "," + entry("a", 4, 8) + "}", 8) == "has two tensors called a");
  CHECK(refusal("{}", 0).empty());
  CHECK(refusal(R"({"__metadata__": {"a": "1"}, "__metadata__": {"b": "2"}})", 0) ==
        "has a header that names __metadata__ twice");
  for (const std::string offsets : {"[]", "[0]"})
    CHECK(refusal(R"({"a": {"dtype": "U8", "shape": [0], "data_offsets": )" + offsets + "}}", 0) ==
          "has a header that does not say dtype, shape and data_offsets of a");
  CHECK(refusal(R"({"__metadata__": {"a": "1", "a": "2"}})", 0) == "has a header that names a twice");
  std::string sizes = "1";
  for (int axis = 1; axis < 1000; ++axis) sizes += ", 1";
  CHECK_FALSE(refusal(R"({"a": {"dtype": "U8", "shape": [)" + sizes + R"(], "data_offsets": [0, 1]}})", 1).empty());
}

TEST_CASE("a tensor of no bytes may stand wherever another begins, whatever they are called", "[files]") {
  const auto entry = [](const std::string& name, int size, int begin, int end) {
    return "\"" + name + R"(": {"dtype": "F64", "shape": [)" + std::to_string(size) + R"(], "data_offsets": [)" +
           std::to_string(begin) + ", " + std::to_string(end) + "]}";
  };
  for (const auto& [empty, other] : {std::pair("z", "b"), std::pair("a", "b")}) {
    const std::string full = entry(other, 1, 0, 8);
    for (const int at : {0, 8}) {
      CAPTURE(empty, at);
      const std::string none = entry(empty, 0, at, at);
      CHECK(refusal("{" + none + "," + full + "}", 8).empty());
      CHECK(refusal("{" + full + "," + none + "}", 8).empty());
    }
    CHECK_FALSE(refusal("{" + entry(empty, 0, 4, 4) + "," + full + "}", 8).empty());
  }
}

TEST_CASE("a .safetensors file has at most 50,000 tensors", "[files]") {
  std::string most = "{";
  const auto add = [&](int tensor) {
    most += (tensor == 1 ? "\"t" : ",\"t") + std::to_string(tensor) +
            R"(": {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]})";
  };
  for (int tensor = 1; tensor <= 50'000; ++tensor) add(tensor);
  const auto header = parse_safetensors_header(most + "}", 0);
  REQUIRE(header);
  CHECK(header.value().entries.size() == 50'000);
  CHECK(header.value().entries.back().name == "t9999");  // of one place they stand by their names
  add(50'001);
  CHECK(refusal(most + "}", 0) == "has more than 50,000 tensors");
}

TEST_CASE("a .safetensors header nests no deeper than the format", "[files]") {
  CHECK_FALSE(refusal(R"({"a":)" + std::string(1000000, '['), 0).empty());
  std::string deep = R"({"a":)";
  for (int i = 0; i < 100000; ++i) deep += R"({"a":)";
  CHECK_FALSE(refusal(deep, 0).empty());
  CHECK_FALSE(refusal(R"({"a": {"dtype": "U8", "shape": [[1]], "data_offsets": [0, 1]}})", 1).empty());
}
