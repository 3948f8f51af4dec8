// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/choice_pickers.h"

#include "app/ui/panels.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QGridLayout>

namespace ridge::app {

QString backgroundText(Experience background)
{
    switch (background) {
    case Experience::New:
        return QObject::tr("New to GPUs");
    case Experience::Programmer:
        return QObject::tr("I can program");
    case Experience::Cuda:
        return QObject::tr("I have written CUDA");
    }
    return {};
}

QString hoursText(int hoursAWeek)
{
    return hoursAWeek == 1 ? QObject::tr("1 hour a week") : QObject::tr("%1 hours a week").arg(hoursAWeek);
}

QString weeksText(int weeks)
{
    return weeks == 1 ? QObject::tr("1 week") : QObject::tr("%1 weeks").arg(weeks);
}

ChoiceGroup::ChoiceGroup(Theme& theme, const QString& question, const QStringList& answers, const QStringList& helps,
                         int columns, int chosen, QWidget* parent)
    : QWidget(parent), m_group(new QButtonGroup(this))
{
    setAccessibleName(question);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::xs);
    column->addWidget(makeLabel(theme, question, TextStyle::Strong));
    auto* grid = new QGridLayout;
    grid->setSpacing(space::s);
    for (int i = 0; i < answers.size(); ++i) {
        auto* button = new QPushButton(answers[i]);
        button->setCheckable(true);
        button->setChecked(i == chosen);
        button->setToolTip(helps.value(i));
        button->setAccessibleName(QStringLiteral("%1: %2").arg(question, answers[i]));
        button->setAccessibleDescription(helps.value(i));
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->ensurePolished(); // its height is asked for before it is shown
        m_group->addButton(button, i);
    }
    column->addLayout(grid);
    const auto arrange = [this, grid, columns, &theme] {
        // Large text needs more width: half as many in a row.
        const int fit = theme.textScale() > 1.4 && columns > 3 ? columns / 2 : columns;
        for (int i = 0; i < columns; ++i)
            grid->setColumnStretch(i, i < fit ? 1 : 0);
        const QList<QAbstractButton*> buttons = m_group->buttons();
        for (qsizetype i = 0; i < buttons.size(); ++i)
            grid->addWidget(buttons[i], int(i) / fit, int(i) % fit);
    };
    arrange();
    connect(&theme, &Theme::changed, this, arrange);
    connect(m_group, &QButtonGroup::idClicked, this, &ChoiceGroup::changed);
}

int ChoiceGroup::chosen() const
{
    return std::max(0, m_group->checkedId());
}

void changeChoices(AppContext& context, const LearnerChoices& choices)
{
    if (choices == learnerChoices())
        return;
    saveLearnerChoices(choices);
    Q_EMIT context.choicesChanged();
}

QComboBox* makePathPicker(AppContext& context)
{
    auto* picker = new QComboBox;
    picker->setAccessibleName(QObject::tr("Path through the lessons"));
    picker->setToolTip(QObject::tr("An order of the lessons for a role; changing it changes no progress"));
    for (const lessons::LessonPath& path : context.curriculum().paths) {
        picker->addItem(QString::fromStdString(path.title), QString::fromStdString(path.id));
        picker->setItemData(picker->count() - 1, QString::fromStdString(path.about), Qt::ToolTipRole);
    }
    const auto show = [picker, &context] {
        const lessons::LessonPath* chosen = pathOf(context.curriculum(), learnerChoices());
        const QSignalBlocker quiet(picker);
        picker->setCurrentIndex(chosen ? picker->findData(QString::fromStdString(chosen->id)) : -1);
    };
    show();
    QObject::connect(&context, &AppContext::choicesChanged, picker, show);
    QObject::connect(picker, &QComboBox::activated, picker, [picker, &context] {
        LearnerChoices choices = learnerChoices();
        choices.path = picker->currentData().toString();
        changeChoices(context, choices);
    });
    return picker;
}

} // namespace ridge::app

#include "moc_choice_pickers.cpp"
