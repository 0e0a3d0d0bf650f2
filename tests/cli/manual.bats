#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Manual pages and shell completions: from the tables of commands and options, tried with their programs.

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cd "$BATS_TEST_TMPDIR" || return
}

# The commands, and the subcommands as two words.
commands() {
	"$PICKNEXT" help | sed -n '/^Topics:/,$d; s/^  \([a-z][^ ]*\) .*/\1/p'
	echo migrations extract
}

# bats test_tags=slow
@test "man: mandoc and groff read every page without a warning" {
	"$TOP/ci/man-pages" "$PICKNEXT" pages
	[ "$(find pages -name '*.1' | wc -l)" -eq $(($(commands | wc -l) + 1)) ]
	[ "$(find pages -name '*.7' | wc -l)" -eq "$("$PICKNEXT" help | sed '1,/^Topics:/d' | grep -c '^  [a-z]')" ]
	mandoc -Tlint pages/*/*
	for page in pages/*/*; do
		groff -ww -man -Tutf8 "$page" 2>messages >/dev/null
		[ ! -s messages ] || { echo "$page"; cat messages; false; }
	done
}

# words FILE: the words of a page, or of a text, without those of headings and references.
words() {
	tr -s ' \n' '\n' <"$1" | grep -v -x -E '(Options|Examples|Usage):?|OPTIONS|EXAMPLES|SYNOPSIS|DESCRIPTION|'
}

# bats test_tags=slow
@test "man: a page has the words of the help, byte for byte" {
	"$TOP/ci/man-pages" "$PICKNEXT" pages
	for subject in record vm export 'migrations extract' columns exit-codes guest; do
		"$PICKNEXT" help "$subject" | sed '1,/^$/d; /^Options:/,/^Examples:/s/^\([^ ].*\):$/\1/' >text
		mandoc -Tascii pages/*/picknext-"${subject// /-}".[17] | col -bx |
			sed -n '/^\(SYNOPSIS\|DESCRIPTION\)/,/^SEE ALSO/p' | sed '$d' >page
		diff <(words text | sort) <(words page | sort)
	done
	mandoc -Tascii pages/man7/picknext-guest.7 | col -b | grep -F "sh -c 'rt-app load.json'"
	mandoc -Tascii pages/man7/picknext-columns.7 | col -b | tr -s ' \n' ' ' | grep -F 'shown as \xNN'
	mandoc -Tascii pages/man1/picknext-migrations-extract.1 | col -b | grep -F 'picknext migrations extract [options]'
}

@test "help, completion: an unknown subject is a usage error that names the nearest" {
	run "$PICKNEXT" help metrix
	[ "$status" -eq 2 ]
	[[ "$output" == *"'metrix'"*"'metrics'"* ]]
	run "$PICKNEXT" completion tcsh
	[ "$status" -eq 2 ]
	[[ "$output" == *"'tcsh'"*bash* ]]
}

# bats test_tags=slow
@test "completion: every option is in the help, the page and the completions" {
	"$TOP/ci/man-pages" "$PICKNEXT" pages
	while read -r command; do
		# shellcheck disable=SC2086 # a subcommand has two words
		"$PICKNEXT" $command --help | sed -n '/^Options:/,/^Examples:/s/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' >options
		[ "$(wc -l <options)" -ge 3 ]
		sed -n 's/.*\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p' pages/man1/picknext-"${command// /-}".1 | sed 's,[\\],,g' | cmp - options
		# shellcheck disable=SC2086
		"$PICKNEXT" complete -- $command - | sed -n 's/^--\([a-z-]*\)\t.*/\1/p' | cmp - options
	done < <(commands)
}

# bats test_tags=slow
@test "completion: an unfinished, unknown or empty command line is completed as far as it goes" {
	"$PICKNEXT" complete | grep -q '^vm	'
	"$PICKNEXT" complete -- '' | grep -q '^--version	'
	[ -z "$("$PICKNEXT" complete -- unknown x)" ]
	[ "$("$PICKNEXT" complete -- vm --runs '')" = "" ]
	export XDG_CACHE_HOME=$PWD/cache
	[ "$("$PICKNEXT" complete -- vm -k '')" = :files ]
	mkdir -p cache/picknext/kernels/{6.1,6.12,7.2.new}/boot
	chmod -R go-w cache
	touch cache/picknext/kernels/6.{1,12}/boot/vmlinuz-6
	[ "$("$PICKNEXT" complete -- vm -k '' | cut -f 1)" = :files$'\n'6.1$'\n'6.12 ]
	[ "$("$PICKNEXT" complete -- vm -k base=6 | cut -f 1)" = :files$'\n'6.1$'\n'6.12 ]
	[ "$("$PICKNEXT" complete -- collect --scheduler '' | sed -n 2,3p | cut -f 1)" = none$'\n'builtin:fifo ]
	[ "$("$PICKNEXT" complete -- vm -w '' | head -n 1 | cut -f 1)" = "$("$PICKNEXT" complete -- run '' | head -n 1 | cut -f 1)" ]
	[ "$("$PICKNEXT" complete -- vm =)" = -- ]
	# The word after --keys is not its value.
	[ "$("$PICKNEXT" complete -- vm --keys=)" = yes$'\n'no$'\n'if-possible ]
	[ "$("$PICKNEXT" complete -- vm --keys = '')" = yes$'\n'no$'\n'if-possible ]
	[ "$("$PICKNEXT" complete -- vm --keys '')" = -- ]
	[ "$("$PICKNEXT" complete -- stat --by=t)" = task$'\n'comm$'\n'role$'\n'cgroup$'\n'process$'\n'cpu ]
	[ "$("$PICKNEXT" complete -- stat --by =)" = task$'\n'comm$'\n'role$'\n'cgroup$'\n'process$'\n'cpu ]
	[ "$("$PICKNEXT" complete -- record -- cat '')" = ":command 3" ]
	[ "$("$PICKNEXT" complete -- fetch '')" = kernel$'\n'schedulers$'\n'qemu$'\n'vng ]
	for shell in bash zsh fish; do "$PICKNEXT" completion "$shell" >"./$shell"; done
	bash -n bash && zsh -n zsh && fish -n fish
}

# complete SHELL: what the shell makes of each line of typed.
complete() {
	"$PICKNEXT" completion "$1" >script
	PICKNEXT=$(realpath "$PICKNEXT") "$TOP/tests/support/complete_line.py" "$1" "$PWD/script" <typed
}

# bats test_tags=slow
@test "completion: bash, zsh and fish complete commands, options, values, files and other programs" {
	touch image-one
	mkdir runs-dir
	# Typed words, and the arguments after the Tab key.
	sed 's/ *=> .*//' >typed <<-'END'
		picknext compl
		picknext vm --mod
		picknext vm --mode kv
		picknext vm --workload hackbench_pipe_s
		picknext vm -w io_mixed,sysbench_m
		picknext vm -k ima
		picknext vm --kernel base=ima
		picknext vm --scheduler builtin:f
		picknext compare runs
		picknext compare --metric fair
		picknext help determ
		picknext run cpu_bound_4
		picknext migrations ext
		picknext migrations extract --field-nu
		picknext record -- cat ima
		picknext completion fi
	END
	cat >wanted <<-'END'
		completion
		vm|--mode
		vm|--mode|kvm
		vm|--workload|hackbench_pipe_small
		vm|-w|io_mixed,sysbench_memory_4t
		vm|-k|image-one
		vm|--kernel|base=image-one
		vm|--scheduler|builtin:fifo
		compare|runs-dir
		compare|--metric|fairness_jain
		help|deterministic
		run|cpu_bound_4p
		migrations|extract
		migrations|extract|--field-num
		record|--|cat|image-one
		completion|fish
	END
	for shell in bash zsh fish; do
		complete "$shell" | sed 's,/$,,' >got
		diff wanted got
	done
}

# bats test_tags=slow
@test "install: manual pages and completions are where the system looks" {
	make -s -C "$TOP" install-manual DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
	mandoc -Tlint root/usr/share/man/man1/picknext.1 root/usr/share/man/man7/picknext-metrics.7
	[ -s root/usr/share/bash-completion/completions/picknext ]
	[ -s root/usr/share/zsh/vendor-completions/_picknext ]
	[ -s root/usr/share/fish/vendor_completions.d/picknext.fish ]
	# The directories of this machine's shells.
	zsh -c 'print -l $fpath' | grep -qx /usr/share/zsh/vendor-completions
	zsh -c 'print -l $fpath' | grep -qx /usr/local/share/zsh/site-functions
	make -s -C "$TOP" install-manual DESTDIR="$PWD/root" >/dev/null
	[ -s root/usr/local/share/zsh/site-functions/_picknext ]
	[ "$(stat -c %a root/usr/local/share/man/man1/picknext-vm.1)" = 644 ]
}
