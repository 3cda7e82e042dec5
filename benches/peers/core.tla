-------------------------------- MODULE core --------------------------------
(* The core of the fencing contract - poll, purge and commit - as in src/core_model.rs, step by step: the distinct     *)
(* states are the same. The network is a set, because each envelope is in it at most once. What an actor does by       *)
(* itself is an action with a guard; src/core_model.rs has a standing token for it, which is always there and so left  *)
(* out.                                                                                                                *)
EXTENDS Integers

CONSTANTS
  Consumers,  \* number of consumers
  Polls,      \* polls that each consumer may begin
  Commits,    \* commits that each consumer may begin
  Purges,     \* purges that the operator may begin
  Messages,   \* messages in the log of every history
  IsFenced    \* whether completions and commits are fenced

VARIABLES owner, operator, consumers, network

variables == <<owner, operator, consumers, network>>

People == 1..Consumers
Nothing == [is |-> FALSE]
Something(history, offset) == [is |-> TRUE, history |-> history, offset |-> offset]

Init ==
  /\ owner = [history |-> 0, bookmark |-> Nothing, reads |-> [c \in People |-> Nothing]]
  /\ operator = [begun |-> 0, waits |-> FALSE]
  /\ consumers = [c \in People |->
       [polls |-> 0, waitsForPoll |-> FALSE, commits |-> 0, waitsForCommit |-> FALSE, lastRead |-> Nothing]]
  /\ network = {}

(* The fence, if there is one: the history is still the current one. *)
IsCurrent(history) == IsFenced => history = owner.history

(* -------------------------------------------- the consumers -------------------------------------------- *)

BeginPoll(c, automatic) ==
  /\ ~consumers[c].waitsForPoll
  /\ consumers[c].polls < Polls
  /\ consumers' = [consumers EXCEPT ![c].polls = @ + 1, ![c].waitsForPoll = TRUE]
  /\ network' = network \union
       {[kind |-> "poll", consumer |-> c, request |-> consumers[c].polls + 1, automatic |-> automatic]}
  /\ UNCHANGED <<owner, operator>>

BeginCommit(c) ==
  /\ consumers[c].lastRead.is
  /\ ~consumers[c].waitsForCommit
  /\ consumers[c].commits < Commits
  /\ consumers' = [consumers EXCEPT ![c].commits = @ + 1, ![c].waitsForCommit = TRUE]
  /\ network' = network \union
       {[kind |-> "commit", consumer |-> c, request |-> consumers[c].commits + 1, bookmark |-> consumers[c].lastRead]}
  /\ UNCHANGED <<owner, operator>>

ReceiveBatch(envelope) ==
  /\ envelope.kind = "batch"
  /\ consumers' = [consumers EXCEPT
       ![envelope.consumer].waitsForPoll = FALSE,
       ![envelope.consumer].lastRead = IF envelope.found.is THEN envelope.found ELSE @]
  /\ network' = network \ {envelope}
  /\ UNCHANGED <<owner, operator>>

ReceiveRefusal(envelope) ==
  /\ envelope.kind = "refused"
  /\ consumers' = [consumers EXCEPT ![envelope.consumer].waitsForPoll = FALSE]
  /\ network' = network \ {envelope}
  /\ UNCHANGED <<owner, operator>>

ReceiveCommitted(envelope) ==
  /\ envelope.kind = "committed"
  /\ consumers' = [consumers EXCEPT ![envelope.consumer].waitsForCommit = FALSE]
  /\ network' = network \ {envelope}
  /\ UNCHANGED <<owner, operator>>

(* -------------------------------------------- the owner -------------------------------------------- *)

PlanRead(envelope) ==
  LET c == envelope.consumer
      next == IF owner.bookmark.is THEN owner.bookmark.offset + 1 ELSE 0
  IN
  /\ envelope.kind = "poll"
  /\ owner' = [owner EXCEPT !.reads[c] =
       [is |-> TRUE, request |-> envelope.request, automatic |-> envelope.automatic, history |-> owner.history,
        found |-> IF next < Messages THEN Something(owner.history, next) ELSE Nothing]]
  /\ network' = (network \ {envelope}) \union
       {[kind |-> "complete", consumer |-> c, request |-> envelope.request]}
  /\ UNCHANGED <<operator, consumers>>

CompleteRead(envelope) ==
  LET c == envelope.consumer
      read == owner.reads[c]
      isServed == IsCurrent(read.history)
      answer == IF isServed
                THEN [kind |-> "batch", consumer |-> c, request |-> read.request, history |-> read.history,
                      found |-> read.found]
                ELSE [kind |-> "refused", consumer |-> c, request |-> read.request]
  IN
  /\ envelope.kind = "complete"
  /\ owner' = [owner EXCEPT
       !.reads[c] = Nothing,
       !.bookmark = IF isServed /\ read.automatic /\ read.found.is THEN read.found ELSE @]
  /\ network' = (network \ {envelope}) \union {answer}
  /\ UNCHANGED <<operator, consumers>>

TakeCommit(envelope) ==
  /\ envelope.kind = "commit"
  /\ LET isStored == IsCurrent(envelope.bookmark.history)
     IN  /\ owner' = IF isStored THEN [owner EXCEPT !.bookmark = envelope.bookmark] ELSE owner
         /\ network' = (network \ {envelope}) \union
              {[kind |-> "committed", consumer |-> envelope.consumer, request |-> envelope.request,
                stored |-> isStored]}
  /\ UNCHANGED <<operator, consumers>>

TakePurge(envelope) ==
  /\ envelope.kind = "purge"
  /\ owner' = [owner EXCEPT !.history = envelope.history, !.bookmark = Nothing]
  /\ network' = (network \ {envelope}) \union {[kind |-> "purged", history |-> envelope.history]}
  /\ UNCHANGED <<operator, consumers>>

(* -------------------------------------------- the operator -------------------------------------------- *)

BeginPurge ==
  /\ ~operator.waits
  /\ operator.begun < Purges
  /\ operator' = [begun |-> operator.begun + 1, waits |-> TRUE]
  /\ network' = network \union {[kind |-> "purge", history |-> operator.begun + 1]}
  /\ UNCHANGED <<owner, consumers>>

ReceivePurged(envelope) ==
  /\ envelope.kind = "purged"
  /\ operator' = [operator EXCEPT !.waits = FALSE]
  /\ network' = network \ {envelope}
  /\ UNCHANGED <<owner, consumers>>

Next ==
  \/ \E c \in People : \/ \E automatic \in BOOLEAN : BeginPoll(c, automatic)
                       \/ BeginCommit(c)
  \/ BeginPurge
  \/ \E envelope \in network : \/ ReceiveBatch(envelope)
                               \/ ReceiveRefusal(envelope)
                               \/ ReceiveCommitted(envelope)
                               \/ PlanRead(envelope)
                               \/ CompleteRead(envelope)
                               \/ TakeCommit(envelope)
                               \/ TakePurge(envelope)
                               \/ ReceivePurged(envelope)

Spec == Init /\ [][Next]_variables

NoForeignBookmark == owner.bookmark.is => owner.bookmark.history = owner.history
=============================================================================
