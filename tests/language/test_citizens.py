"""SymPy's own verbs on nodes: they do what the language means by them, or refuse and say why."""

import copy
import pickle
from collections.abc import Callable

import pytest
import sympy
from sympy.core.symbol import Str

from gradproof.language import (
    And,
    DefinitionError,
    Divides,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Min,
    Ne,
    Not,
    Prod,
    Sum,
    array,
    axes,
    bracket,
    ceil_div,
    derivative,
    exp,
    fold,
    integers,
    log,
    maximum,
    mod,
    nat_sub,
    product,
    reals,
    scatter,
    trunc_div,
    unique,
    winner,
    zero_padded,
)
from gradproof.language.terms import Linear, Mul, Slope, Sym

N, a, b, c = integers("N a b c")
n, i, j = axes("n i j")
beta, best = reals("beta best")
x, y, X = array("x", N), array("y", N), array("X", n)
z = sympy.Symbol("z")

NUMBERS = {
    "a symbol": N,
    "a real": beta,
    "a sum of two": N + 1,
    "a product of two": 2 * x[b],
    "a quotient": x[b] / 2,
    "a floor": N // 2,
    "a ceiling": ceil_div(N, 2),
    "a remainder": mod(N, 2),
    "a quotient of C": trunc_div(N, 2),
    "a natural difference": nat_sub(N, 2),
    "a minimum": Min(N, b),
    "a maximum of two": Max(x[b], 0),
    "an exponential": exp(x[b]),
    "a logarithm": log(x[b]),
    "a power": x[b] ** N,
    "a choice": If(b >= 1, x[b], 0),
    "a bracket": bracket(b >= 1),
    "a read": x[b],
    "a padded read": zero_padded(x)[b],
    "a slope": derivative(x[b], x[c]),
    "a product of axes": product(n),
    "a sum": Sum(x[a + b], (a, 0, N - 1)),
    "a product": Prod(x[a + b], (a, 0, N - 1)),
    "a maximum": maximum(x[a + b], (a, 0, N - 1)),
    "a fold": fold(best, (a, 0, N - 1), best=(best, 0, best + x[a + b])),
}
CONDITIONS = {
    "at least": N >= 1,
    "equal": Eq(x[b], 1),
    "not equal": Ne(N, 1),
    "divides": Divides(2, N),
    "and": And(N >= 1, b < N),
    "not": Not(N >= 1),
    "on every axis": Eq(n, i),
    "exists": Exists(x[a + b] > 0, (a, 0, N - 1)),
    "for all": ForAll(x[a + b] > 0, (a, 0, N - 1)),
    "a winner": winner(b, x[a + b], (a, 0, N - 1)),
    "unique": unique(x[a + b], (a, 0, N - 1)),
    "linear": Linear(x[b], sympy.Tuple(x)),
}
STATEMENTS = {"a scatter": scatter(y[b], x[a], (a, 0, N - 1))}
TERMS = NUMBERS | CONDITIONS | STATEMENTS
NODES = TERMS | {"an array": x, "an array of bundles": X}

every = pytest.mark.parametrize("kind", NODES)
every_term = pytest.mark.parametrize("kind", TERMS)


def message_of(build: Callable[[], object]) -> str:
    with pytest.raises(DefinitionError) as caught:
        build()
    return str(caught.value)


# Equality and copies.


@every
def test_a_copy_is_the_node_itself(kind):
    node = NODES[kind]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(node, protocol)) is node
    assert copy.deepcopy(node) is node
    assert copy.copy(node) is node


@every
def test_a_node_is_equal_to_itself_alone(kind):
    node = NODES[kind]
    assert node == node.func(*node.args)
    assert hash(node) == hash(node.func(*node.args))
    assert all((node == other) == (node is other) for other in NODES.values())
    assert node != 1
    assert node != str(node)


def test_a_copied_sort_is_not_lost():
    """`b` the integer, the bundle and the real are three."""
    names = (Sym("b"), Sym("b", "real"), Sym("b", axis=1))
    assert [pickle.loads(pickle.dumps(s)) for s in names] == [*names]
    assert len({*names}) == 3


# Derivatives.


@pytest.mark.parametrize("kind", NUMBERS)
def test_the_derivative_by_a_cell(kind):
    term = NUMBERS[kind]
    if kind == "a product of axes":
        term = product(n) * x[b]
    assert sympy.diff(term, x[c]) is Slope(term, x[c])
    assert term.diff(x[c]) is derivative(term, x[c])


@every
@pytest.mark.parametrize("by", [N, z, x, zero_padded(x)[a], 2 * x[a], 1], ids=str)
def test_a_derivative_by_no_cell_is_refused(kind, by):
    assert "cell" in message_of(lambda: sympy.diff(NODES[kind], by))


@pytest.mark.parametrize("cells", [(), (x[a], x[b]), (x[a], 2), ((x[a], 2),)], ids=str)
def test_a_second_derivative_is_refused(cells):
    assert "one cell" in message_of(lambda: (x[a] * x[b]).diff(*cells))


@pytest.mark.parametrize("kind", CONDITIONS | STATEMENTS)
def test_a_derivative_of_a_condition_is_refused(kind):
    assert "one number" in message_of(lambda: sympy.diff(TERMS[kind], x[c]))


def test_a_derivative_of_an_array_or_a_bundle_is_refused():
    assert "read a cell" in message_of(lambda: sympy.diff(x, x[c]))
    assert "one number" in message_of(lambda: n.diff(x[c]))


# Printing.


@every
def test_every_printer_of_formulas_prints(kind):
    node = NODES[kind]
    assert "Sym" not in sympy.latex(node)
    assert sympy.pretty(node) == str(node)
    assert sympy.latex(sympy.Tuple(node)).count(sympy.latex(node)) == 1


def test_a_sum_is_printed_as_one():
    assert sympy.latex(NUMBERS["a sum"]) == r"\sum_{a=0}^{N - 1} x_{a + b}"
    assert sympy.latex(x) == "x"


# Free symbols.

FREE = {
    "a symbol": {N},
    "a read": {b},
    "a padded read": {b, N},
    "a slope": {b, c},
    "a sum": {b, N},
    "a maximum": {b, N},
    "a fold": {b, N},
    "a winner": {b, N},
    "on every axis": {n, i},
    "a scatter": {b, N},
    "an array": {N},
    "an array of bundles": {n},
}


@pytest.mark.parametrize("kind", FREE)
def test_free_symbols(kind):
    assert NODES[kind].free_symbols == FREE[kind]


def test_what_is_bound_is_not_free():
    assert Sum(x[a], (a, 0, a)).free_symbols == {a}  # the one in the end of the range
    assert Sum(x[a], (a, 0, 2)).free_symbols == set()
    assert sympy.Tuple(N + 1, x[a]).free_symbols == {N, a}


# Substitution.


VERBS = {
    "subs": lambda term, old, new: term.subs(old, new),
    "subs of a mapping": lambda term, old, new: term.subs({old: new}),
    "subs of a list": lambda term, old, new: term.subs([(old, new)]),
    "subs at once": lambda term, old, new: term.subs([(old, new)], simultaneous=True),
    "xreplace": lambda term, old, new: term.xreplace({old: new}),
    "replace": lambda term, old, new: term.replace(old, new),
    "within a tuple": lambda term, old, new: sympy.Tuple(term).subs(old, new)[0],
    "within a tuple, xreplace": lambda term, old, new: sympy.Tuple(term).xreplace({old: new})[0],
}
by_every_verb = pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)


def bound_alike(left, right):
    """Equal but for bound names, `a'1` for `a`."""
    return str(left).replace("'1", "′").replace("'2", "′") == str(right)


@by_every_verb
def test_a_bound_name_captures_nothing(verb):
    """SOUNDNESS: `Σ_a x[a + b]` at b = a is no sum of `x[a + a]`."""
    found = verb(NUMBERS["a sum"], b, a)
    assert bound_alike(found, "Σ_{a′ = 0..N - 1} x[a′ + a]")
    assert found.free_symbols == {a, N}


@by_every_verb
@pytest.mark.parametrize("kind", ["a product", "a maximum", "a fold", "exists", "for all"])
def test_no_binder_captures(verb, kind):
    found = verb(TERMS[kind], b, a)
    assert a in found.free_symbols
    assert b not in found.free_symbols


@by_every_verb
def test_a_state_captures_nothing(verb):
    loop = fold(best, (a, 0, N - 1), best=(best, 0, best + beta))
    assert best in verb(loop, beta, best).free_symbols


@by_every_verb
def test_a_bound_name_is_not_replaced(verb):
    total = Sum(x[a], (a, 0, N - 1))
    assert verb(total, a, b) is total
    assert verb(total, x[a], x[b]) is total
    assert verb(winner(a, x[a], (a, 0, 2)), a, 1).free_symbols == set()


@by_every_verb
def test_a_cell_in_a_binder_of_its_new_name(verb):
    """SOUNDNESS: it is replaced there too, and not left alone."""
    found = verb(Sum(x[b] * y[a], (a, 0, 1)), x[b], x[a])
    assert bound_alike(found, "Σ_{a′ = 0..1} x[a]·y[a′]")


@by_every_verb
def test_names_stay_where_nothing_clashes(verb):
    assert verb(NUMBERS["a sum"], b, 3) is Sum(x[a + 3], (a, 0, N - 1))
    assert str(verb(NUMBERS["a sum"], N, 3)) == "Σ_{a = 0..3 - 1} x[a + b]"
    assert verb(x[b], N, 3).array is array("x", 3)
    assert verb(x[b] + N, x[b], y[b]) is y[b] + N
    assert verb(Eq(n, i), n, 3) is Eq(3, i)


@by_every_verb
@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        (N, x[b], "cannot be in the place"),
        (N, N > 1, "cannot be in the place"),
        (N > 1, 1, "cannot be in the place"),
        (N, n, "cannot be in the place"),
        (N, sympy.Float("0.5"), "Float"),
        (N, z, "not of this language"),
        (Sum(x[a], (a, 0, 1)), 1, "cannot be replaced"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(verb, old, new, part):
    assert part in message_of(lambda: verb(N + x[b] + Sum(x[a], (a, 0, 1)), old, new))


@pytest.mark.parametrize("old", [x, Str("x"), sympy.Integer(1)], ids=str)
def test_what_is_no_term_is_not_replaced(old):
    assert "cannot be replaced" in message_of(lambda: (x[b] + 1).xreplace({old: old}))


@pytest.mark.parametrize("kind", ["a slope", "linear", "a scatter"])
def test_a_cell_that_is_spoken_of_is_not_replaced_by_a_value(kind):
    """SOUNDNESS: the derivative of 3 is not that of x[b] where x[b] is 3."""
    assert "only symbols" in message_of(lambda: TERMS[kind].subs(x[b], 3))


def test_several_at_once_or_one_after_another():
    term = a + 2 * b
    assert term.xreplace({a: b, b: a}) is b + 2 * a
    assert term.subs([(a, b), (b, a)]) is a + 2 * a
    assert term.subs([(a, b), (b, a)], simultaneous=True) is b + 2 * a
    assert term.subs({a: b, b: a}, simultaneous=True) is b + 2 * a
    assert term.subs({a: c, b: N}) is c + 2 * N
    assert "one after another" in message_of(lambda: term.subs({a: b, b: a}))


@pytest.mark.parametrize(
    "build",
    [
        lambda: N.subs(3),
        lambda: N.subs(N, 0.5),
        lambda: N.subs(N),
        lambda: N.subs([N]),
        lambda: N.subs(N, 1, 2),
        lambda: N.subs(N, 1, exact=True),
        lambda: (N + 1).replace(Sym, lambda *args: a),
        lambda: (N + 1).replace(lambda u: u is N, lambda u: a),
        lambda: (N + 1).replace(sympy.Wild("w"), a),
        lambda: (N + 1).replace(N, a, map=True),
    ],
)
def test_other_ways_to_replace_are_refused(build):
    message_of(build)


def test_what_a_node_cannot_hold_is_not_in_it():
    assert (N + 1).subs(z, 1) is N + 1


# Verbs that leave a node as it is.

LEAVING = {
    "simplify": sympy.simplify,
    "expand": sympy.expand,
    "factor": sympy.factor,
    "together": sympy.together,
    "powsimp": sympy.powsimp,
    "evalf": lambda term: term.evalf(),
    "doit": lambda term: term.doit(),
    "rewrite": lambda term: term.rewrite(sympy.Piecewise),
    "sympify": sympy.sympify,
}


@every_term
@pytest.mark.parametrize("verb", LEAVING)
def test_a_verb_leaves_a_node_as_it_is(kind, verb):
    assert LEAVING[verb](TERMS[kind]) is TERMS[kind]


def test_what_is_simplified_nowhere():
    """SOUNDNESS: SymPy would forget that b must not be 0."""
    for term in (Mul(b, 1 / b), b / b, (N * b) // b, If(N >= 1, x[b], x[b])):
        assert all(verb(term) is term for verb in LEAVING.values())


@every_term
def test_sympy_knows_nothing_of_a_node(kind):
    term = TERMS[kind]
    assert term.equals(term)
    assert term.equals(1) is None
    assert term.is_constant() is None
    assert term.is_zero is None


# Verbs that refuse.

REFUSING = {
    "solve": lambda term: sympy.solve(term, N),
    "lambdify": lambda term: sympy.lambdify([N], term),
    "lambdify by nothing": lambda term: sympy.lambdify([], term),
    "cancel": sympy.cancel,
    "apart": sympy.apart,
    "Poly": sympy.Poly,
    "code in C": sympy.ccode,
    "code in Python": sympy.pycode,
    "sqrt": sympy.sqrt,
}


@every_term
@pytest.mark.parametrize("verb", REFUSING)
def test_a_verb_refuses(kind, verb):
    message_of(lambda: REFUSING[verb](TERMS[kind]))


def test_a_refusal_says_why():
    assert "do not know this language" in message_of(lambda: sympy.solve(N + 1, N))
    assert "use sqrt of gradproof.language" in message_of(lambda: sympy.sqrt(N))


@every_term
@pytest.mark.parametrize("verb", [float, int, complex, bool, iter, len], ids=lambda v: v.__name__)
def test_a_node_is_no_number_of_python(kind, verb):
    with pytest.raises((DefinitionError, TypeError)):
        verb(TERMS[kind])
