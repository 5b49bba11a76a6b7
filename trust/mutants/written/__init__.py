"""Wrong ops written by hand, by the op that they are edits of. Untrusted.

Where all equations are edited alike, or only a tie moves, no derivative is wrong: one of the op's
claims catches it.
"""

from trust.mutants.written.adaptive import ADAPTIVE_AVG_POOL2D, ADAPTIVE_MAX_POOL2D
from trust.mutants.written.averages import AVERAGES, SIZES
from trust.mutants.written.convolutions import CONVOLUTIONS, DILATED, GROUPED
from trust.mutants.written.filters import CONV2D, CONV_TRANSPOSE, CONV_TRANSPOSE2D
from trust.mutants.written.images import AVG_POOL2D, MAX_POOL2D, SMOOTH_MAX_POOL2D
from trust.mutants.written.making import Written
from trust.mutants.written.padded import AVG_POOL2D_PAD, MAX_POOL2D_PAD
from trust.mutants.written.pools import MAX_POOL, SMOOTH_MAX_POOL
from trust.mutants.written.unpadding import UNPADDING
from trust.mutants.written.variants import ASYMMETRIC, TWO_AXES, UNCOUNTED
from trust.mutants.written.whole import (
    GLOBAL_AVG_POOL2D,
    GLOBAL_AVG_POOL2D_FLAT,
    GLOBAL_MAX_POOL2D,
    GLOBAL_MAX_POOL2D_FLAT,
)

WRITTEN: dict[str, tuple[Written, ...]] = {
    "avg_pool": (*AVERAGES, *SIZES, *UNCOUNTED, *ASYMMETRIC, *TWO_AXES),
    "conv": (*CONVOLUTIONS, *DILATED, *GROUPED),
    "max_pool": MAX_POOL,
    "smooth_max_pool": SMOOTH_MAX_POOL,
    "max_pool2d": MAX_POOL2D,
    "avg_pool2d": AVG_POOL2D,
    "smooth_max_pool2d": SMOOTH_MAX_POOL2D,
    "max_pool2d_pad": MAX_POOL2D_PAD,
    "avg_pool2d_pad": AVG_POOL2D_PAD,
    "adaptive_avg_pool2d": ADAPTIVE_AVG_POOL2D,
    "adaptive_max_pool2d": ADAPTIVE_MAX_POOL2D,
    "global_avg_pool2d": GLOBAL_AVG_POOL2D,
    "global_avg_pool2d_flat": GLOBAL_AVG_POOL2D_FLAT,
    "global_max_pool2d": GLOBAL_MAX_POOL2D,
    "global_max_pool2d_flat": GLOBAL_MAX_POOL2D_FLAT,
    "conv2d": CONV2D,
    "conv_transpose": CONV_TRANSPOSE,
    "conv_transpose2d": CONV_TRANSPOSE2D,
    "unpad": UNPADDING,
}
