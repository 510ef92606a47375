#!/bin/sh
# Ends with 0 when SIGHUP is ignored here, as nohup has it. Only a shell can tell: Node.js resets its signals when it starts.
trap 'exit 1' HUP
kill -HUP $$
