// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/json.h"
#include "base/trace.h"

#include <QRectF>
#include <QString>
#include <array>
#include <map>
#include <memory>
#include <vector>

namespace ridge::app {

/// One step of a scene: the trace of one swept point with how it is called ("stride = 8").
struct SceneFrame {
    QString title;
    MemoryTrace trace;
    std::map<std::string, double> metrics; ///< of the same sample, for the caption
};

struct SceneState {
    std::size_t frame = 0;
    std::size_t request = 0; ///< which request of the frame's trace
    int lane = -1;           ///< selected lane, −1 none
    double progress = 1.0;   ///< 0..1: how much of the request has been served (animation, wavefront by wavefront)
};

/// A filled rectangle instance, in scene units (pixels at 100 %).
struct Quad {
    QRectF rect;
    Role role = Role::Surface;
    double alpha = 1.0;
    double radius = 0;
    double border = 0;  ///< px; 0: filled
    bool hatch = false; ///< diagonal lines in place of a fill: fetched in vain
};
/// A straight connector drawn as a thin quad.
struct Link {
    QPointF from, to;
    Role role = Role::Text3;
    double width = 1, alpha = 1;
};
struct Label {
    QRectF rect;
    QString text;
    TextStyle style = TextStyle::Caption;
    Role role = Role::Text;
    Qt::Alignment align = Qt::AlignCenter;
    bool wrap = false;
};
/// What assistive technology, the keyboard cursor, picking and structural goldens see.
struct SceneItem {
    QString id, text;
    QRectF rect;
};

struct SceneDrawing {
    std::vector<Quad> quads;
    std::vector<Link> links;
    std::vector<Label> labels;
    std::vector<SceneItem> items;
    QString summary; ///< one sentence
    QSizeF size;     ///< used extent
};

/// A scene is a pure function of (frames, state, size). It knows no widget and no OpenGL.
class Scene {
public:
    virtual ~Scene() = default;
    virtual QString id() const = 0; ///< "lanes_sectors"
    virtual SceneDrawing draw(const std::vector<SceneFrame>& frames, const SceneState& state, QSizeF size,
                              double textScale) const = 0;
    /// In how many steps the request of `state` is served: sectors, wavefronts.
    virtual std::size_t steps(const std::vector<SceneFrame>& frames, const SceneState& state) const = 0;
    /// Height that shows every one of `frames` well, so that scrubbing does not move the page.
    virtual double preferredHeight(const std::vector<SceneFrame>& frames, double textScale) const = 0;
    /// Table twin: header, then rows.
    virtual std::vector<QStringList> table(const std::vector<SceneFrame>& frames, const SceneState& state) const = 0;
};

std::unique_ptr<Scene> makeLanesSectorsScene();
std::unique_ptr<Scene> makeSharedBanksScene();
/// Null for an unknown id.
std::unique_ptr<Scene> makeScene(const QString& id);

Json describe(const SceneDrawing& drawing);

} // namespace ridge::app
