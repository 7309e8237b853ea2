# Byte Club. `make run` opens the app, `make test` passes all tests; both install what is missing.

SWIFT ?= swift
# The program stands alone: no Swift runtime is needed where it runs, and it starts sooner.
# No library beside it is loaded (no $$ORIGIN in its RUNPATH), and what the loader has written is read-only
# before the first line runs.
RELEASE = -c release --static-swift-stdlib --disable-local-rpath \
	-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
SOURCES = Package.swift Sources Tests Benchmarks

# `make fuzz` works this long on each parser.
SECONDS_EACH ?= 600

.PHONY: run test build program nerdfeed bench bench-editing outside sanitize fuzz deps deps-test deps-bench format lint clean

run: program
	@exec .build/release/byteclub

build: program
	@scripts/check-start .build/release/byteclub

program: deps
	@$(SWIFT) build $(RELEASE) --product byteclub
	@scripts/check-hardening .build/release/byteclub

# The second program on the libraries.
nerdfeed: deps
	@$(SWIFT) build $(RELEASE) --product nerdfeed
	@scripts/check-hardening .build/release/nerdfeed
	@echo "Built .build/release/nerdfeed. For a first look: .build/release/nerdfeed --demo"

# So many tests at a time: all at once, each would wait for all the others, and deadlines with them.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
test: deps-test
	$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" scripts/test

bench: deps-bench
	@Benchmarks/run.sh

# Replays recorded editing sessions: TRACES="a.json.gz b.json.gz".
bench-editing: deps
	@$(SWIFT) build --configuration release --static-swift-stdlib --product TextBench >&2
	@.build/release/TextBench --sessions $(TRACES)

sanitize: deps-test
	@scripts/sanitize

fuzz: deps-test
	@SECONDS_EACH=$(SECONDS_EACH) scripts/fuzz

# A program outside this package on CurlNetworking, run against a server of its own.
outside:
	@scripts/install-system-packages run outside
	@SWIFT="$(SWIFT)" Examples/Outside/run

deps:
	@scripts/install-system-packages run

deps-test:
	@scripts/install-system-packages run test
	@scripts/install-wsgidav

deps-bench:
	@scripts/install-system-packages run test bench

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@scripts/lint-words

clean:
	rm -rf .build
