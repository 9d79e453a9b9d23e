import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import Koa from 'koa'
import { createGatehouse, type Account } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { selfSignedCertificate } from '../../test/support/certificate.ts'
import plan from './plan.json' with { type: 'json' }

/** The name of both applications, which the browser of the suite looks for on our pages. */
const APPLICATION = 'Conformance suite'

/** A made-up person with every claim of the standard scopes (OpenID Connect Core 5.1). */
const PERSON = {
  profile: {
    name: 'Alice Liddell',
    given_name: 'Alice',
    middle_name: 'Pleasance',
    family_name: 'Liddell',
    nickname: 'Al',
    preferred_username: 'alice',
    profile: 'https://alice.example/',
    picture: 'https://alice.example/picture.png',
    website: 'https://alice.example/blog',
    gender: 'female',
    birthdate: '1990-05-04',
    zoneinfo: 'Europe/London',
    locale: 'en-GB',
    updated_at: 1_700_000_000,
  },
  email: { email: 'alice@example.com', email_verified: true },
  address: {
    address: { street_address: '1 River Street', locality: 'Oxford', postal_code: 'OX1 1AA', country: 'GB' },
  },
  phone: { phone_number: '+44 20 7946 0000', phone_number_verified: false },
}

const USER: Account<never> = { id: 'alice', claims: Object.assign({}, ...Object.values(PERSON)) }

const CLAIMS = Object.fromEntries(
  Object.entries(PERSON).map(([scope, claims]) => [scope, Object.keys(claims)]),
)

/**
 * Starts an authorization server over TLS, with one user and two applications. All secrets are new, and end with the process.
 *
 * @param options.origin where the suite reaches the server, such as `https://localhost:3443`; its port is listened on
 * @param options.suite the origin of the suite
 * @returns the configuration of the suite: `plan.json` with the addresses and the secrets
 */
export async function startAuthorizationServer({ origin, suite }: { origin: string; suite: string }) {
  const password = randomBytes(16).toString('base64url')
  const gatehouse = createGatehouse({
    issuer: `${origin}/auth`,
    audience: `${origin}/api`,
    store: memoryStore(),
    products: {
      invoices: {
        title: 'Invoices',
        operations: { 'invoices:read': { route: 'GET /invoices/list', title: 'Read your invoices' } },
      },
    },
    claims: CLAIMS,
    accounts: {
      find: (id) => (id === USER.id ? USER : undefined),
      authenticate: (typed) =>
        typed.identifier === USER.id && typed.password === password ? { accountId: USER.id } : undefined,
    },
  })
  await gatehouse.ready()

  const createApplication = () =>
    gatehouse.applications.create({
      accountId: USER.id,
      name: APPLICATION,
      products: ['invoices'],
      redirectUris: [`${suite}/test/a/${plan.alias}/callback`],
      postLogoutRedirectUris: [`${suite}/test/a/${plan.alias}/post_logout_redirect`],
    })
  const [first, second] = [await createApplication(), await createApplication()]

  const app = new Koa()
  app.use(gatehouse.middleware())
  const answer = app.callback()
  const server = createServer(
    await selfSignedCertificate(),
    (request, response) => void answer(request, response),
  )
  server.listen(Number(new URL(origin).port || 443))
  await once(server, 'listening')

  const configuration = fillIn({
    origin,
    suite,
    application: APPLICATION,
    user: USER.id,
    password,
    firstId: first.application.clientId,
    firstSecret: first.clientSecret,
    secondId: second.application.clientId,
    secondSecret: second.clientSecret,
  })
  return { configuration, close: () => gatehouse.shutdown([server], { graceMs: 0 }) }
}

/** `plan.json` with a value for each name in braces. */
function fillIn(values: Readonly<Record<string, string>>): typeof plan {
  const text = JSON.stringify(plan).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`plan.json has the unknown name {${name}}`)
    return value
  })
  return JSON.parse(text) as typeof plan
}
