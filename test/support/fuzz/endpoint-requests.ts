import { SCOPES } from './api.ts'
import type { KnownClient } from './clients.ts'
import type { Material } from './material.ts'
import { hostileValue } from './payloads.ts'
import { weighted, type Random } from './random.ts'
import type { FuzzRequest, Pair } from './request.ts'
import { AUDIENCE, CALLBACK, PASSWORD, SERVICE, SIGNED_OUT } from './fuzz-host.ts'

/** Makes a valid or nearly valid request to an endpoint. The caller may mutate the request. */
export type MakeRequest = (random: Random, material: Material) => FuzzRequest

const FORM: Pair = ['Content-Type', 'application/x-www-form-urlencoded']
const HOST: Pair = ['Host', 'localhost:3000']
/** A PKCE code challenge and its verifier (RFC 7636, appendix B). */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJGuCHaoeK1t8URWbuGJSstw-cM'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

const get = (path: string, query: readonly Pair[], headers: readonly Pair[] = []): FuzzRequest => ({
  server: SERVICE,
  method: 'GET',
  path,
  query,
  headers: [HOST, ...headers],
})

const post = (path: string, content: readonly Pair[], headers: readonly Pair[] = []): FuzzRequest => ({
  server: SERVICE,
  method: 'POST',
  path,
  query: [],
  headers: [HOST, FORM, ...headers],
  body: { content },
})

/** Picks each of the pairs with the same probability. */
function some(random: Random, pairs: readonly Pair[], probability: number): Pair[] {
  return pairs.filter(() => random.chance(probability))
}

/** Returns the credentials of a client for the body or for a header, mostly with the right secret. */
function authentication(random: Random, { clients }: Material, client = random.pick(clients)) {
  const secret = random.chance(0.85) ? client.clientSecret : random.pick(clients).clientSecret
  if (random.chance(0.6)) {
    return {
      client,
      body: [['client_id', client.clientId] as Pair, ['client_secret', secret] as Pair],
      headers: [],
    }
  }
  const basic = Buffer.from(`${client.clientId}:${secret}`).toString('base64')
  return { client, body: [], headers: [['Authorization', `Basic ${basic}`] as Pair] }
}

const clientOf = (random: Random, { clients }: Material, kind: KnownClient['kind']) =>
  random.pick(clients.filter((one) => one.kind === kind))

const scopes = (random: Random) =>
  ['openid', 'profile', 'offline_access', ...SCOPES].filter(() => random.chance(0.3)).join(' ')

const withCookie = (random: Random, { sessions }: Material): Pair[] =>
  sessions.length > 0 && random.chance(0.6) ? [['Cookie', random.pick(sessions)]] : []

const accept = (random: Random): Pair[] =>
  random.chance(0.7) ? [['Accept', random.pick(['text/html', 'application/json', '*/*'])]] : []

const authorize: MakeRequest = (random, material) => {
  const client = random.chance(0.9)
    ? clientOf(random, material, 'application')
    : random.pick(material.clients)
  const parameters: Pair[] = [
    ['client_id', client.clientId],
    ['response_type', 'code'],
    ['redirect_uri', CALLBACK],
    ...some(
      random,
      [
        ['scope', scopes(random)],
        ['state', random.chance(0.5) ? 'xyz' : hostileValue(random)],
        ['prompt', random.pick(['none', 'login', 'consent', 'select_account', 'login consent', 'create'])],
        ['code_challenge', CHALLENGE],
        ['code_challenge_method', 'S256'],
      ],
      0.5,
    ),
    ...some(
      random,
      [
        ['nonce', 'n-0S6_WzA2Mj'],
        ['resource', AUDIENCE],
        ['response_mode', random.pick(['query', 'fragment', 'form_post', 'web_message', 'jwt', 'query.jwt'])],
        ['max_age', random.pick(['0', '1', '3600', '-1'])],
        ['login_hint', random.chance(0.5) ? 'alice' : hostileValue(random)],
        ['ui_locales', random.pick(['de', 'en fr', 'xx-YY', hostileValue(random)])],
        ['display', 'page'],
        ['acr_values', '0'],
        ['claims', '{"userinfo":{"email":null}}'],
        ['id_token_hint', material.idTokens.at(-1) ?? 'x'],
        ['response_type', random.pick(['token', 'id_token', 'code token', 'none'])],
        ['request', 'eyJhbGciOiJub25lIn0.e30.'],
        ['registration', '{}'],
      ],
      0.12,
    ),
  ]
  const headers = [...withCookie(random, material), ...accept(random)]
  if (random.chance(0.25)) return post('/auth/oauth2/authorize', parameters, headers)
  return get('/auth/oauth2/authorize', parameters, headers)
}

const token: MakeRequest = (random, material) => {
  const code = material.codes.length > 0 ? random.pick(material.codes) : undefined
  const refreshToken = material.refreshTokens.length > 0 ? random.pick(material.refreshTokens) : undefined
  const kind = random.below(10)
  const scope: Pair[] = random.chance(0.4) ? [['scope', scopes(random)]] : []
  if (kind < 3 && code) {
    const { body, headers } = authentication(random, material, random.chance(0.9) ? code.client : undefined)
    const more = some(
      random,
      [
        ['redirect_uri', CALLBACK],
        ['code_verifier', VERIFIER],
        ['resource', AUDIENCE],
      ],
      0.2,
    )
    return post(
      '/auth/oauth2/token',
      [['grant_type', 'authorization_code'], ['code', code.text], ...body, ...more],
      headers,
    )
  }
  if (kind < 6 && refreshToken) {
    const { body, headers } = authentication(
      random,
      material,
      random.chance(0.9) ? refreshToken.client : undefined,
    )
    return post(
      '/auth/oauth2/token',
      [['grant_type', 'refresh_token'], ['refresh_token', refreshToken.text], ...scope, ...body],
      headers,
    )
  }
  const { body, headers } = authentication(random, material)
  const grant = random.chance(0.85)
    ? 'client_credentials'
    : random.pick(['password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', '__proto__'])
  return post(
    '/auth/oauth2/token',
    [['grant_type', grant], ...scope, ...some(random, [['resource', AUDIENCE]], 0.1), ...body],
    headers,
  )
}

/** Picks a token that a request may revoke, or an invalid token. */
function expendable(random: Random, { revocable, forged, refreshTokens, idTokens }: Material): string {
  const texts = [
    ...revocable.slice(-4).map(({ text }) => text),
    ...refreshTokens.slice(-2).map(({ text }) => text),
    ...idTokens.slice(-1),
    random.pick(forged).text,
  ]
  return random.pick(texts)
}

const revoke: MakeRequest = (random, material) => {
  const { body, headers } = authentication(random, material)
  const hint = random.pick(['access_token', 'refresh_token', 'id_token', '__proto__'])
  return post(
    '/auth/oauth2/revoke',
    [['token', expendable(random, material)], ...some(random, [['token_type_hint', hint]], 0.3), ...body],
    headers,
  )
}

const introspect: MakeRequest = (random, material) => {
  const { body, headers } = authentication(random, material)
  const asked = random.chance(0.4) ? random.pick(material.steady).text : expendable(random, material)
  return post('/auth/oauth2/introspect', [['token', asked], ...body], headers)
}

const userinfo: MakeRequest = (random, material) => {
  const { text } = random.pick([...material.steady, ...material.revocable, ...material.forged])
  if (random.chance(0.2)) return post('/auth/oauth2/userinfo', [['access_token', text]])
  return get('/auth/oauth2/userinfo', [], [['Authorization', `Bearer ${text}`], ...accept(random)])
}

const document: MakeRequest = (random) =>
  get(
    random.pick([
      '/auth/oauth2/jwks',
      '/auth/.well-known/openid-configuration',
      '/auth/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/auth',
      '/.well-known/oauth-protected-resource/api',
      '/.well-known/oauth-protected-resource',
      '/.well-known/openid-configuration/auth',
    ]),
    [],
    random.chance(0.2) ? [['Origin', 'https://evil.example']] : [],
  )

const logout: MakeRequest = (random, material) => {
  const parameters = some(
    random,
    [
      ['client_id', clientOf(random, material, 'application').clientId],
      ['post_logout_redirect_uri', SIGNED_OUT],
      ['state', random.chance(0.5) ? 'xyz' : hostileValue(random)],
      ['id_token_hint', material.idTokens.at(-1) ?? 'x'],
      ['ui_locales', 'de'],
      ['logout_hint', 'alice'],
    ],
    0.5,
  )
  const path = random.pick(['', '', '', '/confirm', '/success'])
  const headers = [...withCookie(random, material), ...accept(random)]
  if (path === '/confirm' || random.chance(0.2)) {
    return post(`/auth/oauth2/logout${path}`, [...parameters, ['logout', 'yes'], ['xsrf', 'x']], headers)
  }
  return get(`/auth/oauth2/logout${path}`, parameters, headers)
}

const page: MakeRequest = (random, material) => {
  if (material.forms.length === 0) return authorize(random, material)
  const { path, fields, cookie } = random.pick(material.forms)
  const headers: Pair[] = [['Cookie', cookie], ...accept(random)]
  const bare = path.replace(/\/(sign-in|consent|switch|confirm)$/, '')
  if (fields.length === 0 || random.chance(0.4))
    return get(bare, random.chance(0.1) ? [['returned', '1']] : [], headers)
  const typed: Pair[] = [
    ['identifier', random.chance(0.7) ? 'alice' : hostileValue(random)],
    ['password', random.chance(0.7) ? PASSWORD : 'wrong'],
    ['action', random.pick(['approve', 'deny', 'other'])],
    ['logout', 'yes'],
  ]
  if (random.chance(0.6)) headers.push(['Origin', 'http://localhost:3000'], ['Sec-Fetch-Site', 'same-origin'])
  const own = fields.filter(([name]) => name !== 'identifier' && name !== 'password')
  return post(path, [...own, ...typed], headers)
}

/** Requests the address to which the sign-in and consent pages redirect. */
const resume: MakeRequest = (random, material) => {
  if (material.forms.length === 0) return authorize(random, material)
  const { path, cookie } = random.pick(material.forms)
  const [, uid = 'x'] = /interaction\/([^/]+)/.exec(path) ?? []
  return get(`/auth/oauth2/authorize/${uid}`, [], [['Cookie', cookie], ...accept(random)])
}

const feed: MakeRequest = (random, material) => {
  const { client } = authentication(random, material)
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')
  return get(
    '/auth/oauth2/revocations',
    random.chance(0.5) ? [['cursor', random.pick(['0', '0-0', 'x', hostileValue(random)])]] : [],
    [
      ['Authorization', `Basic ${basic}`],
      ['If-None-Match', random.pick(['*', '"x"', 'W/"x", "y"'])],
    ],
  )
}

/** All endpoints. Endpoints with more code are picked more often. */
const ENDPOINTS = weighted<MakeRequest>([
  [authorize, 3],
  [token, 4],
  [page, 3],
  [revoke, 1],
  [introspect, 2],
  [userinfo, 2],
  [document, 1],
  [logout, 1],
  [resume, 1],
  [feed, 1],
])

/** Makes a request without mutations to an endpoint of the authorization service. */
export const endpointRequest: MakeRequest = (random, material) => random.pick(ENDPOINTS)(random, material)
