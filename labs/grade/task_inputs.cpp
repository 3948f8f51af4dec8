// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/task_inputs.h"

#include "labs/harness/small_formats.h"

#include <cstring>

namespace ridge::labs {

std::uint64_t bitsAt(const std::vector<std::byte>& bytes, unsigned size, std::size_t at)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at * size, size);
    return bits;
}

double valueAt(DataType type, const std::vector<std::byte>& bytes, std::size_t at)
{
    const std::uint64_t bits = bitsAt(bytes, sizeOf(type), at);
    const auto low = static_cast<std::uint32_t>(bits);
    switch (type) {
    case DataType::F64: {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    case DataType::F32: {
        float value = 0;
        std::memcpy(&value, &low, sizeof value);
        return value;
    }
    case DataType::F16:
        return valueOf(kFp16, low);
    case DataType::BF16:
        return valueOf(kBf16, low);
    case DataType::I8:
        return static_cast<std::int8_t>(bits);
    case DataType::U8:
    case DataType::U16:
    case DataType::U32:
    case DataType::U64:
        return static_cast<double>(bits);
    case DataType::I16:
        return static_cast<std::int16_t>(bits);
    case DataType::I32:
        return static_cast<std::int32_t>(bits);
    case DataType::I64:
        return static_cast<double>(static_cast<std::int64_t>(bits));
    }
    return 0;
}

std::vector<double> Inputs::buffer(const char* name) const
{
    for (std::size_t i = 0; i < m_task.parameters.size(); ++i) {
        if (m_task.parameters[i].name != name)
            continue;
        const DataType type = m_task.parameters[i].type;
        std::vector<double> values(m_data.values[i].size() / sizeOf(type));
        for (std::size_t at = 0; at < values.size(); ++at)
            values[at] = valueAt(type, m_data.values[i], at);
        return values;
    }
    throw std::out_of_range(std::string("the task has no parameter ") + name);
}

const References& taskReferences()
{
    static const References all = [] {
        References every;
        for (const References* part : {&moveReferences(), &sumReferences(), &matrixReferences(), &layerReferences()})
            every.insert(part->begin(), part->end());
        return every;
    }();
    return all;
}

} // namespace ridge::labs
