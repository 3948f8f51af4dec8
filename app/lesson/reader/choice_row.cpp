// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/choice_row.h"

#include <QGridLayout>
#include <QMouseEvent>
#include <QRadioButton>

namespace ridge::app {

ChoiceRow::ChoiceRow(const ReaderContext& context, const std::string& text, QWidget* parent)
    : QWidget(parent), m_button(new QRadioButton(this)), m_note(new AuthorLabel(context, {}, TextStyle::Body, "", this))
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(space::xs, 2, 0, 2); // room for the focus ring
    grid->setHorizontalSpacing(space::xs);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(1, 1);
    auto* label = new AuthorLabel(context, text, TextStyle::Body, "", this);
    label->setContentsMargins(0, 4, 0, 4); // first line level with the button
    grid->addWidget(m_button, 0, 0, Qt::AlignTop);
    grid->addWidget(label, 0, 1);
    grid->addWidget(m_note, 1, 1);
    m_button->setAccessibleName(label->plain());
    m_note->setVisible(false);
}

void ChoiceRow::setNote(const std::string& text, const char* tone)
{
    m_note->setMarkdown(text);
    m_note->setTone(tone);
    m_note->setVisible(!text.empty());
    m_button->setAccessibleDescription(m_note->plain());
}

void ChoiceRow::mouseReleaseEvent(QMouseEvent* event)
{
    if (rect().contains(event->pos()) && m_button->isEnabled())
        m_button->click();
}

} // namespace ridge::app

#include "moc_choice_row.cpp"
