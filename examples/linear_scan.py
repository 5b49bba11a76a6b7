"""A linear scan: each state is the last one, scaled, and an input; its VJP runs backwards."""

from gradproof.language import *

T, t, s = integers("T t s")
a, x, h = array("a", T), array("x", T), array("h", T)
a_dot, x_dot, h_dot = tangent(a), tangent(x), tangent(h)
a_bar, x_bar, h_bar, state_bar = cotangent(a), cotangent(x), cotangent(h), cotangent(h, "all")
before, after = zero_padded(h)[t - 1], zero_padded(state_bar)[t + 1]

linear_scan = Op(
    "linear_scan",
    forward=Eq(h[t], a[t] * before + x[t]),
    jvp=Eq(h_dot[t], a_dot[t] * before + a[t] * zero_padded(h_dot)[t - 1] + x_dot[t]),
    vjp=(
        Eq(state_bar[t], h_bar[t] + zero_padded(a)[t + 1] * after),
        Eq(x_bar[t], state_bar[t]),
        Eq(a_bar[t], state_bar[t] * before),
    ),
)
