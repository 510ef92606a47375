#!/bin/sh
# Creates .env from .env.example, with a new secret for every line without a value. Never overwrites an existing .env.
set -eu
cd "$(dirname "$0")"
umask 077
set -C
while IFS= read -r line; do
  case $line in
    [A-Z]*=) echo "${line}p$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')" ;;
    *) echo "$line" ;;
  esac
done < .env.example > .env
echo "created $(pwd)/.env: check its first lines"
