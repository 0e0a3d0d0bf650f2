# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Debian packages without root and without touching the system, for vm/fetch-kernel and vm/fetch-vng, which source this.
# Mirror, proxy, credentials and keys are the machine's own; lists, cache and configuration are private, one set per suite, so
# that a suite's packages can be told apart by which set they are in. Signatures are always checked.

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() { # STATUS MESSAGE
	status=$1
	shift
	say "$*"
	exit "$status"
}

# Prints "URI SUITE SIGNED-BY" for every binary source of one-line and deb822 files. SIGNED-BY is "-" unless it is a file.
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

# Sets apt_mirror, apt_own_suite, apt_key from the machine's sources. Everything private lies in STATE, or in $PICKNEXT_APT.
# Where FRESH is not empty, lists are read again however young they are.
private_apt_begin() { # STATE FRESH
	apt_state=${PICKNEXT_APT:-$1}
	apt_fresh=$2
	for tool in apt-get apt-cache apt-config dpkg-deb; do
		command -v "$tool" >/dev/null || die 4 "$tool is not here: this script works on Debian and its kin." \
			"On other systems take a kernel of your own (picknext vm --kernel, --modules)"
	done
	eval "$(apt-config shell apt_list Dir::Etc::sourcelist/f apt_parts Dir::Etc::sourceparts/d)"
	sources=$(private_apt_read_sources "${apt_list:-}" "${apt_parts:-}"*.list "${apt_parts:-}"*.sources)
	# Debian's archive, not its security archive nor anybody else's packages.
	found=$(printf '%s\n' "$sources" | grep -E \
		'^[^ ]+ (bullseye|bookworm|trixie|forky|duke|sid|stable|oldstable|oldoldstable|testing|unstable) ' | head -n 1) || true
	[ -n "$found" ] || die 4 "no Debian archive among the machine's apt sources ($apt_list, $apt_parts)"
	apt_mirror=${found%% *}
	apt_own_suite=${found#* } apt_own_suite=${apt_own_suite%% *}
	apt_key=${found##* }
	# The keyring knows other suites' keys too.
	if [ -f /usr/share/keyrings/debian-archive-keyring.gpg ]; then
		apt_key=/usr/share/keyrings/debian-archive-keyring.gpg
	fi
	[ "$apt_key" != - ] || apt_key=
	mkdir -p "$apt_state" || die 4 "cannot make $apt_state"
	apt_state=$(cd "$apt_state" && pwd)
}

# Runs an apt program on one suite alone.
private_apt() { # SUITE PROGRAM ARGUMENTS...
	suite=$1
	shift
	APT_CONFIG=$apt_state/$suite/apt.conf "$@"
}

private_apt_configure() { # SUITE
	root=$apt_state/$1
	mkdir -p "$root/state/lists/partial" "$root/cache/archives/partial" || die 4 "cannot make $root"
	: >"$root/status"
	printf 'deb [arch=amd64%s] %s %s main\n' "${apt_key:+ signed-by=$apt_key}" "$apt_mirror" "$1" >"$root/sources.list"
	{
		# How the machine reaches the network; nothing that could weaken checks, and no hooks.
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
			APT::Architecture "amd64";
			APT::Architectures { "amd64"; };
			APT::Update::Error-Mode "any";
			APT::Install-Recommends "false";
		END
	} >"$root/apt.conf"
}

private_apt_has_lists() { # SUITE
	ls "$apt_state/$1"/state/lists/*_Packages* >/dev/null 2>&1
}

# True where the mirror offers the suite and apt trusts it; its lists are then there. Lists of the last hours are taken as they
# are, older ones where the mirror cannot be reached. Else apt_refusal says what is wrong; no network at all ends the script.
private_apt_open() { # SUITE
	apt_refusal=
	refused=$apt_state/$1/refused
	if [ -n "$(find "$refused" -mmin -10 2>/dev/null)" ]; then
		apt_refusal=$(cat "$refused") # said a moment ago
		return 1
	fi
	log=$apt_state/$1/update.log
	private_apt_configure "$1"
	if private_apt_has_lists "$1" && [ -n "$(find "$log" -mmin -360 2>/dev/null)" ] && [ -z "$apt_fresh" ]; then
		return 0
	fi
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
		say "the mirror cannot be reached; going on with what it offered last time"
		return 0
	fi
	reason=$(grep -E '^(E|W):' "$log.new" | sort | head -n 1)
	reason=${reason#*: }
	if grep -qE 'resolv|onnect|timed? out|Network is unreachable|Temporary failure' "$log.new"; then
		die 4 "the Debian mirror of this machine cannot be reached (offline?): $reason"
	fi
	# An index whose signature is bad or has expired is not used; other suites may do.
	apt_refusal=${reason:-see $log.new}
	say "suite $1 is left out: $apt_refusal"
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
	mkdir -p "$packages" "$into" || die 4 "cannot make $packages or $into"
	(cd "$packages" && private_apt "$suite_from" apt-get -q download "$@") >"$apt_state/$suite_from/download.log" 2>&1 || {
		rm -rf "$packages"
		die 4 "cannot download $*: $(grep '^E:' "$apt_state/$suite_from/download.log" | head -n 1)"
	}
	for package in "$packages"/*.deb; do
		dpkg-deb -x "$package" "$into" || {
			rm -rf "$packages"
			die 4 "cannot unpack ${package##*/} into $into"
		}
	done
	rm -rf "$packages"
}
