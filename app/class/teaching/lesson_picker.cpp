// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/lesson_picker.h"

#include "app/ui/panels.h"
#include "base/kernel_task.h"
#include "classroom/kernel_lesson.h"

#include <QHeaderView>

namespace ridge::app {
namespace {

enum Column { Title, Minutes, ColumnCount };
constexpr int kId = Qt::UserRole, kMinutes = Qt::UserRole + 1;

} // namespace

LessonPicker::LessonPicker(Theme& theme, const lessons::Curriculum& curriculum, QWidget* parent) : QTreeWidget(parent)
{
    setObjectName(QStringLiteral("class-lessons"));
    setAccessibleName(tr("Lessons"));
    setColumnCount(ColumnCount);
    setHeaderLabels({tr("Lesson"), tr("Minutes")});
    headerItem()->setTextAlignment(Minutes, Qt::AlignRight | Qt::AlignVCenter);
    header()->setAccessibleName(tr("Columns"));
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(Title, QHeaderView::Stretch);
    header()->setSectionResizeMode(Minutes, QHeaderView::ResizeToContents);
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setIndentation(0);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setTextElideMode(Qt::ElideRight);
    useRowHeight(theme, this);
    const auto add = [this](const std::string& id, const QString& title, const std::string& asks, int minutes) {
        auto* item = new QTreeWidgetItem(this);
        item->setText(Title, title);
        item->setText(Minutes, minutes > 0 ? QString::number(minutes) : QString());
        item->setTextAlignment(Minutes, Qt::AlignRight | Qt::AlignVCenter);
        item->setToolTip(Title, QString::fromStdString(asks));
        item->setData(Title, kId, QString::fromStdString(id));
        item->setData(Title, kMinutes, minutes);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(Title, Qt::Unchecked);
    };
    std::vector<QTreeWidgetItem*> heads;
    const auto addHead = [&](const QString& text) {
        auto* head = new QTreeWidgetItem(this);
        head->setText(Title, text);
        head->setFlags(Qt::ItemIsEnabled);
        heads.push_back(head);
    };
    for (const lessons::ModuleInfo& module : curriculum.modules) {
        const auto* capstone = curriculum.capstone(module.number);
        const auto& own = curriculum.heads;
        const bool any = capstone || std::any_of(own.begin(), own.end(),
                                                 [&](const auto& lesson) { return lesson.module == module.number; });
        if (!any)
            continue;
        addHead(tr("Module %1  %2").arg(module.number).arg(QString::fromStdString(module.title)));
        for (const lessons::Lesson& lesson : own)
            if (lesson.module == module.number)
                add(lesson.id, QString::fromStdString(lesson.id + "  " + lesson.title), lesson.question,
                    lesson.minutes);
        if (capstone)
            add(capstone->id, tr("Capstone  %1").arg(QString::fromStdString(capstone->title)), capstone->question,
                capstone->minutes);
    }
    if (const auto tasks = shippedTasks(); tasks && !tasks->empty()) {
        addHead(tr("Kernels to write"));
        for (const KernelTask& task : *tasks)
            add(classroom::kernelLesson(task.id), tr("Kernel  %1").arg(QString::fromStdString(task.title)), task.about,
                0);
    }
    const auto dress = [heads, &theme] {
        for (QTreeWidgetItem* head : heads) {
            head->setFont(Title, theme.font(TextStyle::Strong));
            head->setForeground(Title, theme.color(Role::Text2));
        }
    };
    dress();
    connect(&theme, &Theme::changed, this, dress);
    connect(this, &QTreeWidget::itemChanged, this, &LessonPicker::choiceChanged);
    if (const auto items = all(); !items.empty())
        setCurrentItem(items.front());
}

std::vector<QTreeWidgetItem*> LessonPicker::all() const
{
    std::vector<QTreeWidgetItem*> items;
    for (int i = 0; i < topLevelItemCount(); ++i)
        if (!topLevelItem(i)->data(Title, kId).isNull())
            items.push_back(topLevelItem(i));
    return items;
}

std::vector<std::string> LessonPicker::chosen() const
{
    std::vector<std::string> ids;
    for (const QTreeWidgetItem* item : all())
        if (item->checkState(Title) == Qt::Checked)
            ids.push_back(item->data(Title, kId).toString().toStdString());
    return ids;
}

int LessonPicker::kernels() const
{
    const auto ids = chosen();
    return static_cast<int>(std::count_if(ids.begin(), ids.end(), classroom::isKernelLesson));
}

int LessonPicker::minutes() const
{
    int sum = 0;
    for (const QTreeWidgetItem* item : all())
        if (item->checkState(Title) == Qt::Checked)
            sum += item->data(Title, kMinutes).toInt();
    return sum;
}

int LessonPicker::lessons() const
{
    return static_cast<int>(all().size());
}

void LessonPicker::untickAll()
{
    for (QTreeWidgetItem* item : all())
        item->setCheckState(Title, Qt::Unchecked);
}

QTreeWidgetItem* LessonPicker::itemOf(const std::string& id) const
{
    for (QTreeWidgetItem* item : all())
        if (item->data(Title, kId).toString().toStdString() == id)
            return item;
    return nullptr;
}

} // namespace ridge::app

#include "moc_lesson_picker.cpp"
