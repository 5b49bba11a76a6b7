"""What a project says in its pyproject.toml, and what is refused there."""

import pytest

from gradproof.settings import Misconfigured, Settings, read, settings


def test_the_nearest_file_upwards_is_read(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.gradproof]\nfloat32 = true\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert settings(inner) == Settings(float32=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert settings(inner) == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flaot32 = true", "no key flaot32; did you mean float32"),
        ("colour = 3", "there are float32"),
        ("float32 = 1", "float32 = 1 is not true or false"),
        ("float32 = ", "Invalid value"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, said):
    with pytest.raises(Misconfigured, match=said):
        read(f"[tool.gradproof]\n{text}")
