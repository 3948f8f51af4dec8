// SPDX-License-Identifier: GPL-3.0-or-later
// A weight-stationary array of INT8 multiply-accumulate units behind three streams with valid and ready.
//
// Weights enter from above, the last row first, and stay. A row of activations enters from the left, activation r one
// cycle later than activation r - 1, and moves right. Sums move down. Whatever the reader of the results holds back
// (out_ready low) stops the whole array.

// One processing element: a weight that stays, an activation that passes, a sum that grows by their product.
module mac (
    input  logic               clk,
    input  logic               reset,
    input  logic               load,    // takes a weight
    input  logic               step,    // takes an activation and a sum
    input  logic signed [7:0]  w_in,
    input  logic signed [7:0]  a_in,
    input  logic signed [31:0] sum_in,
    output logic signed [7:0]  w,
    output logic signed [7:0]  a,
    output logic signed [31:0] sum
);
    always_ff @(posedge clk)
        if (reset) begin
            w   <= 0;
            a   <= 0;
            sum <= 0;
        end else begin
            if (load)
                w <= w_in;
            if (step) begin
                a   <= a_in;
                sum <= sum_in + a_in * w;
            end
        end
endmodule

// A value DEPTH steps later.
module delay #(
    parameter WIDTH = 8,
    parameter DEPTH = 1
) (
    input  logic             clk,
    input  logic             reset,
    input  logic             step,
    input  logic [WIDTH-1:0] in,
    output logic [WIDTH-1:0] out
);
    generate
        if (DEPTH == 0) begin : none
            assign out = in;
        end else begin : some
            logic [WIDTH*DEPTH-1:0] line;
            always_ff @(posedge clk)
                if (reset)
                    line <= 0;
                else if (step)
                    line <= {line, in};
            assign out = line[WIDTH*DEPTH-1 -: WIDTH];
        end
    endgenerate
endmodule

// ROWS and COLS at least 2. A tile is ROWS rows of weights, then any number of rows of activations, a_last with the last.
module array #(
    parameter ROWS = 4,
    parameter COLS = 4
) (
    input  logic               clk,
    input  logic               reset,
    // weights: a row of COLS, the last row of the tile first
    input  logic               w_valid,
    output logic               w_ready,
    input  logic [8*COLS-1:0]  w_data,
    // activations: one for each row of PEs
    input  logic               a_valid,
    output logic               a_ready,
    input  logic               a_last,
    input  logic [8*ROWS-1:0]  a_data,
    // results: a sum of ROWS products for each column
    output logic               out_valid,
    input  logic               out_ready,
    output logic               out_last,
    output logic [32*COLS-1:0] out_data
);
    localparam STAGES = ROWS + COLS - 1;    // steps from an accepted row of activations to its row of results

    logic [STAGES-1:0] valid, last;         // what is on its way
    logic [5:0]        held;                // rows of weights taken of this tile
    logic              closed;              // its last activations are in

    // Everything moves or nothing does.
    wire step    = !step || !out_valid;
    // The tile's last results are at the output and nothing is behind them: the next weights may enter.
    wire drained = closed && valid[STAGES-2:0] == 0;
    wire load    = w_valid && w_ready;
    wire take    = a_valid && a_ready;

    assign w_ready   = step && (held != ROWS || drained);
    assign a_ready   = step && held == ROWS && !closed;
    assign out_valid = valid[STAGES-1];
    assign out_last  = last[STAGES-1];

    always_ff @(posedge clk)
        if (reset) begin
            valid  <= 0;
            last   <= 0;
            held   <= 0;
            closed <= 0;
        end else begin
            if (step) begin
                valid <= {valid, take};
                last  <= {last, take && a_last};
            end
            if (load) begin
                held   <= drained ? 1 : held + 1;
                closed <= 0;
            end
            if (take && a_last)
                closed <= 1;
        end

    generate
        for (genvar r = 0; r < ROWS; r = r + 1) begin : row
            wire [7:0] entered;
            delay #(.WIDTH(8), .DEPTH(r)) skew (
                .clk(clk), .reset(reset), .step(step), .in(take ? a_data[8*r +: 8] : 8'd0), .out(entered));
            for (genvar c = 0; c < COLS; c = c + 1) begin : col
                wire signed [7:0]  w_in, a_in, w, a;
                wire signed [31:0] sum_in, sum;
                if (r == 0) begin : top
                    assign w_in   = w_data[8*c +: 8];
                    assign sum_in = 0;
                end else begin : below
                    assign w_in   = row[r-1].col[c].w;
                    assign sum_in = row[r-1].col[c].sum;
                end
                if (c == 0) begin : first
                    assign a_in = entered;
                end else begin : next
                    assign a_in = row[r].col[c-1].a;
                end
                mac pe (.clk(clk), .reset(reset), .load(load), .step(step), .w_in(w_in), .a_in(a_in),
                        .sum_in(sum_in), .w(w), .a(a), .sum(sum));
            end
        end
        // Column 0 is ready first and waits for the last one.
        for (genvar c = 0; c < COLS; c = c + 1) begin : align
            delay #(.WIDTH(32), .DEPTH(COLS - 1 - c)) wait_for_last (
                .clk(clk), .reset(reset), .step(step), .in(row[ROWS-1].col[c].sum), .out(out_data[32*c +: 32]));
        end
    endgenerate
endmodule
