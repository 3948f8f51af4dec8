# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns results into text."""


def number(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def summary(outcome):
    points = outcome["points"]
    bad = [row for row in points if row["differences"]]
    text = f"{len(points) - len(bad)} of {len(points)} points agree, {len(outcome['timings'])} timed"
    for row in bad[:3]:
        text += f"\n  {row['params']}: {'; '.join(row['differences'])}"
    for error in outcome["timing_errors"][:3]:
        text += f"\n  timing failed: {error}"
    return text


def varying(rows):
    """Parameters that are not the same in every row, and the text of the fixed ones."""
    names = list(rows[0]["params"])
    changing = [n for n in names if len({str(row["params"][n]) for row in rows}) > 1]
    fixed = ", ".join(f"{n} = {rows[0]['params'][n]}" for n in names if n not in changing)
    return changing, fixed


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def comparison_table(outcome):
    changing, fixed = varying(outcome["points"])
    compared = sorted({name for row in outcome["points"] for name in row["compared"]})
    rows = []
    for row in outcome["points"]:
        cells = [str(row["params"][name]) for name in changing]
        for name in compared:
            ours, theirs = row.get("target", {}).get(name), row.get("simulation", {}).get(name)
            cells.append(f"{number(ours['value'])} / {number(theirs['value'])}" if ours and theirs else "–")
        cells.append(", ".join(row.get("checks", [])) or "–")
        cells.append("; ".join(row["differences"]) or "agree")
        rows.append(cells)
    head = changing + [f"{name} (target / simulated)" for name in compared] + ["checks", "verdict"]
    return (f"Fixed: {fixed}\n\n" if fixed else "") + table(head, rows)


def timing_table(outcome):
    changing, fixed = varying(outcome["timings"])
    names = []
    for row in outcome["timings"]:
        names += [n for n, m in row["metrics"].items() if n not in names and m["provenance"] == "MEASURED"]
    if not names:
        return "No metric of this target is measured.\n"
    rows = []
    for row in outcome["timings"]:
        cells = [str(row["params"][name]) for name in changing]
        cells += [number(row["metrics"][n]["value"]) if n in row["metrics"] else "–" for n in names]
        rows.append(cells + [row["validity"]])
    units = {n: row["metrics"][n]["unit"] for row in outcome["timings"] for n in names if n in row["metrics"]}
    head = changing + [f"{n} [{units.get(n, '')}]" for n in names] + ["validity"]
    return (f"Fixed: {fixed}\n\n" if fixed else "") + table(head, rows)


def markdown(results):
    out = [f"# {results['target']} against {results['simulation']}\n", f"{results['date']}. {results['note']}\n"]
    overview = [[o["id"], "yes" if o["agrees"] else "**no**", str(len(o["points"])), str(len(o["timings"]))]
                for o in results["experiments"].values()]
    out.append(table(["experiment", "agrees", "points", "timed"], overview))
    for outcome in results["experiments"].values():
        out.append(f"\n## {outcome['id']}: {outcome['title']}\n")
        if outcome["points"]:
            out.append(comparison_table(outcome))
        if outcome["timings"]:
            out.append("\nTimings on the target:\n\n" + timing_table(outcome))
        for error in outcome["timing_errors"]:
            out.append(f"\nFailed: {error}\n")
    return "\n".join(out)
