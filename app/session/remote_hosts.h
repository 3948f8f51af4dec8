// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/remote_setup.h"

#include <QObject>
#include <filesystem>
#include <map>

namespace ridge::app {

/// The remote targets as the program knows them: what targets.json says, and what became of the last attempt to reach
/// each. Reads the file when asked to, and asks a machine only when somebody wants that: nothing here makes a network
/// packet by itself.
class RemoteHosts : public QObject {
    Q_OBJECT
public:
    explicit RemoteHosts(std::filesystem::path home, QObject* parent = nullptr);
    ~RemoteHosts() override;

    /// Looks at the file again; changed() follows where it is another one.
    void reload();
    /// What is wrong with the file; the targets are then those of before.
    const std::optional<Error>& error() const { return m_error; }
    const std::vector<record::RemoteTarget>& targets() const { return m_targets; }
    bool knows(const std::string& name) const;

    enum class Reach { NotAsked, Asking, Reachable, Unreachable };
    Reach reach(const std::string& name) const;
    /// "not asked yet", "asking …", "reachable", "not reachable".
    QString reachText(const std::string& name) const;
    /// Why it is not reachable; null otherwise.
    const Error* why(const std::string& name) const;

    /// Finds out whether it answers and what it offers (record::RemoteSetup), in the background.
    void ask(const std::string& name);
    /// What a run found out on its way.
    void reached(const std::string& name);
    void notReached(const std::string& name, const Error& error);

Q_SIGNALS:
    void changed();

private:
    struct State {
        Reach reach = Reach::NotAsked;
        std::optional<Error> why;
    };
    void set(const std::string& name, Reach reach, std::optional<Error> why = {});
    std::filesystem::path m_home;
    std::optional<Error> m_error;
    std::vector<record::RemoteTarget> m_targets;
    std::map<std::string, State> m_states;
    std::map<std::string, std::unique_ptr<record::RemoteSetup>> m_asking;
};

} // namespace ridge::app
