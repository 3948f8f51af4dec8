// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/sqlite.h"
#include "record/store.h"

namespace ridge::test {

/// Puts `count` copies of one run into the record of a folder that nobody has open, in a second or so: by SQL, with
/// digests that do not fit, which only a thorough check of the record notices. Some belong to a lesson. Gives what
/// went wrong; empty: nothing.
inline std::string addManyRuns(const std::filesystem::path& folder, int count)
{
    {
        auto store = record::Store::open(folder);
        if (!store)
            return toText(store.error());
        record::RunRow row;
        row.sweepId = "many";
        row.experiment = "coalescing";
        row.target = "sim:h100-sxm";
        row.params = {{"stride", std::int64_t(8)}};
        row.metrics["sectors_per_request"] = {32.0, "sectors/request", Provenance::Simulated};
        row.validity = "valid";
        row.status = "finished";
        row.fingerprint = Json{{"chip", "h100-sxm"}};
        const auto id = (*store)->append(row).result();
        if (!id)
            return toText(id.error());
    }
    auto connection = record::Connection::open(folder / "ridgepoint.db", record::Connection::Mode::ReadWrite);
    if (!connection)
        return toText(connection.error());
    QStringList columns, values;
    {
        auto known = (*connection)->query(QStringLiteral("SELECT name FROM pragma_table_info('run')"));
        if (!known)
            return toText(known.error());
        while (known->next()) {
            const QString name = known->value(0).toString();
            columns << name;
            values << (name == QLatin1String("id")         ? QStringLiteral("printf('%08x', i) || substr(id, 9)")
                       : name == QLatin1String("seq")      ? QStringLiteral("seq + i")
                       : name == QLatin1String("sweep_id") ? QStringLiteral("'many-' || (i / 16)")
                       : name == QLatin1String("lesson")   ? QStringLiteral("iif(i % 8 = 0, '2.4', '')")
                       : name == QLatin1String("params")   ? QStringLiteral("json_object('stride', 1 + i % 64)")
                                                           : name);
        }
    }
    const auto added = (*connection)
                           ->exec(QStringLiteral("INSERT INTO run (%1) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
                                                 "SELECT i + 1 FROM n WHERE i < %2) SELECT %3 FROM "
                                                 "(SELECT * FROM run LIMIT 1) AS one, n")
                                      .arg(columns.join(QLatin1String(", ")))
                                      .arg(count)
                                      .arg(values.join(QLatin1String(", "))));
    return added ? std::string() : toText(added.error());
}

} // namespace ridge::test
