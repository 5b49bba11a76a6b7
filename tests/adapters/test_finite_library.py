"""Of stable forms of libraries nothing is told, but of a few, which lose there indeed."""

import pytest
from finite_library import DEFECTS, JAX, TORCH, found
from finite_pairs import SAMPLE

FORMS = [
    pytest.param(form, id=form.name, marks=() if k % (2 * SAMPLE) == 0 else pytest.mark.slow)
    for k, form in enumerate((*TORCH, *JAX))
]


@pytest.mark.parametrize("form", FORMS)
def test_a_stable_form_is_not_told(form):
    assert bool(found(form)) == (form.name in DEFECTS)
