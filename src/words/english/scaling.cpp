#include "words/english/english.h"

namespace attn {

constexpr ScalingWords english_scaling = {
    .title = "Why scores are divided by √d_k",
    .how_drawn =
        "{} queries and {} keys are drawn, every number of them normal with mean 0 and variance 1 (seed {}), and "
        "attention is computed with them, once without ÷√d_k and once with it.",
    .scores = "Scores",
    .why_variance =
        "q·k is a sum of d_k products, each of mean 0 and variance 1: its variance is d_k, and √d_k is how far a "
        "score mostly lies from 0.",
    .without = "Softmax without ÷√d_k",
    .why_peaks =
        "The farther apart the scores, the more the largest takes for itself; and where one weight is near 1, no "
        "score changes any weight any more: the derivative, at most 1/4, goes to 0, and learning stops.",
    .with = "Softmax with ÷√d_k",
    .why_divided =
        "Divided by √d_k, scores have variance 1 at every width. The entropy would be {} nats if all keys weighed "
        "the same.",
    .width = "d_k",
    .mean = "mean",
    .mean_in_theory = "in theory",
    .variance = "variance",
    .variance_in_theory = "in theory",
    .largest_weight = "largest weight",
    .entropy = "entropy",
    .largest_derivative = "largest ∂a/∂s",
};

}  // namespace attn
