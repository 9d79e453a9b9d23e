/*
 * The key ring of two processes, with asynchronous replication, a failover, and a verifier that caches keys.
 *
 * Models: src/keys/rotation-policy.ts, key-ring-store.ts, poll-key-ring.ts, rotating-keys.ts and revoked-keys.ts.
 *
 * Two processes read the ring, and change it by one compare-and-swap: they activate the `next` key when it is due, add
 * a missing `next` key, and revoke the current key. They sign with the ring that they last read; they read it again when
 * it is stale. A verifier fetches the published keys of any process, and caches them.
 *
 * Abstracted: one algorithm; a ring is its version, so that its text is unique; a process polls, and a verifier
 * fetches, at least once a tick (STALE, CACHE); a key is published AHEAD ticks before it signs; a write ends in its tick.
 * FAULTS is 0, so only the failover makes a write fail.
 * Left out: the encryption, retired keys and their end, a ring or a log that the store lost as a whole, keys of the
 * host, and a rotation by hand, which may activate a key early (docs/signing-keys.md).
 *
 * Properties:
 * - no token is signed by a key that the verifier does not know, unless a revocation activated that key early;
 * - the ring always has one current key, and a confirmed change never leaves the ring without it;
 * - a revoked key never becomes current or next again, and after the answer a process that knows the revocation does
 *   not sign with it.
 */
#ifndef END
#define END 4
#endif
#ifndef FAULTS
#define FAULTS 0
#endif
#define KEYS 4
#define AHEAD 3    /* publishAhead and the time until all processes have polled */
#define STALE 1    /* a process polls at least so often */
#define CACHE 1    /* a verifier fetches at least so often */

#define RUNNING 0
#define WAITING 1
#define CONFIRMED 2
#define LOST 3

typedef Ring { byte version, current, next, since, revoked }

byte clock;
Ring master, replica;
Ring known[2];
byte readAt[2];
byte wait[2];
bool isBusy[2];
byte faults = FAULTS;
byte failovers = 1;
byte versions = 1;
byte made = 2;
bool mayRevoke = true;

byte activatedEarly;    /* set of keys that a revocation activated before verifiers knew them */
byte answered;          /* revoked keys whose revocation was answered */
byte feed[2];           /* revoked keys that a process knows from the feed */
byte verifier = 6;      /* set of keys that the verifier has cached */
byte fetchedAt;

#define HAS(set, key) (((set) >> (key)) & 1)
#define ADD(set, key) set = set | (1 << (key))

inline copy(to, from) {
  to.version = from.version; to.current = from.current; to.next = from.next;
  to.since = from.since; to.revoked = from.revoked
}

inline readRing(p) {
  copy(known[p], master);
  readAt[p] = clock
}

/* One write. `draft` replaces `known[p]`, if the ring is still the same. */
inline changeRing(p) {
  atomic {
    if
#ifdef CAS_IS_WRITE
    :: true ->
#else
    :: master.version == known[p].version ->
#endif
      versions++;
      assert(versions < 64);
      draft.version = versions;
      copy(master, draft);
      wait[p] = WAITING
#ifndef CAS_IS_WRITE
    :: else -> result = LOST
#endif
    fi
  }
  atomic {
    if
    :: wait[p] == RUNNING
#ifdef NO_WAIT
    :: wait[p] != RUNNING -> result = CONFIRMED
#else
    :: wait[p] == CONFIRMED -> result = CONFIRMED
#endif
    :: wait[p] == LOST -> result = LOST
    :: wait[p] == WAITING && faults > 0 -> faults--; result = LOST
    fi;
    wait[p] = RUNNING
  }
}

/* `advance` and `replenish`: a key that is due becomes current, and a missing `next` key is made. */
#ifdef NO_LEAD_TIME
#define DUE(ring) (ring.next != 0)
#else
#define DUE(ring) (ring.next != 0 && clock >= ring.since + AHEAD)
#endif

proctype Process(bit p) {
  Ring draft;
  byte result, key;
end:
  do
  /* A poll reads the ring, and makes the change that is due. */
  :: atomic { readRing(p); copy(draft, known[p]);
      isBusy[p] = true;
      if
      :: DUE(known[p]) && clock < END -> draft.current = draft.next; draft.next = 0
      :: known[p].next == 0 && made < KEYS -> made++; draft.next = made; draft.since = clock
      :: else -> isBusy[p] = false
      fi }
    if
    :: isBusy[p] -> changeRing(p);
      atomic { readRing(p); isBusy[p] = false; result = 0 }
    :: else
    fi
  /* `revokeKey`: the `next` key takes over at once. */
  :: atomic { mayRevoke && known[p].next != 0 -> mayRevoke = false; isBusy[p] = true; key = known[p].current }
    do
    :: atomic { readRing(p); copy(draft, known[p]);
        if
        :: HAS(draft.revoked, key) -> skip
        :: !HAS(draft.revoked, key) && draft.current == key && draft.next != 0 ->
          ADD(activatedEarly, draft.next); draft.current = draft.next; draft.next = 0
        :: !HAS(draft.revoked, key) && draft.current == key && draft.next == 0 ->
          made < KEYS; made++; ADD(activatedEarly, made); draft.current = made
        :: !HAS(draft.revoked, key) && draft.current != key
        fi;
        ADD(draft.revoked, key) }
      changeRing(p);
      if
      :: atomic { result == CONFIRMED -> ADD(feed[p], key); ADD(answered, key); result = 0; break }
      :: atomic { result == LOST -> result = 0 }
      fi
    od;
    atomic { readRing(p); isBusy[p] = false; key = 0 }
  /* Signs. `ensureFresh` reads the ring first, if it is stale or its key is revoked. */
  :: atomic {
      if
#ifdef STALE_KEYS_SIGN
      :: true
#else
      :: clock - readAt[p] <= STALE && !HAS(feed[p], known[p].current)
      :: else -> readRing(p)
#endif
      fi;
signed:
      assert(HAS(verifier, known[p].current) || HAS(activatedEarly, known[p].current));
      assert(!(HAS(answered, known[p].current) && HAS(feed[p], known[p].current))) }
  od
}

proctype World() {
  byte i;
end:
  do
  :: atomic { clock < END && clock - fetchedAt < CACHE && clock - readAt[0] < STALE && clock - readAt[1] < STALE && !isBusy[0] && !isBusy[1] -> clock++ }
  /* The verifier fetches the keys that one process publishes. */
  :: atomic { i = 0; if :: i = 0 :: i = 1 fi;
      verifier = verifier | (1 << known[i].current) | (1 << known[i].next);
      fetchedAt = clock; i = 0 }
  /* The revocation reaches the other process. */
  :: atomic { feed[0] != answered || feed[1] != answered -> feed[0] = feed[0] | answered; feed[1] = feed[1] | answered }
  :: atomic { replica.version != master.version || wait[0] == WAITING || wait[1] == WAITING ->
      copy(replica, master);
      if :: wait[0] == WAITING -> wait[0] = CONFIRMED :: else fi;
      if :: wait[1] == WAITING -> wait[1] = CONFIRMED :: else fi }
  :: atomic { failovers > 0 ->
      failovers--;
      copy(master, replica);
      if :: wait[0] == WAITING -> wait[0] = LOST :: else fi;
      if :: wait[1] == WAITING -> wait[1] = LOST :: else fi }
  :: atomic { true ->
ring:
      assert(master.current != 0);
      assert(!HAS(master.revoked, master.current));
      assert(master.next == 0 || !HAS(master.revoked, master.next));
      assert((master.revoked & answered) == answered) }
  od
}

init {
  atomic {
    master.version = 1; master.current = 1; master.next = 2;
    copy(replica, master); copy(known[0], master); copy(known[1], master);
    run Process(0); run Process(1); run World()
  }
}
