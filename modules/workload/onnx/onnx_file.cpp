// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of fields are those of the format (onnx.proto). Only what an analysis asks for is read; protobuf's stream
// steps over the rest without taking memory for it.
#include "workload/onnx/onnx_file.h"

#include "base/plain_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstring>
#include <fstream>
#include <limits>

namespace ridge::workload {
namespace {

using google::protobuf::io::CodedInputStream;

constexpr std::uint64_t kMostFile = std::numeric_limits<int>::max();
constexpr std::size_t kMostNodes = 50000, kMostTensors = 50000, kMostName = 4096, kMostKept = 64u << 20;
constexpr std::size_t kMostSmall = 4096, kMostRank = 16;
constexpr std::int64_t kMostSize = std::int64_t{1} << 40;
constexpr int kMostDepth = 8;

/// Bytes of a file; what is stepped over is not read.
class FileBytes : public google::protobuf::io::CopyingInputStream {
public:
    explicit FileBytes(const std::filesystem::path& path) : m_file(path, std::ios::binary) {}
    int Read(void* into, int most) override
    {
        m_file.read(static_cast<char*>(into), most);
        return m_file.bad() ? -1 : static_cast<int>(m_file.gcount());
    }
    int Skip(int count) override
    {
        const auto before = m_file.tellg();
        m_file.seekg(0, std::ios::end);
        const auto left = m_file.tellg() - before;
        const auto step = std::min<std::streamoff>(left, count);
        m_file.seekg(before + step);
        return m_file ? static_cast<int>(step) : 0;
    }

private:
    std::ifstream m_file;
};

/// Reads the messages of one file. After the first thing that is wrong nothing more is read.
class Reader {
public:
    Reader(CodedInputStream& in, std::string place) : m_in(in), m_place(std::move(place)) {}

    Result<OnnxFile> file()
    {
        OnnxFile out;
        bool graph = false;
        message("the model", [&](int field, int wire) {
            if (field == 1 && wire == 0)
                return integer(out.version);
            if (field == 2 && wire == 2)
                return text(out.producer);
            if (field == 3 && wire == 2)
                return text(out.producerVersion);
            if (field == 7 && wire == 2) {
                if (graph)
                    return fail("the file has two graphs", "export the model again");
                graph = true;
                return inner("the graph", [&] { return readGraph(out.graph, 0); });
            }
            if (field == 8 && wire == 2)
                return inner("opset_import", [&] { return readOpset(out); });
            if (field == 25 && wire == 2)
                return inner("a function", [&] { return readFunction(out.functions.emplace_back()); });
            return skip(wire);
        });
        if (!m_error && !graph)
            fail("no graph is in it", "give a model that an exporter wrote as .onnx; a file of weights alone, as of "
                                      "external data, has none");
        if (m_error)
            return *m_error;
        // Open sizes without a name are not the same size.
        for (OnnxValue& input : out.graph.inputs)
            for (std::size_t i = 0; i < input.dims.size(); ++i)
                if (OnnxDim& dim = input.dims[i]; dim.size < 0 && (dim.symbol.empty() || dim.symbol == "?"))
                    dim.symbol = input.name + "[" + std::to_string(i) + "]";
        return out;
    }

private:
    bool fail(std::string what, std::string fix)
    {
        if (!m_error)
            m_error = Error{"bad-onnx", std::move(what), m_place, std::move(fix)};
        return false;
    }
    bool damaged(const std::string& part)
    {
        return fail(part + " ends too early or is no protobuf message",
                    "export the model again, or copy the file again");
    }
    bool keep(std::size_t bytes)
    {
        m_kept += bytes;
        return m_kept <= kMostKept || fail("names and small values come to more than 64 MiB",
                                           "export the model without metadata, or a part of it");
    }

    /// All fields up to the end of the message; `each` reads one and says whether that went well.
    template<class Each>
    bool message(const std::string& part, Each each)
    {
        while (!m_error) {
            const std::uint32_t tag = m_in.ReadTag();
            if (tag == 0)
                return m_in.ConsumedEntireMessage() || damaged(part);
            const int field = static_cast<int>(tag >> 3), wire = static_cast<int>(tag & 7);
            if (field == 0 || !each(field, wire))
                return m_error ? false : damaged(part);
        }
        return false;
    }
    /// A message within a message.
    template<class Read>
    bool inner(const std::string& part, Read read)
    {
        std::uint32_t length = 0;
        if (!m_in.ReadVarint32(&length) || length > kMostFile || !fits(length))
            return damaged(part);
        const auto limit = m_in.PushLimit(static_cast<int>(length));
        const bool good = read();
        m_in.PopLimit(limit);
        return good;
    }
    bool fits(std::uint64_t length)
    {
        const int left = m_in.BytesUntilLimit();
        return left < 0 || length <= static_cast<std::uint64_t>(left);
    }
    bool skip(int wire)
    {
        std::uint64_t number = 0;
        std::uint32_t length = 0;
        switch (wire) {
        case 0:
            return m_in.ReadVarint64(&number);
        case 1:
            return m_in.Skip(8);
        case 2:
            return m_in.ReadVarint32(&length) && length <= kMostFile && fits(length) &&
                   m_in.Skip(static_cast<int>(length));
        case 5:
            return m_in.Skip(4);
        default:
            return false; // groups are in no version of the format
        }
    }
    bool integer(std::int64_t& into)
    {
        std::uint64_t number = 0;
        if (!m_in.ReadVarint64(&number))
            return false;
        into = static_cast<std::int64_t>(number);
        return true;
    }
    bool number(int& into)
    {
        std::int64_t wide = 0;
        if (!integer(wide))
            return false;
        into = static_cast<int>(wide);
        return true;
    }
    bool bytes(std::string& into, std::size_t most, const char* what)
    {
        std::uint32_t length = 0;
        if (!m_in.ReadVarint32(&length) || !fits(length))
            return false;
        if (length > most)
            return fail(std::string(what) + " has " + std::to_string(length) + " bytes",
                        "at most " + std::to_string(most) + " are read; export the model again");
        return keep(length) && m_in.ReadString(&into, static_cast<int>(length));
    }
    /// A name; bytes that no terminal should be given become "?".
    bool text(std::string& into)
    {
        if (!bytes(into, kMostName, "a name"))
            return false;
        for (char& each : into)
            if (static_cast<unsigned char>(each) < 0x20 || each == 0x7f)
                each = '?';
        return true;
    }
    bool texts(std::vector<std::string>& into) { return keep(sizeof(std::string)) && text(into.emplace_back()); }

    /// Numbers one by one or packed: varints, or of 4 or 8 bytes.
    template<class Take>
    bool numbers(int wire, int plain, Take take)
    {
        const auto one = [&] {
            std::uint64_t wide = 0;
            std::uint32_t small = 0;
            if (plain == 0)
                return m_in.ReadVarint64(&wide) && take(wide);
            if (plain == 5)
                return m_in.ReadLittleEndian32(&small) && take(small);
            return m_in.ReadLittleEndian64(&wide) && take(wide);
        };
        if (wire == plain)
            return one();
        if (wire != 2)
            return false;
        return inner("a list of numbers", [&] {
            while (m_in.BytesUntilLimit() > 0)
                if (!one())
                    return false;
            return true;
        });
    }
    static double ofFloat(std::uint64_t bits)
    {
        const auto small = static_cast<std::uint32_t>(bits);
        float value = 0;
        std::memcpy(&value, &small, sizeof value);
        return value;
    }
    static double ofDouble(std::uint64_t bits)
    {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    static double ofInteger(std::uint64_t bits) { return static_cast<double>(static_cast<std::int64_t>(bits)); }

    bool sizes(std::vector<std::int64_t>& dims, int wire)
    {
        return numbers(wire, 0, [&](std::uint64_t value) {
            const auto size = static_cast<std::int64_t>(value);
            if (size < 0 || size > kMostSize)
                return fail("a tensor has a size of " + std::to_string(size),
                            "sizes are 0 to 2^40; export the model again");
            if (dims.size() == kMostRank)
                return fail("a tensor has more than 16 dimensions", "export the model again");
            dims.push_back(size);
            return true;
        });
    }

    bool readTensor(OnnxTensor& out)
    {
        std::string raw;
        std::vector<double> listed;
        bool whole = true; // whether all values are in `raw` or `listed`
        const auto take = [&](double value) {
            if (listed.size() < kMostSmall) {
                listed.push_back(value);
                return keep(sizeof value);
            }
            whole = false;
            return true;
        };
        const bool read = message("a tensor", [&](int field, int wire) {
            switch (field) {
            case 1:
                return sizes(out.dims, wire);
            case 2:
                return wire == 0 && number(out.type);
            case 4: // float, int32, int64, double and uint64 data
                return numbers(wire, 5, [&](std::uint64_t v) { return take(ofFloat(v)); });
            case 5:
            case 7:
            case 11:
                return numbers(wire, 0, [&](std::uint64_t v) { return take(ofInteger(v)); });
            case 10:
                return numbers(wire, 1, [&](std::uint64_t v) { return take(ofDouble(v)); });
            case 8:
                return wire == 2 && text(out.name);
            case 9: {
                std::uint32_t length = 0;
                if (wire != 2 || !m_in.ReadVarint32(&length) || length > kMostFile || !fits(length))
                    return false;
                if (length <= 8 * kMostSmall)
                    return keep(length) && m_in.ReadString(&raw, static_cast<int>(length));
                whole = false;
                return m_in.Skip(static_cast<int>(length));
            }
            case 13: // pairs of a key and a value
                return wire == 2 && inner("external data", [&] {
                           std::string key, value;
                           const bool good = message("external data", [&](int f, int w) {
                               return f == 1 && w == 2 ? text(key) : f == 2 && w == 2 ? text(value) : skip(w);
                           });
                           if (good && key == "location")
                               out.outside = value.empty() ? "?" : value;
                           return good;
                       });
            default:
                return skip(wire);
            }
        });
        if (!read)
            return false;
        double count = 1;
        for (const std::int64_t size : out.dims)
            count *= static_cast<double>(size);
        if (!whole || !out.outside.empty() || count > double(kMostSmall))
            return true;
        if (!raw.empty())
            listed = fromRaw(raw, out.type);
        if (double(listed.size()) == count) {
            out.known = true;
            out.values = std::move(listed);
        }
        return true;
    }
    static std::vector<double> fromRaw(const std::string& raw, int type)
    {
        std::vector<double> out;
        const auto read = [&]<class T>(T) {
            for (std::size_t at = 0; at + sizeof(T) <= raw.size(); at += sizeof(T)) {
                T value{};
                std::memcpy(&value, raw.data() + at, sizeof value);
                out.push_back(static_cast<double>(value));
            }
        };
        switch (type) {
        case 1:
            read(float{});
            break;
        case 6:
            read(std::int32_t{});
            break;
        case 7:
            read(std::int64_t{});
            break;
        case 9:
            read(std::uint8_t{});
            break;
        case 11:
            read(double{});
            break;
        default:
            break; // nobody computes a shape in another
        }
        return out;
    }

    bool readValue(OnnxValue& out)
    {
        return message("a value", [&](int field, int wire) {
            if (field == 1 && wire == 2)
                return text(out.name);
            if (field == 2 && wire == 2)
                return inner("a type", [&] {
                    return message("a type", [&](int f, int w) {
                        return f == 1 && w == 2 ? inner("a type", [&] { return readTensorType(out); }) : skip(w);
                    });
                });
            return skip(wire);
        });
    }
    bool readTensorType(OnnxValue& out)
    {
        return message("a type", [&](int field, int wire) {
            if (field == 1 && wire == 0)
                return number(out.type);
            if (field == 2 && wire == 2) {
                out.shaped = true;
                return inner("a shape", [&] {
                    return message("a shape", [&](int f, int w) {
                        if (f != 1 || w != 2)
                            return skip(w);
                        if (out.dims.size() == kMostRank)
                            return fail("a value has more than 16 dimensions", "export the model again");
                        return inner("a size", [&] { return readDim(out.dims.emplace_back()); });
                    });
                });
            }
            return skip(wire);
        });
    }
    bool readDim(OnnxDim& out)
    {
        return message("a size", [&](int field, int wire) {
            if (field == 1 && wire == 0) {
                if (!integer(out.size))
                    return false;
                if (out.size > kMostSize)
                    return fail("a value has a size of " + std::to_string(out.size),
                                "sizes are 0 to 2^40; export the model again");
                return true;
            }
            return field == 2 && wire == 2 ? text(out.symbol) : skip(wire);
        });
    }

    bool readAttribute(OnnxAttribute& out, int depth)
    {
        return message("an attribute", [&](int field, int wire) {
            const auto take = [&](double value) {
                out.numbers.push_back(value);
                return keep(sizeof value);
            };
            switch (field) {
            case 1:
                return wire == 2 && text(out.name);
            case 2: {
                std::uint32_t bits = 0;
                if (wire != 5 || !m_in.ReadLittleEndian32(&bits))
                    return false;
                out.number = ofFloat(bits);
                return true;
            }
            case 3: {
                std::int64_t whole = 0;
                if (wire != 0 || !integer(whole))
                    return false;
                out.number = static_cast<double>(whole);
                return true;
            }
            case 4:
                return wire == 2 && bytes(out.text, kMostKept, "a text");
            case 5:
                return wire == 2 && inner("a tensor", [&] {
                           auto tensor = std::make_shared<OnnxTensor>();
                           out.tensor = tensor;
                           return readTensor(*tensor);
                       });
            case 6:
                return wire == 2 && inner("a graph", [&] {
                           auto graph = std::make_shared<OnnxGraph>();
                           out.graph = graph;
                           return readGraph(*graph, depth + 1);
                       });
            case 7:
                return numbers(wire, 5, [&](std::uint64_t v) { return take(ofFloat(v)); });
            case 8:
                return numbers(wire, 0, [&](std::uint64_t v) { return take(ofInteger(v)); });
            case 21:
                return wire == 2 && text(out.from);
            default:
                return skip(wire);
            }
        });
    }

    bool readNode(OnnxNode& out, int depth)
    {
        if (++m_nodes > kMostNodes)
            return fail("the file has more than 50,000 nodes", "export a part of the model");
        return keep(sizeof out) && message("a node", [&](int field, int wire) {
                   if (wire != 2)
                       return skip(wire);
                   switch (field) {
                   case 1:
                       return texts(out.inputs);
                   case 2:
                       return texts(out.outputs);
                   case 3:
                       return text(out.name);
                   case 4:
                       return text(out.op);
                   case 5:
                       return keep(sizeof(OnnxAttribute)) && inner("an attribute", [&] {
                                  return readAttribute(out.attributes.emplace_back(), depth);
                              });
                   case 7:
                       return text(out.domain);
                   default:
                       return skip(wire);
                   }
               });
    }

    bool readGraph(OnnxGraph& out, int depth)
    {
        if (depth > kMostDepth)
            return fail("graphs are nested more than 8 deep", "export the model without branches and loops");
        const auto values = [&](std::vector<OnnxValue>& into) {
            if (++m_values > 4 * kMostNodes)
                return fail("the file describes more than 200,000 values", "export a part of the model");
            return keep(sizeof(OnnxValue)) && inner("a value", [&] { return readValue(into.emplace_back()); });
        };
        return message("the graph", [&](int field, int wire) {
            if (wire != 2)
                return skip(wire);
            switch (field) {
            case 1:
                return inner("a node", [&] { return readNode(out.nodes.emplace_back(), depth); });
            case 2:
                return text(out.name);
            case 5:
                if (++m_tensors > kMostTensors)
                    return fail("the file has more than 50,000 tensors", "export a part of the model");
                return keep(sizeof(OnnxTensor)) &&
                       inner("a tensor", [&] { return readTensor(out.initializers.emplace_back()); });
            case 11:
                return values(out.inputs);
            case 12:
                return values(out.outputs);
            case 13:
                return values(out.values);
            case 15:
                return fail("it has sparse initializers, which are not known here",
                            "export the model with dense weights");
            default:
                return skip(wire);
            }
        });
    }

    bool readOpset(OnnxFile& out)
    {
        std::string domain;
        std::int64_t version = 0;
        const bool good = message("opset_import", [&](int field, int wire) {
            return field == 1 && wire == 2 ? text(domain) : field == 2 && wire == 0 ? integer(version) : skip(wire);
        });
        out.opsets[domain == "ai.onnx" ? std::string() : domain] = version;
        return good && (out.opsets.size() <= 256 ||
                        fail("it imports more than 256 sets of operators", "export the model again"));
    }

    bool readFunction(OnnxFunction& out)
    {
        return keep(sizeof out) && message("a function", [&](int field, int wire) {
                   if (wire != 2)
                       return skip(wire);
                   switch (field) {
                   case 1:
                       return text(out.name);
                   case 4:
                       return texts(out.inputs);
                   case 5:
                       return texts(out.outputs);
                   case 7:
                       return inner("a node", [&] { return readNode(out.nodes.emplace_back(), 0); });
                   case 10:
                       return text(out.domain);
                   case 11:
                       return keep(sizeof(OnnxAttribute)) &&
                              inner("an attribute", [&] { return readAttribute(out.defaults.emplace_back(), 0); });
                   default:
                       return skip(wire);
                   }
               });
    }

    CodedInputStream& m_in;
    std::string m_place;
    std::optional<Error> m_error;
    std::size_t m_kept = 0, m_nodes = 0, m_tensors = 0, m_values = 0;
};

Result<OnnxFile> readFrom(google::protobuf::io::ZeroCopyInputStream& bytes, const std::string& place)
{
    CodedInputStream in(&bytes);
    in.SetTotalBytesLimit(static_cast<int>(kMostFile));
    return Reader(in, place).file();
}

} // namespace

const OnnxAttribute* OnnxNode::attribute(std::string_view wanted) const
{
    for (const OnnxAttribute& each : attributes)
        if (each.name == wanted)
            return &each;
    return nullptr;
}

Result<OnnxFile> readOnnx(const std::filesystem::path& path)
{
    const std::string place = path.filename().string();
    const auto file = PlainFile::open(path); // no pipe, no device
    if (!file)
        return file.error();
    if (file->size() >= kMostFile)
        return Error{"too-large", "the file is larger than 2 GiB, the most that its format allows", place,
                     "export the model with its weights as external data; they are not needed here"};
    FileBytes bytes(path);
    google::protobuf::io::CopyingInputStreamAdaptor stream(&bytes, 1 << 16);
    return readFrom(stream, place);
}

Result<OnnxFile> parseOnnx(std::string_view bytes, const std::string& place)
{
    if (bytes.size() >= kMostFile)
        return Error{"too-large", "the file is larger than 2 GiB, the most that its format allows", place,
                     "export the model with its weights as external data; they are not needed here"};
    google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
    return readFrom(stream, place);
}

} // namespace ridge::workload
