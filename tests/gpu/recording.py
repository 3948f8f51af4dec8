# SPDX-License-Identifier: GPL-3.0-or-later
"""What a GPU answered, kept in a folder: taken once where one is lent, compared again as often as the simulator changes.

PART.zip holds one JSON member for each launch ({argument: {bytes, blocks, head}}, or {error}) and the first HEAD bytes of
each buffer that a kernel may write; larger buffers are known by the hash of each block of BLOCK bytes. PART.json holds cycles that were measured.
"""

import hashlib
import json
import pathlib
import zipfile

BLOCK = 1 << 14
HEAD = 1 << 16


def key_of(ptx, point):
    """A name for a launch: the same PTX, shape and arguments have the same."""
    args = [hashlib.sha256(arg).hexdigest() if isinstance(arg, bytes) else arg for arg in point["args"]]
    shape = [point["kernel"], point["grid"], point["block"], point.get("smem", 0), args]
    return hashlib.sha256((ptx + json.dumps(shape)).encode()).hexdigest()[:24]


def hashes(content):
    return [hashlib.sha256(content[at:at + BLOCK]).hexdigest()[:12] for at in range(0, len(content), BLOCK)]


class Sketch:
    """A buffer of which only the first bytes and the hashes of its blocks are known."""

    def __init__(self, size, blocks, head):
        self.size, self.blocks, self.head = size, blocks, head

    def differing(self, content):
        """Bytes that differ from `content`; a block that is known by its hash alone counts as one."""
        known = len(self.head)
        count = abs(len(content) - self.size) + sum(a != b for a, b in zip(content, self.head)) \
            if content[:known] != self.head else abs(len(content) - self.size)
        first = -(-known // BLOCK)
        return count + sum(a != b for a, b in zip(hashes(content)[first:], self.blocks[first:]))


    def beside(self, content):
        """The whole buffer for a comparison with `content`: a block that is known by its hash alone and is not the same has
        every bit of it turned."""
        known = self.head
        for at, (ours, theirs) in enumerate(zip(hashes(content), self.blocks)):
            block = content[at * BLOCK:(at + 1) * BLOCK]
            if at * BLOCK >= len(self.head):
                known += block if ours == theirs else bytes(byte ^ 255 for byte in block)
        return known


class Recorder:
    """Runs points on a target and keeps the answers."""

    def __init__(self, folder, part, target):
        self.target = target
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / (part + ".json")
        self.zip = zipfile.ZipFile(folder / (part + ".zip"), "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self.cycles, self.seen = {}, set()

    def run(self, ptx, point, failures):
        key = key_of(ptx, point)
        if key in self.seen:
            return
        self.seen.add(key)
        row = {}
        try:
            for at, content in self.target.run(ptx, point)[1].items():
                row[str(at)] = {"bytes": len(content), "blocks": hashes(content)}
                spec = point["args"][at]
                if content != spec and not str(spec).startswith("in:"):
                    self.zip.writestr(f"{key}.{at}", content[:HEAD])
        except failures as error:
            row = {"error": str(error)}
        self.zip.writestr(key, json.dumps(row))

    def measured(self, ptx, point, answer):
        self.cycles[key_of(ptx, point)] = answer

    def close(self, facts):
        self.zip.writestr("facts", json.dumps(facts))
        self.zip.close()
        self.path.write_text(json.dumps(self.cycles, indent=1) + "\n", encoding="utf-8")


def waiting(folder):
    """{name of a launch that is newer than the recording in this folder}, of waiting.txt, one a line."""
    listed = pathlib.Path(folder, "waiting.txt")
    return set(listed.read_text(encoding="utf-8").split("\n")) - {""} if listed.exists() else set()


class NotRecorded(Exception):
    """The recording has no answer for this launch, or the launch failed when it was made."""


class RecordedTarget:
    """Answers in a GPU's place, as cuda_driver.GpuTarget does.

    `waiting`: names of launches that are not judged until a GPU has answered them. A changed kernel that is not among them
    counts as a difference."""

    def __init__(self, folder):
        self.waiting = waiting(folder)
        self.places, self.cycles, self.facts_of = {}, {}, {}  # facts by part: parts may be of different days
        for path in sorted(pathlib.Path(folder).glob("*.zip")):
            file = zipfile.ZipFile(path)
            self.places.update({name: file for name in file.namelist()})
            self.facts_of[path.stem] = json.loads(file.read("facts"))
            self.cycles.update(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
        if not self.facts_of:
            raise NotRecorded(f"{folder}: there is no recording (PART.zip and PART.json, made by run.sh --only record)")
        self.facts = self.facts_of.get("cycles") or next(iter(self.facts_of.values()))
        self.empty, self.empty_event = self.facts["empty_cycles"], self.facts["empty_event_s"]

    def read(self, name):
        return self.places[name].read(name)

    def has(self, ptx, point):
        return key_of(ptx, point) in self.places

    def run(self, ptx, point, timed=False):
        del timed
        key = key_of(ptx, point)
        if key not in self.places:
            raise NotRecorded(f"{point['kernel']}: not in the recording; its PTX or its arguments are newer")
        row = json.loads(self.read(key))
        if "error" in row:
            raise NotRecorded(row["error"])
        found = {}
        for at, known in row.items():
            head = self.read(f"{key}.{at}") if f"{key}.{at}" in self.places else b""
            found[int(at)] = head if known["bytes"] == len(head) else Sketch(known["bytes"], known["blocks"], head)
        return {}, found

    def measure(self, ptx, point):
        key = key_of(ptx, point)
        if key not in self.cycles:
            raise NotRecorded(f"{point['kernel']}: its cycles are not in the recording")
        return self.cycles[key]
