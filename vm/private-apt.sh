# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Debian packages without root and without changes to the system. The scripts fetch-kernel, fetch-qemu, fetch-vng and
# fetch-schedulers source this file. Mirror, proxy, credentials and keys are those of the host; lists, cache and configuration are private,
# with one directory per suite. Signatures are always checked.

# The name in messages.
apt_caller="picknext fetch ${0##*/fetch-}"

say() {
	[ -n "${PICKNEXT_FETCH_QUIET:-}" ] || printf '%s: %s\n' "$apt_caller" "$*" >&2
}

die() { # STATUS MESSAGE
	status=$1
	shift
	printf '%s: %s\n' "$apt_caller" "$*" >&2
	exit "$status"
}

# After a signal the script ends once the running command has ended; EXIT traps clean up. Messages go to descriptor 8,
# a copy of standard error: that of the running command may be a log.
exec 8>&2
interrupted() { # NAME STATUS
	trap '' INT TERM HUP
	die "$2" "interrupted by $1" 2>&8
}
trap 'interrupted SIGINT 130' INT
trap 'interrupted SIGTERM 143' TERM
trap 'interrupted SIGHUP 129' HUP

apt_elsewhere='name another directory with XDG_CACHE_HOME=DIR'

# Sets cache to the directory that picknext vm searches. It is private, as src/base/cache.c demands.
private_cache() {
	case ${XDG_CACHE_HOME:-} in
	/*) cache=$XDG_CACHE_HOME/picknext ;;
	*)
		case ${HOME:-} in
		/*) cache=$HOME/.cache/picknext ;;
		*) die 4 "neither XDG_CACHE_HOME nor HOME names a directory; name one with XDG_CACHE_HOME=DIR" ;;
		esac
		;;
	esac
	mkdir -p "${cache%/*}" 2>/dev/null || die 4 "cannot create ${cache%/*}; $apt_elsewhere"
	[ -d "$cache" ] || mkdir -m 700 "$cache" 2>/dev/null || die 4 "cannot create $cache; $apt_elsewhere"
}

# Prints "URI SUITE SIGNED-BY" for every binary source of one-line and deb822 files. SIGNED-BY: a file, or "-".
private_apt_read_sources() {
	for file in "$@"; do
		[ -f "$file" ] || continue
		case $file in
		*.list)
			sed -n 's/#.*//; s/^[[:space:]]*deb[[:space:]]//p' "$file" | while read -r line; do
				key=-
				case $line in
				*signed-by=/*) key=${line#*signed-by=} key=${key%%[] ,]*} ;;
				esac
				case $line in
				*\[*) line=${line#*\]} ;;
				esac
				# shellcheck disable=SC2086 # words
				set -- $line
				[ $# -lt 3 ] || printf '%s %s %s\n' "$1" "$2" "$key"
			done
			;;
		*.sources)
			awk '
				function flush(  i, j, n, m, u, s) {
					if ((" " types " ") ~ / deb / && enabled !~ /^(no|false|0)$/) {
						n = split(uris, u); m = split(suites, s)
						for (i = 1; i <= n; i++)
							for (j = 1; j <= m; j++)
								print u[i], s[j], (key ~ /^\//) ? key : "-"
					}
					types = uris = suites = key = enabled = field = ""
				}
				/^#/ { next }
				/^[ \t]*$/ { flush(); next }
				/^[^ \t:]+:/ {
					field = tolower($0); sub(/:.*/, "", field)
					sub(/^[^:]*:[ \t]*/, "")
				}
				field == "types" { types = types " " $0 }
				field == "uris" { uris = uris " " $0 }
				field == "suites" { suites = suites " " $0 }
				field == "enabled" { enabled = tolower($1) }
				field == "signed-by" && key == "" { key = $1 }
				END { flush() }' "$file"
			;;
		esac
	done
}

# Prints "URI SUITE SIGNED-BY" of Debian's main archive among the machine's sources, not of its security archive.
private_apt_archive() {
	eval "$(apt-config shell apt_list Dir::Etc::sourcelist/f apt_parts Dir::Etc::sourceparts/d)"
	private_apt_read_sources "${apt_list:-}" "${apt_parts:-}"*.list "${apt_parts:-}"*.sources | grep -E \
		'^[^ ]+ (bullseye|bookworm|trixie|forky|duke|sid|stable|oldstable|oldoldstable|testing|unstable) ' | head -n 1
}

private_apt_mirror() {
	private_apt_archive | cut -d' ' -f1
}

# Sets apt_mirror, apt_own_suite, apt_key from the host's sources. Private files are in apt of the cache, or in
# $PICKNEXT_APT; one script at a time uses them. If FRESH is not empty, lists are fetched again regardless of their age.
# ARCHITECTURE: Debian's name of that of the packages, by default the host's.
private_apt_begin() { # FRESH [ARCHITECTURE]
	apt_fresh=$1
	apt_state=${PICKNEXT_APT:-}
	[ -n "$apt_state" ] || { private_cache && apt_state=$cache/apt; }
	for tool in apt-get apt-cache apt-config dpkg dpkg-deb; do
		command -v "$tool" >/dev/null || die 4 "$tool is not installed: picknext fetch works on Debian and derived systems." \
			"On other systems give your own kernel (picknext vm --kernel, --guest modules=DIR)"
	done
	found=$(private_apt_archive) || true
	[ -n "$found" ] || die 4 "no Debian archive among the machine's apt sources (/etc/apt)"
	apt_mirror=${found%% *}
	apt_own_suite=${found#* } apt_own_suite=${apt_own_suite%% *}
	apt_key=${found##* }
	# The keyring has the keys of other suites too.
	if [ -f /usr/share/keyrings/debian-archive-keyring.gpg ]; then
		apt_key=/usr/share/keyrings/debian-archive-keyring.gpg
	fi
	[ "$apt_key" != - ] || apt_key=
	apt_architecture=$(dpkg --print-architecture)
	if [ "${2:-$apt_architecture}" != "$apt_architecture" ]; then
		apt_architecture=$2 apt_state=$apt_state/$2
	fi
	mkdir -p "$apt_state" 2>/dev/null || die 4 "cannot create $apt_state; $apt_elsewhere"
	apt_state=$(cd "$apt_state" && pwd)
	[ -w "$apt_state" ] || die 4 "cannot write to $apt_state; $apt_elsewhere"
	exec 9>"$apt_state/lock" || die 4 "cannot write $apt_state/lock"
	flock -n 9 || {
		say "waiting for another picknext fetch"
		flock 9
	}
}

# Runs an apt program on one suite alone.
private_apt() { # SUITE PROGRAM ARGUMENTS...
	suite=$1
	shift
	APT_CONFIG=$apt_state/$suite/apt.conf "$@"
}

private_apt_configure() { # SUITE
	root=$apt_state/$1
	mkdir -p "$root/state/lists/partial" "$root/cache/archives/partial" || die 4 "cannot create $root"
	: >"$root/status"
	printf 'deb [arch=%s%s] %s %s main\n' "$apt_architecture" "${apt_key:+ signed-by=$apt_key}" "$apt_mirror" "$1" >"$root/sources.list"
	{
		# Only network settings of the host; no settings that weaken checks, and no hooks.
		apt-config dump | grep -E '^Acquire::(http|https|ForceIPv4|ForceIPv6)(:| )' || true
		cat <<-END
			Dir::Etc::main "/dev/null";
			Dir::Etc::parts "/dev/null";
			Dir::Etc::sourcelist "$root/sources.list";
			Dir::Etc::sourceparts "/dev/null";
			Dir::Etc::preferences "/dev/null";
			Dir::Etc::preferencesparts "/dev/null";
			Dir::State "$root/state";
			Dir::State::status "$root/status";
			Dir::Cache "$root/cache";
			Acquire::Languages "none";
			Acquire::Retries "3";
			Acquire::AllowInsecureRepositories "false";
			APT::Get::AllowUnauthenticated "false";
			APT::Sandbox::User "";
			APT::Architecture "$apt_architecture";
			APT::Architectures { "$apt_architecture"; };
			APT::Update::Error-Mode "any";
			APT::Install-Recommends "false";
		END
	} >"$root/apt.conf"
}

private_apt_has_lists() { # SUITE
	ls "$apt_state/$1"/state/lists/*_Packages* >/dev/null 2>&1
}

# True if the mirror offers the suite and apt trusts it; its lists exist then. Lists of the last six hours are reused,
# older lists only if the mirror cannot be reached. If false, apt_refusal has the reason. Without lists and network,
# the script ends.
private_apt_open() { # SUITE
	apt_refusal=
	refused=$apt_state/$1/refused
	if [ -n "$(find "$refused" -mmin -10 2>/dev/null)" ]; then
		apt_refusal=$(cat "$refused") # from a recent attempt
		return 1
	fi
	log=$apt_state/$1/update.log
	private_apt_configure "$1"
	if private_apt_has_lists "$1" && [ -n "$(find "$log" -mmin -360 2>/dev/null)" ] && [ -z "$apt_fresh" ]; then
		return 0
	fi
	say "reading the package lists of $1"
	if private_apt "$1" apt-get -q update >"$log.new" 2>&1 && private_apt_has_lists "$1"; then
		mv "$log.new" "$log"
		rm -f "$refused"
		return 0
	fi
	if grep -qE 'does not have a Release file|404 +Not Found|no longer has a Release file' "$log.new"; then
		apt_refusal="the mirror does not offer it"
		printf '%s\n' "$apt_refusal" >"$refused"
		return 1
	fi
	if private_apt_has_lists "$1"; then
		say "the mirror cannot be reached; using its earlier lists"
		return 0
	fi
	reason=$(grep -E '^(E|W):' "$log.new" | sort | head -n 1)
	reason=${reason#*: }
	if grep -qE 'resolv|onnect|timed? out|Network is unreachable|Temporary failure' "$log.new"; then
		die 4 "the Debian mirror of this machine cannot be reached (offline?): $reason"
	fi
	# An index with a bad or expired signature is not used; other suites may work.
	apt_refusal=${reason:-see $log.new}
	say "suite $1 is skipped: $apt_refusal"
	printf '%s\n' "$apt_refusal" >"$refused"
	return 1
}

# Fetches packages of a suite and unpacks them into DIRECTORY. apt checks them against the signed lists.
private_apt_unpack() { # SUITE DIRECTORY PACKAGE...
	suite_from=$1
	into=$2
	shift 2
	packages=$apt_state/$suite_from/packages.$$
	rm -rf "$packages"
	mkdir -p "$packages" || die 4 "cannot create $packages"
	(cd "$packages" && private_apt "$suite_from" apt-get -q download "$@") >"$apt_state/$suite_from/download.log" 2>&1 || {
		rm -rf "$packages"
		die 4 "cannot download $*: $(grep '^E:' "$apt_state/$suite_from/download.log" | head -n 1)"
	}
	mkdir -p "$into" || die 4 "cannot create $into"
	for package in "$packages"/*.deb; do
		dpkg-deb -x "$package" "$into" || {
			rm -rf "$packages" "$into"
			die 4 "cannot unpack ${package##*/} into $into"
		}
	done
	rm -rf "$packages"
}
