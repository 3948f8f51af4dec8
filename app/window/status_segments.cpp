// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_segments.h"

#include "app/runs/lab/run_queue.h"
#include "app/ui/panels.h"
#include "app/window/run_watch.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPointer>
#include <QWidgetAction>
#include <algorithm>

namespace ridge::app {
namespace {

/// Of the newest runs so many are looked through for one with a label: a menu has to open at once.
constexpr int kHeadsLookedAt = 500;
constexpr int kHelpWidth = 420; ///< px at 100 % text

QString tr(const char* text)
{
    return QCoreApplication::translate("StatusSegments", text);
}

std::string newestRun(const record::Store* store, Provenance provenance)
{
    if (!store)
        return {};
    const auto heads = store->runHeads({.limit = kHeadsLookedAt});
    if (!heads)
        return {};
    const auto found = std::ranges::find(*heads, provenance, &record::RunHead::provenance);
    return found != heads->end() ? found->id : std::string();
}

/// Takes the job at `index`, or what it has moved to since the menu was filled, out of a queue.
void takeOut(RunQueue* queue, std::size_t index, const QString& title)
{
    for (std::size_t i = std::min(index + 1, queue->waiting().size()); i-- > 0;)
        if (queue->waiting()[i].title == title)
            return queue->remove(i);
}

} // namespace

SegmentButton::SegmentButton(const QString& name, const QString& menuName, QWidget* parent)
    : QToolButton(parent), m_row(new QHBoxLayout(this))
{
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(name);
    m_row->setContentsMargins(space::s, 1, space::s, 1);
    m_row->setSpacing(space::s);
    auto* menu = new QMenu(this);
    menu->setAccessibleName(menuName);
    menu->setToolTipsVisible(true);
    setMenu(menu);
}

void SegmentButton::add(QWidget* shown)
{
    shown->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_row->addWidget(shown, 0, Qt::AlignVCenter);
}

QSize SegmentButton::sizeHint() const
{
    return m_row->sizeHint();
}

void fillProvenanceMenu(QMenu* menu, AppContext& context, Provenance current)
{
    menu->clear();
    std::vector<Provenance> all = {Provenance::Measured, Provenance::Simulated, Provenance::Modelled,
                                   Provenance::Recorded};
    std::stable_partition(all.begin(), all.end(), [current](Provenance one) { return one == current; });
    for (Provenance one : all) {
        auto* line = new QWidgetAction(menu);
        const auto label = shortLabel(one);
        const QString text = QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size())) +
                             QStringLiteral(" · ") + provenanceHelp(one);
        line->setText(text); // what a screen reader finds
        QLabel* shown =
            makeText(context.theme(), text, TextStyle::Body, one == current ? QString() : QStringLiteral("muted"));
        shown->setFixedWidth(context.theme().scaled(kHelpWidth));
        shown->setContentsMargins(space::m, space::xs, space::m, space::xs);
        line->setDefaultWidget(shown);
        menu->addAction(line);
    }
    menu->addSeparator();
    menu->addAction(tr("Measured and modelled: how far off the engines are"), &context,
                    [&context] { Q_EMIT context.openRequested(QStringLiteral("parity")); })
        ->setObjectName(QStringLiteral("parity"));
    const std::string run = newestRun(context.store(), current);
    const auto word = toText(current);
    QAction* go = menu->addAction(
        tr("Show the newest run that is %1").arg(QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size()))),
        &context,
        [&context, run] { Q_EMIT context.openRequested(QStringLiteral("runs/") + QString::fromStdString(run)); });
    go->setEnabled(!run.empty());
    go->setObjectName(QStringLiteral("newestRun"));
    menu->setActiveAction(go->isEnabled() ? go : nullptr);
}

double fractionOf(const CalibrationRun& calibration)
{
    return calibration.all() > 0 ? double(calibration.finished()) / calibration.all() : 0;
}

void fillRunMenu(QMenu* menu, AppContext& context, const RunWatch& runs, const QObject* root)
{
    menu->clear();
    for (RunController* run : runs.active()) {
        const QString title = tr("%1, %2 %").arg(run->title()).arg(static_cast<int>(run->fraction() * 100));
        menu->addAction(tr("Go to %1").arg(title), &context,
                        [&context, page = run->page()] { Q_EMIT context.openRequested(page); });
        QAction* stop = menu->addAction(tr("Stop %1").arg(run->title()), run, [run] { run->cancel(); });
        stop->setEnabled(run->state() == RunState::Running);
        stop->setToolTip(tr("Points that are stored stay; what waits behind it starts"));
    }
    for (RunQueue* queue : root->findChildren<RunQueue*>())
        for (std::size_t i = 0; i < queue->waiting().size(); ++i) {
            const QString title = queue->waiting()[i].title;
            menu->addAction(tr("Take out %1, which waits").arg(title), queue,
                            [queue, i, title] { takeOut(queue, i, title); });
        }
    if (CalibrationRun& calibration = context.calibration(); calibration.running()) {
        const QString title = tr("the calibration of %1").arg(context.targetInfo(calibration.target()).title);
        menu->addAction(tr("Go to %1, %2 %").arg(title).arg(static_cast<int>(fractionOf(calibration) * 100)), &context,
                        [&context] { Q_EMIT context.openRequested(QStringLiteral("home")); });
        menu->addAction(tr("Stop %1").arg(title), &calibration, [&calibration] { calibration.cancel(); })
            ->setToolTip(tr("What is measured by now is kept"));
    }
    menu->addSeparator();
    QAction* all = context.actions().find(QStringLiteral("run.stop"));
    if (all)
        menu->addAction(tr("Stop everything, also what waits"), all, &QAction::trigger)->setEnabled(all->isEnabled());
    menu->addAction(tr("Show Runs"), &context, [&context] { Q_EMIT context.openRequested(QStringLiteral("runs")); });
}

} // namespace ridge::app

#include "moc_status_segments.cpp"
