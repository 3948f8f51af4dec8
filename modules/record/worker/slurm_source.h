// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"
#include "record/worker/byte_source.h"
#include "record/worker/launcher.h"
#include "record/worker/slurm_merge.h"
#include "record/worker/worker_process.h"

#include <QTimer>
#include <memory>

namespace ridge::record {

/// What `sbatch` gets of a launcher: the words in front of srun, sbatch, and srun's options without those that only
/// srun has. "srun -p gpu --gres=gpu:1 --label" → {"sbatch", "-p", "gpu", "--gres=gpu:1"}.
QStringList sbatchWords(const QStringList& launcher);
/// scancel or scontrol of the installation whose srun the launcher names.
QStringList slurmTool(const QStringList& launcher, const QString& tool);

/// A task of `scontrol -o show job`.
struct SlurmTask {
    std::size_t first = 0, last = 0; ///< waiting ones stand in one line
    std::string state, reason;
    bool over() const; ///< in one of the states that Slurm never leaves
};
std::vector<SlurmTask> slurmTasks(const std::string& text);

/// A sweep as one array job: every task runs its points and leaves its events in a file of a folder that all nodes
/// share, and the files are read while they grow. What Slurm itself knows is asked now and then, for tasks that were
/// ended before they could leave a word.
class SlurmSource : public ByteSource {
    Q_OBJECT
public:
    SlurmSource(const WorkerOptions& options, RemoteTarget target, QString digest, RunRequest request);
    ~SlurmSource() override;

    void start(const QByteArray& request) override;
    ProcessPipe::State read(std::string& buffer, std::size_t most) override;
    void setListening(bool on) override;
    void cancel() override;
    void kill() override;
    /// The tasks tell whether they live; a queue may take any time.
    bool waits() const override { return true; }
    double cancelSeconds() const override { return 10; }
    std::string place() const override;
    std::string errorText() const override { return {}; }
    Error endedEarly() const override;

private:
    struct TaskFile {
        std::uint64_t offset = 0;
        bool over = false;
        int silentLooks = 0; ///< how often Slurm said it is over and there was no word of it
    };
    bool makeFolder();
    void submit();
    void submitted();
    void poll();
    void readTask(std::size_t index);
    void look();
    void looked();
    void tellFailures();
    void endJob() const;
    void finish();
    void breakWith(Error error);
    std::filesystem::path file(const char* name, std::size_t task) const;
    Error taskError(std::size_t task, const std::string& exit) const;

    RemoteTarget m_target;
    QStringList m_launcher;
    RemoteTimes m_times;
    RunRequest m_request;
    std::vector<std::vector<std::size_t>> m_points;
    std::filesystem::path m_folder, m_worker;
    SlurmMerge m_merge;
    std::vector<TaskFile> m_files;
    std::string m_ready; ///< bytes for the reader
    std::unique_ptr<QProcess> m_submit, m_look;
    QTimer m_poll, m_lookTimer, m_patience, m_beat;
    QString m_job, m_said;
    bool m_listening = true, m_over = false, m_cancelled = false;
};

} // namespace ridge::record
