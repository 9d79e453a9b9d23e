import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { products } from '../../fixtures/products.ts'
import { CALLBACK, connect } from '../../support/host.ts'
import { keyPairOf } from '../../support/rsa-keys.ts'
import { describeEachStore } from '../../support/stores.ts'
import { documentOf, type OpenApi } from './described.ts'
import { browserOf, request, startManagement, type ManagementHost } from './setup.ts'

/** One operation of the document, with the codes of its 4xx answers. */
interface Described {
  readonly method: string
  readonly path: string
  readonly codes: readonly string[]
  readonly hasBody: boolean
  readonly hasQuery: boolean
  readonly isConditional: boolean
}

/** One request that must be rejected: the values of its path, and what else differs from a valid request. */
interface Attempt {
  readonly values?: Readonly<Record<string, string>>
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const MAX_CLIENTS = 12
const JSON_TYPE = { 'content-type': 'application/json' }
/** More operations than a token can carry. */
const everything = {
  title: 'Everything',
  operations: Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `large:${'x'.repeat(70)}${at}`,
      { route: `GET /large/${at}` as const, title: `Operation ${at}` },
    ]),
  ),
}
const LARGE = Object.keys(everything.operations)

/** Codes that need a race, and so have tests of their own: idempotency.test.ts, secret-rotation.test.ts, collection.test.ts, roles.test.ts. */
const OF_RACES = ['ERR_CONFLICT', 'ERR_IN_PROGRESS', 'ERR_SECRETS_CHANGED']
const needsRace = (code: string, { isConditional }: Described) =>
  OF_RACES.includes(code) || (code === 'ERR_CHANGED' && !isConditional)

function operationsOf({ paths, components }: OpenApi): Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody, responses }]) => {
      const rejections = Object.entries(responses).filter(([status]) => status.startsWith('4'))
      const codes = rejections.flatMap(([, reference]) => {
        const name = (reference as { $ref: string }).$ref.split('/').at(-1) ?? ''
        const text = JSON.stringify(components['responses']?.[name])
        return JSON.parse(/"enum":(\["ERR_[^\]]+\])/.exec(text)?.[1] ?? '[]') as string[]
      })
      return {
        method: method.toUpperCase(),
        path,
        codes,
        hasBody: requestBody !== undefined,
        hasQuery: parameters.some((each) => each.in === 'query'),
        isConditional: parameters.some(({ name }) => name === 'If-Match'),
      }
    }),
  )
}

describeEachStore('the codes that openapi.json promises', (makeStore) => {
  let host: ManagementHost
  let ownKeys: ManagementHost
  let operations: Described[] = []
  /** The values of the paths of valid requests, besides the client id. */
  let values: Record<string, string> = {}
  let ownSecret = ''
  /** A public key, as a JWK. */
  let key: object = {}
  let publicApplication = ''
  /**
   * By the first part of a path: a client, one whose tokens are as large as allowed, one with two secrets, and one with a
   * key and no secret.
   */
  const clients: Record<string, Record<'usual' | 'large' | 'rotated' | 'disabled' | 'keyed', string>> = {}

  beforeAll(async () => {
    const data = `codes ${Date.now()}`
    const keys = await Promise.all(
      (['ES256', 'RS256'] as const).map(async (alg) => {
        const { privateKey } = await keyPairOf(alg)
        return { ...(await exportJWK(privateKey)), kid: alg }
      }),
    )
    host = await startManagement({
      store: makeStore(data),
      gatehouse: {
        products: { ...products, large: everything },
        maxClientsPerAccount: MAX_CLIENTS,
        publicApplications: true,
        privateKeyJwt: true,
      },
      accounts: {
        can: (ctx) => ctx.get('test-forbidden') === '',
        confirm: (ctx) => ctx.get('test-confirm') === '' || '/prove',
      },
    })
    ownKeys = await startManagement({ store: makeStore(), gatehouse: { signingKeys: { jwks: { keys } } } })
    operations = operationsOf(await documentOf(host.origin))

    const { call } = host.api('acme')
    const create = async (base: string, input: object = {}) => {
      const { body } = await call(`POST ${base}`, {
        name: 'Nightly export',
        products: ['invoices'],
        ...input,
      })
      return { ...(body.apiKey ?? body.application), client_secret: body.clientSecret }
    }
    const { publicKey } = await generateKeyPair('ES256')
    key = { ...(await exportJWK(publicKey)), kid: 'only' }
    publicApplication = (await create('/applications', { isPublic: true })).clientId
    const application = await create('/applications', { redirectUris: [CALLBACK] })
    ownSecret = application.client_secret
    const large = async (base: string) => {
      for (let removed = 1; removed < LARGE.length; removed += 1) {
        const input = { products: ['large'], removedOperations: LARGE.slice(0, removed) }
        const { clientId } = await create(base, input)
        if (clientId !== undefined) return String(clientId)
      }
      throw new Error('no client has so many operations')
    }
    for (const base of ['/api-keys', '/applications']) {
      const usual = base === '/applications' ? application : await create(base)
      const rotated = await create(base)
      await call(`POST ${base}/${rotated.clientId}/secrets`, {})
      const { clientId: disabled } = await create(base)
      await host.api('root').call(`POST /operator/clients/${disabled}/disable`)
      const { clientId: keyed } = await create(base, { jwks: { keys: [key] } })
      clients[base] = {
        usual: usual.clientId,
        large: await large(base),
        rotated: rotated.clientId,
        disabled,
        keyed,
      }
    }
    clients['/operator'] = clients['/api-keys']!

    const browser = browserOf(host, 'acme')
    await connect(
      host,
      { client_id: application.clientId, client_secret: application.client_secret },
      { browser },
    )
    const [{ grantId }] = (await call('GET /authorizations')).body.items
    const [{ kid }] = (await host.api('root').call('GET /operator/signing-keys')).body.items
    values = {
      accountId: 'acme',
      userId: 'olga',
      product: 'payments',
      scope: 'invoices:read',
      grantId,
      kid,
    }
    for (let at = 0; at < MAX_CLIENTS; at += 1)
      await host.api('bob').call('POST /api-keys', { name: `Key ${at}` })
  })
  afterAll(() => Promise.all([host.close(), ownKeys.close()]))

  const isForOperators = ({ path }: Described) => path.startsWith('/operator')
  const isCreation = ({ method, path }: Described) => method === 'POST' && path.lastIndexOf('/') === 0
  const bodyWith = (fields: object) => ({
    headers: JSON_TYPE,
    body: JSON.stringify({ name: 'Nightly', ...fields }),
  })

  /** A body that an operation accepts. */
  function validBodyOf(operation: Described): object {
    if (isCreation(operation)) return { name: 'x' }
    if (operation.path.endsWith('/owner')) return { userId: 'olga' }
    return operation.path.endsWith('/keys') ? { key } : {}
  }

  /** The request that an operation rejects with a code. */
  function attemptFor(code: string, operation: Described): Attempt {
    const { path, hasBody, isConditional } = operation
    const {
      usual = '',
      large = '',
      rotated = '',
      disabled = '',
      keyed = '',
    } = clients[`/${path.split('/')[1]}`] ?? {}
    switch (code) {
      case 'ERR_QUERY':
        return { query: `?${'a&'.repeat(200)}` }
      case 'ERR_NOT_SIGNED_IN':
        return { headers: { 'test-token': '' } }
      case 'ERR_FORBIDDEN':
        return {
          headers: {
            ...(path.startsWith('/secrets') && JSON_TYPE),
            'test-forbidden': 'yes',
            ...(isForOperators(operation) && { 'test-token': 'acme' }),
          },
          ...(path.startsWith('/secrets') && { body: JSON.stringify({ secret: ownSecret }) }),
        }
      case 'ERR_CONFIRM':
        return {
          headers: { ...(hasBody && JSON_TYPE), 'test-confirm': 'yes' },
          ...(hasBody && { body: JSON.stringify(validBodyOf(operation)) }),
        }
      case 'ERR_CSRF':
        return {
          headers: { 'test-token': '', 'test-session': isForOperators(operation) ? 'root' : 'acme' },
        }
      case 'ERR_NOT_FOUND':
        if (path === '/audit' || path === '/usage') return { query: '?clientId=key_unknown' }
        if (path.endsWith('/report-leaked'))
          return { headers: JSON_TYPE, body: JSON.stringify({ secret: 'unknown' }) }
        return {
          values: { clientId: 'key_unknown', grantId: 'unknown', accountId: 'stranger', kid: 'unknown' },
        }
      case 'ERR_CHANGED':
        return {
          headers: { ...JSON_TYPE, 'if-match': '"another"' },
          ...(hasBody && { body: JSON.stringify(validBodyOf(operation)) }),
        }
      case 'ERR_MEDIA_TYPE':
        return { headers: { 'content-type': 'text/plain' }, body: 'x' }
      case 'ERR_BODY_TOO_LARGE':
        return bodyWith({ name: 'x'.repeat(70_000) })
      case 'ERR_BODY':
        return { headers: JSON_TYPE, body: '{' }
      case 'ERR_INPUT':
        if (isConditional) return bodyWith({ colour: 'red' })
        return hasBody ? bodyWith({ colour: 'red' }) : { headers: { 'if-match': '"1"' } }
      case 'ERR_INVALID_ARGUMENT':
        if (path.endsWith('/limits')) return { headers: JSON_TYPE, body: '{}' }
        if (path.endsWith('/owner')) return { headers: JSON_TYPE, body: JSON.stringify({ userId: '' }) }
        if (path.endsWith('/keys')) return { headers: JSON_TYPE, body: JSON.stringify({ key: 'no key' }) }
        if (path.endsWith('/secrets') || path.endsWith('/report-compromised'))
          return { values: { clientId: publicApplication } }
        if (path.endsWith('/uncalled-operations')) return { query: '?days=0' }
        if (path.includes('/usage')) return { query: '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z' }
        if (operation.hasQuery) return { query: '?cursor=unknown' }
        return hasBody ? bodyWith({ name: 'a\nb' }) : { values: { product: 'unknown', scope: 'unknown' } }
      case 'ERR_SCOPE_TOO_LARGE':
        if (isCreation(operation)) return bodyWith({ products: ['large'] })
        return path.endsWith('{product}')
          ? { values: { clientId: usual, product: 'large' } }
          : { values: { clientId: large, scope: LARGE[0]! } }
      case 'ERR_TOO_MANY_CLIENTS':
        return { headers: { ...JSON_TYPE, 'test-token': 'bob' }, body: JSON.stringify({ name: 'One more' }) }
      case 'ERR_IDEMPOTENCY_KEY':
        return {
          headers: { ...JSON_TYPE, 'idempotency-key': 'x'.repeat(256) },
          body: JSON.stringify(isCreation(operation) ? { name: 'x' } : {}),
        }
      case 'ERR_ONE_SECRET':
        return path.endsWith('{kid}') ? { values: { clientId: keyed, kid: 'only' } } : {}
      case 'ERR_DISABLED_BY_OPERATOR':
        return { values: { clientId: disabled } }
      case 'ERR_TWO_SECRETS':
        return { values: { clientId: rotated } }
      default:
        return {}
    }
  }

  async function answerTo(operation: Described, code: string) {
    const { method, path } = operation
    const isOwnKeys = code === 'ERR_SIGNING_KEYS_READ_ONLY'
    const attempt = attemptFor(code, operation)
    const known = {
      ...values,
      clientId: clients[`/${path.split('/')[1]}`]?.usual ?? '',
      ...(isOwnKeys && { kid: 'ES256' }),
      ...attempt.values,
    }
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof known) =>
      encodeURIComponent(known[name] ?? ''),
    )
    return request(isOwnKeys ? ownKeys : host, method, target + (attempt.query ?? ''), {
      headers: { 'test-token': isForOperators(operation) ? 'root' : 'acme', ...attempt.headers },
      ...(attempt.body !== undefined && { body: attempt.body }),
    })
  }

  it('each operation answers with each code that it promises, and changes nothing', async () => {
    const listed = async () =>
      Promise.all(
        ['/api-keys', '/applications'].map(async (base) => (await host.api('acme').call(`GET ${base}`)).body),
      )
    const before = await listed()
    expect(operations.length).toBeGreaterThan(50)
    const wrong: string[] = []
    for (const operation of operations) {
      for (const code of operation.codes.filter((each) => !needsRace(each, operation))) {
        const { status, headers, body } = await answerTo(operation, code)
        const found = `${operation.method} ${operation.path} ${code}: ${status} ${body?.code}`
        if (body?.code !== code) wrong.push(found)
        if (status === 401) expect(headers.get('www-authenticate'), found).toBe('Bearer')
      }
    }
    expect(wrong).toEqual([])
    expect(await listed()).toEqual(before)
  })
})
