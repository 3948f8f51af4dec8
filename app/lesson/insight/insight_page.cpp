// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/insight/insight_page.h"

#include "app/lesson/insight/insight_card.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "base/units.h"
#include "evidence/first_answers.h"
#include "record/clock.h"

#include <QHeaderView>
#include <QLocale>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

/// What the calibration line shows at once; the tables speak of all.
constexpr std::size_t kShown = 60;

QString yes(bool value)
{
    return value ? InsightPage::tr("yes") : QStringLiteral("–");
}

/// Counts, shares, factors: what is read from its end.
bool isFigure(const QString& cell)
{
    static const QRegularExpression figure(QStringLiteral(R"(^[0-9][0-9.,]*( ?[%×])?$)"));
    return figure.match(cell).hasMatch();
}

QString factorText(const Calibration& calibration)
{
    return QString::fromStdString(formatNumber(std::round(calibration.medianFactor * 10) / 10)) + QStringLiteral("×");
}

/// As high as its rows: the page scrolls, not the table. One column takes what room there is, and none is narrower than
/// what stands in it: where all do not fit, the table scrolls sideways.
class ProgressTable : public QTableWidget {
public:
    ProgressTable(int rows, int columns, int growing) : QTableWidget(rows, columns), m_growing(growing) {}

    void fit()
    {
        resizeColumnsToContents();
        int others = 0;
        for (int column = 0; column < columnCount(); ++column)
            others += column == m_growing ? 0 : columnWidth(column);
        const int least = columnWidth(m_growing);
        setColumnWidth(m_growing, std::max(least, viewport()->width() - others));
        const int bar = least + others > viewport()->width() ? horizontalScrollBar()->sizeHint().height() : 0;
        setFixedHeight(horizontalHeader()->sizeHint().height() + verticalHeader()->defaultSectionSize() * rowCount() +
                       space::s + bar);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QTableWidget::resizeEvent(event);
        fit();
    }

private:
    int m_growing;
};

/// "5 of 6 right": what was given before the page told anything about the question.
QString firstAnswersText(const LessonStanding& one, const std::map<std::string, FirstAnswers>& all)
{
    if (!one.passedHeld.empty() || !one.levelHeld.empty())
        return InsightPage::tr("later");
    const auto found = all.find(one.id);
    return found == all.end() ? QStringLiteral("–")
                              : InsightPage::tr("%1 of %2 right").arg(found->second.right).arg(found->second.of);
}

} // namespace

InsightPage::InsightPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_scroll(new ColumnScroll(860, tr("How I predict"), this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    connect(&context.feedback(), &FeedbackWatch::changed, this, [this] {
        if (m_progress)
            rebuild();
    });
}

Result<void> InsightPage::open(const QString& part)
{
    if (!part.isEmpty())
        return Error{"unknown-page", "This page has no part " + part.toStdString() + ".", "--open", "Open insight"};
    rebuild();
    return {};
}

void InsightPage::rebuild()
{
    Theme& theme = m_context.theme();
    m_scroll->clear();
    m_progress.reset();
    QVBoxLayout* column = m_scroll->column();
    column->addWidget(makeText(theme, tr("How well you know what you know"), TextStyle::ReadH1));
    const record::Store* store = m_context.store();
    auto progress = store ? progressOf(*store, m_context.curriculum(), record::timeStamp().toStdString(),
                                       m_context.feedback().discretion())
                          : Result<Progress>(m_context.storeError().value_or(Error{}));
    const auto first = progress ? firstAnswers(*store, m_context.curriculum())
                                : Result<std::map<std::string, FirstAnswers>>(progress.error());
    if (!first) {
        column->addWidget(makeText(theme, QString::fromStdString(toText(first.error()))));
        column->addStretch(1);
        Q_EMIT commandsChanged();
        return;
    }
    m_progress = std::move(*progress);
    if (m_progress->outcomes.empty()) {
        column->addWidget(
            makeText(theme,
                     tr("Commit a prediction in a lesson and run it: it will stand here beside its result. "
                        "The line shows how far off each was, filled where the 80 % interval held it."),
                     TextStyle::ReadBody, QStringLiteral("muted")));
    } else {
        const auto& all = m_progress->outcomes;
        column->addWidget(makeText(theme, calibrationText(m_progress->calibration), TextStyle::ReadBody));
        const std::size_t skip = all.size() > kShown ? all.size() - kShown : 0;
        column->addWidget(new CalibrationLine(theme, {all.begin() + std::ptrdiff_t(skip), all.end()}));
        column->addWidget(makeText(
            theme,
            tr("Each mark is a prediction, oldest first, filled where its interval held the result; each line up "
               "is a factor of four further off. Eight of ten intervals should hold the result. This is for you and "
               "never a grade."),
            TextStyle::Caption, QStringLiteral("hint")));
    }
    for (const std::string& held : m_progress->held) {
        auto* why =
            makeText(theme, tr("Some predictions are not counted here yet. %1").arg(QString::fromStdString(held)),
                     TextStyle::Caption, QStringLiteral("hint"));
        why->setObjectName(QStringLiteral("held"));
        column->addWidget(why);
    }
    std::vector<QStringList> rows;
    for (const TopicCalibration& topic : m_progress->topics)
        rows.push_back({QString::fromStdString(topic.title), QString::number(topic.calibration.predictions),
                        factorText(topic.calibration),
                        tr("%1 %").arg(std::lround(100.0 * topic.calibration.held / topic.calibration.predictions)),
                        QLocale::c().toString(topic.calibration.meanScore, 'f', 1)});
    addTable(tr("By module"),
             {tr("Module"), tr("Predictions"), tr("Half within"), tr("Held by the interval"), tr("Score")}, rows);
    rows.clear();
    for (const LessonStanding& one : m_progress->lessons)
        rows.push_back({QString::fromStdString(one.id), QString::fromStdString(one.title),
                        one.levelHeld.empty() ? QString::fromStdString(masteryText(one.level)) : tr("later"),
                        firstAnswersText(one, *first), yes(one.predicted), yes(one.ran),
                        one.passedHeld.empty() ? yes(one.passed) : tr("later"), yes(one.shipped),
                        one.explainedHeld.empty() ? yes(one.explained) : tr("later")});
    addTable(tr("Lessons"),
             {tr("Lesson"), tr("Title"), tr("Known"), tr("First answers"), tr("Predicted"), tr("Ran"), tr("Passed"),
              tr("Shipped"), tr("Explained")},
             rows);
    QStringList reasons;
    for (const LessonStanding& one : m_progress->lessons)
        for (const std::string& why : {one.passedHeld, one.explainedHeld, one.levelHeld})
            if (!why.empty() && !reasons.contains(QString::fromStdString(why)))
                reasons << QString::fromStdString(why);
    if (!reasons.isEmpty()) {
        auto* why = makeText(theme, tr("Later: %1").arg(reasons.join(QLatin1Char(' '))), TextStyle::Caption,
                             QStringLiteral("hint"));
        why->setObjectName(QStringLiteral("heldLessons"));
        column->addWidget(why);
    }
    rows.clear();
    for (const LayerSkill& skill : m_progress->layers)
        rows.push_back({QString::fromStdString(skill.layer), QString::number(skill.lessons), QString::number(skill.met),
                        QString::number(skill.solid), QString::number(skill.mastered)});
    addTable(tr("Layers of the stack"), {tr("Layer"), tr("Lessons"), tr("Met"), tr("Solid"), tr("Mastered")}, rows);
    column->addWidget(
        makeText(theme,
                 tr("Met: passed. Solid: and every first prediction within a factor of two, and seven of ten "
                    "questions right at the first attempt, each with its numbers counted once. Mastered: passed "
                    "again days later in a mixed review. A miss there is one step down."),
                 TextStyle::Caption, QStringLiteral("hint")));
    column->addStretch(1);
    Q_EMIT commandsChanged();
}

void InsightPage::addTable(const QString& title, const QStringList& heads, const std::vector<QStringList>& rows)
{
    if (rows.empty())
        return;
    Theme& theme = m_context.theme();
    m_scroll->column()->addWidget(makeText(theme, title, TextStyle::ReadH3));
    auto* table = new ProgressTable(int(rows.size()), int(heads.size()), heads.size() > 5 ? 1 : 0);
    table->setAccessibleName(title);
    table->setHorizontalHeaderLabels(heads);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setHighlightSections(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    table->setTabKeyNavigation(false);
    useRowHeight(theme, table);
    for (int r = 0; r < table->rowCount(); ++r)
        for (int c = 0; c < table->columnCount(); ++c)
            table->setItem(r, c, new QTableWidgetItem(rows[std::size_t(r)].value(c)));
    // The first column names the row, also where the name is a number ("1.2").
    for (int c = 1; c < table->columnCount(); ++c) {
        const auto filled = [&](const QStringList& row) { return isFigure(row.value(c)); };
        if (!std::all_of(rows.begin(), rows.end(), filled))
            continue;
        table->horizontalHeaderItem(c)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        for (int r = 0; r < table->rowCount(); ++r)
            table->item(r, c)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    table->fit();
    m_scroll->column()->addWidget(table);
}

bool InsightPage::can(Command command) const
{
    return command == Command::Export && m_progress;
}

void InsightPage::perform(Command command)
{
    if (command == Command::Export)
        chooseExport();
}

void InsightPage::chooseExport()
{
    openExportDialog(
        this, tr("Save progress"), tr("JSON (*.json);;CSV (*.csv)"), QStringLiteral("progress.json"),
        [this](const QString& path) { return exportTo(path); },
        [this](const QString& text, bool isError) { Q_EMIT m_context.notice(text, isError); });
}

Result<void> InsightPage::exportTo(const QString& path) const
{
    if (!m_progress)
        return Error{"cannot-write", "there is no progress to write", path.toStdString(), "open your record first"};
    const bool csv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    return writeFile(path.toStdString(), csv ? progressCsv(*m_progress) : progressJson(*m_progress).dump(2) + "\n");
}

QList<QWidget*> InsightPage::panes() const
{
    return {m_scroll};
}

double InsightPage::scrollFraction() const
{
    return ridge::app::scrollFraction(m_scroll);
}

void InsightPage::setScrollFraction(double fraction)
{
    ridge::app::setScrollFraction(m_scroll, fraction);
}

} // namespace ridge::app

#include "moc_insight_page.cpp"
