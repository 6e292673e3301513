"""The 12 encoder layers as an ONNX graph: summed embeddings in, mean of the last hidden states out.

Needs the `onnx` package: imported by the program that makes the model and by tests, never by what serves.

The fused operators are written down as such, and the graph is run without optimisation: onnxruntime's own fusion
would put Add + LayerNormalization into SkipLayerNormalization, whose CPU kernel costs ten times the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from superagent_retrieval.adapters.local_embedder.model_files import GRAPH_INPUT, GRAPH_OUTPUT
from superagent_retrieval.adapters.local_embedder.weights import E5Weights

_CONTRIB = "com.microsoft"
# 7 of 8 bits: sums of u8 × s8 pairs then never overflow 16 bits on x86 processors without VNNI. Costs 0.0004 of cosine.
_INT8_LIMIT = 63
# LayerNorm output of a channel is about beta ± 3 gamma.
_NORM_SPREAD = 3.0
# Below this a row of GELU outputs is as good as zero; keeps the division finite.
_SMALLEST_ROW_PEAK = 1e-3


class _Graph:
    """Collects nodes and initialisers under readable names."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def constant(self, name: str, values: npt.NDArray[Any] | np.generic) -> str:
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output


class Float32Layers:
    """The matrix products of a layer in their reference form: weights dequantised to float32."""

    def __init__(self, weights: E5Weights) -> None:
        self._weights = weights

    def _product(self, graph: _Graph, name: str, values: str) -> str:
        weight = graph.constant(f"{name}.w", self._weights.matrix(f"{name}.w").T)
        bias = graph.constant(f"{name}.b", self._weights.vector(f"{name}.b"))
        return graph.node("Add", [graph.node("MatMul", [values, weight], f"{name}.product"), bias], name)

    def attention_inputs(self, graph: _Graph, layer: str, hidden: str) -> list[str]:
        return [self._product(graph, f"{layer}.{part}", hidden) for part in "qkv"]

    def attention_output(self, graph: _Graph, layer: str, context: str) -> str:
        return self._product(graph, f"{layer}.ao", context)

    def feed_forward(self, graph: _Graph, layer: str, hidden: str) -> str:
        inner = self._product(graph, f"{layer}.fi", hidden)
        return self._product(graph, f"{layer}.fo", _gelu(graph, layer, inner))


class Int8Layers:
    """The matrix products of a layer, dynamically quantised: weights int8 per output channel, activations uint8 per tensor.

    Two scalings keep outliers from eating the 8 bits of a whole tensor; both are exact in real numbers. Channels of the
    feed-forward input are divided by the size that LayerNorm's gamma and beta give them, and its weights multiplied
    (SmoothQuant, arXiv:2211.10438, without calibration data); rows of the GELU output are divided by their peak.
    """

    def __init__(self, weights: E5Weights) -> None:
        self._weights = weights

    def _quantised(self, graph: _Graph, name: str, channel_scale: npt.NDArray[Any] | None = None) -> list[str]:
        weight = self._weights.matrix(f"{name}.w")
        if channel_scale is not None:
            weight = weight * channel_scale
        scale = np.abs(weight).max(axis=1) / _INT8_LIMIT
        return [
            graph.constant(f"{name}.w", np.rint(weight / scale[:, None]).astype(np.int8).T),
            graph.constant(f"{name}.scale", scale.astype(np.float32)),
            graph.constant(f"{name}.zero", np.zeros(len(scale), np.int8)),
        ]

    def _bias(self, graph: _Graph, name: str) -> str:
        return graph.constant(f"{name}.b", self._weights.vector(f"{name}.b"))

    def attention_inputs(self, graph: _Graph, layer: str, hidden: str) -> list[str]:
        shared = [f"{layer}.hidden.int8", f"{layer}.hidden.scale", f"{layer}.hidden.zero"]
        graph.nodes.append(helper.make_node("DynamicQuantizeLinear", [hidden], shared))
        values, values_scale, values_zero = shared
        outputs = []
        for part in "qkv":
            name = f"{layer}.{part}"
            weight, scale, zero = self._quantised(graph, name)
            inputs = [values, weight, values_scale, scale, values_zero, zero, self._bias(graph, name)]
            outputs.append(graph.node("MatMulIntegerToFloat", inputs, name, _CONTRIB))
        return outputs

    def attention_output(self, graph: _Graph, layer: str, context: str) -> str:
        name = f"{layer}.ao"
        inputs = [context, *self._quantised(graph, name), self._bias(graph, name)]
        return graph.node("DynamicQuantizeMatMul", inputs, name, _CONTRIB)

    def feed_forward(self, graph: _Graph, layer: str, hidden: str) -> str:
        norm = f"{layer}.aln"
        channel = _NORM_SPREAD * np.abs(self._weights.vector(f"{norm}.w"))
        channel += np.abs(self._weights.vector(f"{norm}.b"))
        inverse = graph.constant(f"{layer}.fi.smooth", (1 / channel).astype(np.float32))
        name = f"{layer}.fi"
        smooth = graph.node("Mul", [hidden, inverse], f"{name}.smoothed")
        inputs = [smooth, *self._quantised(graph, name, channel), self._bias(graph, name)]
        inner = _gelu(graph, layer, graph.node("DynamicQuantizeMatMul", inputs, name, _CONTRIB))

        name = f"{layer}.fo"
        # GELU is never below -0.17, so the highest value of a row is its peak.
        highest = graph.node("ReduceMax", [inner, "last_axis"], f"{name}.highest", keepdims=1)
        peak = graph.node("Max", [highest, "smallest_row_peak"], f"{name}.peak")
        level = graph.node("Div", [inner, peak], f"{name}.level")
        product = graph.node(
            "DynamicQuantizeMatMul", [level, *self._quantised(graph, name)], f"{name}.product", _CONTRIB
        )
        raised = graph.node("Mul", [product, peak], f"{name}.raised")
        return graph.node("Add", [raised, self._bias(graph, name)], name)


def _gelu(graph: _Graph, layer: str, values: str) -> str:
    return graph.node("Gelu", [values], f"{layer}.gelu", _CONTRIB)


def encoder_graph(weights: E5Weights, layers: Float32Layers | Int8Layers) -> onnx.ModelProto:
    """The encoder for one text: input float32 [1, tokens, hidden] (word + position + type embeddings, before their
    LayerNorm), output float32 [1, hidden], the mean over tokens, not normalised."""
    graph = _Graph()
    graph.constant("token_axis", np.array([1], np.int64))
    graph.constant("last_axis", np.array([2], np.int64))
    graph.constant("smallest_row_peak", np.float32(_SMALLEST_ROW_PEAK))

    def normalised(values: str, name: str) -> str:
        scale = graph.constant(f"{name}.w", weights.vector(f"{name}.w"))
        shift = graph.constant(f"{name}.b", weights.vector(f"{name}.b"))
        inputs = [values, scale, shift]
        return graph.node("LayerNormalization", inputs, name, axis=-1, epsilon=weights.epsilon)

    hidden = normalised(GRAPH_INPUT, "emb.ln")
    for number in range(weights.layers):
        layer = f"l{number}"
        queries_keys_values = layers.attention_inputs(graph, layer, hidden)
        context = graph.node(
            "MultiHeadAttention", queries_keys_values, f"{layer}.context", _CONTRIB, num_heads=weights.heads
        )
        attended = layers.attention_output(graph, layer, context)
        hidden = normalised(graph.node("Add", [attended, hidden], f"{layer}.attended"), f"{layer}.aln")
        transformed = layers.feed_forward(graph, layer, hidden)
        hidden = normalised(graph.node("Add", [transformed, hidden], f"{layer}.transformed"), f"{layer}.oln")
    graph.node("ReduceMean", [hidden, "token_axis"], GRAPH_OUTPUT, keepdims=0)

    floats = onnx.TensorProto.FLOAT
    used = {name for node in graph.nodes for name in node.input}
    body = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info(GRAPH_INPUT, floats, [1, "tokens", weights.hidden])],
        [helper.make_tensor_value_info(GRAPH_OUTPUT, floats, [1, weights.hidden])],
        [tensor for tensor in graph.initializers if tensor.name in used],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=10)
