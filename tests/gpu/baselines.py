# SPDX-License-Identifier: GPL-3.0-or-later
"""Two ways to guess a kernel's cycles that a simulator must beat, and how well guesses fit measurements."""

import re

# Results a cycle and SM of cc 9.0 (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", recalled); loads,
# stores and shuffles 32 lanes a cycle; whatever is not named 64. The first pattern that fits counts.
LANES = [(re.compile(pattern), lanes) for pattern, lanes in (
    (r"(FFMA|FADD|FMUL)", 128), (r"(HFMA2|HADD2|HMUL2)", 128), (r"MUFU", 16), (r"(DFMA|DADD|DMUL|DSETP)", 64),
    (r"(I2F|F2I|F2F).*64", 16), (r"(POPC|UFLO|FLO|BREV)", 16), (r"(SHFL|VOTE|MATCH|REDUX)", 32),
    (r"(LD|ST|ATOM|RED)", 32), (r"BAR", 16), (r"(ULDC|LDC|S2R|S2UR|CS2R|BRA|EXIT|BSSY|BSYNC|NOP)", 128))]
# Operations a cycle and SM of the tensor cores, dense.
MATRIX = (("IMMA", 8192), ("QMMA", 8192), ("DMMA", 256), ("TF32", 2048), ("MMA", 4096))


def roofline_cycles(point, chip):
    """Cycles of whichever takes longer: bytes over bandwidth or operations over peak. chip: bandwidth (B/s), peaks
    (operations a second by unit), clock_hz."""
    peak = chip["peaks"].get(point["unit"]) or chip["peaks"]["f32"]
    return max(point["bytes"] / chip["bandwidth"], point["flops"] / peak) * chip["clock_hz"]


def issue_cost(machine):
    """Cycles that one warp instruction keeps a pipe of its SM busy."""
    opcode = machine.split()[0]
    shape = re.search(r"MMA\.(\d+)", opcode)
    if shape:  # 16816: m16 n8 k16
        digits = shape.group(1)
        m, n, k = int(digits[:2]), int(digits[2]), int(digits[3:])
        return 2 * m * n * k / next(rate for name, rate in MATRIX if name in opcode)
    return 32 / next((lanes for pattern, lanes in LANES if pattern.match(opcode)), 64)


def throughput_cycles(per_line, machine, sms):
    """The sum, over all machine instructions, of executions times issue_cost, spread evenly over the SMs.

    per_line: rows of the worker's document; machine: {PTX line: [instructions]} of the kernel.
    """
    total = 0.0
    for row in per_line:
        instructions = machine.get(row["ptx_line"], [])
        if instructions:
            total += row["inst_issued"] / len(instructions) * sum(map(issue_cost, instructions))
    return total / sms


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for i in range(at, end + 1):
            result[order[i]] = (at + end) / 2
        at = end + 1
    return result


def correlation(a, b):
    n = len(a)
    mean_a, mean_b = sum(a) / n, sum(b) / n
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    spread = (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    return covariance / spread if spread else float("nan")


def fit(truth, guess):
    """How well `guess` fits `truth`, two lists of positive numbers; None for fewer than three points."""
    if len(truth) < 3:
        return None
    errors = [abs(g - t) / t for g, t in zip(guess, truth)]
    ordered = sorted(errors)
    pairs = right = 0
    for i in range(len(truth)):
        for j in range(i):
            if abs(truth[i] - truth[j]) > 0.1 * min(truth[i], truth[j]):
                pairs += 1
                right += (truth[i] > truth[j]) == (guess[i] > guess[j])
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return {"points": len(truth), "mean": sum(errors) / len(errors), "median": median,
            "p90": ordered[min(len(ordered) - 1, -(-9 * len(ordered) // 10) - 1)], "worst": ordered[-1],
            "bias": sum((g - t) / t for g, t in zip(guess, truth)) / len(truth),
            "spearman": correlation(ranks(truth), ranks(guess)), "pairs": pairs,
            "right_order": right / pairs if pairs else float("nan")}
