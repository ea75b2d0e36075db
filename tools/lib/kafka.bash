# shellcheck shell=bash
# The private Kafka broker of a session: where its jars come from, how it is formatted, started and asked.
# Sourced after common.bash and servers.bash, never run.
#
# One node is both broker and controller (KRaft). The jars are copied from Maven's artifacts into the cache; an archive
# of the classes that Java had loaded (class data sharing) halves the start of broker and admin tools.

: "${tools_lib:?common.bash comes first}"
kafka_pom="$tools_lib/../../tests/services/kafka/pom.xml"

# A name per list of jars, so that a changed pom.xml means another folder.
kafka_cached() { printf 'kafka-%s\n' "$(cksum "$kafka_pom" | awk '{ print $1 }')"; }
kafka_home() { printf '%s/%s\n' "$(cache_dir)" "$(kafka_cached)"; }

kafka_copy_jars() {
    local output
    output=$(mvn -q -B -f "$kafka_pom" dependency:copy-dependencies -DincludeScope=runtime \
        -DoutputDirectory="$1" 2>&1) || die "Maven failed: $output"
}

# The archives of classes belong to one build of Java; another one ignores them.
kafka_archives() {
    local java
    java=$(readlink -f "$(command -v java)")
    printf '%s-classes-%s\n' "$(kafka_cached)" "$(stat -L -c '%n %s %Y' "$java" "$(kafka_home)" | cksum | awk '{ print $1 }')"
}

# kafka_java ARCHIVE-OPTION CLASS ARGS...: replaces the process by Java with Kafka's jars. Start-up counts more than
# peak speed here, hence the simplest collector.
kafka_java() {
    local archive=$1
    shift
    exec java -Xmx512m -XX:+UseSerialGC "$archive" -Xshare:auto -Xlog:disable -Xlog:all=error:stderr \
        -Djava.awt.headless=true -Dorg.slf4j.simpleLogger.defaultLogLevel="${kafka_log_level:-off}" \
        -Dorg.slf4j.simpleLogger.showDateTime=true -Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS \
        -Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn \
        -cp "$(kafka_home)/*" "$@"
}

# kafka_archived ARCHIVE: the option that makes Java use it.
kafka_archived() { printf -- '-XX:SharedArchiveFile=%s/%s/%s.jsa\n' "$(cache_dir)" "$(kafka_archives)" "$1"; }

# kafka_make_archives FOLDER: runs a broker and an admin tool once and keeps the lists of their classes.
kafka_make_archives() {
    local folder=$1 session
    session="$folder/session"
    mkdir -p "$session/kafka"
    free_port >"$session/kafka/port"
    kafka_prepare_data "$session"
    # No guardian looks after this one.
    # shellcheck disable=SC2064 # the folder now
    trap "server_end '$session' kafka" EXIT
    kafka_launch "$session" "-XX:ArchiveClassesAtExit=$folder/broker.jsa"
    server_wait_ready "$session" kafka 60
    (kafka_java "-XX:ArchiveClassesAtExit=$folder/admin.jsa" org.apache.kafka.tools.TopicCommand \
        --bootstrap-server "127.0.0.1:$(<"$session/kafka/port")" --create --topic warm-up --partitions 1) >/dev/null
    server_signal "$session" kafka TERM
    wait_until 60 server_is_gone "$session" kafka
    rm -rf "$session"
    [[ -s $folder/broker.jsa && -s $folder/admin.jsa ]]
}

# kafka_obtain: makes sure that Java and the jars are there; fails with a message when they cannot be.
kafka_obtain() {
    local program
    for program in java mvn kcat; do
        command -v "$program" >/dev/null || {
            say "$program is not installed: run tools/install-packages"
            return 1
        }
    done
    [[ -d $(kafka_home) ]] || say "downloading Kafka, once"
    cache_once "$(kafka_cached)" kafka_copy_jars || {
        say "the jars of Kafka cannot be downloaded"
        return 1
    }
    cache_once "$(kafka_archives)" kafka_make_archives || say "no class archive could be made: Kafka starts slower"
}

# kafka_prepare_data SESSION: a fresh, formatted data directory and the settings for the session's port.
kafka_prepare_data() {
    local kafka="$1/kafka" port controller cluster
    port=$(<"$kafka/port")
    controller=$(free_port)
    rm -rf "$kafka/data"
    cat >"$kafka/server.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:$controller
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
inter.broker.listener.name=PLAINTEXT
log.dirs=$kafka/data
# There is one node: its own topics cannot have more replicas.
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
min.insync.replicas=1
# A topic that a test forgot to make is an error, not a surprise.
auto.create.topics.enable=false
# A killed broker can come back only when its earlier life has timed out.
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
# Tests wait for rebalances and for dead members.
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
# Tests wait for compaction; its buffer is a quarter of the heap otherwise.
log.cleaner.backoff.ms=500
log.cleaner.dedupe.buffer.size=16777216
EOF
    # A cluster id of its own: a session must not be taken for another one. One that begins with '-' looks like an option.
    cluster=$(head -c 16 /dev/urandom | basenc --base64url | tr -d =)
    (kafka_java "$(kafka_archived broker)" kafka.tools.StorageTool format --standalone \
        --cluster-id "${cluster/#-/A}" \
        --config "$kafka/server.properties") >>"$kafka/log" 2>&1
}

# kafka_launch SESSION [JAVA OPTION]: starts the broker on its port and data.
kafka_launch() {
    local session=$1
    kafka_log_level=info server_launch "$session" kafka kafka_java \
        "${2:-$(kafka_archived broker)}" kafka.Kafka "$session/kafka/server.properties"
}

# kafka_ask SESSION KCAT-ARGS...: asks the broker for metadata.
kafka_ask() {
    local session=$1
    shift
    kcat -b "127.0.0.1:$(<"$session/kafka/port")" -L -m 2 "$@" 2>/dev/null
}

# Ready when the broker lists itself: it does so only when it is neither starting nor fenced.
kafka_ready() { kafka_ask "$1" | grep -q ' broker 1 at '; }

# kafka_partitions SESSION TOPIC: prints how many it has, 0 when there is no such topic or a partition has no leader.
kafka_partitions() {
    kafka_ask "$1" -t "$2" | awk -v topic="\"$2\"" '
        $1 == "topic" && $2 == topic { found = $4 }
        $1 == "partition" && $4 == "1," { led += 1 }
        END { print found == led ? led + 0 : 0 }'
}

kafka_has_partitions() { [[ $(kafka_partitions "$1" "$2") == "$3" ]]; }

# kafka_tool SESSION CLASS ARGS...: replaces the process by one of Kafka's admin tools.
kafka_tool() {
    local session=$1 class=$2
    shift 2
    kafka_java "$(kafka_archived admin)" "org.apache.kafka.tools.$class" \
        --bootstrap-server "127.0.0.1:$(<"$session/kafka/port")" "$@"
}

# kafka_admin SESSION CLASS ARGS...: runs one of Kafka's admin tools on the broker and prints what it says.
kafka_admin() {
    local output status=0
    output=$(kafka_tool "$@" 2>&1) || status=$?
    # Some of the tools say "Error" and exit with 0.
    if ((status)) || grep -q '^Error' <<<"$output"; then
        grep -vE '^[[:space:]]+at |^Caused by|^$' <<<"$output" >&2
        return 1
    fi
    printf '%s\n' "$output"
}
