// How right digits are, over very many numbers: functions against the exact values, printed numbers against what they
// are read back as and against the C library's.
//
//   attn_digits [--count N] [--every N] [--threads N] [--json FILE]
//
// --count drawn arguments for each function of doubles; of all 2^32 floats every so many. What ctest runs is a sample;
// the whole is --count 1000000000 --every 1.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <mpfr.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/math.h"
#include "base/numbers.h"
#include "base/random.h"

namespace {

using attn::Random;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t all_floats = std::uint64_t{1} << 32;

// What a thread found, and all of them together.
struct Found {
  std::uint64_t cases = 0, wrong = 0;
  double worst = 0;  // in ulps, where these are measured
  std::string example;

  void take(bool right, const std::function<std::string()>& what) {
    ++cases;
    if (right) return;
    if (wrong++ == 0) example = what();
  }
  void join(const Found& other) {
    if (wrong == 0) example = other.example;
    cases += other.cases;
    wrong += other.wrong;
    worst = std::max(worst, other.worst);
  }
};

struct Section {
  std::string name, claim;
  bool of_floats;       // all of them, not drawn ones
  std::uint64_t share;  // of --count: what is slow is tried less often
  std::function<void(std::uint64_t from, std::uint64_t to, std::uint64_t step, Found& found)> run;
};

std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", x);
  return text;
}

// Distances are counted where the exact value lies, in neighbours of the type: `bits` a number has, `least` > 0.
double ulps(long double got, long double exact, int bits, int least_exponent) {
  if (got == exact) return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - bits, least_exponent));
  return static_cast<double>(std::fabs(got - exact) / unit);
}

// A long double has 64 bits or more: the C library's functions of it are at most some units of the 64th off, which is
// 0.002 of the last of 53.
constexpr double doubt = 0.002;

template <class Function, class Exact, class Draw>
Section of_doubles(std::string name, double limit, Function function, Exact exact, Draw draw) {
  return {name, "at most " + attn::shortest(limit) + " ulp from the exact value", false, 1,
          [=](std::uint64_t from, std::uint64_t to, std::uint64_t, Found& found) {
            Random random(from + 1);
            for (std::uint64_t i = from; i < to; ++i) {
              const double x = draw(random);
              const double got = function(x);
              const long double wanted = exact(static_cast<long double>(x));
              const bool overflows = std::fabs(wanted) > static_cast<long double>(std::numeric_limits<double>::max());
              const double off = overflows ? (std::isinf(got) ? 0 : infinity) : ulps(got, wanted, 53, -1074);
              found.worst = std::max(found.worst, off);
              found.take(off <= limit + doubt, [&] { return digits(x) + " gives " + digits(got); });
            }
          }};
}

template <class Function, class Exact>
Section of_all_floats(std::string name, Function function, Exact exact) {
  constexpr double limit = 0.50001;
  return {name, "at most " + attn::shortest(limit) + " ulp of a float from the exact value", true, 1,
          [=](std::uint64_t from, std::uint64_t to, std::uint64_t step, Found& found) {
            for (std::uint64_t i = from; i < to; i += step) {
              const float x = std::bit_cast<float>(static_cast<std::uint32_t>(i));
              const float got = function(x);
              if (std::isnan(x)) {
                found.take(std::isnan(got), [&] { return digits(x) + " gives " + digits(got); });
                continue;
              }
              const long double wanted = exact(static_cast<long double>(x));
              const bool overflows = wanted >= 0x1.ffffffp+127L;  // half an ulp beyond the largest float
              const double off = overflows ? (std::isinf(got) ? 0 : infinity) : ulps(got, wanted, 24, -149);
              found.worst = std::max(found.worst, off);
              found.take(off <= limit, [&] { return digits(x) + " gives " + digits(got); });
            }
          }};
}

// Correctly rounded: the double nearest to what MPFR makes of it in 300 bits, of which no result lies so near to the
// middle between two doubles that these do not tell.
class Exactly {
 public:
  Exactly() { mpfr_inits2(300, x_, y_, result_, nullptr); }
  ~Exactly() { mpfr_clears(x_, y_, result_, nullptr); }
  Exactly(const Exactly&) = delete;
  Exactly& operator=(const Exactly&) = delete;

  template <class Compute>
  double operator()(double x, double y, Compute compute) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    compute(result_, x_, y_);
    return mpfr_get_d(result_, MPFR_RNDN);
  }

 private:
  mpfr_t x_, y_, result_;
};

template <class Function, class Compute, class Draw>
Section correctly_rounded(std::string name, Function function, Compute compute, Draw draw) {
  return {name, "the exact value correctly rounded", false, 1000,
          [=](std::uint64_t from, std::uint64_t to, std::uint64_t, Found& found) {
            Random random(from + 1);
            Exactly exactly;
            for (std::uint64_t i = from; i < to; ++i) {
              const std::pair<double, double> drawn = draw(random);
              const double x = drawn.first, y = drawn.second;
              const double got = function(x, y), wanted = exactly(x, y, compute);
              found.take(got == wanted || (std::isnan(got) && std::isnan(wanted)),
                         [&] { return digits(x) + ", " + digits(y) + " gives " + digits(got); });
            }
          }};
}

double any_size(Random& random, int lowest, int highest) {
  const double size = std::ldexp(1 + random.uniform(), static_cast<int>(random.integer(lowest, highest)));
  return random.bits() % 2 == 0 ? size : -size;
}

double any_bits(Random& random) {
  for (;;) {
    const double x = std::bit_cast<double>(random.bits());
    if (std::isfinite(x)) return x;
  }
}

double between(Random& random, double from, double to) { return from + (to - from) * random.uniform(); }

std::vector<Section> sections() {
  const auto half_of = [](auto one, auto other) {
    return [=](Random& random) { return random.bits() % 2 == 0 ? one(random) : other(random); };
  };
  const auto range = [](double from, double to) { return [=](Random& random) { return between(random, from, to); }; };
  const auto sizes = [](int from, int to) { return [=](Random& random) { return any_size(random, from, to); }; };
  const auto positive = [](Random& random) { return std::fabs(any_bits(random)); };
  const auto exp_f64 = [](double x) { return attn::exp(x); };
  const auto log_f64 = [](double x) { return attn::log(x); };
  const auto tanh_f64 = [](double x) { return attn::tanh(x); };
  const auto exp_f32 = [](float x) { return attn::exp(x); };
  const auto tanh_f32 = [](float x) { return attn::tanh(x); };
  const auto exact_exp = [](long double x) { return std::exp(x); };
  const auto exact_log = [](long double x) { return std::log(x); };
  const auto exact_tanh = [](long double x) { return std::tanh(x); };
  const auto one = [](auto draw) { return [=](Random& random) { return std::pair(draw(random), 0.0); }; };
  const auto base_and_exponent = [](Random& random) {
    const double base = std::fabs(any_size(random, -40, 40));
    const double most = 1080 / std::max(0.1, std::fabs(std::log2(base)));
    return std::pair(base, between(random, -most, most));
  };
  return {
      of_doubles("exp", 0.52, exp_f64, exact_exp, half_of(range(-745.2, 709.8), sizes(-1074, 9))),
      of_doubles("log", 0.65, log_f64, exact_log, half_of(positive, range(0.5, 2))),
      of_doubles("tanh", 0.53, tanh_f64, exact_tanh, half_of(range(-20, 20), sizes(-1074, 5))),
      of_all_floats("exp of a float", exp_f32, exact_exp),
      of_all_floats("tanh of a float", tanh_f32, exact_tanh),
      correctly_rounded(
          "sin", [](double x, double) { return attn::sin(x); },
          [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr) { mpfr_sin(r, x, MPFR_RNDN); },
          one(half_of(range(-100, 100), any_bits))),
      correctly_rounded(
          "cos", [](double x, double) { return attn::cos(x); },
          [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr) { mpfr_cos(r, x, MPFR_RNDN); },
          one(half_of(range(-100, 100), any_bits))),
      correctly_rounded(
          "erf", [](double x, double) { return attn::erf(x); },
          [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr) { mpfr_erf(r, x, MPFR_RNDN); },
          one(half_of(range(-6.1, 6.1), any_bits))),
      correctly_rounded(
          "pow", [](double x, double y) { return attn::pow(x, y); },
          [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr y) { mpfr_pow(r, x, y, MPFR_RNDN); }, base_and_exponent),
      {"a float, printed", "reads back to the same bits", true, 1,
       [](std::uint64_t from, std::uint64_t to, std::uint64_t step, Found& found) {
         std::string text;
         for (std::uint64_t i = from; i < to; i += step) {
           const float x = std::bit_cast<float>(static_cast<std::uint32_t>(i));
           if (!std::isfinite(x)) continue;
           text.clear();
           attn::append_shortest(x, text);
           double read = -1;
           const bool is_number = attn::parse_number(text, read);
           found.take(is_number && static_cast<float>(read) == x, [&] { return digits(x) + " is printed " + text; });
         }
       }},
      {"a double, printed", "reads back to the same bits", false, 1,
       [](std::uint64_t from, std::uint64_t to, std::uint64_t, Found& found) {
         Random random(from + 1);
         std::string text;
         for (std::uint64_t i = from; i < to; ++i) {
           const double x = i % 2 == 0 ? any_bits(random) : any_size(random, -40, 40);
           text.clear();
           attn::append_shortest(x, text);
           double read = -1;
           const bool is_number = attn::parse_number(text, read);
           found.take(is_number && read == x, [&] { return digits(x) + " is printed " + text; });
         }
       }},
      {"a double to 0 … 17 decimals", "the stored value correctly rounded, as the C library has it", false, 10,
       [](std::uint64_t from, std::uint64_t to, std::uint64_t, Found& found) {
         Random random(from + 1);
         char expected[400];
         for (std::uint64_t i = from; i < to; ++i) {
           const int decimals = static_cast<int>(random.integer(0, 17));
           // Ties too: whole numbers of sixteenths.
           const double x =
               i % 3 == 0 ? static_cast<double>(random.integer(-100000, 100000)) / 16 : any_size(random, -40, 60);
           std::snprintf(expected, sizeof expected, "%.*f", decimals, x);
           std::string_view wanted = expected;
           if (wanted.find_first_of("123456789") == std::string_view::npos && wanted.front() == '-')
             wanted.remove_prefix(1);
           const std::string text = attn::fixed(x, decimals);
           found.take(text == wanted, [&] { return digits(x) + " is " + text + ", not " + std::string(wanted); });
         }
       }},
  };
}

Found run(const Section& section, std::uint64_t count, std::uint64_t every, unsigned threads) {
  const std::uint64_t total = section.of_floats ? all_floats : std::max<std::uint64_t>(count / section.share, 1000);
  const std::uint64_t step = section.of_floats ? every : 1;
  const std::uint64_t piece = section.of_floats ? step * std::max<std::uint64_t>(1, (all_floats >> 8) / step) : 10000;
  std::atomic<std::uint64_t> next{0};
  std::vector<Found> found(threads);
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (std::uint64_t from = next.fetch_add(piece); from < total; from = next.fetch_add(piece)) {
        section.run(from, std::min(from + piece, total), step, found[t]);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (unsigned t = 1; t < threads; ++t) found[0].join(found[t]);
  return found[0];
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t drawn = 1000000, every = 1, threads = std::max(1U, std::thread::hardware_concurrency());
  std::string file;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view word = words[i];
    if (word == "--count") drawn = std::strtoull(words[i + 1], nullptr, 10);
    if (word == "--every") every = std::strtoull(words[i + 1], nullptr, 10);
    if (word == "--threads") threads = std::strtoull(words[i + 1], nullptr, 10);
    if (word == "--json") file = words[i + 1];
  }
  if (count % 2 == 0 || drawn == 0 || every == 0 || threads == 0) {
    std::cerr << "usage: attn_digits [--count N] [--every N] [--threads N] [--json FILE]\n";
    return 2;
  }
  nlohmann::ordered_json told = nlohmann::ordered_json::array();
  std::uint64_t wrong = 0;
  for (const Section& section : sections()) {
    const Found found = run(section, drawn, every, static_cast<unsigned>(threads));
    wrong += found.wrong;
    std::printf("%-28s %12llu cases, %llu wrong", section.name.c_str(), static_cast<unsigned long long>(found.cases),
                static_cast<unsigned long long>(found.wrong));
    if (found.worst > 0) std::printf(", at most %.5f ulp", found.worst);
    if (found.wrong > 0) std::printf(": %s", found.example.c_str());
    std::printf("\n");
    std::fflush(stdout);
    told.push_back({{"what", section.name}, {"claim", section.claim}, {"cases", found.cases}, {"wrong", found.wrong}});
    if (found.worst > 0) told.back()["worst_ulp"] = found.worst;
  }
  if (!file.empty()) std::ofstream(file) << told.dump(1) << '\n';
  return wrong == 0 ? 0 : 1;
}
