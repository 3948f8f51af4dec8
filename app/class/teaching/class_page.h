// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"

class QScrollArea;
class QStackedWidget;

namespace ridge::app {

class ClassDesk;
class ClassForm;
class ClassLanding;
class ClassView;

/// Class: what one was given and what one teaches. Parts: none, "new", "new/<slug>" for a further assignment of a
/// class, "sample", "<slug>" and "<slug>/<assignment id>".
class ClassPage : public Page {
    Q_OBJECT
public:
    explicit ClassPage(AppContext& context, QWidget* parent = nullptr);
    ~ClassPage() override;

    /// Errors: "unknown-page" (there is no such class).
    Result<void> open(const QString& part) override;
    QString title() const override;
    QString part() const override { return m_part; }
    bool ready() const override;
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    int runningJobs() const override;
    void cancelRuns() override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;

    ClassDesk& desk() { return *m_desk; }
    ClassLanding* landing() const { return m_landing; }
    ClassForm* form(); ///< made when it is first asked for, as is the view
    ClassView* view();

Q_SIGNALS:
    /// The desktop is asked to show this folder.
    void openFolderRequested(const QString& path);

private:
    enum Shown { Landing, Form, View };
    Shown shown() const;
    QScrollArea* scroll() const;

    AppContext& m_context;
    QString m_part;
    ClassDesk* m_desk;
    QStackedWidget* m_stack;
    ClassLanding* m_landing;
    ClassForm* m_form = nullptr;
    ClassView* m_view = nullptr;
};

} // namespace ridge::app
