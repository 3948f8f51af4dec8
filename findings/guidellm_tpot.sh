#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# guidellm: "TPOT" holds the time to the first token; aiperf's figure of the same server does not.
#
# Packages: guidellm 0.8.1, aiperf 0.13.0 (PyPI; some 6 GB with what they depend on; no GPU is needed). A small server streams
# 20 tokens: the first after 400 ms, one more every 50 ms. Both tools agree on TTFT (400 ms) and on the time between tokens
# (50 ms). guidellm also prints TPOT, and that is (TTFT + 19 x 50 ms) / 20 = 68 ms, the last token's time over all tokens.
# Serving papers, vLLM's benchmark and aiperf leave the first token out of a time per output token. With long prompts and
# short answers the two differ by factors: an answer of 4 tokens after 1 s has a TPOT of 288 or of 50 ms.
# Ridgepoint: `ridge load` and the experiment `serving` leave the first token out; docs/load.md names guidellm's meaning.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "${server:-}" 2> /dev/null || true; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv tools
tools/bin/pip install -q uv==0.13.9
for package in guidellm==0.8.1 aiperf==0.13.0; do
  tools/bin/uv venv -q "${package%%=*}"
  tools/bin/uv pip install -q --python "${package%%=*}/bin/python" "$package"
done

cat > server.py <<'PY'
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FIRST, GAP, TOKENS = 0.4, 0.05, 20


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def begin(self, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()

    def do_GET(self):
        self.begin("application/json")
        self.wfile.write(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}).encode())

    def do_POST(self):
        start = time.monotonic()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.begin("text/event-stream")

        def send(choices, **more):
            self.wfile.write(b"data: " + json.dumps(dict(more, id="1", object="chat.completion.chunk", created=0, model="m",
                                                         choices=choices)).encode() + b"\n\n")
            self.wfile.flush()
        for at in range(TOKENS):
            time.sleep(max(0, start + FIRST + at * GAP - time.monotonic()))
            send([{"index": 0, "delta": {"role": "assistant", "content": " the"}, "finish_reason": None}])
        send([{"index": 0, "delta": {}, "finish_reason": "stop"}])
        send([], usage={"prompt_tokens": 2, "completion_tokens": TOKENS, "total_tokens": TOKENS + 2})
        self.wfile.write(b"data: [DONE]\n\n")


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
open("port", "w").write(str(server.server_port))
server.serve_forever()
PY
python3 server.py & server=$!
until [ -s port ]; do sleep 0.1; done
url=http://127.0.0.1:$(cat port)

guidellm/bin/python - <<'PY'
import json
import os
from tokenizers import Tokenizer, models, pre_tokenizers
words = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1}, unk_token="[UNK]"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
os.makedirs("words")
words.save("words/tokenizer.json")
json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]"}, open("words/tokenizer_config.json", "w"))
PY
printf 'prompt\nhello\nhello\nhello\n' > prompts.csv
printf '{"text": "hello"}\n{"text": "hello"}\n{"text": "hello"}\n' > prompts.jsonl
guidellm/bin/guidellm run --backend "kind=openai_http,target=$url,model=m" --profile kind=synchronous \
  --constraint kind=max_requests,count=3 --tokenizer "kind=hf_auto,model=$work/words" --data "kind=csv_file,path=$work/prompts.csv" \
  --output "kind=json,path=$work/guidellm.json" --disable-console > guidellm.log 2>&1 || { cat guidellm.log; exit 1; }
aiperf/bin/aiperf profile -m m --url "$url" --endpoint-type chat --streaming --input-file prompts.jsonl \
  --custom-dataset-type single_turn --tokenizer "$work/words" --use-server-token-count --concurrency 1 --request-count 3 \
  --artifact-dir aiperf-out --ui none > aiperf.log 2>&1 || { cat aiperf.log; exit 1; }

python3 - <<'PY'
import json
import sys
one = json.load(open("guidellm.json"))["benchmarks"][0]["requests"]["successful"][0]
tokens, ttft, itl, tpot = (one[key] for key in ("output_tokens", "time_to_first_token_ms", "inter_token_latency_ms", "time_per_output_token_ms"))
theirs = json.load(open("aiperf-out/profile_export_aiperf.json"))
other = {name: theirs[key]["avg"] for name, key in (("ttft", "time_to_first_token"), ("itl", "inter_token_latency"))}
print(f"guidellm: {tokens} tokens, TTFT {ttft:.0f} ms, ITL {itl:.0f} ms, TPOT {tpot:.0f} ms")
print(f"aiperf: TTFT {other['ttft']:.0f} ms, inter token latency {other['itl']:.0f} ms")
whole = (ttft + itl * (tokens - 1)) / tokens
same = abs(other["itl"] - itl) < 0.1 * itl
if abs(tpot - whole) > 0.01 * whole or tpot < 1.2 * itl or not same:
    print("CHANGED: the time per output token is another")
    sys.exit(1)
print("guidellm's TPOT is the time of the last token over all tokens")
PY

# Seen on 2026-11-28:
# guidellm: 20 tokens, TTFT 408 ms, ITL 50 ms, TPOT 68 ms
# aiperf: TTFT 421 ms, inter token latency 50 ms
# guidellm's TPOT is the time of the last token over all tokens
