#!/bin/sh
# Checks what the bootstrap itself needs, then runs it. Arguments as for main.mjs.
oldest=18
fail() { printf 'parley: %s\n' "$1" >&2; exit 1; }
root=$(cd "$(dirname "$0")/../../.." && pwd)
# PATH ends a folder at a colon, and PostgreSQL calls its programs by a shell.
case $root in *[:\"\$\`\\]*) fail "the path of the checkout must be without : \" \$ \` and \\, move it: $root" ;; esac
command -v node >/dev/null 2>&1 || fail "Node.js is missing; any version from $oldest on will do: https://nodejs.org"
version=$(node -p process.versions.node </dev/null 2>/dev/null) || {
  reason=$(node --version 2>&1 </dev/null | head -n 1)
  case $reason in *'loading shared libraries: '*)
    library=${reason##*libraries: } library=${library%%:*}
    fail "the Node.js of this machine lacks $library; install its package, on Debian and Ubuntu: apt-get install $(echo "$library" | sed 's/\.so\.//')" ;;
  esac
  fail "the Node.js of this machine does not run ($reason); any version from $oldest on will do: https://nodejs.org"
}
[ "${version%%.*}" -ge $oldest ] ||
  fail "Node.js $version is too old; any version from $oldest on will do: https://nodejs.org"
command -v npm >/dev/null 2>&1 || fail 'npm is missing; it comes with Node.js: https://nodejs.org'
# For nohup; Node.js itself could not tell.
if sh "$(dirname "$0")/hangup.sh"; then export PARLEY_LOCAL_HANGUP=ignore; fi
exec node "$(dirname "$0")/main.mjs" "$@"
