// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/hint_panel.h"

#include "app/ui/icons.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

HintPanel::HintPanel(Theme& theme, bool links, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_links(links), m_column(new QVBoxLayout(this))
{
    setAccessibleName(tr("Level and hints"));
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::m);
}

void HintPanel::clear()
{
    while (QLayoutItem* item = m_column->takeAt(0)) {
        if (QWidget* old = item->widget()) {
            old->hide();
            old->deleteLater();
        }
        delete item;
    }
    m_hints = 0;
}

void HintPanel::showHeld(const QString& reason)
{
    clear();
    auto* card = new Card(tr("What a reader could hold against it"));
    card->column()->addWidget(makeLabel(m_theme, tr("What a reader could hold against it"), TextStyle::Strong));
    card->column()->addWidget(makeText(m_theme, reason, TextStyle::Body, QStringLiteral("hint")));
    m_column->addWidget(card);
    m_column->addStretch(1);
}

void HintPanel::show(int claimedLevel, const std::vector<TrustRung>& rungs, const std::vector<ClaimHint>& hints)
{
    clear();
    m_hints = static_cast<int>(hints.size());

    auto* level = new Card(tr("Level"));
    const int supported = supportedLevel(rungs);
    level->column()->addWidget(
        makeLabel(m_theme, supported > 0 ? tr("Evidence for level %1 of 5").arg(supported) : tr("No evidence yet"),
                  TextStyle::Strong));
    if (claimedLevel > supported)
        level->column()->addWidget(
            makeText(m_theme, tr("It says level %1.").arg(claimedLevel), TextStyle::Body, QStringLiteral("warn")));
    for (const TrustRung& rung : rungs) {
        const bool met = rung.level <= supported;
        const QString line = tr("%1 · %2").arg(rung.level).arg(text(rung.asks));
        QLabel* label = makeText(m_theme, (met ? QStringLiteral("✓ ") : QStringLiteral("○ ")) + line,
                                 TextStyle::Caption, met ? QStringLiteral("ok") : QStringLiteral("hint"));
        label->setAccessibleName(met ? tr("Met: %1").arg(line) : tr("Not met: %1").arg(line));
        level->column()->addWidget(label);
    }
    if (supported < 5) {
        const TrustRung& next = rungs[static_cast<std::size_t>(supported)];
        level->column()->addWidget(
            makeText(m_theme, tr("For level %1: %2").arg(next.level).arg(text(next.missing)), TextStyle::Body));
        addLink(level->column(), text(next.field), text(next.missing));
    }
    m_column->addWidget(level);

    auto* claims = new Card(tr("Hints"));
    claims->column()->addWidget(makeLabel(
        m_theme, hints.empty() ? tr("No weak claim found") : tr("What a reader could ask"), TextStyle::Strong));
    if (hints.empty())
        claims->column()->addWidget(
            makeText(m_theme, tr("Numbers have units, something to be set against, a spread and a machine."),
                     TextStyle::Caption, QStringLiteral("hint")));
    for (const ClaimHint& hint : hints) {
        claims->column()->addWidget(makeText(m_theme, text(hint.says), TextStyle::Body));
        claims->column()->addWidget(makeText(m_theme, text(hint.fix), TextStyle::Caption, QStringLiteral("muted")));
        addLink(claims->column(), text(hint.field), text(hint.fix));
    }
    m_column->addWidget(claims);
    m_column->addStretch(1);
}

void HintPanel::addLink(QVBoxLayout* column, const QString& field, const QString& help)
{
    if (!m_links || field == QLatin1String("reproduce"))
        return;
    QPushButton* add = makeButton(tr("Add it"), help);
    add->setFlat(true);
    add->setAccessibleName(tr("Add it: %1").arg(help));
    connect(add, &QPushButton::clicked, this, [this, field] { Q_EMIT fieldAsked(field); });
    auto* row = new QHBoxLayout;
    row->addWidget(add);
    row->addStretch(1);
    column->addLayout(row);
}

} // namespace ridge::app

#include "moc_hint_panel.cpp"
