//! What was seen, compared with what is allowed.

use std::fmt::Debug;

use super::step::Observation;

/// The first field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What kind of difference, kebab-case.
    pub kind: &'static str,
    /// What is allowed.
    pub allowed: String,
    /// What was seen.
    pub seen: String,
}

/// The first difference, if there is one. Fields that the driver does not see are not compared; of an exception only the name
/// is, since its words differ between releases of Node.
pub fn difference(allowed: &Observation, seen: &Observation) -> Option<Difference> {
    if name(allowed.ended.as_deref()) != name(seen.ended.as_deref()) {
        let kind = if seen.ended.is_some() { "ends-unexpectedly" } else { "goes-on-unexpectedly" };
        let text = |ended: &Option<String>| ended.clone().unwrap_or_else(|| "it goes on".to_owned());
        return Some(Difference { kind, allowed: text(&allowed.ended), seen: text(&seen.ended) });
    }
    differs("handlers-differ", &allowed.handlers, &seen.handlers)
        .or_else(|| differs("requests-differ", &allowed.requests, &seen.requests))
        .or_else(|| differs("idle-fetchers-differ", &allowed.idle, &seen.idle))
        .or_else(|| differs_if_seen("next-offsets-differ", &allowed.next_offsets, &seen.next_offsets))
        .or_else(|| differs_if_seen("committed-offsets-differ", &allowed.committed, &seen.committed))
        .or_else(|| differs_if_seen("resolved-offsets-differ", &allowed.resolved, &seen.resolved))
}

fn name(ended: Option<&str>) -> Option<&str> {
    ended.map(|text| text.split(':').next().unwrap_or(text))
}

fn differs<T: PartialEq + serde::Serialize + Debug>(kind: &'static str, allowed: &T, seen: &T) -> Option<Difference> {
    (allowed != seen).then(|| Difference { kind, allowed: text(allowed), seen: text(seen) })
}

fn differs_if_seen<T: PartialEq + serde::Serialize + Debug>(
    kind: &'static str,
    allowed: &Option<T>,
    seen: &Option<T>,
) -> Option<Difference> {
    let seen = seen.as_ref()?;
    differs(kind, allowed.as_ref()?, seen)
}

fn text<T: serde::Serialize + Debug>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| format!("{value:?}"))
}
