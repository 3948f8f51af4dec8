# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses parameter points from an experiment's description."""


def default_of(parameter, target_class):
    return parameter.get("default_for", {}).get(target_class, parameter["default"])


def thinned(values, count):
    """At most `count` of `values`, first and last among them, evenly spread."""
    if len(values) <= count:
        return values
    if count < 2:
        return values[:count]
    return [values[round(i * (len(values) - 1) / (count - 1))] for i in range(count)]


def values_of(parameter, count):
    """A few legal values over the whole range of a parameter."""
    if parameter.get("choices"):
        return thinned(parameter["choices"], count)
    if "range" not in parameter:  # a text, as a file's name: there is no other value to try
        return [parameter["default"]]
    low, high = parameter["range"]
    whole = parameter["type"] == "int"
    if parameter["scale"] == "log2":
        values = []
        value = max(low, 1 if whole else low)
        while value <= high and value > 0:
            values.append(value)
            value *= 2
    else:
        values = [low + (high - low) * i / (count - 1) for i in range(count)]
    values = thinned(sorted({int(value) if whole else float(value) for value in values}), count)
    if whole:  # powers of two alone hide an error in an address rule, and few other values show a bank conflict
        values += [value for value in (2, 3, 4, 16, 32, 33) if low < value < high]
    return sorted(set(values))


def bearable(parameter, target_class):
    """Problem sizes (their default differs between targets) stay at or below this target's default, unless even the
    largest is small."""
    if not parameter.get("default_for") or "range" not in parameter or parameter["range"][1] <= 64:
        return lambda value: True
    return lambda value: value <= default_of(parameter, target_class)


def sweep_points(experiment, target_class, count):
    """The default point, then each parameter over its range with the others at their defaults."""
    base = {p["name"]: default_of(p, target_class) for p in experiment["parameters"]}
    points = [base]
    for parameter in experiment["parameters"]:
        for value in filter(bearable(parameter, target_class), values_of(parameter, count)):
            point = dict(base, **{parameter["name"]: value})
            if point not in points:
                points.append(point)
    return points


def small_grid(experiment, target_class, most):
    """The default point and, for each parameter, a few values over its range; at most `most`, evenly thinned."""
    points = sweep_points(experiment, target_class, 2)
    return points[:1] + thinned(points[1:], most - 1) if len(points) > most else points


def chart_points(experiment, target_class, count):
    """The points of the experiment's first chart at the target's own default size: what is worth timing."""
    base = {p["name"]: default_of(p, target_class) for p in experiment["parameters"]}
    charts = experiment.get("charts") or []
    axis = next((p for p in experiment["parameters"] if charts and p["name"] == charts[0]["x"]), None)
    if axis is None:
        return [base]
    return [dict(base, **{axis["name"]: value}) for value in values_of(axis, count)]
