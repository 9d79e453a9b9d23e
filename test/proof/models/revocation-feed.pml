/*
 * The feed of revocations: how a process that follows the log learns of each revocation.
 *
 * Models: src/revocation/revocation-log.ts, revocation-follower.ts, revoke-tokens.ts and is-revoked.ts,
 * src/commit/commit.ts (see commit.pml), and adapters/redis/subscriptions.ts.
 *
 * A revocation is added at any time: of a token, or (CLIENT) of a client. The latter raises the epoch of the client
 * first, and its process may stop before the log is written; another process then completes the listed revocation. A follower starts at any time, subscribes,
 * reads the log, and then polls. The connection for messages may be lost, and a read or a message may fail.
 *
 * Abstracted: time is a few ticks (LATE, MAX_AGE and KEPT have the order of LATE_ENTRY_MS, MAX_CURSOR_AGE_MS and
 * RECENT_TTL_SECONDS). A page holds all entries of an index. All clocks agree.
 * Left out: revocations that expire, clock jumps and full reads every hour, several pages, HTTP, failover.
 *
 * Properties:
 * - after a poll that begins after the answer, the follower rejects, whatever messages and reads were lost;
 * - a connected follower rejects as soon as its messages are delivered, also after a lost connection;
 * - a new follower starts with everything, and misses nothing between its subscription and its first read;
 * - a token issued after the answer is accepted;
 * - a listed revocation is completed, and each answered revocation is known in the end (liveness, weak fairness).
 */
#define LATE 1
#define MAX_AGE 2
#define KEPT 4
#ifndef END
#define END 6
#endif
#define NONE 255

byte clock;
byte losses = 1;   /* how often the connection for messages is lost */
byte faults = 1;   /* how many reads or messages fail */
bool mayStop = true;

/* The log. Bit r is revocation r. */
byte bucket, recent, answered, logged;
byte madeAt[2];
bool writing[2];

/* The client of revocation 0. */
byte epoch;
bool pending, stopped;

/* The follower. */
byte known, queue, unsent;
bool isUp = true, isListening, isReady, isReading, isMissed;
byte since = NONE, time;

#define HAS(set, r) (((set) >> (r)) & 1)
#define ADD(set, r) set = set | (1 << (r))
#define OLDEST(time) ((time) >= LATE -> (time) - LATE : 0)

/* addRevocation: both indexes, in any order, then the message. An index that fails is written again. */
inline addRevocation(r) {
  atomic { madeAt[r] = clock; writing[r] = true }
  if
  :: atomic { ADD(bucket, r) } atomic { ADD(recent, r); writing[r] = false }
  :: atomic { ADD(recent, r) } atomic { ADD(bucket, r); writing[r] = false }
#ifdef ANSWER_BEFORE_STORED
  :: atomic { ADD(answered, r) } atomic { ADD(bucket, r); ADD(recent, r); writing[r] = false }
#endif
  fi;
  if
  :: atomic { isUp && isListening -> ADD(queue, r) }
  :: atomic { !(isUp && isListening) }
  :: atomic { faults > 0 -> faults--; ADD(unsent, r) }
  fi;
  atomic { ADD(logged, r) }
}

proctype RevokeClient() {
#ifndef NO_PENDING
  pending = true;
#endif
  if
  :: atomic { mayStop -> mayStop = false; stopped = true; goto done }
  :: skip
  fi;
#ifndef EPOCH_NOT_RAISED
  epoch = 1;
#endif
  if
  :: atomic { mayStop -> mayStop = false; stopped = true; goto done }
  :: skip
  fi;
  addRevocation(0);
  atomic { ADD(answered, 0); stopped = true }
done: skip
}

/* Another process completes the listed revocation. The epoch is raised again if it was not raised. */
proctype Resume() {
end:
  if
  :: pending && stopped && !HAS(logged, 0) ->
#ifndef EPOCH_NOT_RAISED
    epoch = 1;
#endif
    addRevocation(0);
    atomic { ADD(answered, 0); pending = false }
  fi
}

proctype RevokeToken() {
  addRevocation(1);
  atomic { ADD(answered, 1) }
}

/* Reads the log as `readPages` does. */
inline readLog() {
  atomic {
    isReading = true; must = answered; time = clock; isCatchingUp = isMissed;
    isMissed = false
  }
  if
#ifdef NO_REREAD_AFTER_LOSS
  :: atomic { since == NONE ->
#else
  :: atomic { since == NONE || time - since > MAX_AGE ->
#endif
      known = known | bucket; since = OLDEST(time) }
    time = clock
  :: else
  fi;
  if
  :: atomic {
      page = 0;
      if :: HAS(recent, 0) && madeAt[0] >= since -> ADD(page, 0) :: else fi;
      if :: HAS(recent, 1) && madeAt[1] >= since -> ADD(page, 1) :: else fi;
      known = known | page;
#ifdef NO_OVERLAP
      since = time;
#else
      if :: page == 0 -> skip :: since = OLDEST(time) fi;
#endif
      page = 0;
read_whole:
      assert((known & must) == must);
      isReady = isListening; isReading = false }
  :: atomic { faults > 0 -> faults--; isReading = false; if :: isCatchingUp -> isMissed = true :: else fi }
  fi;
  must = 0; time = 0; isCatchingUp = false
}

proctype Follower() {
  byte must, page;
  bool isCatchingUp;
#ifdef READ_BEFORE_SUBSCRIBE
  readLog();
#endif
  atomic { isUp -> isListening = true }
#ifdef READ_BEFORE_SUBSCRIBE
  isReady = true;
#endif
end:
  do
  :: readLog()
  od
}

/* Delivers messages also while the follower reads. */
proctype Messages() {
end:
  do
  :: atomic { HAS(queue, 0) -> ADD(known, 0); queue = queue & 2 }
  :: atomic { HAS(queue, 1) -> ADD(known, 1); queue = queue & 1 }
  od
}

proctype Reconnect() {
end:
  do
  :: atomic { !isUp ->
      isUp = true;
#ifndef NO_REPLAY_AFTER_RECONNECT
      isMissed = isListening
#endif
    }
  od
}

proctype World() {
end:
  do
  :: atomic { clock < END && !(isReading && clock - time >= LATE) && !(writing[0] && clock - madeAt[0] >= LATE) && !(writing[1] && clock - madeAt[1] >= LATE) ->
      clock++;
      if :: !writing[0] && HAS(recent, 0) && clock - madeAt[0] > KEPT -> recent = recent & 2 :: else fi;
      if :: !writing[1] && HAS(recent, 1) && clock - madeAt[1] > KEPT -> recent = recent & 1 :: else fi }
  :: atomic { isUp && losses > 0 -> losses--; isUp = false; queue = 0 }
  /* A connected follower that has nothing to read knows every revocation, except one whose message failed. */
  :: atomic { isUp && isReady && !isMissed && !isReading && queue == 0 ->
connected:
      assert((known & (answered & ~unsent)) == (answered & ~unsent)) }
  /* A token that is issued after the answer carries the raised epoch, so no follower rejects it. */
#ifdef CLIENT
  :: atomic { HAS(answered, 0) ->
issued:
      assert(epoch == 1) }
#endif
  od
}

init {
  atomic {
#ifdef CLIENT
    run RevokeClient(); run Resume();
#else
    run RevokeToken();
#endif
    run Follower(); run Messages(); run Reconnect(); run World()
  }
}

#ifdef LIVENESS
#define RAISED (epoch == 1)
#define KNOWN0 HAS(known, 0)
#define KNOWN1 HAS(known, 1)
#define ANSWERED1 HAS(answered, 1)
#ifdef CLIENT
ltl known { [] (RAISED -> <> KNOWN0) }
#else
ltl known { [] (ANSWERED1 -> <> KNOWN1) }
#endif
#endif
