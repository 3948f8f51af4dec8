// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/reason_picker.h"

#include "app/lesson/reader/choice_row.h"

#include <QAbstractButton>
#include <QBoxLayout>
#include <QButtonGroup>
#include <QLineEdit>

namespace ridge::app {

namespace {
const QString kRight = QStringLiteral("right");
const QString kOther = QStringLiteral("other");
} // namespace

ReasonPicker::ReasonPicker(const ReaderContext& context, const lessons::PredictBlock& block, QWidget* parent)
    : QWidget(parent), m_context(context), m_block(block), m_group(new QButtonGroup(this)),
      m_other(new QLineEdit(this)), m_explains(new AuthorLabel(context, {}, TextStyle::Body, "", this)),
      m_problem(new ThemedLabel(context.theme(), {}, TextStyle::Caption, "error", this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    column->addWidget(
        new ThemedLabel(context.theme(), tr("What did your prediction assume?"), TextStyle::Strong, "", this));
    for (const auto& wrong : block.misconceptions)
        addOption(QString::fromStdString(wrong.id), wrong.says);
    addOption(kRight, tr("Just what happened; at most the number was off").toStdString());
    addOption(kOther, tr("Something else").toStdString());
    m_other->setObjectName(QStringLiteral("otherReason"));
    m_other->setAccessibleName(tr("What your prediction assumed"));
    m_other->setPlaceholderText(tr("In one line"));
    m_other->setVisible(false);
    column->addWidget(m_other);
    column->addSpacing(space::s);
    column->addWidget(m_explains);
    column->addWidget(m_problem);
    m_explains->setObjectName(QStringLiteral("reasonExplains"));
    m_explains->setVisible(false);
    m_problem->setVisible(false);
    connect(m_other, &QLineEdit::editingFinished, this, [this] {
        if (!m_other->text().trimmed().isEmpty() && m_other->isModified()) {
            m_other->setModified(false);
            choose(kOther);
        }
    });
}

void ReasonPicker::addOption(const QString& id, const std::string& text)
{
    auto* row = new ChoiceRow(m_context, text, this);
    row->button()->setObjectName(QStringLiteral("reason:") + id);
    m_group->addButton(row->button());
    layout()->addWidget(row);
    connect(row->button(), &QAbstractButton::clicked, this, [this, id] {
        if (id == kOther) {
            showChoice(id, m_other->text());
            m_other->setFocus(Qt::OtherFocusReason);
        } else {
            choose(id);
        }
    });
}

void ReasonPicker::setPrediction(const std::string& predictionId)
{
    m_prediction = predictionId;
    if (const auto reason = m_context.state.reason(predictionId))
        showChoice(QString::fromStdString(reason->choice), QString::fromStdString(reason->text));
}

void ReasonPicker::choose(const QString& id)
{
    record::ReasonRow row;
    row.predictionId = m_prediction;
    row.choice = id.toStdString();
    row.text = id == kOther ? m_other->text().trimmed().toStdString() : std::string();
    m_context.state.commit(std::move(row), this, [this, id](const Result<std::string>& stored) {
        m_problem->setVisible(!stored.ok());
        if (stored)
            showChoice(id, m_other->text());
        else
            m_problem->setText(QString::fromStdString(toText(stored.error())));
    });
}

void ReasonPicker::showChoice(const QString& id, const QString& text)
{
    for (QAbstractButton* button : m_group->buttons())
        if (button->objectName() == QStringLiteral("reason:") + id)
            button->setChecked(true);
    m_other->setVisible(id == kOther);
    if (id == kOther && m_other->text() != text)
        m_other->setText(text);
    std::string explains;
    for (const auto& wrong : m_block.misconceptions)
        if (QString::fromStdString(wrong.id) == id)
            explains = wrong.explains;
    // What the authors say to it tells the result as well.
    for (const Outcome outcome : {Outcome::Explanation, Outcome::Prediction})
        if (const QString held = m_context.state.held(outcome); !explains.empty() && !held.isEmpty())
            explains = tr("Your reason is stored. %1").arg(held).toStdString();
    m_explains->setMarkdown(explains);
    m_explains->setVisible(!explains.empty());
}

} // namespace ridge::app

#include "moc_reason_picker.cpp"
