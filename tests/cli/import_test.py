"""`attn import` and `attn heads`: models as others store them, against the library that made them.

Where the library transformers is there, models of its families are drawn at random, saved, imported and
computed in both; torch's own modules likewise where torch is. What an import may not do is tried everywhere,
on small models written here byte by byte.
"""

import contextlib
import csv
import io
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import models
from block_reference import ACTIVATIONS
from slow import share

try:
    import torch
except ImportError:
    torch = None
try:
    import transformers
except ImportError:
    transformers = None

ATTN = os.path.abspath(os.environ["ATTN"])
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
IDS = [3, 17, 5, 9, 9, 2, 30]


def attn(*words, folder=None, text=None):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run([ATTN, *words], input=text, capture_output=True, encoding="utf-8", env=environment,
                          cwd=folder, timeout=300)


def computed(folder, *words):
    """{step: numbers} of it.json there."""
    done = attn("run", "it.json", "--format", "json", *words, folder=folder)
    assert done.returncode == 0, done.stderr
    return {step["id"]: np.array(step["data"], dtype=float) for step in json.loads(done.stdout)["steps"]}


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array, dtype="<f8").tobytes()
        header[name] = {"dtype": "F64", "shape": list(np.shape(array)), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


@contextlib.contextmanager
def in_double(model):
    """The library computes some of it in single precision whatever the model's is: here it does not."""
    to, softmax = torch.Tensor.to, torch.nn.functional.softmax
    def to_double(tensor, *where, **more):
        widened = lambda one: torch.float64 if one is torch.float32 else one
        return to(tensor, *map(widened, where), **{key: widened(one) for key, one in more.items()})
    with unittest.mock.patch.object(torch.Tensor, "float", torch.Tensor.double), \
            unittest.mock.patch.object(torch.Tensor, "to", to_double), \
            unittest.mock.patch.object(torch.nn.functional, "softmax", lambda x, dim=None, dtype=None: softmax(x, dim=dim)):
        for module in model.modules():
            if hasattr(module, "inv_freq"):
                width = 2 * module.inv_freq.numel()
                said = getattr(model.config, "rope_parameters", None) or vars(model.config)  # of version 5, and before
                module.inv_freq = said["rope_theta"] ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        yield


class InFolder(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="attn-import-")
        self.addCleanup(self.place.cleanup)
        self.folder = self.place.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def text_of(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def imported(self, *words):
        done = attn("import", *words, "-o", "it.json", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, *words):
        done = attn("import", *words, folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr


@unittest.skipUnless(transformers and torch, "the library transformers is not there")
class Transformers(InFolder):
    """Random models: hidden states, attentions and logits of every layer."""

    def compared(self, model, ids=IDS, encoder=None, last="norm2", words=()):
        model = model.double().eval()
        for parameter in model.parameters():
            parameter.data += 0.1 * torch.randn_like(parameter)
        model.save_pretrained(self.path("model"), safe_serialization=True)
        self.imported("model", "--ids", ",".join(map(str, ids)), *words)
        with torch.no_grad(), in_double(model):
            run = encoder(model) if encoder else model
            made = run(input_ids=torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
        steps = computed(self.folder)
        count = len(made.attentions)
        for i in range(count):
            self.assert_close(steps[f"layer{i + 1}.self.attention_weights"], made.attentions[i][0], f"weights {i + 1}")
            is_last = i == count - 1 and "final_norm" in steps
            step = "final_norm" if is_last else f"layer{i + 1}.{last}"
            self.assert_close(steps[step], made.hidden_states[i + 1][0], step)
        if getattr(made, "logits", None) is not None and "logits" in steps:
            self.assert_close(steps["logits"], made.logits[0], "logits")
        return steps

    def assert_close(self, its, theirs, what):
        np.testing.assert_allclose(its, theirs.numpy(), rtol=1e-10, atol=1e-10, err_msg=what)

    def drawn(self, kind, config):
        torch.manual_seed(len(str(config)))
        return kind._from_config(config, attn_implementation="eager")

    def test_bert_is_that_of_the_library(self):
        for function in ("gelu", "gelu_new", "relu", "silu"):
            with self.subTest(function=function):
                config = transformers.BertConfig(vocab_size=40, hidden_size=12, num_hidden_layers=2, num_attention_heads=3,
                                                 intermediate_size=20, max_position_embeddings=16, hidden_act=function)
                self.compared(self.drawn(transformers.BertModel, config))

    def test_what_stands_behind_the_last_layer_of_bert_is_named(self):
        config = transformers.BertConfig(vocab_size=40, hidden_size=12, num_hidden_layers=1, num_attention_heads=3,
                                         intermediate_size=20, max_position_embeddings=16)
        model = self.drawn(transformers.BertForMaskedLM, config).double().eval()
        self.compared(model, encoder=lambda whole: whole.bert)
        self.assertIn("cls.", self.imported("model", "--ids", "1,2").stderr)

    def test_roberta_counts_positions_behind_the_padding(self):
        config = transformers.RobertaConfig(vocab_size=40, hidden_size=12, num_hidden_layers=2, num_attention_heads=3,
                                            intermediate_size=20, max_position_embeddings=16, pad_token_id=1)
        self.compared(self.drawn(transformers.RobertaModel, config))
        self.compared(self.drawn(transformers.RobertaModel, config), ids=[3, 1, 1, 9, 2, 1])

    def test_gpt2_is_that_of_the_library(self):
        for more in ({}, {"scale_attn_by_inverse_layer_idx": True}, {"scale_attn_weights": False},
                     {"n_inner": 10, "activation_function": "relu"}, {"tie_word_embeddings": False}):
            with self.subTest(**more):
                config = transformers.GPT2Config(vocab_size=40, n_embd=12, n_layer=3, n_head=3, n_positions=16, **more)
                steps = self.compared(self.drawn(transformers.GPT2LMHeadModel, config), last="residual2")
                self.assertIn("logits", steps)
        steps = self.compared(self.drawn(transformers.GPT2Model, config), last="residual2")
        self.assertNotIn("logits", steps)

    def test_llama_and_what_is_built_alike_are_those_of_the_library(self):
        small = {"vocab_size": 40, "hidden_size": 16, "intermediate_size": 20, "num_hidden_layers": 2,
                 "num_attention_heads": 4, "max_position_embeddings": 32}
        for kind, config in ((transformers.LlamaForCausalLM, transformers.LlamaConfig(**small)),
                             (transformers.LlamaForCausalLM, transformers.LlamaConfig(**small, num_key_value_heads=2)),
                             (transformers.LlamaForCausalLM, transformers.LlamaConfig(
                                 **small, num_key_value_heads=1, attention_bias=True, mlp_bias=True)),
                             (transformers.LlamaForCausalLM, transformers.LlamaConfig(
                                 **small, head_dim=8, tie_word_embeddings=True, rope_theta=500.0)),
                             (transformers.MistralForCausalLM, transformers.MistralConfig(**small, num_key_value_heads=2)),
                             (transformers.Qwen2ForCausalLM, transformers.Qwen2Config(**small, num_key_value_heads=2))):
            with self.subTest(config=str(config)):
                self.compared(self.drawn(kind, config), last="residual2")

    def test_windows_are_those_of_the_library(self):
        small = {"vocab_size": 40, "hidden_size": 16, "intermediate_size": 20, "num_hidden_layers": 3,
                 "num_attention_heads": 4, "num_key_value_heads": 2, "sliding_window": 3}
        for kind, config in ((transformers.MistralForCausalLM, transformers.MistralConfig(**small)),
                             (transformers.Qwen2ForCausalLM, transformers.Qwen2Config(
                                 **small, use_sliding_window=True, max_window_layers=1)),
                             (transformers.Qwen2ForCausalLM, transformers.Qwen2Config(**small))):
            with self.subTest(config=str(config)):
                self.compared(self.drawn(kind, config), last="residual2")

    def test_the_encoder_of_t5_is_that_of_the_library(self):
        small = {"vocab_size": 40, "d_model": 12, "d_kv": 5, "d_ff": 20, "num_layers": 2, "num_heads": 3}
        for more in ({}, {"feed_forward_proj": "gated-gelu"}, {"feed_forward_proj": "gated-silu"},
                     {"relative_attention_num_buckets": 6, "relative_attention_max_distance": 5}):
            with self.subTest(**more):
                torch.manual_seed(7)
                self.compared(transformers.T5EncoderModel(transformers.T5Config(**small, **more)), last="residual2")
        torch.manual_seed(8)
        self.compared(transformers.T5ForConditionalGeneration(transformers.T5Config(**small)), last="residual2",
                      encoder=lambda whole: whole.encoder)

    def test_models_in_several_files_are_read(self):
        config = transformers.LlamaConfig(vocab_size=40, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
                                          num_attention_heads=4)
        torch.manual_seed(5)
        model = self.drawn(transformers.LlamaForCausalLM, config)
        model.save_pretrained(self.path("parts"), safe_serialization=True, max_shard_size="8KB")
        model.save_pretrained(self.path("one"), safe_serialization=True)
        self.assertGreater(len([file for file in os.listdir(self.path("parts")) if file.endswith(".safetensors")]), 1)
        results = []
        for name in ("parts", "one"):
            self.imported(name, "--ids", "1,2,3")
            results.append(computed(self.folder, "--only", "logits")["logits"])
        np.testing.assert_array_equal(*results)

    def test_settings_that_are_not_computed_are_refused_by_name(self):
        for kind, config, name in (
                (transformers.BertModel, transformers.BertConfig(
                    vocab_size=40, hidden_size=12, num_hidden_layers=1, num_attention_heads=3, intermediate_size=20,
                    max_position_embeddings=16, position_embedding_type="relative_key"), "position_embedding_type"),
                (transformers.LlamaForCausalLM, transformers.LlamaConfig(
                    vocab_size=40, hidden_size=16, intermediate_size=20, num_hidden_layers=1, num_attention_heads=4,
                    rope_scaling={"rope_type": "linear", "factor": 2.0}), "rope_type linear"),
                (transformers.GPT2Model, transformers.GPT2Config(
                    vocab_size=40, n_embd=12, n_layer=1, n_head=3, n_positions=16, add_cross_attention=True),
                 "add_cross_attention")):
            self.drawn(kind, config).save_pretrained(self.path("model"), safe_serialization=True)
            self.assertIn(name, self.refused("model", "--ids", "1,2"))


@unittest.skipUnless(torch, "torch is not there")
class Torch(InFolder):
    """State dicts of torch's own modules."""

    def saved(self, module):
        module = module.double().eval()
        tensors = {name: tensor.numpy() for name, tensor in module.state_dict().items()}
        write_safetensors(self.path("module.safetensors"), tensors)
        return module

    def vectors(self, name, count, width):
        numbers = np.random.default_rng(count).normal(size=(count, width))
        np.save(self.path(name), numbers)
        return torch.tensor(numbers)[None]

    def assert_result(self, theirs):
        its = list(computed(self.folder).values())[-1]
        np.testing.assert_allclose(its, theirs[0].detach().numpy(), rtol=1e-12, atol=1e-12)

    def test_multihead_attention(self):
        for more in ({}, {"bias": False}):
            module = self.saved(torch.nn.MultiheadAttention(12, 3, batch_first=True, **more))
            x = self.vectors("x.npy", 5, 12)
            self.imported("module.safetensors", "--from", "torch-mha", "--heads", "3", "--inputs", "x.npy")
            self.assert_result(module(x, x, x)[0])

    def test_encoder_layers_and_stacks(self):
        for norm_first in (False, True):
            for function in ("relu", "gelu"):
                layer = torch.nn.TransformerEncoderLayer(12, 3, 20, activation=function, norm_first=norm_first,
                                                         batch_first=True)
                stack = torch.nn.TransformerEncoder(layer, 2, norm=torch.nn.LayerNorm(12), enable_nested_tensor=False)
                for module in (layer, stack):
                    self.saved(module)
                    x = self.vectors("x.npy", 5, 12)
                    self.imported("module.safetensors", "--from", "torch-encoder", "--heads", "3", "--inputs", "x.npy",
                                  "--activation", function, *(["--norm-first"] if norm_first else []))
                    self.assert_result(module(x))

    def test_decoder_layers_and_stacks(self):
        layer = torch.nn.TransformerDecoderLayer(12, 3, 20, batch_first=True)
        stack = torch.nn.TransformerDecoder(layer, 2)
        for module in (layer, stack):
            self.saved(module)
            x, memory = self.vectors("x.npy", 4, 12), self.vectors("memory.npy", 6, 12)
            self.imported("module.safetensors", "--from", "torch-decoder", "--heads", "3", "--inputs", "x.npy",
                          "--memory", "memory.npy")
            mask = torch.nn.Transformer.generate_square_subsequent_mask(4).double()
            self.assert_result(module(x, memory, tgt_mask=mask))

    def test_a_whole_transformer_reads_what_its_encoder_makes(self):
        module = self.saved(torch.nn.Transformer(12, 3, 2, 1, 20, norm_first=True, batch_first=True))
        x, source = self.vectors("x.npy", 4, 12), self.vectors("source.npy", 6, 12)
        words = ("--from", "torch-decoder", "--heads", "3", "--norm-first", "--inputs", "x.npy")
        self.imported("module.safetensors", *words, "--source", "source.npy")
        mask = torch.nn.Transformer.generate_square_subsequent_mask(4).double()
        self.assert_result(module(source, x, tgt_mask=mask))
        memory = module.encoder(source)[0].detach().numpy()
        np.save(self.path("memory.npy"), memory)
        done = attn("import", "module.safetensors", *words, "--memory", "memory.npy", "-o", "it.json", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, "attn: note: left out: the encoder\n"))
        self.assert_result(module(source, x, tgt_mask=mask))

    def test_what_cross_attention_reads_has_to_be_said(self):
        self.saved(torch.nn.TransformerDecoderLayer(12, 3, 20, batch_first=True))
        self.vectors("x.npy", 4, 12)
        words = ("import", "module.safetensors", "--from", "torch-decoder", "--heads", "3", "--inputs", "x.npy")
        for more, said in (((), "what cross-attention reads"), (("--source", "x.npy"), "this state dict has none")):
            done = attn(*words, *more, folder=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)


def small_bert(**changed):
    """A model of one layer, two heads and width 4; a name in `changed` gets another tensor, None takes it away."""
    draw = np.random.default_rng(1).normal
    layer = "encoder.layer.0."
    tensors = {"embeddings.word_embeddings.weight": draw(size=(10, 4)),
               "embeddings.position_embeddings.weight": draw(size=(6, 4)),
               "embeddings.token_type_embeddings.weight": draw(size=(2, 4)),
               "embeddings.LayerNorm.weight": draw(size=4), "embeddings.LayerNorm.bias": draw(size=4),
               layer + "attention.output.LayerNorm.weight": draw(size=4),
               layer + "attention.output.LayerNorm.bias": draw(size=4),
               layer + "output.LayerNorm.weight": draw(size=4), layer + "output.LayerNorm.bias": draw(size=4)}
    for name, shape in (("attention.self.query", (4, 4)), ("attention.self.key", (4, 4)), ("attention.self.value", (4, 4)),
                        ("attention.output.dense", (4, 4)), ("intermediate.dense", (8, 4)), ("output.dense", (4, 8))):
        tensors[layer + name + ".weight"] = draw(size=shape)
        tensors[layer + name + ".bias"] = draw(size=shape[0])
    for name, tensor in changed.items():
        tensors.pop(name) if tensor is None else tensors.__setitem__(name, tensor)
    return tensors


def small_llama(biased=()):
    """Two layers, two heads and width 4; those projections have biases."""
    draw = np.random.default_rng(2).normal
    tensors = {"model.embed_tokens.weight": draw(size=(10, 4)), "model.norm.weight": draw(size=4),
               "lm_head.weight": draw(size=(10, 4))}
    for layer in ("model.layers.0.", "model.layers.1."):
        for name in ("input_layernorm", "post_attention_layernorm"):
            tensors[layer + name + ".weight"] = draw(size=4)
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            tensors[layer + "self_attn." + name + ".weight"] = draw(size=(4, 4))
            if name in biased:
                tensors[layer + "self_attn." + name + ".bias"] = draw(size=4)
        for name, shape in (("up_proj", (6, 4)), ("gate_proj", (6, 4)), ("down_proj", (4, 6))):
            tensors[layer + "mlp." + name + ".weight"] = draw(size=shape)
    return tensors


LLAMA = {"model_type": "llama", "num_attention_heads": 2, "num_hidden_layers": 2, "hidden_act": "silu"}
CONFIG = {"model_type": "bert", "num_attention_heads": 2, "num_hidden_layers": 1, "hidden_act": "gelu"}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "it", "rains", "##ing", "animal", "the", "."]


class Everywhere(InFolder):
    """What needs no library: names, refusals, tokens."""

    def model(self, tensors=None, config=CONFIG, vocabulary=WORDS, folder="model"):
        os.makedirs(self.path(folder), exist_ok=True)
        write_safetensors(os.path.join(self.path(folder), "model.safetensors"), tensors or small_bert())
        if config is not None:
            with open(os.path.join(self.path(folder), "config.json"), "w", encoding="utf-8") as file:
                file.write(config if isinstance(config, str) else json.dumps(config))
        if vocabulary:
            with open(os.path.join(self.path(folder), "vocab.txt"), "w", encoding="utf-8") as file:
                file.write("\n".join(vocabulary) + "\n")
        return folder

    def test_a_text_goes_in_by_the_tokenizer_beside_the_model(self):
        self.imported(self.model(), "--text", "It raining.")
        problem = json.loads(self.text_of("it.json"))
        self.assertEqual(problem["tokens"], ["[CLS]", "it", "[UNK]", ".", "[SEP]"])
        self.imported("model", "--text", "The animal rains.")
        problem = json.loads(self.text_of("it.json"))
        self.assertEqual(problem["tokens"], ["[CLS]", "the", "animal", "rains", ".", "[SEP]"])
        self.assertEqual(problem["inputs"]["take"], [2, 8, 7, 5, 9, 3])
        steps = computed(self.folder)
        self.assertEqual(steps["layer1.self.attention_weights"].shape, (2, 6, 6))

    def test_the_file_of_a_model_means_the_model(self):
        made = []
        for path in (self.model(), "model/model.safetensors"):
            self.imported(path, "--ids", "4,5")
            made.append(self.text_of("it.json"))
        self.assertEqual(*made)

    def test_names_and_numbers_of_tokens_mean_the_same(self):
        made = []
        for words in (["--tokens", "it,rains,##ing"], ["--ids", "4,5,6"]):
            self.imported(self.model(), *words)
            made.append(self.text_of("it.json"))
        self.assertEqual(*made)

    def test_inputs_positions_and_kinds_of_tokens_add_up(self):
        tensors = small_bert()
        self.imported(self.model(tensors), "--ids", "4,5,4")
        summed = (tensors["embeddings.word_embeddings.weight"][[4, 5, 4]] +
                  tensors["embeddings.position_embeddings.weight"][:3] + tensors["embeddings.token_type_embeddings.weight"][0])
        centred = summed - summed.mean(axis=1, keepdims=True)
        expected = centred / np.sqrt((centred ** 2).mean(axis=1, keepdims=True) + 1e-12)
        expected = expected * tensors["embeddings.LayerNorm.weight"] + tensors["embeddings.LayerNorm.bias"]
        np.testing.assert_allclose(computed(self.folder)["embedding_norm"], expected, rtol=1e-12, atol=1e-12)

    def test_padding_of_roberta_has_its_own_position_and_is_not_counted(self):
        tensors = small_bert()
        self.imported(self.model(tensors, config={**CONFIG, "model_type": "roberta", "pad_token_id": 1}), "--ids", "4,1,5,1")
        table = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        np.testing.assert_array_equal(computed(self.folder)["position_encoding"], table[[2, 1, 3, 1]])

    def test_the_base_of_rotations_stands_where_one_release_or_another_has_put_it(self):
        made = []
        for said in ({"rope_theta": 500.0}, {"rope_theta": 500.0, "rope_scaling": None},
                     {"rope_parameters": {"rope_theta": 500.0, "rope_type": "default"}},
                     {"rope_theta": 500.0, "rope_scaling": {"type": "default"}},
                     {"rope_scaling": {"type": "default", "rope_theta": 500.0}},
                     {"rope_theta": 500.0, "rope_parameters": {"rope_type": "default"}},
                     {"rope_parameters": {"rope_theta": 500.0, "factor": None, "partial_rotary_factor": 1.0}}):
            self.imported(self.model(small_llama(), config={**LLAMA, **said}), "--ids", "4,5,6")
            made.append(self.text_of("it.json"))
        self.assertEqual(len(set(made)), 1)
        self.assertEqual(json.loads(made[0])["positions"], {"type": "rope", "base": 500.0})

    def test_rotations_that_are_not_plain_are_refused_by_name(self):
        for config, names in (({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, ["rope_scaling: factor, type dynamic"]),
                            ({"rope_parameters": {"rope_type": "llama3", "rope_theta": 5.0}}, ["rope_type llama3"]),
                            ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
                             ["partial_rotary_factor"]),
                            ({"rope_scaling": 2.0}, ["rope_scaling"]),
                            ({"rope_parameters": {"full_attention": {"rope_theta": 5.0}}}, ["full_attention"]),
                            ({"rope_parameters": {"rope_theta": "x"}}, ["rope_theta", "number"]),
                              ({"partial_rotary_factor": 0.5}, ["partial_rotary_factor"])):
            said = self.refused(self.model(small_llama(), config={**LLAMA, **config}), "--ids", "4,5")
            for name in names:
                self.assertIn(name, said)

    def test_what_no_attention_could_be_computed_with_is_refused_before_it_is_a_problem(self):
        of_t5 = models.drawn(models.t5_shapes(4, 8, 10, 1, heads=2, head_width=2, buckets=8), seed=4)
        odd = models.drawn(models.t5_shapes(4, 8, 10, 1, heads=2, head_width=2, buckets=7), seed=4)
        t5 = {"model_type": "t5", "num_heads": 2, "num_layers": 1}
        distance = "relative_attention_max_distance"
        for tensors, config, said in (
                (small_llama(), {**LLAMA, "num_key_value_heads": 1}, "k_proj.weight` makes 4 numbers"),
                (small_llama(), {**LLAMA, "num_attention_heads": 4}, "has 1 number"),
                (small_llama(), {**LLAMA, "rope_theta": 0}, "`rope_theta` what is no number above 0"),
                (small_llama(), {**LLAMA, "rope_parameters": {"rope_theta": -1}}, "`rope_theta` what is no number above 0"),
                *((of_t5, {**t5, distance: most}, f"`{distance}` is {most}") for most in (0, 1, 2, 2**63)),
                (odd, t5, "has 7 buckets")):
            with self.subTest(said=said):
                self.assertIn(said, self.refused(self.model(tensors, config=config), "--ids", "1,2"))
        self.imported(self.model(of_t5, config={**t5, distance: 3}), "--ids", "1,2,3,4,5")
        computed(self.folder)

    def test_a_window_closes_what_is_further_back_in_the_layers_that_have_one(self):
        ids = ["--ids", "1,2,3,4,5,6"]
        for config, windows in (({"model_type": "mistral", "sliding_window": 3}, [3, 3]),
                                ({"model_type": "mistral", "sliding_window": 6}, [None, None]),
                                ({"model_type": "mistral", "sliding_window": None}, [None, None]),
                                ({"model_type": "qwen2", "sliding_window": 3}, [None, None]),
                                ({"model_type": "qwen2", "sliding_window": 3, "use_sliding_window": True}, [None, None]),
                                ({"model_type": "qwen2", "sliding_window": 2, "use_sliding_window": True,
                                  "max_window_layers": 1}, [None, 2]),
                                ({"model_type": "qwen2", "sliding_window": 2, "use_sliding_window": True,
                                  "layer_types": ["sliding_attention", "full_attention"]}, [2, None]),
                                ({"model_type": "qwen2", "sliding_window": 2, "use_sliding_window": True,
                                  "max_window_layers": 1, "layer_types": ["full_attention"]}, [None, 2]),
                                ({"model_type": "qwen2", "sliding_window": 2, "use_sliding_window": True,
                                  "max_window_layers": 1, "layer_types": "full_attention"}, [None, 2]),
                                ({"model_type": "llama", "sliding_window": 2}, [None, None])):
            with self.subTest(config=config):
                biased = ("q_proj", "k_proj", "v_proj") if config["model_type"] == "qwen2" else ()
                self.imported(self.model(small_llama(biased), config={**LLAMA, **config}), *ids)
                steps = computed(self.folder)
                back = np.arange(6)[:, None] - np.arange(6)
                for layer, window in enumerate(windows, 1):
                    is_open = (back >= 0) & (back < (window or 6))
                    np.testing.assert_array_equal(steps[f"layer{layer}.self.attention_weights"][0] > 0, is_open)

    def test_a_prefix_is_found_or_named(self):
        plain = small_bert()
        self.imported(self.model(plain), "--ids", "4,5")
        expected = computed(self.folder)["layer1.norm2"]
        for prefix, words in (("bert.", []), ("my.own.", ["--prefix", "my.own."])):
            self.imported(self.model({prefix + name: tensor for name, tensor in plain.items()}), "--ids", "4,5", *words)
            np.testing.assert_array_equal(computed(self.folder)["layer1.norm2"], expected)
        self.assertIn("--prefix my.own.", self.refused("model", "--ids", "4,5"))

    def test_what_stands_behind_or_outside_of_a_prefix_is_left_out_and_named(self):
        pooler = {"pooler.dense.weight": np.zeros((4, 4)), "pooler.dense.bias": np.zeros(4)}
        other = {"vision.weight": np.zeros((3, 3))}
        at = lambda prefix, tensors: {prefix + name: tensor for name, tensor in tensors.items()}
        self.model({**at("x.y.", {**small_bert(), **pooler}), **other})
        done = self.imported("model", "--ids", "4,5", "--prefix", "x.y.")
        self.assertIn("left out: what stands behind the last layer: `pooler.…`", done.stderr)
        self.assertIn("left out: what stands outside of `x.y.…`", done.stderr)
        computed(self.folder)
        self.model(at("x.y.", {**small_bert(), "adapter.weight": np.zeros((4, 4))}))
        self.assertIn("x.y.adapter.weight", self.refused("model", "--ids", "4,5", "--prefix", "x.y."))
        # What one family has beside the part that the prefix leads to.
        of_llama = at("x.", {**small_llama(), "score.weight": np.zeros((2, 4))})
        self.model(of_llama, config=LLAMA, vocabulary=None, folder="llama")
        done = self.imported("llama", "--ids", "4,5", "--prefix", "x.model.")
        self.assertIn("left out: what stands behind the last layer: `score.…`", done.stderr)
        self.assertIn("logits", computed(self.folder))
        # A part of a module of torch, as the refusal of the whole proposes it.
        layer = models.drawn(models.torch_shapes(12, 20, ["self_attn."], 2, "layers.0."), seed=1)
        write_safetensors(self.path("stack.safetensors"), layer)
        words = ["stack.safetensors", "--from", "torch-mha", "--heads", "3", "--tokens", "a,b"]
        self.assertIn("give --prefix layers.0.self_attn.", self.refused(*words))
        done = self.imported(*words, "--prefix", "layers.0.self_attn.")
        self.assertIn("left out: what stands outside of `layers.0.self_attn.…`", done.stderr)

    def test_an_encoder_that_a_decoder_reads_is_computed_whole_or_refused(self):
        shapes = {**models.torch_shapes(12, 20, ["self_attn."], 2, "net.encoder.layers.0."), "net.encoder.adapter.weight": 12,
                  **models.torch_shapes(12, 20, ["self_attn.", "multihead_attn."], 3, "net.decoder.layers.0.")}
        write_safetensors(self.path("net.safetensors"), models.drawn(shapes, seed=1))
        words = ["net.safetensors", "--from", "torch-decoder", "--heads", "3", "--tokens", "a,b", "--prefix", "net.decoder."]
        self.assertIn("net.encoder.adapter.weight", self.refused(*words))

    def test_a_problem_elsewhere_is_run_with_a_root(self):
        self.model()
        os.makedirs(self.path("problems"))
        done = attn("import", "model", "--ids", "4,5", "-o", "problems/it.json", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--root model", done.stderr)
        self.assertEqual(attn("run", "problems/it.json", folder=self.folder).returncode, 2)
        self.assertEqual(attn("run", "problems/it.json", "--root", "model", folder=self.folder).returncode, 0)

    def test_vectors_are_read_from_where_the_problem_lies(self):
        for folder in ("problems", "vectors"):
            os.makedirs(self.path(folder))
        shapes = {"in_proj_weight": (36, 12), "out_proj.weight": (12, 12)}
        write_safetensors(self.path("problems/m.safetensors"), models.drawn(shapes, seed=1))
        for name in ("problems/x.npy", "vectors/y.npy"):
            np.save(self.path(name), np.ones((4, 12)))
        for vectors, roots in (("problems/x.npy", []), ("vectors/y.npy", ["--root", "vectors"])):
            done = attn("import", "problems/m.safetensors", "--from", "torch-mha", "--heads", "3", "--inputs", vectors,
                        "-o", "problems/it.json", folder=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(" ".join(roots), done.stderr)
            done = attn("run", "problems/it.json", *roots, folder=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        os.makedirs(self.path("elsewhere"))
        for vectors, code in (("problems/x.npy", 0), ("vectors/y.npy", 2)):
            done = attn("import", "problems/m.safetensors", "--from", "torch-mha", "--heads", "3", "--inputs", vectors,
                        "-o", "elsewhere/it.json", folder=self.folder)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("copy the file to problems" if code else "--root problems", done.stderr)
        done = attn("run", "elsewhere/it.json", "--root", "problems", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.save(self.path("elsewhere/x.npy"), np.zeros((4, 12)))  # which a run would find first
        done = attn("import", "problems/m.safetensors", "--from", "torch-mha", "--heads", "3", "--inputs", "problems/x.npy",
                    "-o", "elsewhere/it.json", folder=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the problem would read elsewhere/x.npy in place of problems/x.npy", done.stderr)

    def test_a_model_of_another_type_is_not_read_as_the_family_that_is_asked_for(self):
        for type, family, tensors in (("granite", "llama", small_llama()), ("gemma", "llama", small_llama()),
                                      ("electra", "bert", small_bert())):
            folder = self.model(tensors, config={**(LLAMA if family == "llama" else CONFIG), "model_type": type})
            said = self.refused(folder, "--from", family, "--ids", "4,5")
            self.assertIn(f"a model of the type `{type}` is not computed here", said)
            self.assertIn(f"help: --from {family} takes {family}, ", said)
            self.assertIn("help: attn computes bert, ", self.refused(folder, "--ids", "4,5"))
        self.model(small_bert())
        said = self.refused("model", "--from", "llama", "--ids", "4,5")
        self.assertIn("config.json says `bert`, and --from llama", said)
        self.assertIn("help: leave --from out", said)

    def test_a_tensor_that_nobody_reads_is_refused_by_name(self):
        self.model(small_bert(**{"encoder.layer.0.adapter.weight": np.zeros((4, 4))}))
        self.assertIn("encoder.layer.0.adapter.weight", self.refused("model", "--ids", "4,5"))

    def test_a_tensor_that_is_not_there_is_named(self):
        for name in ("encoder.layer.0.output.dense.weight", "embeddings.LayerNorm.weight"):
            self.model(small_bert(**{name: None}))
            self.assertIn(name, self.refused("model", "--ids", "4,5"))

    def test_a_bias_that_a_model_of_this_kind_has_is_missed(self):
        for name in ("encoder.layer.0.output.LayerNorm.bias", "embeddings.LayerNorm.bias",
                     "embeddings.token_type_embeddings.weight"):
            self.assertIn(name, self.refused(self.model(small_bert(**{name: None})), "--ids", "4,5"))
        for config, biased, name in (({"model_type": "qwen2"}, ("k_proj", "v_proj"), "layers.0.self_attn.q_proj.bias"),
                                     ({"attention_bias": True}, ("q_proj", "k_proj", "v_proj"), "o_proj.bias"),
                                     ({}, ("q_proj",), "q_proj.bias"), ({"mlp_bias": True}, (), "up_proj.bias")):
            said = self.refused(self.model(small_llama(biased), config={**LLAMA, **config}), "--ids", "4,5")
            self.assertIn(name, said)

    def test_heads_are_said_by_a_config_or_by_somebody(self):
        folder = self.model(config=CONFIG)
        self.assertIn("config.json says how many heads", self.refused(folder, "--ids", "4,5", "--heads", "2"))
        alone = self.model(config=None, folder="alone")
        self.assertIn("--from", self.refused(alone, "--ids", "4,5", "--heads", "2"))

    def test_sizes_that_are_not_those_of_the_config_are_refused(self):
        for config, name in (({"hidden_size": 8}, "hidden_size"), ({"head_dim": 4}, "head_dim")):
            self.assertIn(name, self.refused(self.model(small_llama(), config={**LLAMA, **config}), "--ids", "4,5"))
        odd = {**small_llama(), "model.layers.0.self_attn.q_proj.weight": np.zeros((5, 4))}
        self.assertIn("does not divide 5", self.refused(self.model(odd, config={**LLAMA, "head_dim": 2}), "--ids", "4,5"))
        self.imported(self.model(small_llama(), config={**LLAMA, "hidden_size": 4, "head_dim": 2}), "--ids", "4,5")
        # Queries, keys and values side by side are three times as wide as the model.
        gpt2 = models.drawn(models.gpt2_shapes(12, 20, 40, 16, 1), seed=3)
        gpt2["h.0.attn.c_attn.weight"] = np.zeros((12, 35))
        config = {"model_type": "gpt2", "n_embd": 12, "n_layer": 1, "n_head": 3}
        self.assertIn("is [12][35], and config.json says `n_embd` is 12, 3 times",
                      self.refused(self.model(gpt2, config=config, vocabulary=None, folder="gpt2"), "--ids", "4,5"))

    def test_numbers_of_a_kind_that_cannot_be_read_are_refused_by_the_name_of_their_tensor(self):
        self.model()
        with open(self.path("model/model.safetensors"), "rb") as file:
            raw = file.read()
        for name in ("embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"):
            before, after = raw.split(b'"' + name.encode() + b'"', 1)
            with open(self.path("model/model.safetensors"), "wb") as file:  # whose numbers take as many bytes
                file.write(before + b'"' + name.encode() + b'"' + after.replace(b'"F64"', b'"C64"', 1))
            said = self.refused("model", "--ids", "4,5")
            for word in ("model.safetensors", name, "C64"):
                self.assertIn(word, said)

    def test_a_gate_that_is_not_computed_is_refused(self):
        said = self.refused(self.model(small_llama(), config={**LLAMA, "hidden_act": "relu"}), "--ids", "4,5")
        self.assertIn("`relu` and a gate", said)

    def test_weights_that_stand_for_others_are_refused(self):
        config = {**CONFIG, "quantization_config": {"quant_method": "bitsandbytes"}}
        self.assertIn("quantization_config", self.refused(self.model(config=config), "--ids", "4,5"))

    def test_what_is_wrong_with_what_goes_in_is_said(self):
        self.model()
        for words, said in ((["--ids", "4,10"], "no token 10"), (["--ids", "4,x"], "x"), ([], "--text"),
                            (["--tokens", "it,snows"], "snows"), (["--ids", "4", "--text", "it"], "one of them"),
                            (["--ids", "4,4,4,4,4,4,4"], "6 positions"), (["--ids", "4", "--layers", "2"], "1 layer"),
                            (["--ids", "4", "--layers", "0-1"], "--layers"),
                            (["--ids", "4", "--layers", "1-2"], "1-2"),
                            (["--ids", "4", "--prefix", "its."], "`its.embeddings"),
                            (["--ids", "4", "--from", "elmo"], "elmo")):
            self.assertIn(said, self.refused("model", *words), words)
        self.assertIn("tokenizer", self.refused(self.model(vocabulary=None, folder="mute"), "--text", "it rains"))

    def test_a_tokenizer_that_cannot_be_read_is_no_matter_to_whoever_gives_numbers(self):
        folder = self.path(self.model(vocabulary=None))
        with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
            file.write('{"model":')
        for words in (["--text", "it rains"], ["--tokens", "it,rains"]):
            self.assertIn("tokenizer.json is no JSON", self.refused("model", *words))
        self.imported("model", "--ids", "4,5")

    def of_bytes(self, names):
        """A model with the vocabulary of GPT-2's kind: names and their ids."""
        tensors = models.drawn(models.gpt2_shapes(width=4, inner=8, words=10, positions=6, layers=1), seed=3)
        folder = self.model(tensors, {"model_type": "gpt2", "n_layer": 1, "n_head": 2}, vocabulary=None)
        for name, text in (("vocab.json", json.dumps(names)), ("merges.txt", "#version: 0.2\n")):
            with open(os.path.join(self.path(folder), name), "w", encoding="utf-8") as file:
                file.write(text)
        return folder

    def test_a_token_is_called_without_the_blank_before_it_unless_it_is_nothing_else(self):
        folder = self.of_bytes({"it": 0, "\u0120rains": 1, "\u0120": 2, "<|endoftext|>": 3})
        self.imported(folder, "--ids", "0,1,2")
        self.assertEqual(json.loads(self.text_of("it.json"))["tokens"], ["it", "rains", " "])
        by_number = self.text_of("it.json")
        self.imported(folder, "--tokens", "it,\u0120rains,\u0120")
        self.assertEqual(json.loads(self.text_of("it.json"))["inputs"]["take"], [0, 1, 2])
        self.imported(folder, "--tokens", "it,rains, ")
        self.assertEqual(self.text_of("it.json"), by_number)

    def test_a_name_means_the_token_that_is_spelled_so_and_else_the_first_that_is_called_so(self):
        folder = self.of_bytes({"\u0120rains": 0, "rains": 1, "\u0120it": 2, "\u0120\u0120it": 3, "<|endoftext|>": 4})
        for typed, ids in (("rains", [1]), ("it,rains,it", [2, 1, 2]), ("\u0120rains,it", [0, 2])):
            with self.subTest(typed):
                self.imported(folder, "--tokens", typed)
                self.assertEqual(json.loads(self.text_of("it.json"))["inputs"]["take"], ids)
        self.assertIn("the model has no token `snows`", self.refused(folder, "--tokens", "it,snows"))

    def test_a_token_of_no_text_is_called_as_the_vocabulary_spells_it(self):
        folder = self.of_bytes({"it": 0, "\u0120rains": 1, "": 2, "<|endoftext|>": 3})
        self.imported(folder, "--tokens", "it,\u0120rains")
        problem = json.loads(self.text_of("it.json"))
        self.assertEqual(problem["inputs"]["take"], [0, 1])
        self.assertEqual(problem["block"]["vocabulary"],
                         ["it", " rains", "", "<|endoftext|>", *(f"unused {unused}" for unused in range(4, 10))])
        folder = self.model(vocabulary=[*WORDS[:-1], "##"], folder="pieces")
        self.imported(folder, "--tokens", "it,##,##ing")
        problem = json.loads(self.text_of("it.json"))
        self.assertEqual((problem["tokens"], problem["inputs"]["take"]), (["it", "##", "##ing"], [4, 9, 6]))

    def test_a_state_dict_has_no_tokenizer_whatever_stands_beside_it(self):
        shapes = models.torch_shapes(12, 20, ["self_attn."], 2)
        write_safetensors(self.path("encoder.safetensors"), models.drawn(shapes, seed=1))
        with open(self.path("vocab.txt"), "w", encoding="utf-8") as file:
            file.write("never\nread\n")
        self.imported("encoder.safetensors", "--from", "torch-encoder", "--heads", "3", "--tokens", "it,rains")
        self.assertEqual(json.loads(self.text_of("it.json"))["tokens"], ["it", "rains"])
        for words, said in ((["--text", "it rains"], "a state dict has no tokenizer"),
                            (["--ids", "1,2"], "a state dict has no table that tokens are rows of"),
                            (["--ids", "1,2", "--inputs", "x.npy"], "a state dict has no table that tokens are rows of")):
            refusal = self.refused("encoder.safetensors", "--from", "torch-encoder", "--heads", "3", *words)
            self.assertIn(said, refusal)
            self.assertIn("--tokens names the vectors that go in", refusal)

    def test_a_family_that_nobody_knows_is_refused_before_what_goes_in(self):
        self.model(vocabulary=None)
        for family, nearest in (("torchy", ""), ("torch-mah", "; did you mean `torch-mha`?"), ("berts", "; did you mean `bert`?")):
            for words in (["--text", "it rains"], ["--ids", "1,2"], ["--tokens", "it,rains"], []):
                with self.subTest(family=family, words=words):
                    said = self.refused("model", "--from", family, *words)
                    self.assertIn(f"no family of models is called `{family}`{nearest}\n", said)
                    self.assertIn("help: --from takes bert, ", said)

    def test_names_of_tokens_need_a_tokenizer(self):
        said = self.refused(self.model(vocabulary=None), "--tokens", "it,rains")
        self.assertIn("no tokenizer stands beside the model", said)
        self.assertIn("help: give --ids", said)

    def test_what_is_wrong_with_a_config_is_said(self):
        for config, said in (({**CONFIG, "model_type": "mamba"}, "mamba"), ({**CONFIG, "hidden_act": "mish"}, "mish"),
                             ({**CONFIG, "is_decoder": True}, "is_decoder"), ({**CONFIG, "num_attention_heads": "2"}, "whole"),
                             ({**CONFIG, "is_decoder": 1}, "neither true nor false"),
                             ({**CONFIG, "hidden_act": 7}, "no text"),
                             ({**CONFIG, "position_embedding_type": "relative_key"}, "relative_key"),
                             ({**CONFIG, "num_hidden_layers": 0}, "no layers"),
                             ({**CONFIG, "model_type": 7}, "kind of model"),
                             ({**CONFIG, "num_attention_heads": -2}, "whole"), ({**CONFIG, "layer_norm_eps": "x"}, "number"),
                             ({**CONFIG, "num_hidden_layers": 2}, "encoder.layer.1."),
                             ({**CONFIG, "num_hidden_layers": 10**18}, "tensors in all"), ("[1]", "object"), ("{", "no JSON"),
                             ('{"model_type": "bert", "model_type": "gpt2"}', "says twice what `model_type` is"),
                             ("[" * 1000, "nested deeper"),
                             ({"model_type": "bert"}, "num_attention_heads"), (None, "--from")):
            folder = self.model(config=config, folder="of " + said)
            self.assertIn(said, self.refused(folder, "--ids", "4,5"))

    def test_of_what_a_config_says_no_more_is_said_than_people_read(self):
        for config in ({"model_type": "x" * 100_000}, {"hidden_act": "y" * 100_000}):
            self.assertLess(len(self.refused(self.model(config={**CONFIG, **config}), "--ids", "4,5")), 1000)

    def test_a_config_may_name_many_classes(self):
        names = {"id2label": {str(i): f"the class {i}" for i in range(50_000)},
                 "label2id": {f"the class {i}": i for i in range(50_000)}}
        self.imported(self.model(config={**names, **CONFIG}), "--ids", "4,5")
        self.assertGreater(os.path.getsize(self.path("model/config.json")), 2 << 20)
        with_names = self.text_of("it.json")
        self.imported(self.model(), "--ids", "4,5")
        self.assertEqual(self.text_of("it.json"), with_names)
        said = self.refused(self.model(config={**CONFIG, "others": names["label2id"]}), "--ids", "4,5")
        self.assertIn("config.json says more than 1 MiB of how the model is built\n", said)

    def test_what_is_no_model_is_refused(self):
        os.makedirs(self.path("empty"))
        for path in ("nowhere", "empty"):
            self.assertIn("holds no model", self.refused(path, "--ids", "1"))
        with open(self.path("text.safetensors"), "w", encoding="utf-8") as file:
            file.write("no tensors")
        self.assertIn("text.safetensors", self.refused("text.safetensors", "--from", "bert", "--ids", "1"))

    def test_what_says_how_a_model_is_stored_has_to_be_readable(self):
        os.makedirs(self.path("listed"))
        for index, said in (("[", "model.safetensors.index.json"), ('{"weight_map": {"x": 7}}', "holds no model"),
                            ("{}", "holds no model"), ('{"weight_map": ["model.safetensors"]}', "holds no model")):
            with open(self.path("listed/model.safetensors.index.json"), "w", encoding="utf-8") as file:
                file.write(index)
            self.assertIn(said, self.refused("listed", "--from", "bert", "--ids", "4"))
        with open(self.path("listed/config.json"), "w", encoding="utf-8") as file:
            file.truncate((64 << 20) + 1)
        self.assertIn("config.json is larger", self.refused("listed", "--from", "bert", "--ids", "4"))
        self.model(config=None)
        os.makedirs(self.path("model/config.json"))
        self.assertIn("config.json is a folder, not a file", self.refused("model", "--from", "bert", "--ids", "4"))

    def test_a_table_that_has_no_row_for_each_token_or_another_width_is_refused(self):
        for name, shape, said in (
                ("word_embeddings", (4,), "no matrix"), ("word_embeddings", (), "one number"),
                ("position_embeddings", (6, 4, 1), "[6][4][1], no matrix"),
                ("position_embeddings", (6, 5), "equally wide"),
                ("position_embeddings", (0, 4), "0 positions"), ("token_type_embeddings", (4,), "token_type"),
                ("token_type_embeddings", (0, 4), "token_type")):
            with self.subTest(name=name, shape=shape):
                changed = {f"embeddings.{name}.weight": np.zeros(shape)}
                self.model(small_bert(**changed), config={**CONFIG, "hidden_size": 4})
                self.assertIn(said, self.refused("model", "--ids", "4,5"))

    def test_a_tensor_of_whatever_shape_is_taken_or_refused(self):
        small = {"bert": small_bert(), "llama": small_llama(),
                 "gpt2": models.drawn(models.gpt2_shapes(width=4, inner=8, words=10, positions=6, layers=1), seed=3),
                 "t5": models.drawn(models.t5_shapes(4, 8, 10, 1, heads=2, head_width=2, buckets=8), seed=6)}
        configs = {"bert": CONFIG, "llama": LLAMA, "gpt2": {"model_type": "gpt2", "n_layer": 1, "n_head": 2},
                   "t5": {"model_type": "t5", "num_heads": 2, "num_layers": 1, "d_model": 4, "d_kv": 2}}
        for family, tensors in small.items():
            self.imported(self.model(tensors, configs[family]), "--ids", "4,5")
            for name in tensors:
                for shape in share([(), (0,), (0, 0), (4,), (1, 1, 1)], 2):
                    self.model({**tensors, name: np.zeros(shape)}, configs[family])
                    done = attn("import", "model", "--ids", "4,5", "-o", "it.json", folder=self.folder)
                    self.assertIn(done.returncode, (0, 2), (family, name, shape, done.stderr))

    def test_what_a_state_dict_does_not_say_has_to_be_said(self):
        write_safetensors(self.path("vectors.safetensors"), {"x": np.zeros((4, 12))})
        at = lambda part, attentions: models.torch_shapes(12, 20, attentions, len(attentions) + 1, part)
        both, alone = ["self_attn.", "multihead_attn."], ["self_attn."]
        stored = {"encoder": at("", alone), "decoder": at("", both),
                  "whole": {**at("encoder.layers.0.", alone), **at("decoder.layers.0.", both)}}
        for name, shapes in stored.items():
            write_safetensors(self.path(name + ".safetensors"), models.drawn(shapes, seed=1))
        goes_in, heads = ["--inputs", "vectors.safetensors:x"], ["--heads", "3"]
        memory, source = ["--memory", "vectors.safetensors:x"], ["--source", "vectors.safetensors:x"]
        for name, words, said in (("encoder", goes_in, "--heads"), ("encoder", heads, "--inputs"),
                                  ("encoder", goes_in + heads + ["--activation", "mish"], "mish"),
                                  ("decoder", goes_in + heads, "--memory"),
                                  ("decoder", goes_in + heads + source, "has none"),
                                  ("whole", goes_in + heads, "--source"),
                                  ("whole", goes_in + heads + memory + source, "one of them")):
            with self.subTest(name=name, words=words):
                kind = "torch-decoder" if name == "whole" else "torch-" + name
                self.assertIn(said, self.refused(name + ".safetensors", "--from", kind, *words))
        odd = {"in_proj_weight": np.zeros((36, 12)), "out_proj.weight": np.zeros(12)}
        write_safetensors(self.path("odd.safetensors"), odd)
        self.assertIn("no matrix", self.refused("odd.safetensors", "--from", "torch-mha", *heads, *goes_in))
        # A decoder whose encoder is somebody else's.
        write_safetensors(self.path("part.safetensors"), models.drawn(at("decoder.layers.0.", both), seed=1))
        words = ["part.safetensors", "--from", "torch-decoder", *heads, *goes_in]
        self.assertIn("has none", self.refused(*words, *source))
        self.imported(*words, *memory)

    def test_what_no_problem_could_be_run_with_is_refused_of_a_state_dict_too(self):
        write_safetensors(self.path("mha.safetensors"), models.drawn(models.torch_shapes(12, 0, [""], 0), seed=1))
        np.save(self.path("x.npy"), np.ones((2, 12)))
        np.save(self.path("wide.npy"), np.ones((2, 13)))
        np.savez(self.path("two.npz"), a=np.ones((2, 12)), b=np.ones((3, 12)))
        np.savez(self.path("none.npz"))
        for i, shape in enumerate([(), (12,), (1, 1, 2, 12), (0, 12), (2, 0)]):
            np.save(self.path(f"no{i}.npy"), np.ones(shape))
            self.assertIn("no rows of vectors", self.refused("mha.safetensors", "--from", "torch-mha", "--heads", "3",
                                                             "--inputs", f"no{i}.npy"))
        words = ["mha.safetensors", "--from", "torch-mha"]
        for more, said in ((["--inputs", "none.npy", "--heads", "3"], "there is no file none.npy"),
                           (["--inputs", "wide.npy", "--heads", "3"], "vectors of 13 numbers, and the model reads vectors of 12"),
                           (["--inputs", "two.npz", "--heads", "3"], "name one behind a colon: a, b"),
                           (["--inputs", "two.npz:c", "--heads", "3"], "two.npz has no tensor `c`"),
                           (["--inputs", "none.npz", "--heads", "3"], "none.npz has no tensors"),
                           (["--inputs", "x.npy", "--tokens", "a,b,c", "--heads", "3"], "--tokens names 3 tokens, and --inputs has vectors of 2"),
                           (["--inputs", "x.npy", "--heads", "5"], "5 heads cannot share vectors of 12 numbers equally")):
            with self.subTest(more=more):
                self.assertIn(said, self.refused(*words, *more))
        for more in (["--inputs", "two.npz:b", "--tokens", "a,b,c"], ["--inputs", "x.npy"]):
            self.imported(*words, "--heads", "3", *more)
            computed(self.folder)

    @unittest.skipIf(os.name == "nt", "names of files have no colons there")
    def test_a_file_of_vectors_may_have_a_colon_in_its_name(self):
        write_safetensors(self.path("mha.safetensors"), models.drawn(models.torch_shapes(12, 0, [""], 0), seed=1))
        np.save(self.path("a:b.npy"), np.ones((2, 12)))
        self.imported("mha.safetensors", "--from", "torch-mha", "--heads", "3", "--inputs", "a:b.npy")
        self.assertEqual(json.loads(self.text_of("it.json"))["inputs"], {"file": "a:b.npy"})
        computed(self.folder)

    def test_an_option_that_says_nothing_of_a_model_is_refused_by_name(self):
        np.save(self.path("x.npy"), np.ones((2, 12)))
        self.model(small_bert())
        self.model(small_llama(), config=LLAMA, vocabulary=None, folder="llama")
        alone = models.torch_shapes(12, 20, ["self_attn."], 2)
        write_safetensors(self.path("layer.safetensors"), models.drawn(alone, seed=1))
        write_safetensors(self.path("mha.safetensors"), models.drawn(models.torch_shapes(12, 0, [""], 0), seed=1))
        of_torch = ["--heads", "3", "--tokens", "a,b", "--from"]
        vectors = [[option, "x.npy"] for option in ("--memory", "--source")]
        modules = [["--norm-first"], ["--activation", "gelu"]]
        for words, options in ((["model", "--ids", "4,5"], vectors + modules + [["--inputs", "x.npy"], ["--no-logits"]]),
                               (["llama", "--ids", "4,5"], vectors + modules + [["--inputs", "x.npy"]]),
                               (["mha.safetensors", *of_torch, "torch-mha"], vectors + modules + [["--layers", "1"], ["--no-logits"]]),
                               (["layer.safetensors", *of_torch, "torch-encoder"], vectors + [["--no-logits"]])):
            for option in options:
                with self.subTest(words=words, option=option):
                    said = self.refused(*words, *option)
                    self.assertIn(f"{option[0]} says nothing of a model of the family", said)
                    goes_in = "--tokens, --prefix" if of_torch[0] in words else "--text, --tokens, --ids, --prefix"
                    self.assertIn(f"help: leave it out: what such a model takes is {goes_in}, --", said)
        self.assertIn("the encoder has 1 layer, and 7-9 are asked for",
                      self.refused("layer.safetensors", *of_torch, "torch-encoder", "--layers", "7-9"))
        self.imported("layer.safetensors", *of_torch, "torch-encoder", "--layers", "1")

    def test_vectors_are_drawn_where_only_names_of_tokens_are_given(self):
        shapes = models.torch_shapes(12, 20, ["self_attn.", "multihead_attn."], 3)
        write_safetensors(self.path("decoder.safetensors"), models.drawn(shapes, seed=1))
        self.imported("decoder.safetensors", "--from", "torch-decoder", "--heads", "3", "--tokens", "it,rains")
        problem = json.loads(self.text_of("it.json"))
        self.assertEqual((problem["tokens"], problem["inputs"]["shape"]), (["it", "rains"], [2, 12]))
        memory = problem["block"]["memory"]
        self.assertEqual(memory["shape"], [2, 12])
        self.assertNotEqual(memory["seed"], problem["inputs"]["seed"])
        computed(self.folder)

    def test_logits_have_the_names_of_the_vocabulary_where_there_are_enough_rows(self):
        for words, more in ((WORDS, []), (WORDS[:8], ["unused 8", "unused 9"]), (WORDS + ["more"], None)):
            self.imported(self.model(small_llama(), config=LLAMA, vocabulary=words), "--ids", "4,5")
            made = json.loads(self.text_of("it.json"))["block"].get("vocabulary")
            names = [word.removeprefix("##") for word in words]
            self.assertEqual(made, None if more is None else names + more)

    def test_names_of_files_in_an_index_lead_nowhere_else(self):
        os.makedirs(self.path("model"))
        write_safetensors(self.path("other.safetensors"), small_bert())
        for name in ("../other.safetensors", self.path("other.safetensors")):
            with open(self.path("model/model.safetensors.index.json"), "w", encoding="utf-8") as file:
                json.dump({"weight_map": {"x": name}}, file)
            with open(self.path("model/config.json"), "w", encoding="utf-8") as file:
                json.dump(CONFIG, file)
            said = self.refused("model", "--ids", "4,5")
            self.assertIn("outside the folder of the model", said)
            self.assertNotIn("--root", said)

    def test_a_text_that_makes_no_token_is_refused_as_that(self):
        self.model(vocabulary=None)
        with open(self.path("model/tokenizer.json"), "w", encoding="utf-8") as file:
            json.dump({"added_tokens": [], "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}, file)
        self.assertIn("the tokenizer makes no token of this text", self.refused("model", "--text", "zz"))

    def test_an_index_says_which_file_a_tensor_is_read_from(self):
        self.imported(self.model(small_bert(), config=CONFIG), "--ids", "4,5")
        expected = computed(self.folder)["layer1.norm2"]
        os.remove(self.path("model/model.safetensors"))
        tensors = small_bert()
        names = sorted(tensors)
        first, second = names[::2], names[1::2]
        index = {**dict.fromkeys(first, "a.safetensors"), **dict.fromkeys(second, "b.safetensors")}

        def write(index, twice=()):
            write_safetensors(self.path("model/a.safetensors"), {name: tensors[name] for name in first})
            write_safetensors(self.path("model/b.safetensors"),
                              {**{name: tensors[name] for name in second}, **{name: 2 * tensors[name] for name in twice}})
            with open(self.path("model/model.safetensors.index.json"), "w", encoding="utf-8") as file:
                json.dump({"metadata": {"total_size": 1}, "weight_map": index}, file)

        for twice in ([], first[:2]):
            write(index, twice)
            self.imported("model", "--ids", "4,5")
            np.testing.assert_array_equal(computed(self.folder)["layer1.norm2"], expected)
        write({**index, first[0]: "b.safetensors"})
        self.assertIn(f"b.safetensors holds no tensor `{first[0]}`", self.refused("model", "--ids", "4,5"))
        del index[first[0]]
        write(index, first[:1])
        self.assertIn(f"b.safetensors has a tensor `{first[0]}`, and so has a.safetensors",
                      self.refused("model", "--ids", "4,5"))

    def test_a_file_that_an_index_names_and_is_not_there_is_named_shortly(self):
        os.makedirs(self.path("model"))
        for name in ("gone.safetensors", "x" * 100_000 + ".safetensors"):
            with open(self.path("model/model.safetensors.index.json"), "w", encoding="utf-8") as file:
                json.dump({"weight_map": {"x": name}}, file)
            said = self.refused("model", "--from", "bert", "--ids", "4,5")
            self.assertIn(name[:20], said)
            self.assertIn("fetch the files of the model" if "gone" in name else "no file can be called so", said)
            self.assertLess(len(said), 1000)


class Written(InFolder):
    """Each family beside its formulas, written down in models.py."""

    def written(self, tensors, config, ids=IDS, words=()):
        os.makedirs(self.path("model"), exist_ok=True)
        write_safetensors(self.path("model/model.safetensors"), tensors)
        with open(self.path("model/config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        self.imported("model", "--ids", ",".join(map(str, ids)), *words)

    def assert_made(self, expected, step=None):
        """The step, or the last one."""
        steps = computed(self.folder)
        np.testing.assert_allclose(steps[step or list(steps)[-1]], expected, rtol=1e-11, atol=1e-11)

    def test_bert(self):
        for config, act in (({}, ACTIVATIONS["gelu"]), ({"hidden_act": "relu"}, ACTIVATIONS["relu"]), ({"hidden_act": "silu"}, ACTIVATIONS["silu"]),
                            ({"hidden_act": "gelu_new"}, ACTIVATIONS["gelu_tanh"])):
            with self.subTest(**config):
                self.written(small_bert(), {**CONFIG, **config}, ids=[4, 5, 9, 4])
                self.assert_made(models.bert(small_bert(), [4, 5, 9, 4], 2, act))

    def test_gpt2(self):
        tensors = models.drawn(models.gpt2_shapes(width=12, inner=20, words=40, positions=16, layers=3), seed=3)
        config = {"model_type": "gpt2", "n_embd": 12, "n_layer": 3, "n_head": 3}
        plain = 1 / math.sqrt(4)
        for more, wanted in (({}, {}), ({"activation_function": "relu"}, {"act": ACTIVATIONS["relu"]}),
                             ({"scale_attn_weights": False}, {"scales": [1, 1, 1]}),
                             ({"scale_attn_by_inverse_layer_idx": True}, {"scales": [plain, plain / 2, plain / 3]}),
                             ({"scale_attn_weights": False, "scale_attn_by_inverse_layer_idx": True},
                              {"scales": [1, 1 / 2, 1 / 3]})):
            with self.subTest(**more):
                self.written(tensors, {**config, **more})
                self.assert_made(models.gpt2(tensors, IDS, 3, **wanted), "logits")
        # With an unembedding of its own, all behind a name.
        own = {**{"transformer." + name: tensor for name, tensor in tensors.items()},
               **models.drawn({"lm_head.weight": (40, 12)}, seed=4)}
        self.written(own, {**config, "tie_word_embeddings": False})
        self.assert_made(models.gpt2({**tensors, "lm_head.weight": own["lm_head.weight"]}, IDS, 3), "logits")
        # Up to a layer, and without logits.
        self.written(tensors, config, words=["--layers", "1-2", "--no-logits"])
        of_two = {name: tensor for name, tensor in tensors.items() if not name.startswith("h.2.")}
        self.assert_made(models.gpt2({**of_two, "lm_head.weight": np.eye(12)}, IDS, 3))

    def test_llama(self):
        config = {**LLAMA, "num_attention_heads": 4, "num_hidden_layers": 3}
        for kv_heads in (4, 2, 1):
            tensors = models.drawn(models.llama_shapes(16, 20, 40, 3, kv_width=4 * kv_heads), seed=5)
            for more, wanted in (({}, {}), ({"rope_theta": 500.0, "rms_norm_eps": 1e-3}, {"base": 500.0, "eps": 1e-3})):
                with self.subTest(kv_heads=kv_heads, **more):
                    self.written(tensors, {**config, "num_key_value_heads": kv_heads, **more})
                    self.assert_made(models.llama(tensors, IDS, 4, kv_heads, **wanted), "logits")
        tied = models.drawn(models.llama_shapes(16, 20, 40, 3, kv_width=8), seed=6)
        del tied["lm_head.weight"]
        self.written(tied, {**config, "num_key_value_heads": 2, "tie_word_embeddings": True})
        self.assert_made(models.llama(tied, IDS, 4, 2), "logits")

    def test_heads_that_do_not_divide_what_there_is_and_a_negative_eps_are_refused(self):
        of_t5 = models.drawn(models.t5_shapes(12, 20, 40, 1, heads=3, head_width=5, buckets=32), seed=6)
        of_llama = models.drawn(models.llama_shapes(16, 20, 40, 1, kv_width=8), seed=5)
        families = (
            ({"model_type": "t5", "num_heads": 3, "num_layers": 1, "d_kv": 5}, of_t5, ["num_heads"], "layer_norm_epsilon"),
            ({**LLAMA, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 1, "head_dim": 4}, of_llama,
             ["num_attention_heads", "num_key_value_heads"], "rms_norm_eps"),
            ({"model_type": "gpt2", "n_layer": 1, "n_head": 3}, models.drawn(models.gpt2_shapes(12, 20, 40, 16, 1), seed=3),
             ["n_head"], "layer_norm_epsilon"),
            (CONFIG, small_bert(), ["num_attention_heads"], "layer_norm_eps"))
        for config, tensors, keys, eps in families:
            os.makedirs(self.path("model"), exist_ok=True)
            write_safetensors(self.path("model/model.safetensors"), tensors)
            for key, value, said in [(key, value, f"`{key}` is {value}, which does not divide ") for key in keys for value in (0, 7, 10**18)] + [
                    (eps, -1, f"of `{eps}` a negative number")]:
                with self.subTest(key=key, value=value):
                    with open(self.path("model/config.json"), "w", encoding="utf-8") as file:
                        json.dump({**config, key: value}, file)
                    self.assertIn(said, self.refused("model", "--ids", "1,2"))

    def test_heads_of_keys_divide_those_of_queries(self):
        os.makedirs(self.path("model"))
        write_safetensors(self.path("model/model.safetensors"), models.drawn(models.llama_shapes(16, 20, 40, 1, kv_width=12), seed=5))
        with open(self.path("model/config.json"), "w", encoding="utf-8") as file:
            json.dump({**LLAMA, "num_attention_heads": 4, "num_key_value_heads": 3, "num_hidden_layers": 1}, file)
        self.assertIn("there are 4 heads, and `num_key_value_heads` is 3", self.refused("model", "--ids", "1,2"))

    def test_the_encoder_of_t5(self):
        config = {"model_type": "t5", "num_heads": 3, "num_layers": 2, "d_model": 12, "d_kv": 5}
        ids = IDS + [1, 8, 22, 0, 31, 14]  # so many that some share a bucket
        for more, gate, buckets, most in (({}, None, 32, 128), ({"feed_forward_proj": "gated-gelu"}, ACTIVATIONS["gelu_tanh"], 32, 128),
                                          ({"feed_forward_proj": "gated-silu"}, ACTIVATIONS["silu"], 32, 128),
                                          ({"relative_attention_num_buckets": 6, "relative_attention_max_distance": 5}, None, 6, 5)):
            with self.subTest(**more):
                shapes = models.t5_shapes(12, 20, 40, 2, heads=3, head_width=5, buckets=buckets, gated=bool(gate))
                tensors = models.drawn(shapes, seed=6)
                self.written(tensors, {**config, **more}, ids)
                self.assert_made(models.t5_encoder(tensors, ids, 3, gate=gate, most=most))
        # The embeddings stand beside the encoder, or in front of everything, whatever the encoder is called.
        for encoder, outside in (("enc.", ""), ("my.enc.", "my."), ("my.encoder.", ""), ("e", "")):
            with self.subTest(encoder=encoder, outside=outside):
                named = {encoder + name.removeprefix("encoder.") if name.startswith("encoder.") else outside + name: tensor
                         for name, tensor in tensors.items()}
                self.written(named, {**config, "relative_attention_max_distance": 5}, ids, ["--prefix", encoder])
                self.assert_made(models.t5_encoder(tensors, ids, 3, most=5))
        # An encoder alone has its own name for the embeddings.
        tensors = models.drawn(models.t5_shapes(12, 20, 40, 2, heads=3, head_width=5, buckets=32), seed=7)
        alone = {"encoder.embed_tokens.weight" if name == "shared.weight" else name: tensor for name, tensor in tensors.items()}
        self.written(alone, config, ids)
        self.assert_made(models.t5_encoder(tensors, ids, 3))

    def test_norms_of_bert_may_have_their_older_names(self):
        older = {name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
                 for name, tensor in small_bert().items()}
        self.assertIn("embeddings.LayerNorm.gamma", older)
        self.written({"bert." + name: tensor for name, tensor in older.items()}, CONFIG, ids=[4, 5, 9, 4])
        self.assert_made(models.bert(small_bert(), [4, 5, 9, 4], 2))
        del older["embeddings.LayerNorm.beta"]
        write_safetensors(self.path("model/model.safetensors"), older)
        self.assertIn("embeddings.LayerNorm.beta", self.refused("model", "--ids", "4,5"))

    def test_bert_without_kinds_of_tokens(self):
        kinds = "embeddings.token_type_embeddings.weight"
        self.written(small_bert(**{kinds: None}), {**CONFIG, "type_vocab_size": 0}, ids=[4, 5, 9, 4])
        self.assert_made(models.bert(small_bert(**{kinds: np.zeros((1, 4))}), [4, 5, 9, 4], 2))

    def test_later_layers_alone_read_the_embeddings(self):
        tensors = models.drawn(models.llama_shapes(16, 20, 40, 2, kv_width=8), seed=11)
        write_safetensors(self.path("llama.safetensors"), tensors)
        with open(self.path("config.json"), "w", encoding="utf-8") as file:
            json.dump({**LLAMA, "num_attention_heads": 4, "num_key_value_heads": 2}, file)
        done = self.imported("llama.safetensors", "--ids", "3,17,5", "--layers", "2")
        self.assertIn("its inputs are what goes into the model", done.stderr)
        first, second = "model.layers.0.", "model.layers.1."
        alone = {name.replace(second, first): tensor for name, tensor in tensors.items() if not name.startswith(first)}
        self.assert_made(models.llama(alone, [3, 17, 5], 4, 2), "logits")
        self.assertIn("2-1", self.refused("llama.safetensors", "--ids", "3", "--layers", "2-1"))

    def test_gpt2_makes_logits_where_its_architecture_does(self):
        tensors = models.drawn(models.gpt2_shapes(width=12, inner=20, words=40, positions=16, layers=1), seed=3)
        config = {"model_type": "gpt2", "n_embd": 12, "n_layer": 1, "n_head": 3}
        for said, makes in ((["GPT2LMHeadModel"], True), (["GPT2Model"], False), ([], True), ([7], True),
                            ("GPT2Model", True)):
            with self.subTest(said=said):
                self.written(tensors, {**config, "architectures": said})
                self.assertEqual("logits" in computed(self.folder), makes)

    def test_llama_makes_logits_where_its_architecture_does(self):
        for said, makes in (("LlamaForCausalLM", True), ("LlamaModel", False)):
            tensors = {name: one for name, one in small_llama().items() if makes or name != "lm_head.weight"}
            self.written(tensors, {**LLAMA, "architectures": [said]}, ids=[4, 5])
            self.assertEqual("logits" in computed(self.folder), makes)

    def test_a_model_without_logits_need_not_say_that_it_has_none(self):
        alone = {name: one for name, one in small_llama().items() if name != "lm_head.weight"}
        for words in ([], ["--no-logits"]):
            self.written(alone, LLAMA, ids=[4, 5], words=words)
            self.assertNotIn("logits", computed(self.folder))
        self.assertEqual(self.imported("model", "--ids", "4,5", "--no-logits").stderr, "")
        self.written(small_llama(), LLAMA, ids=[4, 5])
        self.assertIn("logits", computed(self.folder))
        with open(self.path("model/config.json"), "w", encoding="utf-8") as file:
            json.dump({**LLAMA, "architectures": ["LlamaForCausalLM"]}, file)
        write_safetensors(self.path("model/model.safetensors"), alone)
        said = self.refused("model", "--ids", "4,5")
        self.assertIn("no tensor of the model is called `lm_head.weight`", said)
        self.assertIn("--no-logits", said)
        self.assertIn("left out: the logits", self.imported("model", "--ids", "4,5", "--no-logits").stderr)

    def vectors(self, name, count):
        numbers = np.random.default_rng(count).normal(size=(count, 12))
        np.save(self.path(name), numbers)
        return numbers

    def from_torch(self, family, tensors, *words):
        write_safetensors(self.path("module.safetensors"), tensors)
        self.imported("module.safetensors", "--from", family, "--heads", "3", "--inputs", "x.npy", *words)

    def test_multihead_attention_of_torch(self):
        x = self.vectors("x.npy", 5)
        tensors = models.drawn(models.torch_shapes(12, 0, [""], 0), seed=7)
        self.from_torch("torch-mha", tensors)
        self.assert_made(models.torch_attention(tensors, "", x, x, 3))
        without = {name: tensor for name, tensor in tensors.items() if "bias" not in name}
        self.from_torch("torch-mha", without)
        self.assert_made(models.torch_attention(
            {**without, "in_proj_bias": np.zeros(36)}, "", x, x, 3))

    def test_layers_and_stacks_of_torch(self):
        x, memory = self.vectors("x.npy", 4), self.vectors("memory.npy", 6)
        for kind, attentions, more in (("encoder", ["self_attn."], {}),
                                       ("decoder", ["self_attn.", "multihead_attn."], {"memory": memory})):
            words = ["--memory", "memory.npy"] if more else []
            layer = lambda at: models.torch_shapes(12, 20, attentions, len(attentions) + 1, at)
            for said, wanted in (([], {}), (["--norm-first"], {"norm_first": True}), (["--activation", "gelu"], {"act": ACTIVATIONS["gelu"]})):
                with self.subTest(kind=kind, said=said):
                    tensors = models.drawn(layer(""), seed=8)
                    self.from_torch("torch-" + kind, tensors, *said, *words)
                    self.assert_made(models.torch_layer(tensors, x, 3, **more, **wanted))
                    stack = models.drawn({**layer("layers.0."), **layer("layers.1."), "norm.weight": 12, "norm.bias": 12}, seed=9)
                    self.from_torch("torch-" + kind, stack, *said, *words)
                    made = x
                    for at in ("layers.0.", "layers.1."):
                        made = models.torch_layer(stack, made, 3, at=at, **more, **wanted)
                    self.assert_made(models.layer_norm(stack, "norm", made, 1e-5))

    def test_matrices_of_torch_that_are_stored_one_by_one(self):
        x = self.vectors("x.npy", 5)
        tensors = models.drawn(models.torch_shapes(12, 0, [""], 0), seed=7)
        parts = dict(zip(("q_proj_weight", "k_proj_weight", "v_proj_weight"), np.split(tensors["in_proj_weight"], 3)))
        others = {name: one for name, one in tensors.items() if name != "in_proj_weight"}
        self.from_torch("torch-mha", {**parts, **others})
        self.assert_made(models.torch_attention(tensors, "", x, x, 3))

    def test_a_layer_of_torch_without_biases(self):
        x = self.vectors("x.npy", 5)
        tensors = models.drawn(models.torch_shapes(12, 20, ["self_attn."], 2), seed=8)
        self.from_torch("torch-encoder", {name: one for name, one in tensors.items() if "bias" not in name})
        self.assert_made(models.torch_layer({name: one * ("bias" not in name) for name, one in tensors.items()}, x, 3))

    def test_a_whole_transformer_of_torch_reads_what_its_encoder_makes(self):
        x, source = self.vectors("x.npy", 4), self.vectors("source.npy", 6)
        norms = {f"{part}.norm.{what}": 12 for part in ("encoder", "decoder") for what in ("weight", "bias")}
        encoder = models.torch_shapes(12, 20, ["self_attn."], 2, "encoder.layers.0.")
        decoder = models.torch_shapes(12, 20, ["self_attn.", "multihead_attn."], 3, "decoder.layers.0.")
        tensors = models.drawn({**encoder, **decoder, **norms}, seed=9)
        normed_of = lambda part, made: models.layer_norm(tensors, part + ".norm", made, 1e-5)
        memory = normed_of("encoder", models.torch_layer(tensors, source, 3, at="encoder.layers.0."))
        np.save(self.path("memory.npy"), memory)
        expected = normed_of("decoder", models.torch_layer(tensors, x, 3, memory=memory, at="decoder.layers.0."))
        named = {"net." + name: one for name, one in tensors.items()}
        for stored, words in ((tensors, []), (named, ["--prefix", "net.decoder."])):
            self.from_torch("torch-decoder", stored, "--source", "source.npy", *words)
            self.assert_made(expected)
            self.from_torch("torch-decoder", stored, "--memory", "memory.npy", *words)
            self.assert_made(expected)
        done = self.imported("module.safetensors", "--from", "torch-decoder", "--heads", "3", "--inputs", "x.npy",
                             "--memory", "memory.npy", "--prefix", "net.decoder.")
        self.assertIn("left out: the encoder", done.stderr)
        self.assertIn("these are layers of a decoder",
                      self.refused("module.safetensors", "--from", "torch-encoder", "--heads", "3", "--inputs", "x.npy",
                                   "--prefix", "net.decoder."))
        self.from_torch("torch-encoder", tensors)
        self.assert_made(normed_of("encoder", models.torch_layer(tensors, x, 3, at="encoder.layers.0.")))

    def test_layers_of_a_whole_transformer_are_the_decoders_and_its_encoder_is_taken_whole(self):
        x, source = self.vectors("x.npy", 4), self.vectors("source.npy", 6)
        shapes = {}
        for i in range(3):
            shapes.update(models.torch_shapes(12, 20, ["self_attn."], 2, f"encoder.layers.{i}."))
        for i in range(2):
            shapes.update(models.torch_shapes(12, 20, ["self_attn.", "multihead_attn."], 3, f"decoder.layers.{i}."))
        tensors = models.drawn(shapes, seed=9)
        memory = source
        for i in range(3):
            memory = models.torch_layer(tensors, memory, 3, at=f"encoder.layers.{i}.")
        words = ["module.safetensors", "--from", "torch-decoder", "--heads", "3", "--inputs", "x.npy", "--source", "source.npy"]
        write_safetensors(self.path("module.safetensors"), tensors)
        done = self.imported(*words, "--layers", "1")
        self.assert_made(models.torch_layer(tensors, x, 3, memory=memory, at="decoder.layers.0."))
        self.assertEqual(done.stderr, "attn: note: left out: the decoder's layers behind layer 1\n")
        self.assertIn("the decoder has 2 layers", self.refused(*words, "--layers", "3"))


class Heads(InFolder):
    def ranked(self, *words, file=os.path.join(ROOT, "data", "induction.json")):
        done = attn("heads", file, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_shares_are_those_of_the_weights(self):
        path = os.path.join(ROOT, "data", "induction.json")
        trace = json.loads(attn("run", path, "--format", "json").stdout)
        report = json.loads(self.ranked("--format", "json", "--pair", "7,4"))
        for head in report["heads"]:
            data, = [step["data"] for step in trace["steps"] if step["id"] == head["step"]]
            weights = np.array(data, dtype=float).reshape((-1,) + np.shape(data)[-2:])[head["head"] - 1]
            for name, numbers in (("itself", np.diag(weights)), ("previous", np.diag(weights, -1)),
                                  ("next", np.diag(weights, 1)), ("first", weights[1:, 0]), ("pair", weights[6, 3])):
                self.assertAlmostEqual(head[name], np.mean(numbers), 12, name)

    def test_the_trained_model_has_a_head_that_looks_one_back(self):
        rows = list(csv.DictReader(io.StringIO(self.ranked("--format", "csv"))))
        self.assertEqual(max(rows, key=lambda row: float(row["previous"]))["layer"], "1")
        said = self.ranked("--by", "previous", "--top", "1")
        self.assertIn("one back", said)
        self.assertNotIn("to itself", said)

    def test_a_pair_has_a_column_where_somebody_names_one(self):
        report = json.loads(self.ranked("--format", "json", "--pair", "7,4"))
        rows = list(csv.DictReader(io.StringIO(self.ranked("--format", "csv", "--pair", "7,4"))))
        self.assertEqual([float(row["pair"]) for row in rows], [head["pair"] for head in report["heads"]])
        self.assertNotIn("pair", self.ranked("--format", "csv").split("\n")[0])
        said = self.ranked("--by", "pair", "--pair", "7,4", "--top", "1")
        best = max(report["heads"], key=lambda head: head["pair"])
        self.assertRegex(said, rf"{best['layer']}\D+{best['head']}\D")
        self.assertNotIn("one back", said)

    def test_a_problem_of_one_attention_has_one_head(self):
        report = json.loads(self.ranked("--format", "json", file=os.path.join(ROOT, "data", "worked-example.json")))
        self.assertEqual(len(report["heads"]), 1)
        self.assertIsNone(report["pair"])

    def test_every_format_tells_it(self):
        for ending in ("txt", "md", "tex", "html", "json", "csv"):
            done = attn("heads", os.path.join(ROOT, "data", "induction.json"), "-o", self.path("it." + ending))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(os.path.getsize(self.path("it." + ending)), 100)

    def test_what_is_no_pair_or_no_head_is_refused(self):
        path = os.path.join(ROOT, "data", "induction.json")
        for words in (["--pair", "A"], ["--pair", "A,Z"], ["--pair", "A,99"], ["--by", "pair"], ["--by", "up"],
                      ["--top", "0"], ["--batch", "2"]):
            self.assertEqual(attn("heads", path, *words).returncode, 2, words)
        cross = os.path.join(ROOT, "data", "cross-attention.json")
        self.assertEqual(attn("heads", cross).returncode, 2)


if __name__ == "__main__":
    unittest.main()
