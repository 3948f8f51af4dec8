// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"
#include "gpu/simt/run/misc_ops.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace ridge::gpu::simt {

namespace {

struct Name {
    std::string_view text;
    Opcode op;
};

constexpr std::array kNames = std::to_array<Name>({
    {"add", Opcode::Add},
    {"sub", Opcode::Sub},
    {"mul", Opcode::Mul},
    {"mad", Opcode::Mad},
    {"fma", Opcode::Fma},
    {"div", Opcode::Div},
    {"rem", Opcode::Rem},
    {"min", Opcode::Min},
    {"max", Opcode::Max},
    {"abs", Opcode::Abs},
    {"neg", Opcode::Neg},
    {"sqrt", Opcode::Sqrt},
    {"rcp", Opcode::Rcp},
    {"rsqrt", Opcode::Rsqrt},
    {"sin", Opcode::Sin},
    {"cos", Opcode::Cos},
    {"ex2", Opcode::Ex2},
    {"lg2", Opcode::Lg2},
    {"tanh", Opcode::Tanh},
    {"copysign", Opcode::CopySign},
    {"sad", Opcode::Sad},
    {"and", Opcode::And},
    {"or", Opcode::Or},
    {"xor", Opcode::Xor},
    {"not", Opcode::Not},
    {"cnot", Opcode::Cnot},
    {"shl", Opcode::Shl},
    {"shr", Opcode::Shr},
    {"shf", Opcode::Shf},
    {"popc", Opcode::Popc},
    {"clz", Opcode::Clz},
    {"brev", Opcode::Brev},
    {"bfind", Opcode::Bfind},
    {"bfe", Opcode::Bfe},
    {"bfi", Opcode::Bfi},
    {"bmsk", Opcode::Bmsk},
    {"prmt", Opcode::Prmt},
    {"lop3", Opcode::Lop3},
    {"dp4a", Opcode::Dp4a},
    {"dp2a", Opcode::Dp4a},
    {"addc", Opcode::AddCarry},
    {"subc", Opcode::AddCarry},
    {"madc", Opcode::Mad},
    {"mov", Opcode::Mov},
    {"cvt", Opcode::Cvt},
    {"cvta", Opcode::Cvta},
    {"setp", Opcode::Setp},
    {"set", Opcode::Set},
    {"selp", Opcode::Selp},
    {"slct", Opcode::Slct},
    {"ld", Opcode::Ld},
    {"ldu", Opcode::Ld},
    {"st", Opcode::St},
    {"atom", Opcode::Atom},
    {"red", Opcode::Red},
    {"bra", Opcode::Bra},
    {"brx", Opcode::Brx},
    {"exit", Opcode::Exit},
    {"ret", Opcode::Exit},
    {"trap", Opcode::Trap},
    {"call", Opcode::Call},
    {"shfl", Opcode::Shfl},
    {"vote", Opcode::Vote},
    {"match", Opcode::Match},
    {"redux", Opcode::Redux},
    {"activemask", Opcode::ActiveMask},
    {"bar", Opcode::Bar},
    {"barrier", Opcode::Bar},
    {"membar", Opcode::Membar},
    {"fence", Opcode::Membar},
    {"nanosleep", Opcode::Nanosleep},
    {"mma", Opcode::Mma},
    {"wmma", Opcode::Mma},
    {"ldmatrix", Opcode::LdMatrix},
    {"cp", Opcode::CopyAsync},
    {"mbarrier", Opcode::Mbarrier},
    {"wgmma", Opcode::Wgmma},
});

/// What the text of an instruction says without its operands; made once for each distinct text.
struct Form {
    Opcode op = Opcode::Other;
    ScalarType type = ScalarType::None;
    ScalarType from = ScalarType::None;
    std::uint32_t flags = 0;
    std::uint8_t count = 1;
    Space space = Space::Generic;
    bool hasResult = true;
};

std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t dot = text.find('.');
        parts.push_back(text.substr(0, dot));
        text = dot == text.npos ? std::string_view() : text.substr(dot + 1);
    }
    return parts;
}

Space spaceOf(std::string_view part, Space otherwise)
{
    constexpr std::array<std::pair<std::string_view, Space>, 5> spaces{{{"global", Space::Global},
                                                                        {"shared", Space::Shared},
                                                                        {"local", Space::Local},
                                                                        {"const", Space::Const},
                                                                        {"param", Space::Param}}};
    for (const auto& [name, space] : spaces) {
        if (part.substr(0, name.size()) == name && (part.size() == name.size() || part[name.size()] == ':'))
            return space;
    }
    return otherwise;
}

std::uint32_t flagOf(std::string_view part)
{
    constexpr std::array<std::pair<std::string_view, std::uint32_t>, 10> flags{{{"wide", kFlagWide},
                                                                                {"hi", kFlagHi},
                                                                                {"ftz", kFlagFtz},
                                                                                {"sat", kFlagSat},
                                                                                {"approx", kFlagApprox},
                                                                                {"full", kFlagFull},
                                                                                {"cc", kFlagCarryOut},
                                                                                {"rz", kFlagDirected},
                                                                                {"rm", kFlagDirected},
                                                                                {"rp", kFlagDirected}}};
    const auto found = std::find_if(flags.begin(), flags.end(), [&](const auto& row) { return row.first == part; });
    return found == flags.end() ? 0 : found->second;
}

Form formOf(std::string_view text)
{
    const std::vector<std::string_view> parts = split(text);
    Form form;
    const auto name = std::find_if(kNames.begin(), kNames.end(), [&](const Name& row) { return row.text == parts[0]; });
    if (name != kNames.end())
        form.op = name->op;
    if (parts[0] == "madc" || parts[0] == "addc" || parts[0] == "subc")
        form.flags |= kFlagCarryIn;
    for (std::size_t at = 1; at < parts.size(); ++at) {
        const std::string_view part = parts[at];
        form.flags |= flagOf(part);
        form.space = spaceOf(part, form.space);
        if (part == "v2" || part == "v4" || part == "v8")
            form.count = static_cast<std::uint8_t>(part[1] - '0');
        if (const auto type = scalarTypeFromText(part)) {
            form.from = *type;
            if (form.type == ScalarType::None || form.op != Opcode::Cvt)
                form.type = *type;
        }
        if (form.op == Opcode::Mma && part == "load")
            form.op = Opcode::WmmaLoad;
        else if (form.op == Opcode::Mma && part == "store")
            form.op = Opcode::WmmaStore;
        else if (form.op == Opcode::CopyAsync && (part == "wait_group" || part == "commit_group" || part == "wait_all"))
            form.op = Opcode::CopyWait;
    }
    switch (form.op) {
    case Opcode::St:
    case Opcode::Red:
    case Opcode::Bra:
    case Opcode::Brx:
    case Opcode::Exit:
    case Opcode::Trap:
    case Opcode::Call:
    case Opcode::Membar:
    case Opcode::Nanosleep:
    case Opcode::WmmaStore:
    case Opcode::CopyAsync:
    case Opcode::CopyWait:
    case Opcode::Wgmma:
        form.hasResult = form.op == Opcode::Wgmma && text.find("mma_async") != text.npos;
        break;
    case Opcode::Bar:
        form.hasResult = text.find(".red") != text.npos;
        break;
    case Opcode::Mbarrier:
        form.hasResult = text.find("arrive") != text.npos || text.find("wait") != text.npos;
        break;
    default:
        break;
    }
    return form;
}

class Reader {
public:
    Reader(const KernelImage& image, int capability)
    {
        m_code.image = &image;
        m_code.capability = capability;
        m_forms.reserve(image.texts.size());
        for (const std::string& text : image.texts)
            m_forms.push_back(formOf(text));
    }

    Code read()
    {
        const KernelImage& image = *m_code.image;
        m_code.blocks.resize(image.blocks.size());
        m_code.nodes.reserve(image.records.size() + 16);
        for (std::uint32_t block = 0; block < image.blocks.size(); ++block) {
            const BasicBlock& from = image.blocks[block];
            const std::uint32_t end = from.end + (from.kind == EndKind::Fall ? 0 : 1);
            for (std::uint32_t at = from.first; at < end;) {
                std::uint32_t next = at + 1;
                while (next < end && image.recordOf[next] == image.recordOf[at] && image.recordOf[at] != kNone)
                    ++next;
                addNode(block, at, next - at);
                at = next;
            }
            connect(block);
        }
        nest();
        placeSpecials();
        countUses(m_code);
        return std::move(m_code);
    }

private:
    std::uint32_t variableOf(std::uint32_t plane, std::uint8_t bytes)
    {
        const auto [at, isNew] = m_variables.try_emplace(plane, 0);
        if (isNew)
            at->second = m_code.newVariable(bytes == 0 ? 0 : bytes == 8 ? 8 : 4);
        return at->second;
    }

    Value valueOf(const PtxOperand& operand)
    {
        Value value;
        switch (operand.kind) {
        case PtxOperand::Kind::Register:
            value = Value::ofVariable(variableOf(operand.plane, operand.bytes), operand.bytes == 0   ? 0
                                                                                : operand.bytes == 8 ? 8
                                                                                                     : 4);
            value.negated = operand.negated;
            break;
        case PtxOperand::Kind::Immediate:
            value = Value::ofImmediate(operand.value, operand.bytes);
            break;
        case PtxOperand::Kind::Symbol:
            value = Value::ofImmediate(operand.value, 8);
            if (operand.space == Space::Global || operand.space == Space::Const) {
                // ptxas puts addresses of variables into a constant bank of their own.
                value.kind = Value::Kind::Constant;
                value.bits |= std::uint64_t{4} << 48;
            }
            break;
        case PtxOperand::Kind::Special:
            value = special(operand);
            break;
        default:
            break;
        }
        return value;
    }

    Value special(const PtxOperand& operand)
    {
        if (operand.special == PlaneFill::Kind::Constant)
            return Value::ofImmediate(operand.value, 4);
        Value value;
        value.kind = Value::Kind::Constant;
        if (operand.special == PlaneFill::Kind::Ntid || operand.special == PlaneFill::Kind::NctaId) {
            value.bits = operand.axis * 4u + (operand.special == PlaneFill::Kind::NctaId ? 12u : 0u);
            return value;
        }
        const std::int64_t key = static_cast<int>(operand.special) * 4 + operand.axis;
        const auto [at, isNew] = m_specials.try_emplace(key, 0);
        if (isNew)
            at->second = m_code.newVariable(4);
        return Value::ofVariable(at->second, 4);
    }

    void addNode(std::uint32_t block, std::uint32_t microOp, std::uint32_t microOps)
    {
        const KernelImage& image = *m_code.image;
        Node node;
        node.block = block;
        node.microOp = microOp;
        node.microOps = microOps;
        node.text = image.places[microOp].text;
        const std::uint32_t index = image.recordOf[microOp];
        if (index == kNone) {
            node.op = Opcode::Exit;
        } else {
            const PtxRecord& record = image.records[index];
            node.text = record.text;
            fill(node, record);
        }
        m_code.blocks[block].nodes.push_back(static_cast<std::uint32_t>(m_code.nodes.size()));
        m_code.nodes.push_back(std::move(node));
    }

    void fill(Node& node, const PtxRecord& record)
    {
        const KernelImage& image = *m_code.image;
        const Form& form = m_forms[record.text];
        node.op = form.op;
        node.type = form.type;
        node.from = form.from;
        node.flags = form.flags;
        node.count = form.count;
        node.space = form.space;
        if (node.op == Opcode::Mov && image.ops[node.microOp].run == findMiscOp(MiscOp::Clock))
            node.op = Opcode::ReadClock;
        if (image.blocks[node.block].kind == EndKind::Branch && node.op == Opcode::Exit)
            node.op = Opcode::Bra; // ret of an inlined function
        if (node.op == Opcode::Call && image.blocks[node.block].kind == EndKind::Branch)
            node.op = Opcode::Bra; // past the inlined body
        if (record.guard != kNone) {
            node.guard = Value::ofVariable(variableOf(record.guard, 0), 0);
            node.guard.negated = record.guardNegated;
        }
        bool resultsLeft = form.hasResult;
        std::uint32_t at = record.firstOperand;
        const std::uint32_t end = at + record.operandCount;
        while (at < end) {
            std::uint32_t count = 1;
            if (image.operands[at].kind == PtxOperand::Kind::Group)
                count = image.operands[at++].count;
            for (; count > 0 && at < end; --count, ++at)
                addOperand(node, image.operands[at], resultsLeft);
            resultsLeft = false;
        }
    }

    void addOperand(Node& node, const PtxOperand& operand, bool isResult)
    {
        if (operand.kind == PtxOperand::Kind::Memory) {
            Value base;
            if (operand.plane != kNone)
                base = Value::ofVariable(variableOf(operand.plane, operand.bytes), operand.bytes);
            const bool isParameter = operand.plane == kNone && operand.space == Space::Param;
            node.offset =
                static_cast<std::int64_t>(operand.value + (isParameter ? parameterBase(m_code.capability) : 0));
            if (node.space == Space::Generic || (operand.space == Space::Local && node.space == Space::Param))
                node.space = operand.space;
            node.sources.push_back(base);
            return;
        }
        Value value = valueOf(operand);
        if (operand.kind == PtxOperand::Kind::Symbol && operand.space == Space::Param) {
            value.bits += parameterBase(m_code.capability);
        }
        (isResult ? node.results : node.sources).push_back(value);
    }

    void connect(std::uint32_t block)
    {
        const KernelImage& image = *m_code.image;
        const BasicBlock& from = image.blocks[block];
        const auto add = [&](std::uint32_t op) {
            if (op == kNone)
                return;
            const std::uint32_t to = image.places[op].block;
            auto& successors = m_code.blocks[block].successors;
            if (std::find(successors.begin(), successors.end(), to) != successors.end())
                return;
            successors.push_back(to);
            m_code.blocks[to].predecessors.push_back(block);
        };
        add(from.next);
        if (from.kind == EndKind::Branch)
            add(from.target);
        if (from.kind == EndKind::Table) {
            for (const std::uint32_t op : image.tables[from.target])
                add(op);
        }
    }

    /// Loops are contiguous in the layout and forward edges ascend, so that one sweep finds dominators.
    void nest()
    {
        auto& blocks = m_code.blocks;
        for (std::uint32_t block = 0; block < blocks.size(); ++block) {
            for (const std::uint32_t to : blocks[block].successors) {
                for (std::uint32_t inside = to; inside <= block; ++inside)
                    ++blocks[inside].depth;
            }
        }
        for (std::uint32_t block = 1; block < blocks.size(); ++block) {
            std::uint32_t meet = kNone;
            for (std::uint32_t from : blocks[block].predecessors) {
                if (from >= block)
                    continue;
                while (meet != kNone && meet != from) {
                    std::uint32_t& later = meet > from ? meet : from;
                    later = blocks[later].dominator == kNone ? 0 : blocks[later].dominator;
                }
                meet = from;
            }
            blocks[block].dominator = meet == kNone ? 0 : meet;
        }
    }

    /// A special register is read once: where it is first needed if that is the only block, else in the first block.
    void placeSpecials()
    {
        for (const auto& [key, variable] : m_specials) {
            std::uint32_t first = kNone;
            bool several = false;
            for (const Node& node : m_code.nodes) {
                const bool reads = std::any_of(node.sources.begin(), node.sources.end(), [&](const Value& value) {
                    return value.isVariable() && value.variable == variable;
                });
                if (reads && first != kNone && first != node.block)
                    several = true;
                if (reads && first == kNone)
                    first = node.block;
            }
            if (first == kNone)
                continue;
            Node read;
            read.op = Opcode::ReadSpecial;
            read.type = ScalarType::U32;
            read.block = several ? 0 : first;
            read.offset = key;
            read.results.push_back(Value::ofVariable(variable, 4));
            read.microOp = m_code.image->blocks[read.block].first;
            auto& nodes = m_code.blocks[read.block].nodes;
            nodes.insert(nodes.begin(), static_cast<std::uint32_t>(m_code.nodes.size()));
            m_code.nodes.push_back(std::move(read));
        }
    }

    Code m_code;
    std::vector<Form> m_forms;
    std::unordered_map<std::uint32_t, std::uint32_t> m_variables; ///< of planes
    std::map<std::int64_t, std::uint32_t> m_specials;
};

} // namespace

std::uint64_t parameterBase(int computeCapability)
{
    return computeCapability >= 100 ? 0x380 : computeCapability >= 90 ? 0x210 : 0x160;
}

bool Code::has(const Node& node, std::string_view modifier) const
{
    const std::string_view whole = text(node);
    for (std::size_t at = whole.find(modifier); at != whole.npos; at = whole.find(modifier, at + 1)) {
        const std::size_t end = at + modifier.size();
        if (at > 0 && whole[at - 1] == '.' && (end == whole.size() || whole[end] == '.'))
            return true;
    }
    return false;
}

void countUses(Code& code)
{
    for (Variable& variable : code.variables) {
        variable.definitions = variable.uses = 0;
        variable.definition = kNone;
    }
    for (const CodeBlock& block : code.blocks) {
        for (const std::uint32_t at : block.nodes) {
            const Node& node = code.nodes[at];
            if (node.dead)
                continue;
            for (const Value& value : node.sources) {
                if (value.isVariable())
                    ++code.variables[value.variable].uses;
            }
            if (node.guard.isVariable())
                ++code.variables[node.guard.variable].uses;
            for (const Value& value : node.results) {
                if (!value.isVariable())
                    continue;
                Variable& variable = code.variables[value.variable];
                variable.definitions += node.guard.isVariable() ? 2 : 1;
                variable.definition = at;
            }
        }
    }
}

Code readCode(const KernelImage& image, int computeCapability)
{
    return Reader(image, computeCapability).read();
}

} // namespace ridge::gpu::simt
