// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/elided_box.h"

#include <functional>

class QActionGroup;
class QMenu;

namespace ridge::app {

/// What the worker says of a target: its group in a list, and whether it gives times.
struct TargetOffer {
    QString group;           ///< "Data centre"; empty: of this machine, or the worker does not say
    QString gives;           ///< "times and counts" or "counts only"; empty: the worker does not say
    bool countsOnly = false; ///< no clock: what takes time, and what is made of times, it cannot give
    QString nearest;         ///< where it counts only: the nearest target that gives times
    QString derivedFrom;     ///< the chip from whose clock its own was derived by rule
    /// What it gives, as a sentence for a tool tip; empty where the worker does not say.
    QString sentence() const;
};
TargetOffer offerOf(const AppContext& context, const QString& target);
/// What to know of a target that gives counts only, with the nearest one that gives times; empty of every other.
QString countsOnlyNote(const AppContext& context, const QString& target);

/// An entry of a list of targets.
struct TargetEntry {
    QString id, title;
    TargetOffer offer;
    QString tip; ///< of one that cannot be used: why not
    bool enabled = true, checked = false;
};

/// Which group comes when in a list, the place of this machine first.
int placeOfGroup(const QString& group);

/// From how many chips on a list of targets has groups as menus and a search.
inline constexpr int kManyChips = 12;

/// Puts entries into a menu: what is of this machine first, the chips by group; of many chips each group is a menu of
/// its own, and a field above them searches all. Typing into the menu goes into the field. Returns the entries'
/// actions.
void addTargetEntries(QMenu* menu, QActionGroup* group, const std::vector<TargetEntry>& entries,
                      const std::function<void(const QString& id)>& choose);

/// A list of targets to choose from: by group, marked with what each gives, with a search where it is long.
class TargetBox : public ElidedBox {
    Q_OBJECT
public:
    explicit TargetBox(AppContext& context, QWidget* parent = nullptr);

    /// Adds the targets that `fits` lets through, behind what is there. One that cannot be used is greyed and says why.
    void addTargets(const std::function<bool(const std::string& id)>& fits);
    void showPopup() override;

private:
    AppContext& m_context;
};

} // namespace ridge::app
