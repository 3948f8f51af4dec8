// SPDX-License-Identifier: GPL-3.0-or-later
// The testbench of array.sv. It feeds tiles one behind the other, compares every result with plain loops, and counts the
// cycles of each tile: clock edges from the one that takes its first weights to the one that puts its last result at the
// output. Lines that begin with @ are for the program that started it.
//
//     iverilog -g2012 -s bench -Pbench.ROWS=4 -Pbench.COLS=4 -Pbench.STREAM=8 -Pbench.TILES=3 bench.sv array.sv && vvp a.out
//
// weights.hex: a row of a tile's weights in a line, the last row first, column 0 at the right. activations.hex: a row of
// activations in a line, row 0 of the PEs at the right. modes.hex: a line for each tile; 1: activations come with gaps,
// 2: the reader of the results holds back at times, 3: both.
`timescale 1ns / 1ns

module bench;
    parameter ROWS   = 4;
    parameter COLS   = 4;
    parameter STREAM = 8;     // rows of activations in a tile
    parameter TILES  = 1;
    parameter LIMIT  = 10000; // cycles after which a design is given up
    parameter WAVE   = 0;     // cycles that go to wave.vcd

    logic clk = 0, reset = 1;
    always #5 clk = ~clk;

    logic [8*COLS-1:0] weights     [0:TILES*ROWS-1];
    logic [8*ROWS-1:0] activations [0:TILES*STREAM-1];
    logic [1:0]        modes       [0:TILES-1];
    initial begin
        $readmemh("weights.hex", weights);
        $readmemh("activations.hex", activations);
        $readmemh("modes.hex", modes);
        if (WAVE > 0) begin
            $dumpfile("wave.vcd");
            $dumpvars(0, bench.dut);
            $dumpvars(1, bench.now);
        end
    end

    int          now = 0;                           // cycles since reset
    int          w_index = 0, a_index = 0, out_index = 0;
    logic [31:0] noise = 32'h2545f491;              // xorshift: the same at every run
    int          started [0:TILES-1];               // when the first weights of each tile were taken
    int          gaps = 0, stalls = 0;              // of the tile whose results are awaited
    int          wrong = 0;

    wire         w_ready, a_ready, out_valid, out_last;
    wire [32*COLS-1:0] out_data;
    wire [1:0]   a_mode   = modes[a_index / STREAM];
    wire [1:0]   out_mode = modes[out_index / STREAM];
    wire         w_valid   = !reset && w_index < TILES * ROWS;
    wire         a_valid   = !reset && a_index < TILES * STREAM && !(a_mode[0] === 1 && noise[3]);
    wire         out_ready = !(out_mode[1] === 1 && noise[7]);
    wire         a_last    = a_index % STREAM == STREAM - 1;

    array #(.ROWS(ROWS), .COLS(COLS)) dut (
        .clk(clk), .reset(reset),
        .w_valid(w_valid), .w_ready(w_ready), .w_data(weights[w_index]),
        .a_valid(a_valid), .a_ready(a_ready), .a_last(a_last), .a_data(activations[a_index]),
        .out_valid(out_valid), .out_ready(out_ready), .out_last(out_last), .out_data(out_data));

    // What column c of a row of results has to be, from the definition.
    function automatic int expected(input int index, input int c);
        int sum;
        logic signed [7:0] w, a;
        sum = 0;
        for (int r = 0; r < ROWS; r = r + 1) begin
            w = weights[index / STREAM * ROWS + ROWS - 1 - r][8*c +: 8];
            a = activations[index][8*r +: 8];
            sum = sum + w * a;
        end
        expected = sum;
    endfunction

    task automatic look;
        for (int c = 0; c < COLS; c = c + 1)
            if (out_data[32*c +: 32] !== expected(out_index, c)) begin
                wrong = wrong + 1;
                if (wrong <= 8)
                    $display("tile %0d, row %0d, column %0d: %0d, expected %0d", out_index / STREAM,
                             out_index % STREAM, c, $signed(out_data[32*c +: 32]), expected(out_index, c));
            end
        if (out_last !== (out_index % STREAM == STREAM - 1)) begin
            wrong = wrong + 1;
            $display("tile %0d, row %0d: out_last is %b", out_index / STREAM, out_index % STREAM, out_last);
        end
    endtask

    int resets = 0;
    always @(posedge clk)
        if (resets < 2) begin
            resets <= resets + 1;
            reset  <= resets < 1;
        end else begin
            noise <= noise ^ (noise << 13) ^ ((noise ^ (noise << 13)) >> 17) ^ (noise << 5);
            now   <= now + 1;
            if (WAVE > 0 && now == WAVE)
                $dumpoff;
            // Results come first: in one cycle a tile may end and the next one begin.
            if (out_valid === 1 && out_ready) begin
                look;
                $display("\n@row %h", out_data);
                if (out_index % STREAM == STREAM - 1) begin
                    $display("\n@tile %0d %0d %0d %0d", started[out_index / STREAM], now, gaps, stalls);
                    gaps   = 0;
                    stalls = 0;
                end
                if (out_index == TILES * STREAM - 1) begin
                    $display("\n@end %0d", wrong);
                    $finish;
                end
                out_index <= out_index + 1;
            end else if (out_valid === 1)
                stalls = stalls + 1;
            if (a_ready === 1 && !a_valid && a_index / STREAM == out_index / STREAM)
                gaps = gaps + 1;
            if (w_valid && w_ready === 1) begin
                if (w_index % ROWS == 0)
                    started[w_index / ROWS] = now;
                w_index <= w_index + 1;
            end
            if (a_valid && a_ready === 1)
                a_index <= a_index + 1;
            if (now >= LIMIT) begin
                $display("\n@stuck %0d %0d %0d %b %b %b", w_index, a_index, out_index, w_ready, a_ready, out_valid);
                $finish;
            end
        end
endmodule
