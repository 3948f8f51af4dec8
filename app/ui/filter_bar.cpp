// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/filter_bar.h"

#include "app/ui/elided_box.h"
#include "app/ui/panels.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>

namespace ridge::app {
namespace {

/// So much of the field for words is left, at 100 %, before the pickers get a row of their own.
constexpr int kWordsWidth = 240;
/// And no more than that: nobody types a line across a large screen.
constexpr int kMostWords = 640;

} // namespace

FilterBar::FilterBar(Theme& theme, const QString& textName, const QString& placeholder, QWidget* parent)
    : QWidget(parent), m_rows(new QBoxLayout(QBoxLayout::LeftToRight, this)), m_words(new QWidget),
      m_controls(new QWidget), m_pickers(new QHBoxLayout(m_controls)), m_text(new QLineEdit),
      m_count(makeLabel(theme, {}, TextStyle::Body, QStringLiteral("muted")))
{
    setAccessibleName(tr("Filters"));
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(space::s);
    m_words->setAccessibleName(textName);
    auto* words = new QHBoxLayout(m_words);
    words->setContentsMargins(0, 0, 0, 0);
    words->addWidget(m_text);
    m_text->setPlaceholderText(placeholder);
    m_text->setAccessibleName(textName);
    m_text->setClearButtonEnabled(true);
    m_text->setMinimumWidth(80);
    connect(m_text, &QLineEdit::textChanged, this, &FilterBar::changed);
    m_controls->setAccessibleName(tr("Choices of the filter"));
    m_pickers->setContentsMargins(0, 0, 0, 0);
    m_pickers->setSpacing(space::s);
    m_pickers->addStretch(1);
    m_pickers->addWidget(m_count);
    m_rows->addWidget(m_words, 1);
    m_rows->addWidget(m_controls);
}

QComboBox* FilterBar::addPicker(const QString& name, const QString& all)
{
    auto* picker = new ElidedBox;
    picker->setAccessibleName(name);
    picker->setToolTip(name);
    picker->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    picker->setMinimumContentsLength(6);
    picker->addItem(all, QString());
    connect(picker, &QComboBox::currentIndexChanged, this, &FilterBar::changed);
    m_all.push_back(picker);
    addControl(picker);
    return picker;
}

void FilterBar::fill(QComboBox* picker, const std::vector<std::pair<QString, QString>>& values)
{
    const QString chosen = picker->currentData().toString();
    {
        const QSignalBlocker quiet(picker);
        while (picker->count() > 1)
            picker->removeItem(picker->count() - 1);
        for (const auto& [shown, value] : values)
            picker->addItem(shown, value);
        picker->setCurrentIndex(std::max(0, picker->findData(chosen)));
    }
    if (picker->currentData().toString() != chosen)
        Q_EMIT changed();
    arrange();
}

void FilterBar::fill(QComboBox* picker, const QStringList& values)
{
    std::vector<std::pair<QString, QString>> pairs;
    for (const QString& value : values)
        pairs.emplace_back(value, value);
    fill(picker, pairs);
}

void FilterBar::addControl(QWidget* control)
{
    m_pickers->insertWidget(m_pickers->count() - 2, control); // before stretch and count
    arrange();
}

void FilterBar::setCount(const QString& words)
{
    m_count->setText(words);
    arrange();
}

QString FilterBar::countText() const
{
    return m_count->text();
}

void FilterBar::clear()
{
    for (QComboBox* picker : m_all)
        picker->setCurrentIndex(0);
    m_text->clear();
    m_text->setFocus(Qt::OtherFocusReason);
}

void FilterBar::arrange()
{
    const auto scaled = [this](int pixels) { return pixels * fontMetrics().height() / 17; }; // grows with the text
    const bool wide = m_controls->sizeHint().width() + scaled(kWordsWidth) + space::s <= width();
    m_words->setMaximumWidth(wide ? scaled(kMostWords) : QWIDGETSIZE_MAX);
    m_rows->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void FilterBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void FilterBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        arrange();
}

} // namespace ridge::app

#include "moc_filter_bar.cpp"
