// SPDX-License-Identifier: GPL-3.0-or-later
// What others measured beside what our engines say: the data sets of assets/parity. A set is an entry of sets.json and
// a table ID.csv: parameters of an experiment, then `measured` and `modelled` in SI units. The column `modelled` is
// written by tst_parity, which runs the experiment of every row and fails where the file says something else.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::parity {

struct Row {
    std::vector<std::string> cells; ///< as many as the set has columns; empty: the parameter's default
    double measured = 0;
    std::optional<double> modelled; ///< none: not run yet

    double error() const { return *modelled / measured - 1; } ///< signed, a share of what was measured
};

/// Whether constants of the engine were fitted on these rows: then the errors are those of a fit.
enum class Fitted { No, Part, Yes };

/// The most that is wanted of the mean of the errors' sizes, of nine in ten, and of the worst.
struct Goal {
    std::optional<double> mean, ninety, worst;
};

struct Set {
    std::string id, title, group;
    std::string experiment, target, metric,
        unit;                                  ///< what `ridge run` is called with
    std::string source, licence, method, note; ///< method: how it was measured; note: what is odd about it
    Fitted fitted = Fitted::No;
    Goal goal;
    std::vector<std::string> columns; ///< parameters
    std::vector<Row> rows;
};

/// Sizes of errors as shares.
struct Errors {
    std::size_t rows = 0;
    double mean = 0, median = 0, ninety = 0, worst = 0;
    double bias = 0; ///< mean with its sign: above zero the model says more than was measured
};
Errors errorsOf(const Set& set); ///< of the rows that have been run
bool meets(const Errors& errors, const Goal& goal);

/// Two sets that measured the same points: how far they are from one another, as shares of the smaller value.
struct Spread {
    std::string first, second; ///< ids
    std::size_t points = 0;
    double median = 0, most = 0;
};
/// Same experiment, metric and parameters; fp16 and bf16 count as one, since their products take the same time.
std::vector<Spread> spreadsOf(const std::vector<Set>& sets);

/// "m = 8192, n = 8192, k = 8192": the cells of a row that differ within its set.
std::string wordsOf(const Set& set, const Row& row);

/// All sets of a folder, in the order of sets.json. Errors: "cannot-read", those of parseJson and parseCsv,
/// "bad-parity" with file and line.
Result<std::vector<Set>> readSets(const std::filesystem::path& folder);
std::string csvOf(const Set& set);

} // namespace ridge::parity
