# SPDX-License-Identifier: Apache-2.0
# A thin front for Meson: the targets people type. CI adds -Dwerror=true by configuring build/ first (.ci/run).

.PHONY: all deb test test-debian13 test-long test-asan conformance fuzz bench demo install clean

all: build/build.ninja
	ninja -C build

%/build.ninja:
	meson setup $(options) $*

test:
	tools/setup
	$(MAKE) --no-print-directory all
	tools/test build

# What takes long: all torchvision models, long fuzzing, kill tests; then what the standard run of .ci/run leaves out.
test-long:
	tools/setup --oracles
	$(MAKE) --no-print-directory all
	GIG_LONG=1 GIG_TEST_SECONDS=14400 tools/test build
	GIG_CI_ALL=1 .ci/run tidy address thread clang coverage

# A fresh Debian 13 (oneDNN 3, gcc 14) runs README's two commands. As root; folder=DIR keeps it for the next run.
test-debian13:
	tools/fresh_system trixie $(folder)

# gig, libgig-dev, python3-gig and the library as packages, beside this folder.
deb:
	tools/deb

test-asan: options = --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
test-asan:
	tools/setup
	test -f build-asan/build.ninja || meson setup $(options) build-asan
	ninja -C build-asan
	GIG_TEST_SECONDS=$${GIG_TEST_SECONDS:-3600} tools/test build-asan

conformance:
	tools/setup
	$(MAKE) --no-print-directory all
	tools/conformance build

# A short run of each fuzz/fuzz_*.c under ASan and UBSan; fuzz/run takes a number of inputs.
fuzz: runs_model = 200000
fuzz: runs_network = 5000
fuzz:
	tools/setup --oracles
	set -e; $(foreach target,$(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c)),\
		fuzz/run $(target) $(or $(runs_$(target)),20000);)

bench: all
	bench/run build

# The program alone is built, not the tests.
demo:
	tools/setup
	$(MAKE) --no-print-directory build/build.ninja
	ninja -C build gig
	demo/run build

install: all
	meson install -C build

clean:
	rm -rf build build-asan build-clang build-fuzz
