# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns results into text."""


def number(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def summary(outcome):
    points = outcome["points"]
    bad = [row for row in points if row["differences"]]
    text = f"{len(points) - len(bad)} of {len(points)} points agree, {len(outcome['timings'])} timed"
    if outcome.get("asked", 0) > len(points):
        text += f", {outcome['asked'] - len(points)} not reached"
    if outcome.get("ratio"):
        text += f"; simulated over measured time {outcome['ratio']['median']:.2f}"
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
        refused = f"both refuse: {row['refused']}" if "refused" in row else "agree"
        cells.append("; ".join(row["differences"]) or refused)
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


def goal_line(goal):
    if "result" not in goal:
        return f"{goal['verdict']}: {goal['why']}"
    spread = f" ({number(goal['iqr'])} IQR of {number(goal['pairs'])} pairs)" if "iqr" in goal else ""
    return f"{number(goal['result'])} {goal['unit']}{spread} (floor {goal['floor']}, target {goal['target']}): {goal['verdict']}"


def goals_table(goals):
    rows = []
    for goal in goals.values():
        words = [goal.get("against", ""), goal.get("note", ""), goal.get("why", "")] + goal.get("said", [])
        rows.append([goal["id"], goal["title"], str(goal.get("floor", "")), str(goal.get("target", "")),
                     f"{number(goal['result'])} {goal['unit']}" if "result" in goal else "–",
                     f"{number(goal['iqr'])} ({number(goal['pairs'])})" if "iqr" in goal else "–",
                     number(goal["value"]) if "value" in goal else "–", goal["verdict"], "; ".join(w for w in words if w)])
    return table(["goal", "what", "floor", "target", "result", "IQR (pairs)", "ours", "verdict", "remarks"], rows)


def experiments_markdown(results):
    out = [f"# Experiments: {results['target']} against {results['simulation']}\n",
           f"{results['date']}, regime {results['regime']}. {results['note']}\n"]
    overview = []
    for one in results["experiments"].values():
        ratio = one.get("ratio")
        spread = f"{ratio['median']:.2f} ({ratio['least']:.2f} … {ratio['most']:.2f}, {ratio['points']} points)" if ratio else "–"
        agrees = "**no**" if not one["agrees"] else "yes" if one["points"] else "nothing reached"
        overview.append([one["id"], agrees, f"{len(one['points'])} of {one['asked']}",
                         str(len(one["timings"])), spread])
    out.append(table(["experiment", "agrees", "points compared", "timed", "simulated ÷ measured time, median"], overview))
    if results["goals"]:
        out.append("\n## Goals\n\n" + goals_table(results["goals"]))
    for one in results["experiments"].values():
        out.append(f"\n## {one['id']}: {one['title']}\n")
        if one.get("varying"):
            out.append(f"Follow from a time, and are not compared: {', '.join(one['varying'])}.\n")
        if one["points"]:
            out.append(comparison_table(one))
        if one["timings"]:
            out.append("\nTimings on the target:\n\n" + timing_table(one))
        for error in one["timing_errors"]:
            out.append(f"\nFailed: {error}\n")
    return "\n".join(out)
