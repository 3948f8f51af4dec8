// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

class QComboBox;
class QMenu;

namespace ridge::app {

/// Every target the worker lists, in its order, then what remote ones offered when they were asked last; empty before
/// the catalogue is there.
std::vector<AppContext::Target> targetsOf(const AppContext& context);

/// A compiler the worker looked for.
struct CompilerInfo {
    QString id, version, detail; ///< detail: where it was found, or why it was not
    bool available = false;
};
std::vector<CompilerInfo> compilersOf(const AppContext& context);

/// Reason and fix of a target that is not available, as sentences.
QString whyNot(const AppContext::Target& target);

/// One entry a target; one that cannot be used is greyed and says why. Choosing sets the context's target. Remote
/// targets are menus of their own, with whether they are reachable and an entry that asks them.
void fillTargetMenu(QMenu* menu, AppContext& context);

/// Greys an entry of a combo box and gives it the reason as tool tip.
void setItemEnabled(QComboBox* box, int index, bool enabled, const QString& reason);

/// What a target produces, as the worker says; SIMULATED before it has answered.
Provenance provenanceOf(const AppContext& context, const QString& target);

} // namespace ridge::app
