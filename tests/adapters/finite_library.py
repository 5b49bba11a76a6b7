"""Stable forms that frameworks have: what float32 makes of each. As a program it prints a table."""

import importlib.util
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Form:
    """A function of a library; inputs are shapes, `N C`, or `const N C`."""

    name: str
    function: Any
    inputs: dict[str, str]
    requires: tuple[str, ...] = ()


ROWS, CELLS, TWO = {"x": "N C"}, {"x": "N"}, {"x": "N", "z": "N"}
LOSS = {"x": "N", "t": "const N"}
CHANCES = ("t >= 0", "t <= 1")
TORCH: tuple[Form, ...] = ()
JAX: tuple[Form, ...] = ()

if importlib.util.find_spec("torch"):
    import torch
    import torch.nn.functional as F

    TORCH = (
        Form("torch.logsumexp", lambda x: torch.logsumexp(x, -1), ROWS),
        Form("torch.softmax", lambda x: torch.softmax(x, -1), ROWS),
        Form("torch.log_softmax", lambda x: torch.log_softmax(x, -1), ROWS),
        Form("torch.sigmoid", torch.sigmoid, CELLS),
        Form("torch.tanh", torch.tanh, CELLS),
        Form("torch.expm1", torch.expm1, CELLS),
        Form("torch.log1p", torch.log1p, CELLS, ("x > 0",)),
        Form("torch.logaddexp", torch.logaddexp, TWO),
        Form("torch.hypot", torch.hypot, TWO),
        Form("torch.sinc", torch.sinc, CELLS),
        Form("torch.xlogy", torch.xlogy, TWO, ("x > 0", "z > 0")),
        Form("torch.var", lambda x: torch.var(x, -1, correction=0), ROWS),
        Form("torch.std", lambda x: torch.std(x, -1, correction=0), ROWS),
        Form("torch.linalg.norm", lambda x: torch.linalg.norm(x, dim=-1), ROWS),
        Form("F.softplus", F.softplus, CELLS),
        Form("F.logsigmoid", F.logsigmoid, CELLS),
        Form("F.gelu", F.gelu, CELLS),
        Form("F.gelu, tanh", lambda x: F.gelu(x, approximate="tanh"), CELLS),
        Form("F.silu", F.silu, CELLS),
        Form("F.mish", F.mish, CELLS),
        Form("F.elu", F.elu, CELLS),
        Form("F.celu", F.celu, CELLS),
        Form("F.selu", F.selu, CELLS),
        Form("F.layer_norm", lambda x: F.layer_norm(x, x.shape[-1:]), ROWS),
        Form("F.normalize", lambda x: F.normalize(x, dim=-1), ROWS),
        Form(
            "F.cosine_similarity",
            lambda x, z: F.cosine_similarity(x, z, -1),
            {"x": "N C", "z": "N C"},
        ),
        Form(
            "F.binary_cross_entropy_with_logits",
            F.binary_cross_entropy_with_logits,
            LOSS,
            CHANCES,
        ),
        Form("F.soft_margin_loss", F.soft_margin_loss, LOSS, ("t >= -1", "t <= 1")),
        Form("F.huber_loss", F.huber_loss, LOSS),
        Form("F.smooth_l1_loss", F.smooth_l1_loss, LOSS),
        Form("F.mse_loss", F.mse_loss, LOSS),
    )

if importlib.util.find_spec("jax"):
    import jax
    import jax.numpy as jnp

    JAX = (
        Form("jax.nn.logsumexp", lambda x: jax.nn.logsumexp(x, -1), ROWS),
        Form("jax.nn.softmax", lambda x: jax.nn.softmax(x, -1), ROWS),
        Form("jax.nn.log_softmax", lambda x: jax.nn.log_softmax(x, -1), ROWS),
        Form("jax.nn.sigmoid", jax.nn.sigmoid, CELLS),
        Form("jax.nn.log_sigmoid", jax.nn.log_sigmoid, CELLS),
        Form("jax.nn.softplus", jax.nn.softplus, CELLS),
        Form("jax.nn.silu", jax.nn.silu, CELLS),
        Form("jax.nn.gelu", lambda x: jax.nn.gelu(x, approximate=False), CELLS),
        Form("jax.nn.elu", jax.nn.elu, CELLS),
        Form("jax.nn.mish", jax.nn.mish, CELLS),
        Form("jax.nn.standardize", lambda x: jax.nn.standardize(x, -1), ROWS),
        Form("jnp.logaddexp", jnp.logaddexp, TWO),
        Form("jnp.hypot", jnp.hypot, TWO),
        Form("jnp.sinc", jnp.sinc, CELLS),
        Form("jnp.expm1", jnp.expm1, CELLS),
        Form("jnp.tanh", jnp.tanh, CELLS),
        Form("jnp.var", lambda x: jnp.var(x, -1), ROWS),
    )
    if importlib.util.find_spec("optax"):
        import optax

        pairs = {"x": "N C", "t": "const N C"}
        JAX += (
            Form("optax.sigmoid_binary_cross_entropy", optax.sigmoid_binary_cross_entropy, LOSS),
            Form("optax.softmax_cross_entropy", optax.softmax_cross_entropy, pairs),
            Form("optax.log_cosh", lambda x: optax.log_cosh(x), CELLS),
            Form("optax.huber_loss", lambda x: optax.huber_loss(x), CELLS),
            Form("optax.l2_loss", lambda x: optax.l2_loss(x), CELLS),
            Form(
                "optax.cosine_similarity",
                lambda x, z: optax.cosine_similarity(x, z, epsilon=1e-6),
                {"x": "N C", "z": "N C"},
            ),
            Form("optax.kl_divergence", lambda x, t: optax.kl_divergence(x, t), pairs, ("t > 0",)),
        )


# Of which something is told, and is so: docs/floating-point.md says what.
DEFECTS = {
    *("torch.hypot", "torch.sinc", "jnp.sinc", "F.layer_norm", "jax.nn.standardize"),
    *("F.binary_cross_entropy_with_logits", "F.soft_margin_loss", "optax.log_cosh"),
}


def found(form: Form) -> str:
    """What is told of a form: nothing, an input, or that it is not read."""
    from finite_pairs import Pair
    from finite_pairs import found as told

    from gradproof.tracing.tensors import Unreadable

    if form in JAX:
        from gradproof.jax.running import JaxCode as Code
    else:
        from gradproof.torch.running import TorchCode as Code
    try:
        pair = Pair(form.name, None, form.function, form.inputs, form.requires)
        return told(Code, pair, form.function).partition("\n")[0]
    except Unreadable as reason:
        return f"not read: {str(reason).splitlines()[0]}"


def table() -> str:
    rows = [(form.name, found(form) or "nothing") for form in (*TORCH, *JAX)]
    lines = [f"| `{name}` | {said.replace('|', ' ')} |" for name, said in rows]
    return "\n".join(["| | told |", "|---|---|", *lines])


if __name__ == "__main__":
    print(table())
