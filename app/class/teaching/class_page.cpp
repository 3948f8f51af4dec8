// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_page.h"

#include "app/class/teaching/class_desk.h"
#include "app/class/teaching/class_form.h"
#include "app/class/teaching/class_landing.h"
#include "app/class/teaching/class_view.h"
#include "app/ui/panels.h"
#include "base/paths.h"
#include "classroom/class_folder.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

const QString kNew = QStringLiteral("new"), kSample = QStringLiteral("sample");

} // namespace

ClassPage::ClassPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context),
      m_desk(new ClassDesk(homeFolder(), context.dataFolder() / "assets/samples/class", context.curriculum(), this)),
      m_stack(new QStackedWidget(this)), m_landing(new ClassLanding(context, *m_desk, m_stack))
{
    setAccessibleName(tr("Class"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_stack->setAccessibleName(tr("Class"));
    m_stack->addWidget(m_landing);
    connect(m_landing, &ClassLanding::readyChanged, this, &Page::readyChanged);
    connect(m_landing, &ClassLanding::collectRequested, this, [this](const QString& slug, const QStringList& paths) {
        Q_EMIT m_context.openRequested(QStringLiteral("class/") + slug);
        view()->collectWhenReady(paths);
    });
    connect(this, &ClassPage::openFolderRequested, this,
            [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
}

// Most visits are to the landing alone. All three parts in one turn of the event loop are the longest turn there is.

ClassForm* ClassPage::form()
{
    if (m_form)
        return m_form;
    m_form = new ClassForm(m_context, *m_desk, m_stack);
    m_stack->addWidget(m_form);
    connect(m_form, &ClassForm::made, this, [this](const QString& slug, const QString& id, const QString& file) {
        Q_EMIT m_context.openRequested(QStringLiteral("class/%1/%2").arg(slug, id));
        view()->tell(
            tr("%1 is written. Give it to your learners, by any way you have.").arg(QFileInfo(file).fileName()),
            tr("Open the folder"),
            [this, folder = QFileInfo(file).absolutePath()] { Q_EMIT openFolderRequested(folder); });
    });
    return m_form;
}

ClassView* ClassPage::view()
{
    if (m_view)
        return m_view;
    m_view = new ClassView(m_context, *m_desk, m_stack);
    m_stack->addWidget(m_view);
    connect(m_view, &ClassView::changed, this, [this] {
        Q_EMIT readyChanged();
        Q_EMIT titleChanged();
        Q_EMIT commandsChanged();
    });
    connect(m_view, &ClassView::openFolderRequested, this, &ClassPage::openFolderRequested);
    return m_view;
}

ClassPage::~ClassPage()
{
    // Views follow the desk's signals; it ends its thread while they stand.
    m_desk->disconnect();
    delete m_desk;
}

ClassPage::Shown ClassPage::shown() const
{
    const QWidget* part = m_stack->currentWidget();
    return part == m_landing ? Landing : part == m_form ? Form : View;
}

Result<void> ClassPage::open(const QString& place)
{
    const QString part = place.section(QLatin1Char('#'), 0, 0);
    const QString first = part.section(QLatin1Char('/'), 0, 0), second = part.section(QLatin1Char('/'), 1);
    if (m_view)
        m_view->setProjector(false);
    if (part.isEmpty()) {
        m_stack->setCurrentWidget(m_landing);
        m_landing->refresh();
    } else if (first == kNew) {
        QString title;
        if (!second.isEmpty())
            if (const auto known = classroom::findClass(homeFolder(), second.toStdString()))
                title = QString::fromStdString(known->title);
        form()->startFor(title);
        m_stack->setCurrentWidget(m_form);
    } else if (first == kSample || classroom::classExists(homeFolder(), first.toStdString())) {
        const bool sample = first == kSample;
        view()->open(
            {sample ? std::string() : first.toStdString(), sample ? std::string() : second.toStdString(), sample},
            place.section(QLatin1Char('#'), 1));
        m_stack->setCurrentWidget(m_view);
    } else {
        return Error{"unknown-page", "There is no class " + first.toStdString() + ".",
                     (homeFolder() / "classes").string(), "Class shows those there are."};
    }
    m_part = part;
    Q_EMIT readyChanged();
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
    return {};
}

QString ClassPage::title() const
{
    return shown() == View ? m_view->title() : shown() == Form ? tr("New assignment") : tr("Class");
}

bool ClassPage::ready() const
{
    return shown() == View ? m_view->ready() : shown() == Form || m_landing->ready();
}

bool ClassPage::can(Command command) const
{
    if (shown() != View || m_desk->working())
        return false;
    switch (command) {
    case Command::Collect:
    case Command::CollectFiles:
    case Command::ReadRoster:
    case Command::AssignmentFile:
        return m_view->changeable();
    case Command::Recheck:
        return m_view->changeable() && m_view->hasHandIns();
    case Command::Grades:
    case Command::Feedback:
    case Command::Projector:
    case Command::Export:
        return m_view->hasHandIns();
    default:
        return false;
    }
}

void ClassPage::perform(Command command)
{
    switch (command) {
    case Command::Collect:
        m_view->chooseFolder();
        break;
    case Command::CollectFiles:
        m_view->chooseFiles();
        break;
    case Command::ReadRoster:
        m_view->chooseRoster();
        break;
    case Command::AssignmentFile:
        m_view->chooseAssignmentFile();
        break;
    case Command::Recheck:
        m_view->regrade();
        break;
    case Command::Grades:
    case Command::Export:
        m_view->chooseGrades();
        break;
    case Command::Feedback:
        m_view->writeFeedback();
        break;
    case Command::Projector:
        m_view->setProjector(!m_view->projector());
        break;
    default:
        break;
    }
}

QList<QWidget*> ClassPage::panes() const
{
    return shown() == View ? m_view->panes() : shown() == Form ? m_form->panes() : m_landing->panes();
}

int ClassPage::runningJobs() const
{
    return m_desk->working() ? 1 : 0;
}

void ClassPage::cancelRuns()
{
    m_desk->stop();
}

QScrollArea* ClassPage::scroll() const
{
    if (shown() == View)
        return m_view->scroll();
    return shown() == Form ? m_form->scroll() : m_landing->scroll();
}

double ClassPage::scrollFraction() const
{
    return app::scrollFraction(scroll());
}

void ClassPage::setScrollFraction(double fraction)
{
    app::setScrollFraction(scroll(), fraction);
}

} // namespace ridge::app

#include "moc_class_page.cpp"
