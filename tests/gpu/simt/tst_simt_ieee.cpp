// SPDX-License-Identifier: GPL-3.0-or-later
// Every operation of every build of the lanes against tools/oracle, on all combinations of special operands and on
// random ones. RIDGE_IEEE_SAMPLES=100000000 runs the full count (build/release/bin/oracle does it with a table); the
// default is a sample of it.
#include "tools/oracle/oracle.h"

#include <QtTest>

using namespace ridge::gpu::simt;

class TestSimtIeee : public QObject {
    Q_OBJECT

    static const std::vector<oracle::Case>& cases()
    {
        static const std::vector<oracle::Case> all = oracle::allCases();
        return all;
    }

private Q_SLOTS:
    void againstDefinitions_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t at = 0; at < cases().size(); ++at)
            QTest::newRow(cases()[at].name.c_str()) << int(at);
    }

    void againstDefinitions()
    {
        QFETCH(int, index);
        const oracle::Case& one = cases()[static_cast<std::size_t>(index)];
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("RIDGE_IEEE_SAMPLES", &given);
        // Roundings hide their errors in rare operands.
        const int usual = one.rounds ? 200'000 : 20'000;
        const oracle::Outcome outcome =
            oracle::check(one, static_cast<oracle::u64>(given ? wanted : usual), static_cast<oracle::u64>(index) + 1);
        QVERIFY2(outcome.mismatches == 0, qPrintable(QStringLiteral("%1 of %2 differ, the first: %3")
                                                         .arg(outcome.mismatches)
                                                         .arg(outcome.operands)
                                                         .arg(QString::fromStdString(outcome.first))));
        QVERIFY(outcome.operands > 100);
    }

    /// An oracle that passes whatever it is shown would pass the rest of this test too.
    void aWrongResultIsFound()
    {
        for (oracle::Case one : cases()) {
            const auto right = one.expected;
            unsigned call = 0;
            one.expected = [right, &call](oracle::u64 a, oracle::u64 b, oracle::u64 c, oracle::u64 e) {
                return right(a, b, c, e) ^ (++call % 97 == 0 ? 1 : 0);
            };
            const oracle::Outcome outcome = oracle::check(one, 500, 1);
            QVERIFY2(outcome.mismatches >= 1 && !outcome.first.empty(), one.name.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtIeee)
#include "tst_simt_ieee.moc"
