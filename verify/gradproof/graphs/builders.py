"""The calls that add a node: the source's by their names, and what stands between. Untrusted."""

from __future__ import annotations

from typing import Any

from gradproof.graphs import layers
from gradproof.graphs.layers import Layer, Size, Sizes
from gradproof.graphs.nodes import GraphError, Var
from gradproof.graphs.ops import op_named


class Builders:
    """What a graph is built by; all of it comes to `apply`."""

    def apply(self, op: Any, /, *, sizes: Any = None, name: str = "", **operands: Var) -> Var:
        raise NotImplementedError

    def layer(self, layer: Layer, *variables: Var, name: str = "") -> Var:
        """A layer's op, at variables in the order in which it takes them."""
        if len(variables) != len(layer.takes):
            kind, wanted = type(layer).__name__, ", ".join(layer.takes)
            raise GraphError(f"{kind} takes {wanted}, and got {len(variables)} variables")
        operands = dict(zip(layer.takes, variables, strict=True))
        return self.apply(op_named(layer.op), sizes=layer.sizes(), name=name, **operands)

    # Pooling.

    def max_pool(
        self, x: Var, kernel: Sizes, stride: Sizes = None, padding: Sizes = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.MaxPool(kernel, stride, padding), x, name=name)

    def avg_pool(
        self, x: Var, kernel: Sizes, stride: Sizes = None, padding: Sizes = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.AvgPool(kernel, stride, padding), x, name=name)

    def smooth_max_pool(
        self,
        x: Var,
        kernel: Sizes,
        stride: Sizes = None,
        padding: Sizes = 0,
        beta: Size = 1,
        name: str = "",
    ) -> Var:
        return self.layer(layers.SmoothMaxPool(kernel, stride, padding, beta), x, name=name)

    def max_pool2d(self, x: Var, kernel: Sizes, stride: Size = None, name: str = "") -> Var:
        return self.layer(layers.MaxPool2d(kernel, stride), x, name=name)

    def avg_pool2d(self, x: Var, kernel: Sizes, stride: Size = None, name: str = "") -> Var:
        return self.layer(layers.AvgPool2d(kernel, stride), x, name=name)

    def smooth_max_pool2d(
        self, x: Var, kernel: Sizes, stride: Size = None, beta: Size = 1, name: str = ""
    ) -> Var:
        return self.layer(layers.SmoothMaxPool2d(kernel, stride, beta), x, name=name)

    def max_pool2d_pad(
        self, x: Var, kernel: Sizes, stride: Size = None, padding: Size = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.MaxPool2dPad(kernel, stride, padding), x, name=name)

    def avg_pool2d_pad(
        self, x: Var, kernel: Sizes, stride: Size = None, padding: Size = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.AvgPool2dPad(kernel, stride, padding), x, name=name)

    def adaptive_avg_pool2d(self, x: Var, output: Sizes, name: str = "") -> Var:
        return self.layer(layers.AdaptiveAvgPool2d(output), x, name=name)

    def adaptive_max_pool2d(self, x: Var, output: Sizes, name: str = "") -> Var:
        return self.layer(layers.AdaptiveMaxPool2d(output), x, name=name)

    def global_avg_pool2d(self, x: Var, flat: bool = False, name: str = "") -> Var:
        op = "global_avg_pool2d_flat" if flat else "global_avg_pool2d"
        return self.apply(op_named(op), name=name, x=x)

    def global_max_pool2d(self, x: Var, flat: bool = False, name: str = "") -> Var:
        op = "global_max_pool2d_flat" if flat else "global_max_pool2d"
        return self.apply(op_named(op), name=name, x=x)

    def unpad(self, x: Var, padding: Sizes, name: str = "") -> Var:
        return self.layer(layers.Unpad(padding), x, name=name)

    # Convolution: the kernel's size is that of the weight.

    def conv(
        self, x: Var, W: Var, b: Var, stride: Sizes = 1, padding: Sizes = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.Conv(None, stride, padding), x, W, b, name=name)

    def conv_transpose(
        self, x: Var, W: Var, b: Var, stride: Sizes = 1, padding: Sizes = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.ConvTranspose(None, stride, padding), x, W, b, name=name)

    def conv2d(
        self, x: Var, W: Var, b: Var, stride: Size = 1, padding: Size = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.Conv2d(None, stride, padding), x, W, b, name=name)

    def conv_transpose2d(
        self, x: Var, W: Var, b: Var, stride: Size = 1, padding: Size = 0, name: str = ""
    ) -> Var:
        return self.layer(layers.ConvTranspose2d(None, stride, padding), x, W, b, name=name)

    # Between them.

    def relu(self, x: Var, name: str = "") -> Var:
        return self.apply(op_named("relu"), name=name, x=x)

    def sigmoid(self, x: Var, name: str = "") -> Var:
        return self.apply(op_named("sigmoid"), name=name, x=x)

    def silu(self, x: Var, name: str = "") -> Var:
        return self.apply(op_named("silu"), name=name, x=x)

    def tanh(self, x: Var, name: str = "") -> Var:
        return self.apply(op_named("tanh"), name=name, x=x)

    def add(self, a: Var, b: Var, name: str = "") -> Var:
        return self.apply(op_named("add"), name=name, a=a, b=b)

    def multiply(self, a: Var, b: Var, name: str = "") -> Var:
        return self.apply(op_named("multiply"), name=name, a=a, b=b)

    def scale(self, x: Var, factor: Size, name: str = "") -> Var:
        return self.apply(op_named("scale"), sizes={"factor": factor}, name=name, x=x)

    def dropout(self, x: Var, mask: Var, keep: Size, name: str = "") -> Var:
        """`x·mask/keep`, with a mask that is given: `g.constant("mask", …)`."""
        return self.apply(op_named("dropout"), sizes={"keep": keep}, name=name, x=x, mask=mask)

    def flatten(self, x: Var, name: str = "") -> Var:
        """An image with its channels, as one row."""
        return self.apply(op_named("flatten"), name=name, x=x)

    def concat(self, a: Var, b: Var, name: str = "") -> Var:
        """Channels of both, one after another."""
        return self.apply(op_named("concat"), name=name, a=a, b=b)

    def linear(self, x: Var, W: Var, b: Var, name: str = "") -> Var:
        """`W x + b` of a vector, or of each row."""
        op = op_named("linear_rows" if len(x.shape) == 2 else "linear")
        return self.apply(op, name=name, x=x, W=W, b=b)

    def softmax(self, x: Var, name: str = "") -> Var:
        """Of each row."""
        return self.apply(op_named("softmax"), name=name, x=x)

    def layer_norm(self, x: Var, gain: Var, bias: Var, eps: Size, name: str = "") -> Var:
        """Of each row."""
        op = op_named("layer_norm")
        return self.apply(op, sizes={"eps": eps}, name=name, x=x, gain=gain, bias=bias)

    def batch_norm(self, x: Var, gain: Var, bias: Var, eps: Size, name: str = "") -> Var:
        """In training, over the batch and all axes but that of the channels."""
        op = op_named("batch_norm")
        return self.apply(op, sizes={"eps": eps}, name=name, x=x, gain=gain, bias=bias)

    def attention(
        self, query: Var, key: Var, value: Var, causal: bool = False, name: str = ""
    ) -> Var:
        """Of each head; if `causal`, of each place to those up to it."""
        op = op_named("causal_attention" if causal else "attention")
        return self.apply(op, name=name, query=query, key=key, value=value)

    def embedding(self, token: Var, table: Var, name: str = "") -> Var:
        """The row of each token: `g.integers("token", T, below=V)`."""
        return self.apply(op_named("embedding"), name=name, x=table, index=token)

    def cross_entropy(self, x: Var, label: Var, name: str = "") -> Var:
        """The mean over rows of scores, each with a label: `g.integers("label", R, below=N)`."""
        return self.apply(op_named("cross_entropy"), name=name, x=x, label=label)

    def split_heads(self, x: Var, heads: Size, name: str = "") -> Var:
        return self.apply(op_named("split_heads"), sizes={"heads": heads}, name=name, x=x)

    def merge_heads(self, x: Var, name: str = "") -> Var:
        return self.apply(op_named("merge_heads"), name=name, x=x)
