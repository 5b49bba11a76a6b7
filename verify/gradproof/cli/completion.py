"""Completion scripts for shells, made from the parser. Untrusted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from gradproof import specs
from gradproof.cli.arguments import SHELLS, parser

BASH = """\
_gradproof() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words="{commands} --help --version"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _gradproof gradproof"""


def commands() -> dict[str, argparse.ArgumentParser]:
    actions = parser()._actions
    found = next(a for a in actions if isinstance(a, argparse._SubParsersAction))
    return dict(found.choices)


def options(command: argparse.ArgumentParser) -> list[str]:
    return [o for a in command._actions for o in a.option_strings if o.startswith("--")]


def operands(name: str) -> list[str]:
    """What may follow a command besides options and files."""
    if name == "completion":
        return list(SHELLS)
    return list(specs.HOMES) if name in ("verify", "explain", "list", "report") else []


def show(known: argparse.Namespace) -> int:
    print(script(known.shell))
    return 0


def script(shell: str) -> str:
    if shell == "fish":
        return "\n".join(fish())
    cases = "\n".join(
        f'      {name}) words="{" ".join([*operands(name), *options(command)])}" ;;'
        for name, command in commands().items()
    )
    text = BASH.format(commands=" ".join(commands()), cases=cases)
    return f"autoload -U +X bashcompinit && bashcompinit\n{text}" if shell == "zsh" else text


def fish() -> Iterator[str]:
    names = " ".join(commands())
    yield f"complete -c gradproof -n '__fish_use_subcommand' -f -a '{names}'"
    for name, command in commands().items():
        here = f"complete -c gradproof -n '__fish_seen_subcommand_from {name}'"
        if operands(name):
            yield f"{here} -a '{' '.join(operands(name))}'"
        for option in options(command):
            yield f"{here} -l {option.removeprefix('--')}"
