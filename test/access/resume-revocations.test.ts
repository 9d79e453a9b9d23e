import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../../src/host/logger.ts'
import { createResumeRevocations } from '../../src/access/resume-revocations.ts'
import type { RevocationSpec } from '../../src/revocation/kept-until.ts'
import type { Subject } from '../../src/revocation/revoke-tokens.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setup(run: (specsOf: (subject: Subject) => Promise<readonly RevocationSpec[]>) => Promise<void>) {
  const warn = vi.fn<() => void>()
  const resumeAll = vi.fn<typeof run>(run)
  const { start } = createResumeRevocations({
    revocations: { resumeAll },
    clientTokens: { revocationsOf: async (id) => [{ of: 'client', id, below: 3 }] },
    resumeGrant: async (id) => [{ of: 'grant', id }],
    resumeAccount: async (id) => [{ of: 'grant', id: `of ${id}` }],
    logger: { ...silentLogger, warn },
  })
  return { start, resumeAll, warn }
}

it('pending revocations are resumed at the start, and then about every minute until stop() is called', async () => {
  const { start, resumeAll, warn } = setup(async () => {})
  const stop = start()
  expect(resumeAll).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(resumeAll.mock.calls.length).toBeGreaterThan(9)
  expect(resumeAll.mock.calls.length).toBeLessThan(16)
  stop()
  resumeAll.mockClear()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(resumeAll).not.toHaveBeenCalled()
  expect(warn).not.toHaveBeenCalled()
})

it('a pending revocation is completed according to the current state of its client, grant or account', async () => {
  const specs: (readonly RevocationSpec[])[] = []
  const { start } = setup(async (specsOf) => {
    for (const of of ['client', 'grant', 'account'] as const) specs.push(await specsOf({ of, id: 'c' }))
  })
  start()()
  await vi.waitFor(() => expect(specs).toHaveLength(3))
  expect(specs).toEqual([
    [{ of: 'client', id: 'c', below: 3 }],
    [{ of: 'grant', id: 'c' }],
    [{ of: 'grant', id: 'of c' }],
  ])
})

it('a failed attempt to resume pending revocations is logged and repeated, but not after stop()', async () => {
  let fail: (error: Error) => void = () => {}
  const { start, resumeAll, warn } = setup(() => new Promise<void>((_resolve, reject) => (fail = reject)))
  const stop = start()
  fail(new Error('the store is unavailable'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    { err: expect.any(Error) },
    expect.stringContaining('trying again'),
  )
  expect(resumeAll).toHaveBeenCalledTimes(2)
  stop()
  fail(new Error('closed'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(warn).toHaveBeenCalledOnce()
})
