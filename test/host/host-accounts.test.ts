import type { Context } from 'koa'
import { describe, expect, it, vi } from 'vitest'
import type { Accounts } from '../../src/host/accounts.ts'
import { createHostAccounts } from '../../src/host/host-accounts.ts'
import { silentLogger } from '../../src/host/logger.ts'

const NONE = [undefined, null, false, '']
const ctx = {} as Context
const returnTo = new URL('https://example.com/auth/interaction/x')

/** Creates the checked accounts of a host whose callbacks may return values of wrong types. */
function checked(accounts: object) {
  const warn = vi.fn()
  const complete = { find: (id: string) => ({ id }), ...accounts } as Accounts
  const kycLevels = ['none', 'basic']
  const isOperation = (scope: string) => scope.startsWith('invoices:')
  return {
    warn,
    ...createHostAccounts(complete, { kycLevels, logger: { ...silentLogger, warn }, isOperation }),
  }
}

function hostFault(message: string): Error {
  return expect.objectContaining({
    code: 'ERR_HOST_CALLBACK',
    status: 500,
    expose: false,
    message: expect.stringContaining(message),
  }) as Error
}

describe('accounts.find', () => {
  const find = (answer: unknown) => checked({ find: async () => answer }).find('alice')

  it('accounts.find returning nothing means that the account does not exist', async () => {
    for (const answer of NONE) expect(await find(answer)).toBeUndefined()
  })

  it('accounts.find may return a database row, whose other columns are dropped', async () => {
    const row = { id: 'alice', kycLevel: null, claims: null, password_hash: 'x' }
    expect(await find(row)).toEqual({ id: 'alice' })
    expect(await find(row)).not.toHaveProperty('password_hash')
    const claims = { name: 'Alice' }
    expect(await find({ id: 'alice', kycLevel: 'basic', claims })).toEqual({
      id: 'alice',
      kycLevel: 'basic',
      claims,
    })
  })

  const WRONG: [answer: unknown, message: string][] = [
    [
      7,
      'accounts.find returned a number; it must be an object; undefined or null means that nothing was found',
    ],
    ['alice', 'accounts.find returned a text'],
    [[], 'accounts.find returned a list'],
    [{}, 'id: must be a text that is not empty, and is undefined'],
    [{ id: 42 }, 'id: must be a text that is not empty, and is a number'],
    [{ id: '' }, 'id: must be a text that is not empty, and is an empty text'],
    // A look-up that ignores letter case could return this account.
    [{ id: 'Alice' }, 'id: must be exactly the account id that was asked for'],
    [{ id: 'alice', kycLevel: 2 }, 'kycLevel: must be one of kycLevels, and is a number'],
    [{ id: 'alice', claims: 'Alice' }, 'claims: must be an object of claims, and is a text'],
    [{ id: 'alice', claims: ['Alice'] }, 'claims: must be an object of claims, and is a list'],
    // A missing list allows every operation, so nothing else may look like one.
    [{ id: 'alice', operations: '' }, 'operations: must be a list, and is an empty text'],
    [{ id: 'alice', operations: 'invoices:read' }, 'operations: must be a list, and is a text'],
    [{ id: 'alice', operations: false }, 'operations: must be a list, and is a boolean'],
    [{ id: 'alice', operations: { 0: 'invoices:read' } }, 'operations: must be a list, and is an object'],
    [{ id: 'alice', operations: new Set(['invoices:read']) }, 'operations: must be a list, and is a Set'],
    [{ id: 'alice', operations: ['a', 7] }, 'operations[1]: must be a text that is not empty'],
    [{ id: 'alice', operations: [''] }, 'operations[0]: must be a text that is not empty'],
    [{ id: 'alice', operations: Array.from({ length: 2 }) }, 'operations[0]: must be a text'],
  ]
  it('accounts.find returning a wrong value fails, and the error names all problems', async () => {
    for (const [answer, message] of WRONG) await expect(find(answer)).rejects.toThrow(hostFault(message))
    await expect(find({ id: 1, kycLevel: 1, claims: 1 })).rejects.toMatchObject({
      problems: [{ path: 'id' }, { path: 'kycLevel' }, { path: 'claims' }],
    })
  })

  it('an unknown KYC level counts as the lowest level, and is logged once', async () => {
    const accounts = checked({ find: (id: string) => ({ id, kycLevel: id }) })
    for (const id of ['verified', 'verified', 'basic', 'toString']) await accounts.find(id)
    expect(await accounts.find('verified')).toMatchObject({ kycLevel: undefined })
    expect(await accounts.find('basic')).toMatchObject({ kycLevel: 'basic' })
    expect(accounts.warn.mock.calls.map(([details]) => (details as { kycLevel: string }).kycLevel)).toEqual([
      'verified',
      'toString',
    ])
  })

  it('accounts.find may return a list of operations; no list, or null, allows every operation', async () => {
    expect(await find({ id: 'alice', operations: [] })).toMatchObject({ operations: [] })
    const operations = ['invoices:read', 'invoices:read', 'other']
    expect(await find({ id: 'alice', operations })).toMatchObject({ operations })
    expect(await find({ id: 'alice', operations: null })).toEqual({ id: 'alice' })
    expect(await find({ id: 'alice' })).toEqual({ id: 'alice' })
  })

  it('operations without accounts.can are logged once, because each member may then change all clients', async () => {
    const limited = {
      current: () => undefined,
      find: (id: string) => ({ id, operations: ['invoices:read'] }),
    }
    const { find: findMember, warn } = checked(limited)
    await findMember('alice', 'anna')
    await findMember('bob', 'ben')
    expect(warn.mock.calls).toEqual([[{}, expect.stringContaining('there is no accounts.can')]])
    const withCan = checked({ ...limited, can: () => true })
    await withCan.find('alice', 'anna')
    expect(withCan.warn).not.toHaveBeenCalled()
    const unlimited = checked({})
    await unlimited.find('alice', 'anna')
    expect(unlimited.warn).not.toHaveBeenCalled()
  })

  it('a list of more than 10,000 operations is rejected, and its entries are not read', async () => {
    const operations = Array.from({ length: 10_001 }, () => 'invoices:read')
    await expect(find({ id: 'alice', operations })).rejects.toThrow(
      hostFault('must have at most 10000 entries'),
    )
    expect(await find({ id: 'alice', operations: operations.slice(1) })).toMatchObject({ id: 'alice' })
    const endless = new Proxy([], {
      get: (_, name) => {
        if (name === 'length') return 1e9
        throw new Error('an entry was read')
      },
    })
    await expect(find({ id: 'alice', operations: endless })).rejects.toThrow(
      hostFault('at most 10000 entries'),
    )
  })

  it('an operation that is in no product is logged once, and at most 100 of them are logged', async () => {
    const accounts = checked({
      find: (id: string) => ({ id, operations: ['invoices:read', id, 'toString'] }),
    })
    for (const id of ['other', 'other', 'invoices:create']) await accounts.find(id)
    const [first, second] = accounts.warn.mock.calls
    expect(first).toEqual([
      { operation: 'other' },
      'accounts.find returned an operation that is in no product; it is ignored',
    ])
    expect([second?.[0], accounts.warn.mock.calls.length]).toEqual([{ operation: 'toString' }, 2])
    for (let at = 0; at < 200; at += 1) await accounts.find(`unknown ${at}`)
    expect(accounts.warn).toHaveBeenCalledTimes(100)
  })

  it('accounts.find gets the account id and the user id', async () => {
    const asked = vi.fn((id: string) => ({ id }))
    await checked({ find: asked }).find('alice', 'ann')
    expect(asked).toHaveBeenCalledExactlyOnceWith('alice', 'ann')
  })
})

describe.each(['current', 'authenticate'] as const)('accounts.%s', (callback) => {
  const ask = (answer: unknown) => {
    const accounts = checked({ [callback]: async () => answer })
    return callback === 'current'
      ? accounts.current?.(ctx)
      : accounts.authenticate?.({ identifier: 'a', password: 'b' }, ctx)
  }

  it(`accounts.${callback} returning nothing means that no person is signed in`, async () => {
    for (const answer of NONE) expect(await ask(answer)).toBeUndefined()
  })

  it(`the result of accounts.${callback} contains only the person, with the time of sign-in in whole seconds`, async () => {
    const answer = { accountId: 'alice', userId: 'ann', signedInAt: 1_900_000_000.7, role: 'admin' }
    expect(await ask(answer)).toEqual({ accountId: 'alice', userId: 'ann', signedInAt: 1_900_000_000 })
    for (const nothing of [null, undefined, '']) {
      const person = await ask({ accountId: 'alice', userId: nothing, signedInAt: nothing })
      expect(person).toEqual({ accountId: 'alice' })
    }
  })

  it(`accounts.${callback} returning a wrong value fails, and the error names the problem`, async () => {
    const wrong: [answer: unknown, message: string][] = [
      ['alice', `accounts.${callback} returned a text`],
      [{}, 'accountId: must be a text that is not empty, and is undefined'],
      [{ accountId: 42 }, 'accountId: must be a text that is not empty, and is a number'],
      [{ accountId: 'alice', userId: 7 }, 'userId: must be a text that is not empty, and is a number'],
      [
        { accountId: 'alice', signedInAt: new Date() },
        'signedInAt: must be a number of seconds since the epoch',
      ],
      [{ accountId: 'alice', signedInAt: -1 }, 'signedInAt: must be a number of seconds'],
      [{ accountId: 'alice', signedInAt: Date.UTC(2030, 0) }, 'and looks like milliseconds'],
    ]
    for (const [answer, message] of wrong) await expect(ask(answer)).rejects.toThrow(hostFault(message))
  })
})

describe('accounts.signInUrl', () => {
  const signInUrl = (answer: unknown) =>
    checked({ signInUrl: async () => answer }).signInUrl?.(returnTo, ctx, { reauthenticate: false })

  it('accounts.signInUrl may return an address or a path, and any other value fails', async () => {
    for (const [answer, address] of [
      ['https://login.example/?a=b', 'https://login.example/?a=b'],
      ['/login?next=x', 'https://example.com/login?next=x'],
      [new URL('https://login.example/'), 'https://login.example/'],
    ] as const) {
      expect(String(await signInUrl(answer))).toBe(address)
    }
    for (const wrong of [
      undefined,
      null,
      '',
      7,
      {},
      'javascript:alert(1)',
      'https://[',
      'data:text/html,x',
    ]) {
      await expect(signInUrl(wrong)).rejects.toThrow(hostFault('accounts.signInUrl returned'))
    }
  })
})

describe('the account callbacks', () => {
  it('each callback is called as a method of the accounts object', async () => {
    class FindAccounts {
      readonly #rows = new Map([['alice', { id: 'alice' }]])
      readonly left: string[] = []
      find(id: string) {
        return this.#rows.get(id)
      }
      current() {
        return this.#rows.has('alice') && { accountId: 'alice' }
      }
      signInUrl() {
        return `/login/${this.#rows.size}`
      }
      signOut() {
        this.left.push('alice')
      }
      authenticate() {
        return this.#rows.has('alice') && { accountId: 'alice' }
      }
    }
    const host = new FindAccounts()
    const accounts = createHostAccounts(host, {
      kycLevels: [],
      logger: silentLogger,
      isOperation: () => true,
    })
    expect(await accounts.find('alice')).toEqual({ id: 'alice' })
    expect(await accounts.current?.(ctx)).toEqual({ accountId: 'alice' })
    expect(String(await accounts.signInUrl?.(returnTo, ctx, { reauthenticate: true }))).toContain('/login/1')
    expect(await accounts.authenticate?.({ identifier: '', password: '' }, ctx)).toEqual({
      accountId: 'alice',
    })
    await accounts.signOut?.(ctx)
    expect(host.left).toEqual(['alice'])
  })

  it('createHostAccounts() returns only the callbacks that the host has', () => {
    expect(
      Object.keys(
        createHostAccounts(
          { find: () => null },
          { kycLevels: [], logger: silentLogger, isOperation: () => true },
        ),
      ),
    ).toEqual(['clientsBelongTo', 'find'])
  })

  it('errors of the host pass through, and any other thrown value is reported with the name of the callback', async () => {
    const error = new Error('the database is away')
    const failing = (thrown: unknown) =>
      checked({
        find() {
          throw thrown
        },
        signOut: () => Promise.reject(thrown),
      })
    await expect(failing(error).find('alice')).rejects.toBe(error)
    await expect(failing(undefined).find('alice')).rejects.toThrow(hostFault('accounts.find threw a value'))
    await expect(failing('no').signOut?.(ctx)).rejects.toThrow(hostFault('accounts.signOut threw a value'))
    await expect(failing('no').find('alice')).rejects.toMatchObject({ cause: 'no' })
  })
})
