//! Where and when something was measured.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::peers::{spin_version, tlc_version};

/// The day (by UTC) as year-month-day.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    day(since.as_secs() / 86_400)
}

/// The day that is so many days after the first of January 1970.
fn day(mut days: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// The processor, as the system names it, and how many threads it runs at once.
pub fn processor() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} ({threads} threads at once)", name.map_or("unknown processor", |(_, name)| name.trim()))
}

/// The other tools that are there.
pub fn tools() -> String {
    let missing = |name: &str| format!("no {name}");
    let spin = spin_version().unwrap_or_else(|| missing("Spin"));
    let tlc = tlc_version().unwrap_or_else(|| missing("TLC"));
    format!("{spin}; {tlc}; Stateright 0.31.0")
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn given_days_since_1970_when_named_should_be_the_days_of_the_calendar() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_819), "2027-01-01");
    }
}
