//! Named sync calls, and those that are left out.

/// A named place at which the broker syncs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncSite {
    /// Its name.
    pub name: String,
    /// How often it was reached.
    pub calls: u64,
    /// How often it was left out.
    pub skipped: u64,
    /// Whether it is left out from now on.
    pub deaf: bool,
}

/// All places that are known, by the order in which they were first named. They are few.
#[derive(Clone, Debug, Default)]
pub(crate) struct SyncSites {
    pub(crate) known: Vec<SyncSite>,
}

impl SyncSites {
    /// Sets which places are left out: these, and no others.
    pub(crate) fn deafen(&mut self, names: &[&str]) {
        for site in &mut self.known {
            site.deaf = false;
        }
        for name in names {
            let index = self.find(name);
            self.known[index].deaf = true;
        }
    }

    /// Counts a call, and tells whether it is left out.
    pub(crate) fn reached(&mut self, name: &str) -> bool {
        let index = self.find(name);
        let site = &mut self.known[index];
        site.calls += 1;
        site.skipped += u64::from(site.deaf);
        site.deaf
    }

    fn find(&mut self, name: &str) -> usize {
        self.known.iter().position(|site| site.name == name).unwrap_or_else(|| {
            self.known.push(SyncSite { name: name.to_owned(), calls: 0, skipped: 0, deaf: false });
            self.known.len() - 1
        })
    }
}
