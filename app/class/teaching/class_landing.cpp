// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_landing.h"

#include "app/class/assignments/assignments_view.h"
#include "app/class/teaching/class_card.h"
#include "app/ui/panels.h"

#include <QBoxLayout>
#include <QSettings>

namespace ridge::app {
namespace {

const QString kSampleHidden = QStringLiteral("class/sampleHidden");
constexpr int kWidth = 1200, kBeside = 900;

} // namespace

ClassLanding::ClassLanding(AppContext& context, ClassDesk& desk, QWidget* parent)
    : QWidget(parent), m_context(context), m_desk(desk), m_scroll(new ColumnScroll(kWidth, tr("Class")))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    Theme& theme = context.theme();
    QVBoxLayout* column = m_scroll->column();
    column->addWidget(makeLabel(theme, tr("Class"), TextStyle::ReadH1));
    column->addWidget(makeText(theme,
                               tr("Assignments and submissions are files. They travel by any way you have, and nothing "
                                  "here needs a network."),
                               TextStyle::Body, QStringLiteral("muted")));
    m_sides = new QBoxLayout(QBoxLayout::LeftToRight);
    m_sides->setSpacing(space::xl);
    m_sides->addWidget(makeTaking(), 1);
    m_sides->addWidget(makeTeaching(), 1);
    column->addSpacing(space::s);
    column->addLayout(m_sides);
    column->addStretch(1);
}

QWidget* ClassLanding::makeTaking()
{
    auto* side = new QWidget;
    side->setAccessibleName(tr("Your assignments"));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::m);
    // As high as the head of the other side, which has a button in it.
    QLabel* head = makeLabel(m_context.theme(), tr("Your assignments"), TextStyle::ReadH3);
    const auto fit = [head, this] { head->setMinimumHeight(m_context.theme().scaled(28) + 2); };
    fit();
    connect(&m_context.theme(), &Theme::changed, head, fit);
    column->addWidget(head);
    m_assignments = new AssignmentsView(m_context);
    column->addWidget(m_assignments);
    column->addStretch(1);
    return side;
}

QWidget* ClassLanding::makeTeaching()
{
    Theme& theme = m_context.theme();
    auto* side = new QWidget;
    side->setAccessibleName(tr("Classes you teach"));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::m);
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(theme, tr("Classes you teach"), TextStyle::ReadH3));
    head->addStretch(1);
    m_new = makeButton(tr("New assignment"), tr("For a class that is there, or for a new one"), true);
    m_new->setObjectName(QStringLiteral("class-new"));
    connect(m_new, &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("class/new")); });
    head->addWidget(m_new);
    column->addLayout(head);
    m_banner = new Banner(theme);
    column->addWidget(m_banner);
    m_classes = new QVBoxLayout;
    m_classes->setSpacing(space::m);
    column->addLayout(m_classes);
    auto* none = new Card(tr("No class yet"));
    none->column()->addWidget(makeLabel(theme, tr("No class yet"), TextStyle::ReadH3));
    none->column()->addWidget(makeText(
        theme,
        tr("An assignment is a few lessons with a deadline, in one file. Whoever opens it hands in one file, and "
           "the class is made of those."),
        TextStyle::Body, QStringLiteral("muted")));
    m_none = none;
    m_none->hide();
    column->addWidget(m_none);
    m_sample = makeSample();
    m_sample->hide();
    column->addWidget(m_sample);
    column->addStretch(1);
    return side;
}

QWidget* ClassLanding::makeSample()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Sample class"));
    card->column()->addWidget(makeLabel(theme, tr("Sample class"), TextStyle::ReadH3));
    card->column()->addWidget(makeText(theme,
                                       tr("Twelve invented learners with real runs of the simulator. It ships with the "
                                          "program and cannot be changed."),
                                       TextStyle::Body, QStringLiteral("muted")));
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    QPushButton* look = makeButton(tr("Look at the sample"), tr("Opens the class of invented learners"));
    look->setObjectName(QStringLiteral("class-sample"));
    QPushButton* hide = makeButton(tr("Hide the sample"), tr("Takes it out of this page"));
    hide->setObjectName(QStringLiteral("class-sample-hide"));
    row->addWidget(look);
    row->addWidget(hide);
    row->addStretch(1);
    card->column()->addSpacing(space::xs);
    card->column()->addLayout(row);
    connect(look, &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("class/sample")); });
    connect(hide, &QPushButton::clicked, this, [this] {
        setSampleHidden(true);
        m_sample->hide();
        m_new->setFocus();
    });
    return card;
}

void ClassLanding::refresh()
{
    m_assignments->refresh();
    const int asked = ++m_asked;
    m_desk.run<std::vector<ClassHead>>({}, [](ClassBench& bench, const JobHooks&) { return bench.heads(); })
        .then(this, [this, asked](const Result<std::vector<ClassHead>>& heads) {
            if (asked == m_asked)
                show(heads);
        });
}

void ClassLanding::show(const Result<std::vector<ClassHead>>& heads)
{
    QWidget* const focus = focusWidget();
    const QString focused = focus && isAncestorOf(focus) ? focus->objectName() : QString();
    while (QLayoutItem* item = m_classes->takeAt(0)) {
        if (QWidget* card = item->widget()) {
            card->hide();
            card->deleteLater();
        }
        delete item;
    }
    m_banner->hide();
    if (!heads) {
        m_banner->setError(heads.error());
        m_banner->show();
    }
    const bool none = heads && heads->empty();
    if (heads)
        for (const ClassHead& head : *heads) {
            auto* card = new ClassCard(m_context.theme(), head);
            const QString slug = QString::fromStdString(head.slug);
            connect(card, &ClassCard::clicked, this,
                    [this, slug] { Q_EMIT m_context.openRequested(QStringLiteral("class/") + slug); });
            connect(card, &ClassCard::dropped, this,
                    [this, slug](const QStringList& paths) { Q_EMIT collectRequested(slug, paths); });
            m_classes->addWidget(card);
            if (card->objectName() == focused)
                card->setFocus();
        }
    m_none->setVisible(none);
    m_sample->setVisible(none && !sampleHidden());
    m_known = true;
    Q_EMIT readyChanged();
}

QList<QWidget*> ClassLanding::panes() const
{
    return {m_new, m_assignments};
}

void ClassLanding::arrange()
{
    const bool beside = width() >= m_context.theme().scaled(kBeside);
    m_sides->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void ClassLanding::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

bool ClassLanding::sampleHidden()
{
    return QSettings().value(kSampleHidden, false).toBool();
}

void ClassLanding::setSampleHidden(bool hidden)
{
    QSettings().setValue(kSampleHidden, hidden);
}

} // namespace ridge::app

#include "moc_class_landing.cpp"
