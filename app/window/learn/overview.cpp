// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/learn/overview.h"

#include "app/window/home/lesson_progress.h"

#include <QAbstractButton>
#include <QPainter>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// A module's title that leads to its page.
class ModuleHeading : public QAbstractButton {
public:
    ModuleHeading(Theme& theme, int number, const QString& title, bool written) : m_theme(theme), m_written(written)
    {
        setText(QStringLiteral("%1  %2").arg(number).arg(title));
        setAccessibleName(CurriculumOverview::tr("Module %1, %2").arg(number).arg(title));
        setAccessibleDescription(CurriculumOverview::tr("What it teaches, its path, its terms"));
        setToolTip(accessibleDescription());
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        QObject::connect(&theme, &Theme::changed, this, [this] {
            updateGeometry();
            update();
        });
    }
    QSize sizeHint() const override
    {
        const QFontMetrics metrics(m_theme.font(TextStyle::ReadH3));
        return {metrics.horizontalAdvance(text()) + m_theme.scaled(24), m_theme.lineHeight(TextStyle::ReadH3)};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setFont(m_theme.font(TextStyle::ReadH3));
        const QFontMetrics metrics = painter.fontMetrics();
        const int mark = metrics.horizontalAdvance(QStringLiteral("  ›"));
        const QString shown = metrics.elidedText(text(), Qt::ElideRight, width() - mark);
        painter.setPen(m_theme.color(underMouse() ? Role::Link : m_written ? Role::Text : Role::Text3));
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, shown);
        painter.setPen(m_theme.color(underMouse() ? Role::Link : Role::Text3));
        painter.drawText(rect().adjusted(metrics.horizontalAdvance(shown), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("  ›"));
    }
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    Theme& m_theme;
    bool m_written;
};

} // namespace

CurriculumOverview::CurriculumOverview(AppContext& context, QWidget* parent)
    : ColumnScroll(820, tr("Lessons"), parent), m_context(context)
{
    Theme& theme = context.theme();
    column()->addWidget(makeLabel(theme, tr("Learn"), TextStyle::ReadH1));
    const auto& curriculum = context.curriculum();
    column()->addWidget(
        makeText(theme, tr("%1 lessons in %2 modules.").arg(curriculum.heads.size()).arg(curriculum.modules.size()),
                 TextStyle::ReadBody, QStringLiteral("muted")));
    for (const lessons::Problem& problem : context.curriculumProblems()) {
        auto* banner = new Banner(theme);
        banner->setMessage(QString::fromStdString(problem.message),
                           QStringLiteral("%1:%2").arg(QString::fromStdString(problem.at.file)).arg(problem.at.line),
                           true);
        banner->show();
        column()->addWidget(banner);
    }
    for (const lessons::ModuleInfo& module : curriculum.modules)
        addModule(module);
    column()->addStretch(1);
    refreshProgress();
}

void CurriculumOverview::addModule(const lessons::ModuleInfo& module)
{
    Theme& theme = m_context.theme();
    const QString title = QString::fromStdString(module.title);
    std::vector<const lessons::Lesson*> written;
    for (const lessons::Lesson& lesson : m_context.curriculum().heads)
        if (lesson.module == module.number)
            written.push_back(&lesson);

    auto* block = new QWidget;
    block->setAccessibleName(tr("Module %1, %2").arg(module.number).arg(title));
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(space::xs);
    auto* heading = new ModuleHeading(theme, module.number, title, !written.empty());
    connect(heading, &ModuleHeading::clicked, this, [this, number = module.number] {
        Q_EMIT m_context.openRequested(QStringLiteral("module/%1").arg(number));
    });
    column->addWidget(heading);
    if (!module.promise.empty())
        column->addWidget(makeText(theme, QString::fromStdString(module.promise), TextStyle::Body,
                                   written.empty() ? QStringLiteral("hint") : QStringLiteral("muted")));
    if (written.empty()) {
        column->addWidget(makeText(theme, tr("Not written yet"), TextStyle::Caption, QStringLiteral("hint")));
    } else {
        auto* card = new Card(title);
        card->column()->setContentsMargins(space::s, space::s, space::s, space::s);
        card->column()->setSpacing(0);
        for (const lessons::Lesson* lesson : written) {
            auto* row = new LessonRow(theme, *lesson, LessonProgress());
            connect(row, &LessonRow::clicked, this,
                    [this, row] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + row->lessonId()); });
            m_rows.push_back(row);
            card->column()->addWidget(row);
        }
        column->addSpacing(space::xs);
        column->addWidget(card);
    }
    this->column()->addWidget(block);
}

void CurriculumOverview::refreshProgress()
{
    const CourseProgress progress(m_context);
    for (LessonRow* row : m_rows)
        row->setProgress(progress.of(row->lessonId().toStdString()));
}

} // namespace ridge::app

#include "moc_overview.cpp"
