# What people do with a checkout. Each target first installs and builds what is missing: Node.js, pnpm, packages, bundles.

.PHONY: help run test test-all bench bench-full profile contract clean bootstrap

help:
	@echo 'make run       start Parley on this machine (http://127.0.0.1:8080); Ctrl-C ends it, data stay in .data'
	@echo '               OPEN=1 make run also opens it in a browser'
	@echo 'make test      every check and every test, with servers of their own'
	@echo 'make test-all  the same, and what takes long'
	@echo 'make bench     measure speed and costs, and compare them with floors (under ten minutes); make bench-full measures more'
	@echo 'make profile CALL=GetViewer  show where the CPU time of a call is spent, as flame graphs'
	@echo 'make contract  show which public methods a fleet implements'
	@echo 'make clean     remove what was built; data stay'
	@echo
	@echo 'Settings of make run: ./pnpm dev --help'

bootstrap:
	@sh packages/local/bootstrap/start.sh

# The Node.js of .node-version and its pnpm. exec: signals reach the program itself.
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
