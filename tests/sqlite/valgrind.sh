#!/usr/bin/env bash
# The quick start in the sqlite3 command line under valgrind: no invalid read or
# write, no use of what was never set, nothing of ours definitely lost.
#
#     tests/sqlite/valgrind.sh target/sqlite/me_hodgerank.so
set -euo pipefail
extension=$(realpath "$1")
for program in sqlite3 valgrind; do
    if ! command -v "$program" >/dev/null; then
        echo "skipped: no $program (Debian: apt-get install $program)"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    fi
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT

valgrind --quiet --log-file="$log" --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite --error-exitcode=99 \
    sqlite3 -batch :memory: >/dev/null 2>&1 <<SQL && code=0 || code=$?
.load '${extension%.so}'
.read '$(dirname "$0")/quick_start.sql'
SQL
cat "$log"
# 1 is the command line's, for the errors in the script; 99 is valgrind's. What
# the command line itself may lose is not ours: reports that name our file are.
if [ "$code" -gt 1 ] && { [ "$code" -ne 99 ] || grep -q me_hodgerank "$log"; }; then
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
echo "1 passed, 0 failed, 0 skipped"
