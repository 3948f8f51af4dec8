// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QWidget>
#include <memory>

namespace ridge::app {

class LessonPlaces;

/// One lesson: prose as native documents with live blocks as real child widgets between them, in a column of 68–72
/// characters. Restores predictions, runs, answers and traces from the store and the scroll position from the settings.
class LessonPage : public QWidget {
    Q_OBJECT
public:
    LessonPage(AppContext& context, const QString& lessonId, QWidget* parent = nullptr);
    ~LessonPage() override;

    QString lessonId() const;
    QString title() const;
    void nextBlock();
    void previousBlock();
    void focusPrediction();
    void commitAndRun(); ///< the prediction or run block in view
    void cancelRuns();
    void shipArtifact();
    QString focusedBlock() const;                       ///< id; empty: the focus is not in a block
    QWidget* blockWidget(const QString& blockId) const; ///< for tests and links
    void scrollToBlock(const QString& blockId);
    /// A place as LessonPlaces::open knows it, once the page is laid out. Unknown ones are told in the status bar.
    void openPlace(const QString& anchor);
    LessonPlaces* places() const; ///< null where the lesson could not be read
    int runningJobs() const;
    /// What was changed in the forms of its blocks; null where there is no lesson.
    QUndoStack* changes() const;
    /// False until the first layout and the stored traces are there; readyChanged follows.
    bool ready() const;
    double scrollFraction() const;
    void setScrollFraction(double fraction);

Q_SIGNALS:
    void blockInViewChanged(const QString& blockId);
    void readyChanged();
    void changesChanged(); ///< what can be taken back is another

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::app
