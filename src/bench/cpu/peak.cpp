#include "bench/cpu/peak.h"

#include "backend/cpu/vectors/targets.h"
//
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <unistd.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/cpu/peak.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
//
#include "backend/cpu/vectors/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace attn {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns something that depends on every product, so that none is left out.
// Each chain tends to 2·y, and so neither overflows nor becomes subnormal; each
// begins elsewhere, so that they are not the same to a compiler.
template <class T>
double multiply_add(std::size_t rounds, T half, T one) {
  const hn::ScalableTag<T> all;
  const auto x = hn::Set(all, half);
  const auto y = hn::Set(all, one);
  auto a = y, b = hn::Add(a, y), c = hn::Add(b, y), d = hn::Add(c, y), e = hn::Add(d, y), f = hn::Add(e, y);
  auto g = hn::Add(f, y), h = hn::Add(g, y), i = hn::Add(h, y), j = hn::Add(i, y), k = hn::Add(j, y);
  auto l = hn::Add(k, y);
  for (std::size_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, x, y);
    b = hn::MulAdd(b, x, y);
    c = hn::MulAdd(c, x, y);
    d = hn::MulAdd(d, x, y);
    e = hn::MulAdd(e, x, y);
    f = hn::MulAdd(f, x, y);
    g = hn::MulAdd(g, x, y);
    h = hn::MulAdd(h, x, y);
    i = hn::MulAdd(i, x, y);
    j = hn::MulAdd(j, x, y);
    k = hn::MulAdd(k, x, y);
    l = hn::MulAdd(l, x, y);
  }
  const auto first = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, d)), hn::Add(e, f));
  const auto second = hn::Add(hn::Add(hn::Add(g, h), hn::Add(i, j)), hn::Add(k, l));
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(all, hn::Add(first, second))));
}

template <class T>
std::size_t lanes_of() {
  return hn::Lanes(hn::ScalableTag<T>());
}

// REQUIRES: count is a multiple of 512.
std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
  const hn::ScalableTag<std::uint64_t> all;
  const std::size_t lanes = hn::Lanes(all);
  auto a = hn::Zero(all), b = hn::Zero(all), c = hn::Zero(all), d = hn::Zero(all);
  for (std::size_t at = 0; at + 4 * lanes <= count; at += 4 * lanes) {
    a = hn::Add(a, hn::LoadU(all, words + at));
    b = hn::Add(b, hn::LoadU(all, words + at + lanes));
    c = hn::Add(c, hn::LoadU(all, words + at + 2 * lanes));
    d = hn::Add(d, hn::LoadU(all, words + at + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(all, hn::Add(hn::Add(a, b), hn::Add(c, d))));
}

}  // namespace HWY_NAMESPACE
}  // namespace attn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attn {
namespace {

// Of each task, in a chain. Threads that are interrupted leave theirs to others.
constexpr std::size_t rounds = 20000;
constexpr std::size_t tasks_a_thread = 16;
constexpr std::size_t chains = 12;

// A go takes under a millisecond, which another program may take away from it. The
// best of some is what the machine reaches in that state of its clock.
constexpr int goes = 4;

constexpr std::size_t least_words = (std::size_t{256} << 20) / sizeof(std::uint64_t);
constexpr std::size_t words_a_task = (std::size_t{2} << 20) / sizeof(std::uint64_t);

// Where results go that nobody wants: they have to be worked out all the same.
std::atomic<double> unwanted;
std::atomic<std::uint64_t> unwanted_word;

template <class Work>
double seconds_of(Threads& threads, std::size_t tasks, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  threads.each(tasks, work);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t words_beyond_caches() {
  long cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  const std::size_t several = 4 * static_cast<std::size_t>(std::max(cache, 0L)) / sizeof(std::uint64_t);
  return std::clamp(several, least_words, 4 * least_words) / words_a_task * words_a_task;
}

template <class T>
double peak_of(Threads& threads) {
  const std::size_t tasks = tasks_a_thread * threads.count();
  const auto multiply = ATTN_VERSION(multiply_add<T>);
  double least = std::numeric_limits<double>::infinity();
  for (int go = 0; go < goes; ++go) {
    least = std::min(
        least, seconds_of(threads, tasks, [multiply](std::size_t) { unwanted = multiply(rounds, T{0.5}, T{1}); }));
  }
  return static_cast<double>(2 * tasks * rounds * chains * ATTN_VERSION(lanes_of<T>)()) / least;
}

}  // namespace

double arithmetic_peak(Threads& threads, Dtype dtype) {
  return dtype == Dtype::f64 ? peak_of<double>(threads) : peak_of<float>(threads);
}

ReadBandwidth::ReadBandwidth() : words_(words_beyond_caches(), 1) {}

double ReadBandwidth::measured(Threads& threads) {
  const double seconds = seconds_of(threads, words_.size() / words_a_task, [&](std::size_t task) {
    unwanted_word += ATTN_VERSION(sum_words)(words_.data() + task * words_a_task, words_a_task);
  });
  return static_cast<double>(words_.size() * sizeof(std::uint64_t)) / seconds;
}

}  // namespace attn
#endif  // HWY_ONCE
