#!/bin/sh
# All pages but those of test_programs.sh. See pages.sh.
chosen() { case $1 in README | docs/tutorial | docs/capture | docs/jobs | docs/fit | docs/inter* | docs/study | docs/report | docs/notebooks) return 1 ;; esac; }
. tests/pages/pages.sh
