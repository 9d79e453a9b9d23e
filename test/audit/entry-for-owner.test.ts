import { describe, expect, it } from 'vitest'
import type { AuditEntry } from 'koa-gatehouse'
import { entryForOwner } from '../../src/audit/entry-for-owner.ts'

const origin = { address: '192.0.2.7', userAgent: 'Mozilla/5.0' }
const entry = (fields: Partial<AuditEntry> = {}): AuditEntry => ({
  id: 'x',
  at: 1,
  name: 'client.changed',
  outcome: 'success',
  kind: 'apiKey',
  clientId: 'key_1',
  accountId: 'acme',
  ...fields,
})

describe('an entry for the owner of a client', () => {
  it.each(['acme', 'acme/ann'])('is complete if %s of the same account made it', (actor) => {
    const own = entry({ actor, userId: 'ben', change: 'disabled', ...origin })
    expect(entryForOwner(own, 'acme')).toEqual(own)
  })

  it.each(['root', 'staff/anna', 'billing job', 'acme2', 'acm'])(
    'hides the actor %s and the origin, because the service made it',
    (actor) => {
      const shown = entryForOwner(entry({ actor, change: 'disabled', ...origin }), 'acme')
      expect(shown).toStrictEqual(entry({ change: 'disabled', by: 'service' } as Partial<AuditEntry>))
    },
  )

  it.each([
    { name: 'consent.approved', userId: 'zoe', scopes: ['a:b'] },
    { name: 'grant.revoked', actor: 'bob/zoe', userId: 'zoe', grantId: 'g' },
    { name: 'token.revoked', actor: 'bob', userId: 'zoe', tokenId: 't' },
  ])('hides who a user of another account is, and from where: $name', (fields) => {
    const shown = entryForOwner(entry({ ...fields, accountId: 'bob', ...origin }), 'acme')
    expect(shown).toMatchObject({ name: fields.name, clientId: 'key_1', by: 'user' })
    expect(JSON.stringify(shown)).not.toMatch(/bob|zoe|192\.0|Mozilla/)
  })

  it('says that the service ended the connection of a user', () => {
    const shown = entryForOwner(
      entry({ name: 'grant.revoked', accountId: 'bob', actor: 'root', ...origin }),
      'acme',
    )
    expect(shown.by).toBe('service')
    expect(JSON.stringify(shown)).not.toMatch(/bob|root|192\.0|Mozilla/)
  })

  it('keeps from where a wrong secret of the account came, and from where its own user consented', () => {
    const failed = entry({ name: 'client_authentication.failed', outcome: 'failure', count: 2, ...origin })
    const approved = entry({ name: 'consent.approved', userId: 'ann', ...origin })
    for (const own of [failed, approved]) expect(entryForOwner(own, 'acme')).toEqual(own)
  })

  it('hides the origin of a failure at the connection of a user of another account', () => {
    const reused = entry({ name: 'refresh_token.reused', outcome: 'failure', accountId: 'bob', ...origin })
    expect(JSON.stringify(entryForOwner(reused, 'acme'))).not.toMatch(/bob|192\.0|Mozilla/)
  })

  it('hides the origin of a change that names no actor, or no account', () => {
    expect(entryForOwner(entry(origin), 'acme')).toStrictEqual(entry())
    const unowned = entryForOwner(entry({ accountId: undefined, actor: 'acme', ...origin }), 'acme')
    expect(JSON.stringify(unowned)).not.toMatch(/acme|192\.0|Mozilla/)
  })
})
