// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/home/lesson_progress.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/ui/learner_choices.h"

#include <QPainter>
#include <QSettings>
#include <algorithm>

namespace ridge::app {
namespace {

const QString kRecent = QStringLiteral("recent/lessons");

} // namespace

CourseProgress::CourseProgress(AppContext& context) : m_recent(recentLessons())
{
    if (const record::Store* store = context.store())
        if (auto marks = store->lessonMarks())
            m_marks = std::move(*marks);
}

LessonProgress CourseProgress::of(const std::string& lessonId) const
{
    return {m_recent.contains(QString::fromStdString(lessonId)), m_marks.predicted.contains(lessonId),
            m_marks.ran.contains(lessonId), m_marks.shipped.contains(lessonId)};
}

QString progressText(const LessonProgress& progress)
{
    if (progress.shipped)
        return QObject::tr("Shipped");
    if (progress.predicted && progress.ran)
        return QObject::tr("Predicted and ran");
    if (progress.ran)
        return QObject::tr("Ran");
    if (progress.predicted)
        return QObject::tr("Predicted");
    return progress.opened ? QObject::tr("Opened") : QObject::tr("Not started");
}

void paintProgress(QPainter& painter, const QRectF& area, const Theme& theme, const LessonProgress& progress,
                   Role ground)
{
    painter.setBackground(theme.color(ground));
    const double size = std::min<double>(area.height(), theme.scaled(12));
    const QPointF left(area.left() + size / 2, area.center().y());
    const QPointF right(area.right() - size / 2, area.center().y());
    // What is not done yet is hollow and grey, not hard to see.
    const QColor pale = theme.color(ground == Role::Selection ? Role::Text3 : Role::BorderStrong);
    const QColor ink = theme.color(Role::Text);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(progress.ran ? ink : pale, 1.5));
    painter.drawLine(left + QPointF(size / 2, 0), right - QPointF(size / 2, 0));
    paintDiamond(painter, left, size, progress.predicted ? ink : pale);
    paintDot(painter, right, size * 0.85,
             progress.shipped ? theme.color(Role::Accent)
             : progress.ran   ? ink
                              : pale,
             progress.ran || progress.shipped);
}

QStringList recentLessons()
{
    return QSettings().value(kRecent).toStringList();
}

void noteLessonOpened(const QString& lessonId)
{
    QStringList recent = recentLessons();
    recent.removeAll(lessonId);
    recent.prepend(lessonId);
    QSettings().setValue(kRecent, recent.mid(0, 64));
}

const lessons::Lesson* nextLesson(AppContext& context)
{
    const auto& heads = context.curriculum().heads;
    const auto find = [&context](const QString& id) { return context.curriculum().head(id.toStdString()); };
    const QStringList recent = recentLessons();
    const CourseProgress progress(context);
    for (const QString& id : recent)
        if (const lessons::Lesson* lesson = find(id); lesson && !progress.of(lesson->id).shipped)
            return lesson;
    // Then along the chosen path, and what is left in curriculum order.
    for (const std::string& id : lessonsOf(context.curriculum(), learnerChoices()))
        if (const lessons::Lesson* lesson = context.curriculum().head(id); lesson && !progress.of(id).shipped)
            return lesson;
    for (const lessons::Lesson& lesson : heads)
        if (!progress.of(lesson.id).shipped)
            return &lesson;
    if (!recent.isEmpty())
        if (const lessons::Lesson* lesson = find(recent.first()))
            return lesson;
    return heads.empty() ? nullptr : &heads.front();
}

LessonRow::LessonRow(Theme& theme, const lessons::Lesson& lesson, const LessonProgress& progress, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_id(QString::fromStdString(lesson.id)), m_minutes(lesson.minutes),
      m_progress(progress)
{
    setText(QString::fromStdString(lesson.title));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    describe();
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void LessonRow::setProgress(const LessonProgress& progress)
{
    m_progress = progress;
    describe();
    update();
}

void LessonRow::describe()
{
    setAccessibleName(tr("Lesson %1, %2").arg(m_id, text()));
    setAccessibleDescription(tr("%1 minutes. %2").arg(m_minutes).arg(progressText(m_progress)));
    setToolTip(progressText(m_progress));
}

QSize LessonRow::sizeHint() const
{
    return {480, m_theme.scaled(36)};
}

QSize LessonRow::minimumSizeHint() const
{
    return {200, m_theme.scaled(36)};
}

void LessonRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || isDown()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(isDown() ? Role::Selection : Role::Surface2));
        painter.drawRoundedRect(rect(), kControlRadius, kControlRadius);
    }
    const QRect area = rect().adjusted(space::s, 0, -space::s, 0);
    const int number = m_theme.scaled(40);
    const int mark = m_theme.scaled(56);
    const int minutes = m_theme.scaled(56);
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text3));
    painter.drawText(QRect(area.left(), 0, number, height()), Qt::AlignLeft | Qt::AlignVCenter, m_id);
    painter.drawText(QRect(area.right() - mark - space::l - minutes, 0, minutes, height()),
                     Qt::AlignRight | Qt::AlignVCenter, tr("%1 min").arg(m_minutes));
    painter.setPen(m_theme.color(Role::Link));
    const QRect title(area.left() + number, 0, area.width() - number - minutes - mark - 2 * space::l, height());
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, title.width()));
    paintProgress(painter, QRectF(area.right() - mark, 0, mark, height()), m_theme, m_progress,
                  isDown()       ? Role::Selection
                  : underMouse() ? Role::Surface2
                                 : Role::Surface);
}

} // namespace ridge::app

#include "moc_lesson_progress.cpp"
