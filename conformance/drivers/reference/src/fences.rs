//! The fences of the specification, asked by this partition: one that a fault leaves out is counted where it would have been asked.

use fencepost_spec::fence::{self, Fence, Outcome};
use fencepost_spec::identity::{Context, History};

use crate::rules::Rules;

macro_rules! asked {
    ($($function:ident = $fence:ident($($argument:ident: $type:ty),+);)+) => {
        $(pub(crate) fn $function(rules: &Rules, $($argument: $type),+) -> Outcome {
            rules.asked(Fence::$fence, fence::$function(rules, $($argument),+))
        })+
    };
}

asked! {
    poll_member_at_dispatch = PollMemberAtDispatch(may_poll: bool);
    commit_member_at_dispatch = CommitMemberAtDispatch(owns: bool);
    poll_incarnation_on_arrival = PollIncarnationOnArrival(named: &Context, current: u8);
    write_incarnation_on_arrival = WriteIncarnationOnArrival(named: &Context, current: u8);
    metadata_floor_on_arrival = MetadataFloorOnArrival(named: &Context, applied: &Context);
    commit_purge_generation_on_arrival = CommitPurgeGenerationOnArrival(named: &Context, current: u8);
    commit_assignment_on_arrival = CommitAssignmentOnArrival(named: &Context, current: u8);
    store_in_range_on_arrival = StoreInRangeOnArrival(offset: u8, last: Option<u8>);
    bookmark_exists_on_delete = BookmarkExistsOnDelete(exists: bool);
    commit_history_on_promotion = CommitHistoryOnPromotion(queued_in: History, current: History);
    commit_assignment_on_promotion = CommitAssignmentOnPromotion(named: &Context, current: u8);
    automatic_store_history_on_promotion = AutomaticStoreHistoryOnPromotion(queued_in: History, current: History);
    completion_capacity_before_read = CompletionCapacityBeforeRead(running: usize, capacity: usize);
    caller_present_at_completion = CallerPresentAtCompletion(waits: bool);
    poll_history_at_completion = PollHistoryAtCompletion(planned_in: History, current: History);
    poll_assignment_at_completion = PollAssignmentAtCompletion(captured: &Context, current: u8);
    automatic_store_assignment_at_completion = AutomaticStoreAssignmentAtCompletion(captured: &Context, current: u8);
    automatic_store_forward_only = AutomaticStoreForwardOnly(offset: u8, stored: Option<u8>);
    operation_after_purge_at_commit = OperationAfterPurgeAtCommit(purged_since: bool);
    partition_directory_synced = PartitionDirectorySynced(synced: bool);
    bookmark_directory_synced = BookmarkDirectorySynced(synced: bool);
    bookmarks_unlinked = BookmarksUnlinked(unlinked: bool);
    new_start_recorded_first = NewStartRecordedFirst(recorded: bool);
    bookmark_generation_at_load = BookmarkGenerationAtLoad(carried: u8, recovered: u8);
    purge_finished_before_serving = PurgeFinishedBeforeServing(recorded: u8, decided: u8);
    revocation_drained_before_move = RevocationDrainedBeforeMove(last_polled: Option<u8>, stored: Option<u8>);
}
