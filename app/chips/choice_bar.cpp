// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/choice_bar.h"

#include "app/drawing/charts/series_marker.h"
#include "app/ui/icons.h"
#include "app/ui/panels.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace ridge::app {
namespace {

constexpr int kTagWidth = 252;

/// The mark that the chip's curve has in the chart.
class Swatch : public QWidget {
public:
    Swatch(Theme& theme, int index) : m_theme(theme), m_index(index)
    {
        setFixedSize(theme.scaled(14), theme.scaled(14));
        QObject::connect(&theme, &Theme::changed, this, [this] {
            setFixedSize(m_theme.scaled(14), m_theme.scaled(14));
            update();
        });
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setBackground(m_theme.color(Role::Surface));
        paintSeriesMarker(painter, QRectF(rect()).center(), m_theme.scaled(10), m_theme.series(m_index), m_index,
                          Provenance::Modelled);
    }

private:
    Theme& m_theme;
    int m_index;
};

} // namespace

ChoiceBar::ChoiceBar(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_tagRow(new QHBoxLayout),
      m_hint(makeText(theme, tr("Tick two to four chips to compare them: Space on a row."), TextStyle::Body,
                      QStringLiteral("hint"))),
      m_compare(makeButton(tr("Compare"), tr("Their figures side by side, with ratios and sources"), true)),
      m_clear(makeButton(tr("Clear"), tr("Takes all chips out of the comparison")))
{
    setAccessibleName(tr("Chips that are chosen"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_hint, 1000);
    m_tagRow->setContentsMargins(0, 0, 0, 0);
    m_tagRow->setSpacing(space::s);
    row->addLayout(m_tagRow);
    row->addStretch(1);
    row->addWidget(m_compare);
    row->addWidget(m_clear);
    connect(m_compare, &QPushButton::clicked, this, &ChoiceBar::compared);
    connect(m_clear, &QPushButton::clicked, this, &ChoiceBar::cleared);
    connect(&theme, &Theme::changed, this, [this] {
        m_tagWidth = 0;
        arrange();
    });
    show({});
}

QWidget* ChoiceBar::makeTag(const Entry& entry, int index, int width)
{
    auto* tag = new Card(entry.name);
    tag->setFixedWidth(width);
    auto* row = new QHBoxLayout;
    tag->column()->setContentsMargins(space::s, 0, 0, 0);
    row->setSpacing(space::xs);
    row->addWidget(new Swatch(m_theme, index));
    const QString shown = QFontMetrics(m_theme.font(TextStyle::Body))
                              .elidedText(entry.name, Qt::ElideRight, width - m_theme.scaled(14 + 28) - 34);
    if (index == 0) {
        QLabel* first = makeLabel(m_theme, shown, TextStyle::Body);
        first->setToolTip(tr("%1: the others are set against it").arg(entry.name));
        first->setContentsMargins(space::xs, 0, 0, 0);
        row->addWidget(first);
    } else {
        auto* name = new QToolButton;
        name->setText(shown);
        name->setAccessibleName(tr("Set the others against %1").arg(entry.name));
        name->setToolTip(name->accessibleName());
        // Not from inside the button that goes with it.
        connect(name, &QToolButton::clicked, this, [this, id = entry.id] {
            QMetaObject::invokeMethod(
                this, [this, id] { Q_EMIT madeFirst(id); }, Qt::QueuedConnection);
        });
        row->addWidget(name);
    }
    row->addStretch(1);
    auto* close = new QToolButton;
    setThemedIcon(m_theme, close, QStringLiteral("close"));
    close->setAccessibleName(tr("Take %1 out").arg(entry.name));
    close->setToolTip(close->accessibleName());
    connect(close, &QToolButton::clicked, this, [this, id = entry.id] {
        QMetaObject::invokeMethod(
            this, [this, id] { Q_EMIT removed(id); }, Qt::QueuedConnection);
    });
    row->addWidget(close);
    tag->column()->addLayout(row);
    return tag;
}

void ChoiceBar::show(const std::vector<Entry>& entries)
{
    m_entries = entries;
    m_hint->setVisible(entries.empty());
    m_compare->setEnabled(entries.size() > 1);
    m_clear->setEnabled(!entries.empty());
    m_tagWidth = 0;
    arrange();
}

void ChoiceBar::setCompareShown(bool shown)
{
    m_compare->setVisible(shown);
    arrange();
}

void ChoiceBar::arrange()
{
    const int count = std::max(1, static_cast<int>(m_entries.size()));
    const int buttons = m_clear->sizeHint().width() +
                        (m_compare->isVisibleTo(this) ? m_compare->sizeHint().width() + space::s : 0) + space::s;
    const int room = (width() - buttons) / count - space::s;
    const int wide = std::max(m_theme.scaled(80), std::min(m_theme.scaled(kTagWidth), room));
    if (wide == m_tagWidth)
        return;
    m_tagWidth = wide;
    qDeleteAll(m_tags);
    m_tags.clear();
    for (const Entry& entry : m_entries) {
        m_tags << makeTag(entry, static_cast<int>(m_tags.size()), wide);
        m_tagRow->addWidget(m_tags.back());
    }
}

void ChoiceBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace ridge::app

#include "moc_choice_bar.cpp"
