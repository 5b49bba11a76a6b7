"""Huber's loss: the mean of what is quadratic near the target and linear far from it."""

from gradproof.language import *

N, i = integers("N i")
delta = reals("delta")
x, target, loss = array("x", N), array("target", N), array("loss")  # the loss is one number
x_dot, loss_dot, x_bar, loss_bar = tangent(x), tangent(loss), cotangent(x), cotangent(loss)

error = x[i] - target[i]
slope = Max(-delta, Min(delta, error))
cells = (i, 0, N - 1)


def near(error):
    return error**2 / 2


def far(error):
    return delta * (abs(error) - delta / 2)


huber = Op(
    "huber",
    requires=(N >= 1, delta > 0),
    constants=(target,),
    forward=Eq(loss[()], Sum(If(abs(error) <= delta, near(error), far(error)), cells) / N),
    jvp=Eq(loss_dot[()], Sum(slope * x_dot[i], cells) / N),
    vjp=Eq(x_bar[i], slope * loss_bar[()] / N),
    # Derivatives are compared on either side of a branch: that nothing jumps is one more theorem.
    claims=(
        Claim("the pieces meet at delta", Eq(near(delta), far(delta))),
        Claim("the pieces meet at -delta", Eq(near(-delta), far(-delta))),
    ),
)
