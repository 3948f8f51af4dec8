// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QLocalServer;

namespace ridge::app {

/// One window a store: a second start hands its page to the first and ends. Keyed by user and home folder, so that
/// another RIDGE_HOME is another program. Never used for pictures.
class SingleInstance : public QObject {
    Q_OBJECT
public:
    explicit SingleInstance(QObject* parent = nullptr);
    /// True when another instance took the page, or the file when there is one; the caller then ends.
    bool handOver(const QString& page, const QString& file = {}) const;
    /// Becomes the one that is asked. Failing is not an error: the store's own lock protects the data.
    void listen();

Q_SIGNALS:
    void pageRequested(const QString& page); ///< empty: just come to the front
    void fileRequested(const QString& path); ///< to be opened, absolute

private:
    void read();
    QString m_key;
    QLocalServer* m_server;
};

} // namespace ridge::app
