"""Programs drawn at random: a forward, and a backward that is right as it is made. Untrusted.

A program is a chain of pieces. Each is a map whose derivative is known, and can write itself for
values and its transpose for gradients; so the backward is the chain of transposes, backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from trust.programs.arithmetic import Factor
from trust.programs.branches import (
    Lines,
    Writer,
    drawn_tree,
    forgotten,
    indented,
    tests_in,
    transposed,
)
from trust.programs.conditions import Test

FRAMEWORKS = ("torch", "jax", "numpy")
HEADS = {
    "numpy": "import math\n\nimport numpy as np\n",
    "torch": "import math\n\nimport torch\n",
    "jax": "import math\n\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n",
}
TAILS = {
    "numpy": "",
    "torch": """

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return forward(x)

    @staticmethod
    def backward(ctx, g):
        return backward(g, *ctx.saved_tensors)
""",
    "jax": """

f = jax.custom_vjp(forward)
f.defvjp(lambda x: (forward(x), x), lambda x, g: (backward(g, x),))
""",
}


@dataclass(frozen=True)
class Piece:
    """How it is written of values and of gradients: a writer, the array, the array it makes."""

    forward: Callable[[Writer, str, str], Lines]
    backward: Callable[[Writer, str, str, str], Lines]  # with the value that came in, too
    tests: tuple[Test, ...] = ()
    forgetful: Callable[[Writer, str, str, str], Lines] | None = None  # wrong in one region
    asks_value: bool = False


@dataclass(frozen=True)
class Program:
    """The text of a module, and what is known of where it may behave otherwise."""

    framework: str
    text: str
    tests: tuple[Test, ...] = field(default=())


def drawn(framework: str, number: int, seed: int) -> tuple[Program, Program]:
    """A right program, and one of which a branch of the backward is not that of the forward."""
    random = Random(f"{framework} {seed} {number}")
    count = random.choice((1, 1, 2, 2, 3))
    at = random.randrange(count)
    pieces = [
        branching(random, first=k == 0) if k == at else any_piece(random, framework, first=k == 0)
        for k in range(count)
    ]
    written = random.getrandbits(32)
    right = assembled(framework, pieces, written)
    return right, assembled(framework, pieces, written, forgetful=at)


def any_piece(random: Random, framework: str, first: bool) -> Piece:
    if random.random() < 0.4:
        return moved(random, framework)
    return random.choice((branching, arithmetic, smooth))(random, first)


def branching(random: Random, first: bool) -> Piece:
    """A factor by conditions; in a program's first piece some branches round."""
    if random.random() < 0.35:
        return arithmetic(random, first)
    tree = drawn_tree(random, steps=first)
    while not isinstance(tree, tuple):
        tree = drawn_tree(random, steps=first)
    back = transposed(tree)
    wrong = forgotten(back, random)
    return Piece(
        lambda w, v, out: w.branches(tree, v, out),
        lambda w, v, g, out: w.branches(back, g, out),
        tuple(tests_in(tree)),
        lambda w, v, g, out: w.branches(wrong, g, out),
    )


def arithmetic(random: Random, first: bool) -> Piece:
    """A factor that is computed; it is written once, and both sides have it."""
    written: dict[str, str] = {}
    seed = random.getrandbits(32)

    def factor(w: Writer) -> str:
        if "text" not in written:
            own = Factor(Writer(w.framework, Random(seed), [], ""))
            written["text"] = own.real()
            found.extend(own.tests)
        return written["text"]

    found: list[Test] = []
    for framework in FRAMEWORKS:  # the same draws for each: the tests are theirs too
        Factor(Writer(framework, Random(seed), [], ""), found).real()

    def multiplied(w: Writer, v: str, out: str) -> Lines:
        if w.random.random() < 0.5:
            return [f"{out} = {v} * {factor(w)}"]
        return [f"k_{out} = {factor(w)}", f"{out} = k_{out} * {v}"]

    return Piece(multiplied, lambda w, v, g, out: multiplied(w, g, out), tuple(found))


def smooth(random: Random, first: bool) -> Piece:
    """A power or a product of a cell with its input, whose slope reads the value."""
    forward, backward = random.choice(
        (
            ("{v} * {v}", "2.0 * {v} * {g}"),
            ("0.5 * {v} ** 2 + {v}", "{g} * ({v} + 1.0)"),
            ("{v} + 3.0", "{g}"),
            ("({v} + 1.0) * ({v} - 1.0)", "({g} * {v}) * 2.0"),
        )
    )
    return Piece(
        lambda w, v, out: [f"{out} = {forward.format(v=v)}"],
        lambda w, v, g, out: [f"{out} = {backward.format(v=v, g=g)}"],
        asks_value=True,
    )


def moved(random: Random, framework: str) -> Piece:
    """Cells go elsewhere, are added up or are read twice."""
    m = {"numpy": "np", "torch": "torch", "jax": "jnp"}[framework]
    at = random.choice((50, 59))
    far = (Test("place", "from", at),)
    cells = random.choice((f"{m}.minimum(places, {at})", "places // 2", f"places - places % {at}"))
    if framework == "torch":
        cells = cells.replace("torch.minimum(places, ", "torch.clamp(places, max=")
    gathered: dict[str, Callable[[str, str], Lines]] = {
        "numpy": lambda v, out: [f"{out} = {v}[{cells}]"],
        "torch": lambda v, out: [f"{out} = {v}[{cells}]"],
        "jax": lambda v, out: [f"{out} = {v}[{cells}]"],
    }
    added: dict[str, Callable[[str, str], Lines]] = {
        "numpy": lambda v, out: [f"{out} = np.zeros_like({v})", f"np.add.at({out}, {cells}, {v})"],
        "torch": lambda v, out: [
            f"{out} = torch.zeros_like({v})",
            random_line(
                random,
                f"{out}.index_add_(0, {cells}, {v})",
                f"{out}.scatter_add_(0, {cells}, {v})",
                f"{out}.index_put_(({cells},), {v}, accumulate=True)",
            ),
        ],
        "jax": lambda v, out: [f"{out} = jnp.zeros_like({v}).at[{cells}].add({v})"],
    }
    flip = {"numpy": "{v}[::-1]", "jax": "{v}[::-1]", "torch": "torch.flip({v}, (0,))"}[framework]
    keep = "keepdim=True" if framework == "torch" else "keepdims=True"
    mean = random.choice(
        (
            f"{{v}} - {m}.sum({{v}}) / n",
            "{v} - {v}.mean()",
            f"{{v}} - {m}.sum({{v}}, 0, {keep}) / n",
        )
        if framework == "torch"
        else (
            f"{{v}} - {m}.sum({{v}}) / n",
            "{v} - {v}.mean()",
            f"{{v}} - {m}.mean({{v}}, axis=0, {keep})",
            f"{{v}} - {m}.sum({{v}}, axis=-1, initial=0.0) / n",
        )
    )
    total = f"{m}.cumsum({{v}}, 0)"
    back_total = flip.format(v=total.format(v=flip))
    shift: tuple[Callable[[str, str], Lines], Callable[[str, str], Lines]] = (
        lambda v, out: [f"{out} = {m}.zeros_like({v})", f"{out}[1:] = {v}[:-1]"],
        lambda v, out: [f"{out} = {m}.zeros_like({v})", f"{out}[:-1] = {v}[1:]"],
    )
    if framework == "jax":
        shift = (
            lambda v, out: [f"{out} = jnp.zeros_like({v}).at[1:].set({v}[:-1])"],
            lambda v, out: [f"{out} = jnp.concatenate([{v}[1:], jnp.zeros(1)])"],
        )
    stride = (
        (lambda v, out: [f"{out} = 2.0 * {v}", f"{out}[::2] = 3.0 * {v}[::2]"])
        if framework != "jax"
        else (lambda v, out: [f"{out} = (2.0 * {v}).at[::2].set(3.0 * {v}[::2])"])
    )
    kinds: list[tuple[Callable[[str, str], Lines], Callable[[str, str], Lines], tuple[Test, ...]]]
    kinds = [
        (gathered[framework], added[framework], far),
        (added[framework], gathered[framework], far),
        (one_line(flip), one_line(flip), ()),
        (one_line(mean), one_line(mean), ()),
        (one_line(total), one_line(back_total), ()),
        (*shift, ()),
        (stride, stride, ()),
    ]
    forward, backward, tests = random.choice(kinds)
    return Piece(lambda w, v, out: forward(v, out), lambda w, v, g, out: backward(g, out), tests)


def random_line(random: Random, *options: str) -> str:
    return random.choice(options)


def one_line(said: str) -> Callable[[str, str], Lines]:
    return lambda v, out: [f"{out} = {said.format(v=v)}"]


def assembled(
    framework: str, pieces: Sequence[Piece], written: int, forgetful: int | None = None
) -> Program:
    helpers: Lines = []
    forward = Writer(framework, Random(written), helpers, "forward")
    body = numbered(framework)
    for k, piece in enumerate(pieces):
        body += piece.forward(forward, name_of("v", k), f"v{k + 1}")
    body.append(f"return v{len(pieces)}")
    backward = Writer(framework, Random(written + 1), helpers, "backward")
    back = numbered(framework)
    last = max((k for k, piece in enumerate(pieces) if piece.asks_value), default=0)
    for k, piece in enumerate(pieces[:last]):
        back += piece.forward(backward, name_of("v", k), f"v{k + 1}")
    for k, piece in reversed(list(enumerate(pieces))):
        wrong = piece.forgetful if k == forgetful else None
        came = "g" if k == len(pieces) - 1 else f"g{k + 1}"
        back += (wrong or piece.backward)(backward, name_of("v", k), came, f"g{k}")
    back.append("return g0")
    parts = [HEADS[framework], "\n\n", *(f"{line}\n" for line in helpers)]
    parts += ["def forward(x):\n", *(f"{line}\n" for line in indented(body)), "\n\n"]
    parts += ["def backward(g, x):\n", *(f"{line}\n" for line in indented(back))]
    tests = tuple(test for piece in pieces for test in piece.tests)
    return Program(framework, "".join(parts) + TAILS[framework], tests)


def numbered(framework: str) -> Lines:
    m = {"numpy": "np", "torch": "torch", "jax": "jnp"}[framework]
    return ["n = x.shape[0]", f"places = {m}.arange(n)"]


def name_of(letter: str, k: int) -> str:
    return f"{letter}{k}" if k else "x"
