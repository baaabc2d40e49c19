#!/bin/sh
# Folders that other users can write, or own, and files that somebody has put there before: the capture library writes
# nothing through them, says why, and the program runs. Ordinary folders of one's own are made and used.
# With each MPI library.
. tests/command.sh
set -u
library=$build/libvefcapture.so
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
runtime=$(ldd "$library" | awk '/libasan/ { print $3 ":" }')
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
mpiexec=${MPIEXEC:-mpiexec.mpich}
cat >calls.c <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* What another user of the folder does when the log is there: the next names of the library are taken. */
static void plant(const char *name) {
    char path[4096];
    const char *how = getenv("PLANT");
    snprintf(path, sizeof path, "%s/%s", getenv("VEF_CAPTURE_DIR"), name);
    int failed = strcmp(how, "pipe") == 0   ? mkfifo(path, 0666)
                 : strcmp(how, "hard") == 0 ? link("victim", path)
                                            : symlink(how, path);
    if (failed)
        abort();
}
static void plant_all(void) {
    struct dirent *entry;
    char log[512] = "";
    DIR *folder = opendir(getenv("VEF_CAPTURE_DIR"));
    while ((entry = readdir(folder)) != NULL)
        if (strstr(entry->d_name, ".vlog") != NULL)
            snprintf(log, sizeof log, "%s~", entry->d_name);
    closedir(folder);
    plant("lost-000000");
    plant(log);
}
int main(int argc, char **argv) {
    int one = 1, sum, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (getenv("PLANT") != NULL)
        plant_all();
    for (int i = 0; i < 400000; i++)
        MPI_Sendrecv(&one, 1, MPI_INT, rank, i % 1000, &sum, 1, MPI_INT, rank, i % 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
${MPICC:-mpicc.mpich} -O1 -w -o calls calls.c || exit 1
# by_hand FOLDER [NAME=VALUE...]: one task with its logs in that folder.
by_hand() {
    folder=$1
    shift
    ran="a task with VEF_CAPTURE_DIR='$folder' $*"
    "$mpiexec" -n 1 env LD_PRELOAD="${runtime}libvefcapture.so" VEF_CAPTURE_DIR="$folder" VEF_CAPTURE_JOB=job "$@" ./calls >out 2>err ||
        fail "$ran: the program is harmed"
}
written() { find "$1" ! -type d | sort; }
by_hand "$TMPDIR/first"
[ -n "$(written first)" ] || fail "no log in a new folder: $(cat err)"
[ "$(stat -c %A first | cut -c 9)" = - ] || fail 'a new folder may be written by others'

# ---- refused folders: nothing is written there, and the task says why ----

refused() { # refused FOLDER WORDS [TARGET]
    before=$(written "${3:-$1}")
    by_hand "$1"
    says "$2"
    says 'nothing was recorded'
    [ "$(written "${3:-$1}")" = "$before" ] || fail "$ran writes $(written "${3:-$1}")"
}
mkdir open own sticky
chmod 777 open
refused "$TMPDIR/open" 'other users may write'
chmod 1777 sticky # of one's own: others cannot remove or rename what is there
by_hand "$TMPDIR/sticky"
[ -n "$(written sticky)" ] || fail "$ran: no log: $(cat err)"
chmod 770 own
by_hand "$TMPDIR/own"
[ -n "$(written own)" ] || fail "$ran: no log: $(cat err)"
ln -s own link
by_hand "$TMPDIR/link"
[ "$(written own | wc -l)" -eq 2 ] || fail "$ran: no second log: $(cat err)"
refused '' 'is empty' own
[ -z "$(find / -maxdepth 1 -newer calls \( -name 'lost-*' -o -name 'task-*' \))" ] || fail "$ran: files in /"
if [ "$(id -u)" -eq 0 ]; then
    mkdir theirs
    chown 12345 theirs
    refused "$TMPDIR/theirs" 'another user'
    chmod 1777 theirs
    refused "$TMPDIR/theirs" 'another user'
    ln -s own theirlink
    chown -h 12345 theirlink
    refused "$TMPDIR/theirlink" 'another user' own
else
    skip 'folders of other users: not root'
fi

# A user without a name in its namespace: files and folders appear as of nobody, as with root squashing. What counts is
# the owner that new files get.
if unshare -U true 2>/dev/null; then
    mkdir nobody
    ran='a task in a user namespace'
    unshare -U env LD_PRELOAD="${runtime}libvefcapture.so" VEF_CAPTURE_DIR="$TMPDIR/nobody" ./calls >out 2>err ||
        fail "$ran: the program is harmed"
    [ -n "$(written nobody)" ] || fail "$ran: no log: $(cat err)"
else
    skip 'a task in a user namespace: not permitted here'
fi

# ---- names that are taken: no file is reached through them ----

echo precious >victim
for how in ../victim hard ../missing pipe; do
    rm -rf planted
    mkdir planted
    by_hand "$TMPDIR/planted" PLANT=$how VEF_CAPTURE_WHEN_FULL=ring VEF_CAPTURE_MAX_SIZE=1048576
    says 'File exists'
    [ "$(cat victim)" = precious ] || { fail "$ran writes to another file"; echo precious >victim; }
    [ ! -e missing ] || fail "$ran makes another file"
done
# The preloaded library itself, where the capture library is missing.
mkdir alone
cp "$library" alone/
for how in 'ln -s ../victim' 'ln victim'; do
    rm -rf planted
    mkdir planted
    eval "$how" planted/lost-000000
    by_hand "$TMPDIR/planted" LD_LIBRARY_PATH="$PWD/alone:$LD_LIBRARY_PATH"
    [ "$(cat victim)" = precious ] || { fail "$ran writes to another file"; echo precious >victim; }
    grep -q 'is missing' planted/lost-000000 || fail "$ran: no reason: $(cat err)"
done
[ $failures -eq 0 ]
