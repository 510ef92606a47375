# Commands for a checkout. All but help and clean first install and build what is missing: Node.js, pnpm, the packages
# and the bundles.

.PHONY: help run test test-all bench bench-full profile contract clean bootstrap

help:
	@echo 'make run       start Parley on this machine (http://127.0.0.1:8080); Ctrl-C stops it, its data is kept in .data'
	@echo '               OPEN=1 make run also opens it in a browser'
	@echo 'make test      all checks and tests except the long ones; starts its own servers'
	@echo 'make test-all  all checks and tests'
	@echo 'make bench     measure speed and costs, and compare them with floors (under ten minutes); make bench-full measures more'
	@echo 'make profile CALL=GetViewer  flame graphs of the CPU time of a call'
	@echo 'make contract  start a separate fleet and list which public methods it implements'
	@echo 'make clean     delete the results of builds; data is kept'
	@echo
	@echo 'Settings of make run: ./pnpm dev --help'

bootstrap:
	@sh packages/local/bootstrap/start.sh

# Runs a program with the Node.js of .node-version and its pnpm on PATH. With exec, signals reach the program itself.
exec := PATH="$(CURDIR)/node_modules/.parley/bin:$$PATH" exec

run:
	@sh packages/local/bootstrap/start.sh run
	@if sh packages/local/bootstrap/hangup.sh; then export PARLEY_LOCAL_HANGUP=ignore; fi; \
	  $(exec) node packages/local/dist/main.js $(if $(OPEN),--open)

test: bootstrap
	@$(exec) node packages/tooling/test.mjs

test-all: bootstrap
	@$(exec) node packages/tooling/test.mjs --all

bench: bootstrap
	@$(exec) node packages/loadtest/dist/bench.js $(ARGS)

bench-full: bootstrap
	@$(exec) node packages/loadtest/dist/bench.js --full $(ARGS)

profile: bootstrap
	@$(exec) node packages/loadtest/dist/profile.js $(CALL)

contract: bootstrap
	@$(exec) node packages/loadtest/dist/contract.js

clean:
	rm -rf packages/*/dist services/*/dist .turbo packages/*/.turbo services/*/.turbo node_modules/.cache
