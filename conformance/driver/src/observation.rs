//! What can be looked at.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Park;

/// Whether the owner serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It serves.
    Serving,
    /// It is emptying the partition, and takes nothing else until that is done.
    Purging,
    /// A purge failed half-way; it refuses everything until it recovers.
    Fenced,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident $key:ident: $type:ty),+ $(,)?) => {
        /// A field of an [`Observation`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum Field { $($(#[$doc])* $name),+ }

        impl Field {
            /// All fields, in a fixed order.
            pub const ALL: &'static [Field] = &[$(Field::$name),+];

            /// The key on the wire.
            pub fn key(self) -> &'static str {
                match self { $(Self::$name => stringify!($key)),+ }
            }
        }

        /// What a look shows. A field that was not asked for, or cannot be seen, is absent. Looking changes nothing.
        ///
        /// Keys of progress are the names of individual consumers, and `group`.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct Observation {
            $($(#[$doc])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $key: Option<$type>),+
        }

        impl Observation {
            /// The first field in which another observation differs from this one, where both have it: the field, this value, and
            /// the other one.
            pub fn first_difference(&self, other: &Self) -> Option<(Field, String, String)> {
                $(if let (Some(mine), Some(theirs)) = (&self.$key, &other.$key)
                    && mine != theirs
                {
                    return Some((Field::$name, words(mine), words(theirs)));
                })+
                None
            }

            /// The fields that this observation has.
            pub fn fields(&self) -> Fields {
                let mut fields = Fields::NONE;
                $(if self.$key.is_some() { fields = fields.with(Field::$name); })+
                fields
            }

            /// The same without the fields that are not among these.
            #[must_use]
            pub fn only(mut self, fields: Fields) -> Self {
                $(if !fields.has(Field::$name) { self.$key = None; })+
                self
            }
        }
    };
}

fields! {
    /// Whether the owner serves.
    Status status: Status,
    /// The offset at which the partition starts.
    StartOffset start_offset: u64,
    /// The offset that the next committed message gets.
    NextOffset next_offset: u64,
    /// Offset and payload of all committed messages.
    Messages messages: Vec<(u64, String)>,
    /// The bookmarks in memory, by key: what a client that asks for its stored offset is told.
    Bookmarks bookmarks: BTreeMap<String, u64>,
    /// The bookmarks in files, as the operating system shows them now, by key.
    BookmarkFiles bookmark_files: BTreeMap<String, u64>,
    /// The highest offset served to the group; no key if there is none.
    LastPolled last_polled: BTreeMap<String, u64>,
    /// The purge generation that the owner has recorded as done.
    PurgeGeneration purge_generation: u64,
    /// How often the partition that the owner serves was created again.
    Incarnation incarnation: u64,
    /// The group generation that the owner has applied.
    GroupGeneration group_generation: u64,
    /// The member that owns the partition by what the owner has applied; empty: nobody.
    PartitionOwner partition_owner: String,
    /// The member that owns the partition by the gateway's mirror; empty: nobody.
    MirroredOwner mirrored_owner: String,
    /// Prepared operations: they have their place in the order and are not committed.
    Prepared prepared: u64,
    /// Queued operations: they wait for a place.
    Queued queued: u64,
    /// Logical writes that a power loss could lose, oldest first: `append`, `remove-segment`, `create-segment`, `advance-start`,
    /// `write-bookmark:KEY`, `remove-bookmark:KEY`.
    Unsynced unsynced: Vec<String>,
    /// Everything that waits for the runner, sorted, timers left out.
    Parked parked: Vec<Park>,
}

fn words<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}

/// A set of fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Field>", into = "Vec<Field>")]
pub struct Fields(u32);

impl Fields {
    /// No field.
    pub const NONE: Self = Self(0);

    /// All fields.
    pub fn all() -> Self {
        Field::ALL.iter().fold(Self::NONE, |fields, field| fields.with(*field))
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, field: Field) -> Self {
        Self(self.0 | 1 << field as u32)
    }

    /// Whether a field is among them.
    pub fn has(self, field: Field) -> bool {
        self.0 >> field as u32 & 1 == 1
    }

    /// Those that are in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl From<Vec<Field>> for Fields {
    fn from(fields: Vec<Field>) -> Self {
        fields.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<Fields> for Vec<Field> {
    fn from(fields: Fields) -> Self {
        Field::ALL.iter().copied().filter(|field| fields.has(*field)).collect()
    }
}
