// SPDX-License-Identifier: GPL-3.0-or-later
// Layers of published networks, as convolutions. Products of one image are 1 x 1 convolutions of one pixel.
#pragma once

#include "accelerator/systolic.h"

#include <string>
#include <vector>

namespace ridge::accelerator {

struct NetworkLayer {
    std::string name;
    Conv conv; ///< padding in inH and inW; channels and filters of one group
    std::uint32_t groups = 1, pad = 0;
    /// Shares of zeros in inputs and outputs where Eyeriss's paper has them (AlexNet), else 0.
    double zerosIn = 0, zerosOut = 0;

    std::uint64_t macs() const { return gemmOf(conv).macs() * groups; }
    std::uint64_t weights() const { return conv.window() * conv.filters * groups; }
    std::uint64_t inputs() const
    {
        return std::uint64_t{conv.inH - 2 * pad} * (conv.inW - 2 * pad) * conv.channels * groups;
    }
    std::uint64_t outputs() const { return conv.outH() * conv.outW() * conv.filters * groups; }
};

/// alexnet, vgg16, resnet18, resnet50, resnet101, resnet152; images of 224 x 224 (AlexNet's 227 x 227), without batch
/// norm, pooling and bias. He et al. 2015, table 1; Simonyan and Zisserman 2014, configuration D; Krizhevsky et al.
/// 2012, in two groups. The stride of a ResNet bottleneck is in its 3 x 3 convolution. Errors: "unknown-workload".
Result<std::vector<NetworkLayer>> networkNamed(const std::string& name);
const std::vector<std::string>& networkNames();

} // namespace ridge::accelerator
