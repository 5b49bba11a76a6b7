"""A selective scan over a sequence of any length, as in Mamba: each place says what it takes up.

    h[t] = exp(Δ[t]·A)·h[t-1] + Δ[t]·B[t]·x[t]        y[t] = C[t]·h[t] + skip·x[t]

where B, C and the steps Δ > 0 are computed from x. Both equations are ops with rules of their own.
"""

from gradproof.graphs import Graph
from gradproof.language import Eq, Op, Sum, array, cotangent, exp, integers, log, tangent

T, D, N, i, d, n = integers("T D N i d n")  # places, channels, states of each

before, after = array("before", D, N), array("after", D, N)
rate, delta, enter, x = array("rate", D, N), array("delta", D), array("enter", N), array("x", D)
kept = exp(delta[d] * rate[d, n])

advance = Op(
    "advance",
    requires=(D >= 1, N >= 1),
    forward=Eq(after[d, n], kept * before[d, n] + delta[d] * enter[n] * x[d]),
    jvp=Eq(
        tangent(after)[d, n],
        kept * tangent(before)[d, n]
        + kept * before[d, n] * delta[d] * tangent(rate)[d, n]
        + (kept * before[d, n] * rate[d, n] + enter[n] * x[d]) * tangent(delta)[d]
        + delta[d] * (tangent(enter)[n] * x[d] + enter[n] * tangent(x)[d]),
    ),
    vjp=(
        Eq(cotangent(before)[d, n], kept * cotangent(after)[d, n]),
        Eq(cotangent(rate)[d, n], kept * before[d, n] * delta[d] * cotangent(after)[d, n]),
        Eq(
            cotangent(delta)[d],
            Sum(
                (kept * before[d, n] * rate[d, n] + enter[n] * x[d]) * cotangent(after)[d, n],
                (n, 0, N - 1),
            ),
        ),
        Eq(cotangent(enter)[n], Sum(delta[d] * x[d] * cotangent(after)[d, n], (d, 0, D - 1))),
        Eq(cotangent(x)[d], Sum(delta[d] * enter[n] * cotangent(after)[d, n], (n, 0, N - 1))),
    ),
)

state, leave, skip, y = array("state", D, N), array("leave", N), array("skip", D), array("y", D)

show = Op(
    "show",
    requires=(D >= 1, N >= 1),
    forward=Eq(y[d], Sum(leave[n] * state[d, n], (n, 0, N - 1)) + skip[d] * x[d]),
    jvp=Eq(
        tangent(y)[d],
        Sum(tangent(leave)[n] * state[d, n] + leave[n] * tangent(state)[d, n], (n, 0, N - 1))
        + tangent(skip)[d] * x[d]
        + skip[d] * tangent(x)[d],
    ),
    vjp=(
        Eq(cotangent(leave)[n], Sum(state[d, n] * cotangent(y)[d], (d, 0, D - 1))),
        Eq(cotangent(state)[d, n], leave[n] * cotangent(y)[d]),
        Eq(cotangent(skip)[d], x[d] * cotangent(y)[d]),
        Eq(cotangent(x)[d], skip[d] * cotangent(y)[d]),
    ),
)

place = Graph("place")
place.assume(D >= 1, N >= 1)
h, at_place = place.input("h", D, N), place.input("x", D)
of_rate, of_skip = place.input("rate", D, N), place.input("skip", D)
step = place.apply(
    advance,
    before=h,
    rate=of_rate,
    delta=place.input("delta", D),
    enter=place.input("enter", N),
    x=at_place,
)
place.output(place.apply(show, state=step, leave=place.input("leave", N), skip=of_skip, x=at_place))
scan = place.scan("selective_scan", T, {h: step}, shared=(of_rate, of_skip))

u, v = array("u", T, D), array("v", T, D)
softplus = Op(
    "softplus",
    requires=(T >= 1, D >= 1),
    forward=Eq(v[i, d], log(1 + exp(u[i, d]))),
    jvp=Eq(tangent(v)[i, d], tangent(u)[i, d] / (1 + exp(-u[i, d]))),
    vjp=Eq(cotangent(u)[i, d], cotangent(v)[i, d] / (1 + exp(-u[i, d]))),
)

selective = Graph("selective")
selective.assume(T >= 1, D >= 1, N >= 1)
tokens = selective.input("x", T, D)


def projected(name, size):
    weight = selective.input(f"{name}_weight", size, D)
    return selective.linear(tokens, weight, selective.input(f"{name}_bias", size))


selective.output(
    selective.apply(
        scan,
        x=tokens,
        h_first=selective.constant("h_first", D, N),
        rate=selective.input("rate", D, N),
        delta=selective.apply(softplus, u=projected("delta", D)),
        enter=projected("enter", N),
        leave=projected("leave", N),
        skip=selective.input("skip", D),
    )
)
