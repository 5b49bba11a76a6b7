"""How long the suite takes, imports included, and how much memory; run by `make bench`."""

import resource
import time

start = time.perf_counter()

from specs import OPS  # noqa: E402 - the import is part of what is measured
from verify.suite import verify  # noqa: E402 - likewise

if __name__ == "__main__":
    theorems = 0
    for op in OPS:
        before = time.perf_counter()
        report = verify(op)
        theorems += len(report.verdicts)
        slowest = max(report.verdicts, key=lambda v: v.seconds)
        print(
            f"{op.name:<24} {time.perf_counter() - before:6.2f} s  {report.status:<9}"
            f" slowest: {slowest.name} ({slowest.seconds:.2f} s)"
        )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    total = time.perf_counter() - start
    print(f"{len(OPS)} ops, {theorems} theorems: {total:.2f} s, {memory:.0f} MB")
