// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/tag_field.h"

#include "app/ui/flow_layout.h"
#include "app/ui/icons.h"
#include "app/ui/panels.h"

#include <QCompleter>
#include <QLineEdit>
#include <QToolButton>

namespace ridge::app {
namespace {

constexpr int kFieldWidth = 150;
constexpr int kLongestTag = 64; ///< bytes that a row of the store takes

} // namespace

TagField::TagField(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_flow(new FlowLayout(this)), m_field(new QLineEdit)
{
    setAccessibleName(tr("Tags"));
    QLabel* head = makeLabel(theme, tr("Tags"), TextStyle::Body, QStringLiteral("muted"));
    head->setMinimumHeight(theme.scaled(28));
    m_flow->addWidget(head);
    m_field->setPlaceholderText(tr("Add a tag"));
    m_field->setAccessibleName(tr("Add a tag"));
    m_field->setToolTip(tr("Type a word and press Enter"));
    m_field->setMaxLength(kLongestTag);
    m_field->setFixedWidth(theme.scaled(kFieldWidth));
    m_flow->addWidget(m_field);
    connect(m_field, &QLineEdit::returnPressed, this, &TagField::take);
    connect(&theme, &Theme::changed, this, [this, head] {
        head->setMinimumHeight(m_theme.scaled(28));
        m_field->setFixedWidth(m_theme.scaled(kFieldWidth));
    });
}

void TagField::setSubject(const QString& what)
{
    m_field->setAccessibleName(what.isEmpty() ? tr("Add a tag") : tr("Add a tag to %1").arg(what));
    setEnabled(!what.isEmpty());
}

void TagField::setTags(const QStringList& tags, const QStringList& known)
{
    if (known != m_known) {
        m_known = known;
        delete m_field->completer();
        auto* completer = new QCompleter(known, m_field);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        m_field->setCompleter(completer);
    }
    if (tags == m_tags)
        return;
    // A chip that is taken off has the focus: it goes on to the field.
    const bool inChip = std::any_of(m_chips.begin(), m_chips.end(), [](QWidget* chip) { return chip->hasFocus(); });
    m_tags = tags;
    for (QWidget* chip : std::as_const(m_chips)) {
        m_flow->removeWidget(chip);
        chip->hide();
        chip->deleteLater();
    }
    m_chips.clear();
    m_flow->removeWidget(m_field);
    for (const QString& tag : tags) {
        auto* chip = new QToolButton;
        chip->setText(tag);
        chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        chip->setLayoutDirection(Qt::RightToLeft); // the cross behind the word
        setThemedIcon(m_theme, chip, QStringLiteral("close"));
        chip->setAccessibleName(tr("Take off the tag %1").arg(tag));
        chip->setToolTip(chip->accessibleName());
        chip->setFocusPolicy(Qt::StrongFocus);
        connect(chip, &QToolButton::clicked, this, [this, tag] {
            // Not from inside the button that goes with it.
            QMetaObject::invokeMethod(
                this, [this, tag] { Q_EMIT removed(tag); }, Qt::QueuedConnection);
        });
        m_flow->addWidget(chip);
        chip->show(); // at once: a layout shows it only later, and until then Tab passes it by
        m_chips << chip;
    }
    m_flow->addWidget(m_field);
    QWidget* before = m_field->previousInFocusChain();
    for (QWidget* chip : std::as_const(m_chips)) {
        QWidget::setTabOrder(before, chip);
        before = chip;
    }
    QWidget::setTabOrder(before, m_field);
    if (inChip)
        m_field->setFocus(Qt::OtherFocusReason);
    updateGeometry();
}

void TagField::startTyping()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void TagField::take()
{
    const QString label = m_field->text().simplified();
    if (label.isEmpty())
        return;
    m_field->clear();
    Q_EMIT added(label);
}

} // namespace ridge::app

#include "moc_tag_field.cpp"
