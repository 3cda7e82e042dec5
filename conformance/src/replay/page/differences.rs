//! What was seen where it diverges, and what was allowed there.

use fencepost_driver::Field;
use serde::Serialize;
use serde_json::Value;

use super::changes::{message, name};
use crate::replay::divergence::Difference;

/// What was seen in one field, or as the answer, and everything that was allowed instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The field; none: the answer, or the step itself.
    pub field: Option<Field>,
    /// What the field is called in a sentence.
    pub name: String,
    /// What was seen; of a field, its value as JSON text.
    pub seen: String,
    /// Everything that was allowed, likewise.
    pub allowed: Vec<String>,
    /// Of a list: what was seen and is not in what was allowed, if one thing only was allowed.
    pub only_seen: Vec<String>,
    /// Of a list: what was allowed and not seen, if one thing only was allowed.
    pub only_allowed: Vec<String>,
}

/// Differences by field, in the order of the fields.
pub(super) fn groups(differences: &[Difference]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for difference in differences {
        let seen = value_of(difference);
        let found = groups.iter_mut().find(|group| group.field == difference.field && group.seen == seen);
        match found {
            Some(group) if group.allowed.contains(&difference.allowed) => {}
            Some(group) => group.allowed.push(difference.allowed.clone()),
            None => groups.push(Group {
                field: difference.field,
                name: difference.field.map_or("the answer", name).to_owned(),
                seen,
                allowed: vec![difference.allowed.clone()],
                only_seen: Vec::new(),
                only_allowed: Vec::new(),
            }),
        }
    }
    groups.iter_mut().for_each(compare_lists);
    groups
}

/// What was seen, without the key that a difference of a field writes before it.
pub(super) fn value_of(difference: &Difference) -> String {
    let key = difference.field.map_or(String::new(), |field| format!("{} ", field.key()));
    difference.seen.strip_prefix(&key).unwrap_or(&difference.seen).to_owned()
}

/// Says of two lists where they differ.
fn compare_lists(group: &mut Group) {
    let [allowed] = group.allowed.as_slice() else { return };
    let list = |text: &str| serde_json::from_str::<Vec<Value>>(text).ok();
    let (Some(_), Some(seen), Some(allowed)) = (group.field, list(&group.seen), list(allowed)) else { return };
    let only = |of: &[Value], other: &[Value]| -> Vec<String> {
        of.iter().filter(|one| !other.contains(one)).map(element).collect()
    };
    group.only_seen = only(&seen, &allowed);
    group.only_allowed = only(&allowed, &seen);
}

fn element(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => message(other),
    }
}
