import { describe, expect, it, vi } from 'vitest'
import { GatehouseError, type Problem } from '../../src/errors.ts'
import { silentLogger } from '../../src/host/logger.ts'
import type { GatehouseOptions } from '../../src/options/options.ts'
import { resolveOptions } from '../../src/options/resolve-options.ts'
import type { Store } from '../../src/store/contract.ts'

const secret = 'correct horse battery staple, and then some'
const never = () => Promise.reject(new Error('no I/O here'))
const store: Store = {
  get: never,
  getMany: never,
  set: never,
  create: never,
  replace: never,
  delete: never,
  add: never,
  remove: never,
  range: never,
  publish: never,
  subscribe: never,
  ping: never,
  close: never,
}
const valid: GatehouseOptions = {
  issuer: 'https://example.com/auth',
  audience: 'https://example.com/api',
  secret,
  store,
  products: {},
  accounts: { find: (id) => ({ id }) },
}

/** Resolves the valid options with changes of any type, as a JavaScript host may pass them. */
function resolve(others: Record<string, unknown> = {}) {
  return resolveOptions({ ...valid, ...others })
}

function problemsOf(others: Record<string, unknown>): readonly Problem[] {
  return problemsIn(() => resolve(others))
}

function problemsIn(work: () => unknown): readonly Problem[] {
  try {
    work()
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error
    expect(error.code).toBe('ERR_OPTIONS')
    return error.problems
  }
  return []
}

const pathsOf = (others: Record<string, unknown>) => problemsOf(others).map(({ path }) => path)

describe('the options of createGatehouse', () => {
  it('resolving adds the documented defaults to the options of createGatehouse', () => {
    expect(resolve()).toEqual({
      issuer: 'https://example.com/auth',
      audience: 'https://example.com/api',
      resources: {},
      secrets: [secret],
      store,
      kycLevels: [],
      products: {},
      accounts: valid.accounts,
      mountPath: '/auth',
      checkedElsewhere: false,
      lifetimes: {
        directAccessToken: 864_000,
        delegatedAccessToken: 3600,
        refreshToken: 2_592_000,
        authorizationCode: 60,
        idToken: 3600,
        signIn: 1200,
        session: 1_209_600,
        publicRefreshToken: 2_592_000,
      },
      requirePkce: false,
      refreshTokenGraceSeconds: 0,
      publicGraceSeconds: 30,
      publicApplications: false,
      publicClients: false,
      privateKeyJwt: false,
      revocations: { pollIntervalSeconds: 5, whenStale: 'serve', maxStalenessSeconds: 60 },
      signingKeys: { rotateAfterSeconds: 7_776_000, publishAheadSeconds: 86_400 },
      maxClientsPerAccount: 500,
      keyPolicy: {},
      secretPrefix: 'gatehouse_',
      storeTimeoutMs: 1000,
      startTimeoutMs: 1500,
      maxCachedTokens: 100_000,
      maxSignInAttempts: 10,
      audit: { maxAgeDays: 90, maxEntries: 1_000_000, maxFailures: 100_000 },
      maxTokenRequests: 1000,
      maxPendingInteractions: 1000,
      maxRevocationsPerClient: 1000,
      claims: {
        profile: expect.arrayContaining(['name', 'picture', 'updated_at']),
        email: ['email', 'email_verified'],
      },
      claimsInIdToken: false,
      clientDocuments: [],
      clientKeys: false,
      openIdScopes: ['openid', 'profile', 'email'],
      namesUsers: false,
      branding: { name: 'example.com', logo: undefined, accentColor: '#1a56db' },
      texts: {},
      defaultLocale: 'en',
      logger: silentLogger,
    })
  })

  it('resolving treats an option that is undefined as absent', () => {
    const undefinedToo = Object.fromEntries(
      ['kycLevels', 'mountPath', 'lifetimes', 'requirePkce', 'storeTimeoutMs']
        .concat('startTimeoutMs', 'maxCachedTokens', 'maxSignInAttempts', 'audit')
        .concat('claims', 'branding', 'connectedApplicationsUri', 'texts', 'defaultLocale', 'logger')
        .map((name) => [name, undefined]),
    )
    expect(resolve(undefinedToo)).toEqual(resolve())
    expect(resolve({ lifetimes: { idToken: undefined, session: 5 } }).lifetimes).toMatchObject({
      idToken: 3600,
      session: 5,
    })
  })

  it('resolving freezes the resolved options recursively, and neither freezes nor changes the objects of the host', () => {
    class Accounts {
      readonly cache = new Map<string, string>()
      find(id: string) {
        return { id }
      }
    }
    const given = {
      kycLevels: ['none', 'basic'],
      claims: { company: ['vat_id'] },
      lifetimes: { idToken: 60 },
      branding: { name: 'Example' },
      texts: { de: { signInTitle: 'Anmelden' } },
      secret: [secret, `${secret} old`],
      logger: { ...silentLogger },
    }
    const resolved = resolve(given)
    const parts = [
      resolved,
      resolved.kycLevels,
      resolved.claims,
      resolved.claims['company'],
      resolved.lifetimes,
    ]
    for (const part of [
      ...parts,
      resolved.branding,
      resolved.texts,
      resolved.texts['de'],
      resolved.secrets,
    ]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    for (const part of [store, given.logger, ...Object.values(given)]) {
      expect(Object.isFrozen(part)).toBe(false)
    }
    given.kycLevels.push('verified')
    given.claims.company.push('sub')
    given.texts.de.signInTitle = 'changed'
    given.secret.pop()
    expect(resolved.kycLevels).toEqual(['none', 'basic'])
    expect(resolved.claims).toEqual({ company: ['vat_id'] })
    expect(resolved.texts).toEqual({ de: { signInTitle: 'Anmelden' } })
    expect(resolved.secrets).toHaveLength(2)
    expect([resolved.store, resolved.logger]).toEqual([store, given.logger])

    const accounts = new Accounts()
    expect(resolve({ accounts }).accounts).toBe(accounts)
    expect(Object.isFrozen(accounts)).toBe(false)
    expect(Object.isFrozen(resolve().accounts)).toBe(true)
    expect(Object.isFrozen(valid.accounts)).toBe(false)
  })

  it('resolving options does no I/O and calls no function of the host', () => {
    const called = vi.fn()
    const watched = Object.fromEntries(Object.keys(store).map((method) => [method, called]))
    resolve({ store: watched, products: called, accounts: { find: called, authenticate: called } })
    expect(called).not.toHaveBeenCalled()
  })

  it('resolving reports all problems of the options at once, each with its path and the remedy', () => {
    const problems = problemsOf({
      issuer: 'http://example.com/auth',
      secret: ['short', secret],
      store: { ...store, ping: undefined },
      kycLevels: ['none', 'none'],
      accounts: { current: never, signinUrl: never },
      lifetimes: { authorizationCode: 601, acessToken: 5 },
      claims: { company: ['sub'] },
      texts: { de: { signInTitel: 'Anmelden' } },
      issuers: 1,
    })
    expect(problems.map(({ path }) => path).toSorted()).toEqual([
      'accounts.find',
      'accounts.signInUrl',
      'accounts.signinUrl',
      'claims.company',
      'issuer',
      'issuers',
      'kycLevels',
      'lifetimes.acessToken',
      'lifetimes.authorizationCode',
      'secret[0]',
      'store.ping',
      'texts.de.signInTitel',
    ])
    expect(new Set(problems.map(({ code }) => code))).toEqual(
      new Set(['required', 'unknown', 'range', 'format']),
    )
    expect(problems.every(({ message }) => message.length > 10 && !message.endsWith('.'))).toBe(true)
  })

  it('createGatehouse rejects anything but an object as its options', () => {
    for (const value of [undefined, null, 'options', [], 5, Promise.resolve(valid)]) {
      expect(problemsIn(() => resolveOptions(value as never))).toMatchObject([
        { path: 'options', code: 'type', message: 'must be an object' },
      ])
    }
  })

  it('resolving reports every required option that is absent', () => {
    const problems = problemsIn(() => resolveOptions({} as GatehouseOptions))
    expect(problems.map(({ path }) => path)).toEqual([
      'issuer',
      'audience',
      'products',
      'store',
      'accounts',
      'secret',
    ])
  })
})

describe('the option secret', () => {
  const volatile = { ...store, volatile: true }

  it('the secret may be absent only with a volatile store, and each service then gets its own random secret', () => {
    const [one] = resolve({ secret: undefined, store: volatile }).secrets
    const [other] = resolve({ secret: undefined, store: volatile }).secrets
    expect(Buffer.byteLength(one!)).toBeGreaterThanOrEqual(32)
    expect(one).not.toBe(other)
    expect(pathsOf({ secret: undefined })).toEqual(['secret'])
    expect(pathsOf({ secret: undefined, store: { ...store, volatile: 'yes' } })).toEqual(['secret'])
  })

  it('a volatile store uses the secret of the host', () => {
    expect(resolve({ store: volatile }).secrets).toEqual([secret])
    expect(pathsOf({ store: volatile, secret: 'short' })).toEqual(['secret'])
  })

  it('the minimum length of the secret counts bytes, not characters', () => {
    const sixteen = 'äöüßéèêçñåøæœžšč'
    expect(sixteen).toHaveLength(16)
    expect(resolve({ secret: sixteen }).secrets).toEqual([sixteen])
    expect(pathsOf({ secret: 'abcdefghijklmnopqrstuvwxyz01234' })).toEqual(['secret'])
    expect(pathsOf({ secret: 'abcdefghijklmnopqrstuvwxyz012345' })).toEqual([])
  })

  it('the option secret rejects weak, short and repeated secrets, and values of another type', () => {
    for (const value of ['x'.repeat(64), 'abcde'.repeat(10), '', null, 5, Buffer.alloc(32, 'abcdefgh'), []]) {
      expect([value, pathsOf({ secret: value })]).toEqual([value, ['secret']])
    }
    expect(pathsOf({ secret: [secret, secret] })).toEqual(['secret[1]'])
    expect(pathsOf({ secret: [secret, 5, 'x'.repeat(64)] })).toEqual(['secret[1]', 'secret[2]'])
  })

  it('no error quotes a secret', () => {
    const values = ['hunter2-hunter2', [secret, secret], ['hunter2-hunter2', 'x'.repeat(40)]]
    for (const value of values) {
      const text = JSON.stringify(problemsOf({ secret: value, foo: 1 }))
      expect(text).not.toMatch(/hunter2|battery|xxx/)
      expect(() => resolve({ secret: value })).not.toThrowError(/hunter2|battery|xxx/)
    }
  })
})

describe('the options issuer and audience', () => {
  it('issuer and audience accept https with a port and a path, and http on this machine', () => {
    for (const issuer of [
      'https://example.com',
      'https://example.com:8443/auth',
      'https://example.com/a/b.c/~d_e-f',
      'http://app.localhost/auth',
      'http://127.0.0.1:3000',
      'http://127.8.9.1',
      'http://[::1]:3000/auth',
      'https://xn--bcher-kva.example',
    ]) {
      expect(resolve({ issuer, audience: 'https://api.example.net' }).issuer).toBe(issuer)
      expect(resolve({ issuer: 'https://auth.example.net', audience: issuer }).audience).toBe(issuer)
    }
  })

  const ADDRESSES: [address: unknown, problem: string][] = [
    [undefined, 'is required'],
    [5, 'must be a text'],
    [new URL('https://example.com'), 'must be a text'],
    ['/auth', 'absolute address'],
    ['example.com', 'absolute address'],
    ['https://', 'absolute address'],
    ['https://user@example.com', 'user name'],
    ['https://example.com/?a=b', 'query'],
    ['https://example.com/auth?', 'query'],
    ['https://example.com/auth#', 'fragment'],
    ['http://example.com', 'must be https'],
    ['http://localhost.example.com', 'must be https'],
    ['http://127.0.0.1.example.com', 'must be https'],
    ['http://0.0.0.0', 'must be https'],
    ['http://[::2]', 'must be https'],
    ['https://example.com/', 'slash'],
    ['https://example.com/auth/', 'slash'],
    ['https://example.com//auth', 'segments'],
    ['https://example.com/a%20b', 'segments'],
    ['https://example.com/a;b', 'segments'],
    ['https://example.com/:id', 'segments'],
    ['https://example.com/a/../b', "'https://example.com/b'"],
    ['https://Example.com/auth', "'https://example.com/auth'"],
    ['HTTPS://example.com/auth', "'https://example.com/auth'"],
    [' https://example.com/auth', "'https://example.com/auth'"],
    ['https://bücher.example', "'https://xn--bcher-kva.example'"],
    ['http://127.1', "'http://127.0.0.1'"],
    ['https:example.com', "'https://example.com'"],
  ]
  it('issuer and audience reject every other address, and the message names the problem', () => {
    const apart = { issuer: 'https://auth.example.net', audience: 'https://api.example.net' }
    for (const name of ['issuer', 'audience']) {
      const found = ADDRESSES.map(([address]) => [address, problemsOf({ ...apart, [name]: address })])
      expect(found).toEqual(
        ADDRESSES.map(([address, text]) => [
          address,
          [expect.objectContaining({ path: name, message: expect.stringContaining(text) as string })],
        ]),
      )
    }
  })

  it('a missing or misplaced address never has a message that proposes an address with a problem', () => {
    const origin = 'https://example.com'
    const paths = ['', '/auth', '/api', '/api/auth', '/v1/auth']
    const rejected: unknown[] = []
    for (const right of paths.map((path) => origin + path)) {
      for (const wrong of [undefined, 'example.com', ...paths.map((path) => origin + path)]) {
        for (const names of [
          ['issuer', 'audience'],
          ['audience', 'issuer'],
        ] as const) {
          const [given, tried] = names
          const quoted = problemsOf({ [given]: right, [tried]: wrong }).flatMap(({ message }) => [
            ...message.matchAll(/'([^']+)'/g),
          ])
          for (const [, proposed] of quoted) {
            const options = { [given]: right, [tried]: proposed }
            if (problemsOf(options).length > 0) rejected.push({ wrong, ...options })
          }
        }
      }
    }
    expect(rejected).toEqual([])
  })

  it('the audience must differ from the issuer, must not be above it, and must leave its own paths free', () => {
    for (const [issuer, audience, message] of [
      ['https://example.com/auth', 'https://example.com/AUTH', 'must differ'],
      ['https://example.com', 'https://example.com', 'must differ'],
      ['https://example.com/auth', 'https://example.com', 'above issuer'],
      ['https://example.com/API/auth', 'https://example.com/api', 'above issuer'],
      ['https://example.com', 'https://example.com/oauth2', 'oauth2'],
      ['https://example.com', 'https://example.com/oauth2/api', 'oauth2'],
      ['https://example.com', 'https://example.com/Interaction/api', 'interaction'],
      ['https://example.com/auth', 'https://example.com/auth/.well-known/x', '.well-known'],
    ] as const) {
      expect(problemsOf({ issuer, audience })).toEqual([
        { path: 'audience', code: 'not-allowed', message: expect.stringContaining(message) },
      ])
    }
    for (const [issuer, audience] of [
      ['https://example.com', 'https://example.com/api'],
      ['https://example.com/auth', 'https://example.com/auth2'],
      ['https://example.com/auth2', 'https://example.com/auth'],
      ['https://example.com/auth', 'https://example.com/auth/api'],
      ['https://example.com/auth', 'https://api.example.com'],
      ['https://example.com/auth', 'https://example.com:8443'],
    ]) {
      expect(resolve({ issuer, audience })).toMatchObject({ issuer, audience })
    }
  })
})

describe('the option resources', () => {
  const MCP = 'https://example.com/mcp'
  const mcp = { products: ['tools'], title: 'Tools' }

  it('resources are copied and frozen, and the entry of the audience needs no title', () => {
    const products = ['tools']
    const title = { en: 'Tools', de: 'Werkzeuge' }
    const given = {
      [MCP]: { products, title, metadataScopes: ['tools:use'] },
      [valid.audience]: { products },
    }
    const { resources, metadataScopes } = resolve({ resources: given, metadataScopes: ['invoices:read'] })
    expect(resources).toEqual(given)
    expect(metadataScopes).toEqual(['invoices:read'])
    expect(Object.isFrozen(resources[MCP]?.products)).toBe(true)
    products.push('more')
    title.en = 'Changed'
    expect(resources[MCP]).toMatchObject({ products: ['tools'], title: { en: 'Tools' } })
    expect(Object.isFrozen(products)).toBe(false)
  })

  it('a resource may be at another host, and beside or below the issuer, and nowhere else', () => {
    for (const address of [
      'https://mcp.example.com/mcp',
      'https://example.com/apis',
      'https://example.com/auth/mcp',
      'https://mcp.example.com/api/mcp',
    ]) {
      expect([address, problemsOf({ resources: { [address]: mcp } })]).toEqual([address, []])
    }
    for (const [address, message] of [
      ['/mcp', 'must be an absolute address'],
      ['http://example.com/mcp', 'must be https'],
      ['https://example.com/mcp#a', 'must not have a query or fragment'],
      ['https://example.com/mcp/', 'must not end with a slash'],
      ['https://EXAMPLE.com/mcp', "must be written in its canonical form: 'https://example.com/mcp'"],
      ['https://example.com/auth', 'must differ from issuer'],
      ['https://example.com/auth/oauth2/mcp', 'must not be below https://example.com/auth/oauth2'],
      ['https://example.com/api/mcp', 'must not be below https://example.com/api'],
      ['https://example.com/API', 'must not have the same host and path as https://example.com/api'],
    ] as const) {
      expect(problemsOf({ resources: { [address]: mcp } })).toMatchObject([
        { path: `resources['${address}']`, message: expect.stringContaining(message) },
      ])
    }
  })

  it('a resource must not be above the audience, the issuer or another resource', () => {
    const above = (resources: object, others = {}) =>
      problemsOf({ resources, ...others }).map((each) => each.message)
    const audience = 'https://example.com/v1/api'
    expect(above({ 'https://example.com/v1': mcp }, { audience })).toEqual([
      expect.stringContaining(`must not be above ${audience}`),
    ])
    expect(above({ 'https://example.com': mcp }, { audience: 'https://api.example.net/api' })).toEqual([
      expect.stringContaining('must not be above issuer'),
    ])
    expect(above({ 'https://a.example/x/y': mcp, 'https://a.example/X': mcp })).toEqual([
      expect.stringContaining('must not be above https://a.example/x/y'),
    ])
    expect(above({ 'http://localhost/x': mcp, 'https://localhost/x': mcp })).toEqual([
      expect.stringContaining('must not have the same host and path as http://localhost/x'),
    ])
  })

  it.each([
    ['https://api.example.com', 'https://mcp.example.com'],
    ['https://api.example.com/v1', 'https://mcp.example.com/v1'],
    ['https://example.com/mcp', 'https://mcp.example.com/MCP'],
    ['http://localhost:3001/mcp', 'http://localhost:3002/mcp'],
  ])('a resource may have the path of the audience at another host: %s and %s', (audience, address) => {
    expect(problemsOf({ audience, resources: { [address]: mcp } })).toEqual([])
  })

  it('all problems of a resource are reported with their paths', () => {
    const wrong: [object, string, string][] = [
      [{ products: [], title: 'T' }, 'products', 'must have at least one product id'],
      [{ title: 'T' }, 'products', 'must be a list of at least one product id'],
      [{ products: 'tools', title: 'T' }, 'products', 'must be a list of at least one product id'],
      [{ products: ['tools'] }, 'title', 'is required'],
      [{ products: ['tools'], title: {} }, 'title', 'must be a text, or a text per locale'],
      [
        { products: ['tools'], title: 'T', metadataScopes: 'all' },
        'metadataScopes',
        'must be a list of scopes',
      ],
      [{ products: ['tools'], title: 'T', scopes: [] }, 'scopes', 'is unknown'],
    ]
    for (const [resource, field, message] of wrong) {
      expect(problemsOf({ resources: { [MCP]: resource } })).toMatchObject([
        { path: `resources['${MCP}'].${field}`, message: expect.stringContaining(message) },
      ])
    }
    expect(problemsOf({ resources: [MCP] })).toMatchObject([{ path: 'resources', code: 'type' }])
    expect(pathsOf({ metadataScopes: 'all' })).toEqual(['metadataScopes'])
  })
})

describe('the option mountPath', () => {
  it('mountPath is the path of the issuer by default', () => {
    expect(resolve().mountPath).toBe('/auth')
    expect(resolve({ issuer: 'https://auth.example.com' }).mountPath).toBe('')
    for (const root of ['', '/']) expect(resolve({ mountPath: root }).mountPath).toBe('')
    expect(resolve({ mountPath: '/sub/auth' }).mountPath).toBe('/sub/auth')
  })

  it('mountPath rejects anything but a plain path', () => {
    const wrong = ['auth', '/auth/', '//auth', '/a/../b', '/:id', '/a b', '/a?b', 5, null]
    expect(wrong.filter((mountPath) => pathsOf({ mountPath }).join() !== 'mountPath')).toEqual([])
  })
})

describe('options that are numbers', () => {
  const NUMBERS: [path: string, least: number, most: number][] = [
    ['refreshTokenGraceSeconds', 0, 60],
    ['startTimeoutMs', 1, 60_000],
    ['maxCachedTokens', 0, 10_000_000],
    ['lifetimes.signIn', 1, 3600],
    ['maxTokenRequests', 4, 1_000_000],
    ['maxPendingInteractions', 0, 1_000_000],
    ['maxRevocationsPerClient', 1, 1_000_000],
    ['maxSignInAttempts', 1, 100],
    ['audit.maxAgeDays', 1, 3660],
    ['audit.maxEntries', 1000, 100_000_000],
    ['audit.maxFailures', 1000, 100_000_000],
    ['lifetimes.directAccessToken', 1, 366 * 86_400],
    ['lifetimes.delegatedAccessToken', 1, 31 * 86_400],
    ['lifetimes.refreshToken', 1, 3660 * 86_400],
    ['lifetimes.authorizationCode', 1, 600],
    ['lifetimes.idToken', 1, 31 * 86_400],
    ['lifetimes.session', 1, 366 * 86_400],
  ]
  it('each option that is a number accepts the whole numbers of its range, and rejects all other values', () => {
    for (const [path, least, most] of NUMBERS) {
      const [name = '', inner] = path.split('.')
      const option = (value: unknown) => ({ [name]: inner === undefined ? value : { [inner]: value } })
      expect(resolve(option(least))).toMatchObject(option(least))
      expect(resolve(option(most))).toMatchObject(option(most))
      for (const value of [least - 1, most + 1, least + 0.5, '60', null]) {
        expect([path, value, pathsOf(option(value))]).toEqual([path, value, [path]])
      }
    }
    const none = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '60', null, true, 60n, [60]]
    for (const value of none) {
      const paths = pathsOf({ lifetimes: { session: value }, storeTimeoutMs: value })
      expect(paths).toEqual(['lifetimes.session', 'storeTimeoutMs'])
    }
    expect(problemsOf({ lifetimes: { authorizationCode: 601 } })).toEqual([
      {
        path: 'lifetimes.authorizationCode',
        code: 'range',
        message: 'must be a whole number of seconds from 1 to 600',
        min: 1,
        max: 600,
      },
    ])
  })
})

describe('the option accounts', () => {
  const find = never
  const signInUrl = () => '/login'

  it('accounts needs find, and current and signInUrl only together', () => {
    for (const accounts of [
      { find },
      { find, authenticate: never },
      { find, current: undefined, signOut: never },
      { find, current: never, signInUrl, authenticate: never },
    ]) {
      expect(pathsOf({ accounts })).toEqual([])
    }
    for (const [accounts, path] of [
      [undefined, 'accounts'],
      [null, 'accounts'],
      [never, 'accounts'],
      [{}, 'accounts.find'],
      [{ find: 'x' }, 'accounts.find'],
      [{ find, current: never }, 'accounts.signInUrl'],
      [{ find, signInUrl: '/login', current: never }, 'accounts.signInUrl'],
      [{ find, signInUrl }, 'accounts.current'],
      [{ find, authenticate: true }, 'accounts.authenticate'],
      [{ find, signout: never }, 'accounts.signout'],
    ] as const) {
      expect([accounts, pathsOf({ accounts })]).toEqual([accounts, [path]])
    }
  })
})

describe('the options store, logger and products', () => {
  it('resolving reports every missing method of store and logger', () => {
    expect(pathsOf({ store: {}, logger: {} })).toEqual([
      'logger.debug',
      'logger.info',
      'logger.warn',
      'logger.error',
      ...Object.keys(store).map((method) => `store.${method}`),
    ])
    expect(pathsOf({ store: 'redis://localhost', logger: false })).toEqual(['logger', 'store'])
  })

  it('the options accept console as logger', () => {
    expect(pathsOf({ logger: console })).toEqual([])
  })

  it('the option products rejects anything but an object of products or a function', () => {
    for (const value of [undefined, null, [], 'products', new Map(), Promise.resolve({})]) {
      expect(pathsOf({ products: value })).toEqual(['products'])
    }
  })
})

describe('the options kycLevels, claims, branding, texts and defaultLocale', () => {
  const WRONG: [options: Record<string, unknown>, path: string][] = [
    [{ kycLevels: 'none' }, 'kycLevels'],
    [{ kycLevels: [''] }, 'kycLevels'],
    [{ kycLevels: ['a', 1] }, 'kycLevels'],
    [{ kycLevels: ['a', 'b', 'a'] }, 'kycLevels'],
    [{ requirePkce: 'false' }, 'requirePkce'],
    [{ claimsInIdToken: 'yes' }, 'claimsInIdToken'],
    [{ claims: [] }, 'claims'],
    [{ claims: { openid: ['name'] } }, 'claims.openid'],
    [{ claims: { offline_access: [] } }, 'claims.offline_access'],
    [{ claims: { 'a b': ['name'] } }, "claims['a b']"],
    [{ claims: { company: 'name' } }, 'claims.company'],
    [{ claims: { company: ['name', ''] } }, 'claims.company'],
    [{ claims: { company: ['iss'] } }, 'claims.company'],
    [{ branding: null }, 'branding'],
    [{ branding: { name: ' ' } }, 'branding.name'],
    [{ branding: { colour: '#000000' } }, 'branding.colour'],
    [{ branding: { accentColor: '#fff' } }, 'branding.accentColor'],
    [{ branding: { accentColor: '#1a56db;}' } }, 'branding.accentColor'],
    [{ branding: { logo: 'http://example.com/logo.svg' } }, 'branding.logo'],
    [{ branding: { logo: '//example.com/logo.svg' } }, 'branding.logo'],
    [{ branding: { logo: '/\\example.com/logo.svg' } }, 'branding.logo'],
    [{ branding: { logo: 'logo.svg' } }, 'branding.logo'],
    [{ branding: { logo: 'javascript:alert(1)' } }, 'branding.logo'],
    [{ branding: { logo: 'data:image/svg+xml,x' } }, 'branding.logo'],
    [{ connectedApplicationsUri: 'http://example.com/settings' }, 'connectedApplicationsUri'],
    [{ connectedApplicationsUri: '//example.com/settings' }, 'connectedApplicationsUri'],
    [{ connectedApplicationsUri: 'javascript:alert(1)' }, 'connectedApplicationsUri'],
    [{ connectedApplicationsUri: 'https://u:p@example.com/' }, 'connectedApplicationsUri'],
    [{ connectedApplicationsUri: '' }, 'connectedApplicationsUri'],
    [{ connectedApplicationsUri: 7 }, 'connectedApplicationsUri'],
    [{ texts: { de_CH: {} } }, 'texts.de_CH'],
    [{ texts: { de: 'Anmelden' } }, 'texts.de'],
    [{ texts: { de: { signInTitle: 5 } } }, 'texts.de.signInTitle'],
    [{ texts: { de: { signIn: 'Anmelden' } } }, 'texts.de.signIn'],
    [{ defaultLocale: '' }, 'defaultLocale'],
    [{ defaultLocale: 'de_CH' }, 'defaultLocale'],
  ]
  it('createGatehouse rejects wrong values of these options, and names the option', () => {
    const found = WRONG.map(([options]) => [options, pathsOf(options)])
    expect(found).toEqual(WRONG.map(([options, path]) => [options, [path]]))
  })

  it('createGatehouse accepts documented values of kycLevels, requirePkce, claims, branding, connectedApplicationsUri and texts', () => {
    const options = {
      kycLevels: ['none', 'geprüft'],
      requirePkce: true,
      claims: { company: ['vat_id'] },
      branding: { name: 'Example', logo: '/logo.svg', accentColor: '#AABBCC' },
      connectedApplicationsUri: '/settings/applications',
      texts: { 'de-CH': { signInTitle: 'Anmelden' } },
      defaultLocale: 'de-CH',
    }
    expect(resolve(options)).toMatchObject(options)
    expect(resolve({ branding: { logo: 'https://example.com/logo.svg' } }).branding.name).toBe('example.com')
    expect(resolve({ claims: {} }).claims).toEqual({})
  })
})
