#!/bin/sh
# A result is on the disk when the command has ended: the content before the file has its name, the name before the
# command goes on, and the logs of a capture are removed after that. A file or folder that cannot be synchronised is an
# error of the command. A preloaded library records the calls in order and lets one of them fail.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}
if ldd "$vef" | grep -q libasan; then
    skip 'the order of writing: the sanitizer must be preloaded first'
    exit 0
fi
cat >steps.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static void put(const char *what, const struct stat *about, const char *name) {
    char line[512];
    int length = about ? snprintf(line, sizeof line, "%s %llu %lld\n", what, (unsigned long long)about->st_ino,
                                  S_ISDIR(about->st_mode) ? -1LL : (long long)about->st_size)
                       : snprintf(line, sizeof line, "%s %s\n", what, name);
    int file = open(getenv("STEPS"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (write(file, line, (size_t)length) != length)
        abort();
    close(file);
}
int fsync(int file) {
    static int count;
    const char *number = getenv("FAIL_AT");
    struct stat about;
    if (fstat(file, &about) != 0)
        return -1;
    put("fsync", &about, NULL);
    if (*number == '*' || ++count == atoi(number)) {
        errno = atoi(getenv("FAIL_ERRNO"));
        return -1;
    }
    return 0;
}
static int named(int result, const char *to) {
    struct stat about;
    if (result == 0 && stat(to, &about) == 0)
        put("name", &about, NULL);
    return result;
}
int rename(const char *from, const char *to) { return named((int)syscall(SYS_rename, from, to), to); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    return named((int)syscall(SYS_renameat2, a, from, b, to, flags), to);
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
    return named((int)syscall(SYS_linkat, a, from, b, to, flags), to);
}
int unlink(const char *path) {
    put("unlink", NULL, path);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int unlinkat(int folder, const char *path, int flags) {
    put("unlink", NULL, path);
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}
C
${CC:-cc} -D_GNU_SOURCE -w -O1 -shared -fPIC -o steps.so steps.c -ldl || exit 1

# run_with FAIL_AT FAIL_ERRNO ARGUMENTS...: vef with the library, and steps in a new file.
run_with() {
    fail_at=$1 fail_errno=$2
    shift 2
    ran="vef $* (fsync $fail_at fails)"
    rm -rf steps made
    mkdir made
    # Relative: the folder may have blanks in its name, at which LD_PRELOAD ends.
    STEPS=$PWD/steps FAIL_AT=$fail_at FAIL_ERRNO=$fail_errno LD_LIBRARY_PATH=$PWD LD_PRELOAD=steps.so "$vef" "$@" >out 2>err
    status=$?
}
inode() { stat -c %i "$1"; }
# in_order FILE NAMED: FILE was synchronised as it is now, then NAMED (the file or its folder) got its name, then the
# folder of NAMED was synchronised. Without a name: all but that.
in_order() {
    awk -v file="$(inode "$1")" -v size="$(stat -c %s "$1")" -v named="$(inode "$2")" -v folder="$(inode "$(dirname "$2")")" '
        $1 == "fsync" && $2 == file && $3 == size { written = NR }
        $1 == "name" && $2 == named { if (!first) first = NR; last = NR }
        $1 == "fsync" && $2 == folder { entered = NR }
        END { exit !(written && entered && (!first || (written < first && last < entered))) }' steps ||
        { fail "$ran: $1: not synchronised in order"; sed 's/^/  | /' steps; }
}
# kind NAME ARGUMENTS...: a command that writes into the folder made: in order, and failing at each step.
kind() {
    name=$1
    shift
    run_with 0 0 "$@"
    [ $status -eq 0 ] || { fail "$ran: status $status"; return; }
    find made -type f >files
    [ -s files ] || fail "$ran writes nothing"
    while read -r file; do
        case $file in made/archive/*) in_order "$file" made/archive ;; *) in_order "$file" "$file" ;; esac
    done <files
    steps=$(grep -c '^fsync' steps)
    [ "$steps" -ge 2 ] || fail "$ran: $steps steps"
    for step in $(seq "$steps"); do
        run_with "$step" 5 "$@"
        [ $status -ne 0 ] && grep -q 'Input/output error' err || fail "$ran: status $status"
        [ "$name" != capture ] || [ -n "$(find made -name '*.vlog')" ] || fail "$ran: the logs are gone"
    done
    run_with '*' 22 "$@" # a file system without fsync
    [ $status -eq 0 ] || fail "$ran with EINVAL: status $status"
}

cat >two.c <<'C'
#include <mpi.h>
int main(int argc, char **argv) {
    int one = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
${MPICC:-mpicc.mpich} -w -o two two.c || exit 1
cat >net.yaml <<'END2'
topology: {family: torus, sizes: [4, 4]}
END2
cat >study.yaml <<'END2'
run: load
networks: [net.yaml]
rates: [0.1, 0.2]
precisions: 0.1
END2
vef 0 generate '{tasks: 4, workload: ring}' -o ring.vef
vef 0 load net.yaml --rate 0.1 --json && cp out load.json
vef 0 dump ring.vef && cp out ring.text
vef 0 export ring.vef --format goal -o ring.goal

# The steps of vef itself: its tasks run without the library.
kind capture capture -o made/a.vef -- env -u LD_LIBRARY_PATH "$mpiexec" -n 2 ./two
run_with 0 0 capture -o made/a.vef -- "$mpiexec" -n 2 ./two
awk -v trace="$(inode made/a.vef)" -v folder="$(inode made)" '
    $1 == "fsync" && $2 == folder { safe = named }
    $1 == "name" && $2 == trace { named = 1 }
    $1 == "unlink" && /vlog/ { removed++; early += !safe }
    END { exit !(removed == 2 && early == 0) }' steps || { fail 'logs are removed before the trace is safe'; cat steps; }
vef 0 capture --keep-logs -o kept.vef -- "$mpiexec" -n 2 ./two
kind gather gather -o made/a.vef kept.vef.logs-*
kind generate generate '{tasks: 4, workload: ring}' -o made/a.vef
kind slice slice ring.vef --tasks 0-1 -o made/a.vef
kind assemble assemble ring.text -o made/a.vef
kind import import ring.goal --format goal -o made/a.vef
for format in goal simgrid-ti chrome paraver vef-text; do kind export export ring.vef --format $format -o made/a; done
if "$vef" version | grep -q '^built with:.*otf2'; then
    kind export export ring.vef --format otf2 -o made/archive
else
    skip 'OTF2: vef was built without it'
fi
kind map map ring.vef --net net.yaml --map identity -o made/a.map
kind timeline replay ring.vef --net net.yaml --timeline made/a.json
kind report report load.json -o made/a.html
kind study study study.yaml -o made/study --jobs 1
kind plot load net.yaml --rate 0.1,0.2 --plot made/a.svg
[ $failures -eq 0 ]
