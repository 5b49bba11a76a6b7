"""The kinds of theorems, in the order of reports. Untrusted."""

KINDS = (
    *("satisfiable", "needed", "defined", "in bounds", "size", "linear", "jvp", "vjp", "ties"),
    "claim",
)
