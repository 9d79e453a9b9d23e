/*
 * A refresh token family in a store with a replica, and the processes that rotate its tokens.
 *
 * Models: src/grants/refresh-tokens/token-families.ts, uncertain-writes.ts, revoke-reused.ts,
 * grace-period.ts and family-record.ts, and adapters/redis/durable-writes.ts, wait-connection.ts and write-scripts.ts.
 *
 * A caller reads the record, and replaces it by one compare-and-swap, which it confirms by WAIT. The replica copies the
 * master at any time, and may replace it. Every write may stay unanswered: not sent, applied but not confirmed, or
 * applied late. The process then finds out, or answers 503 and rolls the write back later (`Rollback`).
 * By default one honest client retries after each 503. With HOSTILE, two callers send any token that was ever issued.
 *
 * Abstracted: the text of a record is its current token, the mark `repeated` and its barrier. A process waits for the
 * rollback of another process (`POLLED`) for as long as it takes; `flush` is that the caller starts after the rollback.
 * A grace period ends at any time, but not while an honest client retries.
 * Left out: the start of a family, the record of the grant, the end of a process, which may make a token count as used,
 * and rollbacks that take an hour. FAULTS, FAILOVERS and SUCCESSES bound the failed calls, failovers and refreshes.
 *
 * Properties:
 * - each token has at most one successor, which is repeated only in the grace period, and only until it is used;
 * - when nothing is pending, the token that was answered last is current, also after a failover;
 * - an honest client is never rejected;
 * - after the answer that rejects a reused token, no request that begins later succeeds.
 */
#ifndef GRACE
#define GRACE 0
#endif
#ifndef SUCCESSES
#define SUCCESSES 2
#endif
#ifndef FAULTS
#define FAULTS 5
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#ifdef HOSTILE
#define CALLERS 2
#else
#define CALLERS 1
#endif
#ifndef ROLLBACKS
#define ROLLBACKS 1
#endif
#define WRITERS 4
#define TOKENS 7

#define ENDED 7
#define REC(token, repeated, barrier) ((token) | (repeated) << 3 | (barrier) << 4)
#define CUR(record) ((record) & 7)
#define REP(record) (((record) >> 3) & 1)
#define BAR(record) ((record) >> 4)
#define OWNER(record) (((record) >> 4) & 7)

#define IN(set, n) (((set) >> (n)) & 1)
#define ADD(set, n) set = set | (1 << (n))
#define REMOVE(set, n) set = set & ~(1 << (n))

#define RUNNING 0
#define YES 1
#define NO 2
#define ERROR 3
#define REJECTED 4

#define CURRENT 1
#define RETRY 2
#define REUSED 3

#define IDLE 0
#define WAITING 1
#define CONFIRMED 2
#define LOST 3

short master = 1;
short replica = 1;
short lateExpected, lateNext;
byte wait[WRITERS];
short now[WRITERS], write[WRITERS];
byte faults = FAULTS;
byte failovers = FAILOVERS;

byte rotated[TOKENS];
byte gen[TOKENS];
byte expired;
short before[TOKENS];
byte pending, zombies;
bool revoking;

byte minted[WRITERS];
byte succ[TOKENS];
byte issued = 2;
byte last = 1;
byte successes = SUCCESSES;
bool rejectedReuse, isLost;
bool isBusy;
byte running;

#define FAIL faults > 0 -> faults--

inline choose(token, set) {
  if
  :: IN(set, 1) -> token = 1
  :: IN(set, 2) -> token = 2
  :: IN(set, 3) -> token = 3
  :: IN(set, 4) -> token = 4
  :: IN(set, 5) -> token = 5
  :: IN(set, 6) -> token = 6
  fi
}

byte i, k;
short used, live;

#define MENTION(record) used = used | (1 << CUR(record)) | (1 << OWNER(record))
inline collect() {
  used = issued;
  MENTION(master); MENTION(replica); MENTION(lateExpected); MENTION(lateNext);
  i = 0;
  live = pending | zombies;
  do
  :: i < WRITERS -> MENTION(now[i]); MENTION(write[i]); ADD(live, minted[i]); i++
  :: else -> break
  od;
  used = used | live;
  i = 2;
  do
  :: i < TOKENS -> if :: IN(live, i) -> MENTION(before[i]) :: else -> before[i] = 0 fi; i++
  :: else -> break
  od;
  i = 2;
  do
  :: i < TOKENS -> if :: IN(used, i) :: else -> gen[i] = 0; rotated[i] = 0; REMOVE(expired, i) fi; i++
  :: else -> break
  od;
  i = 0; used = 0; live = 0
}

#define LISTS(record) if :: OWNER(record) == n -> used = used | (1 << (BAR(record) >> 3)) :: else fi
inline freshBarrier(n) {
  used = 0;
  LISTS(master); LISTS(replica); LISTS(lateExpected); LISTS(lateNext);
  i = 0;
  do
  :: i < WRITERS -> LISTS(now[i]); LISTS(write[i]); i++
  :: else -> break
  od;
  i = 2;
  do
  :: i < TOKENS -> LISTS(before[i]); i++
  :: else -> break
  od;
  k = 0;
  do
  :: IN(used, k) -> k++
  :: else -> break
  od;
  assert(k < 12);
  i = 0; used = 0
}

inline replace(w, isFirst) {
  result = RUNNING;
  atomic {
    if
#ifdef CAS_IS_WRITE
    :: master = write[w]; wait[w] = WAITING
#else
    :: master == now[w] -> master = write[w]; wait[w] = WAITING
    :: master != now[w] -> result = NO
#endif
    :: isFirst && FAIL; result = ERROR
    :: lateExpected == 0 && FAIL; lateExpected = now[w]; lateNext = write[w]; result = ERROR
    fi
  }
  atomic {
    if
    :: result != RUNNING
    :: result == RUNNING ->
      if
#ifdef NO_WAIT
      :: result = YES
#else
      :: wait[w] == CONFIRMED -> result = YES
#endif
      :: wait[w] == LOST -> result = ERROR
      :: wait[w] == WAITING && FAIL; result = ERROR
      fi;
      wait[w] = IDLE
    fi
  }
}

inline resolve(w, n, accept, isFirst, done) {
  done = RUNNING;
  do
  :: done != RUNNING -> break
  :: else ->
    atomic {
      if
      :: isFirst && FAIL; done = ERROR
      :: now[w] = master;
        if
        :: CUR(now[w]) == n && (accept || REP(now[w])) -> write[w] = now[w]; goal = YES
        :: CUR(now[w]) != n && now[w] != before[n] && OWNER(now[w]) != n ->
#ifdef CONCLUDES_UNCONFIRMED
          done = NO
#else
          write[w] = now[w]; goal = NO
#endif
        :: else ->
          goal = NO;
#ifdef NO_BARRIER
          write[w] = before[n]
#else
          freshBarrier(n);
          write[w] = REC(CUR(before[n]), REP(before[n]), n | k << 3); k = 0
#endif
        fi
      fi
    }
    if
    :: done != RUNNING
    :: else ->
      replace(w, false);
      atomic {
        if
        :: result == YES -> done = goal
        :: result == NO
        :: result == ERROR -> done = ERROR
        fi;
        now[w] = 0; write[w] = 0; result = 0; goal = 0
      }
    fi
  od
}

#ifdef GRACE_WITHOUT_LIMIT
#define IN_GRACE(token) true
#else
#define IN_GRACE(token) !IN(expired, token)
#endif
#define RETRYABLE(t, record) (GRACE && CUR(record) != ENDED && rotated[CUR(record)] == (t) && IN_GRACE(CUR(record)))
#define USED(t, record) (CUR(record) != ENDED && CUR(record) != t && !RETRYABLE(t, record) && gen[t] < gen[CUR(record)])
#define POLLED(t, record) (USED(t, record) && gen[t] + 1 == gen[CUR(record)] && IN(pending, CUR(record)))

proctype Caller(byte w) {
  byte t, n, done, result, outcome, next, goal, state;
  bool isTooLate, isEnded, wasUsed;
#ifndef HOSTILE
  byte held = 1;
#endif
end:
  do
  :: atomic { successes > 0 && (w == 0 || isBusy) ->
      running++; if :: w == 0 -> isBusy = true :: else fi;
#ifdef HOSTILE
      choose(t, issued);
#else
      t = held;
#endif
      isTooLate = succ[t] != 0 && IN(expired, succ[t]);
      isEnded = rejectedReuse;
      outcome = RUNNING }
    do
    :: outcome != RUNNING -> break
    :: else ->
      atomic {
        !POLLED(t, master);
        now[w] = master;
        if
        :: CUR(now[w]) == t ->
          if
          :: n == 0 ->
            collect();
            n = 2;
            do
            :: gen[n] != 0 -> n++
            :: else -> break
            od;
            assert(n < TOKENS);
            minted[w] = n; rotated[n] = t; gen[n] = gen[t] + 1
          :: else
          fi;
          state = CURRENT; before[n] = now[w]; write[w] = REC(n, 0, 0)
        :: CUR(now[w]) != t && RETRYABLE(t, now[w]) -> state = RETRY; isLost = true; write[w] = now[w] | REC(0, 1, 0); wasUsed = succ[CUR(now[w])] != 0
        :: CUR(now[w]) == ENDED || (CUR(now[w]) != t && !RETRYABLE(t, now[w]) && !USED(t, now[w])) -> outcome = REJECTED
        :: USED(t, now[w]) -> state = REUSED
        fi
      }
      if
      :: outcome != RUNNING
      :: outcome == RUNNING && state == CURRENT ->
        replace(w, true);
        if
        :: result == YES -> atomic { outcome = YES; next = n }
        :: result == NO
        :: result == ERROR ->
          if
          :: resolve(w, n, true, true, done);
            atomic {
              if
              :: done == YES -> outcome = YES; next = n
              :: done == NO -> outcome = ERROR
              :: done == ERROR -> outcome = ERROR; ADD(pending, n)
              fi }
#ifndef HOSTILE
          :: atomic { FAIL; outcome = ERROR; ADD(pending, n); ADD(zombies, n) }
#endif
          fi
        fi
      :: outcome == RUNNING && state == RETRY ->
        replace(w, false);
        atomic {
          if
#if GRACE
          :: result == YES ->
            assert(!wasUsed);
            outcome = YES; next = CUR(now[w])
#endif
          :: result == NO
          :: result == ERROR -> outcome = ERROR
          fi }
      :: outcome == RUNNING && state == REUSED ->
#ifdef HOSTILE
        #ifdef REUSE_IS_ONLY_REJECTED
        atomic { outcome = REJECTED; rejectedReuse = true }
#else
        atomic { master = ENDED; wait[w] = WAITING; revoking = true }
        atomic {
          if
          :: wait[w] == CONFIRMED -> outcome = REJECTED; rejectedReuse = true; revoking = false
          :: wait[w] == LOST -> outcome = ERROR
          :: wait[w] == WAITING && FAIL; outcome = ERROR
          fi;
          wait[w] = IDLE }
#endif
#else
        assert(false)
#endif
      fi
    od;
    atomic {
      if
      :: outcome == YES ->
        assert(!isEnded);
        assert(succ[t] == 0 || (GRACE && succ[t] == next && !isTooLate));
        if :: succ[t] == 0 -> successes-- :: else fi;
        succ[t] = next;
        ADD(issued, next);
        if
        :: gen[next] > gen[last] -> last = next
        :: else
        fi;
#ifndef HOSTILE
        if
        :: held = next; isLost = false
        :: GRACE -> isLost = true
        fi
      :: outcome == REJECTED -> assert(false)
#endif
      :: else
      fi;
      running--; if :: w == 0 -> isBusy = false :: else fi;
      t = 0; n = 0; outcome = 0; state = 0; next = 0; result = 0; done = 0;
      now[w] = 0; write[w] = 0; minted[w] = 0;
      isTooLate = 0; isEnded = 0; wasUsed = 0;
      collect() }
  od
}

proctype Rollback(byte w) {
  byte n, done, result, goal;
  bool accept;
end:
  do
  :: atomic { pending != 0 || zombies != 0 ->
      if
      :: pending != 0 -> choose(n, pending)
      :: zombies != 0 -> choose(n, zombies); REMOVE(zombies, n); accept = true
      fi;
      minted[w] = n;
      running++ }
    resolve(w, n, accept, false, done);
    atomic {
      if
      :: done != ERROR && !accept -> REMOVE(pending, n)
      :: else
      fi;
      running--; n = 0; done = 0; accept = 0; now[w] = 0; write[w] = 0; minted[w] = 0;
      collect() }
  od
}

#define QUIET (running == 0 && pending == 0 && zombies == 0 && lateExpected == 0 && !revoking)

inline allWaiting(to) {
  i = 0;
  do
  :: i < WRITERS -> if :: wait[i] == WAITING -> wait[i] = to :: else fi; i++
  :: else -> break
  od;
  i = 0
}

#ifdef HOSTILE
proctype Resume(byte w) {
end:
  do
  :: atomic { revoking -> master = ENDED; wait[w] = WAITING }
    atomic {
      if
      :: wait[w] == CONFIRMED -> revoking = false
      :: wait[w] == LOST
      :: wait[w] == WAITING && FAIL
      fi;
      wait[w] = IDLE }
  od
}
#endif

proctype World() {
end:
  do
  :: atomic { (failovers > 0 && replica != master) || wait[0] == WAITING || wait[1] == WAITING || wait[2] == WAITING || wait[3] == WAITING ->
      replica = (failovers > 0 -> master : 1);
      allWaiting(CONFIRMED); collect() }
  :: atomic { failovers > 0 ->
      failovers--; master = replica;
      if :: failovers == 0 -> replica = 1 :: else fi;
      allWaiting(LOST); collect() }
  :: atomic { lateExpected != 0 ->
      if
      :: master == lateExpected -> master = lateNext
      :: true
      fi;
      lateExpected = 0; lateNext = 0; collect() }
#if GRACE
#ifdef HOSTILE
  :: atomic { true ->
#else
  :: atomic { !isLost && !isBusy ->
#endif
      i = 2;
      do
      :: i < TOKENS -> if :: gen[i] != 0 -> ADD(expired, i) :: else fi; i++
      :: else -> break
      od;
      i = 0 }
#endif
  :: atomic { QUIET ->
quiet:
      assert(CUR(master) == ENDED || CUR(master) == last || (isLost && RETRYABLE(last, master))) }
  od
}

init {
  atomic {
    run World();
    run Caller(0);
#ifdef HOSTILE
    run Caller(1);
#endif
    run Rollback(2);
#ifdef HOSTILE
    run Resume(3);
#elif ROLLBACKS > 1
    run Rollback(3);
#endif
  }
}
