import { describe, expect, it } from 'vitest'
import type { Call, Change, Exchange, History, Issue, Operation, Read, Revoke } from './history.ts'
import { checkHistory, worstTimes, type PromiseName } from './promises.ts'

const SETTINGS = { graceSeconds: 3, pollSeconds: 1, hasFailover: false }
const UNKNOWN = Number.POSITIVE_INFINITY
let count = 0

type Times = readonly [invoke: number, end: number]

function common([invoke, end]: Times, isOk: boolean) {
  const outcome = end === UNKNOWN ? ('unknown' as const) : isOk ? ('ok' as const) : ('fail' as const)
  return { id: (count += 1), process: 0, invoke, end, outcome }
}

/** @param next the successor; undefined if the exchange was rejected, or has no answer */
function exchange(credential: string, next: string | undefined, times: Times): Exchange {
  const isCode = credential === 'code'
  const own = {
    ...common(times, next !== undefined),
    kind: 'exchange' as const,
    family: 'f',
    credential,
    isCode,
  }
  return next === undefined ? own : { ...own, next, accessToken: `access of ${next}` }
}
const endFamily = (times: Times): Operation => ({ ...common(times, true), kind: 'end-family', family: 'f' })
const issue = (accessToken: string, times: Times): Issue => ({
  ...common(times, true),
  kind: 'issue',
  client: 'c',
  accessToken,
})
const call = (accessToken: string, isOk: boolean, at: number, process = 0): Call => ({
  ...common([at, at + 1], isOk),
  kind: 'call',
  accessToken,
  process,
})
const revoke = (of: Revoke['of'], times: Times, actor = 'r'): Revoke => ({
  ...common(times, true),
  kind: 'revoke',
  of,
  actor,
})
const change = (name: string | null, times: Times, actor?: string): Change => {
  const own = { ...common(times, true), kind: 'change' as const, client: 'c', name }
  return actor === undefined ? own : { ...own, actor }
}
const read = (name: string | null, at: number): Read => ({
  ...common([at, at + 1], true),
  kind: 'read',
  client: 'c',
  name,
})

function broken(operations: readonly Operation[], more: Partial<History> = {}): PromiseName[] {
  const history = { operations, faults: [], firstNames: { c: 'first' }, settings: SETTINGS, ...more }
  return [...new Set(checkHistory(history).violations.map(({ promise }) => promise))]
}

const CODE = exchange('code', 'r1', [0, 10])

describe('one-time', () => {
  it.each<[string, Operation[]]>([
    ['each token is used once', [CODE, exchange('r1', 'r2', [20, 30]), exchange('r2', 'r3', [40, 50])]],
    [
      'two concurrent requests get the same successor',
      [CODE, exchange('r1', 'r2', [20, 40]), exchange('r1', 'r2', [21, 39])],
    ],
    [
      'a retry in the grace period gets the same successor',
      [CODE, exchange('r1', 'r2', [20, 30]), exchange('r1', 'r2', [2000, 2010])],
    ],
    [
      'a use after the grace period ends the family',
      [
        CODE,
        exchange('r1', 'r2', [20, 30]),
        exchange('r1', undefined, [5000, 5010]),
        exchange('r2', undefined, [5020, 5030]),
      ],
    ],
    [
      'a second use of the code ends the family',
      [CODE, exchange('code', undefined, [20, 30]), exchange('r1', undefined, [40, 50])],
    ],
    [
      'a request without an answer was not done',
      [CODE, exchange('r1', undefined, [20, UNKNOWN]), exchange('r1', 'r2', [9000, 9010])],
    ],
    [
      'a request without an answer was done, and its retry is too late',
      [CODE, exchange('r1', undefined, [20, UNKNOWN]), exchange('r1', undefined, [9000, 9010])],
    ],
    ['a revoked family gives nothing', [CODE, endFamily([20, 30]), exchange('r1', undefined, [40, 50])]],
  ])('holds if %s', (_what, operations) => {
    expect(broken(operations)).toEqual([])
  })

  it.each<[string, Operation[]]>([
    ['a token has two successors', [CODE, exchange('r1', 'r2', [20, 40]), exchange('r1', 'r3', [21, 39])]],
    [
      'a used token gives its successor again after the grace period',
      [CODE, exchange('r1', 'r2', [20, 30]), exchange('r1', 'r2', [5000, 5010])],
    ],
    ['a code is used twice', [CODE, exchange('code', 'x1', [20, 30])]],
    ['the current token is rejected', [CODE, exchange('r1', undefined, [20, 30])]],
    [
      'a retry in the grace period is rejected',
      [CODE, exchange('r1', 'r2', [20, 30]), exchange('r1', undefined, [1000, 1010])],
    ],
    [
      'a retry is rejected at once after a request without an answer',
      [CODE, exchange('r1', undefined, [20, UNKNOWN]), exchange('r1', undefined, [500, 510])],
    ],
    [
      'a token works after the answer to a reuse',
      [CODE, exchange('code', undefined, [20, 30]), exchange('r1', 'r2', [40, 50])],
    ],
    [
      'a token works after the answer to a revocation',
      [CODE, endFamily([20, 30]), exchange('r1', 'r2', [40, 50])],
    ],
    [
      'an old token works again, as after a failover',
      [CODE, exchange('r1', 'r2', [20, 30]), exchange('r2', 'r3', [40, 50]), exchange('r1', 'x2', [60, 70])],
    ],
  ])('is broken if %s', (_what, operations) => {
    expect(broken(operations)).toContain('one-time')
  })
})

it('a code that was not exchanged may be lost in a failover, if codes do not wait for replicas, and only then', () => {
  const lost = [exchange('code', undefined, [20, 30])]
  const faults = [{ what: 'master-killed', processes: [0, 1, 2], from: 0, to: 10 }]
  const settings = { ...SETTINGS, hasFailover: true }
  expect(broken(lost, { faults, settings })).toEqual([])
  expect(broken(lost, { faults })).toEqual(['one-time'])
  expect(broken(lost, { settings })).toEqual(['one-time'])
})

it('a code that was exchanged may be lost in a failover: its second use is rejected, and may end nothing', () => {
  const operations = [
    exchange('code', 'r1', [1, 5]),
    exchange('code', undefined, [20, 30]),
    exchange('r1', 'r2', [40, 50]),
  ]
  const faults = [{ what: 'master-killed', processes: [0, 1, 2], from: 6, to: 10 }]
  const settings = { ...SETTINGS, hasFailover: true }
  expect(broken(operations, { faults, settings })).toEqual([])
  expect(broken(operations, { settings })).toEqual(['one-time'])
  const twice = [...operations, exchange('code', 'r3', [60, 70])]
  expect(broken(twice, { faults, settings })).toEqual(['one-time'])
})

describe('revoked', () => {
  const ISSUED = issue('a', [0, 10])
  const REVOKED = revoke({ accessToken: 'a' }, [20, 30])
  const CUT_TO = 5100
  const cut = { what: 'link-cut', processes: [1], from: 100, to: CUT_TO }

  it.each<[string, Operation[], Partial<History>]>([
    [
      'the process that revokes rejects from its answer on',
      [ISSUED, call('a', true, 25), REVOKED, call('a', false, 31)],
      {},
    ],
    [
      'another process accepts within two polls and the timeout of a read',
      [ISSUED, REVOKED, call('a', true, 4029, 1), call('a', false, 4040, 1)],
      {},
    ],
    [
      'another process accepts while its link is away, and as long after that',
      [ISSUED, REVOKED, call('a', true, CUT_TO + 3990, 1)],
      { faults: [cut] },
    ],
    [
      'a token of a revoked client is rejected',
      [ISSUED, revoke({ client: 'c' }, [20, 30]), call('a', false, 40)],
      {},
    ],
    [
      'a token that was requested after the revocation is accepted',
      [revoke({ client: 'c' }, [0, 10]), issue('b', [20, 30]), call('b', true, 5000)],
      {},
    ],
    [
      'a revocation without an answer was done',
      [ISSUED, revoke({ accessToken: 'a' }, [20, UNKNOWN]), call('a', false, 900)],
      {},
    ],
    [
      'a revocation without an answer was not done',
      [ISSUED, revoke({ accessToken: 'a' }, [20, UNKNOWN]), call('a', true, 900)],
      {},
    ],
  ])('holds if %s', (_what, operations, more) => {
    expect(broken(operations, more)).toEqual([])
  })

  it.each<[string, Operation[], Partial<History>]>([
    ['the process that revokes accepts', [ISSUED, REVOKED, call('a', true, 31)], {}],
    ['another process accepts later', [ISSUED, REVOKED, call('a', true, 4040, 1)], {}],
    [
      'another process accepts later than that after its link came back',
      [ISSUED, REVOKED, call('a', true, CUT_TO + 4010, 1)],
      { faults: [cut] },
    ],
    ['the link of a third process was away', [ISSUED, REVOKED, call('a', true, 4040, 2)], { faults: [cut] }],
    [
      'a token of a revoked client is accepted',
      [ISSUED, revoke({ client: 'c' }, [20, 30]), call('a', true, 40)],
      {},
    ],
    [
      'a token is rejected that was requested after the revocation',
      [revoke({ client: 'c' }, [0, 10]), issue('b', [20, 30]), call('b', false, 40)],
      {},
    ],
    ['a token is rejected that was not revoked', [ISSUED, call('a', false, 40)], {}],
  ])('is broken if %s', (_what, operations, more) => {
    expect(broken(operations, more)).toContain('revoked')
  })

  it('a link that breaks again before the process could read counts as away', () => {
    const again = { ...cut, from: CUT_TO + 3900, to: CUT_TO + 5000 }
    const late = { ...cut, from: CUT_TO + 4100, to: CUT_TO + 5000 }
    const operations = [ISSUED, REVOKED, call('a', true, CUT_TO + 4500, 1)]
    expect(broken(operations, { faults: [again, cut] })).toEqual([])
    expect(broken(operations, { faults: [cut, late] })).toEqual(['revoked'])
  })

  it('the worst time is that of the latest accepted call, since the link came back', () => {
    const operations = [
      ISSUED,
      REVOKED,
      call('a', true, 530, 1),
      call('a', true, 6130, 1),
      call('a', true, 28),
    ]
    const history = { operations, faults: [cut], firstNames: {}, settings: SETTINGS }
    expect(worstTimes(history)).toContainEqual({
      what: 'rejected by other processes',
      observedMs: 1030,
      boundMs: 4000,
    })
  })
})

describe('kept', () => {
  it.each<[string, Operation[]]>([
    [
      'reads see the last change',
      [change('a', [0, 10]), read('a', 20), change('b', [30, 40]), read('b', 50)],
    ],
    [
      'a change without an answer is seen later',
      [change('a', [0, UNKNOWN]), read('first', 20), read('a', 30)],
    ],
    ['a deleted client is gone', [change(null, [0, 10]), read(null, 20)]],
  ])('holds if %s', (_what, operations) => {
    expect(broken(operations)).toEqual([])
  })

  it.each<[string, Operation[]]>([
    ['an answered change is gone', [change('a', [0, 10]), read('first', 20)]],
    [
      'an answered change is gone after it was seen',
      [change('a', [0, 10]), read('a', 20), read('first', 30)],
    ],
    ['a deleted client is back', [change(null, [0, 10]), read('first', 20)]],
    ['a read sees a name that no caller gave', [change('a', [0, 10]), read('b', 20)]],
  ])('is broken if %s', (_what, operations) => {
    expect(broken(operations)).toContain('kept')
  })

  describe('with a failover', () => {
    const settings = { ...SETTINGS, hasFailover: true }
    const readAndLost = [change('a', [0, UNKNOWN], 'anna'), read('a', 20), read('first', 30)]
    const failover = { what: 'primary-killed', processes: [0, 1], from: 22, to: 28 }

    it('a change without an answer may be lost after it was read, with its audit entry', () => {
      expect(broken(readAndLost, { settings, faults: [failover], trail: [] })).toEqual([])
    })

    it.each<[string, Operation[]]>([
      [
        'a change that was answered is lost with it',
        [change('a', [0, UNKNOWN]), read('a', 20), change('b', [24, 28]), read('a', 40)],
      ],
      ['it comes back', [...readAndLost, read('a', 40)]],
    ])('is broken if %s', (_what, operations) => {
      expect(broken(operations, { settings, faults: [failover] })).toEqual(['kept'])
    })

    it('is broken without a failover', () => {
      expect(broken(readAndLost, { faults: [failover], trail: [] })).toEqual(['kept', 'recorded'])
    })

    it('needs the audit entry of a change that was read after the last fault', () => {
      const operations = readAndLost.slice(0, 2)
      const faults = [{ ...failover, from: 1, to: 10 }]
      expect(broken(operations, { settings, faults, trail: [] })).toEqual(['recorded'])
    })
  })
})

describe('recorded', () => {
  const CHANGE = change('a', [0, 10], 'anna')
  const UNANSWERED = change('a', [0, UNKNOWN], 'anna')
  const entry = (actor?: string, count?: number) => ({ clientId: 'c', actor, count })

  it.each<[string, Operation[], History['trail'] & {}]>([
    [
      'each change has an entry',
      [CHANGE, revoke({ client: 'c' }, [20, 30], 'ben')],
      [entry('anna'), entry('ben')],
    ],
    ['a change without an answer was not done', [UNANSWERED], []],
    ['a change without an answer was done', [UNANSWERED, read('a', 20)], [entry('anna')]],
    [
      'equal changes are counted',
      [change('a', [0, 1]), change('b', [2, 3]), change('c', [4, UNKNOWN])],
      [entry(), entry(undefined, 2)],
    ],
    [
      'a repeated revocation of a token has one entry',
      [revoke({ accessToken: 'a' }, [0, UNKNOWN], 'anna'), revoke({ accessToken: 'a' }, [20, 30], 'ben')],
      [entry('anna')],
    ],
  ])('holds if %s', (_what, operations, trail) => {
    expect(broken(operations, { trail })).toEqual([])
  })

  it.each<[string, Operation[], History['trail'] & {}]>([
    ['a change has no entry', [CHANGE], []],
    ['a change has two entries', [CHANGE], [entry('anna'), entry('anna')]],
    ['a change is in a count twice', [CHANGE], [entry('anna', 2)]],
    ['a change without an answer was seen, and has no entry', [UNANSWERED, read('a', 20)], []],
    ['a change without an answer has two entries', [UNANSWERED], [entry('anna'), entry('anna')]],
    ['equal changes are lost from their count', [change('a', [0, 1]), change('b', [2, 3])], [entry()]],
    ['equal changes are counted twice', [change('a', [0, 1])], [entry(), entry()]],
    ['a revocation of a token has no entry', [revoke({ accessToken: 'a' }, [0, 10], 'anna')], []],
    ['an entry names an actor who changed nothing', [], [entry('mallory')]],
  ])('is broken if %s', (_what, operations, trail) => {
    expect(broken(operations, { trail })).toEqual(['recorded'])
  })
})

describe('issued', () => {
  it.each<[string, Operation[]]>([
    ['an access token', [call('forged', true, 0)]],
    ['a refresh token', [CODE, exchange('forged', 'r2', [20, 30])]],
  ])('is broken if %s is accepted that was not issued', (_what, operations) => {
    expect(broken(operations)).toContain('issued')
  })

  it('holds if what was not issued is rejected', () => {
    expect(broken([CODE, call('forged', false, 0)])).toEqual([])
  })
})

it('a record with too many unanswered changes is neither proved nor broken', () => {
  const unanswered = Array.from({ length: 20 }, (_, at) => change(`name-${at}`, [at, UNKNOWN]))
  const seen = Array.from({ length: 20 }, (_, at) => read(`name-${at}`, 100 + at))
  const operations = [...unanswered, ...seen, read('never written', 200)]
  const history = { operations, faults: [], firstNames: { c: 'first' }, settings: SETTINGS }
  expect(checkHistory(history, 5000)).toEqual({ violations: [], undecided: ['kept: client c'] })
})

it.each([
  ['is killed within seconds after the store failed', 'process-killed', 10_000, []],
  ['is killed later', 'process-killed', 20_000, ['recorded']],
  ['is not killed', 'link-cut', 10_000, ['recorded']],
] as const)('the entry of a revocation may be missing only if its process %s', (_, what, at, found) => {
  const operations = [issue('t', [0, 1]), revoke({ accessToken: 't' }, [1000, 1500])]
  const faults = [
    { what: 'link-cut', processes: [0], from: 900, to: 1400 },
    { what, processes: [0], from: at, to: at + 500 },
  ]
  expect(broken(operations, { faults, trail: [] })).toEqual(found)
})
