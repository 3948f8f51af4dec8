// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <QStringList>
#include <vector>

namespace ridge::app {

/// One line of the PTX that a compiler made, with where it came from and what became of it.
struct PtxLine {
    QString text;        ///< as the compiler wrote it
    int sourceLine = 0;  ///< by the compiler's .loc lines; of PTX that was written by hand its own number; 0: none
    QStringList machine; ///< MODELLED machine instructions of its first copy: "IMAD.WIDE R2, R0, R3"
    int copies = 0;      ///< times that the instruction stands in the program, loops being unrolled; 0: no instruction
    int allMachine = 0;  ///< machine instructions of all copies
};

/// All lines of the PTX in a document of "kernel-compile", in order; `isPtx`: the source is this text.
std::vector<PtxLine> ptxListing(const Json& document, bool isPtx);

/// NVIDIA's machine code in such a document, a line an instruction with its address, each kernel behind a line with its
/// name; empty where ptxas or nvdisasm is missing.
std::vector<PtxLine> sassListing(const Json& document);
/// Which tools made it, or what is missing: "SASS for sm_90 by …".
QString sassOrigin(const Json& document);

/// What became of a source line: "Line 12: 6 PTX instructions, 4 machine instructions."
QString ptxSentence(const std::vector<PtxLine>& lines, int sourceLine);

} // namespace ridge::app
