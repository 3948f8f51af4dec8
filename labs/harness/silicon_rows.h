// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of assets/machines as the engines of modules/accelerator want them.
#pragma once

#include "accelerator/groq.h"
#include "accelerator/trainium.h"
#include "silicon/machines.h"

#include <optional>

namespace ridge::labs {

/// Reads a machine's values; the first that is missing is told.
class MachineReader {
public:
    explicit MachineReader(const silicon::Machine& machine) : m_machine(machine) {}
    double number(const char* name, const char* unit);
    double numberOr(const char* name, const char* unit, double otherwise);
    const std::optional<Error>& error() const { return m_error; }

private:
    const silicon::Machine& m_machine;
    std::optional<Error> m_error;
};

/// Whether the machine's "model" is this one. Errors: "bad-machine" with the machines that are, in `instead`.
Result<void> checkMachineModel(const silicon::Machine& machine, const std::string& model, const std::string& instead);

/// Errors of all: "bad-machine".
Result<accelerator::NeuronCore> neuronCoreOf(const silicon::Machine& machine);
Result<accelerator::LpuChip> lpuChipOf(const silicon::Machine& machine);

struct Wafer {
    double flopsPerS = 0, sramBytes = 0, sramBytesPerS = 0, streamBytesPerS = 0, clock = 0, cores = 0;
};
Result<Wafer> waferOf(const silicon::Machine& machine);

struct Gaudi {
    double matrixFlopsPerS = 0, vectorFlopsPerS = 0; ///< vectorFlopsPerS 0: not published
    double achievedFlopsPerS = 0;                    ///< measured, of large products
    double bytesPerS = 0, linkBytesPerS = 0;         ///< link: one way
};
Result<Gaudi> gaudiOf(const silicon::Machine& machine);

} // namespace ridge::labs
