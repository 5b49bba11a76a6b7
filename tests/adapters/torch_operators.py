"""Operators as users register them with torch.library: right ones, and wrong ones beside them."""

from itertools import count

import torch
from torch import Tensor
from torch.library import Library, custom_op

NUMBER = count()


def operator(kernel, fake=None, backward=None, kept=None, mutates=(), vmap=None):
    found = custom_op(f"written::{kernel.__name__}{next(NUMBER)}", kernel, mutates_args=mutates)
    if fake is not None:
        found.register_fake(fake)
    if backward is not None:
        found.register_autograd(backward, setup_context=kept)
    if vmap is not None:
        found.register_vmap(vmap)
    return found


def keep(ctx, inputs, output):
    ctx.save_for_backward(*(x for x in inputs if isinstance(x, Tensor)))


def keep_output(ctx, inputs, output):
    ctx.save_for_backward(output)


def keep_shape(ctx, inputs, output):
    ctx.shape = inputs[0].shape


# Kernels, and what is right beside them.


def square(x: Tensor) -> Tensor:
    return x * x


def square_backward(ctx, g):
    (x,) = ctx.saved_tensors
    return 2 * x * g


def in_rows(x: Tensor) -> Tensor:
    return (x * x).contiguous()


def transposed(x: Tensor) -> Tensor:
    return (2 * x).t()


def total(x: Tensor) -> Tensor:
    return x.sum(-1)


def total_backward(ctx, g):
    return g.unsqueeze(-1).expand(ctx.shape)


def blocks(x: Tensor, k: int) -> Tensor:
    count = x.shape[1] // k
    return x[:, : count * k].reshape(x.shape[0], count, k).sum(-1)


def keep_blocks(ctx, inputs, output):
    x, ctx.k = inputs
    ctx.length = x.shape[1]


def blocks_backward(ctx, g):
    spread = g.unsqueeze(-1).expand(-1, -1, ctx.k).reshape(g.shape[0], -1)
    return torch.nn.functional.pad(spread, (0, ctx.length - spread.shape[1])), None


def product(x: Tensor, w: Tensor) -> Tensor:
    return x @ w


def product_backward(ctx, g):
    x, w = ctx.saved_tensors
    return g @ w.t(), x.t() @ g


def both(x: Tensor) -> tuple[Tensor, Tensor]:
    return x * x, x.sum(-1)


def both_backward(ctx, g, h):
    (x,) = ctx.saved_tensors
    return 2 * x * g + h.unsqueeze(-1)


def larger(x: Tensor) -> Tensor:
    return x > 0


def like(x):
    return torch.empty_like(x)


def twice(x: Tensor) -> Tensor:
    return 2 * x


RIGHT_FAKES = {
    "square": operator(square, like, square_backward, keep),
    "in_rows": operator(in_rows, lambda x: x.new_empty(x.shape), square_backward, keep),
    "transposed": operator(
        transposed, lambda x: torch.empty_like(x).t(), lambda ctx, g: 2 * g.t(), keep
    ),
    "total": operator(total, lambda x: x.new_empty(x.shape[:-1]), total_backward, keep_shape),
    "blocks": operator(
        blocks,
        lambda x, k: x.new_empty(x.shape[0], x.shape[1] // k),
        blocks_backward,
        keep_blocks,
    ),
    "product": operator(
        product, lambda x, w: x.new_empty(x.shape[0], w.shape[1]), product_backward, keep
    ),
    "both": operator(
        both, lambda x: (torch.empty_like(x), x.new_empty(x.shape[0])), both_backward, keep
    ),
    "by_meaning": operator(square, lambda x: x * x, square_backward, keep),
}
WRONG_FAKES = {
    "dtype": operator(
        square, lambda x: torch.empty_like(x, dtype=torch.float32), square_backward, keep
    ),
    "in_rows": operator(in_rows, like, square_backward, keep),
    "transposed": operator(
        transposed, lambda x: x.new_empty(x.shape[1], x.shape[0]), lambda ctx, g: 2 * g.t(), keep
    ),
    "total": operator(total, lambda x: x.new_empty(x.shape[0], 1), total_backward, keep_shape),
    "blocks": operator(
        blocks,
        lambda x, k: x.new_empty(x.shape[0], -(-x.shape[1] // k)),
        blocks_backward,
        keep_blocks,
    ),
    "product": operator(
        product, lambda x, w: x.new_empty(x.shape[0], w.shape[0]), product_backward, keep
    ),
    "both": operator(
        both, lambda x: (torch.empty_like(x), x.new_empty(x.shape[1])), both_backward, keep
    ),
    "far": operator(
        in_rows,
        lambda x: x.new_empty(x.shape[0] + x.shape[0] // 50, x.shape[1]),
        square_backward,
        keep,
    ),
}

# What is registered as its gradient.


def sine(x: Tensor) -> Tensor:
    return torch.sin(x)


def exponential(x: Tensor) -> Tensor:
    return torch.exp(x)


def weighted(x: Tensor, w: Tensor, scale: float) -> Tensor:
    return scale * x * w


def keep_scale(ctx, inputs, output):
    x, w, ctx.scale = inputs
    ctx.save_for_backward(x, w)


def weighted_backward(ctx, g):
    x, w = ctx.saved_tensors
    return ctx.scale * g * w, ctx.scale * g * x, None


def needed_backward(ctx, g):
    x, w = ctx.saved_tensors
    dx = g @ w.t() if ctx.needs_input_grad[0] else None
    dw = x.t() @ g if ctx.needs_input_grad[1] else None
    return dx, dw


def needed_swapped(ctx, g):
    x, w = ctx.saved_tensors
    dx = g @ w.t() if ctx.needs_input_grad[1] else None
    dw = x.t() @ g if ctx.needs_input_grad[0] else None
    return dx, dw


def softmax(x: Tensor) -> Tensor:
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def softmax_backward(ctx, g):
    (y,) = ctx.saved_tensors
    return y * (g - (g * y).sum(-1, keepdim=True))


def product_like(x, w):
    return x.new_empty(x.shape[0], w.shape[1])


RIGHT_GRADIENTS = {
    "square": RIGHT_FAKES["square"],
    "sine": operator(sine, like, lambda ctx, g: g * torch.cos(ctx.saved_tensors[0]), keep),
    "exponential": operator(
        exponential, like, lambda ctx, g: g * ctx.saved_tensors[0], keep_output
    ),
    "weighted": operator(weighted, lambda x, w, scale: x * w, weighted_backward, keep_scale),
    "product": RIGHT_FAKES["product"],
    "needed": operator(product, product_like, needed_backward, keep),
    "softmax": operator(softmax, like, softmax_backward, keep_output),
    "both": RIGHT_FAKES["both"],
}
WRONG_GRADIENTS = {
    "square": operator(square, like, lambda ctx, g: ctx.saved_tensors[0] * g, keep),
    "sine": operator(sine, like, lambda ctx, g: g * torch.sin(ctx.saved_tensors[0]), keep),
    "exponential": operator(exponential, like, lambda ctx, g: g * ctx.saved_tensors[0], keep),
    "weighted": operator(
        weighted,
        lambda x, w, scale: x * w,
        lambda ctx, g: (*weighted_backward(ctx, g)[:2][::-1], None),
        keep_scale,
    ),
    "product": operator(
        product, product_like, lambda ctx, g: (product_backward(ctx, g)[0], None), keep
    ),
    "needed": operator(product, product_like, needed_swapped, keep),
    "softmax": operator(softmax, like, lambda ctx, g: ctx.saved_tensors[0] * g, keep_output),
    "both": operator(
        both,
        RIGHT_FAKES["both"]._abstract_fn,
        lambda ctx, g, h: 2 * ctx.saved_tensors[0] * g,
        keep,
    ),
}

# What it writes to.


def written_to(x: Tensor) -> Tensor:
    y = x * x
    x.add_(1)
    return y


def after_writing(ctx, g):
    (x,) = ctx.saved_tensors
    return 2 * (x - 1) * g


def row_written(x: Tensor) -> Tensor:
    y = 2 * x
    x[0] = 0
    return y


def transposed_written(x: Tensor) -> Tensor:
    y = 2 * x
    x.t().mul_(2)
    return y


def far_written(x: Tensor) -> Tensor:
    y = 2 * x
    if x.shape[0] > 4:
        x.zero_()
    return y


def own_written(x: Tensor) -> Tensor:
    y = x.clone()
    y.mul_(2)
    return y


def filled(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    y.copy_(2 * x)
    return y


def squared_into(x: Tensor, out: Tensor) -> None:
    out.copy_(x * x)


SQUARED_INTO = operator(squared_into, mutates=("out",))
SQUARED_INTO_UNSAID = operator(squared_into)


class Into(torch.autograd.Function):
    """By an operator that writes to what it is given, and says so."""

    into = SQUARED_INTO

    @classmethod
    def made(cls, x):
        out = torch.empty_like(x)
        cls.into(x, out)
        return out

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Into.made(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class IntoUnsaid(Into):
    into = SQUARED_INTO_UNSAID

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return IntoUnsaid.made(x)


LIBRARY = Library("written_by_hand", "DEF")
LIBRARY.define("cube(Tensor x) -> Tensor")
LIBRARY.impl("cube", lambda x: x * x * x, "CPU")
LIBRARY.define("same(Tensor x) -> Tensor")
LIBRARY.impl("same", lambda x: x.view_as(x), "CPU")
torch.library.register_fake("written_by_hand::cube", like)
torch.library.register_fake("written_by_hand::same", like)
torch.library.register_autograd(
    "written_by_hand::cube",
    lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g,
    setup_context=keep,
)
torch.library.register_autograd("written_by_hand::same", lambda ctx, g: g)
DOUBLE = (like, lambda ctx, g: 2 * g)

RIGHT_SCHEMAS = {
    "own": operator(own_written, *DOUBLE),
    "filled": operator(filled, *DOUBLE),
    "cube": torch.ops.written_by_hand.cube,
    "into": Into,
}
WRONG_SCHEMAS = {
    "input": operator(written_to, like, after_writing, keep),
    "row": operator(row_written, *DOUBLE),
    "view": operator(transposed_written, *DOUBLE),
    "far": operator(far_written, *DOUBLE),
    "same": torch.ops.written_by_hand.same,
    "into": IntoUnsaid,
}

# Batches.


def batched_first(info, in_dims, x):
    return RIGHT_BATCH(x.movedim(in_dims[0], 0)), 0


def batched_unmoved(info, in_dims, x):
    return WRONG_BATCH(x), 0


RIGHT_BATCH = operator(square, like, square_backward, keep, vmap=batched_first)
WRONG_BATCH = operator(square, like, square_backward, keep, vmap=batched_unmoved)
