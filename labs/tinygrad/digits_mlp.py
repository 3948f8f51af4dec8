# SPDX-License-Identifier: GPL-3.0-or-later
"""A small network that reads digits: trained in float on the processor, run in int8 on the array.

    LIBRIDGE=build/release/lib/libridge_array.so python3 labs/tinygrad/digits_mlp.py [--rtl labs/rtl] [--json]

The data set is made here (8 x 8 pictures of ten digits, shifted and with noise, from one seed), so every run has the
same numbers. Exit status 1 if a bit of the array's results differs from plain Python's, or if int8 loses more than
2 points. --rtl runs one tile of the network on the array in SystemVerilog as well (Icarus Verilog).
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import ridge_array
from tinygrad import Context, Tensor, dtypes
from tinygrad.nn.optim import Adam

SEGMENTS = ("abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg")
PIXELS = {"a": [(0, x) for x in (1, 2, 3)], "d": [(6, x) for x in (1, 2, 3)], "g": [(3, x) for x in (1, 2, 3)],
          "b": [(y, 4) for y in (1, 2)], "c": [(y, 4) for y in (4, 5)],
          "f": [(y, 0) for y in (1, 2)], "e": [(y, 0) for y in (4, 5)]}
BATCH, HIDDEN, CLASSES = 64, 32, 16  # 10 digits, and columns that fill a second tile
SHIFT = 12


def pictures(count, rng):
    x, y = [], []
    for i in range(count):
        digit, dy, dx = i % 10, rng.randrange(2), rng.randrange(2)
        picture = [[rng.randrange(60) for _ in range(8)] for _ in range(8)]
        for segment in SEGMENTS[digit]:
            for row, column in PIXELS[segment]:
                picture[row + dy][column + dx] = 127 - rng.randrange(60)
        x.append(sum(picture, []))
        y.append(digit)
    return x, y


def train(x, y):
    rng = random.Random(7)
    def weights(rows, cols):
        return Tensor([[rng.gauss(0, rows ** -0.5) for _ in range(cols)] for _ in range(rows)], device="CPU")
    w1, w2 = weights(64, HIDDEN), weights(HIDDEN, CLASSES)
    optimizer = Adam([w1, w2], lr=0.02)
    data, labels = Tensor(x, device="CPU", dtype=dtypes.float32) / 127, Tensor(y, device="CPU")
    with Context(TRAINING=1):
        for _ in range(120):
            optimizer.zero_grad()
            ((data @ w1).relu() @ w2).sparse_categorical_crossentropy(labels).backward()
            optimizer.step()
    return w1.tolist(), w2.tolist()


def quantized(w):
    scale = max(abs(v) for row in w for v in row) / 127
    return [[round(v / scale) for v in row] for row in w], scale


def product(a, b):
    return [[sum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]


def share(logits, y):
    return sum(max(range(10), key=lambda c: row[c]) == label for row, label in zip(logits, y)) / len(y)


def on(device, x, w1, w2, multiplier):
    """Integers all the way: sums of int32 are scaled by multiplier / 2^SHIFT and cut to int8."""
    def tensor(values):
        return Tensor(values, dtype=dtypes.int8, device=device)
    sums = tensor(x).matmul(tensor(w1), dtype=dtypes.int32).realize()
    hidden = ((sums.maximum(0) * multiplier) >> SHIFT).minimum(127).cast(dtypes.int8).realize()
    return hidden.matmul(tensor(w2), dtype=dtypes.int32).realize(), hidden


def rtl_tile(folder, activations, weights):
    """One tile under labs/rtl/bench.sv: the sums that left the array, and its cycles."""
    def line(values):
        return "".join(f"{v & 255:02x}" for v in reversed(values)) + "\n"
    with tempfile.TemporaryDirectory() as scratch:
        work = pathlib.Path(scratch)
        (work / "weights.hex").write_text("".join(line(row) for row in reversed(weights)))
        (work / "activations.hex").write_text("".join(line(row) for row in activations))
        (work / "modes.hex").write_text("0\n")
        sets = {"ROWS": 8, "COLS": 8, "STREAM": len(activations), "TILES": 1, "WAVE": 0, "LIMIT": 10000}
        subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", "design.vvp"] +
                       [f"-Pbench.{name}={value}" for name, value in sets.items()] +
                       [str(pathlib.Path(folder).resolve() / name) for name in ("bench.sv", "array.sv")],
                       cwd=work, check=True)
        said = subprocess.run(["vvp", "-n", "design.vvp"], cwd=work, check=True, capture_output=True, text=True,
                              timeout=60).stdout
    rows, cycles = [], 0
    for text in said.split("\n"):
        if text.startswith("@row "):
            words = [int(text[5:][at:at + 8], 16) for at in range(0, 64, 8)]
            rows.append([w - (w >> 31 << 32) for w in reversed(words)])
        elif text.startswith("@tile "):
            started, ended = map(int, text.split()[1:3])
            cycles = ended - started
    return rows, cycles


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rtl", metavar="FOLDER")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--clock", type=float, default=1e9, help="of the array, in Hz, for its time (an assumption)")
    chosen = parser.parse_args()

    rng = random.Random(20)
    x, y = pictures(640, rng)
    test_x, test_y = pictures(BATCH * 4, rng)
    w1, w2 = train(x, y)
    hidden = [[max(0, v) for v in row] for row in product([[v / 127 for v in row] for row in test_x], w1)]
    floats = share(product(hidden, w2), test_y)
    (q1, _), (q2, _) = quantized(w1), quantized(w2)
    largest = max(max(row) for row in product(x, q1))
    multiplier = (127 << SHIFT) // largest

    # The definition, in plain integers.
    right_hidden = [[min(127, max(0, s) * multiplier >> SHIFT) for s in row] for row in product(test_x, q1)]
    right = product(right_hidden, q2)
    array = ridge_array.array
    array.ridge_array_shape(8, 8)
    started = time.perf_counter()
    outputs, middle = on("RIDGE", test_x, q1, q2, multiplier)
    seconds = time.perf_counter() - started
    wrong = sum(a != b for left, line in zip(outputs.tolist(), right) for a, b in zip(left, line))
    wrong += sum(a != b for left, line in zip(middle.tolist(), right_hidden) for a, b in zip(left, line))
    on("CPU", test_x, q1, q2, multiplier)  # compiles
    begun = time.perf_counter()
    on("CPU", test_x, q1, q2, multiplier)
    processor = time.perf_counter() - begun
    report = {
        "float_share": floats, "int8_share": share(outputs.tolist(), test_y), "wrong": wrong,
        "tiles": array.ridge_array_products(),
        "least_tiles": len(test_x) // 8 * (8 * HIDDEN // 8 + HIDDEN // 8 * CLASSES // 8),
        "cycles": array.ridge_array_cycles(), "macs": array.ridge_array_macs(), "bytes": array.ridge_array_bytes(),
        "array_seconds": array.ridge_array_cycles() / chosen.clock,
        # int8 multiply 0.07 and add 0.007 pJ at 7 nm (Jouppi et al., ISCA 2021); data movement is not in it.
        "mac_joules": array.ridge_array_macs() * 0.077e-12,
        "processor_seconds": processor, "simulation_seconds": seconds}
    if chosen.rtl:
        tile = [row[:8] for row in q1[:8]]
        rows, cycles = rtl_tile(chosen.rtl, [row[:8] for row in test_x], tile)
        report["rtl_wrong"] = int(rows != product([row[:8] for row in test_x], tile))
        report["rtl_cycles"], report["rtl_cycles_expected"] = cycles, 2 * 8 + 8 + len(test_x) - 2
    if chosen.json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            print(f"{name:20} {value}")
    good = wrong == 0 and report["int8_share"] >= floats - 0.02 and report["tiles"] == report["least_tiles"]
    if chosen.rtl:
        good = good and report["rtl_wrong"] == 0 and report["rtl_cycles"] == report["rtl_cycles_expected"]
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
