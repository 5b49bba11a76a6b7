"""An op whose names and texts are those that markup must not take for its own."""

from dataclasses import replace

from gradproof.language import Claim, Eq, Op, array, cotangent, integers, tangent
from gradproof.settle.suite import verify
from gradproof.settle.verdicts import Report

EVIL = "<script>alert(1)</script>"
SLY = '"><img src=x onerror=alert(1)> `a` [b](javascript:c) $x$ | *d* _e_ -->'

n, i = integers("n i")
x, y = array("x", n), array("y", n)


def evil():
    """The op and its report; its own name is one that the language would refuse."""
    op = Op(
        "evil",
        forward=Eq(y[i], x[i]),
        jvp=Eq(tangent(y)[i], tangent(x)[i]),
        vjp=Eq(cotangent(x)[i], cotangent(y)[i]),
        claims=(
            Claim(SLY, Eq(n, 1), given=(Eq(n, 1),)),
            Claim(f"{EVIL} again", Eq(n, 1), refuted={n: 0}, twin=SLY),
        ),
        doc=f"{EVIL} {SLY}",
    )
    report = verify(op)
    object.__setattr__(op, "name", EVIL)
    return op, Report(EVIL, tuple(replace(v, op=EVIL) for v in report.verdicts))
