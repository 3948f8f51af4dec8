// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/silicon_rows.h"

namespace ridge::labs {

using namespace accelerator;

double MachineReader::number(const char* name, const char* unit)
{
    const auto value = m_machine.number(name, unit);
    if (!value && !m_error)
        m_error = value.error();
    return value ? *value : 0;
}

double MachineReader::numberOr(const char* name, const char* unit, double otherwise)
{
    return m_machine.has(name) ? number(name, unit) : otherwise;
}

Result<void> checkMachineModel(const silicon::Machine& machine, const std::string& model, const std::string& instead)
{
    const auto has = machine.text("model");
    if (!has)
        return has.error();
    if (*has != model)
        return Error{"bad-machine", machine.title + " is another kind of machine", "target machine:" + machine.id,
                     "take " + instead};
    return {};
}

Result<NeuronCore> neuronCoreOf(const silicon::Machine& machine)
{
    if (auto good = checkMachineModel(machine, "trainium", "machine:trainium1 or machine:trainium2"); !good)
        return good.error();
    MachineReader values(machine);
    NeuronCore core;
    core.tensorClock = values.number("clock", "Hz");
    core.vectorClock = values.number("vector_clock", "Hz");
    core.scalarClock = values.number("scalar_clock", "Hz");
    core.sbufBytes = static_cast<std::uint64_t>(values.number("sbuf", "B"));
    core.psumBanks = static_cast<std::uint32_t>(values.number("psum_banks", "1"));
    const double cores = values.number("cores", "1");
    core.bytesPerS = values.number("dram_bandwidth", "B/s") / cores;
    if (values.error())
        return *values.error();
    return core;
}

Result<LpuChip> lpuChipOf(const silicon::Machine& machine)
{
    if (auto good = checkMachineModel(machine, "groq", "machine:groq-lpu"); !good)
        return good.error();
    MachineReader values(machine);
    LpuChip chip;
    chip.clock = values.number("clock", "Hz");
    chip.planes = static_cast<std::uint32_t>(values.number("arrays", "1"));
    chip.side = static_cast<std::uint32_t>(values.number("array_rows", "1"));
    chip.sramBytes = values.number("sram", "B");
    chip.sramBytesPerS = values.number("sram_bandwidth", "B/s");
    chip.installBytesPerCycle = values.number("install_bytes_per_cycle", "B");
    if (values.error())
        return *values.error();
    return chip;
}

Result<Wafer> waferOf(const silicon::Machine& machine)
{
    if (auto good = checkMachineModel(machine, "wafer", "machine:wse-2 or machine:wse-3"); !good)
        return good.error();
    MachineReader values(machine);
    Wafer wafer;
    wafer.flopsPerS = values.number("peak_bf16", "FLOP/s");
    wafer.sramBytes = values.number("sram", "B");
    wafer.sramBytesPerS = values.number("sram_bandwidth", "B/s");
    wafer.streamBytesPerS = values.number("stream_bandwidth", "B/s");
    wafer.clock = values.number("clock", "Hz");
    wafer.cores = values.number("cores", "1");
    if (values.error())
        return *values.error();
    return wafer;
}

Result<Gaudi> gaudiOf(const silicon::Machine& machine)
{
    if (auto good = checkMachineModel(machine, "gaudi", "machine:gaudi2 or machine:gaudi3"); !good)
        return good.error();
    MachineReader values(machine);
    Gaudi gaudi;
    gaudi.matrixFlopsPerS = values.number("peak_bf16", "FLOP/s");
    gaudi.achievedFlopsPerS = values.number("achieved", "FLOP/s");
    gaudi.vectorFlopsPerS = values.numberOr("vector_peak", "FLOP/s", 0);
    gaudi.bytesPerS = values.number("dram_bandwidth", "B/s");
    gaudi.linkBytesPerS = values.number("link_bandwidth", "B/s") / 2;
    if (values.error())
        return *values.error();
    return gaudi;
}

} // namespace ridge::labs
