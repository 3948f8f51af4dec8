# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns the results of simt.py into text. Every point appears, the bad ones too."""

from report import table


def percent(value, signed=False):
    return "–" if value is None else f"{100 * value:{'+' if signed else ''}.1f} %"


def fit_rows(fits):
    names = {"cycles": "the simulator", "roofline": "roofline time", "throughput": "sum of opcode throughputs"}
    rows = []
    for key, name in names.items():
        fit = fits[key] if fits else None
        if fit is None:
            rows.append([name] + ["not measured"] + ["–"] * 7)
            continue
        rows.append([name, str(fit["points"]), percent(fit["mean"]), percent(fit["median"]), percent(fit["p90"]),
                     percent(fit["worst"]), percent(fit["bias"], True), f"{fit['spearman']:.3f}",
                     f"{percent(fit['right_order'])} of {fit['pairs']}"])
    return rows


FIT_HEAD = ["Guess", "Points", "mean abs error", "median", "p90", "worst", "bias", "Spearman", "pairs > 10 % in right order"]
CYCLE_HEAD = ["Point", "simulated", "roofline", "throughput sum", "GPU, cold L2", "error", "GPU, warm L2", "first warp to last",
              "by events", "registers GPU / ours"]


def cycle_rows(rows):
    out = []
    for row in rows:
        if "error" in row:
            out.append([row["id"], "fails: " + row["error"]] + ["–"] * (len(CYCLE_HEAD) - 2))
            continue
        measured = row.get("measured") or {}
        cold, warm = measured.get("cold"), measured.get("warm")
        cells = [row["id"], f"{row['cycles']:.0f}", f"{row['roofline']:.0f}", f"{row['throughput']:.0f}"]
        if cold:
            cells += [f"{cold['cycles']:.0f}", percent(row["cycles"] / cold["cycles"] - 1, True)]
            cells += [f"{warm['cycles']:.0f}" if warm else "–", f"{cold['whole_cycles']:.0f}"]
            cells += [f"{measured['event_cycles']:.0f}" if "event_cycles" in measured else "–"]
            cells += [f"{measured['registers']} / {row['registers']}" if "registers" in measured else "–"]
        else:
            cells += [measured.get("error", "not measured")] + ["–"] * 4 + [f"– / {row['registers']}"]
        out.append(cells)
    return out


SET_NAMES = {"dev": "Development set", "heldout": "Held-out set", "styles": "Styles, the second development set",
             "blind": "Blind set, seen once",
             "sizes": "Sizes, which the chip file follows"}


def cycle_tables(name, one):
    text = f"\n#### {SET_NAMES[name]}, {len(one['rows'])} points\n\n"
    return text + table(FIT_HEAD, fit_rows(one.get("fit"))) + "\n" + table(CYCLE_HEAD, cycle_rows(one["rows"]))


def fit_table(fits):
    """One row a set: the simulator alone."""
    rows = [[SET_NAMES[name]] + fit_rows(fit)[0][1:] for name, fit in fits.items()]
    return table(["Set"] + FIT_HEAD[1:], rows)


def far_off(sets, least=0.2):
    """The points of {set: rows} that are off by more than `least`."""
    found = [(row["cycles"] / row["measured"]["cold"]["cycles"] - 1, row["id"]) for rows in sets.values() for row in rows if "error" not in row]
    words = [f"`{name}` {percent(error, True)}" for error, name in sorted(found, key=lambda one: -abs(one[0])) if abs(error) > least]
    return f"More than {percent(least)} off: " + ", ".join(words) + ".\n"


def summary(name, part):
    if "error" in part:
        return f"{name} failed: {part['error']}"
    if name == "cycles":
        lines = []
        for key, one in part["sets"].items():
            good = sum("error" not in row and "error" not in row["measured"] for row in one["rows"])
            fit = one["fit"]["cycles"]
            lines.append(f"{key}: {good} of {len(one['rows'])} points" +
                         (f", mean error {percent(fit['mean'])}, p90 {percent(fit['p90'])}, Spearman {fit['spearman']:.3f}"
                          if fit else ""))
            lines += [f"  {row['id']}: {row.get('error') or row['measured']['error']}" for row in one["rows"]
                      if "error" in row or "error" in row["measured"]][:5]
        return "\n  ".join(lines)
    rows = part["rows"]
    bad = [row for row in rows if row.get("error") or row.get("rules") or row.get("wrong")
           or (row.get("differs") and "note" not in row) or row.get("classes") or (row.get("unequal") and "note" not in row) or row.get("equal", 0) < row.get("elements", 0)]
    waiting = sum("waits" in row for row in rows)
    text = f"{len(rows) - len(bad) - waiting} of {len(rows) - waiting} agree, {part['seconds']:.0f} s"
    if waiting:
        text += f"; {waiting} newer than the recording, not judged"
    for row in bad[:5]:
        what = row.get("error") or row.get("rules") or row.get("wrong") or row.get("differs") or \
            (row.get("unequal") and f"{len(row['unequal'])} of {row['octaves']} octaves unequal, {row['mismatches']} inputs judged different") or \
            {key: row[key] for key in ("nan", "infinity", "one_ulp", "few_ulp", "far", "classes") if row.get(key)}
        text += f"\n    {row['id']}: {what}"
    return text


def bits_text(part):
    rows = [[row["id"], row.get("error") or ("–" if "waits" in row else "equal" if not row["differs"] else
             "; ".join(f"buffer {at}: {count} bytes differ" for at, count in row["differs"].items())),
             str(row.get("bytes", "–")), row.get("note", "")] for row in part["rows"]]
    return table(["Kernel", "Bits", "bytes compared", "note"], rows)


def counters_text(part):
    rows = [[row["id"], "; ".join(row.get("rules", []) + row.get("wrong", [])) or row.get("error", "hold"),
             str(row.get("closed_forms", 0)),
             ", ".join(f"{key} {pair['ours'] / pair['theirs']:.3f}" for key, pair in row.get("ncu", {}).items()
                       if pair["theirs"])] for row in part["rows"]]
    return f"Profiler: {part['profiler']}.\n\n" + table(["Kernel", "Rules", "closed forms", "ours ÷ ncu"], rows)


def functions_text(part):
    head = ["Function", "inputs", "octaves unequal", "differ", "NaN on one side alone", "floats apart, most", "at",
            "largest error of the GPU there, ulp"]
    rows, exponents = [], []
    for row in part["rows"]:
        if "error" in row:
            rows.append([row["id"], row["error"]] + ["–"] * 6)
            continue
        octaves = f"{len(row['unequal'])} of {row['octaves']}" if "octaves" in row else "–"
        rows.append([row["id"], str(row["inputs"]), octaves, str(row["mismatches"]), str(row["classes"]), str(row["distance"]),
                     str(row["worst"] or "–"), f"{row['gpu_ulp']:.4f}" if row["gpu_ulp"] else "–"])
        for exponent, one in sorted(row["exponents"].items(), key=lambda item: int(item[0])):
            if one["mismatches"]:
                exponents.append([row["id"], exponent, str(one["inputs"]), str(one["mismatches"]), str(one["distance"]),
                                  f"{one['gpu_ulp']:.4f}"])
    text = table(head, rows)
    if exponents:
        text += "\nBy exponent of the input, where anything differs:\n\n"
        text += table(["Function", "exponent", "inputs", "differ", "floats apart", "GPU's error, ulp"], exponents)
    return text


def mma_text(part):
    head = ["Instruction", "Operands", "elements", "equal", "NaN", "infinity", "1 ulp", "2 to 16 ulp", "farther"]
    keys = ("elements", "equal", "nan", "infinity", "one_ulp", "few_ulp", "far")
    rows = [[row["id"], row["mode"]] + ([row["error"]] + ["–"] * 6 if "error" in row else [str(row[key]) for key in keys])
            for row in part["rows"]]
    return table(head, rows)


def cycles_text(part):
    return "".join(cycle_tables(name, one) for name, one in part["sets"].items())


def markdown(results):
    text = f"# The SIMT simulator against {results['device']}\n\nVersion {results['version']}, {results['simulation']}, " \
           f"{results['date']}.\n"
    if results["dry_run"]:
        text += "\n**Dry run: the simulator stands in the GPU's place; nothing here was measured.**\n"
    writers = {"bits": bits_text, "counters": counters_text, "functions": functions_text, "mma": mma_text,
               "cycles": cycles_text}
    for name, part in results["parts"].items():
        text += f"\n## {name.capitalize()}\n\n{'Agrees' if part['agrees'] else 'DISAGREES'}, {part['seconds']:.0f} s.\n\n"
        text += f"{part['error']}\n" if "error" in part else writers[name](part)
    return text
