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
#include <typeindex>
#include <vector>

namespace ridge::app {

/// What a frame carries besides its memory trace, one thing of each type: a scene asks for the type that it draws.
class Payloads {
public:
    template<class T>
    void put(std::shared_ptr<const T> what)
    {
        m_all[typeid(T)] = std::move(what);
    }
    template<class T>
    const T* get() const
    {
        const auto found = m_all.find(typeid(T));
        return found == m_all.end() ? nullptr : static_cast<const T*>(found->second.get());
    }
    /// The same, to be kept when the frame is gone.
    template<class T>
    std::shared_ptr<const T> shared() const
    {
        const auto found = m_all.find(typeid(T));
        return found == m_all.end() ? nullptr : std::static_pointer_cast<const T>(found->second);
    }
    /// Takes over what `other` has and this has not, or has older.
    void merge(const Payloads& other)
    {
        for (const auto& [type, what] : other.m_all)
            m_all[type] = what;
    }

private:
    std::map<std::type_index, std::shared_ptr<const void>> m_all;
};

/// One step of a scene: the traces of one swept point with how it is called ("stride = 8").
struct SceneFrame {
    QString title;
    MemoryTrace trace;
    std::map<std::string, double> metrics; ///< of the same sample, for the caption
    Payloads payloads{};
    QString problem{}; ///< why there is nothing to draw of it: its trace is damaged, cut short, or of a newer version
};

struct SceneState {
    std::size_t frame = 0;
    std::size_t request = 0; ///< which track of the frame: a request of a memory trace, a warp of a launch
    int lane = -1;           ///< selected lane, −1 none
    double progress = 1.0;   ///< 0..1: how much of the track has been served; in scenes with a time axis, where on it
    double from = 0, to = 1; ///< part of the time axis that is shown
    int row = -1;            ///< selected row (SM, source line, memory level), cell or lane, −1 none
    double down = 0.5;       ///< in planar scenes: the middle of what is shown, from the top (0) to the bottom (1)
    bool operator==(const SceneState&) const = default;
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
/// A dense map, drawn below everything else as one textured quad: cell 0 shows the ground, cell n has tone n − 1.
struct Raster {
    struct Tone {
        Role role = Role::Text3;
        double alpha = 1;
    };
    QRectF rect;
    int columns = 0, rows = 0;
    Role ground = Role::Surface2;
    std::vector<Tone> tones;         ///< over the ground
    std::vector<std::uint8_t> cells; ///< row by row
};
struct Label {
    QRectF rect;
    QString text;
    TextStyle style = TextStyle::Caption;
    Role role = Role::Text;
    Qt::Alignment align = Qt::AlignCenter;
    bool wrap = false;
};
/// What assistive technology, the keyboard cursor, picking and structural goldens see. One whose id begins with
/// "scrub" is picked again wherever it is dragged.
struct SceneItem {
    QString id, text;
    QRectF rect;
};

struct SceneDrawing {
    std::vector<Raster> rasters;
    std::vector<Quad> quads;
    std::vector<Link> links;
    std::vector<Label> labels;
    std::vector<SceneItem> items;
    QString summary; ///< one sentence
    QSizeF size;     ///< used extent
    QRectF plot;     ///< its width shows state.from … state.to; null: there is nothing to zoom
};

/// What a frame has many of and the view steps through with [ and ].
struct SceneTracks {
    std::size_t count = 0;
    QString noun;
};

/// A scene is a pure function of (frames, state, size). It knows no widget and no OpenGL. docs/authoring.md, "Adding a
/// scene", says which of these a new one needs.
class Scene {
public:
    using Frames = std::vector<SceneFrame>;

    virtual ~Scene() = default;
    virtual QString id() const = 0; ///< "lanes_sectors"
    virtual QString title() const = 0;
    virtual SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const = 0;
    /// Height that shows every one of `frames` well, so that scrubbing does not move the page.
    virtual double preferredHeight(const Frames& frames, double textScale) const = 0;
    /// Table twin: header, then rows.
    virtual std::vector<QStringList> table(const Frames& frames, const SceneState& state) const = 0;
    /// Whether the frame has what this scene draws.
    virtual bool supports(const SceneFrame& frame) const = 0;

    /// In how many steps the track of `state` is served: sectors, wavefronts; 0: nothing moves.
    virtual std::size_t steps(const Frames& frames, const SceneState& state) const = 0;
    virtual SceneTracks tracks(const Frames& frames, const SceneState& state) const;
    /// True where progress is a place on a time axis: comma and full stop then scrub it, not the frames.
    virtual bool timed() const { return false; }
    /// True where a picture that is magnified moves up and down, too: SceneState::down.
    virtual bool planar() const { return false; }
    /// What the pointer is told of a place of an item: its text, where it is not one of many things.
    virtual QString told(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const;
    /// `delta` steps on; the default serves the track, then the next track, then the next frame.
    virtual SceneState stepped(const Frames& frames, const SceneState& state, int delta) const;
    /// Arrow keys; the default chooses lanes. `dx` of ±32 is Home and End.
    virtual SceneState moved(const Frames& frames, const SceneState& state, int dx, int dy) const;
    /// What a lesson calls an item that was pointed at (lessons/pointing.h); `state` is the one after the click. The
    /// default: its id, a sector in the close-up as the same sector.
    virtual QString pointedId(const Frames& frames, const SceneState& state, const SceneItem& item) const;
    /// After a click on an item; the default chooses the lane of "lane.5".
    virtual SceneState picked(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const;
};

/// The frame a state points at; null when there is none.
const SceneFrame* shownFrame(const std::vector<SceneFrame>& frames, const SceneState& state);

std::unique_ptr<Scene> makeLanesSectorsScene();
std::unique_ptr<Scene> makeSharedBanksScene();
std::unique_ptr<Scene> makeSmTimelineScene();
std::unique_ptr<Scene> makeMemoryHierarchyScene();
std::unique_ptr<Scene> makeOccupancyScene();
std::unique_ptr<Scene> makeDivergenceScene();
std::unique_ptr<Scene> makeFragmentsScene();
std::unique_ptr<Scene> makeGridScene();     ///< "grid": of any engine, base/grid_trace.h
std::unique_ptr<Scene> makeLanesScene();    ///< "lanes": of any engine, base/lane_trace.h
std::unique_ptr<Scene> makeSmLimitsScene(); ///< "sm_limits": of a model, no trace has what it draws
/// Null for an unknown id.
std::unique_ptr<Scene> makeScene(const QString& id);
const QStringList& sceneIds(); ///< those that draw traces
bool anySceneSupports(const SceneFrame& frame);

// The camera over the time axis: pure functions, so that wheel, keys and buttons agree.

/// `factor` above 1 shows less; the place `at` (0..1 of what is shown) stays where it is.
SceneState zoomed(SceneState state, double factor, double at);
SceneState panned(SceneState state, double share); ///< by a share of what is shown
SceneState fitted(SceneState state);               ///< all of the axis

Json describe(const SceneDrawing& drawing);

} // namespace ridge::app
