// Records what Kafka Connect's JsonConverter writes for each logical type of Connect and Debezium,
// and for change events that no MySQL server sends: unavailable values and messages.
import io.debezium.data.Bits;
import io.debezium.data.Envelope;
import io.debezium.data.EnumSet;
import io.debezium.data.Json;
import io.debezium.data.TsVector;
import io.debezium.data.Uuid;
import io.debezium.data.VariableScaleDecimal;
import io.debezium.data.Xml;
import io.debezium.data.geometry.Geography;
import io.debezium.data.geometry.Geometry;
import io.debezium.data.geometry.Point;
import io.debezium.data.vector.DoubleVector;
import io.debezium.data.vector.FloatVector;
import io.debezium.data.vector.SparseDoubleVector;
import io.debezium.time.Interval;
import io.debezium.time.IsoDate;
import io.debezium.time.IsoTime;
import io.debezium.time.IsoTimestamp;
import io.debezium.time.MicroDuration;
import io.debezium.time.MicroTime;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.NanoDuration;
import io.debezium.time.NanoTime;
import io.debezium.time.NanoTimestamp;
import io.debezium.time.Year;
import io.debezium.time.ZonedTime;
import io.debezium.time.ZonedTimestamp;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.json.JsonConverter;

final class ConverterMessages {
    private static final String MARKER = "__debezium_unavailable_value";
    private static final byte[] MARKER_BYTES = MARKER.getBytes(StandardCharsets.UTF_8);
    private static final byte[] WKB = Point.createValue(Point.builder().build(), 3, 4).getBytes("wkb");

    private final Recorder recorder;

    private ConverterMessages(Recorder recorder) {
        this.recorder = recorder;
    }

    private static JsonConverter converter(boolean isKey, boolean schemas, String decimals) {
        JsonConverter converter = new JsonConverter();
        converter.configure(Map.of("schemas.enable", schemas, "decimal.format", decimals), isKey);
        return converter;
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private void add(String name, SchemaAndValue key, SchemaAndValue value, boolean schemas, String decimals)
        throws IOException {
        recorder.add(name, "converted",
            text(converter(true, schemas, decimals).fromConnectData("converted", key.schema(), key.value())),
            text(converter(false, schemas, decimals).fromConnectData("converted", value.schema(), value.value())));
    }

    private static SchemaAndValue of(Struct struct) {
        return new SchemaAndValue(struct.schema(), struct);
    }

    /** A struct of the given fields, in their order. */
    private static Struct struct(Object... namesSchemasValues) {
        return structOf(SchemaBuilder.struct(), namesSchemasValues);
    }

    private static Struct structOf(SchemaBuilder builder, Object... namesSchemasValues) {
        for (int i = 0; i < namesSchemasValues.length; i += 3) {
            builder.field((String) namesSchemasValues[i], (Schema) namesSchemasValues[i + 1]);
        }
        Struct struct = new Struct(builder.build());
        for (int i = 0; i < namesSchemasValues.length; i += 3) {
            struct.put((String) namesSchemasValues[i], namesSchemasValues[i + 2]);
        }
        return struct;
    }

    private static Struct connectTypes() {
        Schema nested = SchemaBuilder.struct().field("at", Timestamp.SCHEMA).field("note", Schema.OPTIONAL_STRING_SCHEMA).build();
        Map<Integer, String> byNumber = new LinkedHashMap<>();
        byNumber.put(7, "seven");
        return struct(
            "int8", Schema.INT8_SCHEMA, (byte) -128,
            "int16", Schema.INT16_SCHEMA, (short) 32767,
            "int32", Schema.INT32_SCHEMA, Integer.MIN_VALUE,
            "int64", Schema.INT64_SCHEMA, 9007199254740993L,
            "float", Schema.FLOAT32_SCHEMA, 1.5f,
            "double", Schema.FLOAT64_SCHEMA, -2.25e100,
            "nan", Schema.FLOAT64_SCHEMA, Double.NaN,
            "boolean", Schema.BOOLEAN_SCHEMA, true,
            "string", Schema.STRING_SCHEMA, "caf\u00e9 \"quoted\"",
            "bytes", Schema.BYTES_SCHEMA, ByteBuffer.wrap(new byte[] {0, 1, (byte) 0xFF}),
            "decimal", Decimal.schema(10), new BigDecimal("0.0000000001"),
            "decimal38", Decimal.schema(4), new BigDecimal("-9999999999999999999999999999999999.9999"),
            "date", Date.SCHEMA, java.util.Date.from(Instant.parse("1000-11-18T00:00:00Z")),
            "time", Time.SCHEMA, new java.util.Date(45_296_789L),
            "timestamp", Timestamp.SCHEMA, java.util.Date.from(Instant.parse("2024-03-01T10:20:30.123Z")),
            "null", Schema.OPTIONAL_INT32_SCHEMA, null,
            "fallback", SchemaBuilder.int32().defaultValue(5).build(), 6,
            "nested", nested, new Struct(nested).put("at", new java.util.Date(1L)),
            "decimals", SchemaBuilder.array(Decimal.schema(2)).build(), List.of(new BigDecimal("1.00"), new BigDecimal("-2.50")),
            "dates", SchemaBuilder.map(Schema.STRING_SCHEMA, Date.SCHEMA).build(), Map.of("first", new java.util.Date(86_400_000L)),
            "pairs", SchemaBuilder.map(Schema.INT32_SCHEMA, Schema.STRING_SCHEMA).build(), byNumber);
    }

    private static Struct debeziumTypes() {
        Schema variable = VariableScaleDecimal.schema();
        Schema sparse = SparseDoubleVector.builder().build();
        Map<Short, Double> elements = new LinkedHashMap<>();
        elements.put((short) 1, 10.0);
        return struct(
            "date", io.debezium.time.Date.builder().build(), -353_964,
            "time", io.debezium.time.Time.builder().build(), 45_296_789,
            "micro_time", MicroTime.builder().build(), 86_399_123_456L,
            "nano_time", NanoTime.builder().build(), 86_399_123_456_789L,
            "timestamp", io.debezium.time.Timestamp.builder().build(), 1_709_288_430_123L,
            "micro_timestamp", MicroTimestamp.builder().build(), 253_402_300_799_999_999L,
            "nano_timestamp", NanoTimestamp.builder().build(), 1_709_288_430_123_456_789L,
            "zoned_timestamp", ZonedTimestamp.builder().build(), "2024-03-01T10:20:30.123456Z",
            "zoned_time", ZonedTime.builder().build(), "10:20:30+02:00",
            "iso_date", IsoDate.builder().build(), "2024-03-01Z",
            "iso_time", IsoTime.builder().build(), "10:20:30Z",
            "iso_timestamp", IsoTimestamp.builder().build(), "2024-03-01T10:20:30Z",
            "year", Year.builder().build(), 2024,
            "micro_duration", MicroDuration.builder().build(), 1_000_000L,
            "nano_duration", NanoDuration.builder().build(), 1_000L,
            "interval", Interval.builder().build(), "P1Y2M3DT4H5M6.78S",
            "json", Json.builder().build(), "{\"k\":[1,null]}",
            "enum", io.debezium.data.Enum.builder("a,b").build(), "b",
            "enum_set", EnumSet.builder("x,y,z").build(), "x,z",
            "bits", Bits.builder(12).build(), new byte[] {1, 2},
            "variable_decimal", variable, VariableScaleDecimal.fromLogical(variable, new BigDecimal("-12345678901234567890.12345")),
            "uuid", Uuid.builder().build(), "0b2c3d4e-0000-4000-8000-000000000001",
            "xml", Xml.builder().build(), "<a/>",
            "tsvector", TsVector.builder().build(), "'a':1",
            "geometry", Geometry.builder().build(), Geometry.createValue(Geometry.builder().build(), WKB, 4326),
            "geography", Geography.builder().build(), Geography.createValue(Geography.builder().build(), WKB, 4326),
            "point", Point.builder().build(), Point.createValue(Point.builder().build(), 3, 4),
            "float_vector", FloatVector.builder().build(), List.of(1.0f, 2.5f),
            "double_vector", DoubleVector.builder().build(), List.of(1.0, 2.5),
            "sparse_vector", sparse, new Struct(sparse).put("dimensions", (short) 25).put("vector", elements));
    }

    /** The shapes in which the PostgreSQL connector sends its placeholder. */
    private static Struct unavailable() {
        List<Integer> ints = new ArrayList<>();
        List<Long> longs = new ArrayList<>();
        List<Double> doubles = new ArrayList<>();
        StringBuilder hex = new StringBuilder();
        for (byte b : MARKER_BYTES) {
            ints.add((int) b);
            longs.add((long) b);
            doubles.add((double) b);
            hex.append(String.format("%02x", b));
        }
        return structOf(SchemaBuilder.struct().optional(),
            "id", Schema.INT64_SCHEMA, 1L,
            "text", Schema.STRING_SCHEMA, MARKER,
            "bytes", Schema.BYTES_SCHEMA, ByteBuffer.wrap(MARKER_BYTES),
            "hex", Schema.STRING_SCHEMA, hex.toString(),
            "json", Json.builder().build(), MARKER,
            "texts", SchemaBuilder.array(Schema.STRING_SCHEMA).build(), List.of(MARKER),
            "byteas", SchemaBuilder.array(Schema.BYTES_SCHEMA).build(), List.of(ByteBuffer.wrap(MARKER_BYTES)),
            "ints", SchemaBuilder.array(Schema.INT32_SCHEMA).build(), ints,
            "longs", SchemaBuilder.array(Schema.INT64_SCHEMA).build(), longs,
            "doubles", SchemaBuilder.array(Schema.FLOAT64_SCHEMA).build(), doubles,
            "hstore", SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.STRING_SCHEMA).build(), Map.of(MARKER, MARKER),
            "hstore_json", Json.builder().build(), "{\"" + MARKER + "\":\"" + MARKER + "\"}",
            "other", Schema.STRING_SCHEMA, "x" + MARKER,
            "others", SchemaBuilder.array(Schema.STRING_SCHEMA).build(), List.of(MARKER, MARKER));
    }

    private static Struct update(Struct after, Schema source) {
        Envelope envelope = Envelope.defineSchema().withName("pg.public.t.Envelope").withRecord(after.schema())
            .withSource(source).build();
        return envelope.update(null, after, new Struct(source).put("lsn", 1L), Instant.ofEpochMilli(1_709_288_430_000L));
    }

    private static Struct message() {
        Schema content = SchemaBuilder.struct().optional().field("prefix", Schema.OPTIONAL_STRING_SCHEMA)
            .field("content", Schema.OPTIONAL_BYTES_SCHEMA).build();
        return struct("op", Schema.STRING_SCHEMA, "m", "ts_ms", Schema.OPTIONAL_INT64_SCHEMA, 1_709_288_430_000L,
            "message", content, new Struct(content).put("prefix", "p").put("content", ByteBuffer.wrap(new byte[] {1})));
    }

    private void all() throws IOException {
        SchemaAndValue key = of(struct("id", Schema.INT64_SCHEMA, 7L, "at", Timestamp.SCHEMA, new java.util.Date(1L)));
        SchemaAndValue nothing = SchemaAndValue.NULL;
        Schema source = SchemaBuilder.struct().field("lsn", Schema.INT64_SCHEMA).build();
        for (boolean schemas : new boolean[] {true, false}) {
            String with = schemas ? "" : "-schemaless";
            add("connect" + with, key, of(connectTypes()), schemas, "BASE64");
            add("debezium" + with, key, of(debeziumTypes()), schemas, "BASE64");
            add("numeric" + with, key, of(struct("d", Decimal.schema(2), new BigDecimal("12345678901234567890.10"))),
                schemas, "NUMERIC");
            add("unavailable" + with, key, of(update(unavailable(), source)), schemas, "BASE64");
            add("message" + with, nothing, of(message()), schemas, "BASE64");
            add("null" + with, new SchemaAndValue(Schema.INT32_SCHEMA, 5), nothing, schemas, "BASE64");
            add("null-of-schema" + with, new SchemaAndValue(Schema.STRING_SCHEMA, "k"),
                new SchemaAndValue(Schema.OPTIONAL_STRING_SCHEMA, null), schemas, "BASE64");
            add("map-without-schema" + with, nothing, new SchemaAndValue(null, new HashMap<>(Map.of("a", 1))), schemas, "BASE64");
        }
    }

    public static void main(String[] args) throws IOException {
        try (Recorder recorder = new Recorder(Path.of(args[0]).resolve("connect-json.jsonl"))) {
            new ConverterMessages(recorder).all();
        }
    }
}
