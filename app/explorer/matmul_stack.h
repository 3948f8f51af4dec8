// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/provenance.h"
#include "base/result.h"
#include "silicon/chip_catalogue.h"

#include <QString>
#include <vector>

namespace ridge::app {

inline constexpr int kRtlSide = 8;  ///< of labs/rtl, as its experiment runs it first
inline constexpr int kRtlRows = 16; ///< of X in a tile

/// Y = XW + b, X of rows x inner, W of inner x columns; and what the other end of the stack needs to know.
struct MatmulQuestion {
    int rows = 4096, inner = 1024, columns = 4096;
    std::string chip = "h100-sxm";
    int row = 5, column = 3; ///< of the element of a fragment that is asked for
    double areaMm2 = 814, defectsPerCm2 = 0.1, waferDollars = 16988;
    bool operator==(const MatmulQuestion&) const = default;
};

/// A place that the product goes through.
struct StackStop {
    QString id, title; ///< "graph", "1 Graph"
    QString key;       ///< the number of the stop: "3 kernels become 1"
    QStringList says;  ///< sentences
    QString lesson;    ///< "4.8"
    QString place;     ///< another page that makes it run: "lab/rtl_array"; empty: none
    QString placeTitle;
    Provenance provenance = Provenance::Modelled;
};

struct MatmulStack {
    std::vector<StackStop> stops;
    QString source;     ///< the fused kernel as the graph compiler writes it
    QString kernelName; ///< in it
};

/// Every number is asked of an engine. Errors: those of the graph compiler, the catalogue and the kernel-time function.
Result<MatmulStack> matmulStack(const silicon::Catalogue& catalogue, const MatmulQuestion& question);

} // namespace ridge::app
