// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/compare/pin_strip.h"

#include "app/runs/compare/comparison.h"
#include "app/ui/elided_label.h"
#include "app/ui/icons.h"
#include "app/ui/panels.h"

#include <QGridLayout>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kCardWidth = 272;

} // namespace

PinStrip::PinStrip(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_grid(new QGridLayout(this))
{
    setAccessibleName(tr("Pinned runs"));
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::s);
    connect(&context.pins(), &PinBoard::changed, this, &PinStrip::rebuild);
    connect(&context.theme(), &Theme::changed, this, [this] {
        m_columns = 0;
        arrange();
    });
    rebuild();
}

QWidget* PinStrip::makeCard(const Pin& pin, bool baseline)
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Pin %1: %2").arg(pin.letter, pin.name));
    card->setToolTip(originLine(pin));
    QVBoxLayout* column = card->column();
    column->setContentsMargins(space::m, space::s, space::s, space::s);
    column->setSpacing(0);

    auto* head = new QHBoxLayout;
    head->setSpacing(space::s);
    head->addWidget(makeLabel(theme, pin.letter, TextStyle::ReadH3));
    head->addWidget(new ElidedLabel(theme, pin.name, TextStyle::Strong), 1);
    auto* badge = new ProvenanceBadge(theme);
    badge->setProvenance(pin.runs.front().provenance);
    head->addWidget(badge);
    auto* close = new QToolButton;
    setThemedIcon(theme, close, QStringLiteral("close"));
    close->setAccessibleName(tr("Unpin %1").arg(pin.letter));
    close->setToolTip(tr("Unpin; the runs stay in the store"));
    connect(close, &QToolButton::clicked, this, [this, key = pin.key] {
        // Not from inside the button that goes with it.
        QMetaObject::invokeMethod(
            &m_context.pins(), [board = &m_context.pins(), key] { board->remove(key); }, Qt::QueuedConnection);
    });
    head->addWidget(close);
    column->addLayout(head);

    auto* foot = new QHBoxLayout;
    foot->setSpacing(space::s);
    foot->addWidget(new ElidedLabel(theme, originLine(pin), TextStyle::Caption, QStringLiteral("muted")), 1);
    if (baseline) {
        foot->addWidget(makeLabel(theme, tr("baseline"), TextStyle::Caption, QStringLiteral("hint")));
        foot->addSpacing(space::s);
    } else {
        auto* base = new QToolButton;
        base->setText(tr("Make baseline"));
        base->setAccessibleName(tr("Make %1 the baseline").arg(pin.letter));
        base->setToolTip(tr("The others are compared with it"));
        connect(base, &QToolButton::clicked, this, [this, key = pin.key] {
            QMetaObject::invokeMethod(
                &m_context.pins(), [board = &m_context.pins(), key] { board->setBaseline(key); }, Qt::QueuedConnection);
        });
        foot->addWidget(base);
    }
    column->addLayout(foot);
    return card;
}

void PinStrip::rebuild()
{
    qDeleteAll(m_cards);
    m_cards.clear();
    for (const Pin& pin : m_context.pins().pins())
        m_cards << makeCard(pin, m_cards.isEmpty());
    m_columns = 0;
    arrange();
    setVisible(!m_cards.isEmpty());
}

void PinStrip::arrange()
{
    const int wide = m_context.theme().scaled(kCardWidth) + space::s;
    const int columns = std::clamp((width() + space::s) / wide, 1, std::max(1, static_cast<int>(m_cards.size())));
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (int i = 0; i < m_cards.size(); ++i)
        m_grid->addWidget(m_cards[i], i / columns, i % columns);
    for (int column = 0; column < m_grid->columnCount(); ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
}

void PinStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace ridge::app

#include "moc_pin_strip.cpp"
