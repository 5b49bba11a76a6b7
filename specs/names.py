"""The names of the source documents, each with the op in which it lives, and the part of it."""

FORWARD, JVP, VJP, NODE, SIZE = "forward", "jvp", "vjp", "a node of a graph", "sizes"

SOURCE = {
    # builders of graphs
    "maxPool": ("max_pool", NODE),
    "avgPool": ("avg_pool", NODE),
    "smoothMaxPool": ("smooth_max_pool", NODE),
    "maxPool2d": ("max_pool2d", NODE),
    "maxPool2dPad": ("max_pool2d_pad", NODE),
    "smoothMaxPool2d": ("smooth_max_pool2d", NODE),
    "avgPool2d": ("avg_pool2d", NODE),
    "avgPool2dPad": ("avg_pool2d_pad", NODE),
    "convTranspose": ("conv_transpose", NODE),
    "convTranspose2d": ("conv_transpose2d", NODE),
    # pooling of any rank
    "maxPoolSpec": ("max_pool", FORWARD),
    "maxPoolJvpSpec": ("max_pool", JVP),
    "maxPoolValue": ("max_pool", "claim: the loop computes the maximum"),
    "getPaddedMaxInputVal?": ("max_pool", "forward: cells where `is_real` holds"),
    "avgPoolSpec": ("avg_pool", FORWARD),
    "smoothMaxPoolSpec": ("smooth_max_pool", FORWARD),
    "poolOutSpatialPad": ("max_pool", SIZE),
    # pooling of images
    "smoothMaxPool2dBackwardSpec": ("smooth_max_pool2d", "claims: each channel alone"),
    "smoothMaxPool2dMultiBackwardSpec": ("smooth_max_pool2d", VJP),
    "maxPool2dBackwardSpec": ("max_pool2d", "claims: each channel alone"),
    "maxPool2dMultiSpecPad": ("max_pool2d_pad", FORWARD),
    "maxPool2dMultiJvpSpecPad": ("max_pool2d_pad", JVP),
    "maxPool2dMultiBackwardSpecPad": ("max_pool2d_pad", VJP),
    "avgPool2dMultiSpecPad": ("avg_pool2d_pad", FORWARD),
    "avgPool2dMultiBackwardSpecPad": ("avg_pool2d_pad", "vjp x_bar_unpad"),
    "unpadImage": ("unpad", "claims: each channel alone"),
    "unpadMultiChannel": ("unpad", FORWARD),
    # global pooling
    "reduceSpatial": ("global_avg_pool2d", "claim: the loop adds up to the mean"),
    "globalChannelReduce": ("global_avg_pool2d", "claim: the loop adds up to the mean"),
    "channelSpatialMax": ("global_max_pool2d", "claim: the loop computes the maximum"),
    "globalPool2d1x1": ("global_avg_pool2d", "forward, of this and of `global_max_pool2d`"),
    "globalPool2dFlat": ("global_avg_pool2d_flat", "forward, of this and of the maximum's"),
    "globalAvgPool2dSpec": ("global_avg_pool2d", FORWARD),
    "globalAvgPool2dBackwardSpec": ("global_avg_pool2d", VJP),
    "globalAvgPool2dFlatSpec": ("global_avg_pool2d_flat", FORWARD),
    "globalAvgPool2dFlatBackwardSpec": ("global_avg_pool2d_flat", VJP),
    "globalMaxPool2dSpec": ("global_max_pool2d", FORWARD),
    "globalMaxPool2dBackwardSpec": ("global_max_pool2d", "vjp x_bar"),
    "globalMaxPool2dBackwardDistributedSpec": ("global_max_pool2d", "vjp x_bar_distributed"),
    "globalMaxPool2dFlatSpec": ("global_max_pool2d_flat", FORWARD),
    "globalMaxPool2dFlatBackwardSpec": ("global_max_pool2d_flat", VJP),
    # convolution
    "convOutSpatial": ("conv", SIZE),
    "convTransposeOutSpatial": ("conv_transpose", SIZE),
}
