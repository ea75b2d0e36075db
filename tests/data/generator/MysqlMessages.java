// Records what Debezium's MySQL connector sends for a table of all types, once for each of a few
// settings: snapshot, insert, update, change of key, delete, TRUNCATE, DDL, and what goes beside.
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

final class MysqlMessages {
    record Settings(String name, boolean schemas, String decimals, String times, String binary) {}

    private static final List<Settings> ALL = List.of(
        new Settings("precise-adaptive-bytes-schemas", true, "precise", "adaptive_time_microseconds", "bytes"),
        new Settings("precise-adaptive-bytes", false, "precise", "adaptive_time_microseconds", "bytes"),
        new Settings("string-connect-base64-schemas", true, "string", "connect", "base64"),
        new Settings("double-connect-hex", false, "double", "connect", "hex"));

    private static final String TABLE = """
        CREATE TABLE everything (
          id BIGINT NOT NULL PRIMARY KEY,
          t1 TINYINT(1), ti TINYINT, su SMALLINT UNSIGNED, i INT, iu INT UNSIGNED, big BIGINT,
          b1 BIT(1), b12 BIT(12),
          d DECIMAL(38,10), d2 DECIMAL(12,2), f FLOAT, db DOUBLE,
          c CHAR(4), v VARCHAR(40), tx TEXT,
          bin BINARY(4), vb VARBINARY(16), bl BLOB,
          da DATE, t0 TIME, t6 TIME(6), dt0 DATETIME, dt3 DATETIME(3), dt6 DATETIME(6),
          ts0 TIMESTAMP NULL, ts6 TIMESTAMP(6) NULL, y YEAR,
          e ENUM('a','b'), s SET('x','y','z'), j JSON, g GEOMETRY, p POINT, vec VECTOR(3))""";

    private static String row(long id, String text) {
        return "INSERT INTO everything VALUES (" + id + ", 1, -128, 65535, -2147483648, 4294967295, "
            + "9007199254740993, b'1', b'001000000001', -1234567890123456789012345678.0123456789, 0.01, "
            + "1.5, -2.25e100, 'abcd', '" + text + "', 'a\\nb\\0c', 0x00010203, 0xFF00, 0xDEADBEEF, "
            + "'1000-11-18', '-12:34:56', '23:59:59.123456', '2024-03-01 10:20:30', "
            + "'2024-03-01 10:20:30.123', '9999-12-31 23:59:59.999999', '1970-01-01 00:00:01', "
            + "'2038-01-19 03:14:07.999999', 2024, 'b', 'x,z', '{\"k\": [1, null]}', "
            + "ST_GeomFromText('LINESTRING(0 0, 1 2)'), ST_GeomFromText('POINT(3 4)'), "
            + "STRING_TO_VECTOR('[1,2.5,-3]'))";
    }

    private final Connection connection;
    private final URI server;
    private final BlockingQueue<ChangeEvent<String, String>> events = new LinkedBlockingQueue<>();

    private MysqlMessages(URI server) throws SQLException {
        this.server = server;
        connection = DriverManager.getConnection("jdbc:mysql://" + server.getHost() + ":" + server.getPort()
            + "/?connectionTimeZone=UTC&forceConnectionTimeZoneToSession=true", server.getUserInfo(), "");
    }

    private void sql(String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String text : statements) {
                statement.execute(text);
            }
        }
    }

    private Properties properties(Settings settings, Path folder) {
        Properties p = new Properties();
        p.setProperty("name", "recorder");
        p.setProperty("connector.class", "io.debezium.connector.mysql.MySqlConnector");
        p.setProperty("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        p.setProperty("schema.history.internal", "io.debezium.storage.file.history.FileSchemaHistory");
        p.setProperty("schema.history.internal.file.filename", folder.resolve("history").toString());
        p.setProperty("database.hostname", server.getHost());
        p.setProperty("database.port", String.valueOf(server.getPort()));
        p.setProperty("database.user", server.getUserInfo());
        p.setProperty("database.password", "");
        p.setProperty("database.server.id", "4711");
        p.setProperty("database.include.list", "recorded");
        p.setProperty("topic.prefix", "shop");
        p.setProperty("decimal.handling.mode", settings.decimals());
        p.setProperty("time.precision.mode", settings.times());
        p.setProperty("binary.handling.mode", settings.binary());
        p.setProperty("converter.schemas.enable", String.valueOf(settings.schemas()));
        p.setProperty("provide.transaction.metadata", "true");
        p.setProperty("heartbeat.interval.ms", "200");
        p.setProperty("skipped.operations", "none");
        // Its thread delays the end by most of a minute.
        p.setProperty("connect.keep.alive", "false");
        return p;
    }

    private ChangeEvent<String, String> next() throws InterruptedException {
        ChangeEvent<String, String> event = events.poll(60, TimeUnit.SECONDS);
        if (event == null) {
            throw new IllegalStateException("no event in 60 s");
        }
        return event;
    }

    /** Takes events until one whose value holds `mark`. */
    private List<ChangeEvent<String, String>> until(String mark) throws InterruptedException {
        List<ChangeEvent<String, String>> taken = new ArrayList<>();
        do {
            taken.add(next());
        } while (taken.get(taken.size() - 1).value() == null || !taken.get(taken.size() - 1).value().contains(mark));
        return taken;
    }

    private void record(Settings settings, Path target) throws Exception {
        Path folder = Files.createTempDirectory("recorder");
        sql("DROP DATABASE IF EXISTS recorded", "CREATE DATABASE recorded", "USE recorded", TABLE, row(1, "snapshot"),
            "CREATE TABLE ending (id INT PRIMARY KEY)");
        events.clear();
        DebeziumEngine<ChangeEvent<String, String>> engine = DebeziumEngine.create(Json.class)
            .using(properties(settings, folder)).notifying(events::add)
            .using((success, message, error) -> {
                if (!success) {
                    System.err.println(message);
                }
            }).build();
        ExecutorService executor = Executors.newSingleThreadExecutor();
        executor.execute(engine);
        List<ChangeEvent<String, String>> all = until("\"snapshot\":\"last\"");
        sql("SET autocommit=0", row(2, "inserted caf\u00e9"), "UPDATE everything SET v='updated', d=NULL WHERE id=2",
            "COMMIT", "SET autocommit=1", "UPDATE everything SET id=3 WHERE id=2", "INSERT INTO everything (id) VALUES (4)",
            "DELETE FROM everything WHERE id=3", "TRUNCATE everything", "ALTER TABLE ending ADD COLUMN note TEXT",
            "INSERT INTO ending VALUES (1, 'THE-END')");
        all.addAll(until("THE-END"));
        all.addAll(until("\"END\""));
        while (all.stream().noneMatch(event -> event.destination().startsWith("__debezium-heartbeat"))) {
            all.add(next());
        }
        engine.close();
        executor.shutdown();
        executor.awaitTermination(30, TimeUnit.SECONDS);
        write(all, target.resolve("debezium-mysql-" + settings.name() + ".jsonl"));
    }

    /** One heartbeat is enough. */
    private static void write(List<ChangeEvent<String, String>> all, Path file) throws Exception {
        Map<String, Integer> seen = new HashMap<>();
        try (Recorder recorder = new Recorder(file)) {
            for (ChangeEvent<String, String> event : all) {
                String topic = event.destination();
                int count = seen.merge(topic, 1, Integer::sum);
                if (topic.startsWith("__debezium-heartbeat") && count > 1) {
                    continue;
                }
                recorder.add(topic + "#" + count, topic, event.key(), event.value());
            }
        }
    }

    public static void main(String[] args) throws Exception {
        MysqlMessages messages = new MysqlMessages(URI.create(System.getenv("TXSINK_TEST_MYSQL")));
        for (Settings settings : ALL) {
            messages.record(settings, Path.of(args[0]));
        }
    }
}
