// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/history_panel.h"

#include "app/ui/panels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace ridge::app {

namespace {

/// Longer texts are compared as a whole: the table below grows with the product of their lines.
constexpr qsizetype kMostLines = 3000;

QString countText(const KernelScore* score)
{
    return score && score->instructions ? HistoryPanel::tr(", %1 warp instructions on %2")
                                              .arg(QLocale(QLocale::English).toString(qulonglong(*score->instructions)),
                                                   QString::fromStdString(score->target))
                                        : QString();
}

} // namespace

QString differenceOf(const QString& before, const QString& after)
{
    const QStringList a = before.split(QLatin1Char('\n')), b = after.split(QLatin1Char('\n'));
    if (before == after)
        return {};
    if (a.size() > kMostLines || b.size() > kMostLines)
        return HistoryPanel::tr("The texts differ; they are too long to be compared line by line.");
    // Longest common subsequence of lines (Hunt and McIlroy's problem, by the plain table).
    const auto width = std::size_t(b.size()) + 1;
    std::vector<std::uint16_t> table((std::size_t(a.size()) + 1) * width, 0);
    const auto at = [&](qsizetype i, qsizetype j) -> std::uint16_t& {
        return table[std::size_t(i) * width + std::size_t(j)];
    };
    for (qsizetype i = a.size() - 1; i >= 0; --i)
        for (qsizetype j = b.size() - 1; j >= 0; --j)
            at(i, j) = a[i] == b[j] ? std::uint16_t(at(i + 1, j + 1) + 1) : std::max(at(i + 1, j), at(i, j + 1));
    QStringList lines;
    qsizetype i = 0, j = 0;
    int quiet = 2; // equal lines since the last change
    const auto context = [&](const QString& line) {
        if (quiet++ < 1)
            lines << QStringLiteral("  ") + line;
    };
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            context(a[i]);
            ++i, ++j;
            continue;
        }
        if (quiet > 1 && i > 0)
            lines << HistoryPanel::tr("line %1").arg(j + 1) << QStringLiteral("  ") + a[i - 1];
        quiet = 0;
        if (j >= b.size() || (i < a.size() && at(i + 1, j) >= at(i, j + 1)))
            lines << QStringLiteral("− ") + a[i++];
        else
            lines << QStringLiteral("+ ") + b[j++];
    }
    return lines.join(QLatin1Char('\n'));
}

HistoryPanel::HistoryPanel(Theme& theme, QWidget* parent)
    : QWidget(parent), m_name(new QLineEdit), m_list(new QListWidget), m_difference(new QPlainTextEdit),
      m_restore(makeButton(tr("Go back to this version"), tr("What stands in the editor is kept as a version first"))),
      m_empty(makeText(theme, tr("No version is kept yet. Every run keeps one; a name makes it easy to find."),
                       TextStyle::Body, QStringLiteral("muted")))
{
    setAccessibleName(tr("Versions"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    auto* row = new QHBoxLayout;
    m_name->setAccessibleName(tr("Name of the version"));
    m_name->setPlaceholderText(tr("Name of this version"));
    m_name->setMaxLength(80);
    QPushButton* keep = makeButton(tr("Keep"), tr("Keeps the text as it is now under this name (Ctrl+S)"));
    row->addWidget(m_name, 1);
    row->addWidget(keep);
    column->addLayout(row);
    column->addWidget(m_empty);
    m_list->setAccessibleName(tr("Kept versions"));
    useRowHeight(theme, m_list);
    column->addWidget(m_list, 1);
    column->addWidget(makeText(theme, tr("From that version to now"), TextStyle::Strong));
    m_difference->setReadOnly(true);
    m_difference->setTabChangesFocus(true);
    m_difference->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_difference->setAccessibleName(tr("Difference between the chosen version and the text now"));
    const auto restyle = [this, &theme] { m_difference->setFont(theme.font(TextStyle::Code)); };
    restyle();
    connect(&theme, &Theme::changed, this, restyle);
    column->addWidget(m_difference, 1);
    column->addWidget(m_restore, 0, Qt::AlignLeft);
    const auto wanted = [this] {
        Q_EMIT keepWanted(m_name->text().trimmed());
        m_name->clear();
    };
    connect(keep, &QPushButton::clicked, this, wanted);
    connect(m_name, &QLineEdit::returnPressed, this, wanted);
    connect(m_list, &QListWidget::currentRowChanged, this, &HistoryPanel::follow);
    connect(m_restore, &QPushButton::clicked, this, [this] {
        const int at = m_list->currentRow();
        if (at >= 0)
            Q_EMIT restoreWanted(QString::fromStdString(m_versions[std::size_t(at)].id));
    });
    follow();
}

void HistoryPanel::setHistory(const KernelHistory& history, const QString& textNow)
{
    m_now = textNow;
    m_versions.assign(history.versions().rbegin(), history.versions().rend());
    const QSignalBlocker quiet(m_list);
    const int row = std::max(0, m_list->currentRow());
    m_list->clear();
    for (const KernelVersion& version : m_versions) {
        const KernelScore* counted = nullptr;
        for (const KernelScore& score : history.scores())
            if (score.version == version.id)
                counted = &score;
        const QString name = version.name.empty() ? tr("Run") : QString::fromStdString(version.name);
        m_list->addItem(QStringLiteral("%1 — %2%3").arg(name, readableTime(version.at), countText(counted)));
    }
    m_list->setCurrentRow(std::min(row, m_list->count() - 1));
    follow();
}

void HistoryPanel::setTextNow(const QString& text)
{
    m_now = text;
    follow();
}

void HistoryPanel::follow()
{
    const int at = m_list->currentRow();
    const bool chosen = at >= 0 && at < int(m_versions.size());
    m_empty->setVisible(m_versions.empty());
    m_list->setVisible(!m_versions.empty());
    const QString then = chosen ? QString::fromStdString(m_versions[std::size_t(at)].text) : QString();
    const QString difference = chosen ? differenceOf(then, m_now) : QString();
    m_difference->setPlainText(!chosen ? QString() : difference.isEmpty() ? tr("Nothing differs.") : difference);
    m_restore->setEnabled(chosen && !difference.isEmpty());
}

QString HistoryPanel::difference() const
{
    return m_difference->toPlainText();
}

} // namespace ridge::app

#include "moc_history_panel.cpp"
