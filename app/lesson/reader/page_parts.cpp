// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/page_parts.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/prediction_mark.h"
#include "app/theme/restyler.h"

#include <QBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>

namespace ridge::app {

namespace {

QString fromUtf8(const std::string& text)
{
    return QString::fromStdString(text);
}

/// The signature mark of one check.
class CheckMark : public QWidget {
public:
    CheckMark(Theme& theme, lessons::CheckState state, bool held, QWidget* parent)
        : QWidget(parent), m_theme(theme), m_state(state), m_held(held)
    {
        setFixedSize(16, theme.scaled(20));
        setAccessibleName(held ? tr("Shown later") : state == lessons::CheckState::Passed ? tr("Met") : tr("Open"));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setBackground(m_theme.color(Role::Surface));
        const QPointF centre = QRectF(rect()).center();
        if (m_held) {
            painter.setPen(QPen(m_theme.color(Role::Text3), 1.5));
            painter.drawLine(centre - QPointF(4, 0), centre + QPointF(4, 0)); // neither met nor open
        } else if (m_state == lessons::CheckState::Passed)
            paintDot(painter, centre, 10, m_theme.color(Role::Ok), true);
        else
            paintDiamond(painter, centre, 11,
                         m_theme.color(m_state == lessons::CheckState::Failed ? Role::Warn : Role::Text3));
    }

private:
    Theme& m_theme;
    lessons::CheckState m_state;
    bool m_held;
};

} // namespace

QString namesInWords(const AppContext& context, const std::string& text)
{
    static const QRegularExpression name(QStringLiteral("[a-z][a-z0-9]*(?:_[a-z0-9]+)+"));
    const QString given = fromUtf8(text);
    QString made;
    qsizetype from = 0;
    for (auto each = name.globalMatch(given); each.hasNext();) {
        const auto match = each.next();
        const std::string found = match.captured().toStdString();
        QString title;
        for (const ExperimentInfo& info : context.experiments()) {
            const MetricSpec* metric = info.metric(found);
            const ParamSpec* parameter = info.parameter(found);
            title = fromUtf8(metric ? metric->title : parameter ? parameter->title : std::string());
            if (!title.isEmpty())
                break;
        }
        made +=
            given.mid(from, match.capturedStart() - from) + (title.isEmpty() ? match.captured() : inSentence(title));
        from = match.capturedEnd();
    }
    return made + given.mid(from);
}

QString sentence(const std::string& text)
{
    QString out = fromUtf8(text);
    if (!out.isEmpty())
        out[0] = out[0].toUpper();
    return out;
}

PageHeader::PageHeader(const ReaderContext& context, QWidget* parent) : QWidget(parent)
{
    Theme& theme = context.theme();
    const lessons::Lesson& lesson = context.state.lesson();
    QString module = tr("Module %1").arg(lesson.module);
    for (const auto& info : context.app.curriculum().modules)
        if (info.number == lesson.module)
            module += QStringLiteral(" · ") + fromUtf8(info.title);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kTextInset, 0, kTextInset, 0);
    column->setSpacing(space::m);
    column->addWidget(new ThemedLabel(theme, module, TextStyle::Caption, "hint", this));
    // "1.capstone" is what it is called in files and commands, not on a page.
    const QString title = lesson.kind == lessons::LessonKind::Capstone ? tr("Capstone: %1").arg(fromUtf8(lesson.title))
                                                                       : fromUtf8(lesson.id + " " + lesson.title);
    column->addWidget(new ThemedLabel(theme, title, TextStyle::ReadH1, "", this));
    auto* question = new ThemedLabel(theme, fromUtf8(lesson.question), TextStyle::ReadH3, "muted", this);
    question->setWeight(QFont::Normal);
    question->setVisible(!lesson.question.empty());
    column->addWidget(question);
    QStringList facts{lesson.minutes == 1 ? tr("1 minute") : tr("%1 minutes").arg(lesson.minutes)};
    if (!lesson.prerequisites.empty()) {
        QStringList ids;
        for (const auto& id : lesson.prerequisites)
            ids += fromUtf8(id);
        facts += tr("after %1").arg(ids.join(QStringLiteral(", ")));
    }
    column->addWidget(new ThemedLabel(theme, facts.join(QStringLiteral(" · ")), TextStyle::Caption, "hint", this));
    if (lesson.objectives.empty())
        return;
    column->addSpacing(space::xs);
    column->addWidget(new ThemedLabel(theme, tr("You will be able to"), TextStyle::Strong, "", this));
    std::string list;
    for (const auto& objective : lesson.objectives)
        list += "- " + objective + "\n";
    column->addWidget(new ProseView(context, list, ProseLook::Card, this));
}

ChecksView::ChecksView(const ReaderContext& context, bool details, QWidget* parent)
    : QWidget(parent), m_context(context), m_details(details)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    connect(&context.state, &LessonState::checksChanged, this, &ChecksView::refresh);
    connect(&context.app.feedback(), &FeedbackWatch::changed, this, &ChecksView::refresh);
    connect(&context.theme(), &Theme::changed, this, qOverload<>(&QWidget::update));
    refresh();
}

void ChecksView::refresh()
{
    delete m_rows;
    m_checks.clear();
    m_rows = new QWidget(this);
    Theme& theme = m_context.theme();
    auto* column = new QVBoxLayout(m_rows);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(m_details ? space::s : space::xs);
    const auto checks = m_context.state.checks();
    int met = 0, open = 0;
    QStringList reasons;
    for (const auto& check : checks) {
        met += check.outcome.state == lessons::CheckState::Passed;
        open += check.held.isEmpty();
        if (!check.held.isEmpty() && !reasons.contains(check.held))
            reasons << check.held;
    }
    const int kept = int(checks.size()) - open;
    const QString words = open == 0   ? tr("%1 checks, shown later").arg(kept)
                          : kept == 0 ? tr("%1 of %2 checks met").arg(met).arg(open)
                                      : tr("%1 of %2 checks met, %3 shown later").arg(met).arg(open).arg(kept);
    auto* title = new ThemedLabel(theme, words, TextStyle::Strong, "", m_rows);
    title->setObjectName(QStringLiteral("checksMet"));
    column->addWidget(title);
    for (const QString& reason : reasons) {
        auto* why = new ThemedLabel(theme, reason, TextStyle::Caption, "hint", m_rows);
        why->setObjectName(QStringLiteral("held"));
        column->addWidget(why);
    }
    for (const auto& [outcome, held] : checks) {
        auto* line = new QWidget(m_rows);
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(space::s);
        row->addWidget(new CheckMark(theme, outcome.state, !held.isEmpty(), m_rows), 0, Qt::AlignTop);
        auto* text = new QVBoxLayout;
        text->setSpacing(0);
        const bool passed = outcome.state == lessons::CheckState::Passed;
        auto* label = new ThemedLabel(theme, fromUtf8(outcome.title), m_details ? TextStyle::Body : TextStyle::Caption,
                                      passed || m_details ? "" : "muted", m_rows);
        const QString detail = namesInWords(m_context.app, outcome.detail);
        label->setToolTip(detail);
        label->setAccessibleName(tr("%1: %2").arg(!held.isEmpty() ? tr("Shown later")
                                                  : passed        ? tr("Met")
                                                                  : tr("Open"),
                                                  fromUtf8(outcome.title)));
        text->addWidget(label);
        if (m_details && !outcome.detail.empty())
            text->addWidget(new ThemedLabel(theme, sentence(detail.toStdString()), TextStyle::Caption, "hint", m_rows));
        row->addLayout(text, 1);
        column->addWidget(line);
        m_checks.push_back(line);
    }
    m_more = new ThemedLabel(theme, {}, TextStyle::Caption, "hint", m_rows);
    m_more->setObjectName(QStringLiteral("moreChecks"));
    m_more->hide();
    column->addWidget(m_more);
    layout()->addWidget(m_rows);
    fit();
}

void ChecksView::fitTo(int height)
{
    m_room = height;
    fit();
}

/// Lines that are squeezed cannot be read: rather fewer of them. All stand at the end of the lesson.
void ChecksView::fit()
{
    if (!m_room)
        return;
    const auto heightOf = [this] {
        QLayout* rows = m_rows->layout();
        rows->invalidate();
        const int wide = std::max(1, width());
        return rows->hasHeightForWidth() ? rows->heightForWidth(wide) : rows->sizeHint().height();
    };
    for (QWidget* check : m_checks)
        check->show();
    m_more->hide();
    int left = 0;
    for (auto check = m_checks.rbegin(); check != m_checks.rend() && heightOf() > *m_room; ++check) {
        (*check)->hide();
        ++left;
        m_more->setText(left == int(m_checks.size()) ? tr("All of them at the end of the lesson")
                                                     : tr("%1 more at the end of the lesson").arg(left));
        m_more->show();
    }
}

SidePanel::SidePanel(const ReaderContext& context, QWidget* parent) : QWidget(parent)
{
    Theme& theme = context.theme();
    setAccessibleName(tr("Outline of the lesson"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::xxxl, space::l, space::l);
    column->setSpacing(0);
    column->addWidget(new ThemedLabel(theme, tr("In this lesson"), TextStyle::Caption, "hint", this));
    for (const auto& section : context.state.lesson().sections) {
        auto* button = new QPushButton(fromUtf8(section.title), this);
        button->setAccessibleName(tr("Go to %1").arg(button->text()));
        button->setCheckable(true);
        button->setFlat(true);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        const int index = int(m_sections.size());
        connect(button, &QPushButton::clicked, this, [this, index] {
            setCurrent(index);
            Q_EMIT sectionChosen(index);
        });
        column->addWidget(button);
        m_sections.push_back(button);
    }
    column->addSpacing(space::l);
    m_checks = new ChecksView(context, false, this);
    column->addWidget(m_checks);
    column->addStretch();
    const auto restyle = [this, &theme] {
        setStyleSheet(
            QStringLiteral("QPushButton { text-align: left; padding: 0 8px; border: none; border-left: 2px solid "
                           "transparent; border-radius: 0; background: transparent; color: %1; }"
                           "QPushButton:hover { color: %2; background: %4; }"
                           "QPushButton:checked { border-left-color: %3; color: %2; background: transparent; }")
                .arg(theme.color(Role::Text2).name(), theme.color(Role::Text).name(), theme.color(Role::Accent).name(),
                     theme.color(Role::Surface2).name()));
    };
    restyle();
    followTheme(theme, this, restyle);
    followTheme(theme, this, [this] { fit(); });
}

void SidePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void SidePanel::fit()
{
    const QMargins margins = layout()->contentsMargins();
    int room = height() - margins.top() - margins.bottom();
    for (int i = 0; i < layout()->count(); ++i)
        if (layout()->itemAt(i)->widget() != m_checks)
            room -= layout()->itemAt(i)->sizeHint().height();
    m_checks->fitTo(std::max(0, room));
}

void SidePanel::setCurrent(int section)
{
    for (std::size_t i = 0; i < m_sections.size(); ++i)
        m_sections[i]->setChecked(int(i) == section);
}

} // namespace ridge::app

#include "moc_page_parts.cpp"
