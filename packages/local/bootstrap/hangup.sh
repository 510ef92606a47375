#!/bin/sh
# Exits with 0 if SIGHUP is ignored, as under nohup. Only a shell can tell: Node.js resets its signal handlers at start.
trap 'exit 1' HUP
kill -HUP $$
