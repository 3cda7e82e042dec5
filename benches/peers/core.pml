/*
 * The core of the fencing contract - poll, purge and commit - as in src/core_model.rs, step by step: the distinct
 * states are the same.
 *
 * Constants, by -D: CONSUMERS (1 to 4), POLLS, COMMITS, PURGES, MESSAGES (at least 1), FENCED (0 or 1), JUDGED (1: a
 * foreign bookmark is an error).
 *
 * One process that is active from the start, with one loop; every step is one d_step, so that Spin stores the states
 * between steps and no others. The steps change nothing but global bytes.
 *
 * The network is a set of envelopes in which every channel (sender, receiver and kind of request) holds at most one
 * envelope, because each kind of request waits for its answer. So a channel is one byte: 0 if it is empty, otherwise
 * the number of its envelope. Sending asserts that the channel was empty. A read under way and its envelope
 * "complete" come and go together: the byte of the read stands for both. What an actor does by itself is a step with
 * a guard; src/core_model.rs has a standing token for it, which is always there and so left out.
 */

#define HISTORIES (PURGES + 1)

/* A bookmark: 0 for none. With offsets from 0, and the history that it was read in. */
#define BOOKMARK(history, offset) (1 + (history) * MESSAGES + (offset))
#define HISTORY_OF(bookmark)      (((bookmark) - 1) / MESSAGES)
#define OFFSET_OF(bookmark)       (((bookmark) - 1) % MESSAGES)
#define BOOKMARKS                 (1 + HISTORIES * MESSAGES)

/* The message after a bookmark: 0 for none, otherwise offset + 1. */
#define FOUND_AFTER(bookmark) \
  (bookmark == 0 -> 1 : (OFFSET_OF(bookmark) + 1 < MESSAGES -> OFFSET_OF(bookmark) + 2 : 0))

/* Consumer to owner: poll. */
#define POLL(request, automatic)  (1 + 2 * (request) + (automatic))
#define POLL_REQUEST(poll)        (((poll) - 1) / 2)
#define IS_AUTOMATIC(poll)        (((poll) - 1) % 2)

/* A read under way: the poll, the history it was planned in, and its message: 0 for none, otherwise offset + 1. */
#define READ(poll, history, found) (1 + ((poll) * HISTORIES + (history)) * (MESSAGES + 1) + (found))
#define READ_FOUND(read)           (((read) - 1) % (MESSAGES + 1))
#define READ_HISTORY(read)         ((((read) - 1) / (MESSAGES + 1)) % HISTORIES)
#define READ_POLL(read)            (((read) - 1) / (MESSAGES + 1) / HISTORIES)

/* Owner to consumer: the numbers 1 to POLLS refuse that request, greater ones are batches. */
#define BATCH(request, history, found) \
  (1 + POLLS + (((request) - 1) * HISTORIES + (history)) * (MESSAGES + 1) + (found))
#define IS_BATCH(answer)      ((answer) > POLLS)
#define BATCH_FOUND(answer)   (((answer) - 1 - POLLS) % (MESSAGES + 1))
#define BATCH_HISTORY(answer) ((((answer) - 1 - POLLS) / (MESSAGES + 1)) % HISTORIES)

/* Consumer to owner: commit. Owner to consumer: whether it was stored. */
#define COMMIT(request, bookmark)   ((request) * BOOKMARKS + (bookmark))
#define COMMIT_REQUEST(commit)      ((commit) / BOOKMARKS)
#define COMMIT_BOOKMARK(commit)     ((commit) % BOOKMARKS)
#define COMMITTED(request, stored)  (1 + 2 * (request) + (stored))

/* Every number fits in a byte. */
#if READ(POLL(POLLS, 1), PURGES, MESSAGES) > 255
#error "too many polls, purges or messages: the numbers of reads do not fit in a byte"
#endif
#if BATCH(POLLS, PURGES, MESSAGES) > 255 || COMMIT(COMMITS, BOOKMARKS - 1) > 255
#error "too many requests, purges or messages: the numbers of envelopes do not fit in a byte"
#endif

/* The owner. */
byte history;
byte bookmark;
byte reads[CONSUMERS];

/* The operator. */
byte purges_begun;
bit waits_for_purge;

/* The consumers. */
byte polls_begun[CONSUMERS];
bit waits_for_poll[CONSUMERS];
byte commits_begun[CONSUMERS];
bit waits_for_commit[CONSUMERS];
byte last_read[CONSUMERS];

/* The network. */
byte polls[CONSUMERS];
byte answers[CONSUMERS];
byte commits[CONSUMERS];
byte verdicts[CONSUMERS];
byte purge;
byte purged;

/* The fence, if there is one: the history is still the current one. */
#if FENCED
#define IS_CURRENT(of) ((of) == history)
#else
#define IS_CURRENT(of) true
#endif

#if JUDGED
#define JUDGE assert(bookmark == 0 || HISTORY_OF(bookmark) == history)
#else
#define JUDGE skip
#endif

#define SEND(channel, envelope) assert(channel == 0); channel = envelope

#define CONSUMER_STEPS(c) \
  :: d_step { waits_for_poll[c] == 0 && polls_begun[c] < POLLS -> begin_poll(c, 0) } \
  :: d_step { waits_for_poll[c] == 0 && polls_begun[c] < POLLS -> begin_poll(c, 1) } \
  :: d_step { last_read[c] != 0 && waits_for_commit[c] == 0 && commits_begun[c] < COMMITS -> begin_commit(c) } \
  :: d_step { answers[c] != 0 -> receive_answer(c) } \
  :: d_step { verdicts[c] != 0 -> receive_verdict(c) } \
  :: d_step { polls[c] != 0 -> plan_read(c) } \
  :: d_step { reads[c] != 0 -> complete_read(c) } \
  :: d_step { commits[c] != 0 -> take_commit(c) }

inline begin_poll(c, automatic) {
  polls_begun[c]++;
  waits_for_poll[c] = 1;
  SEND(polls[c], POLL(polls_begun[c], automatic))
}

inline begin_commit(c) {
  commits_begun[c]++;
  waits_for_commit[c] = 1;
  SEND(commits[c], COMMIT(commits_begun[c], last_read[c]))
}

inline receive_answer(c) {
  if
  :: IS_BATCH(answers[c]) && BATCH_FOUND(answers[c]) != 0 ->
    last_read[c] = BOOKMARK(BATCH_HISTORY(answers[c]), BATCH_FOUND(answers[c]) - 1)
  :: else
  fi;
  answers[c] = 0;
  waits_for_poll[c] = 0
}

inline receive_verdict(c) {
  verdicts[c] = 0;
  waits_for_commit[c] = 0
}

inline plan_read(c) {
  SEND(reads[c], READ(polls[c], history, FOUND_AFTER(bookmark)));
  polls[c] = 0
}

inline complete_read(c) {
  if
  :: IS_CURRENT(READ_HISTORY(reads[c])) ->
    if
    :: IS_AUTOMATIC(READ_POLL(reads[c])) && READ_FOUND(reads[c]) != 0 ->
      bookmark = BOOKMARK(READ_HISTORY(reads[c]), READ_FOUND(reads[c]) - 1)
    :: else
    fi;
    SEND(answers[c], BATCH(POLL_REQUEST(READ_POLL(reads[c])), READ_HISTORY(reads[c]), READ_FOUND(reads[c])))
  :: else -> SEND(answers[c], POLL_REQUEST(READ_POLL(reads[c])))
  fi;
  reads[c] = 0;
  JUDGE
}

inline take_commit(c) {
  if
  :: IS_CURRENT(HISTORY_OF(COMMIT_BOOKMARK(commits[c]))) ->
    bookmark = COMMIT_BOOKMARK(commits[c]);
    SEND(verdicts[c], COMMITTED(COMMIT_REQUEST(commits[c]), 1))
  :: else -> SEND(verdicts[c], COMMITTED(COMMIT_REQUEST(commits[c]), 0))
  fi;
  commits[c] = 0;
  JUDGE
}

active proctype core() {
end:
  do
  CONSUMER_STEPS(0)
#if CONSUMERS > 1
  CONSUMER_STEPS(1)
#endif
#if CONSUMERS > 2
  CONSUMER_STEPS(2)
#endif
#if CONSUMERS > 3
  CONSUMER_STEPS(3)
#endif
  :: d_step { waits_for_purge == 0 && purges_begun < PURGES ->
       purges_begun++; waits_for_purge = 1; SEND(purge, purges_begun) }
  :: d_step { purge != 0 ->
       history = purge; bookmark = 0; SEND(purged, purge); purge = 0; JUDGE }
  :: d_step { purged != 0 -> purged = 0; waits_for_purge = 0 }
  od
}
