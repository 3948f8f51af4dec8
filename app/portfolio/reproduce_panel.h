// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/artifact_bundle.h"
#include "app/session/app_context.h"

#include <QAbstractTableModel>
#include <QWidget>
#include <memory>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace ridge::record {
class Reproducer;
}

namespace ridge::app {

class TargetBox;

/// Whether there are runs, or a graded kernel, that can be repeated.
bool canRepeat(const ArtifactBundle& bundle);

/// Repeats the runs of one artifact at a time, or grades its kernel again, and outlives the page's pictures of it. GUI
/// thread.
class ReproduceRun : public QObject {
    Q_OBJECT
public:
    explicit ReproduceRun(AppContext& context, QObject* parent = nullptr);
    ~ReproduceRun() override;

    bool running() const { return m_reproducer != nullptr; }
    const std::string& artifact() const { return m_artifact; } ///< of the last start
    int finished() const { return m_finished; }
    int all() const { return m_all; } ///< 0: not known yet
    const QString& what() const { return m_what; }
    const QStringList& notes() const { return m_notes; } ///< of the last one that ended
    /// Where an artifact is to be repeated: a target's id, or empty for each run on its own.
    void choose(const std::string& artifactId, const QString& target);
    QString chosen(const std::string& artifactId) const;
    /// On the chosen target. One at a time: another start while it runs does nothing.
    void start(const record::ArtifactRow& artifact);
    void cancel();

Q_SIGNALS:
    void changed();
    void ended();

private:
    void end();

    AppContext& m_context;
    std::unique_ptr<record::Reproducer> m_reproducer;
    std::string m_artifact;
    std::map<std::string, QString> m_chosen; ///< by artifact
    int m_finished = 0, m_all = 0;
    QString m_what;
    QStringList m_notes;
};

/// The pairs of a reproduction: what run, which metric, then, now, factor, verdict.
class ReproductionModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Run, Metric, Then, Now, Factor, Verdict, ColumnCount };
    ReproductionModel(const AppContext& context, const record::ReproductionRow& row,
                      const std::vector<record::RunRow>& runs, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<std::array<QString, ColumnCount>> m_rows;
};

/// What a verdict of a reproduction means, in one sentence.
QString verdictMeaning(const std::string& verdict);

/// Reproduce: the button, progress with a way to stop, old beside new with the verdict, trust with its sentence.
class ReproducePanel : public QWidget {
    Q_OBJECT
public:
    ReproducePanel(AppContext& context, ReproduceRun& run, const ArtifactBundle& bundle, QWidget* parent = nullptr);
    void showVerdict();

private:
    void addLatest(QVBoxLayout* column);
    void addEarlier(QVBoxLayout* column);
    void addTrust(QVBoxLayout* column);
    void fillTargets();
    void showProgress();
    bool mine() const { return m_run.running() && m_run.artifact() == m_bundle.row.artifactId; }

    AppContext& m_context;
    ReproduceRun& m_run;
    const ArtifactBundle& m_bundle; ///< of the view that this stands in
    QPushButton* m_start;
    QPushButton* m_stop;
    TargetBox* m_target;
    QLabel* m_targetNote;
    QProgressBar* m_bar;
    QLabel* m_state;
};

} // namespace ridge::app
