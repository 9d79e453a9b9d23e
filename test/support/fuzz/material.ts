import { formsOf, type Browser, type Page } from '../browser.ts'
import { headerOf, type Answer } from './answer.ts'
import { SCOPES } from './api.ts'
import type { Outcome } from './driver.ts'
import { createClients, type KnownClient } from './clients.ts'
import { cookiesOf, createJourneys } from './journeys.ts'
import { textOf, type FuzzRequest, type Pair } from './request.ts'
import { ISSUER, ORIGIN, PASSWORD, SECRET, type FuzzHost, type FuzzHostOptions } from './fuzz-host.ts'
import { canonical, forgedTokens, payloadOf, type KnownToken } from './tokens.ts'

/** A form of a page of gatehouse that has not been sent. */
export interface PendingForm {
  readonly path: string
  readonly fields: readonly Pair[]
  readonly cookie: string
}

/** Maximum length of each list of codes, tokens, cookies and forms. The newest entries are kept. */
const MAX_ENTRIES = 24
/** All scopes that an application can request. */
const EVERYTHING = `openid profile email ${SCOPES.join(' ')}`
/** Maximum number of issued secrets to look for. The newest secrets are kept. */
const MAX_ISSUED_SECRETS = 120

/** The parts of valid requests: clients, tokens, codes, cookies, forms. Responses add further parts. */
export interface Material {
  readonly options: FuzzHostOptions
  readonly clients: readonly KnownClient[]
  /** Tokens that no request revokes. */
  readonly steady: readonly KnownToken[]
  readonly forged: readonly KnownToken[]
  /** Tokens that requests may revoke. */
  readonly revocable: KnownToken[]
  readonly codes: { readonly text: string; readonly client: KnownClient }[]
  readonly refreshTokens: { readonly text: string; readonly client: KnownClient }[]
  readonly idTokens: string[]
  /** `Cookie` headers of signed-in users. */
  readonly sessions: string[]
  readonly forms: PendingForm[]
  /**
   * Secrets with their labels. Only the response that issues a secret may contain it. Old issued secrets are
   * removed.
   */
  readonly secrets: ReadonlyMap<string, string>
  /** Finds the known token that a text represents. */
  tokenOf(text: string): KnownToken | undefined
  /** Runs further authorizations, which yield new codes, tokens, cookies and forms. */
  refill(): Promise<void>
  /** Adds the codes, tokens and forms that a response issued. */
  learn(request: FuzzRequest, outcome: Outcome): void
}

/** Makes the parts of valid requests to a host. */
export async function createMaterial(fuzzHost: FuzzHost): Promise<Material> {
  const { options } = fuzzHost
  const { authorize, issue } = createJourneys(fuzzHost)
  const clients = await createClients(fuzzHost)
  const known = createKnown(clients, options)
  const { secrets, keepSecret, keepCookies, codeFrom, tokenFrom, tokenOf } = known
  const [first] = clients
  if (!first) throw new Error('the host has no clients')
  const credentials = ({ clientId, clientSecret }: KnownClient) => ({
    client_id: clientId,
    client_secret: clientSecret,
  })
  const clientCalled = (label: string) => clients.find((one) => one.label === label) ?? first

  async function direct(label: string, scope?: string): Promise<KnownToken> {
    const client = clientCalled(label)
    const answer = await issue({
      ...credentials(client),
      grant_type: 'client_credentials',
      ...(scope === undefined ? {} : { scope }),
    })
    return tokenFrom(answer, `direct token of ${label}${scope === undefined ? '' : ` for ${scope}`}`)
  }

  function keepForms(page: Page, browser: Browser): void {
    for (const { action, fields } of formsOf(page)) {
      keep(material.forms, { path: new URL(action, page.url).pathname, fields, cookie: cookiesOf(browser) })
    }
    keepCookies(browser)
  }

  async function exchange(client: KnownClient, scope: string, label: string): Promise<KnownToken> {
    const { page, browser } = await authorize(client, scope, 'code')
    keepCookies(browser)
    const code = codeFrom(page)
    const answer = await issue({ ...credentials(client), grant_type: 'authorization_code', code })
    const refreshToken = answer['refresh_token'] ?? ''
    keepSecret(refreshToken, 'refresh token')
    if (label !== '') return tokenFrom(answer, label)
    keep(material.refreshTokens, { text: refreshToken, client })
    if (answer['id_token'] !== undefined) keep(material.idTokens, answer['id_token'])
    keep(material.sessions, cookiesOf(browser))
    const revocable = tokenFrom(answer, 'delegated token')
    keep(material.revocable, revocable)
    return revocable
  }

  let refills = 0
  const material: Material = {
    options,
    clients,
    steady: [],
    forged: [],
    revocable: [],
    codes: [],
    refreshTokens: [],
    idTokens: [],
    sessions: [],
    forms: [],
    secrets,
    tokenOf,

    async refill() {
      refills += 1
      const client = clientCalled(refills % 3 === 0 ? 'another application' : 'an application')
      await exchange(client, EVERYTHING, '')
      const { page } = await authorize(client, EVERYTHING, 'code')
      keep(material.codes, { text: codeFrom(page), client })
      for (const until of ['sign-in', 'consent'] as const) {
        const waiting = await authorize(client, EVERYTHING, until)
        keepForms(waiting.page, waiting.browser)
      }
      const { browser } = await authorize(client, EVERYTHING, 'code')
      keepForms(await browser.open(`${ISSUER}/oauth2/logout?client_id=${client.clientId}`), browser)
      keep(material.revocable, await direct('an API key'))
    },

    learn(request, { answers }) {
      for (const answer of answers) learnFrom(request, answer, material, known)
    },
  }

  const steady = await steadyTokens(direct, (label, scope, name) =>
    exchange(clientCalled(label), scope, name),
  )
  const rejected = (await rejectedTokens(fuzzHost, direct, clientCalled)).map((token) =>
    known.add({ ...token, label: `revoked: ${token.label}`, scopes: undefined }),
  )
  const forged = await forgedTokens(options.keys, clientCalled('an API key').clientId, SCOPES.join(' '))
  await material.refill()
  const others = [
    ...material.idTokens.map((text) => ({ label: 'ID token', text })),
    ...material.refreshTokens.map(({ text }) => ({ label: 'refresh token', text })),
    ...material.codes.map(({ text }) => ({ label: 'authorization code', text })),
    ...clients.map(({ clientSecret }) => ({ label: 'client secret', text: clientSecret })),
  ].map((one) => ({ ...one, scopes: undefined, clientId: '' }))
  return Object.assign(material, { steady, forged: [...forged, ...rejected, ...others] })
}

type Known = ReturnType<typeof createKnown>

/** Creates the lists of secrets and tokens that the host has issued. */
function createKnown(clients: readonly KnownClient[], options: FuzzHostOptions) {
  const secrets = new Map<string, string>([
    [SECRET, 'the secret of the options'],
    [PASSWORD, 'a password'],
  ])
  for (const { clientSecret, label } of clients) secrets.set(clientSecret, `client secret of ${label}`)
  for (const [name, key] of Object.entries(options.keys)) {
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
      if (key[member]) secrets.set(String(key[member]), `${member} of the key ${name}`)
    }
  }
  const permanent = secrets.size
  const keepSecret = (text: string, label: string) => {
    secrets.set(text, label)
    if (secrets.size <= permanent + MAX_ISSUED_SECRETS) return
    const oldest = [...secrets.keys()][permanent]
    if (oldest !== undefined) secrets.delete(oldest)
  }
  const byCanonical = new Map<string, KnownToken>()
  const add = (token: KnownToken) => {
    byCanonical.set(canonical(token.text) ?? token.text, token)
    return token
  }

  function tokenFrom(answer: Record<string, string>, label: string): KnownToken {
    const text = answer['access_token'] ?? ''
    const clientId = /"client_id":"([^"]+)"/.exec(payloadOf(text))?.[1] ?? ''
    keepSecret(text.split('.')[2] ?? text, label)
    const scopes = new Set((answer['scope'] ?? '').split(' '))
    return add({ label, text, scopes, clientId })
  }

  function keepCookies(browser: Browser): void {
    for (const [key, { value }] of browser.cookies) {
      if (value.length > 15) keepSecret(value, `cookie ${key.split('|')[0]}`)
    }
  }

  function codeFrom(page: Page): string {
    const code = page.url.searchParams.get('code')
    if (code === null) throw new Error(`no code, but ${page.url.href}: ${page.body}`)
    keepSecret(code, 'authorization code')
    return code
  }

  const tokenOf = (text: string) => byCanonical.get(canonical(text) ?? text)
  return { secrets, keepSecret, keepCookies, codeFrom, add, tokenFrom, tokenOf }
}

/** Issues tokens of each kind, for one scope, some and all. */
async function steadyTokens(
  direct: (label: string, scope?: string) => Promise<KnownToken>,
  exchange: (label: string, scope: string, name: string) => Promise<KnownToken>,
): Promise<KnownToken[]> {
  return [
    await direct('an API key'),
    await direct('an API key of two products'),
    await direct('a resource server'),
    ...(await Promise.all(
      ['items:read', 'items:keys', 'banks:sign', 'texts:read', 'root:read', 'marks:read items:drop'].map(
        (scope) => direct('an API key', scope),
      ),
    )),
    await exchange('an application', EVERYTHING, 'delegated token for EVERYTHING'),
    await exchange('an application', 'items:read banks:items', 'delegated token for two scopes'),
    await exchange('another application', 'openid email items:list', 'delegated token with openid'),
  ]
}

/** Issues tokens, and makes the gateway reject them: one is revoked, one client is disabled, and one is deleted. */
async function rejectedTokens(
  { gatehouse }: FuzzHost,
  direct: (label: string) => Promise<KnownToken>,
  clientCalled: (label: string) => KnownClient,
): Promise<KnownToken[]> {
  const revoked = await direct('an API key')
  await gatehouse.tokens.revoke(revoked.text)
  const ofDisabled = await direct('a disabled API key')
  await gatehouse.apiKeys.disable(clientCalled('a disabled API key').clientId)
  const ofDeleted = await direct('a deleted API key')
  await gatehouse.apiKeys.delete(clientCalled('a deleted API key').clientId)
  return [revoked, ofDisabled, ofDeleted]
}

/** Adds the codes, tokens and forms of a response to the material. */
function learnFrom(
  request: FuzzRequest,
  answer: Answer,
  material: Material,
  { keepSecret, tokenFrom }: Pick<Known, 'keepSecret' | 'tokenFrom'>,
): void {
  const { clients } = material
  const { pathname, searchParams } = URL.parse(headerOf(answer, 'location'), ORIGIN) ?? new URL(ORIGIN)
  const code = searchParams.get('code')
  const isIssued = code !== null || (answer.status === 200 && answer.body.startsWith('{"access_token"'))
  const sent = isIssued ? textOf(request) : ''
  const client = clients.find(({ clientId }) => sent.includes(clientId))
  if (code !== null && code.length === 43) keepSecret(code, 'authorization code')
  if (code !== null && client) keep(material.codes, { text: code, client })
  if (pathname.startsWith('/auth/interaction/')) {
    const cookies = answer.headers.filter(([name]) => name.toLowerCase() === 'set-cookie')
    const cookie = cookies.map(([, value]) => value.split(';', 1)[0]).join('; ')
    if (cookie !== '') keep(material.forms, { path: pathname, fields: [], cookie })
  }
  if (answer.status !== 200 || !isIssued) return
  const issued = JSON.parse(answer.body) as Record<string, string>
  removeUsed(sent, material)
  const owner = client ?? clients[0]
  keep(material.revocable, tokenFrom(issued, 'token of a request'))
  const refreshToken = issued['refresh_token']
  if (refreshToken === undefined || !owner) return
  keepSecret(refreshToken, 'refresh token')
  keep(material.refreshTokens, { text: refreshToken, client: owner })
}

/**
 * Removes the code and the refresh token that a request has used, because a second use revokes the grant. A
 * list with three entries or fewer stays unchanged, so that requests can still pick from it.
 */
function removeUsed(sent: string, material: Material): void {
  for (const list of [material.codes, material.refreshTokens]) {
    const at = list.findIndex(({ text }) => sent.includes(text))
    if (at >= 0 && list.length > 3) list.splice(at, 1)
  }
}

function keep<T>(list: T[], one: T): void {
  list.push(one)
  if (list.length > MAX_ENTRIES) list.shift()
}
