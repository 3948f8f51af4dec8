// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/network.h"

namespace ridge::accelerator {
namespace {

NetworkLayer square(std::string name, std::uint32_t side, std::uint32_t kernel, std::uint32_t channels,
                    std::uint32_t filters, std::uint32_t stride, std::uint32_t pad, std::uint32_t groups = 1)
{
    NetworkLayer layer;
    layer.name = std::move(name);
    // Only what the last window reaches: no row is read that none needs.
    const std::uint32_t out = (side + 2 * pad - kernel) / stride + 1;
    const std::uint32_t in = pad == 0 ? (out - 1) * stride + kernel : side + 2 * pad;
    layer.conv = {in, in, kernel, kernel, channels, filters, stride, stride};
    if (pad > 0 && (in - kernel) % stride != 0) { // a row of padding less on one side
        layer.conv.inH = layer.conv.inW = (out - 1) * stride + kernel;
    }
    layer.pad = pad;
    layer.groups = groups;
    return layer;
}

std::vector<NetworkLayer> alexnet()
{
    std::vector<NetworkLayer> layers{square("conv1", 227, 11, 3, 96, 4, 0), square("conv2", 27, 5, 48, 128, 1, 2, 2),
                                     square("conv3", 13, 3, 256, 384, 1, 1), square("conv4", 13, 3, 192, 192, 1, 1, 2),
                                     square("conv5", 13, 3, 192, 128, 1, 1, 2)};
    // Zeros in the inputs: Chen et al., JSSC 2017, table V. What a layer writes is taken to be as its successor reads
    // it.
    const double zeros[] = {0.0001, 0.387, 0.725, 0.793, 0.776, 0.776};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layers[i].zerosIn = zeros[i];
        layers[i].zerosOut = zeros[i + 1];
    }
    layers.push_back(square("fc6", 6, 6, 256, 4096, 1, 0));
    layers.push_back(square("fc7", 1, 1, 4096, 4096, 1, 0));
    layers.push_back(square("fc8", 1, 1, 4096, 1000, 1, 0));
    return layers;
}

std::vector<NetworkLayer> vgg16()
{
    std::vector<NetworkLayer> layers;
    std::uint32_t side = 224, channels = 3;
    const std::uint32_t widths[] = {64, 128, 256, 512, 512}, depths[] = {2, 2, 3, 3, 3};
    for (std::uint32_t stage = 0; stage < 5; ++stage, side /= 2)
        for (std::uint32_t i = 0; i < depths[stage]; ++i) {
            layers.push_back(square("conv" + std::to_string(stage + 1) + "_" + std::to_string(i + 1), side, 3, channels,
                                    widths[stage], 1, 1));
            channels = widths[stage];
        }
    layers.push_back(square("fc6", 7, 7, 512, 4096, 1, 0));
    layers.push_back(square("fc7", 1, 1, 4096, 4096, 1, 0));
    layers.push_back(square("fc8", 1, 1, 4096, 1000, 1, 0));
    return layers;
}

std::vector<NetworkLayer> resnet(bool bottleneck, const std::uint32_t (&depths)[4])
{
    std::vector<NetworkLayer> layers{square("conv1", 224, 7, 3, 64, 2, 3)};
    std::uint32_t side = 56, channels = 64;
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
        const std::uint32_t width = 64u << stage, out = bottleneck ? 4 * width : width;
        for (std::uint32_t block = 0; block < depths[stage]; ++block) {
            const std::uint32_t stride = stage > 0 && block == 0 ? 2 : 1;
            const std::string name = "conv" + std::to_string(stage + 2) + "_" + std::to_string(block + 1);
            if (block == 0 && (stride == 2 || channels != out))
                layers.push_back(square(name + "_shortcut", side, 1, channels, out, stride, 0));
            if (bottleneck) {
                layers.push_back(square(name + "_a", side, 1, channels, width, 1, 0));
                layers.push_back(square(name + "_b", side, 3, width, width, stride, 1));
                layers.push_back(square(name + "_c", side / stride, 1, width, out, 1, 0));
            } else {
                layers.push_back(square(name + "_a", side, 3, channels, width, stride, 1));
                layers.push_back(square(name + "_b", side / stride, 3, width, width, 1, 1));
            }
            side /= stride;
            channels = out;
        }
    }
    layers.push_back(square("fc", 1, 1, channels, 1000, 1, 0));
    return layers;
}

} // namespace

const std::vector<std::string>& networkNames()
{
    static const std::vector<std::string> names{"alexnet", "vgg16", "resnet18", "resnet50", "resnet101", "resnet152"};
    return names;
}

Result<std::vector<NetworkLayer>> networkNamed(const std::string& name)
{
    if (name == "alexnet")
        return alexnet();
    if (name == "vgg16")
        return vgg16();
    if (name == "resnet18")
        return resnet(false, {2, 2, 2, 2});
    if (name == "resnet50")
        return resnet(true, {3, 4, 6, 3});
    if (name == "resnet101")
        return resnet(true, {3, 4, 23, 3});
    if (name == "resnet152")
        return resnet(true, {3, 8, 36, 3});
    return Error{"unknown-workload", "there is no network \"" + name + "\"", "parameter workload",
                 "write alexnet, vgg16, resnet18, resnet50, resnet101 or resnet152"};
}

} // namespace ridge::accelerator
