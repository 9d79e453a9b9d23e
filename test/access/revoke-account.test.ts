import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createRevokeAccount } from '../../src/access/revoke-account.ts'
import { GatehouseError } from '../../src/errors.ts'

it('if the store fails while the clients of an account are read, the call rejects, and no rejection stays unhandled', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const away = new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store is not available')
  const revokeAll = vi.fn()
  const { revokeClients } = createRevokeAccount(
    {
      async *listByAccount() {
        yield []
        // Node reports an unhandled rejection after the microtasks of a turn.
        await turn()
        await turn()
        yield []
      },
      revokeFirst: () => Promise.reject(away),
      revokeAll,
      revokeScopes: vi.fn(),
    },
    { revokeAll: vi.fn() },
  )
  try {
    await expect(revokeClients('acme', () => 'all', {})).rejects.toBe(away)
    await turn()
    expect(unhandled).not.toHaveBeenCalled()
    expect(revokeAll).not.toHaveBeenCalled()
  } finally {
    process.off('unhandledRejection', unhandled)
  }
})
