# SPDX-License-Identifier: GPL-3.0-or-later
# Where an installed program looks for its data (base/paths.cpp), and what tells a desktop which files it opens.
include(GNUInstallDirs)
install(TARGETS ridgepoint ridge ridge-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY assets kernels curriculum DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint)
install(FILES packaging/linux/ridgepoint.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/linux/ridgepoint-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES assets/icons/ridgepoint.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
