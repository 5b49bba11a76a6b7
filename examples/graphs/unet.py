"""One level of a U-Net: down, up by a transposed convolution, and joined with what was there.

For which sizes do the sides meet? `infer=True` assumes what the nodes ask; `unet.accepts()` says
what that is: C ≥ 1 and H ≥ 2 and 2 | H and W ≥ 2 and 2 | W.
"""

from gradproof.graphs import Graph
from gradproof.language import integers

C, H, W = integers("C H W")

unet = Graph("unet", infer=True)
x = unet.input("x", C, H, W)


def conv(x, name, inputs, outputs):
    kernel = unet.input(f"{name}_kernel", outputs, inputs, 3, 3)
    return unet.relu(unet.conv2d(x, kernel, unet.input(f"{name}_bias", outputs), padding=1))


here = conv(x, "here", C, C)
down = conv(unet.max_pool2d(here, kernel=2), "down", C, 2 * C)
up = unet.conv_transpose2d(
    down, unet.input("up_kernel", 2 * C, C, 2, 2), unet.input("up_bias", C), stride=2
)
unet.output(conv(unet.concat(here, up), "joined", 2 * C, C))
