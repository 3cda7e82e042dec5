//! Enumerations that are written as kebab-case words in data files.

/// A value of an enumeration that [`words!`](crate::words!) declares.
pub trait Word:
    Copy + Ord + std::fmt::Debug + std::fmt::Display + std::str::FromStr<Err = String> + Send + Sync + 'static
{
    /// All values, in the order of their definition.
    const ALL: &'static [Self];

    /// The word that stands for the value.
    fn word(self) -> &'static str;
}

/// Declares an enumeration whose variants have a word each, used in data files, on the command line and in reports.
///
/// The enumeration gets `ALL`, `word()`, `Display`, `FromStr` (which names the nearest word when it fails) and serde.
#[macro_export]
macro_rules! words {
    ($(#[$outer:meta])* pub enum $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$inner])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// All values, in the order of their definition.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word that stands for the value.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl $crate::words::Word for $name {
            const ALL: &'static [Self] = Self::ALL;

            fn word(self) -> &'static str {
                Self::word(self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|value| value.word() == text)
                    .ok_or_else(|| $crate::diagnostic::unknown_word(text, Self::ALL.iter().map(|value| value.word())))
            }
        }
    };
}
