# shellcheck shell=bash
# The private MySQL or MariaDB of a session: where its programs come from, how it is set up, started and asked.
# Sourced after common.bash and servers.bash, never run.
#
# MariaDB is the one that is installed. MySQL is not in every release: its packages, with all that they depend on down
# to the C library, are unpacked in the cache and run through their own loader; the system is not touched.

mysql_user=txsink

# Full rights: tests make users, databases and faults of their own. The anonymous users, where there are any, would
# shadow 'name'@'%' for connections from this machine.
mysql_accounts="
DELETE FROM mysql.global_priv WHERE User = '';
FLUSH PRIVILEGES;
CREATE USER '$mysql_user'@'%' IDENTIFIED BY '';
GRANT ALL PRIVILEGES ON *.* TO '$mysql_user'@'%' WITH GRANT OPTION;"

# As durable as a production server, but small. The redo log has another name on the other servers.
mysql_settings=(
    --bind-address=127.0.0.1
    --skip-name-resolve
    --server-id=1
    --log-bin=binlog
    --sync-binlog=1
    --innodb-flush-log-at-trx-commit=1
    --innodb-buffer-pool-size=64M
    --loose-innodb-redo-log-capacity=64M
    --loose-mysqlx=OFF
)

mysql_unpacked() { printf '%s/mysql-%s\n' "$(cache_dir)" "$(dpkg --print-architecture)"; }

# mysql_run PROGRAM ARGS...: replaces the process by a program of the unpacked MySQL.
mysql_run() {
    local root loader libraries
    root=$(mysql_unpacked)
    loader=$(<"$root/loader")
    libraries=$(<"$root/libraries")
    local program=$1
    shift
    exec "$root/$loader" --library-path "$root/$libraries:$root/usr/lib/mysql/private" "$root/usr/$program" "$@"
}

# mysql_unpack ROOT: downloads MySQL's packages and unpacks them into ROOT, by an apt-get with a state of its own.
mysql_unpack() {
    local root=$1 apt="$1/apt" site package options
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    # An empty status: nothing counts as installed, so all that MySQL depends on comes along.
    : >"$apt/status"
    options=(-qq -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o Acquire::Languages=none)
    if grep -qx 'ID=debian' /etc/os-release; then
        # Debian has MySQL only in its unstable suite: taken from the mirror that this machine uses anyway.
        site=$(apt-get indextargets --format "\$(SITE)" 'Label: Debian' | awk 'NR == 1')
        [[ $site ]] || site=$(apt-get indextargets --format "\$(SITE)" | awk 'NR == 1')
        printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s sid main\n' "$site" >"$apt/sources.list"
        options+=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null)
    fi
    apt-get "${options[@]}" update
    apt-get "${options[@]}" -y --no-install-recommends --download-only install mysql-server-core mysql-client-core
    for package in "$apt"/cache/archives/*.deb; do
        dpkg -x "$package" "$root"
    done
    rm -rf "$apt" "$root"/usr/share/{doc,man,perl}
    # Relative, as the folder is renamed when it is complete.
    (cd "$root" && find . -name 'ld-linux-*' | awk 'NR == 1') >"$root/loader"
    (cd "$root" && dirname "$(find . -name libc.so.6 | awk 'NR == 1')") >"$root/libraries"
    [[ -s $root/loader && -x $root/usr/sbin/mysqld ]]
}

# mysql_obtain FLAVOR: makes sure that the server's programs are there; fails with a message when they cannot be.
mysql_obtain() {
    case $1 in
        mariadb)
            PATH=$PATH:/usr/sbin command -v mariadbd >/dev/null || {
                say "mariadbd is not installed: run tools/install-packages"
                return 1
            }
            ;;
        mysql)
            [[ -d $(mysql_unpacked) ]] || say "downloading MySQL, once"
            cache_once "$(basename "$(mysql_unpacked)")" mysql_unpack || {
                say "the packages of MySQL cannot be downloaded"
                return 1
            }
            ;;
    esac
}

# mysqld FLAVOR ARGS...: replaces the process by the server.
mysqld() {
    local flavor=$1 user=()
    shift
    # The servers refuse to run as root unless told so.
    if ((EUID == 0)); then user=(--user=root); fi
    case $flavor in
        mariadb) PATH=$PATH:/usr/sbin exec mariadbd --no-defaults "${user[@]}" "$@" ;;
        mysql)
            local root
            root=$(mysql_unpacked)
            mysql_run sbin/mysqld --no-defaults "${user[@]}" --basedir="$root/usr" \
                --lc-messages-dir="$root/usr/share/mysql" --secure-file-priv= "$@"
            ;;
    esac
}

# mysql_initialise FLAVOR DATA: makes a data directory with the accounts above. On success says nothing.
mysql_initialise() {
    local flavor=$1 data=$2 scratch user=() status=0
    scratch=$(mktemp -d)
    if ((EUID == 0)); then user=(--user=root); fi
    case $flavor in
        mariadb)
            printf 'FLUSH PRIVILEGES;%s\n' "$mysql_accounts" >"$scratch/sql"
            mariadb-install-db --no-defaults --datadir="$data" --auth-root-authentication-method=normal \
                --skip-test-db --skip-name-resolve "${user[@]}" --extra-file="$scratch/sql" >"$scratch/log" 2>&1 ||
                status=1
            ;;
        mysql)
            grep -v global_priv <<<"$mysql_accounts" >"$scratch/sql"
            (mysqld mysql --initialize-insecure --datadir="$data" --init-file="$scratch/sql" \
                "${mysql_settings[@]}" --skip-log-bin) >"$scratch/log" 2>&1 || status=1
            # So that each copy gets a server UUID of its own.
            rm -f "$data/auto.cnf"
            ;;
    esac
    ((status == 0)) || cat "$scratch/log" >&2
    rm -rf "$scratch"
    return "$status"
}

# mysql_template FLAVOR: prints the name in the cache of an initialised data directory for this server and these
# settings: initialising takes seconds, copying does not.
mysql_template() {
    local version
    version=$( (mysqld "$1" --version) | awk '{ print $3 }')
    printf 'data-%s-%s-%s\n' "$1" "${version%%[-+]*}" \
        "$(cksum <<<"$version $mysql_accounts ${mysql_settings[*]}" | awk '{ print $1 }')"
}

mysql_prepare_data() {
    local session=$1 flavor template
    flavor=$(<"$session/mysql/flavor")
    [[ ! -d $session/mysql/data ]] || return 0
    template=$(mysql_template "$flavor")
    cache_once "$template" mysql_initialise "$flavor" || return 1
    cp -a --reflink=auto "$(cache_dir)/$template" "$session/mysql/data"
}

# mysql_launch SESSION [SERVER OPTION...]: starts the server on its port and data.
mysql_launch() {
    local session=$1
    shift
    # A killed server leaves its lock behind; where another process has its number by now, the next one would not start.
    rm -f "$session/mysql/socket" "$session/mysql/socket.lock"
    server_launch "$session" mysql mysqld "$(<"$session/mysql/flavor")" --datadir="$session/mysql/data" --port="$(<"$session/mysql/port")" \
        --socket="$session/mysql/socket" --pid-file="$session/mysql/server.pid" "${mysql_settings[@]}" "$@"
}

# mysql_client SESSION ARGS...: replaces the process by the server's own client, connected as the tests' user.
mysql_client() {
    local session=$1 flavor options
    shift
    flavor=$(<"$session/mysql/flavor")
    options=(--no-defaults --host=127.0.0.1 --port="$(<"$session/mysql/port")" --user="$mysql_user"
        --default-character-set=utf8mb4)
    case $flavor in
        mariadb) exec mariadb "${options[@]}" "$@" ;;
        mysql) mysql_run bin/mysql "${options[@]}" "$@" ;;
    esac
}

mysql_ready() {
    (mysql_client "$1" --connect-timeout=1 --batch --silent --execute='DO 0') </dev/null >/dev/null 2>&1
}
