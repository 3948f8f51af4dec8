// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/shortcut_editor.h"

#include "app/theme/announce.h"
#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"
#include "app/window/shortcut_sheet.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridge::app {

void ShortcutField::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    if (key == Qt::Key_Escape && modifiers == Qt::NoModifier)
        return event->ignore();
    if (key == Qt::Key_unknown || key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt ||
        key == Qt::Key_Meta || key == Qt::Key_AltGr || key == Qt::Key_CapsLock)
        return;
    if ((key == Qt::Key_Backspace || key == Qt::Key_Delete) && modifiers == Qt::NoModifier)
        return Q_EMIT chosen({});
    // "?" is a key of its own, whatever must be held to get it.
    if (!event->text().isEmpty() && event->text().at(0).isPrint() && !event->text().at(0).isLetter())
        modifiers &= ~Qt::ShiftModifier;
    Q_EMIT chosen(QKeySequence(QKeyCombination(modifiers, static_cast<Qt::Key>(key))));
}

void ShortcutField::keyReleaseEvent(QKeyEvent* event)
{
    event->accept(); // the stock one starts its timer here
}

ShortcutEditor::ShortcutEditor(Theme& theme, ActionRegistry& actions, QWidget* window)
    : Overlay(theme, tr("Change keyboard shortcuts"), QSize(860, 680), window), m_actions(actions),
      m_filter(new QLineEdit), m_scroll(new StillScroll),
      m_plain(new QCheckBox(tr("Single-letter keys, such as J and K")))
{
    column()->setContentsMargins(space::xl, space::l, space::s, space::l);
    column()->addWidget(makeLabel(theme, tr("Change keyboard shortcuts"), TextStyle::ReadH2));
    column()->addWidget(makeText(theme,
                                 tr("Go to a field and press the new keys; Backspace leaves a command without. "
                                    "Changes hold at once."),
                                 TextStyle::Body, QStringLiteral("muted")));
    m_filter->setPlaceholderText(tr("Filter by name or key"));
    m_filter->setAccessibleName(tr("Filter commands"));
    m_filter->setClearButtonEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, &ShortcutEditor::applyFilter);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(0, 0, space::l, 0);
    top->addWidget(m_filter, 1);
    column()->addLayout(top);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Commands and their keys"));
    column()->addWidget(m_scroll, 1);
    m_message = makeText(theme, {}, TextStyle::Body, QStringLiteral("error"));
    column()->addWidget(m_message);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(0, 0, space::l, 0);
    m_plain->setAccessibleName(m_plain->text());
    m_plain->setToolTip(tr("They act only while no text field has the focus; switch them off if they get in the way"));
    connect(m_plain, &QCheckBox::toggled, this, [this](bool on) {
        if (!m_filling)
            m_actions.setPlainKeys(on);
    });
    foot->addWidget(m_plain, 1);
    QPushButton* all = makeButton(tr("Reset all"), tr("Puts every shortcut back to what it was at first"));
    connect(all, &QPushButton::clicked, this, [this] {
        m_actions.resetShortcuts();
        refresh();
    });
    foot->addWidget(all);
    QPushButton* done = makeButton(tr("Done"), tr("Closes this card (Esc in the filter)"), true);
    connect(done, &QPushButton::clicked, this, [this] { close(); });
    foot->addWidget(done);
    column()->addLayout(foot);
}

QWidget* ShortcutEditor::firstFocus()
{
    return m_filter;
}

void ShortcutEditor::aboutToOpen()
{
    build();
    m_filter->clear();
    m_message->clear();
    refresh();
}

void ShortcutEditor::build()
{
    m_rows.clear();
    auto* holder = new QWidget;
    holder->setAccessibleName(tr("Commands and their keys"));
    auto* grid = new QGridLayout(holder);
    grid->setContentsMargins(0, 0, space::l, 0);
    grid->setHorizontalSpacing(space::m);
    grid->setVerticalSpacing(space::s);
    grid->setColumnStretch(0, 1);
    int at = 0;
    for (const ActionSpec& spec : byMenu(m_actions.specs())) {
        Row row;
        row.id = spec.id;
        const QString title = QString(spec.text).remove(QLatin1Char('&'));
        row.name = makeLabel(theme(), QStringLiteral("%1  ·  %2").arg(spec.menu, title));
        row.name->setToolTip(spec.help);
        row.keys = new ShortcutField;
        row.keys->setAccessibleName(tr("Keys of %1").arg(title));
        if (auto* typed = row.keys->findChild<QLineEdit*>()) // which has the focus, and so is what is spoken
            typed->setAccessibleName(row.keys->accessibleName());
        row.keys->setToolTip(spec.help);
        row.keys->setFixedWidth(theme().scaled(180));
        row.reset = new QToolButton;
        row.reset->setText(tr("Reset"));
        row.reset->setAccessibleName(tr("Reset the keys of %1").arg(title));
        grid->addWidget(row.name, at, 0);
        grid->addWidget(row.keys, at, 1);
        grid->addWidget(row.reset, at, 2);
        connect(row.keys, &ShortcutField::chosen, this,
                [this, id = spec.id](const QKeySequence& keys) { change(id, keys); });
        connect(row.reset, &QToolButton::clicked, this, [this, id = spec.id] {
            const auto put = m_actions.setShortcuts(id, m_actions.defaultShortcuts(id));
            m_message->setText(put ? QString() : QString::fromStdString(toText(put.error())));
            refresh();
        });
        row.words = (spec.menu + u' ' + title + u' ' + spec.help).toLower();
        m_rows.push_back(row);
        ++at;
    }
    grid->setRowStretch(at, 1);
    m_scroll->setWidget(holder); // deletes the one before
    holder->setAutoFillBackground(false);
}

void ShortcutEditor::refresh()
{
    m_filling = true;
    for (const Row& row : m_rows) {
        const QList<QKeySequence> now = m_actions.find(row.id)->shortcuts();
        row.keys->setKeySequence(now.isEmpty() ? QKeySequence() : now.first());
        row.reset->setEnabled(now != m_actions.defaultShortcuts(row.id));
    }
    m_plain->setChecked(m_actions.plainKeys());
    m_filling = false;
}

void ShortcutEditor::change(const QString& id, const QKeySequence& keys)
{
    QList<QKeySequence> all = m_actions.find(id)->shortcuts();
    if (!all.isEmpty())
        all.removeFirst();
    if (!keys.isEmpty())
        all.prepend(keys);
    const auto set = m_actions.setShortcuts(id, all);
    m_message->setText(set ? QString() : QString::fromStdString(toText(set.error())));
    if (!set)
        announce(m_message, m_message->text());
    refresh();
}

void ShortcutEditor::applyFilter()
{
    const QStringList words = m_filter->text().toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const Row& row : m_rows) {
        const QString keys = row.keys->keySequence().toString(QKeySequence::NativeText).toLower();
        const bool shown = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return row.words.contains(word) || keys.contains(word);
        });
        row.name->setVisible(shown);
        row.keys->setVisible(shown);
        row.reset->setVisible(shown);
    }
}

ShortcutField* ShortcutEditor::field(const QString& actionId) const
{
    for (const Row& row : m_rows)
        if (row.id == actionId)
            return row.keys;
    return nullptr;
}

QString ShortcutEditor::message() const
{
    return m_message->text();
}

} // namespace ridge::app

#include "moc_shortcut_editor.cpp"
