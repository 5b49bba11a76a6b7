"""Windows counted by the cells that they read, so that equal ones look alike. Trusted."""

from __future__ import annotations

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Term, conjuncts, is_bundle
from gradproof.prove.rules.monomials import linear, tidy, tidy_reads, tidy_relation

OTHER_END = {"first": "last", "last": "first"}


def align_window(node: Term, fresh: Fresh) -> Term:
    """A window counted by the cells it reads: places `j` of `x[s·o + j]` as cells `i` of `x[i]`.

    Where a single index falls as the place rises, the first place is the last cell.
    """
    node = substitute(node, {}, fresh)
    for position in range(len(node.ranges)):
        symbol, first, last = node.ranges[position]
        reads = [u for u in t.walk(node.body) if isinstance(u, t.Read)]
        index = [e for r in reads for e in r.index if symbol in free(e)]
        found = linear(index[0], symbol) if index and symbol not in index else None
        if found is None or found[0] not in (1, -1) or not free(found[1]) <= free(node):
            continue
        if is_bundle(index[0]) != symbol.is_bundle:
            continue
        way, (shift, name) = int(found[0]), (found[1], fresh(symbol))
        if way == -1 and isinstance(node, t.Winner) and len(node.ranges) > 1:
            continue
        values = {symbol: tidy(t.Mul(way, name - shift))}
        head = [substitute(h, values, fresh) for h in node.args[: node.parts]]
        head[0] = tidy_reads(head[0])
        if node.parts > 1:
            head[1] = t.And(*map(tidy_relation, conjuncts(head[1])))
        if isinstance(node, t.Winner):
            places = list(node.args[3])
            places[position] = tidy(t.Mul(way, places[position]) + shift)
            head[3] = sympy.Tuple(*places)
            tie = node.tie.name
            head[2] = node.tie if way == 1 else Str(OTHER_END.get(tie, tie))
        ends = (tidy(t.Mul(way, end) + shift) for end in (first, last)[::way])
        later = (
            sympy.Tuple(s, *(substitute(e, values, fresh) for e in (low, high)))
            for s, low, high in node.ranges[position + 1 :]
        )
        whole = (*node.ranges[:position], sympy.Tuple(name, *ends), *later)
        node = t.rebuild(node, [*head, *whole])
    return node
