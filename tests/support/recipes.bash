# SPDX-License-Identifier: MIT
# The recipes of README.md, run literally. PICKNEXT, and TOP with the README, are set by the test.
# shellcheck shell=bash

# recipe NAME: runs the commands after <!-- recipe: NAME --> in the current directory, until one fails. picknext is the
# one under test; sudo runs its command, because the test is root. AS, if set, is the command that runs them as another user.
recipe() {
	local programs=$PWD/programs
	mkdir -p "$programs"
	ln -sfn "$(readlink -f "$PICKNEXT")" "$programs/picknext"
	printf '#!/bin/sh\nexec "$@"\n' >"$programs/sudo"
	chmod +x "$programs/sudo"
	sed -n "/^<!-- recipe: $1 -->/,/^\`\`\`\$/p" "$TOP/README.md" | sed -n '/^```console/,$ { s/^\$ //p; /^ /p }' >"recipe-$1"
	# The test fails if the recipe is no longer there.
	[ "$(grep -c picknext "recipe-$1")" -ge "$2" ]
	[ "$(wc -l <"recipe-$1")" -le 15 ]
	PATH=$programs:$PATH "${AS[@]}" bash -ex "recipe-$1"
}
