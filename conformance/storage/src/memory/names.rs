//! Texts by number: names in directories, and labels of logical writes.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Every text gets a number once, and keeps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    numbers: BTreeMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Names {
    /// The number of a text, if it has one.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The text of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    fn add(&mut self, text: &str) -> u32 {
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }
}

/// The number of a text, which it gets if it has none. Storages that came from the same one share their texts until then.
pub(crate) fn number(names: &mut Arc<Names>, text: &str) -> u32 {
    names.find(text).unwrap_or_else(|| Arc::make_mut(names).add(text))
}
