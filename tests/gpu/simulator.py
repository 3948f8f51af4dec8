# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs single kernels on a simulated chip through ridge-worker (docs/protocol.md, "A kernel of the learner's own")."""

import os
import pathlib
import tempfile

from worker_client import WorkerFailed, run_once

BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4,
         "i64": 8, "u64": 8}
FILL = (".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry fill({}) {{ ret; }}\n")


def is_buffer(spec):
    return spec.split(":")[0] in ("in", "inout", "out")


def buffer_bytes(spec):
    _, kind, count = spec.split(":")[:3]
    return BYTES[kind] * int(count)


class Simulator:
    """One simulated chip. Every call starts a process of its own, so that calls may run side by side."""

    def __init__(self, worker, target, threads=1, seconds=300):
        self.worker, self.target, self.seconds = worker, target, seconds
        os.environ.setdefault("RIDGE_SIM_THREADS", str(threads))
        self.folder = tempfile.TemporaryDirectory(prefix="ridge-simt-")

    def run(self, ptx, point, timed=False):
        """(the worker's document, {argument index: bytes} of every buffer after the run)."""
        return self.launch({"path": "test.ptx", "text": ptx, "ptx": True}, point, timed, False)

    def run_source(self, path, point, exact):
        """The same of CUDA C++ in a file, compiled as RIDGE_COMPILER says."""
        text = pathlib.Path(path).read_text(encoding="utf-8")
        return self.launch({"path": str(path), "text": text, "ptx": False}, point, False, exact)

    def launch(self, source, point, timed, exact):
        """Runs one request.

        A point has kernel, grid, block, smem and args, the last as `ridge kernel run --arg` takes them; bytes stand for
        a buffer with that content.
        """
        with tempfile.TemporaryDirectory(dir=self.folder.name) as folder:
            args, files = [], {}
            for at, spec in enumerate(point["args"]):
                if isinstance(spec, bytes):
                    content = pathlib.Path(folder, f"in{at}")
                    content.write_bytes(spec)
                    spec = f"inout:u8:{len(spec)}:@{content}"
                if is_buffer(spec):
                    files[at] = pathlib.Path(folder, f"out{at}")
                    spec += f">{files[at]}"
                args.append(spec)
            request = {"protocol": 1, "kind": "kernel", "kernel": point["kernel"], "grid": point["grid"],
                       "source": source, "block": point["block"],
                       "dynamic_shared_bytes": point.get("smem", 0), "args": args, "target": self.target, "exact": exact,
                       "functional": not timed, "check": False, "check_global": False,
                       "limits": {"seconds": self.seconds, "memory_mib": 4096}}
            document = None
            for event in run_once(self.worker, request, self.seconds):
                if event.get("event") == "failed":
                    error = event["error"]
                    raise WorkerFailed(f"{point['kernel']}: {error['code']}: {error['message']} {error['place']}")
                if event.get("event") == "kernel":
                    document = event["document"]
            if document is None:
                raise WorkerFailed(f"{point['kernel']}: the worker sent no document")
            if document["reports"]:
                raise WorkerFailed(f"{point['kernel']}: {document['reports'][0]['message']}")
            return document, {at: file.read_bytes() for at, file in files.items()}

    def machine_code(self, ptx, arch="sm_90"):
        """{kernel: {registers, lines: {PTX line: machine instructions it became}}}."""
        request = {"protocol": 1, "kind": "kernel-compile", "source": {"path": "test.ptx", "text": ptx, "ptx": True},
                   "arch": arch, "exact": False, "limits": {}}
        for event in run_once(self.worker, request, self.seconds):
            if event.get("event") == "kernel":
                found = {}
                for kernel in event["document"]["kernels"]:
                    lines = {}
                    found[kernel["kernel"]] = {"registers": kernel["registers"], "lines": lines}
                    for row in kernel["listing"] or []:
                        lines.setdefault(row["ptx_line"], []).extend(row["machine"])
                return found
        raise WorkerFailed("the PTX could not be lowered to machine instructions")

    def contents(self, specs):
        """What buffers of these SPECs hold before a run, by the fill rules of docs/kernels.md."""
        ptx = FILL.format(", ".join(f".param .u64 p{at}" for at in range(len(specs))))
        _, files = self.run(ptx, {"kernel": "fill", "grid": [1, 1, 1], "block": [1, 1, 1], "args": list(specs)})
        return [files[at] for at in range(len(specs))]
