// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/home/path_card.h"

#include "app/ui/flow_layout.h"
#include "lessons/placement.h"

#include <QComboBox>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kMark = 12, kPitch = 16, kLine = 20;

} // namespace

PathStrip::PathStrip(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&theme, &Theme::changed, this, [this] { updateGeometry(); });
}

void PathStrip::setSteps(std::vector<Step> steps, const QStringList& names)
{
    m_steps = std::move(steps);
    m_names = names;
    updateGeometry();
    update();
}

QSize PathStrip::sizeHint() const
{
    return {m_theme.scaled(kPitch) * 24, heightForWidth(m_theme.scaled(kPitch) * 24)};
}

int PathStrip::heightForWidth(int width) const
{
    const int aRow = std::max(1, width / m_theme.scaled(kPitch));
    const int rows = (int(m_steps.size()) + aRow - 1) / aRow;
    return std::max(1, rows) * m_theme.scaled(kLine);
}

QRectF PathStrip::place(int index) const
{
    const int pitch = m_theme.scaled(kPitch), line = m_theme.scaled(kLine), aRow = std::max(1, width() / pitch);
    const double size = m_theme.scaled(kMark);
    return {double(index % aRow * pitch) + 1, index / aRow * line + (line - size) / 2, size, size};
}

void PathStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 0; i < int(m_steps.size()); ++i) {
        const QRectF area = place(i).adjusted(1, 1, -1, -1);
        const Step step = m_steps[std::size_t(i)];
        const bool filled = step == Step::Shipped;
        // Form tells as much as colour: filled, half, ring, dot.
        painter.setPen(QPen(m_theme.color(filled || step == Step::Begun ? Role::Accent : Role::BorderStrong), 1.5));
        painter.setBrush(filled ? QBrush(m_theme.color(Role::Accent)) : Qt::NoBrush);
        if (step == Step::Absent) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme.color(Role::Border));
            painter.drawEllipse(area.center(), area.width() / 5, area.width() / 5);
            continue;
        }
        painter.drawEllipse(area);
        if (step == Step::Begun) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme.color(Role::Accent));
            painter.drawPie(area, 90 * 16, 180 * 16);
        }
    }
}

bool PathStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        for (int i = 0; i < int(m_steps.size()); ++i)
            if (place(i).adjusted(-3, -3, 3, 3).contains(help->pos())) {
                QToolTip::showText(help->globalPos(), m_names.value(i), this);
                return true;
            }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

PathCard::PathCard(AppContext& context, QWidget* parent)
    : Card(tr("Your path"), parent), m_context(context), m_path(makePathPicker(context)), m_background(new QComboBox),
      m_time(new QComboBox), m_about(makeText(context.theme(), {}, TextStyle::Body, QStringLiteral("muted"))),
      m_summary(makeText(context.theme(), {}, TextStyle::Body)), m_strip(new PathStrip(context.theme()))
{
    column()->setContentsMargins(space::xl, space::l, space::xl, space::l);
    column()->addWidget(makeLabel(context.theme(), tr("Your path"), TextStyle::Caption, QStringLiteral("hint")));
    auto* choices = new QWidget;
    auto* row = new FlowLayout(choices);
    for (const Experience one : {Experience::New, Experience::Programmer, Experience::Cuda})
        m_background->addItem(backgroundText(one), int(one));
    m_background->setAccessibleName(tr("What you bring"));
    for (const int hours : kHoursAWeek)
        m_time->addItem(hoursText(hours), hours);
    m_time->setAccessibleName(tr("Time you have"));
    for (QComboBox* box : {m_path, m_background, m_time}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        row->addWidget(box);
    }
    if (lessons::hasPlacement(context.curriculum())) {
        auto* ask = makeButton(tr("Where to begin?"), tr("A few predictions tell; nothing of it is graded"));
        ask->setObjectName(QStringLiteral("placement"));
        connect(ask, &QPushButton::clicked, this,
                [&context] { Q_EMIT context.openRequested(QStringLiteral("placement")); });
        row->addWidget(ask);
    }
    if (!context.curriculum().paths.empty()) {
        auto* all = makeButton(tr("All paths"), tr("Paths, the roles they lead to, and what builds on what"));
        all->setObjectName(QStringLiteral("allPaths"));
        connect(all, &QPushButton::clicked, this,
                [&context] { Q_EMIT context.openRequested(QStringLiteral("paths")); });
        row->addWidget(all);
    }
    column()->addWidget(choices);
    column()->addWidget(m_about);
    column()->addSpacing(space::xs);
    column()->addWidget(m_strip);
    column()->addWidget(m_summary);
    connect(m_background, &QComboBox::activated, this, [this] {
        LearnerChoices choices = learnerChoices();
        choices.background = Experience(m_background->currentData().toInt());
        changeChoices(m_context, choices);
    });
    connect(m_time, &QComboBox::activated, this, [this] {
        LearnerChoices choices = learnerChoices();
        choices.hoursAWeek = m_time->currentData().toInt();
        changeChoices(m_context, choices);
    });
    connect(&context, &AppContext::choicesChanged, this, &PathCard::refresh);
    refresh();
}

QString PathCard::summary() const
{
    return m_summary->text();
}

void PathCard::refresh()
{
    const LearnerChoices choices = learnerChoices();
    const auto& curriculum = m_context.curriculum();
    const lessons::LessonPath* path = pathOf(curriculum, choices);
    m_background->setCurrentIndex(m_background->findData(int(choices.background)));
    m_time->setCurrentIndex(std::max(0, m_time->findData(choices.hoursAWeek)));
    m_about->setText(path ? QString::fromStdString(path->about) : QString());
    std::vector<PathStrip::Step> steps;
    QStringList names;
    int shipped = 0, written = 0;
    const CourseProgress course(m_context);
    for (const std::string& id : lessonsOf(curriculum, choices)) {
        const bool there = curriculum.head(id) != nullptr;
        const LessonProgress progress = there ? course.of(id) : LessonProgress();
        steps.push_back(!there                               ? PathStrip::Step::Absent
                        : progress.shipped                   ? PathStrip::Step::Shipped
                        : progress.predicted || progress.ran ? PathStrip::Step::Begun
                                                             : PathStrip::Step::Written);
        names << QStringLiteral("%1  %2: %3")
                     .arg(QString::fromStdString(id), QString::fromStdString(curriculum.titleOf(id)),
                          there ? progressText(progress) : tr("not in this version"));
        shipped += progress.shipped;
        written += there;
    }
    const int count = int(steps.size());
    m_summary->setText(tr("%1 of %2 lessons shipped · %3 in this version · the whole path takes at most %4")
                           .arg(shipped)
                           .arg(count)
                           .arg(written)
                           .arg(weeksText(weeksFor(std::size_t(count), choices.hoursAWeek))));
    m_strip->setSteps(std::move(steps), names);
    m_strip->setAccessibleName(m_summary->text());
    m_strip->setAccessibleDescription(names.join(QStringLiteral("; ")));
    setVisible(count > 0);
}

} // namespace ridge::app

#include "moc_path_card.cpp"
