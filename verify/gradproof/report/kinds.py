"""The kinds of theorems and what they say, in the order of reports. Untrusted."""

SECTIONS = {
    "The rules": {
        "jvp": "the JVP is the derivative, entry by entry",
        "vjp": "the VJP is the transpose of the derivative, entry by entry",
        "linear": "the rule is linear in what it pushes or pulls",
        "ties": "what the rule is where several cells are largest, or branches meet",
    },
    "Sizes and accesses": {
        "size": "the output size is right for the declared windows",
        "defined": "every divisor is nonzero, every logarithm's argument positive",
        "in bounds": "every strict read and every write is within its array",
        "order": "in a recurrence every cell is computed from earlier ones",
    },
    "Claims": {"claim": "what the definition claims beyond that"},
    "What is needed": {
        "satisfiable": "the hypotheses can be met",
        "needed": "each hypothesis is needed, with a witness, or is a convention",
    },
}
OF_GRAPHS = {"What it rests on": {"rules": "what a graph needs of an op is proved"}}
KINDS = {kind: meaning for kinds in SECTIONS.values() for kind, meaning in kinds.items()}
MEANINGS = KINDS | OF_GRAPHS["What it rests on"]
