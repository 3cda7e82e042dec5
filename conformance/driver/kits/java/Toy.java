import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A partition in memory as a driver. It is here to be read, and to try the kit with {@code fencepost driver-test}. */
final class Toy implements Kit.Driver {
    private Kit.Parks parks = new Kit.Parks();
    private final List<String> messages = new ArrayList<>();
    private final Map<String, Object> bookmarks = new TreeMap<>();
    private final Set<String> members = new HashSet<>();

    public static void main(String[] arguments) throws IOException {
        Kit.serve(new Toy());
    }

    @Override public Map<String, Object> capabilities() {
        return Map.of("subject", "toy-java", "version", "1", "calls", List.of("poll", "store", "send"),
            "parks", List.of("request", "arrival", "reply"),
            "observables", List.of("start_offset", "next_offset", "messages", "bookmarks", "parked"),
            "crashes", List.of(), "deterministic", true);
    }

    @Override public void reset(Map<String, Object> world) {
        parks = new Kit.Parks();
        messages.clear();
        bookmarks.clear();
        members.clear();
        ((List<?>) world.get("messages")).forEach(payload -> messages.add((String) payload));
        bookmarks.putAll(Kit.object(world.get("bookmarks")));
        for (Object client : (List<?>) world.get("clients")) {
            Map<String, Object> row = Kit.object(client);
            if ((Boolean) row.get("is_of_group")) members.add((String) row.get("name"));
        }
    }

    @Override public Object start(String operation, Map<String, Object> call) {
        Kit.Work work = switch ((String) call.get("kind")) {
            case "poll" -> answer -> poll(call);
            case "store" -> answer -> store(call);
            case "send" -> answer -> send(call);
            default -> throw new Kit.Unsupported("there is no " + call.get("kind") + " here");
        };
        return parks.at("request:" + operation, forwarded -> parks.at("arrival:" + operation, answer -> {
            Object reply = work.goOn(answer);
            return parks.at("reply:" + operation, delivered -> reply);
        }));
    }

    @Override public Object resume(String park, String answer) {
        if (!answer.equals("proceed")) throw new Kit.Unsupported("nothing here can fail or time out");
        return parks.resume(park, answer);
    }

    @Override public Object cancel(String operation) {
        parks.cancel(operation);
        return null;
    }

    @Override public void crash(Map<String, Object> crash) {
        throw new Kit.Unsupported("there are no files that could survive");
    }

    @Override public Object restart() {
        throw new Kit.Unsupported("there are no files to recover from");
    }

    @Override public List<String> parked() {
        return parks.list();
    }

    @Override public Map<String, Object> observe() {
        Map<String, Object> state = new HashMap<>();
        state.put("start_offset", 0);
        state.put("next_offset", messages.size());
        state.put("messages", numbered(0, messages.size()));
        state.put("bookmarks", new TreeMap<>(bookmarks));
        state.put("parked", parked());
        return state;
    }

    private String key(Map<String, Object> call) {
        String consumer = (String) call.get("consumer");
        return members.contains(consumer) ? "group" : consumer;
    }

    private List<List<Object>> numbered(long first, long end) {
        List<List<Object>> numbered = new ArrayList<>();
        for (long offset = first; offset < end; offset++) numbered.add(List.of(offset, messages.get((int) offset)));
        return numbered;
    }

    private Object poll(Map<String, Object> call) {
        Map<String, Object> start = Kit.object(call.get("start"));
        long head = messages.size();
        long count = (Long) call.get("count");
        long first = switch ((String) start.get("from")) {
            case "next" -> (Long) bookmarks.getOrDefault(key(call), -1L) + 1;
            case "last" -> Math.max(0, head - count);
            case "offset" -> (Long) start.get("offset");
            default -> 0;
        };
        long end = first < head && count < head - first ? first + count : head;
        if (first >= end) return Map.of("kind", "empty");
        if ((Boolean) call.get("automatic_commit")) bookmarks.put(key(call), end - 1);
        Map<String, Object> batch = new LinkedHashMap<>();
        batch.put("kind", "batch");
        batch.put("messages", numbered(first, end));
        return batch;
    }

    private Object store(Map<String, Object> call) {
        long offset = (Long) call.get("offset");
        if (offset >= messages.size()) return Map.of("kind", "code", "code", 4100);
        bookmarks.put(key(call), offset);
        return Map.of("kind", "acknowledged");
    }

    private Object send(Map<String, Object> call) {
        ((List<?>) call.get("payloads")).forEach(payload -> messages.add((String) payload));
        return Map.of("kind", "acknowledged");
    }
}
