//! How much memory the process holds.

/// Resident memory of this process in bytes; `None` where the system does not tell.
///
/// Reads the line `VmRSS` of `/proc/self/status`, which states kilobytes whatever the page size.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
