// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/launcher.h"

#include <QObject>
#include <memory>

namespace ridge::record {

/// One command behind a launcher, from its start to its end, without blocking: emits one of the two signals, then
/// deletes itself. A launcher that neither sends nor takes a byte for `seconds` is stopped.
class LauncherCall : public QObject {
    Q_OBJECT
public:
    struct Answer {
        std::string out; ///< what stands behind the mark
        int exitCode = 0;
        std::string errorText;
    };

    /// `command` as remoteScript() makes it, with `mark` in it; an empty mark: the answer is all there is.
    LauncherCall(RemoteTarget target, QStringList command, const QString& mark, double seconds,
                 QObject* parent = nullptr);
    ~LauncherCall() override;
    void start(const QByteArray& input = {});

Q_SIGNALS:
    void answered(const ridge::record::LauncherCall::Answer& answer);
    void failed(const ridge::Error& error); ///< the other end was never reached, or said too much

private:
    void finish();
    void fail(const Error& error);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::record
