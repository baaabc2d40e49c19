#!/bin/sh
# System calls that fail: strace lets one call of a command fail, in each of its processes and threads (what is checked:
# tests/memory/every_command.sh). Tries PLACES calls of each kind and command (default: 1, the last); `PLACES=all` each.
set -u
. tests/command.sh
. "$here/tests/memory/every_command.sh"
if ! strace -f --seccomp-bpf -o trace.txt -e trace=write -e inject=write:error=EIO:when=1 true; then
    skip "needs strace, and a system that lets it trace"
    exit 0
fi

# Not brk, which reports failures in a way of its own, nor lseek, which fails for pipes only.
failing='openat:EMFILE openat:EACCES read:EIO write:ENOSPC write:EIO pwrite64:ENOSPC fstat:EIO newfstatat:EIO fsync:EIO close:EIO
ftruncate:EIO fallocate:ENOSPC rename:EACCES renameat2:EIO linkat:EIO unlink:EIO mkdir:EACCES mmap:ENOMEM mprotect:ENOMEM munmap:ENOMEM
clone:EAGAIN clone3:EAGAIN pipe2:EMFILE dup2:EIO fcntl:EIO getdents64:EIO readlink:EIO flock:EIO getrandom:EIO'
find_places() {
    strace -f -o trace.txt "$vef" "$@" >good.out 2>err </dev/null
    good=$?
    # Each word is CALL:ERROR:NUMBER, where NUMBER counts within a process or thread. The loader, whose last call is
    # munmap, is left out: it crashes by itself.
    places=$(echo "$failing" | tr ' ' '\n' | awk -v places="${PLACES:-1}" -v lines=trace.txt '
        BEGIN {
            while ((getline line <lines) > 0) {
                split(line, part, /[ (]+/)
                if (++made[part[1], part[2]] > most[part[2]]) most[part[2]] = made[part[1], part[2]]
                if (part[2] == "munmap" && !loaded++) for (call in most) loading[call] = most[call]
            }
        }
        {
            split($0, word, ":")
            count = most[word[1]] - loading[word[1]]
            step = places == "all" ? 1 : int(count / places) + 1
            for (; count > 0; count -= step) print $0 ":" count + loading[word[1]]
        }')
}
fail_at() {
    place=$1
    shift
    call=${place%%:*} number=${place##*:} error=${place#*:}
    strace -f --seccomp-bpf -o trace.txt -e trace="$call" -e inject="$call:error=${error%:*}:when=$number" "$vef" "$@" >out 2>err </dev/null
    status=$?
}
every_command
echo "$tried system calls failed"
[ $failures -eq 0 ]
