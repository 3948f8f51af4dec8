// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/chart_table.h"
#include "silicon/chip_catalogue.h"

#include <QMap>
#include <QStringList>

namespace ridge::app {

/// One figure of one chip as the catalogue view shows it, with all that is needed to believe it or not.
struct ChipFigure {
    /// Unknown: nobody could be believed. Absent: the chip has no such thing (a format it cannot compute, no link).
    enum class State { Known, Unknown, Absent };
    State state = State::Unknown;
    double value = 0;      ///< in the unit of its kind; only when known
    QString text;          ///< "3350 GB/s", "unknown", "not supported"
    QString flag;          ///< what kind of number it is: "dense", "NVLink 4, 900 both ways"
    bool flagSaid = false; ///< the title of its kind says the flag already
    QString confidence;    ///< "published"; empty where there is nothing to be confident about
    QString source;        ///< titles, or the formula of what is computed here
    QString note;

    bool known() const { return state == State::Known; }
    QString provenance() const; ///< confidence, source and note in one line
};

/// What a chip gives where it is simulated here.
struct ChipOffer {
    QString gives;    ///< "times and counts", "counts only"
    QString sentence; ///< the same as a sentence, with the chip that its clock is derived from
};
using ChipOffers = QMap<QString, ChipOffer>; ///< by id; those that are not simulated are not in it

/// A kind of figure: a column of the list, a row of the comparison.
struct FigureKind {
    enum class Group { Compute, Memory, Links, Machine };
    QString key, title, unit, help;
    QString brief; ///< heads its column in the list of all chips; empty: it has none
    Group group = Group::Compute;
    ChipFigure (*read)(const silicon::Catalogue& catalogue, const silicon::Chip& chip) = nullptr;
};

/// In the order in which they are shown.
const std::vector<FigureKind>& figureKinds();
const FigureKind* figureKind(const QString& key);
QString groupTitle(FigureKind::Group group);

/// value ÷ first, where both are known and the first is not zero.
std::optional<double> figureRatio(const ChipFigure& value, const ChipFigure& first);
QString ratioText(double ratio); ///< "1.43×"

QString vendorName(const silicon::Chip& chip);
QString chipName(const silicon::Chip& chip);
QString architectureName(const silicon::Chip& chip); ///< "Hopper, 9.0"
QString className(const std::string& chipClass);     ///< "data centre"

/// The ids of a page's part "h100-sxm,h200-sxm": at most four, each once.
/// Errors: "unknown-page" (names the nearest ids, or how many there may be).
Result<QStringList> chipsOfPart(const silicon::Catalogue& catalogue, const QString& part);
inline constexpr int kMostChips = 4;

const silicon::Chip* findChip(const silicon::Catalogue& catalogue, const QString& id); ///< null: unknown

} // namespace ridge::app
