// SPDX-License-Identifier: GPL-3.0-or-later
// An ONNX file as what it says of its graph. Weights stay on the disk: of a tensor its type and sizes are read, and the
// values of small ones, which shapes are computed from.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::workload {

/// Numbers of TensorProto.DataType that anything here depends on.
enum class OnnxType : int { None = 0, Float = 1, Int8 = 3, Int32 = 6, Int64 = 7, Text = 8, Bool = 9, Half = 10 };

struct OnnxTensor {
    std::string name;
    int type = 0; ///< as the format numbers them
    std::vector<std::int64_t> dims;
    bool known = false;         ///< whether `values` has all of them
    std::vector<double> values; ///< of a small tensor
    std::string outside;        ///< the file that holds the values, where another does
};

/// A size that is fixed, or has a name and is known when the model runs; of an input that names none "x[1]".
struct OnnxDim {
    std::int64_t size = -1;
    std::string symbol;
};

struct OnnxValue {
    std::string name;
    int type = 0;
    bool shaped = false; ///< whether `dims` are told; a scalar has none
    std::vector<OnnxDim> dims;
};

struct OnnxGraph;
struct OnnxAttribute {
    std::string name, from; ///< `from` names the function's attribute that gives it
    double number = 0;      ///< f or i
    std::string text;
    std::vector<double> numbers; ///< floats or ints
    std::shared_ptr<const OnnxTensor> tensor;
    std::shared_ptr<const OnnxGraph> graph;
};

struct OnnxNode {
    std::string op, domain, name;
    std::vector<std::string> inputs, outputs;
    std::vector<OnnxAttribute> attributes;
    const OnnxAttribute* attribute(std::string_view wanted) const;
};

struct OnnxGraph {
    std::string name;
    std::vector<OnnxNode> nodes;
    std::vector<OnnxTensor> initializers;
    std::vector<OnnxValue> inputs, outputs, values;
};

struct OnnxFunction {
    std::string name, domain;
    std::vector<std::string> inputs, outputs;
    std::vector<OnnxNode> nodes;
    std::vector<OnnxAttribute> defaults;
};

struct OnnxFile {
    std::int64_t version = 0; ///< of the format
    std::string producer, producerVersion;
    std::map<std::string, std::int64_t> opsets; ///< by domain; "": the operators of ONNX itself
    OnnxGraph graph;
    std::vector<OnnxFunction> functions;
};

/// Reads at most 2 GiB, 8 graphs within each other, 50,000 nodes, 64 MiB of names and small values, sizes below 2^40 in
/// at most 16 dimensions. Errors: those of PlainFile; "bad-onnx" with the part of the file as the place and the fix.
Result<OnnxFile> readOnnx(const std::filesystem::path& path);
/// The same from memory; `place` is the file's name.
Result<OnnxFile> parseOnnx(std::string_view bytes, const std::string& place);

} // namespace ridge::workload
