// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/file_reader.h"

#include "app/session/background.h"
#include "record/worker/when_done.h"

#include <QFileInfo>

namespace ridge::app {

FileReader::FileReader(AppContext& context, QObject* parent) : QObject(parent), m_context(context) {}

FileReader::~FileReader()
{
    if (m_stop)
        *m_stop = true;
}

void FileReader::open(const QStringList& paths, OpenAs as)
{
    for (const QString& path : paths)
        m_queue.push_back({path, as});
    if (m_name.isEmpty())
        next();
}

void FileReader::stop()
{
    if (!canStop())
        return;
    *m_stop = true;
    m_queue.clear();
    end();
}

void FileReader::next()
{
    if (m_queue.empty())
        return;
    const Wanted wanted = m_queue.front();
    m_queue.pop_front();
    m_name = QFileInfo(wanted.path).fileName();
    if (m_name.isEmpty())
        m_name = wanted.path;
    m_stop = std::make_shared<std::atomic_bool>(false);
    Q_EMIT changed();
    Background::of(m_context).run(
        this,
        [wanted, home = m_context.feedback().home(), given = m_stop] {
            auto read = std::make_shared<Result<ReadFile>>(readOpened(wanted.path, wanted.as, home, [&] {
                return given->load() || QThread::currentThread()->isInterruptionRequested();
            }));
            // Given up meanwhile: what was read goes here, not on the thread that has a window to paint.
            if (*given)
                read.reset();
            return read;
        },
        [this, given = m_stop, path = wanted.path](const std::shared_ptr<Result<ReadFile>>& read) {
            if (read && !*given)
                take(path, std::move(*read));
        });
}

void FileReader::take(const QString& path, Result<ReadFile> read)
{
    if (read && read->imported)
        return store(path, std::move(*read->imported));
    end();
    if (!read)
        Q_EMIT failed(read.error());
    else if (!read->runs.empty())
        Q_EMIT runsRead(path, read->runs);
    else if (read->model)
        Q_EMIT modelRead(path, read->model);
    else
        Q_EMIT opened(path, read->place);
    if (m_name.isEmpty())
        next();
}

void FileReader::store(const QString& path, ReadImport imported)
{
    record::Store* store = m_context.store();
    if (!store || store->readOnly()) {
        take(path, m_context.storeError().value_or(Error{"store-readonly", "Your record is open for reading only",
                                                         store ? store->folder().string() : std::string(),
                                                         "Close the other Ridgepoint that is writing to it"}));
        return;
    }
    m_stop.reset();
    Q_EMIT changed();
    // The writer takes them in this order, so the row finds its file; where the file failed, its error says more.
    auto file = store->putFile(std::move(imported.bytes));
    record::whenDone(store->append(std::move(imported.row)), this, [this, path, file](const Result<std::string>& id) {
        end();
        if (id)
            Q_EMIT opened(path, QStringLiteral("artifact/") + QString::fromStdString(*id));
        else
            Q_EMIT failed(file.result() ? id.error() : file.result().error());
        if (m_name.isEmpty())
            next();
    });
}

void FileReader::end()
{
    m_name.clear();
    m_stop.reset();
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_file_reader.cpp"
