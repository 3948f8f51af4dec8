// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/feedback_fields.h"

#include "app/ui/panels.h"
#include "app/ui/targets.h"

#include <QComboBox>
#include <QGridLayout>

namespace ridge::app {

using classroom::FeedbackWhen;

QString heldBackBy(const std::string& step)
{
    static const std::map<std::string, const char*> words = {
        {"predicted", QT_TRANSLATE_NOOP("FeedbackFields", "How far predictions were off")},
        {"ran", QT_TRANSLATE_NOOP("FeedbackFields", "What runs gave")},
        {"passed", QT_TRANSLATE_NOOP("FeedbackFields", "Which checks passed, which answers are right")},
        {"shipped", QT_TRANSLATE_NOOP("FeedbackFields", "What the artifact lacks")},
        {"explained", QT_TRANSLATE_NOOP("FeedbackFields", "What the authors say to a reason")}};
    const auto found = words.find(step);
    return found == words.end() ? QString::fromStdString(step)
                                : QCoreApplication::translate("FeedbackFields", found->second);
}

FeedbackFields::FeedbackFields(Theme& theme, QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("When learners see what came of each step"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::m);
    grid->setVerticalSpacing(space::xs);
    int row = 0;
    for (const std::string& step : classroom::steps()) {
        QLabel* label = makeText(theme, heldBackBy(step));
        auto* box = new QComboBox;
        box->setObjectName(QStringLiteral("feedback-") + QString::fromStdString(step));
        box->addItem(tr("at once"), int(FeedbackWhen::Now));
        box->addItem(tr("after the deadline"), int(FeedbackWhen::Deadline));
        box->addItem(tr("never"), int(FeedbackWhen::Never));
        box->setAccessibleName(heldBackBy(step));
        label->setBuddy(box);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        grid->addWidget(label, row, 0);
        grid->addWidget(box, row++, 1);
        m_fields[step] = box;
    }
    grid->setColumnStretch(0, 1);
}

std::map<std::string, FeedbackWhen> FeedbackFields::policy() const
{
    std::map<std::string, FeedbackWhen> policy;
    for (const auto& [step, box] : m_fields)
        if (const auto when = FeedbackWhen(box->currentData().toInt()); when != FeedbackWhen::Now)
            policy[step] = when;
    return policy;
}

void FeedbackFields::setDeadline(bool there)
{
    for (const auto& each : m_fields) {
        QComboBox* box = each.second;
        const int after = box->findData(int(FeedbackWhen::Deadline));
        setItemEnabled(box, after, there, tr("There is no deadline"));
        if (!there && box->currentIndex() == after)
            box->setCurrentIndex(0);
    }
}

QComboBox* FeedbackFields::field(const std::string& step) const
{
    const auto found = m_fields.find(step);
    return found == m_fields.end() ? nullptr : found->second;
}

} // namespace ridge::app

#include "moc_feedback_fields.cpp"
