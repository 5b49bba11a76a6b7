"""The kinds of theorems and what they say, in the order of reports. Untrusted."""

KINDS = {
    "satisfiable": "the hypotheses can be met",
    "needed": "each hypothesis is needed, with a witness, or is a convention",
    "defined": "every divisor is nonzero, every logarithm's argument positive",
    "in bounds": "every strict read and every write is within its array",
    "size": "the output size is right for the declared windows",
    "linear": "the rule is linear in what it pushes or pulls",
    "jvp": "the JVP is the derivative, entry by entry",
    "vjp": "the VJP is the transpose of the derivative, entry by entry",
    "ties": "what the rule is where several cells are largest, or branches meet",
    "claim": "what the definition claims beyond that",
}
