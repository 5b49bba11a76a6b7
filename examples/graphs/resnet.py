"""The stem of a ResNet and a residual block: the input of the block is added to its output."""

from gradproof.graphs import Conv2d, Graph, MaxPool2dPad
from gradproof.language import integers

C, H, W = integers("C H W")

resnet = Graph("resnet")
resnet.assume(C >= 1, H >= 1, W >= 1)
image = resnet.input("image", 3, H, W)

stem = Conv2d(kernel=7, stride=2, padding=3)
pool = MaxPool2dPad(kernel=3, stride=2, padding=1)
same = Conv2d(kernel=3, padding=1)


def conv(layer, x, name, inputs, size):
    kernel = resnet.input(f"{name}_kernel", C, inputs, size, size)
    return resnet.layer(layer, x, kernel, resnet.input(f"{name}_bias", C), name=name)


x = resnet.layer(pool, resnet.relu(conv(stem, image, "stem", 3, 7)))
y = resnet.relu(conv(same, x, "first", C, 3))
y = conv(same, y, "second", C, 3)
resnet.output(resnet.relu(resnet.add(x, y)))
