#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# MLPerf's loadgen: two names of one token throughput, tokens per second and tokens per nanosecond, and one query too many.
#
# Packages: mlcommons-loadgen 6.0.17, numpy 2.4.6 (PyPI; CPU). A system that answers each query with 11 tokens, the first
# after 100 ms and one more every 10 ms, makes 11 tokens in 200 ms: 55 a second. In the scenario SingleStream with
# use_token_latencies the detail log has result_token_throughput in tokens per nanosecond (5.5e-08), beside
# result_token_throughput_with_loadgen_overhead and result_completed_tokens_per_second, which are per second. The figure
# "with overhead" is the higher one, as no overhead can make it: of the queries the last one's time is left out and its
# tokens are not, so 4 queries are 4/3 of what was made, 72 tokens a second, and 10 are 10/9. Queries per second of the
# same run are right. At the thousand queries of a submission the second fault is a thousandth, the first stays 10^9.
# (Both were met before: mlcommons/inference issue 1662 saw the unit in Server runs, and was closed as fixed;
# mlcommons/mobile_app_open issue 1121 saw the last query, and that its app reports this figure.)
# Ridgepoint: it reads no log of loadgen; `ridge load` divides all tokens by the time to the last of them (docs/load.md).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv tools
tools/bin/pip install -q uv==0.13.9
tools/bin/uv venv -q venv
tools/bin/uv pip install -q --python venv/bin/python mlcommons-loadgen==6.0.17 numpy==2.4.6
cat > run.py <<'PY'
import array
import json
import sys
import time

import mlperf_loadgen as loadgen
import numpy as np

FIRST, GAP, TOKENS = 0.1, 0.01, 11
queries = int(sys.argv[1])
kept = []


def answer(query, tokens):
    kept.append(array.array("B", np.zeros(tokens, np.int32).tobytes()))
    where, length = kept[-1].buffer_info()
    return loadgen.QuerySampleResponse(query.id, where, length, tokens)


def issue(asked):
    for query in asked:
        start = time.perf_counter()
        time.sleep(FIRST)
        loadgen.FirstTokenComplete([answer(query, 1)])
        time.sleep(max(0, start + FIRST + GAP * (TOKENS - 1) - time.perf_counter()))
        loadgen.QuerySamplesComplete([answer(query, TOKENS)])


settings = loadgen.TestSettings()
settings.scenario = loadgen.TestScenario.SingleStream
settings.mode = loadgen.TestMode.PerformanceOnly
settings.use_token_latencies = True
settings.min_duration_ms = 0
settings.min_query_count = settings.max_query_count = queries
logs = loadgen.LogSettings()
logs.log_output = loadgen.LogOutputSettings()
logs.log_output.outdir = "."
logs.log_output.copy_summary_to_stdout = False
system = loadgen.ConstructSUT(issue, lambda: None)
samples = loadgen.ConstructQSL(64, 64, lambda _: None, lambda _: None)
loadgen.StartTestWithLogSettings(system, samples, settings, logs)

log = {}
for line in open("mlperf_log_detail.txt"):
    if line.startswith(":::MLLOG"):
        entry = json.loads(line.removeprefix(":::MLLOG"))
        log[entry["key"]] = entry["value"]
plain, overhead, completed = (log[key] for key in ("result_token_throughput", "result_token_throughput_with_loadgen_overhead",
                                                   "result_completed_tokens_per_second"))
print(f"{queries} queries: result_token_throughput {plain:.1e}, with overhead {overhead:.1f}, completed per second {completed:.1f}",
      file=sys.stderr)
more = overhead / completed
print(f"{queries} queries: the first is per nanosecond: {0.9 < plain * 1e9 / completed < 1.1},",
      f"with overhead n / (n - 1) times as many: {abs(more * (queries - 1) / queries - 1) < 0.04}")
PY
seen=$(for queries in 4 10; do venv/bin/python run.py $queries; done)
echo "$seen"
[ "$seen" = "4 queries: the first is per nanosecond: True, with overhead n / (n - 1) times as many: True
10 queries: the first is per nanosecond: True, with overhead n / (n - 1) times as many: True" ] || { echo "CHANGED: the throughput is another"; exit 1; }

# Seen on 2026-11-29:
# 4 queries: result_token_throughput 5.4e-08, with overhead 71.5, completed per second 53.9
# 4 queries: the first is per nanosecond: True, with overhead n / (n - 1) times as many: True
# 10 queries: result_token_throughput 5.4e-08, with overhead 59.9, completed per second 54.0
# 10 queries: the first is per nanosecond: True, with overhead n / (n - 1) times as many: True
