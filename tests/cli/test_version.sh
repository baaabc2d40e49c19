#!/bin/sh
# `vef version` beside what can be found out without it: the file VERSION, git, the compiler, the rows of the
# Makefile, the capture libraries of the build. In copies of the program: installed in each folder of
# libraries, without capture libraries, and the commits of made-up trees.
set -u
. tests/command.sh

version=$(cat "$here/VERSION")
vef 0 version
[ "$(head -n 1 out)" = "vef $version" ] || fail "the first line is not 'vef $version'"
cp out text
vef 0 --version
cmp -s out text || fail "vef --version prints something else than vef version"
vef 2 version 1
vef 2 --version=1

# The rows of the Makefile, read by make itself.
rows=$(env -u MAKEFLAGS -u MFLAGS make -s -C "$here" -f - rows <<'END'
include Makefile
.PHONY: rows
rows:
	@echo $(OPTIONAL)
END
) || fail "make does not print its rows"
vef 0 version --json
for row in $rows; do
    built=false
    grep -q . "$build/$row.flags" && built=true
    prints "^    \"$row\": $built,\{0,1\}$"
done
[ "$(grep -c '^    ".*": \(true\|false\),\{0,1\}$' out)" -eq "$(echo "$rows" | wc -w)" ] || fail "libraries that are no row of the Makefile"
for mpi in $MPIS abi; do
    prints "^    \"$mpi\": \"$(realpath "$build/libvefcapture-$mpi.so")\""
done
[ "$(grep -c 'libvefcapture-' out)" -eq "$(echo "$MPIS abi" | wc -w)" ] || fail "capture libraries of other MPI libraries"
prints "^  \"version\": \"$version\",$"
# The commit of the build, which is that of the tree unless somebody has committed since.
commit=$(sed -n 's/^#define VEF_BUILT_COMMIT "\(.*\)"$/\1/p' "$build/built.h")
prints "^  \"commit\": \"$(echo "$commit" | sed 's/^unknown$/null/')\",$"
[ "$commit" = "$(sh "$here/packaging/commit.sh")" ] || skip "the commit of the tree: it is not that of the build any more"
case $("${CC:-cc}" --version) in
*'Free Software Foundation'*) prints "^  \"compiler\": \"GCC $("${CC:-cc}" -dumpfullversion)\",$" ;;
*) skip "the compiler is not GCC" ;;
esac

# Installed: the capture libraries beside the folder of the program.
mkdir -p prefix/bin && cp "$vef" prefix/bin/vef || exit 1
vef=$PWD/prefix/bin/vef
multiarch=$("${CC:-cc}" -print-multiarch 2>/dev/null)
vef 0 version
[ "$(grep -c '^capture of .*: not installed$' out)" -eq "$(echo "$MPIS abi" | wc -w)" ] || fail "capture libraries that are not there"
vef 2 capture -o x.vef true
says "libvefcapture.so: not found in .*/prefix/bin, ../lib/vef, ../lib64/vef.*: expected there, or at VEF_LIBRARY=PATH"
for folder in lib lib64 ${multiarch:+"lib/$multiarch"}; do
    mkdir -p "prefix/$folder/vef" && : >"prefix/$folder/vef/libvefcapture.so" && : >"prefix/$folder/vef/libvefcapture-mpich.so" || exit 1
    case " $MPIS " in *" mpich "*)
        vef 0 version
        prints "^capture of mpich: $(realpath "prefix/$folder/vef/libvefcapture-mpich.so")$"
        ;;
    esac
    rm -r "prefix/$folder/vef"
done

# Commits: of a checkout, modified or not; of an archive of it; of a copy without git; none of the checkout around.
command -v git >/dev/null || { skip "no git"; exit $((failures > 0)); }
commit_of() { sh "$1/packaging/commit.sh"; }
is() { [ "$2" = "$3" ] || fail "commit of $1: '$2' instead of '$3'"; }
mkdir -p tree/packaging && cp "$here/packaging/commit.sh" "$here/.gitattributes" tree/packaging/ && mv tree/packaging/.gitattributes tree &&
    printf '$Format:%%H$\n' >tree/packaging/commit && echo 1 >tree/file || exit 1
is 'no checkout' "$(commit_of tree)" unknown
in_tree() { git -C tree -c user.name=nobody -c user.email=nobody@example.org -c init.defaultBranch=main "$@"; }
{ in_tree init -q && in_tree add . && in_tree commit -q -m one; } || exit 1
commit=$(in_tree rev-parse HEAD | cut -c 1-12)
is 'a checkout' "$(commit_of tree)" "$commit"
mkdir tree/inner && in_tree archive HEAD | tar -x -C tree/inner || exit 1
is 'an archive in a checkout' "$(commit_of tree/inner)" "$commit"
echo 2 >tree/file
is 'a modified checkout' "$(commit_of tree)" "$commit-dirty"
[ $failures -eq 0 ]
