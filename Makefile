# Byte Club. `make run` opens the app, `make test` passes all tests; both install what is missing.

SWIFT ?= swift
# The program stands alone: no Swift runtime is needed where it runs, and it starts sooner.
RELEASE = -c release --product byteclub --static-swift-stdlib
SOURCES = Package.swift Sources Tests Benchmarks

.PHONY: run test build bench deps deps-test deps-bench format lint clean

run: build
	@exec .build/release/byteclub

build: deps
	@$(SWIFT) build $(RELEASE)

test: deps-test
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest

bench: deps-bench
	@Benchmarks/run.sh

deps:
	@scripts/install-system-packages run

deps-test:
	@scripts/install-system-packages run test

deps-bench:
	@scripts/install-system-packages run test bench

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

clean:
	rm -rf .build
