import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { accessTokens } from '../../../../src/authorization-server/provider/models/access-tokens.ts'
import type { ProviderDependencies } from '../../../../src/authorization-server/provider/dependencies.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'

const TOKENS = 50

function adapterWith(revoke: () => Promise<void>) {
  const revocations = { revoke } as unknown as ProviderDependencies['revocations']
  return accessTokens('AccessToken', {
    verifyAccessToken: async () => undefined,
    isRevoked: () => false,
    revocations,
  })
}

// Each revocation kept its whole request for a minute: 11 kB, by which 31,000 of them ended a process.
test('a revocation keeps nothing of the request that asked for it', async () => {
  const adapter = adapterWith(() => nextTurn())
  const requests = new AsyncLocalStorage<object>()
  const references: WeakRef<object>[] = []
  for (let index = 0; index < TOKENS; index += 1) {
    await revokeInRequest(index)
  }
  await collectGarbage()
  expect(references.filter((request) => request.deref() !== undefined).length).toBeLessThan(5)

  async function revokeInRequest(index: number): Promise<void> {
    const request = { body: 'x'.repeat(index) }
    references.push(new WeakRef(request))
    await requests.run(request, () => adapter.destroy(`token-${index}`))
  }
})

test('a token that is revoked again, at the same time or within a minute, is stored once', async () => {
  const revoke = vi.fn(() => nextTurn())
  const adapter = adapterWith(revoke)
  await Promise.all([adapter.destroy('token'), adapter.destroy('token')])
  await adapter.destroy('token')
  expect(revoke).toHaveBeenCalledTimes(1)
})

test('a revocation that failed is tried again, and all who waited for it learn that it failed', async () => {
  const revoke = vi.fn(() => nextTurn())
  revoke.mockRejectedValueOnce(new Error('the store is away'))
  const adapter = adapterWith(revoke)
  const both = await Promise.allSettled([adapter.destroy('token'), adapter.destroy('token')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await adapter.destroy('token')
  expect(revoke).toHaveBeenCalledTimes(2)
})
