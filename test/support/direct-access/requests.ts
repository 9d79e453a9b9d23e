import fc from 'fast-check'
import { CLIENTS, type TestClient } from './clients.ts'
import { ORIGIN } from './two-ways.ts'

/** A token request in parts. Each change makes it more unusual. */
interface TokenRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly parameters: readonly (readonly [name: string, value: string])[]
  readonly encode: (text: string) => string
  readonly isChunked: boolean
  /** Text after the last parameter. */
  readonly rest: string
}

type Change = (request: TokenRequest) => TokenRequest

const FORM = 'application/x-www-form-urlencoded'
const standard = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

/** Ways to encode a name or value of a form. */
const ENCODINGS: readonly ((text: string) => string)[] = [
  standard,
  encodeURIComponent,
  (text) => text,
  (text) => standard(text).replaceAll('%', '%%'),
  (text) => text.replace(/[^\w]/g, (letter) => encodeURIComponent(letter).toLowerCase()),
  (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  (text) => Buffer.from(text, 'latin1').toString('hex').replace(/../g, '%$&'),
]

const SCOPES = ['invoices:read', 'invoices:create', 'payments:list', 'payments:transfer']
const scope = fc.oneof(
  { weight: 4, arbitrary: fc.subarray(SCOPES, { minLength: 1 }).map((names) => names.join(' ')) },
  fc.constantFrom(
    '',
    ' ',
    'invoices:read ',
    ' invoices:read',
    'invoices:read  payments:list',
    'unknown:scope',
  ),
  fc.constantFrom('openid', 'offline_access', 'invoices:read invoices:read', 'invoices:read\tpayments:list'),
  fc.constantFrom('INVOICES:READ', 'invoices:read,payments:list', 'constructor', 'ü', '"', 'x'.repeat(300)),
)
const API = `${ORIGIN}/api`
const TOOLS = `${ORIGIN}/mcp`
const resource = fc.constantFrom(
  API,
  API,
  API,
  TOOLS,
  TOOLS,
  TOOLS.toUpperCase(),
  TOOLS.replace('http:', 'HTTP:'),
  '',
  `${API}/`,
  'https://other.example/',
  'api',
  API.toUpperCase(),
)

const without = (request: TokenRequest, name: string) => request.parameters.filter(([one]) => one !== name)
const withParameter =
  (name: string, value: string): Change =>
  (request) => ({
    ...request,
    parameters: [...without(request, name), [name, value]],
  })
const withHeader =
  (name: string, value: string): Change =>
  (request) => ({
    ...request,
    headers: [...request.headers.filter(([one]) => one !== name), [name, value]],
  })
const basicHeader = (id: string, secret: string, scheme = 'Basic ') =>
  withHeader('Authorization', scheme + Buffer.from(`${id}:${secret}`).toString('base64'))

const NAMES = ['grant_type', 'client_id', 'client_secret', 'scope', 'resource']

/** Changes of any request. */
const change = fc.oneof(
  { weight: 4, arbitrary: scope.map((value) => withParameter('scope', value)) },
  { weight: 2, arbitrary: resource.map((value) => withParameter('resource', value)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...ENCODINGS).map((encode): Change => (request) => ({ ...request, encode })),
  },
  fc
    .constantFrom('POST', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH')
    .map((method): Change => (request) => ({ ...request, method })),
  fc
    .constantFrom('/auth/oauth2/token/', '/auth/OAuth2/TOKEN', '/auth/oauth2/token?scope=x&client_id=y')
    .map((target): Change => (request) => ({ ...request, target })),
  fc
    .constantFrom(
      '/auth/oauth2/%74oken',
      '/auth//oauth2/token',
      '/auth/oauth2/token//',
      `${ORIGIN}/auth/oauth2/token`,
    )
    .map((target): Change => (request) => ({ ...request, target })),
  fc
    .constantFrom(FORM, `${FORM};charset=UTF-8`, `${FORM}; charset=utf-8`, `${FORM}; charset=iso-8859-1`)
    .map((type) => withHeader('Content-Type', type)),
  fc
    .constantFrom(
      `${FORM}; charset=utf-16le`,
      `${FORM}; charset=none`,
      FORM.toUpperCase(),
      `${FORM};boundary=x`,
    )
    .map((type) => withHeader('Content-Type', type)),
  fc
    .constantFrom('application/json', 'multipart/form-data; boundary=b', 'text/plain', '', `${FORM}, ${FORM}`)
    .map((type) => withHeader('Content-Type', type)),
  fc
    .constantFrom<[string, string]>(
      ['Origin', 'https://app.example'],
      ['Origin', ''],
      ['Accept', 'text/html'],
      ['Accept', 'application/json'],
      ['Content-Encoding', 'identity'],
      ['Content-Encoding', 'gzip'],
      ['OAuth-Client-Attestation', 'x.y.z'],
      ['OAuth-Client-Attestation-PoP', ''],
      ['DPoP', 'x.y.z'],
      ['Cookie', 'gatehouse_session=x'],
      ['X-Forwarded-Proto', 'https'],
      ['X-HTTP-Method-Override', 'GET'],
      ['Authorization', ''],
      ['Authorization', 'Bearer x'],
      ['Authorization', 'Basic'],
      ['Authorization', 'Basic !!!'],
      ['Authorization', 'Basic Og=='],
    )
    .map(([name, value]) => withHeader(name, value)),
  fc
    .constantFrom(
      'authorization_code',
      'refresh_token',
      'password',
      'CLIENT_CREDENTIALS',
      '',
      'client_credentials ',
    )
    .map((value) => withParameter('grant_type', value)),
  // A parameter is left out, empty or repeated.
  fc.constantFrom(...NAMES).map((name): Change => (request) => ({
    ...request,
    parameters: without(request, name),
  })),
  fc.constantFrom(...NAMES).map((name) => withParameter(name, '')),
  fc.tuple(fc.constantFrom(...NAMES), fc.boolean()).map(([name, isSame]): Change => (request) => {
    const value = request.parameters.find(([one]) => one === name)?.[1] ?? 'x'
    return { ...request, parameters: [...request.parameters, [name, isSame ? value : '']] }
  }),
  fc
    .constantFrom(
      'code',
      'refresh_token',
      'redirect_uri',
      'client_assertion',
      'client_assertion_type',
      'x',
      '__proto__',
      '',
      'scope[]',
    )
    .map((name) => withParameter(name, 'x')),
  fc
    .constantFrom('key_plain', 'app_plain', 'unknown', 'é', 'x'.repeat(300))
    .map((id) => withParameter('client_id', id)),
  fc
    .constantFrom('wrong', 'secret-of-key_plain-0123456789', 'é')
    .map((text) => withParameter('client_secret', text)),
  fc.nat(10).map((by): Change => (request) => ({
    ...request,
    parameters: [...request.parameters.slice(by), ...request.parameters.slice(0, by)],
  })),
  fc.constant<Change>((request) => ({ ...request, isChunked: true })),
  fc
    .constantFrom(
      '&',
      '&&',
      '&scope',
      '&=',
      '&x=%',
      '\r\n',
      '\0',
      ' ',
      '\xef\xbb\xbf',
      '&%ff=%ff',
      `&x=${'x'.repeat(57 * 1024)}`,
    )
    .map((rest): Change => (request) => ({ ...request, rest })),
)

/** Ways to send the credentials of a client. */
const PLACES: readonly ((client: TestClient) => Change)[] = [
  (client) => (request) =>
    withParameter('client_secret', client.secret)(withParameter('client_id', client.clientId)(request)),
  (client) => basicHeader(client.clientId, client.secret),
  (client) => basicHeader(standard(client.clientId), standard(client.secret)),
  (client) => basicHeader(encodeURIComponent(client.clientId), encodeURIComponent(client.secret), 'basic  '),
  (client) => (request) =>
    withParameter('client_id', client.clientId)(basicHeader(client.clientId, client.secret)(request)),
  (client) => (request) => PLACES[0]!(client)(basicHeader(client.clientId, client.secret)(request)),
  (client) => basicHeader(client.clientId, `${client.secret}x`),
  (client) => withParameter('client_id', client.clientId),
]

/** A request for a token, as the bytes of HTTP/1.1 in a byte string. */
export function tokenRequest(): fc.Arbitrary<string> {
  const [plain, ...others] = CLIENTS
  const client = fc.oneof(fc.constant(plain!), fc.constantFrom(...others))
  const place = fc.oneof({ weight: 2, arbitrary: fc.constant(PLACES[0]!) }, fc.constantFrom(...PLACES))
  return fc.tuple(client, place, fc.array(change, { maxLength: 3 })).map(([one, send, changes]) => {
    const usual: TokenRequest = {
      method: 'POST',
      target: '/auth/oauth2/token',
      headers: [['Content-Type', FORM]],
      parameters: [['grant_type', 'client_credentials']],
      encode: standard,
      isChunked: false,
      rest: '',
    }
    return bytesOf([send(one), ...changes].reduce((request, apply) => apply(request), usual))
  })
}

function bytesOf({ method, target, headers, parameters, encode, isChunked, rest }: TokenRequest): string {
  const form = parameters.map((pair) => pair.map(encode).join('=')).join('&')
  const body = Buffer.from(form).toString('latin1') + rest
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost:3000',
    'Connection: close',
    ...headers
      .filter(([name, value]) => name !== 'Content-Type' || value !== '')
      .map((pair) => pair.join(': ')),
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
  ]
  const framed = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body
  return `${lines.join('\r\n')}\r\n\r\n${framed}`
}
