// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "classroom/class_folder.h"

#include <QWidget>

namespace ridge::app {

/// What the live view needs of a class, as values: made where the class is open, used in the GUI thread.
struct LiveClass {
    std::string title;
    classroom::Assignment assignment;
    classroom::ClassKeys keys;
    std::map<std::string, std::string> names; ///< by pseudonym, of those whom the roster knows
};
/// Of the assignment that OpenClass::assignment(name) gives. Errors: those of it and of the database.
Result<LiveClass> liveClassOf(classroom::OpenClass& open, const std::string& assignment = {});

/// The teacher's side of the live view, for one class: opens and ends a session, shows address and code in large type,
/// who works at which step, and what was predicted before it is revealed. Nothing listens before the button.
class LivePanel : public QWidget {
    Q_OBJECT
public:
    explicit LivePanel(AppContext& context, QWidget* parent = nullptr);
    ~LivePanel() override;

    /// None: there is no class, or it cannot be read. A session that is open goes on whatever class is shown.
    void setClass(std::optional<LiveClass> live);
    /// Large type, no names, no list of learners.
    void setProjector(bool on);
    bool projector() const;

Q_SIGNALS:
    void projectorChanged(bool on);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Parts;
    std::unique_ptr<Parts> d;
};

} // namespace ridge::app
