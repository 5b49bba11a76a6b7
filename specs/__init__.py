"""The op definitions, one file per family; each is built when it is first asked for."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# The ops in their order, each with the module that defines it.
HOMES = {
    "max_pool": "max_pool",
    "avg_pool": "avg_pool",
    "smooth_max_pool": "smooth_max_pool",
    "max_pool2d": "pool2d",
    "avg_pool2d": "pool2d",
    "smooth_max_pool2d": "pool2d",
    "max_pool2d_pad": "pool2d_pad",
    "avg_pool2d_pad": "pool2d_pad",
    "adaptive_avg_pool2d": "adaptive",
    "adaptive_max_pool2d": "adaptive",
    "global_avg_pool2d": "global_pool",
    "global_avg_pool2d_flat": "global_pool",
    "global_max_pool2d": "global_pool",
    "global_max_pool2d_flat": "global_pool",
    "conv": "conv",
    "conv2d": "conv2d",
    "conv_transpose": "conv_transpose",
    "conv_transpose2d": "conv_transpose2d",
    "unpad": "unpad",
}

__all__ = ["HOMES", "OPS", *HOMES]


def __getattr__(name: str) -> Any:
    if name == "OPS":
        return tuple(map(__getattr__, HOMES))
    if name not in HOMES:
        raise AttributeError(f"module 'gradproof.specs' has no attribute {name!r}")
    return getattr(import_module(f"gradproof.specs.{HOMES[name]}"), name)


class Package(ModuleType):
    """`gradproof.specs.conv` is the op, also once its module of the same name has been imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = Package
