// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/artifact_bundle.h"
#include "app/theme/theme.h"

#include <QAbstractButton>
#include <optional>

namespace ridge::app {

/// One artifact in the grid: title, claim, its prediction and result as the signature mark, where the numbers come
/// from. A button: Enter opens it.
class ArtifactCard : public QAbstractButton {
    Q_OBJECT
public:
    struct Mark {
        double point = 0, low = 0, high = 0;
        std::optional<double> result;
        QString unit;
    };
    ArtifactCard(Theme& theme, const record::ArtifactRow& row, std::optional<Mark> mark, QWidget* parent = nullptr);
    void setHeading(const QString& heading); ///< a small line above the title: what this one is
    QString artifactId() const { return QString::fromStdString(m_row.artifactId); }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override; ///< for all that is said, at most six lines of the claim

    const record::ArtifactRow& row() const { return m_row; }

    static constexpr int kWidth = 316; ///< the least

Q_SIGNALS:
    void pulled(); ///< with the mouse, to be dropped somewhere else

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    int headingHeight() const;
    void paintMark(QPainter& painter, const QRectF& area) const;

    Theme& m_theme;
    record::ArtifactRow m_row;
    std::optional<Mark> m_mark;
    QString m_heading;
    std::optional<QPoint> m_pressedAt;
};

/// The mark of a bundle's first prediction.
std::optional<ArtifactCard::Mark> markOf(const ArtifactBundle& bundle);

} // namespace ridge::app
