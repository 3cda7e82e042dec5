import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much JSON as the protocol needs: whole numbers only, objects as maps, arrays as lists. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blanks();
        if (json.at < text.length()) throw json.wrong();
        return value;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private Object value() {
        blanks();
        if (at >= text.length()) throw wrong();
        char next = text.charAt(at);
        if (next == '{') return object();
        if (next == '[') return array();
        if (next == '"') return string();
        if (word("true")) return true;
        if (word("false")) return false;
        if (word("null")) return null;
        int begin = at;
        while (at < text.length() && (Character.isDigit(text.charAt(at)) || at == begin && text.charAt(at) == '-')) at++;
        try {
            BigInteger number = new BigInteger(text.substring(begin, at));
            return number.bitLength() < 64 ? (Object) number.longValue() : number;
        } catch (NumberFormatException error) {
            throw wrong();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        for (boolean first = true; !ends('}', first); first = false) {
            blanks();
            String key = string();
            if (!taken(':') || object.containsKey(key)) throw wrong();
            object.put(key, value());
        }
        return object;
    }

    private List<Object> array() {
        List<Object> array = new ArrayList<>();
        at++;
        for (boolean first = true; !ends(']', first); first = false) array.add(value());
        return array;
    }

    private boolean ends(char end, boolean first) {
        if (taken(end)) return true;
        if (!first && !taken(',')) throw wrong();
        return false;
    }

    private String string() {
        if (!taken('"')) throw wrong();
        StringBuilder out = new StringBuilder();
        while (at < text.length()) {
            char next = text.charAt(at++);
            if (next == '"') return out.toString();
            if (next < ' ') throw wrong();
            out.append(next == '\\' ? escaped() : next);
        }
        throw wrong();
    }

    private char escaped() {
        int kind = at < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(at++)) : -1;
        if (kind < 0) throw wrong();
        if (kind < 8) return "\"\\/\b\f\n\r\t".charAt(kind);
        try {
            return (char) Integer.parseInt(text.substring(at, at += 4), 16);
        } catch (RuntimeException error) {
            throw wrong();
        }
    }

    private boolean word(String word) {
        boolean found = text.startsWith(word, at);
        if (found) at += word.length();
        return found;
    }

    private boolean taken(char wanted) {
        blanks();
        boolean found = at < text.length() && text.charAt(at) == wanted;
        if (found) at++;
        return found;
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private Kit.Malformed wrong() {
        return new Kit.Malformed("no JSON at character " + at);
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
            out.append('{');
            while (entries.hasNext()) {
                Map.Entry<?, ?> entry = entries.next();
                write(entry.getKey().toString(), out);
                write(entry.getValue(), out.append(':'));
                if (entries.hasNext()) out.append(',');
            }
            out.append('}');
        } else if (value instanceof Iterable<?> list) {
            Iterator<?> items = list.iterator();
            out.append('[');
            while (items.hasNext()) {
                write(items.next(), out);
                if (items.hasNext()) out.append(',');
            }
            out.append(']');
        } else if (value instanceof String string) {
            out.append('"');
            for (char next : string.toCharArray()) {
                if (next == '"' || next == '\\') out.append('\\').append(next);
                else if (next < ' ') out.append(String.format("\\u%04x", (int) next));
                else out.append(next);
            }
            out.append('"');
        } else {
            out.append(value);
        }
    }
}
