// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace ridge::app {

/// One SM with the blocks of one kernel on it: what the scene "sm_limits" draws. Computed elsewhere
/// (silicon/occupancy.h); this is only what is drawn.
struct SmLimits {
    struct Resource {
        QString name;   ///< "registers"
        QString asks;   ///< what a block takes of it: "8,192 of 65,536"
        int blocks = 0; ///< that fit by it alone
        bool limits = false;
    };

    QString chip;    ///< "H100 SXM5 80GB"
    QString problem; ///< why such a block cannot run at all; empty where it can
    int warpSlots = 0, subPartitions = 4, warpsPerBlock = 0, blocks = 0;
    double registersUsed = 0, registers = 0; ///< of the SM
    double sharedUsed = 0, sharedBytes = 0;  ///< of the SM, with the system's share of each block
    std::vector<Resource> resources;

    int warps() const { return blocks * warpsPerBlock; }
};

} // namespace ridge::app
