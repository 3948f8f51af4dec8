// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "app/ui/still_scroll.h"
#include "base/protocol.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <functional>

class QToolButton;
class QAbstractItemView;
class QVBoxLayout;

namespace ridge::app {

/// A label in one of the type tokens that follows theme and text size. `tone`: "muted", "hint", "ok" … or empty.
QLabel* makeLabel(Theme& theme, const QString& text, TextStyle style = TextStyle::Body, const QString& tone = {});
/// The same, wrapping, selectable by mouse.
QLabel* makeText(Theme& theme, const QString& text, TextStyle style = TextStyle::Body, const QString& tone = {});
void setTone(QLabel* label, const QString& tone);
/// An error's message or fix as a sentence of its own: capital at the front, full stop at the end.
QString asSentence(const QString& text);
/// An error's message and fix as sentences, without its place: this is shown at the place.
QString whatIsWrong(const Error& error);

QPushButton* makeButton(const QString& text, const QString& help, bool primary = false);

/// A surface with a border; fill its layout.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString& accessibleName, QWidget* parent = nullptr);
    QVBoxLayout* column() const { return m_column; }

private:
    QVBoxLayout* m_column;
};

/// "SIM", "MEAS" … in the form every number of the program carries; the long word is its tool tip and accessible text.
class ProvenanceBadge : public QLabel {
    Q_OBJECT
public:
    explicit ProvenanceBadge(Theme& theme, QWidget* parent = nullptr);
    void setProvenance(Provenance provenance);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    Provenance m_provenance = Provenance::Simulated;
};

QString provenanceHelp(Provenance provenance); ///< one sentence: what the label promises

/// Shown where a list has nothing yet: the signature mark, what will stand here, and the way there.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(Theme& theme, const QString& title, const QString& text, const QString& button = {},
               QWidget* parent = nullptr);

Q_SIGNALS:
    void clicked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    Theme& m_theme;
    QLabel* m_body;
};

/// A message that stays in place until it is dealt with or closed; never a dialog.
class Banner : public QFrame {
    Q_OBJECT
public:
    explicit Banner(Theme& theme, QWidget* parent = nullptr);
    void setError(const Error& error); ///< message, place and fix; kept as text that can be copied
    void setMessage(const QString& message, const QString& fix, bool warning);
    /// A message that stays for as long as its cause does has no close button.
    void setClosable(bool closable);
    /// What mends it, as a button in the message; the same one when it is called again.
    QPushButton* setAction(const QString& text, const QString& about);
    QPushButton* action() const { return m_action; } ///< null: none
    QString text() const;

Q_SIGNALS:
    void closed();

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QLabel* m_icon;
    QLabel* m_message;
    QLabel* m_fix;
    QToolButton* m_close;
    QPushButton* m_action = nullptr;
    bool m_warning = false;
};

/// A column in the middle of a scroll area, of at most `width` device-independent pixels, and more where the text is
/// larger, so that a line holds as many letters: pages for reading.
class ColumnScroll : public StillScroll {
    Q_OBJECT
public:
    ColumnScroll(int width, const QString& accessibleName, QWidget* parent = nullptr);
    QVBoxLayout* column() const { return m_column; }
    void clear(); ///< deletes what stands in the column

protected:
    void changeEvent(QEvent* event) override;

private:
    void fit();

    int m_width;
    QWidget* m_body;
    QVBoxLayout* m_column;
};

/// Rows as high as a control, growing with the text.
void useRowHeight(Theme& theme, QAbstractItemView* view);

void setScrollFraction(QScrollArea* area, double fraction);
double scrollFraction(const QScrollArea* area);

/// Asks for a file of one of `filters` ("Markdown table (*.md);;…", the first is the preset) with `name` suggested,
/// writes it, and tells how that went. The suffix follows the filter. Does not block.
void openExportDialog(QWidget* parent, const QString& title, const QString& filters, const QString& name,
                      std::function<Result<void>(const QString& path)> write,
                      std::function<void(const QString& text, bool isError)> tell);

/// "2 minutes ago", "yesterday 14:02", then a date; from an ISO 8601 UTC time, in local time.
QString readableTime(const std::string& iso);
/// The width of a table's column in which no readableTime() is cut off.
int timeColumnWidth(const Theme& theme);

} // namespace ridge::app
