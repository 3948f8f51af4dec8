// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/learn/outline.h"

#include "app/home/learner_choices.h"
#include "app/home/lesson_progress.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

namespace ridge::app {
namespace {

enum OutlineRole { PageRole = Qt::UserRole, ProgressRole };

int pack(const LessonProgress& p)
{
    return p.opened | p.predicted << 1 | p.ran << 2 | p.shipped << 3;
}

LessonProgress unpack(int bits)
{
    return {bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8)};
}

class OutlineDelegate : public QStyledItemDelegate {
public:
    OutlineDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), m_theme.scaled(30)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool lesson = index.data(ProgressRole).isValid();
        const bool selected = option.state & QStyle::State_Selected;
        if (selected || (option.state & QStyle::State_MouseOver && index.flags() & Qt::ItemIsEnabled)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(m_theme.color(selected ? Role::Selection : Role::Surface2));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(0, 1, -space::xs, -1), kControlRadius,
                                     kControlRadius);
        }
        const int mark = lesson ? m_theme.scaled(40) : 0;
        const QRect area = option.rect.adjusted(space::s, 0, -space::m, 0);
        painter->setFont(m_theme.font(lesson || index.parent().isValid() ? TextStyle::Body : TextStyle::Strong));
        painter->setPen(m_theme.color(index.flags() & Qt::ItemIsEnabled ? Role::Text : Role::Text3));
        const QRect text = area.adjusted(0, 0, -mark - space::s, 0);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width()));
        if (lesson)
            paintProgress(*painter, QRectF(area.right() - mark, area.top(), mark, area.height()), m_theme,
                          unpack(index.data(ProgressRole).toInt()), selected ? Role::Selection : Role::Window);
        painter->restore();
    }

private:
    Theme& m_theme;
};

} // namespace

LessonOutline::LessonOutline(AppContext& context, QWidget* parent) : QTreeWidget(parent), m_context(context)
{
    setAccessibleName(tr("Outline of lessons"));
    setHeaderHidden(true);
    header()->setAccessibleName(tr("Lessons"));
    setRootIsDecorated(false);
    setIndentation(space::m);
    setItemsExpandable(false);
    setFrameShape(QFrame::NoFrame);
    // The delegate draws the whole row; the view adds neither frame nor branches.
    setStyleSheet(QStringLiteral("QTreeView { border: none; background: transparent; padding: 8px 0 0 8px; "
                                 "show-decoration-selected: 0; } QTreeView::branch { background: transparent; }"));
    setUniformRowHeights(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(200);
    setItemDelegate(new OutlineDelegate(context.theme(), this));
    connect(this, &QTreeWidget::itemActivated, this, &LessonOutline::choose);
    connect(this, &QTreeWidget::itemClicked, this, &LessonOutline::choose);
    connect(&context, &AppContext::choicesChanged, this, [this] {
        const QString current = m_items.key(currentItem());
        clear();
        m_items.clear();
        fill();
        setCurrentLesson(current);
    });
    fill();
}

void LessonOutline::fill()
{
    auto* all = new QTreeWidgetItem(this, {tr("All modules")});
    all->setData(0, PageRole, QStringLiteral("learn"));
    m_module = new QTreeWidgetItem(all);
    m_module->setHidden(true);
    const auto& curriculum = m_context.curriculum();
    if (const lessons::LessonPath* path = pathOf(curriculum, learnerChoices())) {
        const std::vector<std::string> ids = lessonsOf(curriculum, learnerChoices());
        addPart(QString::fromStdString(path->title), ids);
        std::vector<std::string> others;
        for (const lessons::Lesson& head : curriculum.heads)
            if (std::ranges::find(ids, head.id) == ids.end())
                others.push_back(head.id);
        if (!others.empty())
            addPart(tr("Beside the path"), others);
        expandAll();
        return refreshProgress();
    }
    for (const lessons::ModuleInfo& module : curriculum.modules) {
        auto* top = new QTreeWidgetItem(
            this, {QStringLiteral("%1  %2").arg(module.number).arg(QString::fromStdString(module.title))});
        for (const lessons::Lesson& lesson : curriculum.heads) {
            if (lesson.module != module.number)
                continue;
            const QString id = QString::fromStdString(lesson.id);
            auto* item = new QTreeWidgetItem(top, {id + QStringLiteral("  ") + QString::fromStdString(lesson.title)});
            item->setData(0, PageRole, QStringLiteral("lesson/") + id);
            m_items.insert(id, item);
        }
        if (top->childCount() == 0) {
            top->setToolTip(0, tr("Not written yet"));
            top->setData(0, Qt::AccessibleTextRole, tr("%1, not written yet").arg(top->text(0)));
        }
        top->setData(0, PageRole, QStringLiteral("module/%1").arg(module.number));
    }
    expandAll();
    refreshProgress();
}

/// Lessons in the order given; those that are not written yet are there to be seen and cannot be chosen.
void LessonOutline::addPart(const QString& title, const std::vector<std::string>& ids)
{
    const auto& curriculum = m_context.curriculum();
    auto* top = new QTreeWidgetItem(this, {title});
    top->setFlags(Qt::ItemIsEnabled);
    for (const std::string& lesson : ids) {
        const QString id = QString::fromStdString(lesson);
        auto* item =
            new QTreeWidgetItem(top, {id + QStringLiteral("  ") + QString::fromStdString(curriculum.titleOf(lesson))});
        if (curriculum.head(lesson)) {
            item->setData(0, PageRole, QStringLiteral("lesson/") + id);
            m_items.insert(id, item);
        } else {
            item->setFlags(Qt::NoItemFlags);
            item->setToolTip(0, item->text(0) + QStringLiteral("\n") + tr("Not in this version"));
            item->setData(0, Qt::AccessibleTextRole, tr("%1, not in this version").arg(item->text(0)));
        }
    }
}

void LessonOutline::refreshProgress()
{
    for (auto at = m_items.cbegin(); at != m_items.cend(); ++at) {
        const LessonProgress progress = lessonProgress(m_context, at.key().toStdString());
        at.value()->setData(0, ProgressRole, pack(progress));
        at.value()->setToolTip(0, at.value()->text(0) + QStringLiteral("\n") + progressText(progress));
        at.value()->setData(0, Qt::AccessibleTextRole,
                            at.value()->text(0) + QStringLiteral(", ") + progressText(progress));
    }
}

void LessonOutline::setCurrentLesson(const QString& lessonId)
{
    // A path mixes modules; the way to the page of the lesson's own stands below "All modules".
    const lessons::Lesson* head = m_context.curriculum().head(lessonId.toStdString());
    m_module->setHidden(!head);
    for (const lessons::ModuleInfo& module : m_context.curriculum().modules)
        if (head && module.number == head->module) {
            m_module->setText(0, tr("Module %1: %2").arg(module.number).arg(QString::fromStdString(module.title)));
            m_module->setToolTip(0, m_module->text(0));
            m_module->setData(0, PageRole, QStringLiteral("module/%1").arg(module.number));
        }
    setCurrentItem(m_items.value(lessonId, nullptr));
}

void LessonOutline::choose(QTreeWidgetItem* item)
{
    const QString page = item ? item->data(0, PageRole).toString() : QString();
    if (!page.isEmpty())
        Q_EMIT chosen(page);
}

} // namespace ridge::app
