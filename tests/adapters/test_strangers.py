"""What stopped functions of other people at the first call: each with a wrong twin."""

import pytest

from gradproof import numpy as gp
from gradproof.tracing import refuting
from tests.adapters import strangers_numpy as code

SAID = {
    "gelu": {"x": ("N", "C")},
    "swish": {"x": ("N", "C")},
    "padded": {"x": ("N", "L")},
    "traced": {"x": ("N", "M"), "y": ("M", "N")},
    "columns": {"x": "N", "y": "N"},
    "inner": {"x": ("N", "D"), "w": ("K", "D")},
    "norm": {"x": ("N", "D")},
}


@pytest.mark.parametrize("name", SAID)
def test_functions_of_numpy_by_its_own_names_of_arguments(name):
    forward = getattr(code, name)
    right = gp.check(forward, getattr(code, f"{name}_backward"), **SAID[name])
    assert right, right
    wrong = gp.check(forward, getattr(code, f"{name}_wrong"), **SAID[name])
    assert wrong.status == "refuted", wrong


def test_a_constant_of_ten_digits_is_rounding():
    report = gp.check(code.gelu, code.few_digits, x=("N", "C"))
    assert report.status == "rounding"


@pytest.mark.parametrize("options", [{}, {"scale": 3.0}])
def test_memory_in_single_precision_and_a_dictionary_with_others_in_it(options):
    said = {"x": ("N", "C"), "options": gp.given(options)}
    right = gp.check(code.single, code.single_backward, **said)
    assert right, right
    assert gp.check(code.single, code.single_wrong, **said).status == "refuted"


def test_a_norm_has_a_value_at_0_and_no_derivative():
    report = gp.check(code.norm, code.norm_backward, x=("N", "D"))
    assert report.scope == "for all sizes with N ≥ 1; D ≥ 1, off the boundary"
    assert "y[o1] = if(" in report.definition


@pytest.mark.slow
def test_a_norm_that_divides_by_1_at_0_is_not_misread():
    report = gp.check(code.norm, code.unguarded_backward, x=("N", "D"))
    assert report.status in ("proved", "unknown")


def test_arrays_of_an_object_that_have_no_gradient_are_constants_of_their_shape():
    given = code.Scaled(3)
    unsaid = gp.check(given, x=("N", 3))  # the weight has one, which nobody would check
    assert "weight is an array of the object; say its shape" in unsaid.note
    right = gp.check(given, x=("N", 3), weight=(3,))
    assert right, right
    assert given.shift[0] == 1
    wrong = gp.check(given.forward, given.backward_wrong, x=("N", 3), weight=(3,))
    assert wrong.status == "refuted"


def test_functions_of_a_class_and_the_object_as_self():
    said = {"self": code.Scaled(2), "x": ("N", 2), "weight": (2,)}
    assert gp.check(code.Scaled.forward, code.Scaled.backward, **said)
    wrong = gp.check(code.Scaled.forward, code.Scaled.backward_wrong, **said)
    assert wrong.status == "refuted"


def test_a_result_of_one_cell_is_a_number():
    said = {"x": ("N", 1), "y": gp.constant("N", 1)}
    loss = code.Squares()
    assert gp.check(loss.forward, loss.backward, **said)
    assert gp.check(loss.forward, loss.backward_wrong, **said).status == "refuted"
    with pytest.raises(TypeError, match="that of a number"):
        gp.check(loss.forward, loss.backward, x=("N", 2), y=gp.constant("N", 2))


def test_methods_of_two_objects_that_are_alike():
    assert gp.check(code.Huber(2.0).loss, code.Huber(2.0).grad, x="N")
    assert gp.check(code.Huber(2.0).loss, code.Huber(2.0).wrong, x="N").status == "refuted"
    other = gp.check(code.Huber(2.0).loss, code.Huber(3.0).grad, x="N")
    assert not other


@pytest.mark.slow
def test_the_norm_of_jax_at_0():
    jax = pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")
    jp = pytest.importorskip(
        "gradproof.jax", reason="JAX is not installed; make extras installs it"
    )
    jnp = jax.numpy

    def made(factor):
        @jax.custom_jvp
        def norm(x):
            return jnp.sqrt(jnp.sum(x * x, axis=-1))

        @norm.defjvp
        def rule(primals, tangents):
            (x,), (v,) = primals, tangents
            size = norm(x)
            slope = factor * jnp.sum(x * v, axis=-1) / jnp.where(size > 0, size, 1.0)
            return size, jnp.where(size > 0, slope, 0.0)

        return norm

    right = jp.check(made(1), x=("N", "D"))
    assert right, right
    assert "off the boundary" in right.scope
    assert jp.check(made(2), x=("N", "D")).status == "refuted"


def test_an_older_pytorch_than_was_run_is_told():
    pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    from gradproof.torch.running import too_old

    assert too_old("2.13.0+cpu") == too_old("2.15.0+cu132") == too_old("3.0.1") == ""
    assert too_old("2.11.0").startswith("; this is PyTorch 2.11.0, and code is read with 2.13")


def test_numbers_are_told_with_few_digits():
    assert refuting.short("1/3") == "0.333333"
    assert refuting.short("[1999999999999.9995117, 2000000000000.0002441]") == "2e+12"
    assert refuting.short("no number") == "no number"


@pytest.mark.slow
def test_what_is_off_by_less_than_numbers_show_is_told_with_its_place():
    report = gp.check(code.logarithm, code.clamped, x="N", requires="x > 0")
    assert report.status == "unknown"
    first, second = report.note.splitlines()
    assert first.startswith("the gradient of x is off, exactly computed, at N = 1, x[0] = 1/")
    assert "is due" in first
    assert "not exact enough" in second
