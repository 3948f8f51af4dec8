// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the bytes of ONNX files for tests, good ones and hostile ones.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace ridge::onnx_writer {

inline std::string varint(std::uint64_t value)
{
    std::string out;
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    return out + static_cast<char>(value);
}
inline std::string number(int field, std::int64_t value)
{
    return varint(std::uint64_t(field) << 3) + varint(static_cast<std::uint64_t>(value));
}
inline std::string bytes(int field, const std::string& value)
{
    return varint(std::uint64_t(field) << 3 | 2) + varint(value.size()) + value;
}

using Names = std::vector<std::string>;
using Sizes = std::vector<std::int64_t>;

inline std::string attribute(const std::string& name, std::int64_t value)
{
    return bytes(5, bytes(1, name) + number(3, value) + number(20, 2));
}
inline std::string attribute(const std::string& name, const Sizes& values)
{
    std::string all;
    for (const std::int64_t each : values)
        all += number(8, each);
    return bytes(5, bytes(1, name) + all + number(20, 7));
}
inline std::string graphAttribute(const std::string& name, const std::string& graph)
{
    return bytes(5, bytes(1, name) + bytes(6, graph) + number(20, 5));
}
inline std::string textAttribute(const std::string& name, const std::string& text)
{
    return bytes(5, bytes(1, name) + bytes(4, text) + number(20, 3));
}
/// A node of a graph; `attributes` and `domain` as they are written.
inline std::string node(const std::string& op, const Names& inputs, const Names& outputs,
                        const std::string& attributes = {}, const std::string& domain = {}, int field = 1)
{
    std::string out;
    for (const std::string& each : inputs)
        out += bytes(1, each);
    for (const std::string& each : outputs)
        out += bytes(2, each);
    return bytes(field, out + bytes(4, op) + attributes + (domain.empty() ? std::string() : bytes(7, domain)));
}
/// Without its values, as a file with external data has it.
inline std::string tensor(const std::string& name, const Sizes& dims, int type = 1, const std::string& more = {})
{
    std::string out;
    for (const std::int64_t each : dims)
        out += number(1, each);
    return out + number(2, type) + bytes(8, name) + more;
}
inline std::string weight(const std::string& name, const Sizes& dims, int type = 1)
{
    return bytes(5, tensor(name, dims, type));
}
inline std::string integers(const std::string& name, const Sizes& values, bool scalar = false)
{
    std::string packed;
    for (const std::int64_t each : values)
        packed += varint(static_cast<std::uint64_t>(each));
    return bytes(5, tensor(name, scalar ? Sizes{} : Sizes{std::int64_t(values.size())}, 7, bytes(7, packed)));
}
/// A size is a number, or the name of one.
inline std::string value(int field, const std::string& name, const Names& dims, int type = 1)
{
    std::string shape;
    for (const std::string& each : dims)
        shape += bytes(1, !each.empty() && (each[0] == '-' || (each[0] >= '0' && each[0] <= '9'))
                              ? number(1, std::stoll(each))
                              : bytes(2, each));
    return bytes(field, bytes(1, name) + bytes(2, bytes(1, number(1, type) + bytes(2, shape))));
}
inline std::string input(const std::string& name, const Names& dims, int type = 1)
{
    return value(11, name, dims, type);
}
inline std::string output(const std::string& name)
{
    return bytes(12, bytes(1, name));
}
inline std::string opset(std::int64_t version, const std::string& domain = {})
{
    return bytes(8, bytes(1, domain) + number(2, version));
}
inline std::string model(const std::string& graph, std::int64_t version = 17, const std::string& more = {})
{
    return number(1, 8) + bytes(2, "writer") + bytes(7, graph) + opset(version) + more;
}

} // namespace ridge::onnx_writer
