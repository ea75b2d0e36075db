# shellcheck shell=bash
# The servers of a session as containers, for with-services --docker: puts docker compose in the place of those functions
# of servers.bash, mysql.bash and kafka.bash that touch a process or a program of theirs.
# Sourced after those, and only for such a session; never run.

: "${tools_lib:?common.bash comes first}" "${mysql_user:?mysql.bash comes first}"

# docker_compose SESSION ARGS...
docker_compose() {
    docker compose --project-name "$(basename "${1,,}" | tr . -)" --env-file "$1/docker" \
        --file "$tools_lib/../../docker/test-servers.yml" "${@:2}"
}

# docker_start SESSION MYSQL KAFKA: starts the servers.
docker_start() {
    local session=$1 mysql=$2 kafka=$3 image names=()
    case $mysql in
        mysql) image=mysql:8.4 ;;
        *) image=mariadb:10.11 ;;
    esac
    mkdir "$session/mysql" "$session/kafka"
    free_port >"$session/mysql/port"
    free_port >"$session/kafka/port"
    printf 'TXSINK_SERVICE_MYSQL_IMAGE=%s\nTXSINK_PORT_MYSQL=%s\nTXSINK_PORT_KAFKA=%s\n' "$image" \
        "$(<"$session/mysql/port")" "$(<"$session/kafka/port")" >"$session/docker"
    if [[ $mysql == none ]]; then rm -r "$session/mysql"; else names+=(mysql); fi
    if [[ $kafka == real ]]; then names+=(kafka); else rm -r "$session/kafka"; fi
    ((${#names[@]})) || return 0
    docker_compose "$session" up --detach --wait "${names[@]}" || return 1
    if [[ $mysql == none ]]; then return; fi
    docker_compose "$session" exec -T mysql mysql --user=root --execute="
        CREATE USER '$mysql_user'@'%' IDENTIFIED BY '';
        GRANT ALL PRIVILEGES ON *.* TO '$mysql_user'@'%' WITH GRANT OPTION;"
}

server_runs() { [[ $(docker_compose "$1" ps --status running --status paused --quiet "$2") ]]; }

server_signal() {
    server_runs "$1" "$2" || return 1
    case $3 in
        STOP) docker_compose "$1" pause "$2" ;;
        CONT) docker_compose "$1" unpause "$2" ;;
        TERM | KILL)
            # A paused container takes no signal.
            docker_compose "$1" unpause "$2" || true
            if [[ $3 == TERM ]]; then
                docker_compose "$1" stop --timeout 60 "$2"
            else
                docker_compose "$1" kill "$2"
            fi
            ;;
    esac 2>/dev/null
}

server_log() { docker_compose "$1" logs --no-color --no-log-prefix "$2"; }

mysql_launch() {
    (($# == 1)) || die "server options cannot be given to a container"
    docker_compose "$1" start mysql
}

kafka_launch() { docker_compose "$1" start kafka; }

mysql_client() {
    docker_compose "$1" exec -T mysql mysql --host=127.0.0.1 --user="$mysql_user" \
        --default-character-set=utf8mb4 "${@:2}"
}

kafka_tool() {
    docker_compose "$1" exec -T kafka /opt/kafka/bin/kafka-run-class.sh "org.apache.kafka.tools.$2" \
        --bootstrap-server localhost:19092 "${@:3}"
}
