"""Functions that float32 undoes, each beside one that it does not, as users write them."""

import math

import torch
import torch.nn.functional as F
from finite_pairs import Pair


def norm(x):
    total = (x * x).sum(-1)
    is_ok = total > 0
    return torch.where(is_ok, torch.sqrt(torch.where(is_ok, total, 1.0)), 0.0)


def log1mexp(x):
    is_small = x < math.log(2)
    below = torch.log(-torch.expm1(-torch.where(is_small, x, 1.0)))
    return torch.where(is_small, below, torch.log1p(-torch.exp(-x)))


PAIRS = (
    Pair(
        "softmax",
        lambda x: torch.exp(x) / torch.exp(x).sum(-1, keepdim=True),
        lambda x: (
            torch.exp(x - x.amax(-1, keepdim=True))
            / torch.exp(x - x.amax(-1, keepdim=True)).sum(-1, keepdim=True)
        ),
        {"x": "N C"},
        (),
    ),
    Pair(
        "logsumexp",
        lambda x: torch.log(torch.exp(x).sum(-1)),
        lambda x: torch.logsumexp(x, -1),
        {"x": "N C"},
        (),
    ),
    Pair(
        "softplus",
        lambda x: torch.log(1 + torch.exp(x)),
        lambda x: torch.clamp(x, min=0) + torch.log1p(torch.exp(-torch.abs(x))),
        {"x": "N"},
        (),
    ),
    Pair(
        "bce",
        lambda x, t: -(t * torch.log(torch.sigmoid(x)) + (1 - t) * torch.log(1 - torch.sigmoid(x))),
        lambda x, t: torch.clamp(x, min=0) - x * t + torch.log1p(torch.exp(-torch.abs(x))),
        {"x": "N", "t": "const N"},
        (),
    ),
    Pair(
        "where_nan",
        lambda x: torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x)),
        lambda x: torch.where(
            x > 0, torch.sqrt(torch.where(x > 0, x, torch.ones_like(x))), torch.zeros_like(x)
        ),
        {"x": "N"},
        (),
    ),
    Pair("norm", lambda x: torch.sqrt((x * x).sum(-1)), norm, {"x": "N C"}, ()),
    Pair(
        "x_over_x",
        lambda x: (torch.exp(x) - 1) / x,
        lambda x: torch.where(
            torch.abs(x) > 0.001,
            torch.expm1(x) / torch.where(torch.abs(x) > 0.001, x, torch.ones_like(x)),
            1 + x / 2 + x * x / 6,
        ),
        {"x": "N"},
        ("x > 0",),
    ),
    Pair("log1mexp", lambda x: torch.log(1 - torch.exp(-x)), log1mexp, {"x": "N"}, ("x > 0",)),
    Pair(
        "variance",
        lambda x: (x * x).mean(-1) - x.mean(-1) ** 2,
        lambda x: ((x - x.mean(-1, keepdim=True)) ** 2).mean(-1),
        {"x": "N C"},
        (),
    ),
    Pair(
        "tanh_exp",
        lambda x: (torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x)),
        lambda x: torch.tanh(x),
        {"x": "N"},
        (),
    ),
    Pair(
        "sigmoid",
        lambda x: torch.exp(x) / (1 + torch.exp(x)),
        lambda x: torch.sigmoid(x),
        {"x": "N"},
        (),
    ),
    Pair(
        "log_sigm",
        lambda x: torch.log(torch.sigmoid(x)),
        lambda x: torch.clamp(x, max=0) - torch.log1p(torch.exp(-torch.abs(x))),
        {"x": "N"},
        (),
    ),
    Pair(
        "std",
        lambda x: torch.sqrt(((x - x.mean(-1, keepdim=True)) ** 2).mean(-1)),
        lambda x: torch.sqrt(((x - x.mean(-1, keepdim=True)) ** 2).mean(-1) + 1e-05),
        {"x": "N C"},
        (),
    ),
    Pair(
        "cross_entropy",
        lambda x, t: -(t * torch.log(torch.exp(x) / torch.exp(x).sum(-1, keepdim=True))).sum(),
        lambda x, t: -(t * torch.log_softmax(x, -1)).sum(),
        {"x": "N C", "t": "const N C"},
        (),
    ),
    Pair(
        "kl",
        lambda x, z: (
            torch.softmax(x, -1)
            * (torch.log(torch.softmax(x, -1)) - torch.log(torch.softmax(z, -1)))
        ).sum(-1),
        lambda x, z: (
            torch.softmax(x, -1) * (torch.log_softmax(x, -1) - torch.log_softmax(z, -1))
        ).sum(-1),
        {"x": "N C", "z": "N C"},
        (),
    ),
    Pair(
        "entropy",
        lambda x: -(torch.softmax(x, -1) * torch.log(torch.softmax(x, -1))).sum(-1),
        lambda x: -(torch.softmax(x, -1) * torch.log_softmax(x, -1)).sum(-1),
        {"x": "N C"},
        (),
    ),
    Pair(
        "mish",
        lambda x: x * torch.tanh(torch.log(1 + torch.exp(x))),
        lambda x: x * torch.tanh(F.softplus(x)),
        {"x": "N"},
        (),
    ),
    Pair(
        "silu",
        lambda x: x * torch.exp(x) / (1 + torch.exp(x)),
        lambda x: x * torch.sigmoid(x),
        {"x": "N"},
        (),
    ),
    Pair(
        "attention",
        lambda q, k: torch.exp(q @ k.T) / torch.exp(q @ k.T).sum(-1, keepdim=True),
        lambda q, k: torch.softmax(q @ k.T, -1),
        {"q": "N D", "k": "M D"},
        (),
    ),
    Pair(
        "gauss_nll_var",
        lambda x: torch.log((x * x).mean(-1) - x.mean(-1) ** 2 + 1e-12),
        lambda x: torch.log(((x - x.mean(-1, keepdim=True)) ** 2).mean(-1) + 1e-12),
        {"x": "N C"},
        (),
    ),
    Pair(
        "layernorm",
        lambda x: (
            (x - x.mean(-1, keepdim=True))
            / torch.sqrt((x * x).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2 + 1e-05)
        ),
        lambda x: F.layer_norm(x, x.shape[-1:]),
        {"x": "N C"},
        (),
    ),
    Pair(
        "where_log",
        lambda x: torch.where(x > 0, torch.log(x), torch.zeros_like(x)),
        lambda x: torch.where(
            x > 0, torch.log(torch.where(x > 0, x, torch.ones_like(x))), torch.zeros_like(x)
        ),
        {"x": "N"},
        (),
    ),
    Pair(
        "dist",
        lambda x, z: torch.sqrt(((x - z) ** 2).sum(-1)),
        lambda x, z: torch.sqrt(((x - z) ** 2).sum(-1) + 1e-06),
        {"x": "N C", "z": "N C"},
        (),
    ),
    Pair(
        "dist2",
        lambda x, z: (x * x).sum(-1) - 2 * (x * z).sum(-1) + (z * z).sum(-1),
        lambda x, z: ((x - z) ** 2).sum(-1),
        {"x": "N C", "z": "N C"},
        (),
    ),
    Pair(
        "log_survival",
        lambda x: torch.log(1 - torch.sigmoid(x)),
        lambda x: -F.softplus(x),
        {"x": "N"},
        (),
    ),
    Pair(
        "logaddexp",
        lambda x, z: torch.log(torch.exp(x) + torch.exp(z)),
        lambda x, z: torch.logaddexp(x, z),
        {"x": "N", "z": "N"},
        (),
    ),
    Pair("expm1", lambda x: torch.exp(x) - 1, lambda x: torch.expm1(x), {"x": "N"}, ()),
    Pair("log1p", lambda x: torch.log(1 + x), lambda x: torch.log1p(x), {"x": "N"}, ("x > 0",)),
    Pair(
        "elu",
        lambda x: torch.where(x > 0, x, torch.exp(x) - 1),
        lambda x: torch.where(x > 0, x, torch.expm1(torch.where(x > 0, torch.zeros_like(x), x))),
        {"x": "N"},
        (),
    ),
    Pair(
        "focal",
        lambda x: -((1 - torch.sigmoid(x)) ** 2) * torch.log(torch.sigmoid(x)),
        lambda x: -(torch.sigmoid(-x) ** 2) * F.logsigmoid(x),
        {"x": "N"},
        (),
    ),
)

# Written when the thresholds were fixed.
HELD = (
    Pair(
        "h_contrastive",
        lambda a, b: (
            -torch.log(
                torch.exp((a * b).sum(-1))
                / (torch.exp((a * b).sum(-1)) + torch.exp((a * b).sum(-1) - 1))
            ).sum()
        ),
        lambda a, b: F.softplus(-torch.ones_like((a * b).sum(-1))).sum() + 0 * (a * b).sum(),
        {"a": "N D", "b": "N D"},
        (),
    ),
    Pair(
        "h_hinge_smooth",
        lambda x: torch.log(1 + torch.exp(1 - x)),
        lambda x: F.softplus(1 - x),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_cox",
        lambda x: x.sum() - torch.log(torch.exp(x).sum()),
        lambda x: x.sum() - torch.logsumexp(x, 0),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_gelu_logit",
        lambda x: x / (1 + torch.exp(-1.702 * x)),
        lambda x: x * torch.sigmoid(1.702 * x),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_poisson",
        lambda x, t: (torch.exp(x) - t * torch.log(torch.exp(x))).sum(-1),
        lambda x, t: (torch.exp(x) - t * x).sum(-1),
        {"x": "N C", "t": "const N C"},
        (),
    ),
    Pair(
        "h_safe_div",
        lambda x, z: torch.where(z != 0, x / z, torch.zeros_like(x)),
        lambda x, z: torch.where(
            z != 0, x / torch.where(z != 0, z, torch.ones_like(z)), torch.zeros_like(x)
        ),
        {"x": "N", "z": "N"},
        (),
    ),
    Pair(
        "h_pow_half",
        lambda x: torch.where(x > 0, x**0.5, torch.zeros_like(x)),
        lambda x: torch.where(
            x > 0, torch.where(x > 0, x, torch.ones_like(x)) ** 0.5, torch.zeros_like(x)
        ),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_perplexity",
        lambda x, t: torch.exp(-(t * torch.log(torch.softmax(x, -1))).mean()),
        lambda x, t: torch.exp(-(t * torch.log_softmax(x, -1)).mean()),
        {"x": "N C", "t": "const N C"},
        (),
    ),
    Pair(
        "h_cov",
        lambda x, z: (x * z).mean(-1) - x.mean(-1) * z.mean(-1),
        lambda x, z: ((x - x.mean(-1, keepdim=True)) * (z - z.mean(-1, keepdim=True))).mean(-1),
        {"x": "N C", "z": "N C"},
        (),
    ),
    Pair(
        "h_angle",
        lambda x, z: torch.acos(
            (x * z).sum(-1) / (torch.sqrt((x * x).sum(-1)) * torch.sqrt((z * z).sum(-1)))
        ),
        lambda x, z: torch.atan2(
            torch.sqrt(((x - z) ** 2).sum(-1) + 0.001), torch.sqrt(((x + z) ** 2).sum(-1) + 0.001)
        ),
        {"x": "N C", "z": "N C"},
        (),
    ),
)
