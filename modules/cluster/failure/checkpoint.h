// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms of checkpointing: when to save, and what part of the time is useful.
//
// A job works for an interval, then saves. Failures come at random, on average every `mtbf`; a failure throws away what
// is not saved and stalls the job, and a failure during the stall begins it anew.
#pragma once

namespace ridge::cluster {

/// All in s.
struct CheckpointCost {
    double mtbf = 0;  ///< of the whole job
    double pause = 0; ///< that the job waits for one checkpoint
    double lag = 0;   ///< from the end of the pause until the checkpoint can be read back
    double stall = 0; ///< from a failure until the job works again
};

/// sqrt(2 x pause x mtbf): J. W. Young, CACM 17 (1974).
double youngInterval(const CheckpointCost& cost);
/// J. T. Daly, FGCS 22 (2006): sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + d / 18M) - d for d < 2 M, else M.
double dalyInterval(const CheckpointCost& cost);
/// The interval with the greatest share of useful time, to 1e-9 of itself.
double bestInterval(const CheckpointCost& cost);
/// interval / mtbf x e^-(stall + lag)/mtbf / (e^(interval + pause)/mtbf - 1), for exponential times between failures.
double usefulShare(const CheckpointCost& cost, double interval);

/// s; `perThousandNodeDays` failures a thousand days of one node with `nodeGpus` GPUs.
double jobMtbf(double gpus, double nodeGpus, double perThousandNodeDays);

} // namespace ridge::cluster
