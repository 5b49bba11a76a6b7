"""Custom gradients as users of PyTorch write them, and each again with a typical mistake.

`RIGHT` and `WRONG` are (function, arguments): what is said of them is what a user would say.
"""

import math

import torch
from torch.autograd import Function

from gradproof import torch as gp


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * y


class ExpSavedInput(Exp):
    """The input is saved, and taken for the result."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.exp(x)


class Cube(Function):
    """With setup_context."""

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad_output


class CubeWithoutFactor(Cube):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return x**2 * grad_output


class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x < 0] = 0
        return grad_input


class ReluWrongSide(Relu):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x > 0] = 0
        return grad_input


class LeakyRelu(Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, ctx.slope * grad_output), None


class LeakyReluForgotSlope(LeakyRelu):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x > 0).to(grad_output.dtype), None


class Swish(Function):
    @staticmethod
    def forward(ctx, i):
        result = i * torch.sigmoid(i)
        ctx.save_for_backward(i)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        sigmoid_i = torch.sigmoid(i)
        return grad_output * (sigmoid_i * (1 + i * (1 - sigmoid_i)))


class SwishLostTerm(Swish):
    @staticmethod
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        sigmoid_i = torch.sigmoid(i)
        return grad_output * (sigmoid_i * (i * (1 - sigmoid_i)))


class Tanh(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y * y)


class TanhOfInput(Tanh):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tanh(x)


class Linear(Function):
    """As in PyTorch's tutorial, with needs_input_grad and an optional bias."""

    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class LinearMeanBias(Linear):
    @staticmethod
    def backward(ctx, grad_output):
        input, weight, _ = ctx.saved_tensors
        return grad_output.mm(weight), grad_output.t().mm(input), grad_output.mean(0)


class LinearNoBiasGradient(Linear):
    @staticmethod
    def backward(ctx, grad_output):
        input, weight, _ = ctx.saved_tensors
        return grad_output.mm(weight), grad_output.t().mm(input), None


class Softmax(Function):
    @staticmethod
    def forward(ctx, x):
        e = torch.exp(x - x.max(dim=-1, keepdim=True)[0])
        y = e / e.sum(dim=-1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(dim=-1, keepdim=True))


class SoftmaxDiagonal(Softmax):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - y)


class SoftmaxWrongAxis(Softmax):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(dim=0, keepdim=True))


class LogSoftmax(Function):
    @staticmethod
    def forward(ctx, x):
        m = x.amax(1, keepdim=True)
        y = x - m - torch.log(torch.exp(x - m).sum(1, keepdim=True))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g - torch.exp(y) * g.sum(1, keepdim=True)


class LogSoftmaxNoSum(LogSoftmax):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g - torch.exp(y) * g


class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        mu = x.mean(-1, keepdim=True)
        var = x.var(-1, unbiased=False, keepdim=True)
        rstd = 1 / torch.sqrt(var + eps)
        x_hat = (x - mu) * rstd
        ctx.save_for_backward(x_hat, rstd, weight)
        return x_hat * weight + bias

    @staticmethod
    def backward(ctx, g):
        x_hat, rstd, weight = ctx.saved_tensors
        gx = g * weight
        c1 = (gx * x_hat).mean(-1, keepdim=True)
        c2 = gx.mean(-1, keepdim=True)
        return rstd * (gx - c2 - x_hat * c1), (g * x_hat).sum(0), g.sum(0), None


class LayerNormNoMean(LayerNorm):
    @staticmethod
    def backward(ctx, g):
        x_hat, rstd, weight = ctx.saved_tensors
        gx = g * weight
        c1 = (gx * x_hat).mean(-1, keepdim=True)
        return rstd * (gx - x_hat * c1), (g * x_hat).sum(0), g.sum(0), None


class RMSNorm(Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(x, weight, rstd)
        return x * rstd * weight

    @staticmethod
    def backward(ctx, dy):
        x, weight, rstd = ctx.saved_tensors
        n = x.shape[-1]
        wdy = weight * dy
        dx = rstd * (wdy - x * rstd.pow(2) * (wdy * x).sum(-1, keepdim=True) / n)
        return dx, (dy * x * rstd).sum(0), None


class RMSNormNotDivided(RMSNorm):
    @staticmethod
    def backward(ctx, dy):
        x, weight, rstd = ctx.saved_tensors
        wdy = weight * dy
        dx = rstd * (wdy - x * rstd.pow(2) * (wdy * x).sum(-1, keepdim=True))
        return dx, (dy * x * rstd).sum(0), None


class BatchNorm(Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        n = x.size(0)
        mean = x.sum(0) / n
        centred = x - mean
        var = (centred**2).sum(0) / n
        inv = 1.0 / (var + eps).sqrt()
        ctx.save_for_backward(centred, inv, gamma)
        return gamma * centred * inv + beta

    @staticmethod
    def backward(ctx, dy):
        centred, inv, gamma = ctx.saved_tensors
        n = dy.size(0)
        x_hat = centred * inv
        dgamma = (dy * x_hat).sum(0)
        dbeta = dy.sum(0)
        dx = gamma * inv / n * (n * dy - dbeta - x_hat * dgamma)
        return dx, dgamma, dbeta, None


class BatchNormForgotN(BatchNorm):
    @staticmethod
    def backward(ctx, dy):
        centred, inv, gamma = ctx.saved_tensors
        x_hat = centred * inv
        dgamma, dbeta = (dy * x_hat).sum(0), dy.sum(0)
        return gamma * inv * (dy - dbeta - x_hat * dgamma), dgamma, dbeta, None


class GroupMean(Function):
    """The mean over each group of channels is taken away."""

    @staticmethod
    def forward(ctx, x, groups):
        n, c, length = x.shape
        ctx.groups = groups
        v = x.view(n, groups, c // groups, length)
        return (v - v.mean(dim=(2, 3), keepdim=True)).view(n, c, length)

    @staticmethod
    def backward(ctx, g):
        n, c, length = g.shape
        v = g.reshape(n, ctx.groups, c // ctx.groups, length)
        return (v - v.mean(dim=(2, 3), keepdim=True)).reshape(n, c, length), None


class GroupMeanPerChannel(GroupMean):
    @staticmethod
    def backward(ctx, g):
        return g - g.mean(dim=2, keepdim=True), None


class MSE(Function):
    @staticmethod
    def forward(ctx, y_pred, y):
        ctx.save_for_backward(y_pred, y)
        return ((y_pred - y) ** 2).mean()

    @staticmethod
    def backward(ctx, grad_output):
        y_pred, y = ctx.saved_tensors
        grad_input = 2 * (y_pred - y) / y_pred.numel()
        return grad_output * grad_input, -grad_output * grad_input


class MSEPerRow(MSE):
    """Divided by the rows, as one does by habit."""

    @staticmethod
    def backward(ctx, grad_output):
        y_pred, y = ctx.saved_tensors
        grad_input = 2 * (y_pred - y) / y_pred.shape[0]
        return grad_output * grad_input, -grad_output * grad_input


class MSEUnscaled(MSE):
    """What comes from above is forgotten."""

    @staticmethod
    def backward(ctx, grad_output):
        y_pred, y = ctx.saved_tensors
        grad_input = 2 * (y_pred - y) / y_pred.numel()
        return grad_input, -grad_input


class Huber(Function):
    @staticmethod
    def forward(ctx, x, delta):
        ctx.save_for_backward(x)
        ctx.delta = delta
        a = x.abs()
        return torch.where(a <= delta, 0.5 * x * x, delta * (a - 0.5 * delta))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.clamp(-ctx.delta, ctx.delta), None


class HuberSign(Huber):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.where(x.abs() <= ctx.delta, g * x, g * torch.sign(x)), None


class Shift(Function):
    """Cells move to the right; the first is 0. In-place writes to slices."""

    @staticmethod
    def forward(ctx, x):
        out = torch.zeros_like(x)
        out[:, 1:] = x[:, :-1]
        return out

    @staticmethod
    def backward(ctx, g):
        out = torch.zeros_like(g)
        out[:, :-1] = g[:, 1:]
        return out


class ShiftSameWay(Shift):
    @staticmethod
    def backward(ctx, g):
        out = torch.zeros_like(g)
        out[:, 1:] = g[:, :-1]
        return out


class Cumsum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, dim=1)

    @staticmethod
    def backward(ctx, g):
        return torch.flip(torch.cumsum(torch.flip(g, [1]), dim=1), [1])


class CumsumUnflipped(Cumsum):
    @staticmethod
    def backward(ctx, g):
        return torch.cumsum(g, dim=1)


class Concat(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.split = a.shape[1]
        return torch.cat([a, b], dim=1)

    @staticmethod
    def backward(ctx, g):
        return g[:, : ctx.split], g[:, ctx.split :]


class ConcatScaled(Concat):
    @staticmethod
    def backward(ctx, g):
        return g[:, : ctx.split], 2 * g[:, ctx.split :]


class Broadcast(Function):
    """A row is added to each row."""

    @staticmethod
    def forward(ctx, x, b):
        ctx.save_for_backward(x, b)
        return x * b

    @staticmethod
    def backward(ctx, g):
        x, b = ctx.saved_tensors
        return g * b, (g * x).sum(0)


class BroadcastWrongSaved(Broadcast):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g * x, (g * x).sum(0)


class Attention(Function):
    @staticmethod
    def forward(ctx, q, k, v):
        scale = q.shape[-1] ** -0.5
        p = torch.softmax(q @ k.transpose(-2, -1) * scale, dim=-1)
        ctx.save_for_backward(q, k, v, p)
        return p @ v

    @staticmethod
    def backward(ctx, do):
        q, k, v, p = ctx.saved_tensors
        scale = q.shape[-1] ** -0.5
        dv = p.transpose(-2, -1) @ do
        dp = do @ v.transpose(-2, -1)
        ds = p * (dp - (dp * p).sum(-1, keepdim=True))
        return ds @ k * scale, ds.transpose(-2, -1) @ q * scale, dv


class AttentionUnscaled(Attention):
    @staticmethod
    def backward(ctx, do):
        q, k, v, p = ctx.saved_tensors
        dv = p.transpose(-2, -1) @ do
        dp = do @ v.transpose(-2, -1)
        ds = p * (dp - (dp * p).sum(-1, keepdim=True))
        return ds @ k, ds.transpose(-2, -1) @ q, dv


class MaxOverRows(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = x.max(dim=1)
        ctx.save_for_backward(indices)
        ctx.shape = x.shape
        return values

    @staticmethod
    def backward(ctx, g):
        (indices,) = ctx.saved_tensors
        grad = torch.zeros(ctx.shape, dtype=g.dtype)
        return grad.scatter_(1, indices.unsqueeze(1), g.unsqueeze(1))


class MaxOverRowsSpread(MaxOverRows):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(1).expand(ctx.shape)


class GeluTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + torch.tanh(inner))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        c = math.sqrt(2 / math.pi)
        t = torch.tanh(c * (x + 0.044715 * x**3))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x**2))


class GeluTanhLostThree(GeluTanh):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        c = math.sqrt(2 / math.pi)
        t = torch.tanh(c * (x + 0.044715 * x**3))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 0.044715 * x**2))


class GeluErf(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        cdf = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        return g * (cdf + x * torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))


class GeluErfDensity(GeluErf):
    """The density without its root of 2π."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        cdf = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        return g * (cdf + x * torch.exp(-0.5 * x * x))


class Embedding(Function):
    @staticmethod
    def forward(ctx, table, index):
        ctx.save_for_backward(index)
        ctx.rows = table.shape[0]
        return table[index]

    @staticmethod
    def backward(ctx, g):
        (index,) = ctx.saved_tensors
        grad = torch.zeros(ctx.rows, g.shape[1], dtype=g.dtype)
        grad.index_add_(0, index, g)
        return grad, None


class EmbeddingOverwrites(Embedding):
    """A row that is read twice gets one of its two gradients, doubled."""

    @staticmethod
    def backward(ctx, g):
        (index,) = ctx.saved_tensors
        grad = torch.zeros(ctx.rows, g.shape[1], dtype=g.dtype)
        grad.index_add_(0, index, 2 * g)
        return grad, None


class CrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        p = torch.softmax(logits, 1)
        ctx.save_for_backward(p, target)
        return -torch.log(p.gather(1, target.unsqueeze(1))).mean()

    @staticmethod
    def backward(ctx, g):
        p, target = ctx.saved_tensors
        grad = p - (target.unsqueeze(1) == torch.arange(p.shape[1])).to(p.dtype)
        return g * grad / p.shape[0], None


class CrossEntropySummed(CrossEntropy):
    @staticmethod
    def backward(ctx, g):
        p, target = ctx.saved_tensors
        return g * (p - (target.unsqueeze(1) == torch.arange(p.shape[1])).to(p.dtype)), None


class Conv2d(Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return torch.nn.functional.conv2d(x, w, b, padding=1)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = torch.nn.grad.conv2d_input(x.shape, w, g, padding=1)
        gw = torch.nn.grad.conv2d_weight(x, w.shape, g, padding=1)
        return gx, gw, g.sum((0, 2, 3))


class Conv2dBiasMean(Conv2d):
    @staticmethod
    def backward(ctx, g):
        gx, gw, gb = Conv2d.backward(ctx, g)
        return gx, gw, gb / g.shape[0]


class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x):
        y, index = torch.nn.functional.max_pool1d(x, 2, return_indices=True)
        ctx.save_for_backward(index)
        ctx.shape = x.shape
        return y

    @staticmethod
    def backward(ctx, g):
        (index,) = ctx.saved_tensors
        return torch.zeros(ctx.shape, dtype=g.dtype).scatter_add_(2, index, g)


class MaxPool1dHalf(MaxPool1d):
    @staticmethod
    def backward(ctx, g):
        (index,) = ctx.saved_tensors
        return torch.zeros(ctx.shape, dtype=g.dtype).scatter_add_(2, index, g / 2)


class Scaled(torch.nn.Module):
    """A module, with a custom backward inside."""

    def forward(self, x, w):
        return Broadcast.apply(x, torch.sigmoid(w)).sum(-1)


class ScaledWrong(torch.nn.Module):
    def forward(self, x, w):
        return BroadcastWrongSaved.apply(x, torch.sigmoid(w)).sum(-1)


def swiglu(gate, up):
    return Swish.apply(gate) * up


def swiglu_wrong(gate, up):
    return SwishLostTerm.apply(gate) * up


ROWS = {"x": ("N", "C")}
NORM = {**ROWS, "weight": "C", "bias": "C", "eps": gp.real(), "requires": ["eps > 0"]}
RMS = {**ROWS, "weight": "C", "eps": gp.real(), "requires": ["eps > 0"]}
BATCH = {**ROWS, "gamma": "C", "beta": "C", "eps": gp.real(), "requires": "eps > 0"}
LINEAR = {"input": ("N", "D"), "weight": ("C", "D"), "bias": ("C",)}
GROUPS = {"x": "N (G D) L", "groups": gp.size("G")}
PAIR = {"y_pred": ("N", "C"), "y": ("N", "C")}
SLOPE = {**ROWS, "slope": gp.real()}
DELTA = {**ROWS, "delta": gp.real(), "requires": ["delta > 0"]}
HEADS = {"q": "Q D", "k": "K D", "v": "K V"}
TWO = {"a": ("N", "A"), "b": ("N", "B")}
SCALE = {"x": ("N", "C"), "b": ("C",)}
TABLE = {"table": ("V", "D"), "index": gp.integer("N", below="V")}
LABELS = {"logits": ("N", "C"), "target": gp.integer("N", below="C")}
IMAGES = {"x": "B C H W", "w": ("F", "C", 3, 3), "b": "F"}
LINES = {"x": "B C L", "requires": "L >= 2"}
GATED = {"gate": ("N", "C"), "up": ("N", "C")}

RIGHT = [
    (Exp, ROWS),
    (Cube, ROWS),
    (Relu, ROWS),
    (LeakyRelu, SLOPE),
    (Swish, {"i": ("N", "C")}),
    (Tanh, ROWS),
    (Linear, LINEAR),
    (Softmax, ROWS),
    (LogSoftmax, ROWS),
    (LayerNorm, NORM),
    (RMSNorm, RMS),
    (BatchNorm, BATCH),
    (GroupMean, GROUPS),
    (MSE, PAIR),
    (Huber, DELTA),
    (Shift, ROWS),
    (Cumsum, ROWS),
    (Concat, TWO),
    (Broadcast, SCALE),
    (Attention, HEADS),
    (MaxOverRows, ROWS),
    (GeluTanh, ROWS),
    (GeluErf, ROWS),
    (Embedding, TABLE),
    (CrossEntropy, LABELS),
    (Conv2d, IMAGES),
    (MaxPool1d, LINES),
    (Scaled(), {"x": ("N", "C"), "w": ("C",)}),
    (swiglu, GATED),
]
WRONG = [
    (ExpSavedInput, ROWS),
    (CubeWithoutFactor, ROWS),
    (ReluWrongSide, ROWS),
    (LeakyReluForgotSlope, SLOPE),
    (SwishLostTerm, {"i": ("N", "C")}),
    (TanhOfInput, ROWS),
    (LinearMeanBias, LINEAR),
    (LinearNoBiasGradient, LINEAR),
    (SoftmaxDiagonal, ROWS),
    (SoftmaxWrongAxis, ROWS),
    (LogSoftmaxNoSum, ROWS),
    (LayerNormNoMean, NORM),
    (RMSNormNotDivided, RMS),
    (BatchNormForgotN, BATCH),
    (GroupMeanPerChannel, GROUPS),
    (MSEPerRow, PAIR),
    (MSEUnscaled, PAIR),
    (HuberSign, DELTA),
    (ShiftSameWay, ROWS),
    (CumsumUnflipped, ROWS),
    (ConcatScaled, TWO),
    (BroadcastWrongSaved, SCALE),
    (AttentionUnscaled, HEADS),
    (MaxOverRowsSpread, ROWS),
    (GeluTanhLostThree, ROWS),
    (GeluErfDensity, ROWS),
    (EmbeddingOverwrites, TABLE),
    (CrossEntropySummed, LABELS),
    (Conv2dBiasMean, IMAGES),
    (MaxPool1dHalf, LINES),
    (ScaledWrong(), {"x": ("N", "C"), "w": ("C",)}),
    (swiglu_wrong, GATED),
]
