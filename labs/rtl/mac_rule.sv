// SPDX-License-Identifier: GPL-3.0-or-later
// What a PE has to do, written down another way: partial products of the weight's bits, the highest one subtracted.
module mac_rule (
    input  logic               clk,
    input  logic               reset,
    input  logic               load,
    input  logic               step,
    input  logic signed [7:0]  w_in,
    input  logic signed [7:0]  a_in,
    input  logic signed [31:0] sum_in,
    output logic signed [7:0]  w,
    output logic signed [7:0]  a,
    output logic signed [31:0] sum
);
    wire [31:0] wide = {{24{a_in[7]}}, a_in};
    wire [31:0] product = (w[0] ? wide : 0) + (w[1] ? wide << 1 : 0) + (w[2] ? wide << 2 : 0) + (w[3] ? wide << 3 : 0)
                        + (w[4] ? wide << 4 : 0) + (w[5] ? wide << 5 : 0) + (w[6] ? wide << 6 : 0)
                        - (w[7] ? wide << 7 : 0);
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
                sum <= sum_in + product;
            end
        end
endmodule
