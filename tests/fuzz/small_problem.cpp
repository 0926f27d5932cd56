#include "small_problem.h"

#include <cstddef>
#include <vector>

#include "base/numbers.h"

namespace attn {
namespace {

class Writer {
 public:
  explicit Writer(Bytes& bytes) : bytes_(bytes) {}

  std::string problem() {
    const std::size_t kv_heads = bytes_.between(1, 2), heads = kv_heads * bytes_.between(1, 2);
    const std::size_t batch = bytes_.between(0, 2), queries = size(), keys = bytes_.one_in(2) ? size() : queries;
    const std::size_t width = 2 * bytes_.between(1, 2), d_v = size();
    const auto tensor = [&](std::size_t of, std::size_t rows, std::size_t columns) {
      std::vector<std::size_t> shape = {rows, of * columns};
      if (batch > 0) shape.insert(shape.begin(), batch);
      return numbers(shape);
    };
    add("heads", std::to_string(heads));
    if (kv_heads != heads) add("kv_heads", std::to_string(kv_heads));
    if (bytes_.one_in(3)) {
      const std::size_t model = size();
      const bool crosses = queries != keys;
      add("inputs", crosses
                        ? R"({"query": )" + tensor(1, queries, model) + R"(, "key": )" + tensor(1, keys, model) + "}"
                        : tensor(1, queries, model));
      const auto weight = [&](std::size_t of, std::size_t columns) { return numbers({model, of * columns}); };
      add("weights", R"({"query": )" + weight(heads, width) + R"(, "key": )" + weight(kv_heads, width) +
                         R"(, "value": )" + weight(kv_heads, d_v) +
                         (bytes_.one_in(2) ? R"(, "output": )" + numbers({heads * d_v, size()}) : "") + "}");
    } else {
      add("queries", tensor(heads, queries, width));
      add("keys", tensor(kv_heads, keys, width));
      add("values", tensor(kv_heads, keys, d_v));
    }
    add_masks(batch, queries, keys);
    add_score(width, heads);
    if (bytes_.one_in(4)) add("arithmetic", R"({"dtype": "f32"})");
    return "{" + text_ + "}";
  }

 private:
  std::size_t size() { return bytes_.between(1, 4); }

  void add(const std::string& key, const std::string& value) {
    text_ += (text_.empty() ? "\"" : ", \"") + key + "\": " + value;
  }

  std::string number() { return shortest((static_cast<int>(bytes_.byte() ^ 128) - 128) / 32.0); }

  std::string numbers(const std::vector<std::size_t>& shape, std::size_t level = 0) {
    if (level == shape.size()) return number();
    std::string text = "[";
    for (std::size_t i = 0; i < shape[level]; ++i) text += (i > 0 ? ", " : "") + numbers(shape, level + 1);
    return text + "]";
  }

  void add_masks(std::size_t batch, std::size_t queries, std::size_t keys) {
    if (bytes_.one_in(3)) add("causal", "true");
    if (bytes_.one_in(4)) add("window", "[" + integer(-1, 3) + ", " + integer(-1, 3) + "]");
    if (bytes_.one_in(4)) add("offset", integer(-2, 3));
    if (bytes_.one_in(4)) {
      std::string lengths = std::to_string(bytes_.between(0, keys));
      for (std::size_t i = 1; i < batch; ++i) lengths += ", " + std::to_string(bytes_.between(0, keys));
      add("lengths", batch > 0 ? "[" + lengths + "]" : lengths);
    }
    if (!bytes_.one_in(3)) return;
    const bool adds = bytes_.one_in(2);
    std::string cells = "[";
    for (std::size_t i = 0; i < queries; ++i) {
      cells += i > 0 ? ", [" : "[";
      for (std::size_t j = 0; j < keys; ++j) cells += (j > 0 ? ", " : "") + (adds ? added() : integer(0, 1));
      cells += "]";
    }
    add("mask", (adds ? R"({"add": )" : R"({"allow": )") + cells + "]}");
  }

  void add_score(std::size_t width, std::size_t heads) {
    static const std::vector<std::string> scores = {R"("scaled_dot")", R"("dot")", R"("cosine")"};
    add("score", scores[bytes_.between(0, 2)]);
    if (bytes_.one_in(5)) add("scale", number());
    if (bytes_.one_in(5)) add("softcap", integer(1, 9));
    if (bytes_.one_in(5)) {
      add("softmax", bytes_.one_in(2) ? R"({"base": 3})" : R"({"sink": )" + numbers({heads}) + "}");
    } else if (bytes_.one_in(4)) {
      add("positions", bytes_.one_in(2) ? R"("alibi")" : R"({"type": "rope", "dims": )" + std::to_string(width) + "}");
    }
  }

  std::string integer(int least, int most) {
    return std::to_string(least + static_cast<int>(bytes_.between(0, static_cast<std::size_t>(most - least))));
  }
  std::string added() { return bytes_.one_in(4) ? R"("-inf")" : number(); }

  Bytes& bytes_;
  std::string text_;
};

}  // namespace

std::string small_problem(Bytes& bytes) { return Writer(bytes).problem(); }

}  // namespace attn
