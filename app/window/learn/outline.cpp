// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/learn/outline.h"

#include "app/ui/learner_choices.h"
#include "app/window/home/lesson_progress.h"

#include <QHeaderView>
#include <QPainter>
#include <QResizeEvent>
#include <QStyledItemDelegate>

namespace ridge::app {
namespace {

constexpr int kWrapped = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap;

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

    /// A title that is too long for its line goes on in a second one.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto* view = qobject_cast<const QTreeView*>(option.widget);
        if (!view)
            return {0, m_theme.scaled(30)};
        int left = 0;
        for (QModelIndex at = index; at.parent().isValid(); at = at.parent())
            left += view->indentation();
        const QRect row(left, 0, view->viewport()->width() - left, 1000);
        const QFontMetrics metrics(fontOf(index));
        const Text text = textOf(row, index);
        const int lines = metrics.boundingRect(text.place, kWrapped, text.words).height();
        return {row.width(), std::max(m_theme.scaled(30), lines + space::s)};
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
        painter->setFont(fontOf(index));
        painter->setPen(m_theme.color(index.flags() & Qt::ItemIsEnabled ? Role::Text : Role::Text3));
        const Text text = textOf(option.rect, index);
        // The number stands beside the first line.
        const int first = painter->fontMetrics().boundingRect(text.place, kWrapped, text.words).top();
        painter->drawText(QPoint(area(option.rect).left(), first + painter->fontMetrics().ascent()), text.number);
        painter->drawText(text.place, kWrapped, text.words);
        if (lesson)
            paintProgress(*painter, markOf(option.rect), m_theme, unpack(index.data(ProgressRole).toInt()),
                          selected ? Role::Selection : Role::Window);
        painter->restore();
    }

private:
    /// Numbers stand in a column of their own, titles beside it.
    struct Text {
        QString number, words;
        QRect place; ///< of the words
    };
    static QRect area(const QRect& row) { return row.adjusted(space::s, 0, -space::m, 0); }
    QRectF markOf(const QRect& row) const
    {
        const QRect place = area(row);
        const int mark = m_theme.scaled(40);
        return QRectF(place.right() - mark, place.top(), mark, place.height());
    }
    QFont fontOf(const QModelIndex& index) const
    {
        return m_theme.font(index.parent().isValid() ? TextStyle::Body : TextStyle::Strong);
    }
    Text textOf(const QRect& row, const QModelIndex& index) const
    {
        Text text{{}, index.data().toString(), area(row)};
        if (index.data(ProgressRole).isValid())
            text.place.setRight(static_cast<int>(markOf(row).left()) - space::s);
        static const QString gap = QStringLiteral("  ");
        if (const qsizetype cut = text.words.indexOf(gap); cut > 0 && index.parent().isValid()) {
            text.number = text.words.left(cut);
            text.words = text.words.mid(cut + gap.size());
            text.place.setLeft(text.place.left() +
                               QFontMetrics(fontOf(index)).horizontalAdvance(QStringLiteral("8.8  ")));
        }
        return text;
    }

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
    setStyleSheet(QStringLiteral(
        "QTreeView { border: none; background: transparent; padding: 8px 0 0 8px; "
        "show-decoration-selected: 0; } QTreeView::branch, QTreeView::item:selected { background: transparent; }"));
    setUniformRowHeights(false); // a long title takes two lines
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

/// Another width breaks titles at other places.
void LessonOutline::resizeEvent(QResizeEvent* event)
{
    QTreeWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        scheduleDelayedItemsLayout();
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
    const CourseProgress all(m_context);
    for (auto at = m_items.cbegin(); at != m_items.cend(); ++at) {
        const LessonProgress progress = all.of(at.key().toStdString());
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

#include "moc_outline.cpp"
