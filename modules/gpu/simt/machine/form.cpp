// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/form.h"

#include <algorithm>
#include <array>

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
    {"tensormap", Opcode::Membar},
    {"nanosleep", Opcode::Nanosleep},
    {"mma", Opcode::Mma},
    {"wmma", Opcode::Mma},
    {"ldmatrix", Opcode::LdMatrix},
    {"cp", Opcode::CopyAsync},
    {"mbarrier", Opcode::Mbarrier},
    {"wgmma", Opcode::Wgmma},
});

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

} // namespace

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
        if (part == "f32x2" || part == "pack") // FADD2, FMUL2, FFMA2, I2IP: nothing is fused with them
            form.op = Opcode::Other;
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
        form.hasResult = form.hasResult && parts[0] != "stackrestore";
        break;
    }
    return form;
}

} // namespace ridge::gpu::simt
