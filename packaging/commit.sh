#!/bin/sh
# Prints the commit of the sources at the top of the tree: 12 digits, with -dirty after them if files that git
# knows were modified. `git archive`, and so `make dist`, writes it into packaging/commit. Prints "unknown" for
# sources that are neither a checkout nor such an archive.
set -u
cd "$(dirname "$0")/.." || exit 2
commit=
if [ -e .git ]; then
    commit=$(git rev-parse --short=12 HEAD 2>/dev/null) &&
        [ -n "$(git --no-optional-locks status --porcelain --untracked-files=no 2>/dev/null)" ] && commit=$commit-dirty
elif [ -f packaging/commit ]; then
    commit=$(sed -n 's/^\([0-9a-f]\{12\}\)[0-9a-f]*$/\1/p' packaging/commit)
fi
echo "${commit:-unknown}"
