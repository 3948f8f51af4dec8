// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/facts.h"

#include "app/ui/panels.h"

#include <QGridLayout>
#include <QPainter>

namespace ridge::app {

namespace {

constexpr int kLongestWord = 24;
// Widths at 100 % text from which on notes stand beside values, and values beside names.
constexpr int kLeastWide = 340, kLeastBeside = 240;

constexpr QChar kMayBreak(0x200b); // zero width space

bool parts(QChar sign)
{
    return sign == QLatin1Char('/') || sign == QLatin1Char('\\');
}

/// A digest of 64 digits would make everything as wide as itself: of such a word both ends are shown. In a path that
/// holds for each name, and a line may end behind it.
QString shortened(const QString& value)
{
    QString made, word;
    const auto end = [&] {
        made += word.size() > kLongestWord
                    ? word.left(kLongestWord / 2) + QStringLiteral("…") + word.right(kLongestWord / 2 - 2)
                    : word;
        word.clear();
    };
    for (const QChar sign : value) {
        if (!sign.isSpace() && !parts(sign)) {
            word += sign;
            continue;
        }
        end();
        made += sign;
        if (parts(sign))
            made += kMayBreak;
    }
    end();
    return made;
}

} // namespace

FactTable::FactTable(Theme& theme, const QString& accessibleName, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_grid(new QGridLayout(this))
{
    setAccessibleName(accessibleName);
    m_grid->setContentsMargins(0, space::xs, 0, space::xs);
    m_grid->setHorizontalSpacing(space::l);
    m_grid->setVerticalSpacing(space::s + 1);
    m_grid->setColumnStretch(1, 3);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void FactTable::addRow(const QString& name, const QString& value, const QString& note, QWidget* badge,
                       const QString& help)
{
    QLabel* title = makeText(m_theme, name, TextStyle::Body, QStringLiteral("muted"));
    QLabel* shown = makeText(m_theme, shortened(value));
    QLabel* extra = note.isEmpty() ? nullptr : makeText(m_theme, note, TextStyle::Body, QStringLiteral("hint"));
    shown->setAccessibleName(QStringLiteral("%1: %2").arg(name, value));
    title->setToolTip(help);
    shown->setToolTip(help.isEmpty() && shown->text() != value ? value : help);
    if (extra)
        extra->setToolTip(help);
    title->setMaximumWidth(m_theme.scaled(220));
    m_rows.push_back({title, shown, extra, badge});
    place(m_rows.back(), int(m_rows.size()) - 1);
}

/// Name, value and note stand side by side, or below each other where there is no room for that.
void FactTable::place(const Row& row, int index)
{
    row.title->setMinimumWidth(m_room == Room::Little ? 0 : m_theme.scaled(m_room == Room::Some ? 100 : m_nameRoom));
    if (m_room == Room::Little) {
        m_grid->addWidget(row.title, 3 * index, 0, 1, 3, Qt::AlignTop);
        m_grid->addWidget(row.value, 3 * index + 1, 0, 1, 3, Qt::AlignTop);
        if (row.note)
            m_grid->addWidget(row.note, 3 * index + 2, 0, 1, 3, Qt::AlignTop);
    } else {
        m_grid->addWidget(row.title, 3 * index, 0, Qt::AlignTop);
        m_grid->addWidget(row.value, 3 * index, 1, Qt::AlignTop);
        if (row.note && m_room == Room::Some) {
            m_grid->addWidget(row.note, 3 * index + 1, 1, Qt::AlignTop);
        } else if (row.note) {
            m_grid->addWidget(row.note, 3 * index, 2, Qt::AlignTop);
            m_grid->setColumnStretch(2, 2); // no room is kept for notes that nobody wrote
        }
    }
    if (row.badge)
        m_grid->addWidget(row.badge, 3 * index, 3, Qt::AlignTop | Qt::AlignRight);
}

void FactTable::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const Room room = width() < m_theme.scaled(kLeastBeside) ? Room::Little
                      : width() < m_theme.scaled(kLeastWide) ? Room::Some
                                                             : Room::Enough;
    if (std::exchange(m_room, room) != room) {
        for (const Row& row : m_rows)
            for (QWidget* part : {static_cast<QWidget*>(row.title), static_cast<QWidget*>(row.value),
                                  static_cast<QWidget*>(row.note), row.badge})
                if (part)
                    m_grid->removeWidget(part);
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            place(m_rows[i], int(i));
        updateGeometry();
    }
}

QSize FactTable::minimumSizeHint() const
{
    int least = 0;
    for (const Row& row : m_rows)
        for (const QLabel* label : {row.title, row.value, row.note})
            least = std::max(least, label ? label->minimumSizeHint().width() : 0);
    return {least, m_grid->totalMinimumSize().height()};
}

void FactTable::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(m_theme.color(Role::Border), 1));
    for (std::size_t i = 0; i + 1 < m_rows.size(); ++i) {
        int bottom = 0;
        for (const QWidget* part : {static_cast<QWidget*>(m_rows[i].title), static_cast<QWidget*>(m_rows[i].value),
                                    static_cast<QWidget*>(m_rows[i].note), m_rows[i].badge})
            bottom = std::max(bottom, part ? part->geometry().bottom() : 0);
        const int y = (bottom + m_rows[i + 1].title->geometry().top() + 1) / 2;
        painter.drawLine(0, y, width(), y);
    }
}

} // namespace ridge::app

#include "moc_facts.cpp"
