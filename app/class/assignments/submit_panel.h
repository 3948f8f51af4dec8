// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/assignments/submit_job.h"
#include "app/session/app_context.h"
#include "app/ui/panels.h"

class QCheckBox;
class QLineEdit;
class QVBoxLayout;

namespace ridge::app {

/// What a submission says about its learner, field by field, what stays here, and Submit, which asks for a folder.
/// The list is made from the file that would be written, anew with every tick. GUI thread.
class SubmitPanel : public Card {
    Q_OBJECT
public:
    SubmitPanel(AppContext& context, classroom::Assignment assignment, QWidget* parent = nullptr);

    classroom::Consent consent() const;
    QPushButton* submitButton() const { return m_submit; }
    bool ready() const { return m_pending == 0 && !m_wait.isActive(); } ///< nothing is being made; settled follows
    QStringList contains() const { return m_contains; }

    /// Writes the submission into the folder; submitted or failed follows.
    void submitTo(const QString& folder);

Q_SIGNALS:
    void settled();
    void submitted(const QString& file);
    void failed(const ridge::Error& error);

private:
    QCheckBox* addTick(const char* name, const QString& text, const QString& help, bool on);
    void look();
    void preview();
    void show(const Result<Submitted>& made);
    void list(const QStringList& lines, bool marked);
    void say(const QString& state);
    void finish(const Result<Submitted>& made);
    void chooseFolder();
    void openFolder();

    AppContext& m_context;
    classroom::Assignment m_assignment;
    std::vector<std::string> m_foreign;
    QLineEdit* m_name;
    QCheckBox* m_reasons;
    QCheckBox* m_artifacts;
    QCheckBox* m_journal;
    QCheckBox* m_notes;
    QCheckBox* m_traces;
    QCheckBox* m_others = nullptr;
    QWidget* m_list;
    QVBoxLayout* m_ticks = nullptr;
    QLabel* m_state;
    Banner* m_banner;
    QPushButton* m_submit;
    QPushButton* m_open;
    QTimer m_wait;
    QStringList m_contains;
    QString m_folder; ///< of the last submission
    int m_asked = 0, m_pending = 0;
};

} // namespace ridge::app
