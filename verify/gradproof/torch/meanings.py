"""What functions of PyTorch mean, in simpler ones, where its own steps are not read. Untrusted.

Each takes what the function takes, and may decline. The engine differentiates what it does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

MEANINGS: dict[Any, Callable[..., Any]] = {}


def means(function: Any) -> Callable[[Any], Any]:
    def register(own: Any) -> Any:
        MEANINGS[function] = own
        return own

    return register


@means(functional.one_hot)
def one_hot(tensor: Tensor, num_classes: Any = -1) -> Any:
    """Of as many classes as a size, which stays one."""
    if not isinstance(num_classes, torch.SymInt) or tensor.dtype != torch.int64:
        return NotImplemented
    return (tensor.unsqueeze(-1) == torch.arange(num_classes, device=tensor.device)).long()


@means(functional.scaled_dot_product_attention)
def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Any:
    if dropout_p:
        return NotImplemented
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(times, -3) for x in (key, value))
    by = 1 / torch.sym_sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.mT * by
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return torch.softmax(scores, -1) @ value


@means(functional.bilinear)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    found = torch.einsum("...i,kij,...j->...k", input1, weight, input2)
    return found if bias is None else found + bias


@means(functional.batch_norm)
def batch_norm(
    input: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    """While it trains, and keeps no averages."""
    if not training or running_mean is not None:
        return NotImplemented
    dims = [d for d in range(input.ndim) if d != 1]
    require_several(input, dims)
    return by_channel(normalised(input, dims, eps), weight, bias)


@means(functional.instance_norm)
def instance_norm(
    input: Tensor,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    if not use_input_stats or running_mean is not None:
        return NotImplemented
    dims = list(range(2, input.ndim))
    require_several(input, dims)
    return by_channel(normalised(input, dims, eps), weight, bias)


@means(functional.group_norm)
def group_norm(
    input: Tensor, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5
) -> Tensor:
    count, channels, *others = input.shape
    inner = input.reshape(count, num_groups, channels // num_groups, *others)
    require_several(inner, [d for d in range(inner.ndim) if d != 1])
    made = normalised(inner, list(range(2, inner.ndim)), eps)
    return by_channel(made.reshape(input.shape), weight, bias)


def require_several(x: Tensor, dims: list[int]) -> None:
    """PyTorch normalises no single number."""
    if math.prod(x.shape[d] for d in dims) == 1:
        raise ValueError("a norm of one value; say in requires that there are more")


def normalised(x: Tensor, dims: list[int], eps: Any) -> Tensor:
    centred = x - x.mean(dims, keepdim=True)
    variance = (centred * centred).mean(dims, keepdim=True)
    return centred * torch.rsqrt(variance + eps)


def by_channel(x: Tensor, weight: Any, bias: Any) -> Tensor:
    shape = [1, -1, *(1 for _ in range(2, x.ndim))]
    x = x if weight is None else x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)
