"""Code that uses the operations of PyTorch that are read, each at least once."""

import torch
import torch.nn.functional as F

from gradproof import torch as gp

aten = torch.ops.aten
X = {"x": ("N", "C")}
XZ = {"x": ("N", "C"), "z": ("N", "C")}
ROWS_AT = {"x": ("N", "C"), "i": gp.integer("K", below="N")}
CELLS_AT = {"x": ("N", "C"), "i": gp.integer("N", "K", below="C")}
MASKED = {"x": ("N", "C"), "m": gp.boolean("N", "C"), "p": gp.boolean("N", "C")}
POSITIVE = {**X, "requires": "x > 0"}
INSIDE = {**X, "requires": ["x > 0", "x < 1"]}
LINE, IMAGE = {"x": ("N", "C", "L"), "requires": "L >= 3"}, {"x": ("N", "C", "H", "W")}
IMAGE |= {"requires": ["H >= 3", "W >= 3"]}
SOLID = {"x": ("N", 1, "A", "B", "D"), "requires": ["A >= 2", "B >= 2", "D >= 2"]}


def written(x):
    y = torch.empty_like(x)
    y.copy_(x)
    y[:, 0] = 2
    return y * x


def filled(x):
    y = x * x
    y[:, :1].fill_(3.0)
    return y


def cleared(x):
    y = x * x
    y[:, :1].zero_()
    return y


def constants(x):
    made = torch.zeros_like(x) + torch.ones_like(x) * 2 + torch.full_like(x, 3.0)
    return x * made + x.new_zeros(x.shape[1]) + x.new_ones(x.shape[1]) + x.new_full((1,), 5.0)


def products(x):
    return x.t() @ x + torch.addmm(x.t() @ x, x.t(), x)


def pairs(x):
    """A weight of two places for each channel."""
    return x.sum((0, 2)).view(-1, 1, 1).expand(-1, 1, 2) * 2


def smaller(x):
    return torch.where(x < 0, x, 2 * x) + torch.where(x <= 1, x, 2 * x) + x * (x != 3)


def larger(x):
    return torch.where(x > 0, x, 2 * x) + torch.where(x >= 1, x, 2 * x) + x * (x == x.amax())


CASES = [
    (lambda x, z: torch.add(x, z, alpha=3) - torch.sub(z, x * x), XZ),
    (lambda x: torch.rsub(x, 2) * -x, X),
    (lambda x, z: x / (1 + z * z), XZ),
    (lambda x: torch.exp(x) + torch.expm1(x) + torch.exp2(x), X),
    (lambda x: torch.log(x) + torch.log1p(x) + torch.log2(x) + torch.log10(x), POSITIVE),
    (lambda x: torch.sqrt(x) + torch.rsqrt(x) + torch.reciprocal(x), POSITIVE),
    (lambda x: torch.square(x) + x**3 + torch.abs(x) + torch.relu(x) + x * torch.sign(x), X),
    (lambda x: torch.sigmoid(x) + torch.tanh(x) + F.silu(x) + F.softplus(x), X),
    (lambda x: F.leaky_relu(x, 0.1) + F.threshold(x, 0.5, 2.0), X),
    (lambda x: torch.sin(x) + torch.cos(x) + torch.atan(x) + torch.erf(x) + torch.erfc(x), X),
    (lambda x: torch.sinh(x) + torch.cosh(x) + torch.asinh(x), X),
    (lambda x: torch.tan(x) + torch.asin(x) + torch.acos(x) + torch.atanh(x), INSIDE),
    (lambda x: torch.acosh(x + 2), POSITIVE),
    (lambda x, z: torch.atan2(x, z) + torch.hypot(x, z), {**XZ, "requires": "x > 0"}),
    (lambda x: torch.where(torch.isnan(x), x, 2 * x) + x * torch.isfinite(x), X),
    (lambda x: x * torch.signbit(x), X),
    (smaller, X),
    (larger, X),
    (lambda x, m, p: x * (~m) + x * (m & p) * 2 + x * (m | p) * 3, MASKED),
    (
        lambda x, m, p: (
            x * torch.logical_not(m) + x * torch.logical_and(m, p) * 2 + x * torch.logical_or(m, p)
        ),
        MASKED,
    ),
    (lambda x, m, p: torch.masked_fill(x, m, 2.0) * (x * x).masked_fill_(p, 3.0), MASKED),
    (lambda x: torch.clamp(x, -0.1, 0.1) + x.clamp_min(0.2) + x.clamp_max(0.3), X),
    (lambda x, z: torch.maximum(x, z) - 2 * torch.minimum(x, z), XZ),
    (lambda x: F.conv1d(x, x[:1, :, :2]), LINE),
    (lambda x: F.conv1d(x, pairs(x), groups=x.shape[1]), LINE),
    (lambda x: F.conv_transpose1d(x, pairs(x), stride=2), LINE),
    (lambda x: x.unfold(-1, 2, 1).sum(1) ** 2, LINE),
    (lambda x, m, p: x * (m ^ p) + x * torch.logical_xor(m, p) * 2, MASKED),
    (lambda x, i: torch.gather(x, 1, i), CELLS_AT),
    (lambda x, i: torch.index_select(x, 0, i) * F.embedding(i, x) + x[i], ROWS_AT),
    (lambda x, i: torch.index_add(x, 0, i, x[i]), ROWS_AT),
    (lambda x, i: torch.scatter_add(x, 1, i, x.gather(1, i)), CELLS_AT),
    (lambda x, i: torch.scatter(x * x, 1, i, 2.0), CELLS_AT),
    (lambda x: torch.max(x, 1)[0] + torch.min(x, 1)[0] * 2, X),
    (lambda x: torch.max(x) + 2 * torch.min(x), X),
    (lambda x: x.gather(1, x.argmax(1, keepdim=True)) + x.gather(1, x.argmin(1, keepdim=True)), X),
    (written, X),
    (filled, X),
    (cleared, X),
    (constants, X),
    (lambda x: torch.cat([x, 2 * x], 1) * torch.stack([x, 3 * x], 1).sum(), X),
    (lambda x: x.flip(1) + x.roll(1, 1) * 2, X),
    (lambda x: F.pad(x, (1, 0)) * 2, X),
    (lambda x: x[:, 0] + x[:, -1:].sum(1), X),
    (lambda x: x.repeat(2, 3) * 2, X),
    (lambda x: torch.tril(x) + 2 * torch.triu(x, 1), X),
    (lambda x: torch.diagonal(x, 0, 0, 1) * 2, {"x": ("N", "N")}),
    (lambda x: torch.diag_embed(x), X),
    (lambda x: F.avg_pool1d(x, 2, 1), LINE),
    (lambda x: F.avg_pool2d(x, 2, 1), IMAGE),
    (lambda x: F.avg_pool3d(x, 2, 1), SOLID),
    (lambda x: F.max_pool2d(x, 2, 1), IMAGE),
    (lambda x: F.max_pool3d(x.detach(), 2, 1).sum() * x, SOLID),
    (lambda x: x.sum(1) ** 2 + x.mean(1) ** 2 + x.var(1, unbiased=False), X),
    (lambda x: torch.std(x, 1) + torch.var_mean(x, 1)[0], {**X, "requires": "C >= 3"}),
    (lambda x: x.prod(1), POSITIVE),
    (lambda x: x.amax(1) + 2 * x.amin(1), X),
    (lambda x: x.cumsum(1), X),
    (lambda x: torch.softmax(x, 1) + torch.log_softmax(x, 1), X),
    (lambda x: torch.logsumexp(x, 1), X),
    (lambda x: torch.linalg.vector_norm(x, 2, 1), POSITIVE),
    (products, X),
    (lambda x: torch.einsum("nc,nd->cd", x, x), X),
    (lambda x: x.clone() * x.to(torch.float64, copy=True), X),
    (lambda x: x * torch.arange(x.shape[1]) + torch.eye(x.shape[1]).sum(), X),
    (lambda x: x * x.new_tensor(2.0) + torch.scalar_tensor(3.0), X),
    (lambda x: x.view(x.shape[1], x.shape[0]).unsqueeze(0).squeeze(0).permute(1, 0), X),
    (lambda x: x.transpose(0, 1).detach() + x.t(), X),
    (lambda x: x.sum(1, keepdim=True).expand(x.shape[0], x.shape[1]) * x, X),
    (lambda x: x[:, 1:] * 2, {**X, "requires": "C >= 2"}),
    (lambda x: torch.unbind(x, 1)[0] * torch.split(x, 2, 1)[1].sum(1), {"x": ("N", 3)}),
    (lambda x: x * (torch.arange(x.shape[1]) % 2) + x * (torch.arange(x.shape[1]) // 2), X),
]
