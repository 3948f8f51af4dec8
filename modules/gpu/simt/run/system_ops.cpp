// SPDX-License-Identifier: GPL-3.0-or-later
// printf, malloc, free and assert of CUDA C++ (Programming Guide, "Formatted Output", "Dynamic Global Memory
// Allocation and Operations", "Assertion").
#include "base/number_text.h"
#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/memory_access.h"
#include "gpu/simt/run/misc_ops.h"

#include <cstdio>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kOutputBytes = 1u << 20; ///< as the buffer of CUDA's printf
constexpr std::uint64_t kHeapBytes = 8u << 20; ///< as CUDA's heap, here of one launch
constexpr std::size_t kLongestText = 4096;

/// One lane's view of the call.
struct Caller {
    Warp& warp;
    const MicroOp& op;
    std::size_t lane;

    std::byte* slot(std::uint32_t offset) const
    {
        const std::uint64_t bytes = warp.launch->image->localBytes;
        std::uint64_t at = offset;
        if (op.imm != static_cast<std::int64_t>(kNone))
            at += reinterpret_cast<const std::uint64_t*>(warp.file + op.imm)[lane];
        return at + 8 <= bytes ? warp.local + lane * bytes + at : nullptr;
    }
    template<class T>
    T argument(std::uint32_t offset) const
    {
        T value{};
        if (const std::byte* from = slot(offset))
            std::memcpy(&value, from, sizeof value);
        return value;
    }
    template<class T>
    void answer(T value) const
    {
        std::byte* to = op.d == kNone ? nullptr : slot(op.d);
        if (to != nullptr)
            std::memcpy(to, &value, sizeof value);
    }
    /// Host bytes behind a generic address; null where there are fewer than `bytes`.
    const std::byte* host(std::uint64_t address, std::uint64_t bytes) const
    {
        const LaunchState& launch = *warp.launch;
        const auto inside = [&](std::uint64_t at, std::uint64_t limit) { return at <= limit && bytes <= limit - at; };
        switch (spaceOfGeneric(address)) {
        case Space::Shared: {
            const SharedPlace at = placeOfShared(launch, address - kSharedWindow);
            const bool isThere = at.rank < launch.cluster->size() && inside(at.offset, launch.sharedBytes);
            return isThere ? launch.cluster->shared(at.rank) + at.offset : nullptr;
        }
        case Space::Local: {
            const std::uint64_t limit = launch.image->localBytes;
            return inside(address - kLocalWindow, limit) ? warp.local + lane * limit + (address - kLocalWindow)
                                                         : nullptr;
        }
        default: {
            const Allocation* found = launch.memory->find(address, bytes);
            return found == nullptr ? nullptr : found->host.get() + (address - found->begin);
        }
        }
    }
    std::string text(std::uint64_t address) const
    {
        std::string text;
        while (text.size() < kLongestText) {
            const std::byte* from = host(address + text.size(), 1);
            if (from == nullptr || *from == std::byte{0})
                break;
            text += static_cast<char>(*from);
        }
        return text;
    }
};

/// The arguments of one printf: each lies at a multiple of its size.
class Arguments {
public:
    /// `taken` lists what next() gives.
    Arguments(const Caller& caller, std::uint64_t address, std::vector<PrintedValue>* taken = nullptr)
        : m_caller(caller), m_base(address), m_taken(taken)
    {
    }

    template<class T>
    T next()
    {
        m_offset = (m_offset + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        if (m_taken != nullptr)
            m_taken->push_back({m_base + m_offset, sizeof(T)});
        T value{};
        if (const std::byte* from = m_caller.host(m_base + m_offset, sizeof(T)))
            std::memcpy(&value, from, sizeof value);
        m_offset += sizeof(T);
        return value;
    }

private:
    const Caller& m_caller;
    std::uint64_t m_base;
    std::uint64_t m_offset = 0;
    std::vector<PrintedValue>* m_taken;
};

template<class T>
std::string formatted(const std::string& spec, T value)
{
    std::string text(kLongestText, '\0');
    const PlainNumbers plain;
    // The specification is put together below from a checked list of characters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(text.data(), text.size(), spec.c_str(), value);
#pragma GCC diagnostic pop
    text.resize(length < 0 ? 0 : std::min(static_cast<std::size_t>(length), text.size() - 1));
    return text;
}

struct Conversion {
    std::string flags; ///< flags, width and precision
    bool wide = false; ///< an integer of 64 bits
    char letter = 0;   ///< 0: the text ends first
};

/// Flags, width and precision with numbers that the C library need not make room for: of more than kLongestText
/// characters nothing is kept.
std::string bounded(const std::string& flags)
{
    std::string out;
    for (std::size_t at = 0; at < flags.size();) {
        const std::size_t first = flags.find_first_of("0123456789", at);
        out.append(flags, at, first - at);
        if (first == std::string::npos)
            break;
        at = std::min(flags.find_first_not_of("0123456789", first), flags.size());
        const std::size_t digits = std::min(flags.find_first_not_of('0', first), at);
        if (digits > first)
            out += '0'; // the flag that fills with zeros, or the number 0
        const std::string number = flags.substr(digits, at - digits);
        out += number.size() > 4 || (number.size() == 4 && number > std::to_string(kLongestText))
                   ? std::to_string(kLongestText)
                   : number;
    }
    return out;
}

Conversion readConversion(const std::string& format, std::size_t& at, Arguments& arguments)
{
    Conversion c;
    for (; at < format.size(); ++at) {
        const char letter = format[at];
        if (letter == '*') {
            c.flags += std::to_string(std::clamp(arguments.next<std::int32_t>(), -1000, 1000));
        } else if (std::strchr("-+ #0123456789.", letter) != nullptr) {
            if (c.flags.size() < 16)
                c.flags += letter;
        } else if (std::strchr("hlLjzt", letter) != nullptr) {
            c.wide = c.wide || letter != 'h';
        } else {
            c.letter = letter;
            ++at;
            break;
        }
    }
    c.flags = bounded(c.flags);
    return c;
}

std::string convert(const Conversion& c, const Caller& caller, Arguments& arguments)
{
    const auto spec = [&](const char* length) { return "%" + c.flags + length + c.letter; };
    switch (c.letter) {
    case 'd':
    case 'i':
        return formatted(spec("ll"), c.wide ? static_cast<long long>(arguments.next<std::int64_t>())
                                            : static_cast<long long>(arguments.next<std::int32_t>()));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return formatted(spec("ll"), c.wide ? static_cast<unsigned long long>(arguments.next<std::uint64_t>())
                                            : static_cast<unsigned long long>(arguments.next<std::uint32_t>()));
    case 'c':
        return formatted(spec(""), arguments.next<std::int32_t>());
    case 'p':
        return hexText(arguments.next<std::uint64_t>());
    case 's':
        return formatted(spec(""), caller.text(arguments.next<std::uint64_t>()).c_str());
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return formatted(spec(""), arguments.next<double>());
    case '%':
        return "%";
    default:
        return "%" + c.flags + (c.letter == 0 ? std::string() : std::string(1, c.letter));
    }
}

std::int32_t print(const Caller& caller, const std::string& format, Arguments arguments, std::string& out)
{
    std::int32_t count = 0;
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            out += format[at++];
            continue;
        }
        ++at;
        const Conversion c = readConversion(format, at, arguments);
        count += c.letter != '%' ? 1 : 0;
        out += convert(c, caller, arguments);
    }
    return count;
}

Step callPrintf(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    LaunchState& launch = *warp.launch;
    if (launch.log != nullptr)
        return leaveToOrder(launch);
    forMask(mask, [&](std::size_t lane) {
        const Caller caller{warp, op, lane};
        std::string text;
        const std::int32_t count = print(caller, caller.text(caller.argument<std::uint64_t>(op.a)),
                                         Arguments(caller, caller.argument<std::uint64_t>(op.b)), text);
        const bool fits = launch.printed.size() + text.size() <= kOutputBytes;
        if (fits)
            launch.printed += text;
        launch.printedCut = launch.printedCut || !fits;
        caller.answer<std::int32_t>(fits ? count : -1);
    });
    return Step::Next;
}

Step callMalloc(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    LaunchState& launch = *warp.launch;
    forMask(mask, [&](std::size_t lane) {
        const Caller caller{warp, op, lane};
        const auto bytes = caller.argument<std::uint64_t>(op.a);
        std::uint64_t address = 0;
        if (bytes != 0 && bytes <= kHeapBytes - launch.heapBytes) {
            if (const auto made = launch.memory->allocate(bytes, "malloc in the kernel")) {
                address = *made;
                launch.heapBytes += bytes;
            }
        }
        caller.answer<std::uint64_t>(address);
    });
    return Step::Next;
}

Step callFree(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    LaunchState& launch = *warp.launch;
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        const auto address = Caller{warp, op, lane}.argument<std::uint64_t>(op.a);
        if (address == 0 || step == Step::Fault)
            return;
        const Allocation* found = launch.memory->find(address, 1);
        if (found == nullptr || found->begin != address || found->label != "malloc in the kernel") {
            launch.fault = {
                Fault::Kind::BadFree, Space::Global, MemoryOp::Store, 0, static_cast<std::uint32_t>(lane), address, 0};
            step = Step::Fault;
            return;
        }
        launch.heapBytes -= found->bytes;
        static_cast<void>(launch.memory->free(address));
        for (AllocationView& view : launch.views)
            view = {};
    });
    return step;
}

/// __assertfail(message, file, line, function, size of a character).
Step callAssertFail(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    const Caller caller{warp, op, lane};
    warp.launch->faultText = "the assertion `" + caller.text(caller.argument<std::uint64_t>(op.a)) + "` failed in " +
                             caller.text(caller.argument<std::uint64_t>(op.e)) + " (" +
                             caller.text(caller.argument<std::uint64_t>(op.b)) + ":" +
                             std::to_string(caller.argument<std::uint32_t>(op.c)) + ")";
    warp.launch->fault = {};
    warp.launch->fault.kind = Fault::Kind::Assertion;
    warp.launch->fault.lane = static_cast<std::uint32_t>(lane);
    return Step::Fault;
}

} // namespace

std::vector<PrintedValue> printedValues(Warp& warp, const MicroOp& op, std::size_t lane)
{
    const Caller caller{warp, op, lane};
    std::vector<PrintedValue> values;
    std::string text;
    print(caller, caller.text(caller.argument<std::uint64_t>(op.a)),
          Arguments(caller, caller.argument<std::uint64_t>(op.b), &values), text);
    return values;
}

OpFunction findSystemCall(SystemCall call)
{
    switch (call) {
    case SystemCall::Printf:
        return &callPrintf;
    case SystemCall::Malloc:
        return &callMalloc;
    case SystemCall::Free:
        return &callFree;
    default:
        return &callAssertFail;
    }
}

} // namespace ridge::gpu::simt
