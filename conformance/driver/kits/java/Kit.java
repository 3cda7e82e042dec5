import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A driver for Fencepost in Java: protocol {@code fencepost-driver/1}, no dependencies, Java 17 or later.
 *
 * <p>Implement {@link Driver} and end your {@code main} with {@link #serve}. {@link Parks} keeps what waits: at each park a piece of work
 * that parks what comes next, or gives back the reply that the client has now.
 */
final class Kit {
    static final String PROTOCOL = "fencepost-driver/1";

    /** The order of this list is the order of parks, and after it the name decides. */
    private static final List<String> PARK_KINDS = words("request gather gathered propose arrival open complete wait reply apply commit"
        + " purge finish-purge report-drained drained applied gateway-time-out revocation-time-out inner");
    private static final List<String> FIELDS = words("status start_offset next_offset messages bookmarks bookmark_files last_polled"
        + " purge_generation incarnation group_generation partition_owner mirrored_owner prepared queued unsynced parked");
    private static final List<String> ANSWERS = words("proceed fail time-out");
    /** Keys of the questions: those that have to be there, and after the bar those that may be. */
    private static final Map<String, String> QUESTIONS = Map.of("hello", "protocol", "reset", "world", "start", "operation call|observe",
        "resume", "park|answer observe", "cancel", "operation|observe", "crash", "crash", "restart", "|observe", "parked", "",
        "observe", "fields", "bye", "");
    private static final Map<String, String> CALLS = Map.of("poll", "consumer start count automatic_commit may_wait",
        "store", "consumer offset|batch_of", "delete", "consumer", "send", "payloads", "empty", "", "recreate", "", "join", "consumer",
        "leave", "consumer", "disconnect", "consumer", "expire", "count");
    private static final Map<String, String> STARTS = Map.of("next", "", "first", "", "last", "", "offset", "offset");
    private static final Map<String, String> CRASHES = Map.of("process", "", "power", "keep");
    private static final String WORLD = "settings clients members partitions messages bookmarks queue_slots read_slots is_resident"
        + " purges_in_steps loses_power holds_inner_steps|prepare_slots";

    /** What an implementer implements. A step gives back the reply that a client has now, or null if the work waits somewhere. */
    interface Driver {
        Map<String, Object> capabilities();
        void reset(Map<String, Object> world);
        Object start(String operation, Map<String, Object> call);
        Object resume(String park, String answer);
        Object cancel(String operation);
        void crash(Map<String, Object> crash);
        Object restart();
        List<String> parked();
        Map<String, Object> observe();
    }

    static final class Malformed extends RuntimeException { Malformed(String why) { super(why); } }
    static final class OutOfOrder extends RuntimeException { OutOfOrder(String why) { super(why); } }
    /** The implementation will not do this step. */
    static final class Refused extends RuntimeException { Refused(String why) { super(why); } }
    /** The driver has no way to do this step. */
    static final class Unsupported extends RuntimeException { Unsupported(String why) { super(why); } }

    /** Work that waits at a park; told how it goes on. */
    interface Work { Object goOn(String answer); }

    /** What waits, by park. */
    static final class Parks {
        private final Map<String, Work> waiting = new HashMap<>();
        private final Set<String> cancelled = new HashSet<>();

        /** Holds work at a park. Gives back null, as a step that has no reply yet does. */
        Object at(String park, Work work) {
            waiting.put(park, work);
            return null;
        }

        /** Lets the work at a park make one step. */
        Object resume(String park, String answer) {
            Work work = waiting.remove(park);
            if (work == null) throw new Refused("nothing waits at " + park);
            Object reply = work.goOn(answer);
            return cancelled.contains(park.substring(park.indexOf(':') + 1)) ? null : reply;
        }

        /** The caller gives up: the answer will be dropped when it comes. */
        void cancel(String operation) { cancelled.add(operation); }

        List<String> list() {
            List<String> parks = new ArrayList<>(waiting.keySet());
            parks.sort(Comparator.<String>comparingInt(park -> PARK_KINDS.indexOf(park.split(":", 2)[0])).thenComparing(park -> park));
            return parks;
        }
    }

    /** Serves until {@code bye} or the end of the input. Whatever else prints goes to standard error. */
    static void serve(Driver driver) throws IOException {
        PrintStream out = new PrintStream(System.out, false, UTF_8);
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        boolean greeted = false;
        boolean last = false;
        for (String line; !last && (line = in.readLine()) != null; ) {
            Map<String, Object> answer;
            Object id = null;
            last = !greeted;
            try {
                Map<String, Object> question = understand(line);
                id = question.get("id");
                if (question.get("type").equals("hello") == greeted) throw new OutOfOrder("there is one hello, and it comes first");
                greeted = true;
                last = question.get("type").equals("bye");
                answer = replyTo(driver, question);
            } catch (RuntimeException error) {
                answer = failure(error);
            }
            if (id != null) answer.put("in_reply_to", id);
            out.print(Json.write(answer) + "\n");
            out.flush();
        }
    }

    private static Map<String, Object> failure(RuntimeException error) {
        if (error instanceof Refused) return answer("refused", "reason", error.getMessage());
        if (error instanceof Unsupported) return answer("unsupported", "reason", error.getMessage());
        boolean definite = error instanceof Malformed || error instanceof OutOfOrder;
        Map<String, Object> answer = answer("error", "text", String.valueOf(definite ? error.getMessage() : error));
        answer.put("code", error instanceof Malformed ? "malformed" : definite ? "out-of-order" : "failed");
        answer.put("definite", definite);
        return answer;
    }

    private static Map<String, Object> replyTo(Driver driver, Map<String, Object> question) {
        Object reply = null;
        switch ((String) question.get("type")) {
            case "hello" -> {
                Map<String, Object> ready = answer("ready", "protocol", PROTOCOL);
                ready.putAll(driver.capabilities());
                return ready;
            }
            case "bye" -> { return answer("done", null, null); }
            case "parked" -> { return answer("parked", "parked", driver.parked()); }
            case "observe" -> { return answer("observation", "state", looked(driver, question.get("fields"))); }
            case "reset" -> { driver.reset(object(question.get("world"))); return answer("done", null, null); }
            case "crash" -> { driver.crash(object(question.get("crash"))); return answer("done", null, null); }
            case "start" -> reply = driver.start((String) question.get("operation"), object(question.get("call")));
            case "resume" -> reply = driver.resume((String) question.get("park"), (String) question.getOrDefault("answer", "proceed"));
            case "cancel" -> reply = driver.cancel((String) question.get("operation"));
            default -> reply = driver.restart();
        }
        Map<String, Object> answer = reply == null ? answer("parked", null, null) : answer("done", "reply", reply);
        if (question.get("observe") instanceof List<?> fields && !fields.isEmpty()) answer.put("observation", looked(driver, fields));
        return answer;
    }

    private static Map<String, Object> answer(String type, String key, Object value) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("type", type);
        if (key != null) answer.put(key, value);
        return answer;
    }

    private static Map<String, Object> looked(Driver driver, Object fields) {
        Map<String, Object> state = driver.observe();
        state.keySet().retainAll((List<?>) fields);
        return state;
    }

    private static Map<String, Object> understand(String line) {
        try {
            Map<String, Object> question = object(Json.read(line));
            hasKeys(question, "type id ", QUESTIONS.get(question.get("type")));
            if (!(question.get("id") instanceof Long)) throw new Malformed("the id is no number");
            String type = (String) question.get("type");
            if (type.equals("hello") && !PROTOCOL.equals(question.get("protocol"))) throw new Malformed("this driver speaks " + PROTOCOL);
            if (type.equals("start")) isCall(object(question.get("call")));
            if (type.equals("crash")) hasKeys(object(question.get("crash")), "kind ", CRASHES.get(object(question.get("crash")).get("kind")));
            if (type.equals("reset")) hasKeys(object(question.get("world")), "", WORLD);
            if (type.equals("resume")) isOneOf(((String) question.get("park")).split(":", 2)[0], PARK_KINDS);
            isOneOf(question.getOrDefault("answer", "proceed"), ANSWERS);
            for (String key : words("fields observe")) {
                if (question.get(key) instanceof List<?> fields) fields.forEach(field -> isOneOf(field, FIELDS));
            }
            return question;
        } catch (ClassCastException | NullPointerException error) {
            throw new Malformed(String.valueOf(error.getMessage()));
        }
    }

    private static void isCall(Map<String, Object> call) {
        hasKeys(call, "kind ", CALLS.get(call.get("kind")));
        if (call.get("kind").equals("poll")) hasKeys(object(call.get("start")), "from ", STARTS.get(object(call.get("start")).get("from")));
    }

    private static void hasKeys(Map<String, Object> value, String tags, String row) {
        if (row == null) throw new Malformed("an unknown word in " + value.keySet());
        String[] sides = row.split("\\|", 2);
        List<String> required = words(tags + sides[0]);
        Set<String> unknown = new HashSet<>(value.keySet());
        required.forEach(unknown::remove);
        if (sides.length > 1) words(sides[1]).forEach(unknown::remove);
        if (!unknown.isEmpty() || !value.keySet().containsAll(required)) {
            throw new Malformed("the keys are " + value.keySet() + ", and should be " + required);
        }
    }

    private static void isOneOf(Object word, List<String> known) {
        if (!known.contains(word)) throw new Malformed("unknown word: " + word);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) (Map<?, ?>) value;
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.trim().split(" +"));
    }
}
