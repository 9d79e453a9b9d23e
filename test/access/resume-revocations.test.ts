import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../../src/host/logger.ts'
import { createResumeRevocations } from '../../src/access/resume-revocations.ts'
import type { Subject, RevocationSpec } from '../../src/revocation/revoke-tokens.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setup(
  resumeAll: (finish: (subject: Subject) => Promise<readonly RevocationSpec[]>) => Promise<void>,
) {
  const warn = vi.fn<() => void>()
  const settle = vi.fn<typeof resumeAll>(resumeAll)
  const { start } = createResumeRevocations({
    revocations: { resumeAll: settle },
    clientTokens: { revocationsOf: async (id) => [{ of: 'client', id, below: 3 }] },
    resumeGrant: async (id) => [{ of: 'grant', id }],
    resumeAccount: async (id) => [{ of: 'grant', id: `of ${id}` }],
    logger: { ...silentLogger, warn },
  })
  return { start, settle, warn }
}

it('is looked for at once, and every minute from then on, until it ends', async () => {
  const { start, settle, warn } = setup(async () => {})
  const stop = start()
  expect(settle).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(settle.mock.calls.length).toBeGreaterThan(9)
  expect(settle.mock.calls.length).toBeLessThan(16)
  stop()
  settle.mockClear()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(settle).not.toHaveBeenCalled()
  expect(warn).not.toHaveBeenCalled()
})

it('is finished by what its client, its grant, or its account is now', async () => {
  const taken: (readonly RevocationSpec[])[] = []
  const { start } = setup(async (finish) => {
    for (const of of ['client', 'grant', 'account'] as const) taken.push(await finish({ of, id: 'c' }))
  })
  start()()
  await vi.waitFor(() => expect(taken).toHaveLength(3))
  expect(taken).toEqual([
    [{ of: 'client', id: 'c', below: 3 }],
    [{ of: 'grant', id: 'c' }],
    [{ of: 'grant', id: 'of c' }],
  ])
})

it('a failure is told, and it is tried again; after the end nobody hears of one', async () => {
  let fail: (error: Error) => void = () => {}
  const { start, settle, warn } = setup(() => new Promise<void>((_resolve, reject) => (fail = reject)))
  const stop = start()
  fail(new Error('the store is away'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    { err: expect.any(Error) },
    expect.stringContaining('trying again'),
  )
  expect(settle).toHaveBeenCalledTimes(2)
  stop()
  fail(new Error('closed'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(warn).toHaveBeenCalledOnce()
})
