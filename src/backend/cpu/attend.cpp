#include "backend/cpu/attend.h"

#include <algorithm>
#include <cstddef>

#include "backend/cpu/vectors/cells.h"
#include "backend/cpu/vectors/kernels.h"

namespace attn {
namespace {

// Up to so many rows of one key/value head, reading keys and values where they
// lie is faster than packing them.
constexpr std::size_t few_rows = 6;

// Up to so many products a row, vectors have nothing to gain.
constexpr std::size_t few_products = 64;

// Each task packs the keys it needs, so more rows in one are better, as long as
// what belongs to them fits a core's second-level cache beside a block of keys,
// and every thread has some tasks. Where there are heads enough for all threads,
// smaller parts than that would only pack more often.
constexpr std::size_t row_step = 12;  // what every instruction set's tiles divide
constexpr std::size_t task_bytes = std::size_t{400} << 10;
constexpr std::size_t least_rows = 96, least_rows_of_many_heads = 384;
constexpr std::size_t tasks_of_thread = 12;

template <class T>
std::size_t rows_of_task(const FusedAttention<T>& call, std::size_t rows, std::size_t threads) {
  const auto parts = [](std::size_t n, std::size_t of) { return (n + of - 1) / of; };
  const std::size_t heads_read = call.batch * call.kv_heads;
  const std::size_t row_bytes = (call.key_width + call.value_width + 1) * sizeof(T);
  const std::size_t most = std::max(least_rows, task_bytes / row_bytes);
  const std::size_t least = heads_read >= 4 * threads ? least_rows_of_many_heads : least_rows;
  const std::size_t wanted = std::min(parts(tasks_of_thread * threads, heads_read), rows / least);
  const std::size_t blocks = std::max({std::size_t{1}, wanted, parts(rows, most)});
  return parts(parts(rows, blocks), row_step) * row_step;
}

// Below so many products, waking other threads takes longer than the work.
constexpr double worth_threads = 200e3;

// Calls attend(sequence, head) for each head of each sequence. The caller alone
// need not divide, which takes time in the smallest calls.
template <class Attend>
void each_head(std::size_t batch, std::size_t heads, bool alone, Threads& threads, Attend&& attend) {
  if (!alone) {
    threads.each(batch * heads, [&](std::size_t task) { attend(task / heads, task % heads); });
    return;
  }
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t head = 0; head < heads; ++head) attend(b, head);
  }
}

template <class T>
void attend_small_rows(const FusedAttention<T>& call, bool alone, Threads& threads) {
  each_head(call.batch, call.heads, alone, threads, [&](std::size_t batch, std::size_t head) {
    for (std::size_t query = 0; query < call.queries; ++query) plain_row(call, batch, head, query);
  });
}

template <class T>
void attend_few_rows(const FusedAttention<T>& call, std::size_t rows, bool alone, Threads& threads) {
  each_head(call.batch, call.kv_heads, alone, threads, [&](std::size_t batch, std::size_t head) {
    attend_few(call, {batch, head, 0, rows});
  });
}

template <class T>
void attend_many_rows(const FusedAttention<T>& call, std::size_t rows, bool alone, Threads& threads) {
  const std::size_t heads_read = call.batch * call.kv_heads;
  const std::size_t task_rows = rows_of_task(call, rows, threads.count());
  const std::size_t blocks = (rows + task_rows - 1) / task_rows;

  // The last rows first: under a causal mask they see most, and the longest tasks
  // should not be the last.
  const auto work = [&](std::size_t task) {
    const std::size_t head = task / blocks, block = blocks - 1 - task % blocks;
    attend_tiles(
        call, {head / call.kv_heads, head % call.kv_heads, task_rows * block, std::min(rows, task_rows * (block + 1))});
  };
  if (alone) {
    for (std::size_t task = 0; task < heads_read * blocks; ++task) work(task);
  } else {
    threads.each(heads_read * blocks, work);
  }
}

}  // namespace

template <class T>
void attend_on(const FusedAttention<T>& call, Threads& threads) {
  if (call.batch == 0 || call.heads == 0 || call.queries == 0) return;
  const std::size_t rows = sharing_heads(call) * call.queries;
  const double products = static_cast<double>(call.batch * call.heads * call.queries) * static_cast<double>(call.keys) *
                          static_cast<double>(call.key_width + call.value_width);
  const bool alone = products < worth_threads || threads.count() == 1;
  if (call.keys * (call.key_width + call.value_width) <= few_products) {
    attend_small_rows(call, alone, threads);
  } else if (rows <= few_rows) {
    attend_few_rows(call, rows, alone, threads);
  } else {
    attend_many_rows(call, rows, alone, threads);
  }
}

template void attend_on(const FusedAttention<float>&, Threads&);
template void attend_on(const FusedAttention<double>&, Threads&);

}  // namespace attn
