// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/app_context.h"

#include "base/paths.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "evidence/evidence.h"
#include "record/worker/worker_run.h"

#include <QSettings>

namespace ridge::app {

namespace {

const QString kTargetKey = QStringLiteral("run/target");
const QString kMachinesKey = QStringLiteral("run/machines");
const QString kGpuTarget = QString::fromLatin1(kFirstGpu);
const QString kSimTarget = QString::fromLatin1(kDefaultSimulator);

QString textOf(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

} // namespace

AppContext::AppContext(Theme& theme, ActionRegistry& actions, std::unique_ptr<record::Store> store,
                       std::filesystem::path data, QObject* parent)
    : QObject(parent), m_theme(theme), m_actions(actions), m_store(std::move(store)),
      m_calibration(std::make_unique<CalibrationRun>(m_store.get())),
      m_remotes(std::make_unique<RemoteHosts>(homeFolder())),
      m_feedback(std::make_unique<FeedbackWatch>(m_store ? m_store->folder() : homeFolder())), m_data(std::move(data)),
      m_targets(Json::object())
{
    auto loaded = lessons::loadCurriculum(m_data / "curriculum");
    m_curriculum = std::move(loaded.curriculum);
    m_curriculumProblems = std::move(loaded.problems);
    m_target = QSettings().value(kTargetKey).toString();
    if (m_target.isEmpty())
        m_target = kSimTarget;
    m_machines = QSettings().value(kMachinesKey).toStringList();
    connect(m_remotes.get(), &RemoteHosts::changed, this, &AppContext::remotesChanged);
    if (m_store)
        connect(m_store.get(), &record::Store::writeFailed, this,
                [this](const QString& message) { Q_EMIT notice(message, true); });
}

void AppContext::loadCatalogue()
{
    if (m_openQueries > 0)
        return;
    m_catalogueError.reset();
    m_pendingExperiments.clear();
    const record::WorkerOptions options{.program = record::defaultWorkerProgram(), .launcher = {}};
    const auto ask = [&](const QString& verb, void (AppContext::*take)(const Json&)) {
        auto* query = new record::WorkerQuery(options, verb, this);
        connect(query, &record::WorkerQuery::answered, this, [this, take](const JsonValue& document) {
            --m_openQueries;
            (this->*take)(*document);
        });
        connect(query, &record::WorkerQuery::failed, this, [this](const Error& error) {
            --m_openQueries;
            failCatalogue(error);
        });
        ++m_openQueries;
        query->start();
    };
    ask(QStringLiteral("describe"), &AppContext::takeCatalogue);
    ask(QStringLiteral("targets"), &AppContext::takeTargets);
}

const record::BaselineLibrary& AppContext::baselines() const
{
    if (!m_baselines) {
        m_baselines = record::readBaselines(m_data / "assets" / "baselines");
        if (hasCatalogue())
            for (const record::Baseline& baseline : m_baselines->baselines)
                for (Error& misfit : record::baselineMisfits(baseline, m_experiments))
                    m_baselines->problems.push_back(std::move(misfit));
    }
    return *m_baselines;
}

void AppContext::takeCatalogue(const Json& document)
{
    auto experiments = catalogueFromJson(document);
    if (!experiments)
        return failCatalogue(experiments.error());
    m_pendingExperiments = std::move(*experiments);
    if (m_openQueries == 0 && !m_catalogueError)
        chooseTarget();
}

void AppContext::takeTargets(const Json& document)
{
    if (!document.is_object() || !document.contains("targets") || !document["targets"].is_array())
        return failCatalogue({"bad-protocol", "ridge-worker targets did not answer with a list of targets",
                              "ridge-worker targets", "Build ridge-worker and ridgepoint from the same source"});
    m_targets = document;
    if (m_openQueries == 0 && !m_catalogueError)
        chooseTarget();
}

void AppContext::failCatalogue(const Error& error)
{
    if (m_catalogueError)
        return;
    m_catalogueError = error;
    Q_EMIT catalogueFailed(error);
    Q_EMIT notice(QString::fromStdString(toText(error)), true);
}

void AppContext::chooseTarget()
{
    m_experiments = std::move(m_pendingExperiments);
    m_pendingExperiments.clear();
    if (m_experiments.empty())
        return failCatalogue({"bad-protocol", "The worker offers no experiments", "ridge-worker describe",
                              "Build ridge-worker and ridgepoint from the same source"});
    const bool chosen = !QSettings().value(kTargetKey).toString().isEmpty();
    const QString before = m_target;
    if (!chosen)
        m_target = targetInfo(kGpuTarget).available ? kGpuTarget : kSimTarget;
    Q_EMIT catalogueReady();
    if (m_target != before)
        Q_EMIT targetChanged();
}

const ExperimentInfo* AppContext::experiment(std::string_view id) const
{
    const auto found = std::ranges::find(m_experiments, id, &ExperimentInfo::id);
    return found == m_experiments.end() ? nullptr : &*found;
}

void AppContext::setTarget(const QString& target)
{
    // A machine answers for the experiments of its engine alone, so what all others run on stays as it is.
    const bool machine = !machineOfTarget(target.toStdString()).empty();
    m_choices.push_back(target);
    m_machineIsNewer = machine;
    if (machine) {
        m_machines.removeAll(target);
        m_machines.prepend(target);
        QSettings().setValue(kMachinesKey, m_machines);
        Q_EMIT targetChanged();
        return;
    }
    QSettings().setValue(kTargetKey, target);
    if (target == m_target)
        return;
    m_target = target;
    Q_EMIT targetChanged();
}

bool AppContext::isChosen(const QString& id) const
{
    if (machineOfTarget(id.toStdString()).empty())
        return id == m_target;
    return std::ranges::any_of(m_experiments, [&](const ExperimentInfo& info) { return targetOf(info.id) == id; });
}

QString AppContext::targetOf(std::string_view experimentId) const
{
    const ExperimentInfo* info = experiment(experimentId);
    if (!info)
        return m_target;
    if (m_machineIsNewer || !canRun(*info, m_target.toStdString()))
        for (const QString& machine : m_machines)
            if (canRun(*info, machine.toStdString()))
                return machine;
    return QString::fromStdString(targetFor(*info, m_target.toStdString()));
}

AppContext::Target AppContext::targetInfo(const QString& id) const
{
    Target target{.id = id,
                  .title = id,
                  .reason = tr("The worker does not list the target %1.").arg(id),
                  .fix = tr("Choose another target in the status bar."),
                  .available = false};
    if (const std::string remote = splitTarget(id.toStdString()).remote; !remote.empty())
        return remoteTargetInfo(remote, std::move(target));
    const auto list = m_targets->find("targets");
    if (list == m_targets->end())
        return target;
    for (const auto& row : *list) {
        if (!row.is_object() || textOf(row, "id") != id)
            continue;
        target.title = textOf(row, "title");
        target.available = row.value("available", false);
        target.reason = textOf(row, "reason");
        target.fix = textOf(row, "fix");
    }
    return target;
}

/// One that was never asked may be tried: the run then says what is wrong, in its place.
AppContext::Target AppContext::remoteTargetInfo(const std::string& remote, Target target) const
{
    const auto known = std::ranges::find(m_remotes->targets(), remote, &record::RemoteTarget::name);
    if (known == m_remotes->targets().end()) {
        target.reason = tr("There is no remote target %1.").arg(QString::fromStdString(remote));
        target.fix = tr("Add it with ridge target add, or choose another target in the status bar.");
        return target;
    }
    const auto rows = record::offeredBy(*known);
    const auto row = std::ranges::find_if(rows, [&](const Json& each) { return textOf(each, "id") == target.id; });
    target.available = row == rows.end() ? rows.empty() : row->value("available", false);
    if (row != rows.end()) {
        target.title = textOf(*row, "title");
        target.reason = textOf(*row, "reason");
        target.fix = textOf(*row, "fix");
    } else if (!rows.empty()) {
        target.reason = tr("%1 did not offer it when it was asked last.").arg(QString::fromStdString(remote));
    }
    return target;
}

std::string AppContext::targetClass(const QString& id)
{
    return kindOfTarget(id.toStdString());
}

lessons::Evidence AppContext::evidence(const std::string& lessonId) const
{
    if (!m_store)
        return {};
    auto found = evidenceFromStore(*m_store, lessonId);
    // A damaged row is reported by the store itself; the checks then are open rather than wrong.
    return found ? std::move(*found) : lessons::Evidence{};
}

lessons::Evidence AppContext::evidence(const lessons::Lesson& lesson) const
{
    if (!m_store)
        return {};
    auto found = evidenceFromStore(*m_store, lesson);
    return found ? std::move(*found) : lessons::Evidence{};
}

} // namespace ridge::app

#include "moc_app_context.cpp"
