// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/search/search_service.h"

#include <QMetaObject>

namespace ridge::app {

struct SearchService::Side : QObject {
    std::filesystem::path curriculum, dataRoot, storeFolder;
    std::optional<lessons::Curriculum> loaded;
    std::unique_ptr<record::Store> store;
    std::unique_ptr<SearchIndex> index;

    Result<void> begin()
    {
        if (index)
            return {};
        loaded = lessons::loadCurriculum(curriculum).curriculum;
        if (!storeFolder.empty())
            if (auto opened = record::Store::openReadOnly(storeFolder))
                store = std::move(*opened);
        auto opened = SearchIndex::open(store ? searchIndexFile(storeFolder) : std::filesystem::path());
        if (!opened)
            return opened.error();
        index = std::move(*opened);
        return {};
    }
};

SearchService::SearchService(std::filesystem::path curriculum, std::filesystem::path dataRoot,
                             std::filesystem::path storeFolder, QObject* parent)
    : QObject(parent), m_side(std::make_unique<Side>())
{
    m_side->curriculum = std::move(curriculum);
    m_side->dataRoot = std::move(dataRoot);
    m_side->storeFolder = std::move(storeFolder);
    m_side->moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("search"));
    m_thread.start(QThread::LowPriority);
}

SearchService::~SearchService()
{
    // Connections are closed by the thread that opened them.
    QMetaObject::invokeMethod(m_side.get(), [this] {
        m_side->index.reset();
        m_side->store.reset();
        m_thread.quit();
    });
    m_thread.wait();
}

void SearchService::refresh()
{
    QMetaObject::invokeMethod(m_side.get(), [this] { update(); });
}

void SearchService::update()
{
    auto done = m_side->begin();
    auto all = done ? m_side->index->update(*m_side->loaded, m_side->dataRoot, m_side->store.get())
                    : Result<bool>(done.error());
    if (!all)
        Q_EMIT failed(all.error());
    else if (*all)
        Q_EMIT updated();
    else
        QMetaObject::invokeMethod(
            m_side.get(), [this] { update(); }, Qt::QueuedConnection);
}

void SearchService::ask(const QString& typed)
{
    const int number = ++m_newest;
    QMetaObject::invokeMethod(m_side.get(), [this, typed, number] {
        if (number != m_newest)
            return;
        auto ready = m_side->begin();
        auto answer = ready ? m_side->index->search(typed) : Result<SearchAnswer>(ready.error());
        if (number != m_newest)
            return;
        if (answer)
            Q_EMIT answered(*answer);
        else
            Q_EMIT failed(answer.error());
    });
}

} // namespace ridge::app
