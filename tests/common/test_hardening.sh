#!/bin/sh
# What `make` builds is hardened, by readelf: the program is position-independent, its relocations are read-only when it
# runs (full RELRO), and the functions of the C library with checks of lengths and the stack protector are in use. Libraries
# in other people's programs show no names of vef but those that they use of each other.
set -u
. tests/command.sh
if ldd "$vef" | grep -q libasan; then
    skip 'hardening: a build with sanitizers'
    exit 0
fi
command -v readelf >/dev/null || { skip 'hardening: no readelf (Debian: binutils)'; exit 0; }
for file in "$vef" "$build"/libvef.so "$build"/libvefcapture.so "$build"/libvefcapture-*.so "$build"/vefpingpong-*; do
    [ -f "$file" ] || continue
    readelf -hldW "$file" >elf
    readelf -sW --dyn-syms "$file" >symbols
    grep -q 'Type: *DYN' elf || fail "$file: not position-independent"
    grep -q 'GNU_RELRO' elf || fail "$file: no RELRO"
    grep -q 'FLAGS.*NOW' elf || fail "$file: not bound when it is loaded"
    grep 'GNU_STACK' elf | grep -q 'RWE' && fail "$file: an executable stack"
    grep -q '__stack_chk_fail' symbols || fail "$file: no stack protector"
    case $file in
    */libvefcapture.so) # in programs of other C libraries too
        grep '__[a-z]*_chk@' symbols && fail "$file needs functions that only glibc has" ;;
    *) grep -q '__[a-z]*_chk@' symbols || fail "$file: _FORTIFY_SOURCE is off" ;;
    esac
    case $file in
    */libvefcapture*)
        grep -v ' UND ' symbols | awk '/^Symbol table .\.dynsym/ { on = 1 } /^Symbol table .\.symtab/ { on = 0 } on && $8 ~ /^vef_/ { print $8 }' >names
        [ -s names ] || fail "$file shows nothing"
        grep -v '^vef_preload_\(find\|mpi_runs\|report\|started\)$\|^vef_capture_\(hooks\|region\)$\|^vef_caller$' names && fail "$file shows names of its own"
        ;;
    esac
done
[ $failures -eq 0 ]
