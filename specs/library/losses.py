"""Losses: one number from predictions and targets, the mean over all cells or rows."""

from typing import Any

from gradproof.language import (
    Claim,
    Eq,
    If,
    Max,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    exp,
    integer_array,
    integers,
    log,
    reals,
    sqrt,
    tangent,
)

N, C, D, i, c, j, d, e = integers("N C D i c j d e")
delta, margin, eps = reals("delta margin eps")
x, target, loss = array("x", N), array("target", N), array("loss")
x_dot, loss_dot, x_bar, loss_bar = tangent(x), tangent(loss), cotangent(x), cotangent(loss)
cells = (i, 0, N - 1)


def mean_loss(name: Any, value: Any, slope: Any, doc: Any, *claims: Any, requires: Any = ()) -> Any:
    """The mean of `value(x, target)`, whose derivative by x is `slope(x, target)`."""
    each, along = value(x[i], target[i]), slope(x[i], target[i])
    return Op(
        name,
        requires=(N >= 1, *requires),
        constants=(target,),
        forward=Eq(loss[()], Sum(each, cells) / N),
        jvp=Eq(loss_dot[()], Sum(along * x_dot[i], cells) / N),
        vjp=Eq(x_bar[i], along * loss_bar[()] / N),
        claims=claims,
        doc=doc,
    )


mse_loss = mean_loss(
    "mse_loss",
    lambda x, t: (x - t) ** 2,
    lambda x, t: 2 * (x - t),
    "Mean squared error. PyTorch: `nn.functional.mse_loss`.",
)

l1_loss = mean_loss(
    "l1_loss",
    lambda x, t: abs(x - t),
    lambda x, t: If(x > t, 1, If(x < t, -1, 0)),
    "Mean absolute error. PyTorch: `nn.functional.l1_loss`.",
)

huber_loss = mean_loss(
    "huber_loss",
    lambda x, t: If(abs(x - t) <= delta, (x - t) ** 2 / 2, delta * (abs(x - t) - delta / 2)),
    lambda x, t: Max(-delta, -Max(-delta, -(x - t))),
    "Quadratic near the target, linear far from it. PyTorch: `nn.functional.huber_loss`.",
    Claim("the pieces meet", Eq(delta**2 / 2, delta * (delta - delta / 2))),
    requires=(delta > 0,),
)

smooth_l1_loss = mean_loss(
    "smooth_l1_loss",
    lambda x, t: If(abs(x - t) < delta, (x - t) ** 2 / (2 * delta), abs(x - t) - delta / 2),
    lambda x, t: If(abs(x - t) < delta, (x - t) / delta, If(x > t, 1, -1)),
    "Huber's loss divided by δ. PyTorch: `nn.functional.smooth_l1_loss(beta=delta)`.",
    requires=(delta > 0,),
)

bce_with_logits = mean_loss(
    "bce_with_logits",
    lambda x, t: Max(x, 0) - x * t + log(1 + exp(-abs(x))),
    lambda x, t: 1 / (1 + exp(-x)) - t,
    "Binary cross entropy of logits, in its stable form. "
    "PyTorch: `nn.functional.binary_cross_entropy_with_logits`.",
)

bce_with_logits_plain = mean_loss(
    "bce_with_logits_plain",
    lambda x, t: (1 - t) * x + log(1 + exp(-x)),
    lambda x, t: 1 / (1 + exp(-x)) - t,
    "Binary cross entropy of logits, as in books. "
    "PyTorch: `nn.functional.binary_cross_entropy_with_logits`.",
)

soft_margin_loss = mean_loss(
    "soft_margin_loss",
    lambda x, t: log(1 + exp(-t * x)),
    lambda x, t: -t * exp(-t * x) / (1 + exp(-t * x)),
    "Logistic loss of labels 1 and -1. PyTorch: `nn.functional.soft_margin_loss`.",
)

hinge_loss = mean_loss(
    "hinge_loss",
    lambda x, t: Max(0, margin - t * x),
    lambda x, t: If(t * x < margin, -t, 0),
    "Hinge loss of labels 1 and -1. PyTorch: `clamp(margin - t * x, min=0).mean()`.",
    requires=(margin > 0,),
)

poisson_nll = mean_loss(
    "poisson_nll",
    lambda x, t: exp(x) - t * x,
    lambda x, t: exp(x) - t,
    "Poisson's negative log likelihood of a logarithm. PyTorch: `nn.functional.poisson_nll_loss`.",
)

log_cosh_loss = mean_loss(
    "log_cosh_loss",
    lambda x, t: log((exp(x - t) + exp(t - x)) / 2),
    lambda x, t: (exp(x - t) - exp(t - x)) / (exp(x - t) + exp(t - x)),
    "The logarithm of the hyperbolic cosine of the error. PyTorch: `log(cosh(x - t)).mean()`.",
)

bce = mean_loss(
    "bce",
    lambda x, t: -(t * log(x) + (1 - t) * log(1 - x)),
    lambda x, t: (x - t) / (x * (1 - x)),
    "Binary cross entropy of probabilities between 0 and 1. "
    "PyTorch: `nn.functional.binary_cross_entropy`.",
    requires=(x[i] > 0, x[i] < 1),
)

kl_div = mean_loss(
    "kl_div",
    lambda x, t: exp(t) * (t - x),
    lambda x, t: -exp(t),
    "Kullback-Leibler divergence, both sides logarithms. "
    "PyTorch: `nn.functional.kl_div(x, target, log_target=True)`.",
)

# Of rows.

logits, soft = array("x", N, C), array("target", N, C)
logits_dot, logits_bar = tangent(logits), cotangent(logits)
classes = (c, 0, C - 1)


def total(i: Any) -> Any:
    return Sum(exp(logits[i, j]), (j, 0, C - 1))


weight = Sum(soft[i, e], (e, 0, C - 1))

cross_entropy_soft = Op(
    "cross_entropy_soft",
    requires=(N >= 1, C >= 1),
    constants=(soft,),
    forward=Eq(loss[()], Sum(soft[i, c] * (log(total(i)) - logits[i, c]), cells, classes) / N),
    jvp=Eq(
        loss_dot[()],
        Sum((weight * exp(logits[i, c]) / total(i) - soft[i, c]) * logits_dot[i, c], cells, classes)
        / N,
    ),
    vjp=Eq(
        logits_bar[i, c],
        (weight * exp(logits[i, c]) / total(i) - soft[i, c]) * loss_bar[()] / N,
    ),
    doc="Cross entropy with soft targets, whatever they sum to. "
    "PyTorch: `nn.functional.cross_entropy(x, probabilities)`.",
)

# Of rows and labels.

label = integer_array("label", N, below=C)
hit = bracket(Eq(label[i], c))

nll_loss = Op(
    "nll_loss",
    requires=(N >= 1, C >= 1),
    forward=Eq(loss[()], -Sum(logits[i, label[i]], cells) / N),
    jvp=Eq(loss_dot[()], -Sum(logits_dot[i, label[i]], cells) / N),
    vjp=Eq(logits_bar[i, c], -hit * loss_bar[()] / N),
    doc="The log likelihood of each row's label, negative. PyTorch: `nn.functional.nll_loss`.",
)

chance = exp(logits[i, c]) / total(i)

cross_entropy = Op(
    "cross_entropy",
    requires=(N >= 1, C >= 1),
    forward=Eq(loss[()], Sum(log(total(i)) - logits[i, label[i]], cells) / N),
    jvp=Eq(loss_dot[()], Sum((chance - hit) * logits_dot[i, c], cells, classes) / N),
    vjp=Eq(logits_bar[i, c], (chance - hit) * loss_bar[()] / N),
    doc="Cross entropy of logits and labels. PyTorch: `nn.functional.cross_entropy`.",
)

smoothing = reals("smoothing")
wanted = (1 - smoothing) * hit + smoothing / C

label_smoothing = Op(
    "label_smoothing",
    requires=(N >= 1, C >= 1, smoothing >= 0, smoothing < 1),
    forward=Eq(
        loss[()],
        Sum(
            log(total(i))
            - (1 - smoothing) * logits[i, label[i]]
            - smoothing * Sum(logits[i, e], (e, 0, C - 1)) / C,
            cells,
        )
        / N,
    ),
    jvp=Eq(loss_dot[()], Sum((chance - wanted) * logits_dot[i, c], cells, classes) / N),
    vjp=Eq(logits_bar[i, c], (chance - wanted) * loss_bar[()] / N),
    doc="Cross entropy of labels that share some of their weight with all classes. "
    "PyTorch: `nn.functional.cross_entropy(label_smoothing=smoothing)`.",
)

weights, share = array("weight", C), array("share")
heavy = weights[label[i]]

weighted_cross_entropy = Op(
    "weighted_cross_entropy",
    requires=(N >= 1, C >= 1, weights[c] > 0),
    constants=(weights,),
    let=(Eq(share[()], Sum(heavy, cells)),),
    forward=Eq(loss[()], Sum(heavy * (log(total(i)) - logits[i, label[i]]), cells) / share[()]),
    jvp=Eq(
        loss_dot[()],
        Sum(heavy * (chance - hit) * logits_dot[i, c], cells, classes) / share[()],
    ),
    vjp=Eq(logits_bar[i, c], heavy * (chance - hit) * loss_bar[()] / share[()]),
    doc="Cross entropy with a weight of each class, the mean by weight. "
    "PyTorch: `nn.functional.cross_entropy(weight=weight)`.",
)

multi_margin_loss = Op(
    "multi_margin_loss",
    requires=(N >= 1, C >= 1, margin > 0),
    forward=Eq(
        loss[()],
        Sum((1 - hit) * Max(0, margin - logits[i, label[i]] + logits[i, c]), cells, classes)
        / (N * C),
    ),
    vjp=Eq(
        logits_bar[i, c],
        (
            (1 - hit) * bracket(margin - logits[i, label[i]] + logits[i, c] > 0)
            - hit
            * Sum(
                (1 - bracket(Eq(label[i], e)))
                * bracket(margin - logits[i, label[i]] + logits[i, e] > 0),
                (e, 0, C - 1),
            )
        )
        * loss_bar[()]
        / (N * C),
    ),
    doc="Hinge loss of each class that is too near to the label's. "
    "PyTorch: `nn.functional.multi_margin_loss(margin=margin)`.",
)

# Of pairs of vectors.

a, b, y = array("a", N, D), array("b", N, D), array("y", N)
features, others = (d, 0, D - 1), (e, 0, D - 1)
inner = Sum(a[i, e] * b[i, e], others)


def norm(v: Any) -> Any:
    return sqrt(Sum(v[i, e] ** 2, others) + eps)


def turned(v: Any, w: Any) -> Any:
    """How the cosine of v and w changes with cell d of v."""
    return w[i, d] / (norm(v) * norm(w)) - inner * v[i, d] / (norm(v) ** 3 * norm(w))


cosine_similarity = Op(
    "cosine_similarity",
    requires=(N >= 1, D >= 1, eps > 0),
    forward=Eq(y[i], inner / (norm(a) * norm(b))),
    jvp=Eq(
        tangent(y)[i],
        Sum(turned(a, b) * tangent(a)[i, d] + turned(b, a) * tangent(b)[i, d], features),
    ),
    vjp=(
        Eq(cotangent(a)[i, d], turned(a, b) * cotangent(y)[i]),
        Eq(cotangent(b)[i, d], turned(b, a) * cotangent(y)[i]),
    ),
    doc="The cosine of the angle of two rows, ε below each root. "
    "PyTorch: `nn.functional.cosine_similarity`, whose ε bounds the norms instead.",
)

# Without ε, of rows that are not 0.

first_squares, second_squares = (Sum(v[i, e] ** 2, others) for v in (a, b))


def turned_away(v: Any, w: Any, of_v: Any, of_w: Any) -> Any:
    """How the cosine changes with cell d of v, whose squares sum to `of_v`."""
    return (w[i, d] - inner * v[i, d] / of_v) / (sqrt(of_v) * sqrt(of_w))


by_first = turned_away(a, b, first_squares, second_squares)
by_second = turned_away(b, a, second_squares, first_squares)

cosine = Op(
    "cosine_of_rows",
    requires=(N >= 1, D >= 1, first_squares > 0, second_squares > 0),
    forward=Eq(y[i], inner / (sqrt(first_squares) * sqrt(second_squares))),
    jvp=Eq(
        tangent(y)[i],
        Sum(by_first * tangent(a)[i, d] + by_second * tangent(b)[i, d], features),
    ),
    vjp=(
        Eq(cotangent(a)[i, d], by_first * cotangent(y)[i]),
        Eq(cotangent(b)[i, d], by_second * cotangent(y)[i]),
    ),
    doc="The cosine of the angle of two rows that are not 0. "
    "PyTorch: `nn.functional.cosine_similarity`.",
)

anchor, near, far = array("anchor", N, D), array("near", N, D), array("far", N, D)


def squared_distance(v: Any) -> Any:
    return Sum((anchor[i, e] - v[i, e]) ** 2, others)


violated = bracket(squared_distance(near) + margin > squared_distance(far))

triplet_loss = Op(
    "triplet_loss",
    requires=(N >= 1, D >= 1, margin > 0),
    forward=Eq(
        loss[()], Sum(Max(0, squared_distance(near) - squared_distance(far) + margin), cells) / N
    ),
    jvp=Eq(
        loss_dot[()],
        Sum(
            violated
            * 2
            * (
                (far[i, d] - near[i, d]) * tangent(anchor)[i, d]
                - (anchor[i, d] - near[i, d]) * tangent(near)[i, d]
                + (anchor[i, d] - far[i, d]) * tangent(far)[i, d]
            ),
            cells,
            features,
        )
        / N,
    ),
    vjp=(
        Eq(cotangent(anchor)[i, d], violated * 2 * (far[i, d] - near[i, d]) * loss_bar[()] / N),
        Eq(cotangent(near)[i, d], -violated * 2 * (anchor[i, d] - near[i, d]) * loss_bar[()] / N),
        Eq(cotangent(far)[i, d], violated * 2 * (anchor[i, d] - far[i, d]) * loss_bar[()] / N),
    ),
    doc="Triplet loss of squared distances. PyTorch: `nn.functional.triplet_margin_loss`, "
    "which has the distances themselves.",
)
