#!/bin/sh
# What the recipes of packages say, beside the tree: one version everywhere; a build dependency for each optional
# library and a package for each MPI library. `make install` installs what the lists of the Debian packages name,
# each file in one package, and nothing else; `make uninstall` removes it. `make deb` is not run here: it takes
# minutes (docs/install.md).
set -u
. tests/command.sh
debian=$here/packaging/debian

# ---- versions ----
version=$(cat "$here/VERSION")
same() { [ "$2" = "$version" ] || fail "$1: version '$2', and '$version' in VERSION"; }
echo "$version" | grep -qx '[0-9]*\.[0-9]*\.[0-9]*' || fail "VERSION: '$version' is not three numbers"
same CHANGELOG.md "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$here/CHANGELOG.md" | head -n 1)"
same packaging/debian/changelog "$(sed -n '1s/^vef (\(.*\)) .*/\1/p' "$debian/changelog")"
same lib/python/vef/program.py "$(sed -n 's/^VERSION = "\(.*\)"$/\1/p' "$here/lib/python/vef/program.py")"
same packaging/spack/package.py "$(sed -n 's/^    version("\([0-9.]*\)".*/\1/p' "$here/packaging/spack/package.py" | head -n 1)"
same 'packaging/spack/package.py: url' "$(sed -n 's/^    url = .*vef-\([0-9.]*\)\.tar\.gz.*/\1/p' "$here/packaging/spack/package.py")"
recipes=0
for recipe in "$here"/packaging/easybuild/vef-*.eb; do
    recipes=$((recipes + 1))
    same "$recipe" "$(sed -n "s/^version = '\(.*\)'/\1/p" "$recipe")"
    case $recipe in */vef-"$version"-*.eb) ;; *) fail "$recipe: expected a name vef-$version-TOOLCHAIN.eb" ;; esac
done
[ $recipes -gt 0 ] || fail "no recipe of EasyBuild"
if command -v python3 >/dev/null; then
    for recipe in "$here/packaging/spack/package.py" "$here"/packaging/easybuild/*.eb; do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1])' "$recipe" 2>err || fail "$recipe is not Python"
    done
else
    skip "no python3: the syntax of the recipes"
fi

# ---- debian/control: optional libraries (the names that `make` has given to `vef version`) and MPI libraries ----
awk '/^Build-Depends:/ { on = 1 } /^[^ ]/ && !/^Build-Depends:/ { on = 0 } on' "$debian/control" |
    sed 's/^Build-Depends://; s/([^)]*)//g' | tr -d ' ' | tr ',' '\n' | grep . >depends
requires_package() { grep -qx "$1" depends || fail "packaging/debian/control: Build-Depends lacks $1 ($2)"; }
vef 0 version --json
sed -n 's/^    "\(.*\)": \(true\|false\),\{0,1\}$/\1/p' out >optional
[ -s optional ] || fail "vef version names no optional library"
while read -r library; do
    for package in $("$here/common/packages.sh" names "$library"); do
        requires_package "$package" "OPTIONAL += $library in the Makefile"
    done
done <optional
for what in yaml yajl zlib; do requires_package "$("$here/common/packages.sh" names $what)" "packages.sh $what"; done
sed -n 's/^LIBRARY(\([a-z0-9]*\),.*/\1/p' "$here/capture/libraries/libraries.def" >libraries
[ "$(wc -l <libraries)" -ge 2 ] || fail "libraries.def: fewer than two MPI libraries"
while read -r mpi; do
    [ "$mpi" = abi ] || requires_package "lib$mpi-dev" "capture/libraries/libraries.def"
    grep -qx "Package: libvefcapture-$mpi" "$debian/control" || fail "packaging/debian/control: no package libvefcapture-$mpi"
    grep -q "/libvefcapture-$mpi\.so$" "$debian/libvefcapture-$mpi.install" || fail "libvefcapture-$mpi.install lacks its library"
done <libraries
for list in "$debian"/*.install; do
    package=$(basename "$list" .install)
    grep -qx "Package: $package" "$debian/control" || fail "$list: no such package in packaging/debian/control"
done

# ---- make install, in the layout of packaging/debian/rules ----
folder=usr/lib/some-linux-gnu
(umask 077 && env -u MAKEFLAGS -u MFLAGS make -s -C "$here" BUILD="$1" PREFIX=/usr LIBDIR=/$folder DESTDIR="$PWD/root" install >out 2>&1) || fail "make install: status $?"
find root -mindepth 1 ! -type l \( ! -perm -444 -o -type d ! -perm -555 \) | sed '1s/^/FAIL: make install under umask 077: not readable by all: /' >out
[ ! -s out ] || fail "make install under umask 077"
(cd root && find . -type f) | sed 's,^\./,,' | sort >installed
[ "$(wc -l <installed)" -gt 50 ] || fail "make install installs few files"
# claims: PACKAGE FILE for every installed file that a line of a list, a file or a folder, names.
for list in "$debian"/*.install; do
    package=$(basename "$list" .install)
    while read -r claim; do
        found=
        while read -r file; do
            # shellcheck disable=SC2254 # a pattern
            case $file in $claim | $claim/*) found=yes && echo "$package $file" ;; esac
        done <installed >>claims
        case $claim in
        */libvefcapture-*.so | */vefpingpong-*)
            mpi=${claim##*/*-}
            case " $MPIS abi " in *" ${mpi%.so} "*) ;; *) continue ;; esac # not built here
            ;;
        */libvef.so) # a link
            # shellcheck disable=SC2086 # a pattern
            [ -L root/$claim ] && continue
            ;;
        esac
        [ -n "$found" ] || fail "$list: '$claim' is not installed by make install"
    done <"$list"
done
awk '{ print $2 }' claims | sort >claimed
sort -u claimed | comm -23 installed - | while read -r file; do echo "unclaimed: $file"; done >out
[ ! -s out ] || fail "files of make install that no package has"
uniq -d claimed >out
[ ! -s out ] || fail "files that two packages have"
for mpi in $MPIS; do
    grep -q "^libvefcapture-$mpi $folder/vef/vefpingpong-$mpi$" claims || fail "vefpingpong-$mpi is not in libvefcapture-$mpi"
done
grep -v "^usr/\(bin\|include\|share\)/\|^$folder/vef/\|^$folder/libvef\.\|^$folder/pkgconfig/vef\(-plugin\)\{0,1\}\.pc$\|^usr/lib/python3/dist-packages/vef/" installed >out
[ ! -s out ] || fail "files in other folders"

# The packages vef, libvef0 and python3-vef unpacked in a folder: Python finds the program and the library there.
mkdir unpacked
sed -n 's/^\(vef\|libvef0\|python3-vef\) //p' claims | (cd root && tar -c -T -) | tar -x -C unpacked
if ! command -v python3 >/dev/null || nm -D "$build/libvef.so.0" | grep -q __asan; then
    skip "the Python package: no python3, or an interpreter without AddressSanitizer"
else
    cat >clean.py <<'END'
import os, vef, vef.program, vef.library
root = os.path.realpath("unpacked")
assert os.path.dirname(vef.__file__) == root + "/usr/lib/python3/dist-packages/vef", vef.__file__
assert vef.program.program() == root + "/usr/bin/vef", vef.program.program()
assert vef.topology({"family": "torus", "sizes": [8, 8]}).attrs["document"]["diameter"] == 8
assert vef.library.library()._name.startswith(root + "/usr/lib/some-linux-gnu/libvef.so."), vef.library.library()._name
with vef.Network({"family": "torus", "sizes": [8, 8]}) as network:
    assert network.endpoints == 64
END
    env -i PATH="$PATH" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/unpacked/usr/lib/python3/dist-packages" python3 clean.py >out 2>&1 ||
        fail "the Python package, unpacked: $(tail -n 1 out)"
fi

# A plain prefix: the library folder is PREFIX/lib, and the program finds its library there.
mkdir -p prefix/bin prefix/lib && cp root/usr/bin/vef prefix/bin && cp -r "root/$folder/vef" prefix/lib || exit 1
vef=$PWD/prefix/bin/vef
vef 0 version
for mpi in $MPIS abi; do prints "^capture of $mpi: $(realpath prefix)/lib/vef/libvefcapture-$mpi.so$"; done

: >root/usr/bin/other
env -u MAKEFLAGS -u MFLAGS make -s -C "$here" BUILD="$1" PREFIX=/usr LIBDIR=/$folder DESTDIR="$PWD/root" uninstall >out 2>&1 || fail "make uninstall: status $?"
[ "$(find root -type f)" = root/usr/bin/other ] || { find root -type f >out; fail "make uninstall leaves files, or takes other ones"; }
[ $failures -eq 0 ]
