// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/search_index.h"

#include <QObject>
#include <QThread>
#include <atomic>

namespace ridge::app {

/// The index in a thread of its own, so that no key waits for it: it reads the store through a connection that cannot
/// write. Owned by the GUI thread.
class SearchService : public QObject {
    Q_OBJECT
public:
    /// `storeFolder` empty: lessons and terms only, in memory.
    SearchService(std::filesystem::path curriculum, std::filesystem::path dataRoot, std::filesystem::path storeFolder,
                  QObject* parent = nullptr);
    ~SearchService() override;

    /// Brings the index up to date, in slices; questions are answered in between.
    void refresh();
    /// Only the newest question is answered. `held` as for SearchIndex::search.
    void ask(const QString& typed, const HeldLessons& held = {});

Q_SIGNALS:
    void answered(const ridge::app::SearchAnswer& answer);
    void updated(); ///< everything there is has been taken up
    void failed(const ridge::Error& error);

private:
    struct Side;
    void update();

    QThread m_thread;
    std::unique_ptr<Side> m_side; ///< lives in the thread
    std::atomic<int> m_newest{0};
};

} // namespace ridge::app
