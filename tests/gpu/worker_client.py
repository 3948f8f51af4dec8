# SPDX-License-Identifier: GPL-3.0-or-later
"""Talks to ridge-worker by the protocol of docs/protocol.md."""

import json
import subprocess


class WorkerFailed(Exception):
    """The worker gave no usable answer."""


def ask(worker, verb):
    """The JSON document of `describe` or `targets`."""
    try:
        done = subprocess.run([worker, verb], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkerFailed(f"{worker} {verb}: {error}") from error
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        words = done.stderr.decode(errors="replace").strip()
        raise WorkerFailed(f"{worker} {verb} printed no JSON (exit {done.returncode}): {words}") from error


def events_of(stream):
    """Cuts a byte stream into events; the raw bytes behind a trace are skipped."""
    events = []
    at = 0
    while at < len(stream):
        end = stream.find(b"\n", at)
        if end < 0:
            break
        try:
            event = json.loads(stream[at:end])
        except ValueError as error:
            raise WorkerFailed(f"not an event: {stream[at:end][:80]!r}") from error
        at = end + 1
        if event.get("event") == "trace":
            at += event["bytes"]
        events.append(event)
    return events


def run_once(worker, request, seconds):
    """Events of one request. The worker stops itself at its limit; a stuck one is killed a little later."""
    process = subprocess.Popen([worker, "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(json.dumps(request).encode(), timeout=seconds + 15)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return events_of(out) + [failure("hung", "the worker did not stop at its time limit and was killed")]
    events = events_of(out)
    if not events or events[-1].get("event") not in ("finished", "failed"):
        words = err.decode(errors="replace").strip()
        events.append(failure("crashed", f"the worker ended with status {process.returncode}: {words}"))
    return events


def failure(code, message):
    return {"event": "failed", "error": {"code": code, "message": message, "place": "", "fix": ""}}


def run_points(worker, experiment, target, points, seconds, regime="quick"):
    """Runs all points, going on behind a point that fails.

    Returns {started, samples: {index: sample}, errors: {index: error}, checks, seconds}.
    """
    out = {"started": None, "samples": {}, "errors": {}, "checks": [], "seconds": 0.0}
    first = 0
    while first < len(points):
        request = {"protocol": 1, "experiment": experiment, "target": target, "seed": 1, "points": points[first:],
                   "trace": False, "regime": regime, "limits": {"seconds": seconds, "memory_mib": 4096}}
        reached = first
        for event in run_once(worker, request, seconds):
            kind = event.get("event")
            if kind == "started" and out["started"] is None:
                out["started"] = event
            elif kind == "sample":
                out["samples"][first + event["index"]] = event
                reached = first + event["index"] + 1
            elif kind == "check":
                out["checks"].append(event)
            elif kind == "finished":
                out["seconds"] += event["seconds"]
                return out
            elif kind == "failed":
                out["errors"][reached] = event["error"]
        first = reached + 1
        if out["started"] is None or out["errors"].get(reached, {}).get("code") in ("time-limit", "hung"):
            break  # nothing ran at all, or the time is gone: the points behind it would end likewise
    return out
