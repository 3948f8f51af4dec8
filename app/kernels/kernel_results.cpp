// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_results.h"

#include "app/ui/facts.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "base/units.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

QString text(const Json& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end() || found->is_null())
        return {};
    return found->is_string() ? q(found->get<std::string>()) : q(found->dump());
}

std::optional<double> number(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

Provenance provenanceOf(const Json& document)
{
    return provenanceFromText(text(document, "provenance").toStdString()).value_or(Provenance::Simulated);
}

QString sizes(const Json& document, const char* key)
{
    QStringList parts;
    if (const auto found = document.find(key); found != document.end() && found->is_array())
        for (const Json& value : *found)
            parts << q(value.dump());
    return parts.join(QStringLiteral(" × "));
}

QString whole(std::uint64_t value)
{
    return QLocale(QLocale::English).toString(qulonglong(value));
}

/// The way the time came about, in one sentence.
QString timeNote(const Json& document)
{
    if (const auto m = document.find("measurement"); m != document.end() && m->is_object())
        return KernelResults::tr("Median of %1 launches, the middle half within %2; %3.")
            .arg(text(*m, "samples"), q(formatQuantity(m->value("iqr_s", 0.0), "s")), text(*m, "validity"));
    if (const auto timing = document.find("timing"); timing != document.end() && timing->is_object()) {
        QString note = KernelResults::tr("By the timing model of %1 at %2 (confidence of its values: %3).")
                           .arg(text(*timing, "chip"), q(formatQuantity(timing->value("clock_hz", 0.0), "Hz")),
                                text(*timing, "confidence"));
        if (const auto e = timing->find("extrapolation"); e != timing->end() && e->value("used", false))
            note +=
                QLatin1Char(' ') + KernelResults::tr("%1 of %2 blocks were simulated, the rest extrapolated: ± %3 %.")
                                       .arg(text(*e, "simulated_blocks"), text(*e, "blocks"),
                                            q(formatNumber(100 * e->value("relative_error", 0.0))));
        return note;
    }
    const QString why = text(document, "untimed");
    return why.isEmpty() ? KernelResults::tr("It ran without the clock.") : asSentence(why);
}

} // namespace

QString scoreSentence(const KernelScore& score, const std::optional<KernelScore>& best)
{
    if (!score.instructions)
        return {};
    if (score.reports > 0)
        return KernelResults::tr("The detectors found something: the count stands, but it is no best one until that is "
                                 "mended.");
    if (!best || !best->instructions)
        return KernelResults::tr("The first version with this launch on this target: the one to compare with.");
    const auto before = *best->instructions, now = *score.instructions;
    const QString earlier =
        KernelResults::tr("your best earlier version needs %1 (%2)").arg(whole(before), readableTime(best->at));
    if (now == before)
        return KernelResults::tr("As many as %1.").arg(earlier);
    const double change = 100 * std::abs(double(now) - double(before)) / double(std::max<std::uint64_t>(before, 1));
    const QString percent = q(formatNumber(std::round(change * 10) / 10));
    return now < before ? KernelResults::tr("Your best so far, %1 % fewer: %2.").arg(percent, earlier)
                        : KernelResults::tr("%1 % more: %2.").arg(percent, earlier);
}

KernelResults::KernelResults(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_scroll(new ColumnScroll(900, tr("Result of the run")))
{
    setAccessibleName(tr("Result"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_scroll);
    m_scroll->widget()->layout()->setContentsMargins(space::m, space::m, space::m, space::m);
    m_scroll->column()->setSpacing(space::s);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded); // large text in half a window: all can be reached
}

void KernelResults::setMessage(const QString& title, const QString& said)
{
    m_scroll->clear();
    m_score.clear();
    QVBoxLayout* column = m_scroll->column();
    column->addWidget(makeText(m_theme, title, TextStyle::Strong));
    column->addWidget(makeText(m_theme, said, TextStyle::Body, QStringLiteral("muted")));
    column->addStretch(1);
}

void KernelResults::setDocument(const Json& document, const KernelScore& score, const std::optional<KernelScore>& best)
{
    m_scroll->clear();
    QVBoxLayout* column = m_scroll->column();
    const Provenance provenance = provenanceOf(document);
    const auto badge = [&](Provenance from) {
        auto* made = new ProvenanceBadge(m_theme);
        made->setProvenance(from);
        return made;
    };
    const auto headline = [&](const QString& title, const QString& value, const QString& unit, Provenance from) {
        column->addWidget(makeText(m_theme, title, TextStyle::Strong));
        auto* row = new QHBoxLayout;
        row->setSpacing(space::s);
        QLabel* number = makeLabel(m_theme, value, TextStyle::MetricBig);
        number->setAccessibleName(QStringLiteral("%1: %2 %3").arg(title, value, unit));
        row->addWidget(number, 0, Qt::AlignBaseline);
        row->addWidget(makeText(m_theme, unit, TextStyle::Body, QStringLiteral("muted")), 1, Qt::AlignBaseline);
        row->addWidget(badge(from), 0, Qt::AlignVCenter);
        column->addLayout(row);
    };
    m_score = scoreSentence(score, best);
    if (score.instructions) {
        headline(tr("Operations"), whole(*score.instructions), tr("warp instructions"), provenance);
        column->addWidget(makeText(m_theme, m_score));
        column->addWidget(makeText(
            m_theme,
            tr("PTX instructions, once for each group of lanes; %1 with every lane counted. The same on every machine.")
                .arg(whole(score.threadInstructions.value_or(0))),
            TextStyle::Caption, QStringLiteral("hint")));
    } else {
        column->addWidget(makeText(m_theme, tr("Operations"), TextStyle::Strong));
        column->addWidget(
            makeText(m_theme, tr("%1 counts no instructions. Run the kernel on a simulated chip to count them.")
                                  .arg(text(document, "device"))));
    }
    column->addSpacing(space::m);
    if (score.seconds) {
        const auto cycles = number(document, "cycles");
        headline(tr("Time"), q(formatQuantity(*score.seconds, "s")),
                 cycles ? tr("%1 cycles").arg(whole(std::uint64_t(*cycles))) : QString(), provenance);
    } else {
        column->addWidget(makeText(m_theme, tr("Time"), TextStyle::Strong));
    }
    column->addWidget(makeText(m_theme, timeNote(document), TextStyle::Caption, QStringLiteral("hint")));
    if (const auto o = document.find("occupancy"); o != document.end() && o->is_object()) {
        column->addSpacing(space::m);
        column->addWidget(makeText(m_theme, tr("Occupancy"), TextStyle::Strong));
        auto* facts = new FactTable(m_theme, tr("Occupancy"));
        QStringList limiters;
        for (const Json& limiter : o->value("limiters", Json::array()))
            limiters << (limiter.is_string() ? q(limiter.get<std::string>()) : q(limiter.dump()));
        facts->addRow(
            tr("Theoretical"),
            tr("%1 %, held by %2")
                .arg(q(formatNumber(100 * o->value("theoretical", 0.0))), limiters.join(QStringLiteral(", "))),
            {}, badge(Provenance::Modelled));
        if (const auto achieved = number(*o, "achieved"))
            facts->addRow(tr("Achieved"), tr("%1 % over time").arg(q(formatNumber(std::round(1000 * *achieved) / 10))),
                          {}, badge(provenance));
        facts->addRow(tr("On an SM"),
                      tr("%1 blocks, %2 warps").arg(text(*o, "blocks_per_sm"), text(*o, "warps_per_sm")), {},
                      badge(Provenance::Modelled));
        const bool exact = o->value("registers_exact", Json(false)) == Json(true);
        facts->addRow(tr("Registers a thread"),
                      exact ? text(*o, "registers_per_thread")
                            : tr("%1, estimated").arg(text(*o, "registers_per_thread")),
                      {}, badge(Provenance::Modelled));
        column->addWidget(facts);
    }
    column->addSpacing(space::m);
    column->addWidget(makeText(m_theme, tr("Run"), TextStyle::Strong));
    auto* facts = new FactTable(m_theme, tr("Run"));
    facts->addRow(tr("Kernel"), text(document, "signature"));
    facts->addRow(tr("Target"), text(document, "device"));
    facts->addRow(tr("Launch"), tr("%1 blocks of %2 threads").arg(sizes(document, "grid"), sizes(document, "block")));
    facts->addRow(tr("Compiler"), text(document, "compiler"));
    facts->addRow(tr("Detectors"), document.value("checked", false) ? tr("on") : tr("off"));
    column->addWidget(facts);
    if (const QString printed = text(document, "printed"); !printed.isEmpty()) {
        column->addSpacing(space::m);
        column->addWidget(makeText(m_theme, tr("Printed by the kernel"), TextStyle::Strong));
        column->addWidget(makeText(m_theme, printed.left(20000), TextStyle::Code));
    }
    column->addStretch(1);
}

QString KernelResults::scoreText() const
{
    return m_score;
}

NumberTable::NumberTable(Theme& theme, const QString& name, const QStringList& heads, QWidget* parent)
    : QWidget(parent), m_table(new QTableWidget(0, int(heads.size()))),
      m_note(makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint")))
{
    setAccessibleName(name);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::s, space::m, space::m);
    column->setSpacing(space::s);
    column->addWidget(m_note);
    m_table->setAccessibleName(name);
    m_table->setHorizontalHeaderLabels(heads);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    useRowHeight(theme, m_table);
    column->addWidget(m_table, 1);
    connect(m_table, &QTableWidget::itemActivated, this, [this](const QTableWidgetItem* item) {
        const int line = m_table->item(item->row(), 0)->data(Qt::UserRole).toInt();
        if (line > 0)
            Q_EMIT lineChosen(line);
    });
    setMessage(tr("Nothing run yet."));
}

void NumberTable::setMessage(const QString& said)
{
    m_note->setText(said);
    m_table->setRowCount(0);
    m_table->hide();
}

void NumberTable::setRows(const std::vector<Row>& rows, const QString& provenance)
{
    m_note->setText(provenance);
    m_table->setRowCount(int(rows.size()));
    for (int r = 0; r < int(rows.size()); ++r)
        for (int c = 0; c < m_table->columnCount(); ++c) {
            auto* item = new QTableWidgetItem(rows[std::size_t(r)].cells.value(c));
            if (c == 0)
                item->setData(Qt::UserRole, rows[std::size_t(r)].line);
            m_table->setItem(r, c, item);
        }
    // Numbers are read from their end, and so is what heads them.
    for (int c = 0; c < m_table->columnCount(); ++c) {
        const bool numbers = std::all_of(rows.begin(), rows.end(), [c](const Row& row) {
            const QString cell = row.cells.value(c);
            return cell.isEmpty() || cell == QStringLiteral("–") || cell.front().isDigit();
        });
        const Qt::Alignment side = (numbers ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
        m_table->horizontalHeaderItem(c)->setTextAlignment(side);
        for (int r = 0; r < m_table->rowCount(); ++r)
            m_table->item(r, c)->setTextAlignment(side);
    }
    m_table->resizeColumnsToContents();
    m_table->setVisible(!rows.empty());
}

std::vector<NumberTable::Row> counterRows(const Json& document)
{
    std::vector<NumberTable::Row> rows;
    if (const auto counters = document.find("counters"); counters != document.end() && counters->is_object())
        for (const auto& [name, item] : counters->items())
            if (const auto value = number(item, "value"); value && *value != 0)
                rows.push_back({{q(name), whole(std::uint64_t(*value)), text(item, "unit")}});
    return rows;
}

std::vector<NumberTable::Row> bufferRows(const Json& document)
{
    std::vector<NumberTable::Row> rows;
    if (const auto buffers = document.find("buffers"); buffers != document.end() && buffers->is_array())
        for (const Json& buffer : *buffers)
            for (const Json& value : buffer.value("values", Json::array())) {
                const QString before = text(value, "before"), after = text(value, "after");
                rows.push_back({{text(buffer, "argument"), text(value, "index"), before,
                                 before == after ? after : QStringLiteral("• ") + after, QStringLiteral("–")}});
            }
    return rows;
}

std::vector<NumberTable::Row> gradedRows(const Json& values)
{
    std::vector<NumberTable::Row> rows;
    for (const Json& buffer : values)
        for (const Json& value : buffer.value("values", Json::array())) {
            const QString after = text(value, "after");
            rows.push_back(
                {{text(buffer, "argument"), text(value, "index"), text(value, "before"),
                  value.value("right", true) ? after : QStringLiteral("≠ ") + after, text(value, "expected")}});
        }
    return rows;
}

QString gradedNote(const Json& values)
{
    QStringList parts;
    for (const Json& buffer : values) {
        QStringList sizes;
        const Json given = buffer.value("sizes", Json::object()); // outlives its items
        for (const auto& [name, size] : given.items())
            sizes << QStringLiteral("%1 = %2").arg(q(name),
                                                   q(size.is_string() ? size.get<std::string>() : size.dump()));
        parts << KernelResults::tr("Graded at %1, %2: %3 of %4 elements are wrong.")
                     .arg(sizes.join(QStringLiteral(", ")), text(buffer, "argument"), text(buffer, "wrong"),
                          text(buffer, "elements"));
    }
    return parts.join(QLatin1Char(' ')) + QLatin1Char(' ') +
           KernelResults::tr("Expected values are computed on the CPU, in double precision, from the data that the "
                             "kernel was given. ≠ marks what differs by more than rounding explains.");
}

QString buffersNote(const Json& document)
{
    const auto buffers = document.find("buffers");
    if (buffers == document.end() || !buffers->is_array() || buffers->empty())
        return KernelResults::tr("This run left no buffers: it was stopped, or the kernel takes none.");
    QStringList parts;
    for (const Json& buffer : *buffers)
        parts << KernelResults::tr("%1 (%2): %3 of %4 elements changed.")
                     .arg(text(buffer, "argument"), text(buffer, "spec"), text(buffer, "changed"),
                          text(buffer, "compared"));
    return parts.join(QLatin1Char(' ')) + QLatin1Char(' ') +
           KernelResults::tr("A dot marks what changed; of a long buffer the beginning is shown, and changes behind "
                             "it. Grade holds a "
                             "task's kernel to expected values.");
}

std::vector<NumberTable::Row> stallRows(const Json& document)
{
    std::vector<std::pair<double, QString>> found;
    double all = 0;
    if (const auto stalls = document.find("stalls"); stalls != document.end() && stalls->is_object())
        for (const auto& [name, cycles] : stalls->items())
            if (cycles.is_number()) {
                found.emplace_back(cycles.get<double>(), q(name));
                all += cycles.get<double>();
            }
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<NumberTable::Row> rows;
    for (const auto& [cycles, name] : found)
        rows.push_back({{name, whole(std::uint64_t(cycles)),
                         QString::number(all > 0 ? 100 * cycles / all : 0, 'f', 1) + QStringLiteral(" %")}});
    return rows;
}

std::vector<NumberTable::Row> lineRows(const std::vector<HeatLine>& lines)
{
    std::vector<NumberTable::Row> rows;
    for (const HeatLine& line : lines) {
        NumberTable::Row row;
        row.line = line.line;
        row.cells << QString::number(line.line);
        for (int metric = 0; metric < kHeatMetrics; ++metric)
            row.cells << (line.values[metric] ? q(formatNumber(*line.values[metric])) : QStringLiteral("–"));
        row.cells << line.mainStall << line.text;
        rows.push_back(row);
    }
    return rows;
}

} // namespace ridge::app

#include "moc_kernel_results.cpp"
