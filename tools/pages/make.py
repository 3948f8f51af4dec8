# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages that are checked: everything that the program writes as HTML, CSS or SVG, once with plain words and once
with texts that try something. Numbers come from runs of the simulator and of closed forms."""
import csv
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEMPLATES = ("job", "handin", "notebook")
# A lesson whose runs take minutes on a small machine; the sample that ships has it.
SLOW = {"1.2"}
HOSTILE = [
    "<script>alert(1)</script> & \"quotes\" 'and' `ticks`",
    "\"><img src=x onerror=alert(1)><svg/onload=alert(1)>",
    "</title></style></textarea></main><!-- --><![CDATA[ ]]>&lt;b&gt;&#x3c;",
    "\u202eevil\u202c \u0001\u0008\u007f\u0085 \ufffe\ufdd0 tab\tend",
    "مرحبا بالعالم, 日本語の題, Ünïcödé 👩‍🔬 e\u0301\u0302\u0303",
    "Averylongwordwithoutanyplacetobreakit" * 6,
    "[click](javascript:alert(1)) [site](https://example.org/?a=1&b=\"2\") **bold *and** odd*",
    "[](https://example.org/) [`code`](https://example.org/a|b) [two](http://[::1]/) [three](https://exa mple.org)",
    "# heading\n## another\n- item <b>bold</b>\n1. one\n\n```\n</code></pre><script>alert(1)</script>\n```\nopen ```",
    "-\n- \n**\n** **\n* *\n``\n",
    "",
]


class MakingFailed(Exception):
    pass


class Maker:
    def __init__(self, bin_folder, out):
        self.bin, self.out = pathlib.Path(bin_folder), pathlib.Path(out)

    def run(self, home, program, *arguments):
        env = dict(os.environ, RIDGE_DATA=str(ROOT), RIDGE_HOME=str(self.out / "homes" / home), QT_QPA_PLATFORM="offscreen")
        done = subprocess.run([str(self.bin / program), *map(str, arguments)], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise MakingFailed("%s %s: %s" % (program, " ".join(map(str, arguments)),
                                              done.stderr.decode(errors="replace").strip()))
        return done.stdout.decode()

    def record(self, home, spec):
        file = self.out / "homes" / (home + ".json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(spec), encoding="utf-8")
        self.run(home, "sample-learner", file, self.out / "homes" / home)

    def portfolios(self, home, *more):
        for template in TEMPLATES:
            self.run(home, "ridge", "export", "portfolio", "--template", template, "--no-pdf",
                     "--out", self.out / home / template, *more)

    def artifacts(self, home):
        """Folders of single artifacts have no page today; what ends up in them is looked at all the same."""
        self.run(home, "ridge", "export", "--out", self.out / home / "artifacts")

    def plain(self):
        spec = json.loads((ROOT / "assets/samples/learner.json").read_text(encoding="utf-8"))
        spec["artifacts"] = [one for one in spec["artifacts"] if one["lesson"] not in SLOW]
        self.record("plain", spec)
        self.portfolios("plain")
        self.artifacts("plain")

    def hostile(self):
        """The words of a record exchanged: each text of HOSTILE stands in a line of plain words and in one of Markdown."""
        artifacts = []
        for at in range(0, len(HOSTILE), 2):
            words, other = HOSTILE[at], HOSTILE[(at + 1) % len(HOSTILE)]
            artifacts.append({
                "lesson": "1.8" if at % 4 else "2.4", "target": "model" if at % 4 else "sim:h100-sxm",
                "predictions": {} if at % 4 else {"guess-sectors": [4, 2, 8]},
                "reasons": {"guess-sectors": other} if other else {},
                "title": words, "question": other, "claim": other,
                "sections": {"method": words, "result": other, "bottleneck": words, "failure_modes": other,
                             "next_experiment": words},
                "journal": [{"kind": kind, "title": other, "text": words} for kind in ("failure", "decision")
                            if other],
                "reflection": words})
        self.record("hostile", {"artifacts": artifacts})
        title, intro = HOSTILE[1], HOSTILE[0] + "\n\n" + HOSTILE[8]
        self.portfolios("hostile", "--title", title, "--intro", intro, "--author", HOSTILE[4], "--contact", HOSTILE[6],
                        "--course", HOSTILE[5], "--show", "times,host,paths,devices,processes,record")
        self.artifacts("hostile")

    def classes(self):
        """Feedback under each policy, for learners with odd names and remarks."""
        for home, count, policy in (("told", len(HOSTILE), []),
                                    ("kept-back", 3, ["--feedback", "passed=never", "--feedback", "ran=deadline"])):
            file = self.out / "homes" / (home + ".ridgeclass")
            self.run(home, "ridge", "class", "new", HOSTILE[0], "--lessons", "2.4,1.8", "--title", HOSTILE[1],
                     "--teacher", HOSTILE[2], "--deadline", "2098-03-08T18:00Z", "--out", file, *policy)
            handed = self.out / "homes" / (home + "-in")
            self.run(home, "ridge", "generate", "learners", count, "--class", file, "--out", handed)
            with open(handed / "roster.csv", newline="", encoding="utf-8") as lines:
                head, *rows = csv.reader(lines)
            for row, name in zip(rows, HOSTILE):
                row[0] = " ".join(name.replace("\0", "").split()) or row[0]
            with open(handed / "roster.csv", "w", newline="", encoding="utf-8") as lines:
                csv.writer(lines).writerows([head, *rows])
            self.run(home, "ridge", "class", "roster", handed / "roster.csv")
            self.run(home, "ridge", "class", "collect", handed)
            for row, words in zip(rows, HOSTILE):
                for about in ([], ["--lesson", "2.4"]):
                    if row[5] and words.strip():  # the last of a roster handed nothing in
                        remark = self.out / "homes" / "remark.txt"
                        remark.write_text(words, encoding="utf-8")
                        self.run(home, "ridge", "class", "remark", row[5], "--file", remark, *about)
            self.run(home, "ridge", "class", "feedback", "--out", self.out / "feedback" / home)

    def charts(self):
        """Charts as the program saves them, where its test of them was built."""
        program = self.bin.parent / "tests" / "tst_chart_export"
        if not program.exists():
            return
        folder = self.out / "saved charts"
        folder.mkdir()
        env = dict(os.environ, RIDGE_DATA=str(ROOT), RIDGE_SHOTS=str(folder), QT_QPA_PLATFORM="offscreen")
        done = subprocess.run([str(program), "svgKeepsTextAsText"], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise MakingFailed("tst_chart_export: " + done.stdout.decode(errors="replace")[-2000:])

    def all(self):
        self.plain()
        self.hostile()
        self.classes()
        self.charts()
