//! How fast the file system in memory is: `cargo run --release -p fencepost-storage --example measure`.

use std::time::Instant;

use fencepost_storage::{MemoryStorage, Policy, Storage, StorageError};

/// Nanoseconds for a round: the best of up to 200 batches, so that other work on the machine counts little.
fn nanoseconds(count: u32, mut round: impl FnMut(u32) -> Result<(), StorageError>) -> Result<u128, StorageError> {
    let batch = count.div_ceil(200);
    let mut best = u128::MAX;
    for first in (0..count).step_by(batch as usize) {
        let start = Instant::now();
        for number in first..first + batch {
            round(number)?;
        }
        best = best.min(start.elapsed().as_nanos() / u128::from(batch));
    }
    Ok(best)
}

/// A partition with a segment and two bookmarks, all durable.
fn partition() -> Result<MemoryStorage, StorageError> {
    let mut storage = MemoryStorage::new();
    for directory in ["partition", "partition/consumers", "partition/groups"] {
        storage.create_directory(directory)?;
    }
    for path in ["partition/segment", "partition/consumers/1", "partition/groups/1"] {
        let file = storage.create(path)?;
        storage.write(file, 0, &[7; 16])?;
    }
    storage.write_back();
    Ok(storage)
}

/// What a purge, a bookmark and `appends` appended messages leave unsynced.
fn unsynced(appends: u64) -> Result<MemoryStorage, StorageError> {
    let mut storage = partition()?;
    storage.begin_group("purge");
    storage.remove("partition/consumers/1")?;
    storage.remove("partition/groups/1")?;
    storage.begin_group("append");
    let segment = storage.open("partition/segment")?;
    for number in 0..appends {
        storage.write(segment, 16 + 32 * number, &[number as u8; 32])?;
    }
    storage.begin_group("store-offset");
    let file = storage.create("partition/consumers/1.tmp")?;
    storage.write(file, 0, &[9; 16])?;
    storage.rename("partition/consumers/1.tmp", "partition/consumers/1")?;
    Ok(storage)
}

fn main() -> Result<(), StorageError> {
    let mut storage = partition()?;
    let mut buffer = [0; 16];
    let cycle = nanoseconds(1_000_000, |number| {
        storage.begin_group("store-offset");
        let file = storage.create("partition/consumers/1")?;
        storage.write(file, 0, &[number as u8; 16])?;
        storage.sync_file(file)?;
        storage.sync_directory("partition/consumers")?;
        storage.read_into(file, 0, &mut buffer)?;
        storage.close(file)
    })?;
    println!("create + write 16 bytes + sync file + sync directory + read + close: {cycle} ns");

    let mut storage = partition()?;
    let file = storage.open("partition/segment")?;
    let append = nanoseconds(1_000_000, |number| {
        storage.begin_group("append");
        storage.write(file, u64::from(number) * 16, &[number as u8; 16])?;
        storage.sync_file(file)
    })?;
    println!("append 16 bytes + sync file: {append} ns");

    let reset = nanoseconds(200_000, |_| partition().map(drop))?;
    println!("a new partition with three directories and three files: {reset} ns");

    let storage = unsynced(1)?;
    let group = nanoseconds(200_000, |number| {
        let choice = storage.image_of_groups(u64::from(number) & 7);
        std::hint::black_box(storage.image(&choice));
        Ok(())
    })?;
    println!("choice of groups and its image: {group} ns");

    for appends in [1, 3, 4] {
        let storage = unsynced(appends)?;
        for policy in [Policy::PosixWeak, Policy::Ext4Ordered] {
            let set = storage.images(policy, MemoryStorage::USUAL_CAP, 0);
            let each = nanoseconds(100, |_| {
                std::hint::black_box(storage.images(policy, MemoryStorage::USUAL_CAP, 0));
                Ok(())
            })?;
            let rate = |count: u128| count * 1_000_000_000 / each.max(1);
            println!(
                "{policy}, {} unsynced operations: {} subsets{}, {} images, {} us; {} subsets and {} images a second",
                storage.pending().len(),
                set.subsets,
                if set.capped { " (capped)" } else { "" },
                set.images.len(),
                each / 1000,
                rate(u128::from(set.examined)),
                rate(set.images.len() as u128),
            );
        }
    }
    Ok(())
}
