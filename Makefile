# Byte Club. `make run` opens the app, `make test` passes all tests; both install what is missing.

SWIFT ?= swift
# What Package.swift knows its own builds by, also after `make -C`.
export PWD := $(CURDIR)
# The program stands alone: no Swift runtime is needed where it runs, and it starts sooner.
# No library beside it is loaded (no $$ORIGIN in its RUNPATH), and what the loader has written is read-only
# before the first line runs.
# Byte Club is spared all of Foundation: see Package.swift.
# The toolchain's lld: see docs/Decisions.md for what the last line saves.
RELEASE = -c release --disable-default-traits --static-swift-stdlib --disable-local-rpath \
	-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic -Xlinker --icf=safe
SOURCES = Package.swift Sources Tests Benchmarks

# `make fuzz` works this long on each parser.
SECONDS_EACH ?= 600

# The commit that `--version` names; BYTECLUB_COMMIT says it where git cannot.
STAMPED = BYTECLUB_COMMIT=$${BYTECLUB_COMMIT-$$(git describe --always --dirty --exclude '*' 2>/dev/null || true)}

# Where `make install` puts the programs: below $(DESTDIR)$(PREFIX).
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: run test test-release build program product nerdfeed install uninstall deb check-deb sbom bench bench-editing outside drop-in streaming sanitize fuzz \
	deps deps-test deps-bench deps-package format lint clean

run: program
	@exec .build/release/byteclub

build: program
	@scripts/check-start .build/release/byteclub

program: deps
	@$(STAMPED) $(SWIFT) build $(RELEASE) --product byteclub
	@scripts/check-hardening .build/release/byteclub

# One product as it is released; what is measured is built so, too.
product: deps
	@$(STAMPED) $(SWIFT) build $(RELEASE) --product $(PRODUCT)

# The second program on the libraries.
nerdfeed: deps
	@$(STAMPED) $(SWIFT) build $(RELEASE) --product nerdfeed
	@scripts/check-hardening .build/release/nerdfeed
	@echo "Built .build/release/nerdfeed. For a first look: .build/release/nerdfeed --demo"

# What was built; it is built here only where it is missing, so that root needs no toolchain.
install:
	@[ -x .build/release/byteclub ] && [ -x .build/release/nerdfeed ] || $(MAKE) program nerdfeed
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install-files install

uninstall:
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install-files uninstall

# A Debian package in dist/.
deb: deps-package program nerdfeed
	@scripts/make-deb

# Installs, runs, upgrades and removes it in a clean Debian.
check-deb:
	@scripts/install-system-packages clean
	@scripts/check-install
	@scripts/check-package

# What a release consists of, as CycloneDX.
sbom:
	@[ -x .build/release/byteclub ] && [ -x .build/release/nerdfeed ] || $(MAKE) program nerdfeed
	@mkdir -p dist
	@SWIFT="$(SWIFT)" scripts/make-sbom dist/byteclub.cdx.json

# So many tests at a time: all at once, each would wait for all the others, and deadlines with them.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
test: deps-test
	$(SWIFT) build --build-tests
	@$(MAKE) --no-print-directory drop-in
	@SWIFT="$(SWIFT)" scripts/test

# The end-to-end tests with the program as it is released: the optimizer may break what no other test meets.
test-release: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
test-release: deps-test
	@$(MAKE) --no-print-directory build
	$(SWIFT) build --build-tests
	@BYTECLUB_BINARY="$(CURDIR)/.build/release/byteclub" SWIFT="$(SWIFT)" scripts/test \
	    --filter '^EndToEndTests\.' --skip '\.NerdfeedTests' --skip '\.GroceriesTests'

bench: deps-bench
	@Benchmarks/run.sh

# Replays recorded editing sessions: TRACES="a.json.gz b.json.gz".
bench-editing: deps
	@$(MAKE) --no-print-directory product PRODUCT=TextBench >&2
	@.build/release/TextBench --sessions $(TRACES)

sanitize: deps-test
	@scripts/sanitize

fuzz: deps-test
	@SECONDS_EACH=$(SECONDS_EACH) scripts/fuzz

# A program outside this package on CurlNetworking, run against a server of its own.
outside:
	@scripts/install-system-packages run outside
	@SWIFT="$(SWIFT)" Examples/Outside/run

# The usual lines of programs written for URLSession, with the trait `Foundation`: what all programs but ours get, and
# no other test compiles.
drop-in: deps-test
	@cd Examples/DropIn && $(SWIFT) test --disable-xctest

# A program with streams both ways, on the types of swift-http-types.
streaming: deps
	@cd Examples/Streaming && $(SWIFT) build

deps:
	@scripts/install-system-packages run

deps-test:
	@scripts/install-system-packages run test
	@scripts/install-wsgidav

deps-bench:
	@scripts/install-system-packages run test bench

deps-package:
	@scripts/install-system-packages run package

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@scripts/lint-words
	@scripts/check-tests
	@scripts/check-messages
	@scripts/check-layers
	@SWIFT="$(SWIFT)" scripts/check-manifest
	@scripts/check-screens
	@scripts/check-bools
	@scripts/check-properties.py Sources
	@scripts/find-undocumented.py Sources/CurlNetworking Sources/CurlNetworkingHTTPTypes Sources/TerminalUI Sources/TextEditing
	@SWIFT="$(SWIFT)" scripts/check-api

clean:
	rm -rf .build dist
