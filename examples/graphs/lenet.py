"""LeNet-5 on images of any size: two convolutions with pooling, three linear layers."""

from gradproof.graphs import Graph
from gradproof.language import integers

H, W = integers("H W")

lenet = Graph("lenet")
lenet.assume(H >= 16, W >= 16)
x = lenet.input("x", 1, H, W)

for number, (inputs, outputs) in enumerate(((1, 6), (6, 16)), 1):
    kernel = lenet.input(f"kernel{number}", outputs, inputs, 5, 5)
    bias = lenet.input(f"shift{number}", outputs)
    x = lenet.max_pool2d(lenet.relu(lenet.conv2d(x, kernel, bias)), kernel=2)

x = lenet.flatten(x)
for number, outputs in enumerate((120, 84), 1):
    weight = lenet.input(f"weight{number}", outputs, x.shape[0])
    bias = lenet.input(f"bias{number}", outputs)
    x = lenet.relu(lenet.linear(x, weight, bias))
scores = lenet.linear(x, lenet.input("weight3", 10, 84), lenet.input("bias3", 10))
lenet.output(scores)
