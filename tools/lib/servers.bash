# shellcheck shell=bash
# The processes of one with-services session: starting, watching, signalling and ending them. Sourced, never run.
#
# A session is a folder with one folder per server: NAME/pid, NAME/port, NAME/log and the server's data.
# mysql.bash and kafka.bash say how a server is started and when it is ready; nothing here knows which one it is.

: "${tools_lib:?common.bash comes first}"

# server_pid SESSION NAME: prints the pid of the running server; fails when there is none. The session's folder is
# among each server's arguments, which tells it from a process that got its pid later, and from a zombie.
server_pid() {
    local pid
    pid=$(cat "$1/$2/pid" 2>/dev/null) && [[ $pid ]] || return 1
    # Twice, as there are no arguments to be seen at the instant when a process becomes another program.
    grep -qsF -- "$1/" "/proc/$pid/cmdline" || { sleep 0.02 && grep -qsF -- "$1/" "/proc/$pid/cmdline"; } || return 1
    printf '%s\n' "$pid"
}

server_runs() { server_pid "$1" "$2" >/dev/null; }
server_is_gone() { ! server_runs "$1" "$2"; }

# server_launch SESSION NAME FUNCTION ARGS...: starts FUNCTION as that server, detached: a Ctrl-C for the tests is not
# for it. Its pid goes on file first and then it looks whether the session was ended; the guardian does it the other way
# round, so no server is missed.
server_launch() {
    local session=$1 name=$2
    shift 2
    rm -f "$session/$name/pid"
    # shellcheck disable=SC2016 # expanded by the inner shell
    setsid bash -c 'echo $$ >"$0/pid" && [[ ! -e $0/../ended ]] && exec "$@"' "$session/$name" "$tools_lib/call" "$@" </dev/null >>"$session/$name/log" 2>&1 &
    wait_until 10 test -s "$session/$name/pid"
}

server_log() { cat "$1/$2/log"; }

# server_signal SESSION NAME SIGNAL: fails when the server does not run.
server_signal() {
    local pid
    pid=$(server_pid "$1" "$2") && kill -s "$3" "$pid" 2>/dev/null
}

# server_wait_ready SESSION NAME SECONDS: polls NAME_ready; fails when the server died or did not get ready in time.
server_wait_ready() {
    local deadline=$((SECONDS + $3))
    until "$2_ready" "$1"; do
        if server_is_gone "$1" "$2"; then return 1; fi
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}

# free_port: prints a loopback port that nobody listens on. Below the range that the kernel gives to outgoing
# connections, so that none of those can take it while a killed server is down.
free_port() {
    local port
    while port=$(shuf -i 20000-31999 -n 1); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    printf '%s\n' "$port"
}

# server_start_somewhere SESSION NAME: first start, with NAME_prepare_data and NAME_launch. Another process may take a
# port between choosing and binding it: then the server ends, and the next try has another port.
server_start_somewhere() {
    local session=$1 name=$2 try
    mkdir -p "$session/$name"
    for try in 1 2 3 4 5; do
        free_port >"$session/$name/port"
        "$name"_prepare_data "$session" || break
        "$name"_launch "$session" || break
        server_wait_ready "$session" "$name" 120 && return 0
        server_end "$session" "$name"
        grep -qi 'address already in use' "$session/$name/log" || break
        say "$name: port $(<"$session/$name/port") was taken on try $try"
    done
    tail -n 20 "$session/$name/log" >&2 || true
    return 1
}

# server_end SESSION NAME: kills the server, also a stopped one, and waits until it is gone. What it has is thrown away.
server_end() {
    server_signal "$1" "$2" KILL || return 0
    wait_until 30 server_is_gone "$1" "$2"
}
