#include <string>

#include "base/text.h"
#include "words/english/english.h"

namespace attn {

constexpr BlockWords english_block = {
    .encoder = "Encoder",
    .self_attention = "self-attention",
    .cross_attention = "cross-attention",
    .feed_forward = "feed-forward",
    .embedding_norm = "Normalization of the inputs",
    .final_norm = "Normalization behind the last layer",
    .layer_part = "Layer {} · {}",
    .norm_before = "normalization before {}",
    .norm_after = "normalization after {}",
    .residual_around = "residual around {}",
    .memory = "Memory: the vectors that cross-attention reads",
    .mean = "Mean of each vector",
    .mean_formula = "{} = sum of {0} / n",
    .variance = "Variance of each vector: the mean of the squared differences to its mean",
    .variance_formula = "{} = sum of ({0} − {1})² / n",
    .mean_square = "Mean of the squares of each vector",
    .mean_square_formula = "{} = sum of {0}² / n",
    .normalized = "Normalized vectors",
    .affine = "Normalized vectors, stretched and moved as the layer has learned",
    .gain = "Gain of the normalization",
    .bias = "Bias of the normalization",
    .residual = "Residual: what went in, plus what came of it",
    .hidden = "Hidden numbers of each token",
    .gate = "Gate: how much of each hidden number passes",
    .activation = "Hidden numbers through {}",
    .matrix = [](Text step) { return "Weights: " + step; },
    .bias_of = [](Text step) { return "Bias: " + step; },
    .network_output = "Output of the feed-forward network",
    .logits = "Logits: how much speaks for each token of the vocabulary",
    .unembedding = "Unembedding: a column for each token of the vocabulary",
    .unembedding_bias = "Bias of the logits",
    .largest_logit = "Largest logit of each token",
    .probabilities = "Probabilities of the next token",
};

}  // namespace attn
