"""Attacks: definitions that are wrong, which must never be proved, and true ones never refuted.

They are in `tests/attacks/test_<subject>.py`. Where the second route would see the mistake at small
sizes, an attack hides it behind `N < 50` or a window of `max(0, N - 50) + 1` cells, so that only
the proof for all sizes can be at fault. Docstrings that begin with SOUNDNESS say what was once
proved.
"""

from unittest.mock import patch

from gradproof.language import (
    Claim,
    DefinitionError,
    Eq,
    If,
    Max,
    Op,
    array,
    axes,
    bracket,
    cotangent,
    integers,
    reals,
    tangent,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove
from gradproof.settle import search
from gradproof.settle.check import settled
from gradproof.settle.conclusions import RANKS
from gradproof.theorems.obligations import obligations

N, M, K, C, a, b, c, u, v, w = integers("N M K C a b c u v w")
n, k, s, p, i, j, o = axes("n k s p i j o")
beta, best, total = reals("beta best total")
at, has, count = integers("at has count")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
BAD = "proved"
LIMIT = RLIMIT // 4
LAST = Max(0, N - 50)
FAR, LATE = bracket(N >= 50), If(N < 50, 0, 1)


def op(**changes):
    """The identity, with some of its parts changed."""
    parts = {
        "name": "attack",
        "requires": (N >= 1,),
        "forward": Eq(y[a], x[a]),
        "jvp": Eq(y_dot[a], x_dot[a]),
        "vjp": Eq(x_bar[a], y_bar[a]),
    }
    parts |= changes
    return Op(parts.pop("name"), **parts)


def theorems(definition, *kinds):
    wanted = [th for th in obligations(definition) if not kinds or th.kind in kinds]
    assert wanted
    return wanted


def found(definition, *kinds):
    """The findings of all theorems, or of those of some kinds."""
    return [settled(th, LIMIT) for th in theorems(definition, *kinds)]


def scopes(definition, *kinds):
    """The scopes of what is proved; whether the rest is false is not asked."""
    with patch("gradproof.settle.check.searched", lambda *_: (None, False)):
        return [f.scope for f in found(definition, *kinds) if f.status == BAD]


def at_few_shapes():
    """Counterexamples are looked for at small shapes alone: there is none, or a small one."""
    return patch.multiple(search, TRIALS=search.FIRST, CLOSE=4)


def statuses(definition, *kinds):
    return [f.status for f in found(definition, *kinds)]


def is_proved(theorem):
    """Whether the verdict is `proved`, without a search for counterexamples if it is not."""
    ranks = RANKS if theorem.is_rank_generic else (None,)
    instances = (theorem if r is None else theorem.at_rank(r) for r in ranks)
    if any(prove(instance, False, LIMIT).status != BAD for instance in instances):
        return False
    return settled(theorem, LIMIT).status == BAD


def proofs(definition, *kinds):
    return [is_proved(th) for th in theorems(definition, *kinds)]


def all_proved(definition, *kinds):
    return all(proofs(definition, *kinds))


def claiming(statement, given, changes):
    return op(claims=(Claim("c", statement, given=given),), **changes)


def claim(statement, given=(), **changes):
    """The finding for one claim about the identity."""
    (finding,) = found(claiming(statement, given, changes), "claim")
    return finding


def holds(statement, given=(), **changes):
    """Whether a claim about the identity is proved."""
    return all_proved(claiming(statement, given, changes), "claim")


def refused(build):
    """Whether a definition is refused; what is refused is never proved."""
    try:
        build()
    except DefinitionError:
        return True
    return False


def bundled(**changes):
    X, Y = array("x", n), array("y", n)
    parts = {
        "requires": (n >= 1,),
        "forward": Eq(Y[i], X[i]),
        "jvp": Eq(tangent(Y)[i], tangent(X)[i]),
        "vjp": Eq(cotangent(X)[i], cotangent(Y)[i]),
    }
    return Op("bundled", **(parts | changes))


def scope_of(statement, given=(), **changes):
    definition = bundled(claims=(Claim("c", statement, given=given),), **changes)
    (theorem,) = theorems(definition, "claim")
    if not is_proved(theorem):
        return "not proved", ""
    finding = settled(theorem, LIMIT)
    return finding.status, finding.scope


def scaling(forward, weight, requires=(N >= 1,), jvp=None):
    """y[a] from cells of x, and rules that scale by a weight, or a JVP of its own."""
    return op(
        requires=requires,
        forward=Eq(y[a], forward),
        jvp=Eq(y_dot[a], weight * x_dot[a] if jvp is None else jvp),
        vjp=Eq(x_bar[a], weight * y_bar[a]),
    )


def kept(forward, rule, **parts):
    """Both are factors; y = x where that of the forward is 1."""
    return op(
        **parts,
        requires=(N >= 2,),
        forward=Eq(y[a], forward * x[a]),
        jvp=Eq(y_dot[a], rule * x_dot[a]),
        vjp=Eq(x_bar[a], rule * y_bar[a]),
    )
