#!/bin/sh
# `packaging/deb.sh BUILD RELEASE`, for `make deb`: builds the Debian packages of the last commit (outside a
# checkout: of the sources that are here) in BUILD/deb, and checks them with lintian where it is installed.
# Needs debhelper and the packages that debian/control lists; no network.
set -eu
build=$1 release=$2
command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null ||
    { echo "make deb needs dpkg-buildpackage and dh (Debian: debhelper)" >&2; exit 2; }
folder=$build/deb
rm -rf "$folder"
mkdir -p "$folder/$release"
if [ -e .git ]; then
    case $(sh packaging/commit.sh) in *-dirty) echo "make deb: modified files are left out: it builds the last commit" >&2 ;; esac
    git archive HEAD
else
    tar -c --exclude="./$build" .
fi | tar -x -C "$folder/$release"
cp -r "$folder/$release/packaging/debian" "$folder/$release/debian"
# Without the variables that the Makefile exports: the packages' own make chooses its own. Without packages of debug
# symbols, so that `apt install ./*.deb` installs what a user wants.
(cd "$folder/$release" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CC -u MPICC -u MPIEXEC -u MPIFORT -u MPIS \
    DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS-}" dpkg-buildpackage -us -uc -b)
ls -l "$folder"/*.deb
! command -v lintian >/dev/null || lintian --fail-on error,warning "$folder"/*.changes
