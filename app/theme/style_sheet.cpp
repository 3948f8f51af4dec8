// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/theme.h"

namespace ridge::app {
namespace {

// $name is a colour role, $px<n> a length that grows with the text, $icons the folder of the theme's glyphs.
const char* const kButtons = R"(
QPushButton { background: $surface; color: $text; border: 1px solid $borderStrong; border-radius: 4px;
  padding: 0 12px; min-height: $px28; }
QPushButton:hover { background: $surface2; }
QPushButton:pressed { background: $selection; }
QPushButton:checked { background: $selection; border-color: $accent; }
QPushButton:disabled { background: $window; color: $text3; border-color: $border; }
QPushButton:flat { background: transparent; border-color: transparent; }
QPushButton:flat:hover { background: $surface2; }
QPushButton[primary="true"] { background: $accent; color: $onAccent; border-color: $accent; font-weight: 600; }
QPushButton[primary="true"]:hover { background: $link; border-color: $link; }
QPushButton[primary="true"]:disabled { background: $surface2; color: $text3; border-color: $border; }
QToolButton { background: transparent; color: $text; border: 1px solid transparent; border-radius: 4px;
  padding: 0 8px; min-height: $px28; min-width: $px14; }
QToolButton:hover { background: $surface2; }
QToolButton:pressed { background: $selection; }
QToolButton:checked { background: $selection; border-color: $accent; }
QToolButton:disabled { color: $text3; }
QToolButton[outlined="true"] { background: $surface; border-color: $borderStrong; }
QToolButton[outlined="true"]:hover { background: $surface2; }
QToolButton[outlined="true"]:checked { background: $selection; border-color: $accent; }
QToolButton[outlined="true"]:disabled { border-color: $border; }
QToolButton::menu-indicator { image: none; }
)";

const char* const kFields = R"(
QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox { background: $surface; color: $text;
  border: 1px solid $borderStrong; border-radius: 4px; padding: 0 8px; selection-background-color: $selection;
  selection-color: $text; }
QPlainTextEdit, QTextEdit { padding: 4px; }
QTextBrowser { border: none; padding: 0; background: transparent; }
QLineEdit, QAbstractSpinBox, QComboBox { min-height: $px28; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QAbstractSpinBox:focus, QComboBox:focus {
  border-color: $link; }
QTextBrowser:focus { border: none; }
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled, QAbstractSpinBox:disabled,
QComboBox:disabled { background: $window; color: $text3; border-color: $border; }
QLineEdit:read-only { background: $surface2; border-color: $border; }
QComboBox { padding-right: 24px; }
QComboBox::drop-down { subcontrol-origin: padding; subcontrol-position: center right; width: 24px; border: none; }
QComboBox::down-arrow { image: url("$icons/chevron-down.svg"); width: $arrow; height: $arrow; }
QComboBox QAbstractItemView { background: $surface; color: $text; border: 1px solid $border; outline: none;
  selection-background-color: $selection; selection-color: $text; padding: 4px; }
QAbstractSpinBox::up-button { subcontrol-origin: border; subcontrol-position: top right; width: $px20; border: none; }
QAbstractSpinBox::down-button { subcontrol-origin: border; subcontrol-position: bottom right; width: $px20;
  border: none; }
QAbstractSpinBox::up-arrow { image: url("$icons/chevron-up.svg"); width: $px12; height: $px12; }
QAbstractSpinBox::down-arrow { image: url("$icons/chevron-down.svg"); width: $px12; height: $px12; }
QCheckBox, QRadioButton { spacing: 8px; min-height: $px28; background: transparent; }
QCheckBox::indicator, QRadioButton::indicator, QTreeView::indicator, QListView::indicator { width: $px16; height: $px16;
  border: 1px solid $borderStrong; background: $surface; }
QListView::indicator { width: $px13; height: $px13; }
QTreeView::indicator { width: $px12; height: $px12; position: relative; left: -4px; }
QCheckBox::indicator, QTreeView::indicator, QListView::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: $px9; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover, QTreeView::indicator:hover, QListView::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked, QTreeView::indicator:checked, QListView::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/check.svg"); }
QRadioButton::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/dot.svg"); }
QCheckBox:disabled, QRadioButton:disabled { color: $text3; }
QSlider { min-height: 24px; background: transparent; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $border; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { width: 12px; height: 12px; margin: -6px 0; border: 2px solid $accent; border-radius: 8px;
  background: $surface; }
QSlider::handle:horizontal:hover { background: $selection; }
QSlider:disabled { color: $text3; }
QSlider::sub-page:horizontal:disabled { background: $border; }
QSlider::handle:horizontal:disabled { border-color: $border; }
)";

const char* const kViews = R"(
QToolTip { background: $surface; color: $text; border: 1px solid $borderStrong; padding: 4px 8px; }
QMenuBar { background: $window; color: $text; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $surface2; }
QMenu { background: $surface; color: $text; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 4px 24px; border-radius: 4px; min-height: $px20; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $text3; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QStatusBar { background: $window; color: $text2; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QDockWidget { titlebar-close-icon: url("$icons/close.svg"); titlebar-normal-icon: url("$icons/float.svg"); }
QDockWidget::title { background: $surface2; padding: 6px 12px; }
QDockWidget::close-button, QDockWidget::float-button { background: transparent; border: 1px solid transparent;
  border-radius: 4px; padding: 0; icon-size: $px16; width: $px20; height: $px20; }
QDockWidget::close-button:hover, QDockWidget::float-button:hover { background: $selection; }
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
QSplitter::handle { background: $border; }
QScrollArea { border: none; background: transparent; }
QTableView, QTreeView, QListView { background: $surface; alternate-background-color: $window; color: $text;
  border: 1px solid $border; gridline-color: $border; selection-background-color: $selection;
  selection-color: $text; outline: none; }
QTableView::item, QTreeView::item { border: none; padding: 0 5px; } /* on top of Qt's own 3, so that a cell begins where its head does */
/* A rule for items takes the painting of the chosen ones from Qt's style, in trees and lists. */
QTreeView::item:selected, QListView::item:selected { background: $selection; color: $text; }
QHeaderView { background: $surface2; border: none; }
QHeaderView::section { background: $surface2; color: $text2; border: none; border-bottom: 1px solid $border;
  padding: 4px 8px; font-weight: 600; }
QTableCornerButton::section { background: $surface2; border: none; }
QTabWidget::pane { border: 1px solid $border; }
QTabBar::tab { background: transparent; color: $text2; padding: 4px 12px; min-height: $px20;
  border-bottom: 2px solid transparent; }
QTabBar[dense="true"]::tab { padding: 4px 6px; } /* eight of them in a side pane */
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QProgressBar { background: $surface2; color: $text; border: 1px solid $border; border-radius: 4px;
  text-align: center; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $border; border: 3px solid transparent; border-radius: 6px; }
QScrollBar::handle:vertical { min-height: 32px; margin: 2px 3px; border: none; border-radius: 3px; }
QScrollBar::handle:horizontal { min-width: 32px; margin: 3px 2px; border: none; border-radius: 3px; }
QScrollBar::handle:hover { background: $borderStrong; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; background: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QFrame[card="true"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QLabel { background: transparent; }
QLabel[tone="muted"] { color: $text2; }
QLabel[tone="hint"] { color: $text3; }
QLabel[tone="ok"] { color: $ok; }
QLabel[tone="warn"] { color: $warn; }
QLabel[tone="error"] { color: $error; }
QLabel[tone="strong"] { font-weight: 600; }
)";

} // namespace

QString Theme::styleSheet() const
{
    QString sheet = QLatin1String(kButtons) + QLatin1String(kFields) + QLatin1String(kViews);
    // Longest names first, so that $text does not eat the head of $text2.
    QList<Role> byLength = roles();
    std::sort(byLength.begin(), byLength.end(), [](Role a, Role b) { return key(a).size() > key(b).size(); });
    for (const Role role : byLength)
        sheet.replace(QLatin1Char('$') + key(role), color(role).name());
    for (const int pixels : {9, 12, 13, 14, 16, 20, 28})
        sheet.replace(QStringLiteral("$px%1").arg(pixels), QStringLiteral("%1px").arg(scaled(pixels)));
    // Grows with the text as far as the room beside it: large text needs that room itself.
    sheet.replace(QStringLiteral("$arrow"), QStringLiteral("%1px").arg(std::min(scaled(16), 24)));
    return sheet.replace(QStringLiteral("$icons"), m_icons);
}

} // namespace ridge::app
