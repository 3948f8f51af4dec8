# SPDX-License-Identifier: GPL-3.0-or-later
# Where an installed program looks for its data (base/paths.cpp), and what tells a desktop which files it opens.
include(GNUInstallDirs)
install(TARGETS ridgepoint ridge ridge-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY assets kernels curriculum DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint PATTERN screenshots EXCLUDE)
install(DIRECTORY labs/rtl DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint/labs)
install(FILES packaging/linux/ridgepoint.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/linux/ridgepoint-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES assets/icons/ridgepoint.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)

# `cpack --config build/release/CPackConfig.cmake -G DEB` (or TGZ, which runs from wherever it is unpacked). A .deb is for the
# system it was built on: its dependencies are that system's libraries.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME ridgepoint)
set(CPACK_PACKAGE_VENDOR Ridgepoint)
set(CPACK_PACKAGE_CONTACT "Ridgepoint developers <ridgepoint@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Opened at run time, so that no tool finds them.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqt6sql6-sqlite, libqt6svg6")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-driver-libs, openmpi-bin, iverilog, yosys")
include(CPack)
