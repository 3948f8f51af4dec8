// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFuture>
#include <QFutureWatcher>

namespace ridge::record {

/// `taken(value)` on the receiver's thread once the future has its value; not at all once the receiver is gone, or
/// where the future never gets one. In place of QFuture::then(receiver, …), which calls the receiver from the thread
/// that has finished: in that moment the receiver may be on its way out (Qt 6.4 looks at a QPointer there, and a debug
/// build of it ends the program where the receiver is gone). To be called on the receiver's thread.
template<class Value, class Receiver, class Taken>
void whenDone(QFuture<Value> future, Receiver* receiver, Taken taken)
{
    auto* watcher = new QFutureWatcher<Value>(receiver);
    QObject::connect(watcher, &QFutureWatcherBase::finished, receiver, [watcher, taken = std::move(taken)]() mutable {
        watcher->deleteLater();
        if (watcher->future().resultCount() > 0)
            taken(watcher->result());
    });
    watcher->setFuture(future);
}

} // namespace ridge::record
