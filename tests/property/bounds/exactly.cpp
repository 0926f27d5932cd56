#include "exactly.h"

#include <functional>
#include <limits>

namespace attn::bounds {
namespace {

const Exact one(1), half(0.5);

Exact minus_infinity() { return Exact(-std::numeric_limits<double>::infinity()); }

// Lines of attention, in the shapes that families.h says.
class Attention {
 public:
  Attention(const Drawn& all, const Numbers& read) : all_(all), read_(read) {}

  std::vector<Exact> scores() const {
    return by_score([&](std::size_t head, std::size_t i, std::size_t j) {
      Exact sum;
      for (std::size_t f = 0; f < all_.features; ++f) {
        sum.add_product(at("q", (head * all_.queries + i) * all_.features + f),
                        at("k", (head * all_.keys + j) * all_.features + f));
      }
      return sum;
    });
  }
  std::vector<Exact> scaled() const {
    const Exact root = sqrt(Exact(static_cast<double>(all_.features)));
    return each("scores", [&](const Exact& score) { return score / root; });
  }
  std::vector<Exact> masked() const {
    return by_score([&](std::size_t head, std::size_t i, std::size_t j) {
      return is_open(i, j) ? at("scaled", place(head, i, j)) : minus_infinity();
    });
  }
  std::vector<Exact> maximum() const {
    return by_row([&](std::size_t head, std::size_t i) {
      Exact most = minus_infinity();
      for (std::size_t j = 0; j < all_.keys; ++j) {
        const Exact& score = at("masked", place(head, i, j));
        if (is_open(i, j) && (most < score || score.is_nan())) most = score;
      }
      return most;
    });
  }
  std::vector<Exact> exponentials() const {
    return by_score([&](std::size_t head, std::size_t i, std::size_t j) {
      const Exact& most = at("maximum", head * all_.queries + i);
      if (!is_open(i, j) || (most.is_infinite() && most < Exact(0))) return Exact(0);
      return exp(at("masked", place(head, i, j)) - most);
    });
  }
  std::vector<Exact> sums() const {
    return by_row([&](std::size_t head, std::size_t i) {
      Exact sum;
      for (std::size_t j = 0; j < all_.keys; ++j) sum += at("exponentials", place(head, i, j));
      return sum;
    });
  }
  std::vector<Exact> weights() const {
    return by_score([&](std::size_t head, std::size_t i, std::size_t j) {
      const Exact& sum = at("sums", head * all_.queries + i);
      return !is_open(i, j) || sum.is_zero() ? Exact(0) : at("exponentials", place(head, i, j)) / sum;
    });
  }
  std::vector<Exact> context() const {
    std::vector<Exact> made;
    for (std::size_t head = 0; head < all_.heads; ++head) {
      for (std::size_t i = 0; i < all_.queries; ++i) {
        for (std::size_t c = 0; c < all_.values; ++c) {
          Exact sum;
          for (std::size_t j = 0; j < all_.keys; ++j) {
            if (!is_open(i, j)) continue;
            sum.add_product(at("weights", place(head, i, j)), at("v", (head * all_.keys + j) * all_.values + c));
          }
          made.push_back(sum);
        }
      }
    }
    return made;
  }

  // Of the rows of Q.
  std::vector<Exact> row_sums() const {
    return by_row_of_q([](Exact& sum, const Exact& x) { sum += x; });
  }
  std::vector<Exact> norms() const {
    std::vector<Exact> made = by_row_of_q([](Exact& sum, const Exact& x) { sum.add_product(x, x); });
    for (Exact& sum : made) sum = sqrt(sum);
    return made;
  }
  std::vector<Exact> means() const { return over_features(row_sums()); }
  std::vector<Exact> mean_squares() const {
    return over_features(by_row_of_q([](Exact& sum, const Exact& x) { sum.add_product(x, x); }));
  }
  std::vector<Exact> variances() const {
    std::vector<Exact> made;
    for (std::size_t row = 0; row < all_.heads * all_.queries; ++row) {
      Exact sum;
      for (std::size_t f = 0; f < all_.features; ++f) {
        const Exact deviation = at("q", row * all_.features + f) - at("mean", row);
        sum.add_product(deviation, deviation);
      }
      made.push_back(sum);
    }
    return over_features(made);
  }
  std::vector<Exact> normalized(bool centred) const {
    return by_feature([&](std::size_t row, std::size_t f) {
      const Exact& x = at("q", row * all_.features + f);
      const Exact divisor = sqrt(at(centred ? "variance" : "mean_square", row) + Exact(epsilon));
      return (centred ? x - at("mean", row) : x) / divisor;
    });
  }
  std::vector<Exact> affine() const {
    return by_feature([&](std::size_t row, std::size_t f) {
      return at("normalized", row * all_.features + f) * at("gain", f) + at("bias", f);
    });
  }

  // Pairs stand half of the features apart.
  std::vector<Exact> waves(bool are_sines) const {
    std::vector<Exact> made;
    for (std::size_t i = 0; i < all_.queries; ++i) {
      for (std::size_t pair = 0; pair < all_.features / 2; ++pair) {
        const Exact exponent = Exact(static_cast<double>(2 * pair)) / Exact(static_cast<double>(all_.features / 2 * 2));
        const Exact angle = Exact(static_cast<double>(first_position + i)) / Exact(wave_base).by(mpfr_pow, exponent);
        made.push_back(angle.by(are_sines ? Exact::Unary(mpfr_sin) : Exact::Unary(mpfr_cos)));
      }
    }
    return made;
  }
  std::vector<Exact> turned() const {
    const std::size_t pairs = all_.features / 2;
    return by_feature([&](std::size_t row, std::size_t f) {
      const std::size_t first = row * all_.features,
                        table = row % all_.queries * pairs + f % std::max<std::size_t>(pairs, 1);
      if (f >= 2 * pairs) return at("q", first + f);
      const Exact own = at("q", first + f) * at("cosines", table);
      const Exact other = at("q", first + (f < pairs ? f + pairs : f - pairs)) * at("sines", table);
      return f < pairs ? own - other : own + other;
    });
  }

  std::vector<Exact> each(const std::string& line, const std::function<Exact(const Exact&)>& function) const {
    std::vector<Exact> made;
    for (const Exact& number : read_.at(line)) made.push_back(function(number));
    return made;
  }
  std::vector<Exact> both(const std::function<Exact(const Exact&, const Exact&)>& function) const {
    std::vector<Exact> made;
    for (std::size_t i = 0; i < all_.cells.size(); ++i) made.push_back(function(at("cells", i), at("others", i)));
    return made;
  }

 private:
  const Exact& at(const std::string& line, std::size_t cell) const { return read_.at(line)[cell]; }
  bool is_open(std::size_t i, std::size_t j) const { return all_.open[i * all_.keys + j] != 0; }
  std::size_t place(std::size_t head, std::size_t i, std::size_t j) const {
    return (head * all_.queries + i) * all_.keys + j;
  }

  template <class Make>
  std::vector<Exact> by_row(Make make) const {
    std::vector<Exact> made;
    for (std::size_t head = 0; head < all_.heads; ++head) {
      for (std::size_t i = 0; i < all_.queries; ++i) made.push_back(make(head, i));
    }
    return made;
  }
  template <class Make>
  std::vector<Exact> by_score(Make make) const {
    std::vector<Exact> made;
    for (std::size_t head = 0; head < all_.heads; ++head) {
      for (std::size_t i = 0; i < all_.queries; ++i) {
        for (std::size_t j = 0; j < all_.keys; ++j) made.push_back(make(head, i, j));
      }
    }
    return made;
  }
  template <class Add>
  std::vector<Exact> by_row_of_q(Add add) const {
    std::vector<Exact> made;
    for (std::size_t row = 0; row < all_.heads * all_.queries; ++row) {
      Exact sum;
      for (std::size_t f = 0; f < all_.features; ++f) add(sum, at("q", row * all_.features + f));
      made.push_back(sum);
    }
    return made;
  }
  template <class Make>
  std::vector<Exact> by_feature(Make make) const {
    std::vector<Exact> made;
    for (std::size_t row = 0; row < all_.heads * all_.queries; ++row) {
      for (std::size_t f = 0; f < all_.features; ++f) made.push_back(make(row, f));
    }
    return made;
  }
  std::vector<Exact> over_features(std::vector<Exact> sums) const {
    const Exact count(static_cast<double>(all_.features));
    for (Exact& sum : sums) sum = sum / count;
    return sums;
  }

  const Drawn& all_;
  const Numbers& read_;
};

Exact silu(const Exact& x) { return x / (one + exp(Exact(0) - x)); }

Exact gelu(const Exact& x) { return x * half * (one + erf(x / sqrt(Exact(2)))); }

Exact gelu_tanh(const Exact& x) {
  Exact pi;
  pi = pi.by([](mpfr_ptr to, mpfr_srcptr, mpfr_rnd_t way) { return mpfr_const_pi(to, way); });
  const Exact cubed = x * x * x;
  const Exact inner = sqrt(Exact(2) / pi) * (x + Exact(44715) / Exact(1000000) * cubed);
  return x * half * (one + tanh(inner));
}

}  // namespace

std::vector<Exact> made_exactly(const std::string& line, const Drawn& all, const Numbers& read) {
  const Attention attention(all, read);
  const auto each = [&](const std::function<Exact(const Exact&)>& function) {
    return attention.each("cells", function);
  };
  const std::map<std::string, std::function<std::vector<Exact>()>> lines = {
      {"scores", [&] { return attention.scores(); }},
      {"scaled", [&] { return attention.scaled(); }},
      {"masked", [&] { return attention.masked(); }},
      {"maximum", [&] { return attention.maximum(); }},
      {"exponentials", [&] { return attention.exponentials(); }},
      {"sums", [&] { return attention.sums(); }},
      {"weights", [&] { return attention.weights(); }},
      {"context", [&] { return attention.context(); }},
      {"row_sums", [&] { return attention.row_sums(); }},
      {"norms", [&] { return attention.norms(); }},
      {"mean", [&] { return attention.means(); }},
      {"variance", [&] { return attention.variances(); }},
      {"normalized", [&] { return attention.normalized(true); }},
      {"affine", [&] { return attention.affine(); }},
      {"mean_square", [&] { return attention.mean_squares(); }},
      {"by_mean_square", [&] { return attention.normalized(false); }},
      {"cosines", [&] { return attention.waves(false); }},
      {"sines", [&] { return attention.waves(true); }},
      {"turned", [&] { return attention.turned(); }},
      {"exp", [&] { return each([](const Exact& x) { return exp(x); }); }},
      {"tanh", [&] { return each([](const Exact& x) { return tanh(x); }); }},
      {"softcap", [&] { return each([](const Exact& x) { return Exact(cap) * tanh(x / Exact(cap)); }); }},
      {"square", [&] { return each([](const Exact& x) { return x * x; }); }},
      {"sqrt", [&] { return attention.each("square", [](const Exact& x) { return sqrt(x); }); }},
      {"relu", [&] { return each([](const Exact& x) { return x < Exact(0) ? Exact(0) : x; }); }},
      {"gelu", [&] { return each(gelu); }},
      {"gelu_tanh", [&] { return each(gelu_tanh); }},
      {"silu", [&] { return each(silu); }},
      {"multiplied", [&] { return each([](const Exact& x) { return x * Exact(factor); }); }},
      {"shifted", [&] { return each([](const Exact& x) { return x + Exact(factor); }); }},
      {"sum", [&] { return attention.both([](const Exact& a, const Exact& b) { return a + b; }); }},
      {"difference", [&] { return attention.both([](const Exact& a, const Exact& b) { return a - b; }); }},
      {"product", [&] { return attention.both([](const Exact& a, const Exact& b) { return a * b; }); }},
      {"quotient", [&] { return attention.both([](const Exact& a, const Exact& b) { return a / b; }); }},
      {"gated", [&] { return attention.both([](const Exact& a, const Exact& b) { return silu(a) * b; }); }},
  };
  const auto found = lines.find(line);
  return found == lines.end() ? std::vector<Exact>() : found->second();
}

}  // namespace attn::bounds
