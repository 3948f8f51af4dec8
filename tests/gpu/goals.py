# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals that the experiments can be held against: what is run, what it is divided by, floor and target.

A goal names experiments, parameters and metrics; what the worker's catalogue does not have makes it "not measurable", never
an error. Numbers of goals and their floors: reference/kernels.md, section 8 (K10 …), from the sources named there.
"""

import dataclasses
import itertools
import math
import statistics


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
    mean_over: str = ""  # a parameter: the geometric mean over its values, each with its best
    tied: tuple = ()  # parameters that have the value of mean_over: a square product's other sizes


GIB = 1 << 30
STREAM = {"bytes": GIB, "bytes_per_thread": [16, 32], "grid": ["element", "grid_stride", "persistent"]}
NORM = {"columns": 8192, "elements": 1 << 26, "input": "uniform", "rung": ["registers", "vector", "persistent"], "reference": "cudnn"}
SUM = {"elements": 1 << 30, "type": "int32", "input": "uniform", "rung": ["unrolled", "redux", "last_block"]}
PRODUCT = {"data": "uniform"}
HOPPER = dict(PRODUCT, precision="bf16", rung=["persistent", "multicast", "stores"], reference="cublas")
PORTABLE = dict(PRODUCT, precision="bf16", rung=["async", "large_tile"], layout="nk", m=4096, n=4096, k=4096)
ATTENTION = {"rung": ["hopper", "pingpong"], "n": [8192, 16384], "heads": 32, "group": 1, "head_dim": 128, "dtype": "fp16",
             "input": "uniform", "reference": "cudnn"}
NO_FA3 = "cuDNN alone: FlashAttention-3 is a Python package, and not in this process"
LESSON = "the kernels are those of the lesson, a tile of 64 a block: written to be read, not to reach the goal"
MOON = "105 is the moonshot of kernels.md, which has no lower goal; 100 is as fast as cuDNN"
GOALS = (
    Goal("K1", "bf16 product of order 8192 / cuBLAS", 85, 98, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="bf16", n=8192), ratio=False, unit="%", note=LESSON),
    Goal("K2", "bf16 product of order 4096 / cuBLAS", 85, 100, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="bf16", n=4096), ratio=False, unit="%", note=LESSON),
    Goal("K3", "bf16 products of order 1024 … 16384 / cuBLAS, geometric mean", 80, 97, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="bf16", n=[1024, 2048, 4096, 8192, 16384]), ratio=False, unit="%", note=LESSON, mean_over="n"),
    Goal("K4", "fp8 product of order 8192 / cuBLASLt", 75, 92, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="fp8", n=8192), ratio=False, unit="%", note=LESSON + "; no scales of blocks"),
    Goal("K5", "fp32 product of order 4096 / cuBLAS, pedantic", 80, 92, "tensor_cores", "reference_share",
         dict(PRODUCT, precision="fp32", n=4096), ratio=False, unit="%", note=LESSON),
    Goal("K1 wgmma", "bf16 product of order 8192 by wgmma / cuBLAS", 85, 98, "hopper_matmul", "cublas_share",
         dict(HOPPER, m=8192, n=8192, k=8192), ratio=False, unit="%"),
    Goal("K2 wgmma", "bf16 product of order 4096 by wgmma / cuBLAS", 85, 100, "hopper_matmul", "cublas_share",
         dict(HOPPER, m=4096, n=4096, k=4096), ratio=False, unit="%"),
    Goal("K3 wgmma", "bf16 products of order 1024 … 16384 by wgmma / cuBLAS, geometric mean", 80, 97, "hopper_matmul", "cublas_share",
         dict(HOPPER, rung=["ring", "stores"], k=[1024, 2048, 4096, 8192, 16384]), ratio=False, unit="%", mean_over="k", tied=("m", "n")),
    Goal("K4 wgmma", "fp8 product of order 8192 by wgmma, summed in two levels / cuBLASLt", 75, 92, "hopper_matmul", "cublas_share",
         dict(HOPPER, rung="fp8", accumulate="two_level", scales="none", m=8192, n=8192, k=8192), ratio=False, unit="%",
         note="without scales, which cuBLASLt is not asked to apply; the best of its algorithms may sum in one level"),
    Goal("K7", "bf16 product of order 4096 by mma.sync / what mma.sync can reach", 75, 90, "tensor_matmul", "mma_share",
         dict(PORTABLE, reference="none"), ratio=False, unit="%"),
    Goal("K8", "attention of 8192 and 16384 tokens, head dimension 128 / cuDNN", 60, 85, "attention", "cudnn_share",
         dict(ATTENTION, mask="full"), ratio=False, unit="%", note=NO_FA3),
    Goal("K9", "causal attention of 8192 tokens, head dimension 128 / cuDNN", 55, 82, "attention", "cudnn_share",
         dict(ATTENTION, n=8192, mask="causal"), ratio=False, unit="%", note=NO_FA3),
    Goal("K10", "copy of 1 GiB / the driver's device-to-device copy", 99, 100, "stream", "driver_share",
         dict(STREAM, operation="copy"), ratio=False, unit="%"),
    Goal("K11", "sum of 2^30 int32 / CUB", 98, 101, "reduction", "cub_share", dict(SUM, reference="cub"), ratio=False, unit="%"),
    Goal("K11 pins", "sum of 2^30 int32 / pin bandwidth", 0.90, 0.93, "reduction", "bandwidth", dict(SUM, reference="none"),
         against="limit", against_text="the sample's own limit"),
    Goal("K12 RMSNorm", "RMSNorm of 8192² bf16 / own copy", 92, 97, "norm", "share_of_copy", dict(NORM, kind="rms"),
         ratio=False, unit="%"),
    Goal("K12 LayerNorm", "LayerNorm of 8192² bf16 / own copy", 92, 97, "norm", "share_of_copy", dict(NORM, kind="layer"),
         ratio=False, unit="%"),
    Goal("K12 RMSNorm cuDNN", "RMSNorm of 8192² bf16 / cuDNN", 100, 105, "norm", "cudnn_share", dict(NORM, kind="rms"),
         ratio=False, unit="%", note=MOON),
    Goal("K12 LayerNorm cuDNN", "LayerNorm of 8192² bf16 / cuDNN", 100, 105, "norm", "cudnn_share", dict(NORM, kind="layer"),
         ratio=False, unit="%", note=MOON),
    Goal("K13", "softmax of rows of 131072 and 262144 fp32 / own copy, geometric mean", 80, 90, "softmax", "share_of_copy",
         {"columns": [131072, 262144], "elements": 1 << 26, "input": "uniform", "rung": ["online", "registers", "vector"]},
         ratio=False, unit="%", mean_over="columns", note="K13's second half, torch.compile, is no library of this process"),
    Goal("K14", "transpose of 16384² fp32 / copy", 90, 96, "transpose", "share_of_copy",
         {"width": 16384, "height": 16384, "element_bytes": 4, "rung": ["padded", "swizzle", "diagonal", "vector"]},
         ratio=False, unit="%"),
    Goal("K17", "decode attention, GQA 8, 32k tokens, batch 16 / KV bytes at pin bandwidth", 0.70, 0.85, "kv_cache_growth",
         "kv_bandwidth", {"kernel": ["grouped", "split"], "query_heads": 64, "kv_heads": 8, "head_dim": 128,
                          "context": 32768, "batch": 16}, against="limit", against_text="the sample's own limit",
         note="contiguous, not paged; over the pins, not over the copy's rate"),
    Goal("K18", "pinned host to device, 1 GiB / 63 GB/s", 0.80, 0.83, "transfers", "bandwidth",
         {"bytes": GIB, "memory": "pinned", "direction": "h2d"}, against=63.0, against_text="PCIe 5.0 x16 after encoding"),
    Goal("NCCL", "copy of 1 GiB to the next GPU / NCCL's send and receive", 100, 100, "transfers", "nccl_share",
         {"bytes": GIB, "direction": "peer", "reference": "nccl"}, ratio=False, unit="%",
         note="no goal of kernels.md: 100 is as fast as NCCL; needs two GPUs"),
    Goal("K19", "graph of 1000 empty kernels, device time each", 1.5, 1.0, "launch", "device_time_per_launch",
         {"launches": 1000, "by": "graph"}, best="min", ratio=False, unit="µs"),
    Goal("K20 copy", "best copy / best published on this GPU (BabelStream 4.01)", 0.95, 1.00, "stream", "bandwidth",
         dict(STREAM, operation="copy"), against=4010.0, against_text="BabelStream copy on H200 (Azure guide)"),
    Goal("K20 triad", "best triad / best published on this GPU (BabelStream 4.15)", 0.95, 1.00, "stream", "bandwidth",
         dict(STREAM, operation="triad"), against=4150.0, against_text="BabelStream triad on H200 (Azure guide)"),
    Goal("K20 dot", "best dot / best published on this GPU (BabelStream 4.48)", 0.95, 1.00, "stream", "bandwidth",
         dict(STREAM, operation="dot"), against=4480.0, against_text="BabelStream dot on H200 (Azure guide)"),
    Goal("K20 bf16", "cuBLAS's bf16 product of order 8192 / best measured on this GPU before (788)", 0.95, 1.00, "tensor_cores",
         "reference_rate", dict(PRODUCT, precision="bf16", n=8192), against=788.0,
         against_text="kernels.md: one H200, random data", note="the roof of the tensor cores: wgmma, which mma.sync cannot reach"),
    Goal("K20 FMA", "fp32 fused multiply-adds / peak at the clock that ran", 90, 95, "throughput", "peak_share",
         {"operation": "fma_fp32", "ilp": [4, 8], "warps": [16, 32, 64]}, ratio=False, unit="%"),
)
# Goals of a module's lessons that an experiment of another module measures.
OF_OTHER_MODULES = {4: ("K5", "K4", "K2", "K1", "K3")}
OF_THE_VENDOR = ("reference_share", "cublas_share", "reference_rate", "driver_share", "cub_share", "cudnn_share", "nccl_share")
PAIRED = ("reference_share", "cublas_share", "driver_share", "cub_share", "cudnn_share", "nccl_share", "share_of_copy")  # medians over pairs of samples taken in turns
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
        if small and known[name].get("default_for") and not isinstance(values[0], str):
            values = [default_of(known[name], target_class)]
        if not values:
            said.append(f"{name}={wanted} is not legal")
            continue
        chosen[name] = values[:1] if small else values
    base = {name: default_of(p, target_class) for name, p in known.items()}
    names = list(chosen)
    points = [dict(base, **dict(zip(names, values))) for values in itertools.product(*chosen.values())]
    return [dict(point, **{name: point[goal.mean_over] for name in goal.tied}) for point in points], said


def value_of(goal, sample):
    """(value, the value over what it is compared with where the sample says that itself)."""
    metric = sample["metrics"].get(goal.metric)
    if metric is None:
        return None, None
    value = metric["value"] * SCALE.get(goal.unit, 1)
    limit = sample.get("limits", {}).get(goal.metric)
    return value, value / limit["value"] if goal.against == "limit" and limit and limit["value"] else None


def why_absent(metric, small):
    if metric == "cub_share":
        return "CUB was not compiled: install the CUDA toolkit 13 with its headers (ridge run reduction --set reference=cub says more)"
    if metric in OF_THE_VENDOR:
        return "a simulator has no vendor's way to do it" if small else \
            f"no sample has the metric {metric}: ridge doctor names the libraries"
    return f"no sample has the metric {metric}"


def best_of_each(goal, points, scored, better):
    """([(value, index)] of the best for each value of mean_over, the values without any)."""
    groups = {point[goal.mean_over]: [] for point in points}
    for value, _, index in scored:
        groups[points[index][goal.mean_over]].append((value, index))
    return [better(group) for group in groups.values() if group], [key for key, group in groups.items() if not group]


def spread_of(goal, samples):
    """What says how far the median over pairs can be trusted; of several samples the widest."""
    found = [{name: sample["metrics"][goal.metric + "_" + name]["value"] for name in ("iqr", "pairs")}
             for sample in samples if goal.metric + "_iqr" in sample["metrics"]]
    return max(found, key=lambda one: one["iqr"]) if found else {}


def measure(goal, catalogue, target, run):
    """One row. `run(experiment, points)` gives samples by index, why some are missing, and whether for want of time."""
    row = {"id": goal.id, "title": goal.title, "floor": goal.floor, "target": goal.target, "note": goal.note,
           "against": goal.against_text, "unit": goal.unit or "ratio", "verdict": "not measurable"}
    experiment = next((e for e in catalogue if e["id"] == goal.experiment), None)
    target_class = target.split(":")[0]
    if experiment is None or target_class not in experiment["targets"]:
        return dict(row, why=f"there is no experiment {goal.experiment} for {target_class}")
    small = target_class == "sim"
    points, said = points_of(goal, experiment, target_class, small)
    samples, why, row["out_of_time"] = run(goal.experiment, points)
    better = max if goal.best == "max" else min
    scored = [(value_of(goal, sample), index) for index, sample in samples.items()]
    scored = [(value, over, index) for (value, over), index in scored if value is not None]
    if not scored:
        return dict(row, why="; ".join(said + [why or why_absent(goal.metric, small)]))
    if goal.mean_over:
        best, without = best_of_each(goal, points, scored, better)
        if without:
            return dict(row, why="; ".join(said + [f"nothing was measured at {goal.mean_over} = {without}"] + ([why] if why else [])))
        value, over = math.exp(statistics.fmean(math.log(one) for one, _ in best)), None
        chosen = [index for _, index in best]
        row["each"] = {str(points[index][goal.mean_over]): one for one, index in best}
    else:
        value, over, index = better(scored, key=lambda one: one[0])
        chosen = [index]
    of_these = [samples[index] for index in chosen]
    row.update({"value": value, "params": points[chosen[0]] if len(chosen) == 1 else [points[index] for index in chosen],
                "validity": next((s["validity"] for s in of_these if s["validity"] != "valid"), "valid"), "said": said,
                "provenance": of_these[0]["metrics"][goal.metric]["provenance"],
                "checks_passed": all(check["passed"] for sample in of_these for check in sample["checks"])})
    row.update(spread_of(goal, of_these))
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
    elif row["validity"] != "valid":
        row["verdict"] += f" ({row['validity']})"
    return row
