// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>

namespace ridge::golden {

/// The dark theme and the picture at 2× are held against the one picture that is kept, light at 1×: whatever has an
/// edge there must have one at the same place, with enough contrast to be seen. So a missing word, a colour of the
/// other theme and a layout that moves are found, and four pictures need not be kept for each view.

/// Whether `name` is such a variant ("x_dark", "x_light_2x", "x-dark_2x"); views at 200 % text have a layout of their
/// own.
bool isVariant(const QString& name);
/// The name of the picture it is held against.
QString keptPicture(const QString& name);

struct VariantFit {
    bool sameLayout = false; ///< the size is right: the same, or twice as large for 2×
    double lost = 1;         ///< share of the kept picture's edges that the variant does not have
    double gained = 1;       ///< the other way
    bool accepted() const;
};
VariantFit fitOf(const QImage& kept, const QImage& variant, bool twice);

} // namespace ridge::golden
