/*
 * One commit: a change of a record, its audit entry, and the revocation that follows.
 *
 * Models: src/commit/commit.ts and unfinished-list.ts, src/audit/recording.ts and kept-in-memory.ts.
 *
 * A process lists what is to be finished, and then writes the record, with the entry in its outbox and a raised epoch.
 * It stores the revocation and the entry of the trail, in any order, and answers. Then it clears the outbox, and removes
 * the member from the list. It may stop after each step, and each call may fail, applied or not. Another process finishes
 * what is listed at any time, also while the first one is at work.
 *
 * REMOVAL: the change is made even if it cannot be listed. What is then unfinished waits in the memory of its process.
 * CARRIED: the record ends with the change, so the member carries the entry, and the changed record is its proof. If it
 * could not be listed, and the call is rejected, the caller repeats the call.
 *
 * Abstracted: one change; the trail is one record; each id is looked for before an entry is written.
 * Left out: counted entries, failovers, the follower of the revocations (revocation-feed.pml), repeated calls.
 *
 * Properties:
 * - the trail has an entry only of a change that was made, and only once;
 * - when a change is answered, its revocation is stored, and its entry is in the trail, or found by another process,
 *   or in memory because the list was away;
 * - a member is removed only if nothing is left to finish;
 * - a change that was made gets its entry and its revocation in the end (liveness, weak fairness), unless its process
 *   could not list it, and stopped.
 */
#ifndef FAULTS
#define FAULTS 2
#endif

byte faults = FAULTS;
bool mayStop = true;

/* The store. */
bool listed, changed, outbox, raised, logged;
byte trail;

/* The process that makes the change. */
bool over, answered, lost;
bool keepsMember, keepsEntry;

inline append() {
  atomic {
    assert(changed);
#ifdef NO_ID_CHECK
    trail++
#else
    if :: trail == 0 -> trail++ :: else fi
#endif
  }
  assert(trail <= 1)
}

/* A call that may fail before or after the store has done it. */
#define FAILS faults > 0 -> faults--

#ifdef CARRIED
#define IN_RECORD true
#else
#define IN_RECORD outbox
#endif

#ifdef REMOVAL
#define LOST changed && !listed && (trail == 0 || !logged)
#else
#define LOST false
#endif
/* Only a member that names its record is kept. Otherwise the call was rejected, and its caller repeats it. */
#ifdef CARRIED
#define KEEP_MEMBER lost = LOST
#else
#define KEEP_MEMBER keepsMember = true
#endif
#define STOPS mayStop -> mayStop = false; over = true; lost = LOST

inline mayEnd() {
  if
  :: atomic { STOPS; goto done }
  :: skip
  fi
}

inline revoke() {
  if
  :: atomic { logged = true; isRevoked = true }
  :: atomic { FAILS }
  :: atomic { FAILS; logged = true }
  fi
}

inline record() {
  if
  :: append(); isRecorded = true
  :: atomic { FAILS }
  :: FAILS; append()
  fi
}

inline answer() {
  assert(changed && logged && (trail == 1 || (listed && IN_RECORD) || keepsEntry));
  answered = true
}

proctype Commit() {
  bool isListed, isWritten, isRevoked, isRecorded;
#ifndef LIST_AFTER_WRITE
  if
  :: atomic { listed = true; isListed = true }
  :: atomic { FAILS }
  :: atomic { FAILS; listed = true }
  fi;
#ifndef REMOVAL
#ifndef NOT_LISTED
  if :: atomic { !isListed -> over = true; goto done } :: else fi;
#endif
#endif
  mayEnd();
#endif

  if
  :: atomic { changed = true; isWritten = true
#ifndef NO_OUTBOX
      ; outbox = true
#endif
#ifndef NO_EPOCH
      ; raised = true
#endif
    }
  :: atomic { FAILS }
  :: atomic { FAILS; changed = true; outbox = true; raised = true }
  fi;
#ifdef LIST_AFTER_WRITE
  mayEnd();
  listed = true; isListed = true;
#endif
  if
  :: atomic { !isWritten ->
#ifndef NOT_KEPT
      if :: !isListed -> KEEP_MEMBER :: else fi;
#endif
      over = true; goto kept }
  :: else
  fi;
  mayEnd();

#ifdef ANSWER_FIRST
  answer();
#endif
  if
  :: revoke(); mayEnd(); record()
  :: record(); mayEnd(); revoke()
  fi;
#ifndef NOT_KEPT
  atomic {
    if :: !isListed && !isRecorded -> keepsEntry = true :: else fi;
    if :: !isListed && !isRevoked -> KEEP_MEMBER :: else fi
  }
#endif
  if
  :: isRevoked -> answer()
  :: else
  fi;
  mayEnd();
#ifndef CLEAR_UNRECORDED
  if
  :: isRecorded -> outbox = false
  :: else
  fi;
#else
  outbox = false;
#endif
  mayEnd();
  if
#ifndef REMOVE_UNFINISHED
  :: atomic { isRecorded && isRevoked -> listed = false; assert(trail == 1 && logged) }
#else
  :: atomic { isRecorded -> listed = false; assert(trail == 1 && logged) }
#endif
  :: else
  fi;
  over = true;
kept:
#ifdef REMOVAL
  /* What the memory keeps, until the store is available again. */
  do
  :: atomic { keepsMember -> listed = true; keepsMember = false }
  :: keepsEntry -> append(); keepsEntry = false
  :: atomic { STOPS; goto done }
  :: !keepsMember && !keepsEntry -> break
  od;
#endif
done: skip
}

/* Another process. It removes a member only if the change is over, as an old member shows. */
proctype Finish() {
  bool wasOver;
end:
  do
  :: atomic { listed ->
#ifdef REMOVE_EARLY
      wasOver = true
#else
      wasOver = over
#endif
    };
#ifdef CARRIED
    if
#ifdef NO_PROOF
    :: true -> logged = true; append()
#else
    :: changed -> logged = true; append()
#endif
    :: else
    fi;
#else
    if :: raised -> logged = true :: else fi;
    if
    :: outbox -> append(); outbox = false
    :: else
    fi;
#endif
    if
    :: atomic { wasOver -> listed = false }
    :: else
    fi;
    wasOver = false
  od
}

init { atomic { run Commit(); run Finish() } }

#ifdef LIVENESS
#define MADE (changed && !lost)
#define DONE (trail == 1 && logged)
ltl finished { [] (MADE -> <> (DONE || lost)) }
#endif
