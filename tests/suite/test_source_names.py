"""Every item of the source documents is in the table, and where the table says that it is."""

from importlib import import_module
from pathlib import Path

import pytest
from commands import gradproof

from gradproof import graphs, specs
from gradproof.graphs import Graph
from gradproof.report.names import page
from gradproof.specs.names import DOCUMENTS, ITEMS, SOURCE

# The names of definitions in the five documents, read off them.
NAMES = [
    "maxPool",
    "avgPool",
    "smoothMaxPool",
    "maxPool2d",
    "maxPool2dPad",
    "smoothMaxPool2d",
    "avgPool2d",
    "avgPool2dPad",
    "conv",
    "convTranspose",
    "conv2d",
    "convTranspose2d",
    "poolOutSpatialPad",
    "convOutSpatial",
    "convTransposeOutSpatial",
    "maxPoolJvpSpec",
    "unpadImage",
    "unpadMultiChannel",
    "maxPool2dMultiSpecPad",
    "maxPool2dMultiJvpSpecPad",
    "avgPool2dMultiSpecPad",
    "maxPool2dMultiBackwardSpecPad",
    "avgPool2dMultiBackwardSpecPad",
    "smoothMaxPool2dBackwardSpec",
    "smoothMaxPool2dMultiBackwardSpec",
    "MaxPool2DSpec",
    "AvgPool2DSpec",
    "GlobalAvgPool2DSpec",
    "GlobalMaxPool2DSpec",
    "reduceSpatial",
    "channelSpatialMax",
    "globalChannelReduce",
    "globalPool2d1x1",
    "globalPool2dFlat",
    "globalAvgPool2dSpec",
    "globalMaxPool2dSpec",
    "globalAvgPool2dFlatSpec",
    "globalMaxPool2dFlatSpec",
    "globalAvgPool2dBackwardSpec",
    "globalAvgPool2dFlatBackwardSpec",
    "globalMaxPool2dBackwardSpec",
    "globalMaxPool2dFlatBackwardSpec",
    "globalMaxPool2dBackwardDistributedSpec",
    "max_pool2d_spec",
    "smooth_max_pool2d_spec",
    "maxPool2dBackwardSpec",
    "max_pool2d_backward_spec",
    "avg_pool2d_spec",
    "getValueAtPosition",
    "getPaddedMaxInputVal?",
    "maxPoolValue",
    "smoothMaxPoolValue",
    "maxPoolSpatialSpec",
    "max_pool_spatial_spec",
    "avg_pool_spatial_spec",
    "smooth_max_pool_spatial_spec",
    "smoothMaxPoolSpatialBackwardSpec",
    "max_pool_spec",
    "avg_pool_spec",
    "smooth_max_pool_spec",
    "max_pool_backward_spec",
    "avg_pool_backward_spec",
]
SAID = {
    "forward": lambda op: op.forwards,
    "jvp": lambda op: op.jvps,
    "vjp": lambda op: op.vjp,
    "sizes": lambda op: op.output.dims,
    "requires": lambda op: op.requires,
    "doc": lambda op: "TorchLean" in op.doc and op.doc,
}


def is_there(item):
    """Whether the place of an item exists."""
    if item.op not in specs.HOMES:
        return False
    op, part = getattr(specs, item.op), item.part
    if part.startswith("claim: "):
        return part.removeprefix("claim: ") in {claim.name for claim in op.claims}
    if part == "node":
        return hasattr(Graph, item.op)
    if part.startswith("layer "):
        name = part.removeprefix("layer ")
        return name in graphs.LAYERS and getattr(graphs, name).op == item.op
    if part.startswith("at "):
        module, _, name = part.removeprefix("at ").partition(".")
        return hasattr(import_module(f"gradproof.specs.{module}"), name)
    if part.startswith("vjp x_bar"):
        return part in op.equations
    return part in SAID and bool(SAID[part](op))


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.source)
def test_it_is_where_the_table_says(item):
    assert is_there(item)


def test_what_is_not_there_is_found_out():
    item = ITEMS[0]
    for place in (
        *("no_op forward", "max_pool2d claim: no such claim", "max_pool2d at single.nothing"),
        *("unpad layer MaxPool2d", "max_pool2d vjp x_bar_none", "max_pool2d anything", "conv"),
    ):
        assert not is_there(item._replace(place=place)), place


def test_every_name_of_the_source_is_in_the_table():
    assert set(NAMES) <= set(SOURCE)


def test_no_item_stands_twice():
    assert len({item.source for item in ITEMS}) == len(ITEMS)
    assert all(DOCUMENTS.values())


@pytest.mark.parametrize("name", ["unpadMultiChannel", "max_pool_backward_spec"])
def test_a_name_of_the_source_is_explained(name, tmp_path):
    found = gradproof("explain", name, "vjp x_bar", cwd=tmp_path)
    assert found.returncode == 0
    assert SOURCE[name] in found.stdout


def test_the_page_of_names_is_up_to_date():
    found = Path(__file__).parents[2] / "docs" / "source-names.md"
    assert found.read_text("utf-8") == page(), "run make names"
