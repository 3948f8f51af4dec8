// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/remote_hosts.h"

#include <algorithm>

namespace ridge::app {

using record::RemoteSetup;
using record::RemoteTarget;

RemoteHosts::RemoteHosts(std::filesystem::path home, QObject* parent) : QObject(parent), m_home(std::move(home))
{
    reload();
}

RemoteHosts::~RemoteHosts() = default;

void RemoteHosts::reload()
{
    auto read = record::readRemoteTargets(m_home);
    const bool same = read ? !m_error && *read == m_targets : m_error == read.error();
    if (same)
        return;
    if (read) {
        m_targets = std::move(*read);
        m_error.reset();
    } else {
        m_error = read.error();
    }
    Q_EMIT changed();
}

bool RemoteHosts::knows(const std::string& name) const
{
    return std::ranges::find(m_targets, name, &RemoteTarget::name) != m_targets.end();
}

RemoteHosts::Reach RemoteHosts::reach(const std::string& name) const
{
    const auto state = m_states.find(name);
    return state == m_states.end() ? Reach::NotAsked : state->second.reach;
}

QString RemoteHosts::reachText(const std::string& name) const
{
    switch (reach(name)) {
    case Reach::NotAsked:
        return tr("not asked yet");
    case Reach::Asking:
        return tr("asking …");
    case Reach::Reachable:
        return tr("reachable");
    case Reach::Unreachable:
        return tr("not reachable");
    }
    return {};
}

const Error* RemoteHosts::why(const std::string& name) const
{
    const auto state = m_states.find(name);
    return state == m_states.end() || !state->second.why ? nullptr : &*state->second.why;
}

void RemoteHosts::set(const std::string& name, Reach reach, std::optional<Error> why)
{
    State& state = m_states[name];
    if (state.reach == reach && state.why == why)
        return;
    state = {reach, std::move(why)};
    Q_EMIT changed();
}

void RemoteHosts::ask(const std::string& name)
{
    const auto target = std::ranges::find(m_targets, name, &RemoteTarget::name);
    if (target == m_targets.end() || reach(name) == Reach::Asking)
        return;
    auto setup = std::make_unique<RemoteSetup>(record::WorkerOptions{record::defaultWorkerProgram(), {}}, *target,
                                               RemoteSetup::Extent::Check);
    connect(setup.get(), &RemoteSetup::finished, this, [this, name](const RemoteSetup::Outcome& outcome) {
        const auto kept = record::changeRemoteTargets(m_home, [&](std::vector<RemoteTarget>& all) -> Result<void> {
            // Only what was found out: the file may have changed while the machine was asked.
            for (RemoteTarget& each : all)
                if (each.name == name && each.launcher == outcome.target.launcher) {
                    each.words = outcome.target.words;
                    each.seen = outcome.target.seen;
                }
            return {};
        });
        reload();
        if (kept)
            set(name, Reach::Reachable);
        else
            set(name, Reach::Unreachable, kept.error());
    });
    connect(setup.get(), &RemoteSetup::failed, this,
            [this, name](const Error& error) { set(name, Reach::Unreachable, error); });
    RemoteSetup* const started = setup.get();
    m_asking[name] = std::move(setup);
    set(name, Reach::Asking);
    started->start();
}

void RemoteHosts::reached(const std::string& name)
{
    if (reach(name) != Reach::Asking)
        set(name, Reach::Reachable);
}

void RemoteHosts::notReached(const std::string& name, const Error& error)
{
    if (reach(name) != Reach::Asking)
        set(name, Reach::Unreachable, error);
}

} // namespace ridge::app

#include "moc_remote_hosts.cpp"
