# shellcheck shell=bash
# Messages, waiting and the download cache: what all of tools/ shares. Sourced, never run.

tools_lib=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# die WHAT [HINT...]
die() {
    printf 'error: %s\n' "$1" >&2
    shift
    if (($#)); then printf 'hint: %s\n' "$@" >&2; fi
    exit 1
}

# help_of FILE: prints the comment at its head.
help_of() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

# wait_until SECONDS COMMAND...: polls until COMMAND succeeds; fails when it has not within SECONDS.
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}

# Outside the checkout, so that a fresh clone does not download again.
cache_dir() { printf '%s\n' "${TXSINK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/txsink}"; }

# cache_once NAME FUNCTION ARGS...: makes sure that the cache has the folder NAME. If not, calls FUNCTION with an empty
# folder as last argument, which becomes NAME only when FUNCTION succeeded: a half-made entry is never seen. One process
# at a time makes an entry; the others wait for it.
cache_once() {
    local entry partial lock
    entry="$(cache_dir)/$1"
    shift
    [[ -d $entry ]] && return 0
    mkdir -p "${entry%/*}"
    exec {lock}>"$entry.lock"
    flock "$lock"
    if [[ ! -d $entry ]]; then
        partial=$(mktemp -d "$entry.partial.XXXXXX")
        if (exec {lock}>&- && exec "$tools_lib/call" "$@" "$partial"); then
            mv -T "$partial" "$entry"
        else
            rm -rf "$partial"
            exec {lock}>&-
            return 1
        fi
    fi
    exec {lock}>&-
}
