"""A graph of ops, built call by call, each refused at once where it cannot be. Untrusted.

>>> from gradproof.language import integers
>>> H, W = integers("H W")
>>> g = Graph("pooled")
>>> g.assume(H >= 2, W >= 2)
>>> x = g.input("x", 3, H, W)
>>> str(g.output(g.max_pool2d(x, kernel=2)))
'max_pool2d_1 (3, ⌊H/2⌋, ⌊W/2⌋)'
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from html import escape
from types import MappingProxyType
from typing import Any

from gradproof.graphs import accepts, drawing, running, verifying
from gradproof.graphs.builders import Builders
from gradproof.graphs.fusing import as_op
from gradproof.graphs.matching import given_sizes, matched, rank_of, result_shapes
from gradproof.graphs.nodes import (
    Demand,
    GraphError,
    Node,
    Var,
    Wiring,
    check_order,
    is_plainly_true,
    nonnegative,
    unfit,
)
from gradproof.graphs.ops import without_claims
from gradproof.graphs.shapes import found as of_sizes
from gradproof.graphs.shapes import of_condition, told, unmet, values_unmet
from gradproof.graphs.stacking import Stack
from gradproof.language.ops import Op, several
from gradproof.language.terms import (
    BOOL,
    INT,
    DefinitionError,
    Not,
    Term,
    arrays,
    as_term,
    conjuncts,
    is_bundle,
    plus,
    sort_of,
)
from gradproof.settle.timing import SECONDS


class Graph(Builders):
    """Inputs, nodes and outputs, in the order in which they are made.

    A node is refused if it cannot be for all sizes that the assumptions admit. With `infer=True`
    what a node asks is assumed instead; `accepts()` then says what that comes to.
    """

    def __init__(self, name: str = "graph", infer: bool = False) -> None:
        self.name, self.infer = name, infer
        self.inputs: list[Var] = []
        self.nodes: list[Node] = []
        self.outputs: list[Var] = []
        self.assumed: list[Term] = []
        self.inferred: list[Term] = []
        self.values: list[Term] = []
        self.line = where()

    def __str__(self) -> str:
        """Its variables with their shapes, in the order in which they are made."""
        made = (f"{v} = {n.op.name}" for n in self.nodes for v in n.results.values())
        return "\n".join([self.name, *(f"  {line}" for line in (*self.inputs, *made))])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    # Making it.

    def input(self, name: str, *shape: Any) -> Var:
        """A variable that the graph is given, and differentiated by."""
        return self.given(name, shape, True)

    def constant(self, name: str, *shape: Any) -> Var:
        """A variable that the graph is given, and not differentiated by: a mask, a target."""
        return self.given(name, shape, False)

    def integers(self, name: str, *shape: Any, below: Any, first: Any = 0) -> Var:
        """A variable of integers from `first` on and below a size: labels, tokens."""
        last = as_term(below) - 1 if isinstance(below, int) else plus(below, -1)
        return self.given(name, shape, False, (first, last))

    def given(
        self, name: str, shape: tuple[Any, ...], moves: bool, span: tuple[Any, ...] = ()
    ) -> Var:
        try:
            dims, ends = tuple(map(as_term, shape)), tuple(map(as_term, span))
        except DefinitionError as fault:
            raise GraphError(f"{where()}: input {name}: {fault}") from None
        for d in (*dims, *ends):
            if sort_of(d) != INT or is_bundle(d):
                raise GraphError(f"{where()}: input {name}: its size {d} is not one whole number")
        var = Var(self.fresh(name), dims, moves, self, ends)
        self.inputs.append(var)
        return var

    def assume(self, *conditions: Any) -> None:
        """What holds of sizes, parameters and entries of inputs; nodes made later rely on it."""
        for condition in conditions:
            if not isinstance(condition, Term) or sort_of(condition) != BOOL:
                raise GraphError(f"{where()}: {condition} is no condition")
            for part in conjuncts(condition):
                own = {x.array for x in self.inputs}
                if other := next((a for a in arrays(part) if a not in own), None):
                    raise GraphError(
                        f"{where()}: {part} speaks of {other}; of values, inputs alone can be "
                        "assumed, x[i] > 0"
                    )
                (self.values if arrays(part) else self.assumed).append(part)

    def output(self, *variables: Var) -> Any:
        """What the graph computes: all that leads to no output is refused."""
        for var in variables:
            self.own(var, "an output")
            if var not in self.outputs:
                self.outputs.append(var)
        return variables[0] if len(variables) == 1 else variables

    def apply(
        self,
        op: Op | Stack,
        /,
        *,
        sizes: Mapping[Any, Any] | None = None,
        name: str = "",
        **operands: Var,
    ) -> Any:
        """An op as a node: its arrays by their names, and those of its sizes that no shape says.

        Of several outputs there is a variable for each, in the order in which the op has them.
        """
        line, turns = where(), None
        if isinstance(op, Stack):
            turns, op = op, op.op
        op = without_claims(op)
        wanted = [a.name for a in op.operands]
        if sorted(operands) != sorted(wanted):
            found = ", ".join(operands) or "nothing"
            raise GraphError(f"{line}: {op.name} takes {', '.join(wanted)}, and got {found}")
        for key, var in operands.items():
            self.own(var, f"{key} of {op.name}")
        if fault := unfit(op):
            raise GraphError(f"{line}: {op.name} {fault}")
        try:
            rank = rank_of(op, operands)
            said = given_sizes(op, rank, sizes or {})
            known = matched(op, rank, operands, said)
        except GraphError as fault:
            raise GraphError(f"{line}: {fault}") from None
        name = self.fresh(name or self.numbered(op.name))
        moves = any(var.moves for var in operands.values())
        shapes = result_shapes(op, rank, known)
        names = {y: name if len(shapes) == 1 else self.fresh(f"{name}_{y}") for y in shapes}
        results = {y: Var(names[y], shape, moves, self) for y, shape in shapes.items()}
        node = Node(name, op, rank, known, said, operands, results, line, turns)
        self.admit(node)
        self.nodes.append(node)
        return next(iter(results.values())) if len(results) == 1 else tuple(results.values())

    def admit(self, node: Node) -> None:
        check_order(self.wired(node))
        while (found := unmet(node, self.hypotheses)) is not None:
            wanted, finding = found
            never = finding.status == "vacuous" or is_never(self.hypotheses, wanted)
            if not self.infer or never:
                raise GraphError(told(node, self.hypotheses, wanted, finding))
            self.inferred.append(wanted.condition)
        if fault := values_unmet(self.wired(node), node):
            raise GraphError(fault)

    def own(self, var: Any, role: str) -> None:
        if not isinstance(var, Var):
            raise GraphError(f"{where()}: {role} is {var}, and must be a variable of the graph")
        if var.graph is not self:
            raise GraphError(
                f"{where()}: {role} is {var.name} of another graph, {var.graph.name}; "
                "a variable belongs to the graph that made it"
            )

    def numbered(self, base: str) -> str:
        count = 1 + sum(1 for n in self.nodes if n.op.name == base)
        while f"{base}_{count}" in self.names:
            count += 1
        return f"{base}_{count}"

    @property
    def names(self) -> set[str]:
        results = (v for n in self.nodes for v in n.results.values())
        return {*(v.name for v in (*self.inputs, *results)), *(n.name for n in self.nodes)}

    def fresh(self, name: str) -> str:
        if not isinstance(name, str) or not name.isidentifier():
            raise GraphError(f"{where()}: {name!r} is no name; take letters, digits and _")
        if name in self.names:
            raise GraphError(f"{where()}: there is a variable {name} already; take another name")
        return name

    # Using it.

    @property
    def hypotheses(self) -> tuple[Term, ...]:
        """What is assumed of sizes, said or inferred, and that no input's size is below 0."""
        bounds = [c for x in self.inputs for c in nonnegative(x.shape)]
        return tuple(dict.fromkeys((*self.assumed, *self.inferred, *bounds)))

    def wiring(self) -> Wiring:
        """The graph as data, if it is whole."""
        if not self.outputs:
            raise GraphError(f"{self.name}: it has no output; name what it computes by output(…)")
        used = set(self.outputs)
        for node in reversed(self.nodes):
            if used.isdisjoint(node.results.values()):
                raise GraphError(
                    f"{node.where}: {node.name} leads to no output: make it one, or leave it out"
                )
            used.update(node.operands.values())
        for x in self.inputs:
            if x not in used:
                raise GraphError(f"{self.name}: no output depends on the input {x.name}")
        found = self.wired()
        check_order(found)
        return found

    def wired(self, *further: Node) -> Wiring:
        """What there is so far."""
        return Wiring(
            self.name,
            tuple(self.inputs),
            (*self.nodes, *further),
            tuple(self.outputs),
            self.hypotheses,
            tuple(self.values),
        )

    def forward(self, values: Mapping[str, Any], sizes: Mapping[Any, Any] | None = None) -> Any:
        """The outputs by their names, at arrays for all inputs."""
        return running.forward(self.wiring(), values, sizes or {})

    def jvp(
        self,
        values: Mapping[str, Any],
        tangents: Mapping[str, Any],
        sizes: Mapping[Any, Any] | None = None,
    ) -> Any:
        """The tangents of the outputs; those of inputs that are not named are 0."""
        return running.jvp(self.wiring(), values, tangents, sizes or {})

    def vjp(
        self,
        values: Mapping[str, Any],
        cotangents: Mapping[str, Any],
        sizes: Mapping[Any, Any] | None = None,
    ) -> Any:
        """The cotangents of the inputs; those of outputs that are not named are 0."""
        return running.vjp(self.wiring(), values, cotangents, sizes or {})

    def accepts(self) -> Any:
        """Which sizes of the inputs every node takes, as a condition."""
        return accepts.accepted(self.wiring())

    def verify(self, vjp: Any = (), timeout: float | None = SECONDS) -> Any:
        """That JVP and VJP are those of what the graph computes, for all sizes it is built for.

        With `vjp`, also that these equations are: `Eq(cotangent(x.array)[i], …)` for each input,
        in variables of the graph and the cotangents of its outputs. A theorem that takes more than
        `timeout` seconds of processor time is open; None is no limit.
        """
        return verifying.verify(self.wiring(), several(vjp), timeout)

    def op(self, jvp: Any = (), vjp: Any = ()) -> Op:
        """The graph as an op, with rules for the whole: a fused kernel, a node of other graphs."""
        return as_op(self.wiring(), jvp, vjp)

    def stack(self, name: str, depth: Any, state: Var) -> Stack:
        """The graph so many times, one after another, each with weights of its own; it is applied.

        `state` is the input that takes what the layer before computes.
        """
        if len(self.outputs) != 1:
            raise GraphError(f"{self.name}: a layer computes one output from {state.name}")
        return self.scan(name, depth, {state: self.outputs[0]}, each=False)

    def scan(
        self,
        name: str,
        length: Any,
        carried: Mapping[Var, Var],
        shared: Iterable[Var] = (),
        each: bool = True,
    ) -> Stack:
        """The graph at every place of a sequence; it is applied like an op, and `op` is that op.

        `carried` says of inputs what the place before computes for them; these start from
        `…_first`. `shared` are the inputs that are the same everywhere; others have the places as
        their first axis. Outputs are those of each place, or of the last.
        """
        for var in (*carried, *carried.values(), *shared):
            self.own(var, "what a place hands on or shares")
        found = Stack(
            name,
            self.wiring(),
            as_term(length),
            MappingProxyType(dict(carried)),
            frozenset(shared),
            each,
        )
        if of_sizes(found.sizes).status != "proved":
            raise GraphError(
                f"{where()}: {name}: {found.sizes.statement} is not known of what it hands on; "
                "make these shapes one"
            )
        try:
            _ = found.op  # it is written out, and may be none
        except DefinitionError as fault:
            raise GraphError(f"{where()}: {fault}") from None
        return found

    def mermaid(self, report: Any = None) -> str:
        """As text for a page in Markdown; with a report, nodes show their status."""
        return drawing.mermaid(self.wiring(), report)

    def svg(self, report: Any = None) -> str:
        """As a picture; with a report, nodes show their status."""
        return drawing.svg(self.wiring(), report)


def is_never(given: tuple[Term, ...], wanted: Demand) -> bool:
    """Whether no sizes satisfy a demand: to assume it would be to assume anything."""
    if is_plainly_true(Not(wanted.condition)):
        return True
    return of_condition((*given, wanted.condition), Not(wanted.condition)).status == "vacuous"


def where() -> str:
    """The line outside of this package that asked."""
    frame: Any = sys._getframe(1)
    package = __name__.rpartition(".")[0]
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith(package):
        frame = frame.f_back
    if frame is None:
        return "graph"
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
