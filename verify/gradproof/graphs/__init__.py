"""Graphs of ops: `from gradproof.graphs import Graph, Conv2d`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradproof.graphs.graph import Graph as Graph
    from gradproof.graphs.layers import *  # noqa: F403
    from gradproof.graphs.nodes import GraphError as GraphError
    from gradproof.graphs.nodes import Var as Var

HOMES = {"Graph": "graph", "GraphError": "nodes", "Node": "nodes", "Var": "nodes"}
LAYERS = [
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AvgPool",
    "AvgPool2d",
    "AvgPool2dPad",
    "Conv",
    "Conv2d",
    "ConvTranspose",
    "ConvTranspose2d",
    "MaxPool",
    "MaxPool2d",
    "MaxPool2dPad",
    "SmoothMaxPool",
    "SmoothMaxPool2d",
    "Unpad",
]

__all__ = [*HOMES, *LAYERS]


def __getattr__(name: str) -> Any:
    """On first use: SymPy takes half a second to import."""
    if name not in __all__:
        raise AttributeError(f"module 'gradproof.graphs' has no attribute {name!r}")
    return getattr(import_module(f"gradproof.graphs.{HOMES.get(name, 'layers')}"), name)
