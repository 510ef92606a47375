#!/bin/sh
# Checks what the bootstrap itself needs, then runs it. Takes the arguments of main.mjs.
oldest=18
fail() { printf 'parley: %s\n' "$1" >&2; exit 1; }
root=$(cd "$(dirname "$0")/../../.." && pwd)
# PATH is split at colons, and PostgreSQL starts its programs through a shell.
case $root in *[:\"\$\`\\]*) fail "the path of the checkout must not contain any of : \" \$ \` and \\; move it: $root" ;; esac
command -v node >/dev/null 2>&1 || fail "Node.js is missing; install version $oldest or newer: https://nodejs.org"
version=$(node -p process.versions.node </dev/null 2>/dev/null) || {
  reason=$(node --version 2>&1 </dev/null | head -n 1)
  case $reason in *'loading shared libraries: '*)
    library=${reason##*libraries: } library=${library%%:*}
    fail "the installed Node.js lacks $library; install the library, on Debian and Ubuntu with: apt-get install $(echo "$library" | sed 's/\.so\.//')" ;;
  esac
  fail "the installed Node.js does not run ($reason); install version $oldest or newer: https://nodejs.org"
}
[ "${version%%.*}" -ge $oldest ] ||
  fail "Node.js $version is too old; install version $oldest or newer: https://nodejs.org"
command -v npm >/dev/null 2>&1 || fail 'npm is missing; it comes with Node.js: https://nodejs.org'
# Detects nohup, which Node.js itself cannot.
if sh "$(dirname "$0")/hangup.sh"; then export PARLEY_LOCAL_HANGUP=ignore; fi
exec node "$(dirname "$0")/main.mjs" "$@"
