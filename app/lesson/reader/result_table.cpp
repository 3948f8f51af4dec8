// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/result_table.h"

#include "app/drawing/scenes/warp_state_look.h"
#include "app/lesson/reader/chart_data.h"
#include "app/theme/kept_units.h"
#include "app/ui/themed_label.h"
#include "base/units.h"
#include "base/warp_states.h"

#include <QGridLayout>

namespace ridge::app {

ResultTable::ResultTable(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
}

void ResultTable::show(const ExperimentInfo& experiment, const record::RunRow& row, const QString& point)
{
    delete m_content;
    m_content = new QWidget(this);
    auto* grid = new QGridLayout(m_content);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::l);
    grid->setVerticalSpacing(space::xs);
    grid->setColumnStretch(3, 1);
    auto* head = new QHBoxLayout;
    head->setSpacing(space::s);
    head->setContentsMargins(0, 0, 0, space::xs);
    auto* title = new ThemedLabel(m_theme, point, TextStyle::Strong, "", m_content);
    title->setWordWrap(false);
    head->addWidget(title);
    head->addWidget(provenanceBadge(m_theme, row.provenance, m_content));
    head->addWidget(validityBadge(m_theme, row.validity, m_content));
    head->addStretch();
    grid->addLayout(head, 0, 0, 1, 4);
    QStringList spoken{point};
    int at = 1;
    for (const MetricSpec& spec : experiment.metrics) {
        const auto metric = row.metrics.find(spec.name);
        if (metric == row.metrics.end() || isWarpState(spec.name))
            continue;
        const QString name = QString::fromStdString(spec.title);
        const QString value = metricText(metric->second);
        auto* nameLabel = new ThemedLabel(m_theme, name, TextStyle::Body, "muted", m_content);
        nameLabel->setWordWrap(false);
        nameLabel->setToolTip(QString::fromStdString(spec.help));
        grid->addWidget(nameLabel, at, 0);
        auto* valueLabel = new ThemedLabel(m_theme, value, TextStyle::Strong, "", m_content);
        valueLabel->setWordWrap(false);
        valueLabel->setTextInteractionFlags(Qt::TextSelectableByMouse);
        grid->addWidget(valueLabel, at, 1);
        const auto limit = row.limits.find(spec.name);
        if (limit != row.limits.end()) {
            const QString bound = keptUnits(QString::fromStdString(formatQuantity(limit->second.value, spec.unit)));
            grid->addWidget(new ThemedLabel(m_theme,
                                            limit->second.kind == "upper" ? tr("at most %1").arg(bound)
                                                                          : tr("at least %1").arg(bound),
                                            TextStyle::Caption, "hint", m_content),
                            at, 2);
        }
        spoken += name + QLatin1Char(' ') + value;
        ++at;
    }
    if (const QString waits = QString::fromStdString(waitText(row.metrics, 3)); !waits.isEmpty()) {
        const QString name = tr("Warps wait most for");
        grid->addWidget(new ThemedLabel(m_theme, name, TextStyle::Body, "muted", m_content), at, 0);
        auto* label = new ThemedLabel(m_theme, waits, TextStyle::Strong, "", m_content);
        QStringList help;
        for (const WarpState& state : ridge::waits(row.metrics))
            if (help.size() < 3)
                help << stateText(state.state) + QStringLiteral(": ") + stateAdvice(state.state);
        label->setToolTip(help.join(QLatin1Char('\n')));
        grid->addWidget(label, at, 1, 1, 3);
        spoken += name + QLatin1Char(' ') + waits;
        ++at;
    }
    for (const CheckResult& check : row.checks) {
        auto* label =
            new ThemedLabel(m_theme,
                            QStringLiteral("%1 %2: %3")
                                .arg(check.passed ? QChar(0x2713) : QChar(0x2717),
                                     QString::fromStdString(check.name).replace(QLatin1Char('_'), QLatin1Char(' ')),
                                     QString::fromStdString(check.detail)),
                            TextStyle::Caption, check.passed ? "ok" : "error", m_content);
        grid->addWidget(label, at++, 0, 1, 4);
    }
    m_content->setAccessibleName(spoken.join(QStringLiteral(", ")));
    layout()->addWidget(m_content);
}

} // namespace ridge::app

#include "moc_result_table.cpp"
