"""Functions as users write them whose gradients are right: second derivatives, JVPs, batching.

Of each kind some are right, and some wrong in what is owed beside the gradient.
"""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

# Second derivatives: right.


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class ExpSaved(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - y)


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


class Product(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, g * x


class Scale(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, (g * x).sum(0)


class MatMul(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.t(), x.t() @ g


class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0)


class Recomputed(Function):
    """The intermediate is computed again, with a graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return g * s * (1 + x * (1 - s))


class Doubled(Function):
    """A constant on ctx that is none of a tensor."""

    @staticmethod
    def forward(ctx, x):
        ctx.factor = 2.0
        ctx.save_for_backward(x)
        return ctx.factor * x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * ctx.factor * x**2 * g


class SumOfSquares(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).sum(-1)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g.unsqueeze(-1)


class CubeGrad(Function):
    @staticmethod
    def forward(ctx, x, g):
        ctx.save_for_backward(x, g)
        return 3 * x**2 * g

    @staticmethod
    def backward(ctx, gg):
        x, g = ctx.saved_tensors
        return 6 * x * g * gg, 3 * x**2 * gg


class CubeTwice(Function):
    """Its backward is a Function of its own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return CubeGrad.apply(x, g)


class SavedInput(Function):
    """An intermediate that is returned, marked, so that it may be saved."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.cos(x)


class Linear(Function):
    @staticmethod
    def forward(ctx, x):
        return 3 * x

    @staticmethod
    def backward(ctx, g):
        return 3 * g


# Second derivatives: wrong.


class ExpHidden(Function):
    """An intermediate on ctx that is no output."""

    @staticmethod
    def forward(ctx, x):
        ctx.e = torch.exp(x)
        return ctx.e * 1.0

    @staticmethod
    def backward(ctx, g):
        return g * ctx.e


class ExpHiddenSaved(Function):
    """Saved by save_for_backward though it is neither input nor output."""

    @staticmethod
    def forward(ctx, x):
        e = torch.exp(x)
        ctx.save_for_backward(e)
        return e + 1

    @staticmethod
    def backward(ctx, g):
        (e,) = ctx.saved_tensors
        return g * e


class SquareNoGrad(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            factor = 2 * x
        return factor * g


class SquareAllNoGrad(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @torch.no_grad()
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class SquareDetached(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x.detach() * g


class SquareData(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x.data * g


class SquareDetachedGrad(Function):
    """The cotangent is detached."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g.detach()


class ProductKept(Function):
    """An input on ctx is no variable of the graph that is saved: detached by hand."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.x, ctx.w = x.detach(), w.detach()
        return x * w

    @staticmethod
    def backward(ctx, g):
        return g * ctx.w, g * ctx.x


class CubeSlipGrad(Function):
    @staticmethod
    def forward(ctx, x, g):
        ctx.save_for_backward(x, g)
        return 3 * x**2 * g

    @staticmethod
    def backward(ctx, gg):
        x, g = ctx.saved_tensors
        return 3 * x * g * gg, 3 * x**2 * gg


class CubeSlip(Function):
    """A slip in the second Function."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return CubeSlipGrad.apply(x, g)


class CubeForgetGrad(Function):
    @staticmethod
    def forward(ctx, x, g):
        ctx.save_for_backward(x)
        return 3 * x**2 * g

    @staticmethod
    def backward(ctx, gg):
        (x,) = ctx.saved_tensors
        return None, 3 * x**2 * gg


class CubeForget(Function):
    """The second Function gives nothing for x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return CubeForgetGrad.apply(x, g)


class TanhHidden(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.slope = 1 - y * y
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope


class SoftmaxHidden(Function):
    @staticmethod
    def forward(ctx, x):
        e = torch.exp(x)
        p = e / e.sum(-1, keepdim=True)
        ctx.p = p
        return p.clone()

    @staticmethod
    def backward(ctx, g):
        return ctx.p * (g - (g * ctx.p).sum(-1, keepdim=True))


class SigmoidPartly(Function):
    """One factor of two is detached."""

    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - y.detach())


class MatMulDetached(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.detach().t(), x.t() @ g


class VarianceHidden(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.centred = x - x.mean(-1, keepdim=True)
        return (ctx.centred**2).sum(-1)

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.centred * g.unsqueeze(-1)


class InPlace(Function):
    """Computed in place below no graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        out = torch.empty_like(x)
        with torch.no_grad():
            out.copy_(2 * x * g)
        return out


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


# JVPs and batching. Those that are wrong differ from a right one in that alone.


class Pushed(Function):
    generate_vmap_rule = False

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * t


class PushedBy(Pushed):
    """With a factor that was forgotten."""

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return x**2 * t


class PushedMore(Pushed):
    """Not linear: something is added."""

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * t + 1


class PushedSquared(Pushed):
    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * t * t


class PushedNothing(Pushed):
    @staticmethod
    def jvp(ctx, t):
        return torch.zeros_like(t)


class PushedDetached(Pushed):
    """Right, though its tangent is detached: what counts are values."""

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return (3 * x**2 * t).detach()


class PushedTwo(Function):
    @staticmethod
    def forward(x, w):
        return x * w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, g * x

    @staticmethod
    def jvp(ctx, dx, dw):
        x, w = ctx.saved_tensors
        return dx * w + x * dw


class PushedOneOfTwo(PushedTwo):
    @staticmethod
    def jvp(ctx, dx, dw):
        _, w = ctx.saved_tensors
        return dx * w


class PushedSwapped(PushedTwo):
    @staticmethod
    def jvp(ctx, dx, dw):
        x, w = ctx.saved_tensors
        return dx * x + w * dw


class PushedMax(Function):
    """At a tie of 0 the backward gives 0, and so does the JVP."""

    @staticmethod
    def forward(x):
        return x.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0)

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t * (x > 0)


class PushedOtherwiseAtTies(PushedMax):
    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t * (x >= 0)


class PushedSum(Function):
    @staticmethod
    def forward(x):
        return (x * x).sum(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g.unsqueeze(-1)

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 2 * (x * t).sum(-1)


class PushedMean(PushedSum):
    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 2 * (x * t).mean(-1)


class Batched(Function):
    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

    @staticmethod
    def vmap(info, in_dims, x):
        return Batched.apply(x), in_dims[0]


class BatchedDoubled(Batched):
    @staticmethod
    def vmap(info, in_dims, x):
        return 2 * Batched.apply(x), in_dims[0]


class BatchedFirst(Batched):
    """As if the batch were always the first axis."""

    @staticmethod
    def vmap(info, in_dims, x):
        return Batched.apply(x), 0


class BatchedDetached(Batched):
    """The values are right, and nothing comes back."""

    @staticmethod
    def vmap(info, in_dims, x):
        return Batched.apply(x.detach()) + 0 * x, in_dims[0]


class BatchedFlipped(Batched):
    @staticmethod
    def vmap(info, in_dims, x):
        return Batched.apply(x).flip(in_dims[0]), in_dims[0]


class Generated(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class BatchedTotal(Function):
    """The sum of a row, with its axis counted from the end."""

    @staticmethod
    def forward(x):
        return x.sum(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.shape = x.shape

    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1).expand(ctx.shape)

    @staticmethod
    def vmap(info, in_dims, x):
        return BatchedTotal.apply(x.movedim(in_dims[0], 0)), 0


class BatchedTotalUnmoved(BatchedTotal):
    @staticmethod
    def vmap(info, in_dims, x):
        return BatchedTotal.apply(x), 0


class BatchedTwo(Function):
    @staticmethod
    def forward(x, w):
        return x * w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, g * x

    @staticmethod
    def vmap(info, in_dims, x, w):
        x = x.movedim(in_dims[0], 0) if in_dims[0] is not None else x.unsqueeze(0)
        w = w.movedim(in_dims[1], 0) if in_dims[1] is not None else w.unsqueeze(0)
        return BatchedTwo.apply(*torch.broadcast_tensors(x, w)), 0


class BatchedTwoAlike(BatchedTwo):
    """As if the batch of both were the first axis of x, which it is not where x has none."""

    @staticmethod
    def vmap(info, in_dims, x, w):
        if in_dims[1] is None:
            return BatchedTwo.apply(x, x), in_dims[0]
        return BatchedTwo.vmap(info, in_dims, x, w)


class BatchedTwoSummed(BatchedTwo):
    """Of what has no batch the sum over all examples is taken twice."""

    @staticmethod
    def vmap(info, in_dims, x, w):
        if in_dims[0] is None:
            x = x * 2
        return BatchedTwo.vmap(info, in_dims, x, w)


# What only another way of asking shows.


class OfTheMode(Square):
    """Another backward where it is to be differentiated."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (3 if torch.is_grad_enabled() else 2) * x * g


class OfNeeds(Product):
    """A part is detached where the other input needs no gradient."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gg = g if ctx.needs_input_grad[1] else g.detach()
        return gg * w, g * x


class PushedByNeeds(Pushed):
    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return (3 if ctx.needs_input_grad[0] else 2) * x**2 * t


class BatchedEnds(Batched):
    """As if the batch were the first axis or the last."""

    @staticmethod
    def vmap(info, in_dims, x):
        axis = in_dims[0]
        return Batched.apply(x), axis if axis in (0, x.dim() - 1) else 0


class BatchedTwoMixed(BatchedTwo):
    """As if both batches were the same axis."""

    @staticmethod
    def vmap(info, in_dims, x, w):
        if None in in_dims:
            return BatchedTwo.vmap(info, in_dims, x, w)
        return BatchedTwo.apply(x.movedim(in_dims[0], 0), w.movedim(in_dims[0], 0)), 0


class BatchedAtZero(Batched):
    """What it cannot do it says."""

    @staticmethod
    def vmap(info, in_dims, x):
        if in_dims[0] != 0:
            raise NotImplementedError("a batch is the first axis")
        return Batched.apply(x), 0


# More second derivatives: right.


class LogSumExp(Function):
    """An output that is saved, of fewer axes than the input."""

    @staticmethod
    def forward(ctx, x):
        y = torch.logsumexp(x, -1)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g.unsqueeze(-1) * torch.exp(x - y.unsqueeze(-1))


class Quotient(Function):
    @staticmethod
    def forward(ctx, x, w):
        y = x / (1 + w * w)
        ctx.save_for_backward(w, y)
        return y

    @staticmethod
    def backward(ctx, g):
        w, y = ctx.saved_tensors
        d = 1 + w * w
        return g / d, -2 * g * y * w / d


# More JVPs: right.


class PushedOutput(Function):
    """By its output, saved for both ways."""

    @staticmethod
    def forward(x):
        return torch.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y

    @staticmethod
    def jvp(ctx, t):
        (y,) = ctx.saved_tensors
        return t * y


class PushedSoftmax(Function):
    @staticmethod
    def forward(x):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(-1, keepdim=True))

    @staticmethod
    def jvp(ctx, t):
        (y,) = ctx.saved_tensors
        return y * (t - (t * y).sum(-1, keepdim=True))


class PushedMatMul(Function):
    @staticmethod
    def forward(x, w):
        return x @ w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.t(), x.t() @ g

    @staticmethod
    def jvp(ctx, dx, dw):
        x, w = ctx.saved_tensors
        return dx @ w + x @ dw


# More batches: right.


class BatchedGeneratedTwo(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, w):
        return x * torch.tanh(w)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        y = torch.tanh(w)
        return g * y, g * x * (1 - y * y)


class BatchedLast(Batched):
    """Moved to the end, and said so."""

    @staticmethod
    def vmap(info, in_dims, x):
        return Batched.apply(x.movedim(in_dims[0], -1)), x.dim() - 1


class BatchedByHand(Batched):
    """Not by itself, but by its formula."""

    @staticmethod
    def vmap(info, in_dims, x):
        return x * x, in_dims[0]


class BatchedRows(Function):
    """The sum of the squares of a row, whichever axis the batch is."""

    @staticmethod
    def forward(x):
        return (x * x).sum(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g.unsqueeze(-1)

    @staticmethod
    def vmap(info, in_dims, x):
        return BatchedRows.apply(x.movedim(in_dims[0], 0)), 0


# Several outputs.


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x, torch.sin(x)

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return 2 * x * g + torch.cos(x) * h


class TwoForgotten(Two):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class TwoSwapped(Two):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return 2 * x * h + torch.cos(x) * g


class Moments(Function):
    @staticmethod
    def forward(ctx, x):
        mean = x.mean(-1)
        ctx.save_for_backward(x, mean)
        return mean, ((x - mean.unsqueeze(-1)) ** 2).mean(-1)

    @staticmethod
    def backward(ctx, g, h):
        x, mean = ctx.saved_tensors
        n = x.shape[-1]
        return (g.unsqueeze(-1) + 2 * h.unsqueeze(-1) * (x - mean.unsqueeze(-1))) / n


class MomentsUnscaled(Moments):
    @staticmethod
    def backward(ctx, g, h):
        x, mean = ctx.saved_tensors
        return g.unsqueeze(-1) / x.shape[-1] + 2 * h.unsqueeze(-1) * (x - mean.unsqueeze(-1))


class MomentsOfOne(Moments):
    @staticmethod
    def backward(ctx, g, h):
        x, _ = ctx.saved_tensors
        return g.unsqueeze(-1).expand(x.shape) / x.shape[-1]


class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x + w, x * w

    @staticmethod
    def backward(ctx, g, h):
        x, w = ctx.saved_tensors
        return g + h * w, g + h * x


class SumAndProductCrossed(SumAndProduct):
    @staticmethod
    def backward(ctx, g, h):
        x, w = ctx.saved_tensors
        return g + h * x, g + h * w


class SumAndProductOnce(SumAndProduct):
    @staticmethod
    def backward(ctx, g, h):
        _, w = ctx.saved_tensors
        return g + h * w, g


class OfAnother(Function):
    """An output whose gradient is none, marked so."""

    @staticmethod
    def forward(ctx, x):
        mask = (x > 0).to(x.dtype)
        ctx.save_for_backward(mask)
        ctx.mark_non_differentiable(mask)
        return x * mask, mask

    @staticmethod
    def backward(ctx, g, _):
        (mask,) = ctx.saved_tensors
        return g * mask


class OfAnotherAll(OfAnother):
    @staticmethod
    def backward(ctx, g, _):
        return g


class Three(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x, 2 * x, x**3

    @staticmethod
    def backward(ctx, f, g, h):
        (x,) = ctx.saved_tensors
        return f + 2 * g + 3 * x**2 * h


class ThreeMinus(Three):
    @staticmethod
    def backward(ctx, f, g, h):
        (x,) = ctx.saved_tensors
        return f + 2 * g + 3 * x * h


class Halves(Function):
    @staticmethod
    def forward(ctx, x):
        half = x.shape[-1] // 2
        return x[..., :half].clone(), x[..., half:].clone()

    @staticmethod
    def backward(ctx, g, h):
        return torch.cat([g, h], -1)


class HalvesSwapped(Halves):
    @staticmethod
    def backward(ctx, g, h):
        return torch.cat([h, g], -1)


class RowAndTotal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.sum(-1), x.sum()

    @staticmethod
    def backward(ctx, g, h):
        return g.unsqueeze(-1).expand(ctx.shape) + h


class RowAndTotalOnce(RowAndTotal):
    @staticmethod
    def backward(ctx, g, h):
        return g.unsqueeze(-1).expand(ctx.shape)


# Cotangents that are None: set_materialize_grads(False).


class Bare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x * x, torch.sin(x)

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        found = torch.zeros_like(x)
        if g is not None:
            found = found + 2 * x * g
        if h is not None:
            found = found + torch.cos(x) * h
        return found


class BareNone(Bare):
    """Nothing where there is nothing."""

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        if g is None and h is None:
            return None
        first = 0 if g is None else 2 * x * g
        second = 0 if h is None else torch.cos(x) * h
        return first + second


class BareEither(Bare):
    """Only one of both, where both come."""

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return 2 * x * g if g is not None else torch.cos(x) * h


class BareAlone(Bare):
    """Right where both come, and twice as much where the first comes alone."""

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        if h is None:
            return 4 * x * g
        return (0 if g is None else 2 * x * g) + torch.cos(x) * h


class BareSecond(Bare):
    """Nothing comes back where the second comes alone."""

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        if g is None:
            return None
        return 2 * x * g + (0 if h is None else torch.cos(x) * h)


class BareFails(Bare):
    """It raises where one comes alone."""

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return 2 * x * g + torch.cos(x) * h


# What needs a gradient: needs_input_grad.


class Needed(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = dw = None
        if ctx.needs_input_grad[0]:
            dx = g @ w.t()
        if ctx.needs_input_grad[1]:
            dw = x.t() @ g
        return dx, dw


class NeededTwisted(Needed):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = g @ w.t() if ctx.needs_input_grad[1] else None
        dw = x.t() @ g if ctx.needs_input_grad[0] else None
        return dx, dw


class NeededAlone(Needed):
    """Wrong where only the first needs one."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = g @ w.t()
        if not ctx.needs_input_grad[1]:
            return 2 * dx, None
        return dx, x.t() @ g


class NeededEarly(Needed):
    """Nothing comes back for w where x needs none."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None
        return g @ w.t(), x.t() @ g


class NeededScale(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = g * w if ctx.needs_input_grad[0] else None
        dw = (g * x).sum(0) if ctx.needs_input_grad[1] else None
        return dx, dw


class NeededScaleUnsummed(NeededScale):
    """Only where w alone needs one is it not summed but averaged."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, (g * x).mean(0)
        return g * w, (g * x).sum(0) if ctx.needs_input_grad[1] else None


class NeededAny(NeededScale):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        if not any(ctx.needs_input_grad):
            return None, None
        return g * w, (g * x).sum(0)


class NeededSaved(Function):
    """What is not needed is not saved."""

    @staticmethod
    def forward(ctx, x, w):
        kept_w = w if ctx.needs_input_grad[0] else None
        kept_x = x if ctx.needs_input_grad[1] else None
        ctx.save_for_backward(kept_x, kept_w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return None if w is None else g * w, None if x is None else g * x


class NeededSavedOtherwise(NeededSaved):
    @staticmethod
    def forward(ctx, x, w):
        kept_w = w if ctx.needs_input_grad[1] else None
        kept_x = x if ctx.needs_input_grad[0] else None
        ctx.save_for_backward(kept_x, kept_w)
        return x * w


class NeededNone(NeededScale):
    """What is not needed is 0."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = g * w if ctx.needs_input_grad[0] else torch.zeros_like(x)
        dw = (g * x).sum(0) if ctx.needs_input_grad[1] else torch.zeros_like(w)
        return dx, dw


class NeededNoneSwapped(NeededScale):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = g * w if ctx.needs_input_grad[0] else torch.zeros_like(x)
        dw = (g * x).sum(0) if ctx.needs_input_grad[0] else torch.zeros_like(w)
        return dx, dw


class NeededThree(Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return x @ w + b

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = g @ w.t() if ctx.needs_input_grad[0] else None
        dw = x.t() @ g if ctx.needs_input_grad[1] else None
        db = g.sum(0) if ctx.needs_input_grad[2] else None
        return dx, dw, db


class NeededThreeMean(NeededThree):
    """Wrong where b alone needs one."""

    @staticmethod
    def backward(ctx, g):
        found = NeededThree.backward(ctx, g)
        if ctx.needs_input_grad == (False, False, True):
            return None, None, g.mean(0)
        return found


class NeededByTensor(Product):
    """By the tensors that were saved."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w if x.requires_grad else None, g * x if w.requires_grad else None


class NeededByOther(Product):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w if w.requires_grad else None, g * x if x.requires_grad else None


class NeededFirst(Product):
    """It computes both where either is needed."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
            return g * w, g * x
        return None, None


class NeededBoth(Product):
    """Nothing comes back where but one is needed."""

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        if ctx.needs_input_grad[0] and ctx.needs_input_grad[1]:
            return g * w, g * x
        return None, None
