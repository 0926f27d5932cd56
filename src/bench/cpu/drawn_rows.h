#pragma once

#include "backend/fused.h"
#include "bench/measurable.h"

namespace attn {

// How far rows drawn from the call's context are from attention in double
// precision, and how far plain operations of T would have been, each rounded and
// in the order of the keys. Sums of the double computation are compensated (Ogita,
// Rump and Oishi 2005, algorithm 5.3, Dot2), so that it can judge T = double, too.
//
// REQUIRES: the call was computed, and uses neither masks, lengths, window (but
// causal, aligned by an offset), softcap, sinks nor another base.
template <class T>
MeasurableRun::Error error_of_drawn_rows(const FusedAttention<T>& call);

// The larger of the worst so far and what the number is away from the exact one;
// NaN is infinitely far.
double farther(double worst_yet, double number, double exact);

}  // namespace attn
