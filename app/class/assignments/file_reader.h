// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/assignments/open_file.h"
#include "app/session/app_context.h"

#include <QObject>
#include <atomic>
#include <deque>
#include <memory>

namespace ridge::app {

/// Files that the window is asked to open, one after the other: each is read in the background, where a log of
/// hundreds of MB takes seconds, and stored by the record's writer; the event loop goes on meanwhile. GUI thread.
class FileReader : public QObject {
    Q_OBJECT
public:
    explicit FileReader(AppContext& context, QObject* parent = nullptr);
    /// What is being read is dropped: nothing of it is stored unless its artifact was handed to the writer already.
    ~FileReader() override;

    void open(const QStringList& paths, OpenAs as);
    /// Empty while nothing is read.
    QString reading() const { return m_name; }
    /// Whether what is read can still be given up; not once it is being stored.
    bool canStop() const { return m_stop && !*m_stop; }
    /// Gives up the file that is being read and those behind it.
    void stop();

Q_SIGNALS:
    /// reading() or canStop() is another one.
    void changed();
    /// "assignment/…", or "artifact/<id>" of an import that is stored.
    void opened(const QString& path, const QString& place);
    void runsRead(const QString& path, const std::vector<ridge::record::RunRow>& runs);
    void modelRead(const QString& path, const std::shared_ptr<ridge::workload::Subject>& model);
    void failed(const ridge::Error& error);

private:
    struct Wanted {
        QString path;
        OpenAs as;
    };
    void next();
    void take(const QString& path, Result<ReadFile> read);
    void store(const QString& path, ReadImport imported);
    void end();

    AppContext& m_context;
    std::deque<Wanted> m_queue;
    QString m_name;
    std::shared_ptr<std::atomic_bool> m_stop; ///< of the file that is being read; the thread has the other end
};

} // namespace ridge::app
