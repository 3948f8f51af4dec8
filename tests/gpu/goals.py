# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals that the experiments can be held against: what is run, what it is divided by, floor and target.

A goal names experiments, parameters and metrics; what the worker's catalogue does not have makes it "not measurable", never
an error. Numbers of goals and their floors: reference/kernels.md, section 8 (K10 …), from the sources named there.
"""

import dataclasses
import itertools


@dataclasses.dataclass
class Goal:
    id: str
    title: str
    floor: float
    target: float
    experiment: str
    metric: str
    params: dict  # a list holds values that are tried; the best counts
    best: str = "max"
    against: object = None  # value of the limit "1.0": a number, or "limit" (of the sample)
    against_text: str = ""
    ratio: bool = True  # else the value itself, in `unit`, is compared
    unit: str = ""
    note: str = ""


GIB = 1 << 30
STREAM = {"bytes": GIB, "bytes_per_thread": [16, 32], "grid": ["element", "grid_stride", "persistent"]}
NORM = {"columns": 8192, "elements": 1 << 26, "input": "uniform", "rung": ["registers", "vector", "persistent"]}
PRODUCT = {"data": "uniform"}
LESSON = "the kernels are those of the lesson, a tile of 64 a block: written to be read, not to reach the goal"
GOALS = (
    Goal("K1", "bf16 product of order 8192 / cuBLAS", 85, 98, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="bf16", n=8192), ratio=False, unit="%", note=LESSON),
    Goal("K2", "bf16 product of order 4096 / cuBLAS", 85, 100, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="bf16", n=4096), ratio=False, unit="%", note=LESSON),
    Goal("K4", "fp8 product of order 8192 / cuBLASLt", 75, 92, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="fp8", n=8192), ratio=False, unit="%", note=LESSON + "; no scales of blocks"),
    Goal("K5", "fp32 product of order 4096 / cuBLAS, pedantic", 80, 92, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="fp32", n=4096), ratio=False, unit="%", note=LESSON),
    Goal("K10", "copy of 1 GiB / the driver's device-to-device copy", 99, 100, "stream", "driver_share",
         dict(STREAM, operation="copy"), ratio=False, unit="%"),
    Goal("K11", "sum of 2^28 int32 / pin bandwidth", 0.90, 0.93, "reduction", "bandwidth",
         {"elements": 1 << 28, "type": "int32", "rung": ["unrolled", "redux", "last_block"]}, against="limit",
         against_text="the sample's own limit", note="the goal over CUB needs CUB, which is not there"),
    Goal("K12 RMSNorm", "RMSNorm of 8192² bf16 / own copy", 92, 97, "norm", "share_of_copy", dict(NORM, kind="rms"),
         ratio=False, unit="%", note="cuDNN is looked for (ridge doctor) and not called: the goal over it is open"),
    Goal("K12 LayerNorm", "LayerNorm of 8192² bf16 / own copy", 92, 97, "norm", "share_of_copy", dict(NORM, kind="layer"),
         ratio=False, unit="%"),
    Goal("K14", "transpose of 16384² fp32 / copy", 90, 96, "transpose", "share_of_copy",
         {"width": 16384, "height": 16384, "element_bytes": 4, "rung": ["padded", "swizzle", "diagonal", "vector"]},
         ratio=False, unit="%"),
    Goal("K17", "decode attention, GQA 8, 32k tokens, batch 16 / KV bytes at pin bandwidth", 0.70, 0.85, "kv_cache_growth",
         "kv_bandwidth", {"kernel": ["grouped", "split"], "query_heads": 64, "kv_heads": 8, "head_dim": 128,
                          "context": 32768, "batch": 16}, against="limit", against_text="the sample's own limit",
         note="contiguous, not paged; over the pins, not over the copy's rate"),
    Goal("K18", "pinned host to device, 1 GiB / 63 GB/s", 0.80, 0.83, "transfers", "bandwidth",
         {"bytes": GIB, "memory": "pinned", "direction": "h2d"}, against=63.0, against_text="PCIe 5.0 x16 after encoding"),
    Goal("K19", "graph of 1000 empty kernels, device time each", 1.5, 1.0, "launch", "device_time_per_launch",
         {"launches": 1000, "by": "graph"}, best="min", ratio=False, unit="µs"),
    Goal("K20 copy", "best copy / best published on this GPU (BabelStream 4.01)", 0.95, 1.00, "stream", "bandwidth",
         dict(STREAM, operation="copy"), against=4010.0, against_text="BabelStream copy on H200 (Azure guide)"),
    Goal("K20 triad", "best triad / best published on this GPU (BabelStream 4.15)", 0.95, 1.00, "stream", "bandwidth",
         dict(STREAM, operation="triad"), against=4150.0, against_text="BabelStream triad on H200 (Azure guide)"),
    Goal("K20 dot", "best dot / best published on this GPU (BabelStream 4.48)", 0.95, 1.00, "stream", "bandwidth",
         dict(STREAM, operation="dot"), against=4480.0, against_text="BabelStream dot on H200 (Azure guide)"),
    Goal("K20 FMA", "fp32 fused multiply-adds / peak at the clock that ran", 90, 95, "throughput", "peak_share",
         {"operation": "fma_fp32", "ilp": [4, 8], "warps": [16, 32, 64]}, ratio=False, unit="%"),
)
OF_THE_VENDOR = ("reference_share", "driver_share")
SCALE = {"µs": 1e6}


def default_of(parameter, target_class):
    return parameter.get("default_for", {}).get(target_class, parameter["default"])


def legal(parameter, value):
    if parameter.get("choices"):
        return value in parameter["choices"]
    low, high = parameter["range"]
    return isinstance(value, (int, float)) and low <= value <= high


def points_of(goal, experiment, target_class, small):
    """(points, words about what had to be left out). `small`: sizes stay at the target's defaults (dry runs)."""
    known = {p["name"]: p for p in experiment["parameters"]}
    chosen, said = {}, []
    for name, wanted in goal.params.items():
        if name not in known:
            said.append(f"{goal.experiment} has no parameter {name}")
            continue
        values = [v for v in (wanted if isinstance(wanted, list) else [wanted]) if legal(known[name], v)]
        if small and known[name].get("default_for"):
            values = [default_of(known[name], target_class)]
        if not values:
            said.append(f"{name}={wanted} is not legal")
            continue
        chosen[name] = values[:1] if small else values
    base = {name: default_of(p, target_class) for name, p in known.items()}
    names = list(chosen)
    return [dict(base, **dict(zip(names, values))) for values in itertools.product(*chosen.values())], said


def value_of(goal, sample):
    """(value, the value over what it is compared with where the sample says that itself)."""
    metric = sample["metrics"].get(goal.metric)
    if metric is None:
        return None, None
    value = metric["value"] * SCALE.get(goal.unit, 1)
    limit = sample.get("limits", {}).get(goal.metric)
    return value, value / limit["value"] if goal.against == "limit" and limit and limit["value"] else None


def measure(goal, catalogue, target, run):
    """One row. `run(experiment, points)` gives samples by index and why some are missing."""
    row = {"id": goal.id, "title": goal.title, "floor": goal.floor, "target": goal.target, "note": goal.note,
           "against": goal.against_text, "unit": goal.unit or "ratio", "verdict": "not measurable"}
    experiment = next((e for e in catalogue if e["id"] == goal.experiment), None)
    target_class = target.split(":")[0]
    if experiment is None or target_class not in experiment["targets"]:
        return dict(row, why=f"there is no experiment {goal.experiment} for {target_class}")
    small = target_class == "sim"
    points, said = points_of(goal, experiment, target_class, small)
    samples, why = run(goal.experiment, points)
    better = max if goal.best == "max" else min
    scored = [(value_of(goal, sample), index) for index, sample in samples.items()]
    scored = [(value, over, index) for (value, over), index in scored if value is not None]
    if not scored:
        absent = f"no sample has the metric {goal.metric}"
        if goal.metric in OF_THE_VENDOR:
            absent = "a simulator has no vendor's way to do it" if small else absent + ": ridge doctor names the libraries"
        return dict(row, why="; ".join(said + [why or absent]))
    value, over, index = better(scored, key=lambda one: one[0])
    sample = samples[index]
    row.update({"value": value, "params": points[index], "validity": sample["validity"], "said": said,
                "provenance": sample["metrics"][goal.metric]["provenance"],
                "checks_passed": all(check["passed"] for check in sample["checks"])})
    if not goal.ratio:
        result = value
    elif goal.against == "limit":
        result = over
    else:
        result = value / goal.against
    if result is None:
        return dict(row, why="the sample has no limit to compare with")
    meets = (lambda bound: result >= bound) if goal.best == "max" else (lambda bound: result <= bound)
    row["result"] = result
    row["verdict"] = "target" if meets(goal.target) else "floor" if meets(goal.floor) else "missed"
    if not row["checks_passed"]:
        row["verdict"] = "wrong results"
    elif row["provenance"] != "MEASURED":
        row["verdict"] = f"not judged: {row['provenance'].lower()}"
    elif sample["validity"] != "valid":
        row["verdict"] += f" ({sample['validity']})"
    return row
