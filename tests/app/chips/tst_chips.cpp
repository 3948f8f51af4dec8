// SPDX-License-Identifier: GPL-3.0-or-later
// What the GPU catalogue says, without a window: figures with their flags, ratios, filters, rooflines.
#include "app/chips/chip_comparison.h"
#include "app/chips/chip_list.h"
#include "app/chips/chip_roofline.h"
#include "app/chips/parity_plot.h"
#include "base/json.h"
#include "tests/golden/golden.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

ChipFigure figure(const silicon::Catalogue& catalogue, const char* chip, const char* key)
{
    return figureKind(s(key))->read(catalogue, *findChip(catalogue, s(chip)));
}

const ChipRow* rowOf(const ChipComparison& comparison, const QString& title)
{
    for (const ChipRow& row : comparison.rows)
        if (row.title == title)
            return &row;
    return nullptr;
}

} // namespace

class TestChips : public QObject {
    Q_OBJECT
    silicon::Catalogue m_catalogue;

private Q_SLOTS:
    void initTestCase()
    {
        auto loaded = silicon::shippedCatalogue();
        QVERIFY2(loaded.ok(), loaded.ok() ? "" : toText(loaded.error()).c_str());
        m_catalogue = std::move(*loaded);
    }

    void peaksAreDenseAndSayWhereTheyComeFrom()
    {
        const ChipFigure bf16 = figure(m_catalogue, "h100-sxm", "bf16");
        QVERIFY(bf16.known());
        QCOMPARE(bf16.value, 989.4);
        QCOMPARE(bf16.flag, s("dense"));
        QCOMPARE(bf16.confidence, s("published"));
        QVERIFY(!bf16.source.isEmpty());
        QVERIFY(figureKind(s("bf16"))->help.contains(s("2:4")));
        QVERIFY(figureKind(s("bf16"))->title.contains(s("dense")));
    }

    void linksAreToldOneWay()
    {
        const ChipFigure nvlink = figure(m_catalogue, "h100-sxm", "link");
        QCOMPARE(nvlink.value, 450.0); // published as 900, both ways together
        QVERIFY2(nvlink.flag.contains(s("900 both ways")), qPrintable(nvlink.flag));
        const ChipFigure pcie = figure(m_catalogue, "h100-sxm", "pcie");
        QCOMPARE(pcie.value, 63.0);
        QVERIFY(!pcie.flag.contains(s("both")));
        QVERIFY(figureKind(s("link"))->title.contains(s("one way")));
    }

    void whatIsNotKnownIsNoZero()
    {
        const ChipFigure unknown = figure(m_catalogue, "h100-nvl", "bf16");
        QCOMPARE(unknown.state, ChipFigure::State::Unknown);
        QCOMPARE(unknown.text, s("unknown"));
        QVERIFY(!figure(m_catalogue, "h100-nvl", "ridge_bf16").known()); // nor has what follows from it a value
        const ChipFigure absent = figure(m_catalogue, "t4", "bf16");
        QCOMPARE(absent.state, ChipFigure::State::Absent);
        QCOMPARE(absent.text, s("not supported"));
        // No figure of any chip is shown as zero, and each that is known names a source.
        for (const silicon::Chip& chip : m_catalogue.chips())
            for (const FigureKind& kind : figureKinds()) {
                const ChipFigure one = kind.read(m_catalogue, chip);
                const std::string where = chip.id + " " + kind.key.toStdString();
                QVERIFY2(!one.text.isEmpty(), where.c_str());
                if (one.known()) {
                    QVERIFY2(one.value > 0, where.c_str());
                    QVERIFY2(kind.key == s("year") || !one.source.isEmpty(), where.c_str());
                }
            }
    }

    void ridgeTableIsThatOfTheCurriculum()
    {
        // curriculum.md, section 8: FLOP/B, dense BF16 over memory bandwidth.
        const std::pair<const char*, double> table[] = {
            {"h100-sxm", 295}, {"h200-sxm", 206}, {"l40s", 419}, {"mi300x", 247}};
        for (const auto& [chip, ridge] : table) {
            const ChipFigure one = figure(m_catalogue, chip, "ridge_bf16");
            QVERIFY2(one.known(), chip);
            QVERIFY2(std::abs(one.value / ridge - 1) < 0.01, qPrintable(s("%1 %2").arg(s(chip)).arg(one.value)));
        }
    }

    void comparisonIsAgainstTheFirst()
    {
        const auto* decode = silicon::kernelProfile("decode");
        const auto comparison = compareChips(m_catalogue, {s("h100-sxm"), s("h200-sxm"), s("t4")}, decode);
        QCOMPARE(comparison.chips.size(), std::size_t{3});
        const ChipRow* bandwidth = rowOf(comparison, figureKind(s("bandwidth"))->title);
        QVERIFY(bandwidth);
        QVERIFY(!bandwidth->cells[0].ratio);
        QCOMPARE(bandwidth->cells[1].ratioWords, s("1.43×"));
        const ChipRow* year = rowOf(comparison, figureKind(s("year"))->title);
        QVERIFY(!year->cells[1].ratio);
        const ChipRow* bf16 = rowOf(comparison, figureKind(s("bf16"))->title);
        QVERIFY(!bf16->cells[2].ratio); // a T4 has none: no ratio, and no zero
        // H100 to H200 is 1.43× for decode and 1.0× for GEMM (curriculum.md, lesson 1.5).
        const ChipRow* predicted = &comparison.rows.front();
        QCOMPARE(predicted->title, QString::fromStdString(decode->title));
        QVERIFY(std::abs(*predicted->cells[1].ratio - 4.8 / 3.35) < 1e-3);
        QCOMPARE(predicted->cells[1].figure.flag, s("memory-bound"));
        QCOMPARE(predicted->cells[1].figure.confidence, s("MODELLED"));
        QVERIFY2(!predicted->cells[2].figure.known(),
                 "16 GB of weights do not fit beside nothing, and BF16 is not there");
        const auto gemm =
            compareChips(m_catalogue, {s("h100-sxm"), s("h200-sxm")}, silicon::kernelProfile("gemm_bf16"));
        QCOMPARE(*gemm.rows.front().cells[1].ratio, 1.0);
        QCOMPARE(gemm.rows.front().cells[1].figure.flag, s("compute-bound"));
        QVERIFY2(comparison.summary.contains(s("1.43× the memory bandwidth")), qPrintable(comparison.summary));
    }

    /// Whoever chooses a chip sees whether it gives times here, and where its clock is from.
    void whatTheSimulatorGivesIsSaid()
    {
        ChipOffers offers;
        offers.insert(s("h100-sxm"), {s("times and counts"), s("It gives times and counts.")});
        offers.insert(s("t4"), {s("counts only"), s("It gives counts only: its clock is not known.")});
        ChipListModel list(m_catalogue);
        list.setOffers(offers);
        const auto cell = [&](const char* id, int role) {
            return list.index(list.rowOf(s(id)), ChipListModel::Simulated).data(role).toString();
        };
        QCOMPARE(cell("h100-sxm", Qt::DisplayRole), s("times and counts"));
        QCOMPARE(cell("t4", Qt::DisplayRole), s("counts only"));
        QVERIFY(cell("t4", Qt::ToolTipRole).contains(s("its clock is not known")));
        QCOMPARE(cell("a40", Qt::DisplayRole), s("not simulated"));
        ChipFilter filter(list);
        filter.setQuery({s("counts only"), {}, {}, {}});
        QCOMPARE(filter.shownIds(), QStringList{s("t4")});
        const auto compared = compareChips(m_catalogue, {s("t4"), s("a40")}, nullptr, offers);
        QCOMPARE(compared.rows.front().title, s("Simulated"));
        QCOMPARE(compared.rows.front().cells[0].figure.text, s("counts only"));
        QCOMPARE(compared.rows.front().cells[1].figure.text, s("not simulated"));
    }

    void tableTwinCarriesNumbersAndSources()
    {
        const ChartTable table = comparisonTable(compareChips(m_catalogue, {s("h100-sxm"), s("t4")}, nullptr));
        const QString csv = tableCsv(table), markdown = tableMarkdown(table);
        QVERIFY(csv.contains(s("989.4")));
        QVERIFY(csv.contains(s("not supported")));
        QVERIFY(markdown.contains(s("900 both ways")));
        QCOMPARE(table.rows.size(), figureKinds().size());
        for (const auto& row : table.rows)
            QCOMPARE(row.size(), table.columns.size());
        const ChartTable all = chipListTable(m_catalogue, {s("h100-sxm"), s("a40")});
        QCOMPARE(all.rows.size(), std::size_t{2});
        QVERIFY(tableCsv(all).contains(s("unknown")));
    }

    void modelSpeaksAndMarksHeadings()
    {
        ChipComparisonModel model;
        model.show(compareChips(m_catalogue, {s("h100-sxm"), s("h200-sxm")}, silicon::kernelProfile("decode")));
        QVERIFY(model.isHeading(0) && !model.isHeading(1));
        QVERIFY(!(model.flags(model.index(0, 0)) & Qt::ItemIsSelectable));
        const QModelIndex cell = model.index(1, 2);
        QVERIFY(cell.data(Qt::AccessibleTextRole).toString().contains(s("memory-bound")));
        QVERIFY(cell.data(Qt::AccessibleTextRole).toString().contains(s("1.43×")));
        QVERIFY(model.provenance(cell).contains(s("MODELLED")));
        QVERIFY(cell.data(Qt::ToolTipRole).toString() == model.provenance(cell));
        QVERIFY(model.provenance(model.index(0, 0)).isEmpty());
        QVERIFY(model.headerData(1, Qt::Horizontal).toString().contains(s("first")));
    }

    void filtersAndSorts()
    {
        ChipListModel list(m_catalogue);
        ChipFilter filter(list);
        QCOMPARE(filter.rowCount(), int(m_catalogue.chips().size()));
        filter.setQuery({s("h200 hbm3e"), {}, {}, {}});
        QCOMPARE(filter.shownIds(), QStringList({s("h200-sxm"), s("h200-nvl")}));
        filter.setQuery({{}, s("AMD"), {}, {}});
        QCOMPARE(filter.rowCount(), 6);
        filter.setQuery({{}, {}, s("Ada"), s("laptop")});
        for (const QString& id : filter.shownIds())
            QCOMPARE(findChip(m_catalogue, id)->chipClass, std::string("laptop"));
        filter.setQuery({s("no such chip"), {}, {}, {}});
        QCOMPARE(filter.rowCount(), 0);
        filter.setQuery({});
        // What is unknown stands last both ways.
        int column = -1;
        for (int i = 0; i < list.columnCount(); ++i)
            if (list.headerData(i, Qt::Horizontal).toString().startsWith(s("BF16 dense")))
                column = i;
        QVERIFY(column > 0);
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            filter.sort(column, order);
            bool ended = false;
            double last = order == Qt::AscendingOrder ? 0 : 1e9;
            for (int row = 0; row < filter.rowCount(); ++row) {
                const QVariant value = filter.index(row, column).data(Qt::UserRole);
                ended = ended || !value.isValid();
                QCOMPARE(value.isValid(), !ended);
                if (!value.isValid())
                    continue;
                QVERIFY(order == Qt::AscendingOrder ? value.toDouble() >= last : value.toDouble() <= last);
                last = value.toDouble();
            }
            QVERIFY(ended);
        }
    }

    void fourChipsAtMost()
    {
        ChipListModel list(m_catalogue);
        QSignalSpy refused(&list, &ChipListModel::refused);
        for (int row = 0; row < 5; ++row)
            (void)list.setData(list.index(row, 0), Qt::Checked, Qt::CheckStateRole);
        QCOMPARE(list.chosen().size(), 4);
        QCOMPARE(refused.count(), 1);
        QVERIFY(list.setData(list.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(list.chosen().size(), 3);
    }

    void partOfThePageNamesChips()
    {
        QCOMPARE(*chipsOfPart(m_catalogue, s("h100-sxm, h200-sxm,h100-sxm")),
                 QStringList({s("h100-sxm"), s("h200-sxm")}));
        const auto wrong = chipsOfPart(m_catalogue, s("h100-sxn"));
        QVERIFY(!wrong.ok());
        QVERIFY2(wrong.error().fix.find("h100-sxm") != std::string::npos, wrong.error().fix.c_str());
        QVERIFY(!chipsOfPart(m_catalogue, s("t4,l4,l40s,a40,a10g")).ok());
    }

    void rooflineDrawsWhatIsKnown()
    {
        ChipRooflinePlot plot(
            chipRooflines(m_catalogue, {s("h100-sxm"), s("h200-sxm"), s("t4")}, *silicon::kernelProfile("gemm_bf16")));
        QCOMPARE(plot.data().roofs.size(), std::size_t{2});
        QVERIFY(plot.data().missing.join(QString()).contains(s("T4")));
        QVERIFY(plot.text().caption.contains(s("Not drawn")));
        QVERIFY2(plot.summary().contains(s("295 FLOP/B")), qPrintable(plot.summary()));
        const PlotAxes axes = plot.axes();
        for (const ChipRoof& roof : plot.data().roofs)
            QVERIFY(roof.ridge() > axes.x.scale.min && roof.ridge() < axes.x.scale.max);
        QVERIFY(*plot.data().intensity < axes.x.scale.max);
        const ChartTable table = plot.table();
        QCOMPARE(table.rows.size(), std::size_t{2});
        QCOMPARE(std::get<double>(table.rows[0][4]), 989.4e12); // at 2731 FLOP/B the GEMM stands below the flat part
        const QString wrong = golden::checkStructure(s("chip_rooflines"), tableJson(table));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        ChipRooflinePlot none(chipRooflines(m_catalogue, {}, *silicon::kernelProfile("stream")));
        QVERIFY(none.empty() && !none.text().emptyText.isEmpty());
    }

    void parityShowsWhatIsOffAndByHowMuch()
    {
        parity::Set gemm;
        gemm.id = "gemm";
        gemm.title = "Products";
        gemm.target = "model";
        gemm.source = "somebody";
        gemm.columns = {"chip", "m"};
        gemm.rows = {{{"a100", "1"}, 10e-6, 11e-6}, {{"a100", "8192"}, 2e-3, 1.9e-3}, {{"a100", "9"}, 1e-3, {}}};
        parity::Set dram = gemm;
        dram.id = "dram";
        dram.title = "Reads";
        dram.target = "machine:hbm3";
        dram.rows = {{{"a100", "2"}, 50e-9, 40e-9}};
        ParityPlot plot({s("Both"), s("caption"), s("s"), {gemm, dram}, 0.1, false});
        QCOMPARE(plot.groups(), std::vector<int>({3, 1}));
        QVERIFY2(plot.pointText({0, 1}).contains(s("m = 8192")) && plot.pointText({0, 1}).endsWith(s("−5.0 %")),
                 qPrintable(plot.pointText({0, 1})));
        QVERIFY(plot.pointText({0, 0}).endsWith(s("+10 %")));
        QVERIFY(plot.pointText({0, 2}).endsWith(s("not run")));
        QVERIFY2(plot.summary().contains(s("Products: 2 rows, off by 7.5 %")), qPrintable(plot.summary()));
        const PlotAxes axes = plot.axes();
        QVERIFY(axes.x.scale.min == axes.y.scale.min && axes.x.scale.max == axes.y.scale.max);
        QVERIFY(axes.x.scale.min < 40e-9 && axes.x.scale.max > 2e-3);
        QCOMPARE(plot.table().rows.size(), std::size_t{4});
        QVERIFY(std::holds_alternative<std::monostate>(plot.table().rows[2][3]));
        QCOMPARE(std::get<double>(plot.table().rows[3][4]), -20.0);
        // As a ratio the axis holds as much below 1 as above.
        ParityPlot ratio({s("Both"), {}, s("s"), {gemm, dram}, 0.1, true});
        QVERIFY(std::abs(ratio.axes().y.scale.min * ratio.axes().y.scale.max - 1) < 1e-9);
        QVERIFY(ratio.axes().y.scale.min <= 0.8);
        const Json structure = {{"table", tableJson(plot.table())}, {"picture", plot.describe()}};
        const QString wrong = golden::checkStructure(s("parity"), structure);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        ParityPlot none({{}, {}, s("s"), {}, {}, false});
        QVERIFY(none.empty() && none.groups().empty() && !none.summary().isEmpty());
    }
};

QTEST_MAIN(TestChips)
#include "tst_chips.moc"
