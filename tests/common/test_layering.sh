#!/bin/sh
# Who may include whom, who may print, and the other rules that layering.awk lists: holds for the tree, and
# finds each kind of breach in made-up files, so that its silence means something.
set -u
top=$(pwd)
scratch=${TMPDIR:-/tmp}/layering.$$
mkdir -p "$scratch" || exit 2
trap 'rm -rf "$scratch"' EXIT
failures=0

# Breaches in the tree at the current folder; build folders and hidden ones are no source.
breaches() {
    find . \( -name '.?*' -o -name 'build*' -o -name docs \) -prune -o \
        -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) -print |
        sed 's,^\./,,' | sort >"$scratch/files"
    # shellcheck disable=SC2046 # no path of ours holds a blank
    awk -f "$top/tests/common/layering.awk" $(cat "$scratch/files")
}

# made FILE TEXT: the breaches of a made-up tree with this one file in $found, and $status.
made() {
    [ -d "$scratch/tree/${1%/*}" ] || mkdir -p "$scratch/tree/${1%/*}"
    printf '%s\n' "$2" >"$scratch/tree/$1"
    found=$(cd "$scratch/tree" && awk -f "$top/tests/common/layering.awk" "$1")
    status=$?
}

# refused FILE LINE WORDS TEXT: a file of an opening comment and TEXT is refused, at line LINE, in those WORDS.
refused() {
    made "$1" "/* Made up. */
$4"
    case $status:$found in
    "1:$1:$2: "*"$3"*) ;;
    *)
        echo "expected '$1:$2: … $3' for: $4; found (status $status): $found"
        failures=$((failures + 1))
        ;;
    esac
}

# accepted FILE TEXT
accepted() {
    made "$1" "/* Made up. */
$2"
    if [ "$status" -ne 0 ] || [ -n "$found" ]; then
        echo "expected no breach for $1: $2; found (status $status): $found"
        failures=$((failures + 1))
    fi
}

# Every pair of rooms, by the table of the design.
for from in cli lib workloads interchange replay mappings netmodel capture traces common; do
    case $from in
    cli) may='cli workloads interchange replay mappings netmodel traces common' ;;
    lib) may='lib interchange replay mappings netmodel traces common' ;;
    workloads) may='workloads common' ;;
    interchange) may='interchange replay traces common' ;;
    replay) may='replay mappings netmodel traces common' ;;
    mappings) may='mappings common' ;;
    netmodel) may='netmodel common' ;;
    capture) may='capture common' ;;
    traces) may='traces common' ;;
    common) may='common' ;;
    esac
    for to in cli lib workloads interchange replay mappings netmodel capture traces common; do
        case " $may " in
        *" $to "*) accepted $from/a.c "#include \"$to/x.h\"" ;;
        *)
            refused $from/a.c 2 "$from/ may not include $to/x.h" "#include \"$to/x.h\""
            refused $from/inner/a.h 2 "$from/ may not include $to/x.h" "  #  include <$to/x.h>"
            ;;
        esac
    done
done
accepted mappings/a.c '#include "netmodel/topology/topology.h"'
accepted mappings/a.c '#include "traces/file/traffic.h"'
accepted workloads/a.c '#include "traces/file/writer.h"'
refused mappings/a.c 2 'may not include netmodel/netmodel.h' '#include "netmodel/netmodel.h"'
refused mappings/a.c 2 'may not include traces/file/trace.h' '#include "traces/file/trace.h"'
for folder in routing analysis; do
    accepted netmodel/$folder/a.c '#include "netmodel/topology/topology.h"'
    accepted netmodel/$folder/a.c "#include \"netmodel/$folder/a.h\""
    refused netmodel/$folder/a.c 2 "netmodel/$folder/ may not include netmodel/netmodel.h" '#include "netmodel/netmodel.h"'
    refused netmodel/topology/a.c 2 "netmodel/topology/ may not include netmodel/$folder/a.h" "#include \"netmodel/$folder/a.h\""
done
accepted netmodel/router/a.c '#include "netmodel/routing/routing.h"'
accepted netmodel/router/a.c '#include "netmodel/file/links.h"'
refused netmodel/file/a.c 2 'may not include netmodel/router/core/network.h' '#include "netmodel/router/core/network.h"'
refused netmodel/router/core/a.c 2 'may not include netmodel/router/policy/install.h' '#include "netmodel/router/policy/install.h"'
refused netmodel/flow/a.c 2 'may not include netmodel/router/core/network.h' '#include "netmodel/router/core/network.h"'
accepted netmodel/routing/twin/a.c '#include "netmodel/routing/routing.h"'
refused netmodel/routing/twin/a.c 2 'may not include netmodel/routing/lattice/record.h' '#include "netmodel/routing/lattice/record.h"'
refused netmodel/routing/a.c 2 'may not include netmodel/routing/lattice/record.h' '#include "netmodel/routing/lattice/record.h"'
refused netmodel/topology/a.c 2 'may not include netmodel/topology/lattice/lattice.h' '#include "netmodel/topology/lattice/lattice.h"'
accepted netmodel/analysis/loads/a.c '#include "netmodel/analysis/graph/graph.h"'
refused netmodel/analysis/graph/a.c 2 'may not include netmodel/analysis/loads/a.h' '#include "netmodel/analysis/loads/a.h"'
refused common/a.c 2 'may not include common/config/config.h' '#include "common/config/config.h"'
refused common/a.c 2 'may not include common/report/doc.h' '#include "common/report/doc.h"'
refused common/report/a.c 2 'may not include common/config/config.h' '#include "common/config/config.h"'
for folder in file merge text; do
    accepted traces/$folder/a.c '#include "traces/format/codec.h"'
    refused traces/format/a.c 2 "traces/format/ may not include traces/$folder/a.h" "#include \"traces/$folder/a.h\""
    refused traces/event.h 2 "traces/ may not include traces/$folder/a.h" "#include \"traces/$folder/a.h\""
done
refused replay/collectives/a.c 2 'replay/collectives/ may not include replay/engine/engine.h' '#include "replay/engine/engine.h"'
accepted capture/a.c '#include "traces/event.h"'
accepted capture/a.c '#include "capture/clock/gap.h"'
refused capture/clock/a.c 2 'may not include capture/recorder.h' '#include "capture/recorder.h"'
accepted capture/a.c '#include "traces/log/log.h"'
refused capture/a.c 2 'may not include traces/file/trace.h' '#include "traces/file/trace.h"'

refused replay/a.c 2 'not written from the root' '#include "plan.h"'
refused replay/a.c 2 'not written from the root' '#include "collectives/plan.h"'
refused replay/a.c 2 'not written from the root' '#include "../common/status.h"'
refused replay/a.c 2 'cannot be read off' '#include HEADER'
accepted replay/a.c '#include <sys/stat.h>'

accepted capture/a.c '#include <mpi.h>'
accepted cli/mpi/a.c '#include <mpi.h>'
refused traces/a.c 2 'only capture/ and cli/mpi/ may include mpi.h' '#include <mpi.h>'
refused cli/a.c 2 'only capture/ and cli/mpi/ may include mpi.h' '#include "mpi.h"'
accepted tests/mpi/a.c '#include <mpi.h>'
accepted examples/a.c '#include <mpi.h>'

refused traces/a.c 2 'may call printf' 'printf("x");'
refused traces/a.c 2 'may call puts' 'if (x) puts("x");'
refused traces/a.c 2 'may call perror' '    perror ("x");'
refused common/a.c 2 'may call exit' 'exit(2);'
refused common/a.c 2 'may call abort' 'if(x)abort();'
refused netmodel/a.c 2 'write to stderr' 'fprintf(stderr, "x");'
refused netmodel/a.c 2 'write to stderr' 'write(STDERR_FILENO, "x", 1);'
refused netmodel/a.c 2 'write to stdout' 'FILE *out = stdout;'
refused capture/a.c 2 'write to stdout' 'fputs("x", stdout);'
refused capture/a.c 2 'may call exit' 'exit(1);'
refused common/a.c 2 'may call exit' "char c = '\"'; exit(1);"
refused common/a.c 2 'may call exit' '/* exit */ exit(1); // exit'
accepted capture/a.c 'fputs("x", stderr); _exit(1);'
accepted common/progress.c 'fputs("x", stderr);'
accepted cli/a.c 'printf("x"); fputs("x", stderr); exit(2);'
accepted traces/a.c 'fprintf(out, "stdout %d", 1); snprintf(text, 2, "x"); MPI_Abort(x); on_exit_of(x);'
accepted traces/a.c 'void f(int x, ...) __attribute__((format(printf, 1, 2)));'
accepted traces/a.c '/* printf("x") on stdout */ // exit(1)'
accepted traces/a.c 'text = "call exit(1) \" or printf(x)"; plan->exit(x);'
accepted traces/a.c '/* over
 * two lines: exit(1)
 #include "cli/x.h"
 */'

refused cli/a.c 2 'vef_svg_text' 'fprintf(out, "<text x=\"1\">%s</text>", name);'
refused common/pictures/a.c 2 'vef_svg_text' 'fputs("</g><text>", out);'
accepted common/pictures/svg.c 'fputs("<text", out);'
accepted cli/a.c 'printf("\"%s\" <path", name);'

refused netmodel/a.c 2 'randomness' 'int x = rand();'
refused replay/a.c 2 'randomness' 'long x = random ( );'
accepted replay/a.c 'double x = vef_rng_unit(&rng); operand(x);'

for file in traces/a.c traces/a.h capture/a.def tests/traces/test_a.c; do
    made $file 'int x;
/* too late */'
    case $status:$found in
    "1:$file:1: does not open with a comment"*) ;;
    *)
        echo "expected the missing opening comment of $file; found: $found"
        failures=$((failures + 1))
        ;;
    esac
done

# twice TEXT: two rooms whose files both define TEXT are refused, in the second of them.
twice() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/netmodel" "$scratch/tree/replay"
    for file in netmodel/a.h replay/b.h; do
        printf '%s\n' '/* Made up. */' "$1" >"$scratch/tree/$file"
    done
    found=$(cd "$scratch/tree" && breaches)
    status=$?
    case $status:$found in
    '1:replay/b.h:'*' is defined in netmodel/a.h:'*' too') ;;
    *)
        echo "expected a name defined twice for: $1; found (status $status): $found"
        failures=$((failures + 1))
        ;;
    esac
}
twice 'typedef struct vef_thing {
    int x;
} vef_thing;'
twice 'typedef struct vef_thing vef_thing;'
twice 'typedef enum vef_thing { VEF_A, VEF_B } vef_thing;'
twice 'typedef bool vef_thing(const vef_other *other);'
twice 'typedef vef_code (*vef_thing)(vef_other *other);'
twice 'vef_code vef_thing(vef_other *other);'
twice 'static inline vef_other *vef_thing(int x) {'
accepted traces/a.h 'typedef struct thing {
    vef_thing *x;
} thing;
vef_thing *vef_thing_make(vef_thing *from);
void vef_thing_free(vef_thing *thing);
static inline void vef_thing_free(vef_thing *thing) {
    vef_thing_empty(thing);
}'
accepted traces/a.c 'int x = vef_thing(1);
int y = vef_thing(2);'

# Include cycles: a.c needs b.h, whose source file needs a.h.
rm -rf "$scratch/tree"
mkdir -p "$scratch/tree/replay"
for pair in 'a.c b.h' 'b.c a.h' 'c.c a.h'; do
    printf '/* Made up. */\n#include "replay/%s"\n' "${pair#* }" >"$scratch/tree/replay/${pair% *}"
done
found=$(cd "$scratch/tree" && breaches)
case $found in
'include cycle: replay/a -> replay/b -> replay/a' | 'include cycle: replay/b -> replay/a -> replay/b') ;;
*)
    echo "expected the include cycle of a and b; found: $found"
    failures=$((failures + 1))
    ;;
esac
rm "$scratch/tree/replay/b.c"
[ -z "$(cd "$scratch/tree" && breaches)" ] || { echo "finds a cycle where there is none"; failures=1; }
refused utils/a.c 1 'no room of the design' 'int x;'

found=$(breaches)
status=$?
if ! grep -qx common/status.c "$scratch/files"; then
    echo "common/status.c is not among the files looked at: is this the root of the tree?"
    failures=$((failures + 1))
fi
if [ "$status" -ne 0 ]; then
    echo "$found"
    failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
