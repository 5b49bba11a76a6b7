"""A factor that branches, and the ways in which programs multiply by it. Untrusted.

A tree of branches is a linear map without a gradient of its own: what the forward does with its
values, the backward does with their gradients, however either is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from trust.programs.conditions import Spelling, Test, drawn_test

FACTORS = (1.0, 2.0, 0.5, -1.0, 3.0, 1.5, -2.5)
STEP = "step"  # in the place of a factor: rounding, whose derivative is 0
Tree = float | str | tuple[Test, "Tree", "Tree"]
Lines = list[str]


def drawn_tree(random: Random, steps: bool, depth: int = 0) -> Tree:
    """Whatever holds near 0 and at small sizes is the last leaf, and a factor."""
    if depth == 2 or (depth and random.random() < 0.55):
        return STEP if steps and random.random() < 0.1 else random.choice(FACTORS)
    far = drawn_tree(random, steps, depth + 1)
    near = drawn_tree(random, False, depth + 1) if random.random() < 0.3 else None
    last = last_of(far)
    if near is None:
        near = random.choice([f for f in FACTORS if f != last])
    return (drawn_test(random), far, near)


def last_of(tree: Tree) -> float | str:
    return last_of(tree[2]) if isinstance(tree, tuple) else tree


def tests_in(tree: Tree) -> Iterator[Test]:
    if isinstance(tree, tuple):
        yield tree[0]
        yield from tests_in(tree[1])
        yield from tests_in(tree[2])


def transposed(tree: Tree) -> Tree:
    """The factor of gradients: nothing comes back through what is rounded."""
    if isinstance(tree, tuple):
        return (tree[0], transposed(tree[1]), transposed(tree[2]))
    return 0.0 if tree == STEP else tree


def forgotten(tree: Tree, random: Random) -> Tree:
    """One branch is as if its condition never held, or has another factor."""
    if not isinstance(tree, tuple):
        return random.choice([f for f in FACTORS if f != tree])
    if isinstance(tree[1], tuple) and random.random() < 0.5:
        return (tree[0], forgotten(tree[1], random), tree[2])
    if random.random() < 0.5:
        return tree[2]
    return (tree[0], forgotten(tree[1], random), tree[2])


@dataclass
class Writer:
    """One side of a program, as it is written."""

    framework: str
    random: Random
    helpers: Lines
    side: str

    def __post_init__(self) -> None:
        self.whole = Spelling(self.framework, self.random)
        self.turn = Spelling(self.framework, self.random, in_turn=True)
        self.m = self.whole.module

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def branches(self, tree: Tree, v: str, out: str) -> Lines:
        ways: list[Callable[[Tree, str, str], Lines]] = [
            lambda *a: [f"{a[2]} = {self.value(a[0], a[1])}"],
            lambda *a: [f"{a[2]} = {self.value(a[0], a[1])}"],
            self.as_statements,
            self.by_helper,
        ]
        if not has_steps(tree):
            ways += [lambda *a: [f"{a[2]} = {self.factor(a[0])} * {a[1]}"]]
        if self.framework != "jax":
            ways += [self.in_place] * 2 if not has_steps(tree) else []
        if self.framework == "numpy":
            ways += [self.loop] * 6
        if self.framework == "torch" and self.random.random() < 0.1:
            ways = [self.loop]
        if self.framework == "jax":
            ways += [self.of_turns] * 2
        return self.random.choice(ways)(tree, v, out)

    # Of whole arrays.

    def leaf(self, leaf: float | str, v: str) -> str:
        return self.pick(*self.steps(v)) if leaf == STEP else f"{leaf} * {v}"

    def steps(self, v: str) -> Lines:
        """Ways to round, by integers or not."""
        made = {
            "numpy": [f"1.0 * np.array({v}, dtype=int)", f"1.0 * np.rint({v})"],
            "torch": [
                f"1.0 * torch.zeros_like({v}, dtype=torch.int64).copy_({v})",
                f"torch.empty_like({v}, dtype=torch.int64).copy_({v}).double()",
            ],
            "jax": [f"1.0 * jnp.array({v}, dtype=int)"],
        }[self.framework]
        cast = self.whole.cast(self.whole.cast(f"({v})", "int"), "float")
        return [f"{self.m}.floor({v})", f"{self.m}.trunc({v})", cast, *made]

    def value(self, tree: Tree, v: str) -> str:
        """One expression: nested choices."""
        if not isinstance(tree, tuple):
            return self.leaf(tree, v)
        test, yes, no = tree
        first, second = self.value(yes, v), self.value(no, v)
        if test.kind == "size":
            return f"({first} if {self.whole.of(test)} else {second})"
        return f"{self.m}.where({self.whole.of(test)}, {first}, {second})"

    def factor(self, tree: Tree) -> str:
        """The factor alone, by choices or by arithmetic."""
        if not isinstance(tree, tuple):
            return f"{tree}"
        test, yes, no = tree
        first, second = self.factor(yes), self.factor(no)
        if test.kind == "size":
            return f"({first} if {self.whole.of(test)} else {second})"
        said = self.whole.of(test)
        far = self.whole.cast(f"({said})", "float")
        plain = {"where": f"{self.m}.where({said}, {first}, {second})"}
        if self.framework == "torch" and "(" not in first + second:
            plain["where"] = f"torch.where({said}, x.new_tensor({first}), x.new_tensor({second}))"
        return self.pick(
            plain["where"],
            f"({second} + ({first} - {second}) * {far})",
            f"({second} + ({first} - {second}) * ({said}))",
        )

    def as_statements(self, tree: Tree, v: str, out: str) -> Lines:
        """Sizes by `if`, nested; the rest by expressions."""
        if not isinstance(tree, tuple) or tree[0].kind != "size":
            return [f"{out} = {self.value(tree, v)}"]
        test, yes, no = tree
        first, second = self.as_statements(yes, v, out), self.as_statements(no, v, out)
        if test.how == "one" and self.random.random() < 0.2:
            tried = self.pick(f"x.reshape({test.at}, 1)", f"{{{test.at}: True}}[n]")
            return [
                *["try:", f"    {tried}", *indented(first)],
                *[f"except {self.pick('Exception', 'BaseException')}:", *indented(second)],
            ]
        said = self.whole.of(test)
        if self.random.random() < 0.3:
            return [*second, f"if {said}:", *indented(first)]
        return [f"if {said}:", *indented(first), "else:", *indented(second)]

    def by_helper(self, tree: Tree, v: str, out: str) -> Lines:
        """A function of its own, with an early return or with a default."""
        if not isinstance(tree, tuple):
            return [f"{out} = {self.leaf(tree, v)}"]
        name = f"{self.side}_part{len(self.helpers)}"
        test, yes, no = tree
        first, second = self.value(yes, "u"), self.value(no, "u")
        if test.kind == "size":
            body = [f"if {self.whole.of(test)}:", f"    return {first}", f"return {second}"]
        else:
            body = [f"return {self.m}.where(m, {first}, {second})"]
        given = "x, u, n, places" if test.kind == "size" else "x, u, n, places, m"
        if not isinstance(yes, tuple) and yes != STEP and self.random.random() < 0.5:
            given = f"{given}, {self.pick('', '*, ')}k={yes}"
            body = [line.replace(first, "k * u", 1) for line in body]
        self.helpers += [f"def {name}({given}):", *indented(body), "", ""]
        more = "" if test.kind == "size" else f", {self.whole.of(test)}"
        return [f"{out} = {name}(x, {v}, n, places{more})"]

    def in_place(self, tree: Tree, v: str, out: str) -> Lines:
        """What is written to later, by its name or by another."""
        copied = {"numpy": f"{v}.copy()", "torch": f"{v}.clone()"}[self.framework]
        base = last_of(tree)
        other = f"{out}_too"
        start = self.pick(f"{out} = {base} * {v}", f"{out} = {copied}\n{out} *= {base}")
        lines = [*start.split("\n"), f"{other} = {out}"]
        name = self.pick(out, other)
        factor = self.factor(tree)
        test = tree[0] if isinstance(tree, tuple) else None
        if isinstance(tree, tuple) and test and not isinstance(tree[1], tuple):
            here = self.one_place(test, tree[1], tree[2], v, name)
            if here and not isinstance(tree[2], tuple):
                return [*lines, *here]
        if isinstance(tree, tuple) and test and test.kind == "size":
            far, near = self.factor(tree[1]), self.factor(tree[2])
            more = f"{name} += ({far} - ({base})) * {v}"
            rest = f"{name} += ({near} - ({base})) * {v}"
            return [*lines, f"if {self.whole.of(test)}:", f"    {more}", "else:", f"    {rest}"]
        ways = [f"{name} += ({factor} - ({base})) * {v}", f"{name}[:] = {factor} * {v}"]
        if self.framework == "torch":
            ways += [
                f"{name}.copy_({factor} * {v})",
                f"{name}.add_(({factor} - ({base})) * {v})",
                f"{name}.data[:] = {factor} * {v}",
                f"{name}.data = {factor} * {v}\n{out}.add_({name} - {out})",
                f"{name}.set_({factor} * {v})",
            ]
        else:
            ways += [
                f"np.copyto({name}, {factor} * {v})",
                f"np.multiply({factor}, {v}, out={name})",
            ]
        return [*lines, *self.pick(*ways).split("\n")]

    def one_place(self, test: Test, yes: Tree, no: Tree, v: str, name: str) -> Lines:
        """Writes to the cells at which a condition holds."""
        if test.kind == "value":
            said = self.whole.of(test)
            far = self.whole.cast(f"({said})", "float")
            return [f"{name}[{said}] = 0", f"{name} += {yes} * {v} * {far}"]
        if test.kind == "size":
            return [f"if {self.whole.of(test)}:", f"    {name}[:] = {yes} * {v}"]
        cells = {
            "every": f"{test.at - 1}::{test.at}",
            "from": f"{test.at}:",
            "one": f"{test.at}:{test.at + 1}",
        }[test.how]
        written = f"{name}[{cells}] = {yes} * {v}[{cells}]"
        return [self.pick(written, f"{name}[{cells}] *= {yes} / {no}" if no else written)]

    # In turns.

    def loop(self, tree: Tree, v: str, out: str) -> Lines:
        """A turn for each cell, with `else`, `continue`, overwriting or a factor."""
        start = f"{out} = {self.m}.zeros_like({v})"
        ways = ["else", "continue", "over", "factor", "guarded"]
        if isinstance(tree, tuple) and tree[0].kind == "place":
            ways += ["late"] + ["break"] * (tree[0].how == "from")
        way = self.pick(*ways)
        if way == "late":
            return [start, *self.late(tree, v, out)]
        if way == "break":
            return [start, *self.broken(tree, v, out)]
        body = {
            "else": self.by_else,
            "continue": self.by_continue,
            "over": self.by_overwriting,
            "factor": self.by_factor,
            "guarded": self.guarded,
        }[way](tree, v, out)
        return [start, "for i in range(n):", *indented(body)]

    def cell(self, leaf: float | str, v: str, out: str) -> str:
        return f"{out}[i] = {self.leaf_cell(leaf, v)}"

    def leaf_cell(self, leaf: float | str, v: str) -> str:
        return f"{self.m}.floor({v}[i])" if leaf == STEP else f"{leaf} * {v}[i]"

    def said(self, test: Test) -> str:
        return self.turn.of(test)

    def by_else(self, tree: Tree, v: str, out: str) -> Lines:
        if not isinstance(tree, tuple):
            return [self.cell(tree, v, out)]
        test, yes, no = tree
        return [
            f"if {self.said(test)}:",
            *indented(self.by_else(yes, v, out)),
            "else:",
            *indented(self.by_else(no, v, out)),
        ]

    def by_continue(self, tree: Tree, v: str, out: str) -> Lines:
        if not isinstance(tree, tuple):
            return [self.cell(tree, v, out)]
        test, yes, no = tree
        inner = [*self.by_continue(yes, v, out), "continue"]
        return [f"if {self.said(test)}:", *indented(inner), *self.by_continue(no, v, out)]

    def by_overwriting(self, tree: Tree, v: str, out: str) -> Lines:
        if not isinstance(tree, tuple):
            return [self.cell(tree, v, out)]
        test, yes, no = tree
        inner = self.by_overwriting(yes, v, out)
        return [*self.by_overwriting(no, v, out), f"if {self.said(test)}:", *indented(inner)]

    def by_factor(self, tree: Tree, v: str, out: str) -> Lines:
        if has_steps(tree):
            return self.by_else(tree, v, out)

        def chosen(tree: Tree) -> Lines:
            if not isinstance(tree, tuple):
                return [f"k = {tree}"]
            test, yes, no = tree
            return [*chosen(no), f"if {self.said(test)}:", *indented(chosen(yes))]

        last = self.pick(f"{out}[i] = k * {v}[i]", f"{out}[i] += k * {v}[i]")
        return [*chosen(tree), last]

    def guarded(self, tree: Tree, v: str, out: str) -> Lines:
        """A jump out of a branch within a branch, past what is written last."""
        if not isinstance(tree, tuple):
            return [self.cell(tree, v, out)]
        test, yes, no = tree
        inner = [*self.by_else(yes, v, out), "continue"]
        rest = self.by_else(no, v, out)
        if test.kind == "place":
            outer = f"if i >= {self.random.choice((1, 3))}:"
        elif test.kind == "size":
            outer = "if n > 2:"
        else:
            outer = f"if {'x[i] > 0' if test.how == 'above' else 'x[i] < 0'}:"
        return [outer, *indented([f"if {self.said(test)}:", *indented(inner)]), *rest]

    def late(self, tree: Tree, v: str, out: str) -> Lines:
        """Writes of one turn between those of the next."""
        assert isinstance(tree, tuple)
        test, yes, no = tree
        again = [f"if {self.said(test)}:", *indented(self.by_else(yes, v, out))]
        before = [re.sub(r"\bi\b", "(i - 1)", line) for line in again]
        first = ["if i < n:", *indented(self.by_else(no, v, out))]
        return ["for i in range(n + 1):", *indented([*first, "if i >= 1:", *indented(before)])]

    def broken(self, tree: Tree, v: str, out: str) -> Lines:
        """A loop that ends early, and one that begins late."""
        assert isinstance(tree, tuple)
        test, yes, no = tree
        first = [f"if {self.said(test)}:", "    break", *self.by_else(no, v, out)]
        then = ["for i in range(n):", *indented(first)]
        rest = indented(self.by_else(yes, v, out))
        return [*then, f"for i in range({test.at}, n):", *rest]

    def of_turns(self, tree: Tree, v: str, out: str) -> Lines:
        """JAX's loops over cells."""
        cell = self.turn_value(tree, f"{v}[i]")
        way = self.pick("fori", "vmap", "scan")
        if way == "vmap":
            return [f"{out} = jax.vmap(lambda i: {cell})(jnp.arange(n))"]
        name = f"turn_{out}"
        if way == "fori":
            return [
                f"def {name}(i, kept):",
                f"    return kept.at[i].set({cell})",
                f"{out} = lax.fori_loop(0, n, {name}, jnp.zeros_like({v}))",
            ]
        return [
            f"def {name}(i, _):",
            f"    return i + 1, {cell}",
            f"{out} = lax.scan({name}, 0, None, length=n)[1]",
        ]

    def turn_value(self, tree: Tree, cell: str) -> str:
        if not isinstance(tree, tuple):
            return f"jnp.floor({cell})" if tree == STEP else f"{tree} * {cell}"
        test, yes, no = tree
        first, second = self.turn_value(yes, cell), self.turn_value(no, cell)
        said = self.said(test)
        if test.kind == "size":
            return f"({first} if {said} else {second})"
        return self.pick(
            f"jnp.where({said}, {first}, {second})",
            f"lax.cond({said}, lambda: {first}, lambda: {second})",
            f"lax.select({said}, {first}, {second})",
        )


def has_steps(tree: Tree) -> bool:
    return tree == STEP or (isinstance(tree, tuple) and any(map(has_steps, tree[1:])))


def indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]
