// Where the recorded messages go: JSON lines of {"name", "topic", "key", "value"}.
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keys and values are the exact text of the message, as a JSON string; null is Kafka's null. */
final class Recorder implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private final Writer out;

    Recorder(Path file) throws IOException {
        out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
    }

    void add(String name, String topic, String key, String value) throws IOException {
        ObjectNode line = MAPPER.createObjectNode();
        line.put("name", name).put("topic", topic).put("key", key).put("value", value);
        out.write(MAPPER.writeValueAsString(line));
        out.write('\n');
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
