// Also runs on: Redis
import { expect, it } from 'vitest'
import type { Account, AuditRecord, Store } from 'koa-gatehouse'
import { kindOfRecord } from '../../support/personal-data.ts'
import { authorizationUrl, authorize, connect, signInAs, startHost } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { watchedStore, type Dump } from '../../support/watched-store.ts'

const scope = 'openid offline_access invoices:read'

/** Starts a host with the company `kepler-4410`, which has the users `nina-8842` and `bob-5521`, and the account `solo-3391`. */
async function start(store: Store) {
  const people = new Map<string, Account>([
    ['kepler-4410', { id: 'kepler-4410', claims: { name: 'Kepler Ltd' } }],
    ['kepler-4410/nina-8842', { id: 'kepler-4410', claims: { name: 'Nina North' } }],
    ['kepler-4410/bob-5521', { id: 'kepler-4410', claims: { name: 'Bob Byte' } }],
    ['solo-3391', { id: 'solo-3391', kycLevel: 'verified', claims: { name: 'Sol Lone' } }],
    ['acme', { id: 'acme', kycLevel: 'verified' }],
  ])
  const host = await startHost({
    store,
    gatehouse: {
      accounts: {
        find: (accountId, userId) => people.get(userId === undefined ? accountId : `${accountId}/${userId}`),
        authenticate: ({ identifier, password }) => {
          const [accountId = '', userId] = identifier.split('/')
          return password === 'correct' && people.has(identifier) ? { accountId, userId } : undefined
        },
      },
    },
  })
  await host.gatehouse.ready()
  return { ...host, people }
}

type Host = Awaited<ReturnType<typeof start>>

/** Stores records of all kinds about a person: `account` or `account/user`. */
async function leaveTraces({ gatehouse, ...host }: Host, person: string, name: string) {
  const whole = { ...host, gatehouse }
  const [accountId = '', userId] = person.split('/')
  const [address, userAgent] = originOf(person)
  const change = { actor: person, address, userAgent }
  const owner = { accountId, ...(userId !== undefined && { userId }), ...change }
  const { apiKey, clientSecret } = await gatehouse.apiKeys.create(
    { ...owner, name: `Key of ${name}`, products: ['invoices'] },
    { idempotencyKey: `new-${person}` },
  )
  const { application: own } = await gatehouse.applications.create({
    ...owner,
    name: `App of ${name}`,
    redirectUris: ['http://localhost:9/callback'],
    homepageUri: `https://${name.toLowerCase().replaceAll(' ', '-')}.example/`,
  })
  // Equal acts are counted: the second and third time, they wait in the store.
  for (const suffix of [1, 2, 3]) {
    await gatehouse.apiKeys.update(apiKey.clientId, { name: `${name} ${suffix}` }, change)
    await gatehouse.apiKeys.disable(apiKey.clientId, change)
    await gatehouse.apiKeys.enable(apiKey.clientId, change)
  }
  const key = { client_id: apiKey.clientId, client_secret: clientSecret }
  const { body } = await host.requestDirectToken(key)
  await host.requestDirectToken({ ...key, client_secret: 'wrong' })
  await gatehouse.tokens.revoke(String(body['access_token']), change)

  const application = await host.createApplication({ name: 'Ledger' })
  const tokens = await connect(whole, application, { user: person, parameters: { scope } })
  await host.refresh(application, tokens.refresh_token)
  // A second grant whose code is not exchanged, and a sign-in that waits for the decision.
  const { browser } = await authorize(whole, application.client_id, { user: person, parameters: { scope } })
  await browser.open(
    authorizationUrl(whole, application.client_id, { scope, prompt: 'consent', login_hint: person }),
  )
  await signInAs(
    browser,
    await browser.open(authorizationUrl(whole, application.client_id, { prompt: 'login' })),
    person,
  )
  // Reading the failures writes those of the last minute.
  await gatehouse.audit.list({ trail: 'failures' })
  return { key, own, application, tokens }
}

/** The network address and the user agent of a person. */
function originOf(person: string): [string, string] {
  return [`2001:db8::${person.length}`, `Browser of ${person.split('/').at(-1)}`]
}

/** Where a dump has one of these texts. Records that expire soon are left out. */
function findTexts(dump: Dump, texts: readonly string[]): string[] {
  return [...dump].flatMap(([name, { texts: stored, ttl }]) => {
    const { staysSeconds = 0 } = kindOfRecord(name) ?? {}
    if (ttl !== undefined && ttl <= staysSeconds) return []
    const found = texts.filter((text) => [name, ...stored].some((each) => each.includes(text)))
    return found.map((text) => `${text} in ${name}`)
  })
}

async function read(host: Host): Promise<AuditRecord[]> {
  const all: AuditRecord[] = []
  for await (const record of host.gatehouse.audit.read()) all.push(record)
  return all
}

describeEachStore('accounts.erase', (makeStore) => {
  it('a user of a company is erased: nothing in the store names the user, and the company and its other users stay', async () => {
    const { store, dump } = watchedStore(makeStore())
    const host = await start(store)
    const nina = await leaveTraces(host, 'kepler-4410/nina-8842', 'Nina North')
    const bob = await leaveTraces(host, 'kepler-4410/bob-5521', 'Bob Byte')
    const before = await read(host)
    const full = await dump()
    const names = ['nina-8842', 'Nina North', 'nina-north', 'north\0', ...originOf('kepler-4410/nina-8842')]
    expect(
      new Set(findTexts(full, names).map((found) => kindOfRecord(found.split(' in ')[1] ?? '')?.key)),
    ).toEqual(
      new Set([
        'client:<id>',
        'client-names',
        'grant:<id>',
        'refresh-family:<id>',
        'session:<digest>',
        'audit:<trail>:<number>',
        'audit:<trail>:<field>:<span>:<value*>',
        'audit:counted',
      ]),
    )
    // A kind of record that `personal-data.ts` does not name makes this test fail.
    expect([...full.keys()].filter((name) => !kindOfRecord(name))).toEqual([])

    host.people.delete('kepler-4410/nina-8842')
    const erased = await host.gatehouse.accounts.erase(
      { accountId: 'kepler-4410', userId: 'nina-8842' },
      { actor: 'ops/olga' },
    )
    expect(erased).toMatchObject({ clients: 2, grants: 1 })
    expect(findTexts(await dump(), names)).toEqual([])
    expect([...(await dump()).keys()].filter((name) => !kindOfRecord(name))).toEqual([])

    const after = await read(host)
    expect(after.slice(0, before.length).map(({ entry, cursor }) => [entry.id, entry.name, cursor])).toEqual(
      before.map(({ entry, cursor }) => [entry.id, entry.name, cursor]),
    )
    for (const [at, { entry }] of before.entries()) {
      const left = after[at]?.entry
      if (entry.userId === 'nina-8842') {
        expect(left).toMatchObject({ accountId: 'kepler-4410', erased: true })
        expect(Object.keys(left ?? {})).not.toContain('address')
        expect(Object.keys(left ?? {})).not.toContain('userAgent')
      } else expect(left).toEqual(entry)
    }
    expect(after.at(-1)?.entry).toMatchObject({
      name: 'account.erased',
      actor: 'ops/olga',
      accountId: 'kepler-4410',
      target: expect.stringMatching(/^[\w-]{43}$/),
    })

    const statuses = [
      await host.requestDirectToken(nina.key),
      await host.refresh(nina.application, nina.tokens.refresh_token),
      await host.call('GET /invoices/list', nina.tokens.access_token),
      await host.requestDirectToken(bob.key),
      await host.call('GET /invoices/list', bob.tokens.access_token),
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 400, 401, 200, 200])
    expect(await host.gatehouse.applications.find(nina.own.clientId)).toBeUndefined()
    expect(host.errors).toEqual([])
    await host.close()
  })

  it('a client of the company or of a colleague stays, does not name the user who made it, and its secret must still be rotated', async () => {
    const { store, dump } = watchedStore(makeStore())
    const host = await start(store)
    const { apiKeys, accounts } = host.gatehouse
    const made = { accountId: 'kepler-4410', createdBy: 'nina-8842', products: ['invoices'] }
    const { apiKey, clientSecret } = await apiKeys.create({ ...made, name: 'Of the company' })
    const own = { accountId: 'kepler-4410', userId: 'nina-8842', products: ['invoices'] }
    const given = await apiKeys.create({ ...own, name: 'Nina North' })
    await apiKeys.update(given.apiKey.clientId, { name: 'Export' })
    await apiKeys.handOver(given.apiKey.clientId, 'bob-5521')
    const other = await apiKeys.create({ ...made, accountId: 'acme', name: 'Of another company' })

    host.people.delete('kepler-4410/nina-8842')
    expect(await accounts.erase({ accountId: 'kepler-4410', userId: 'nina-8842' })).toMatchObject({
      clients: 0,
    })
    const found = findTexts(await dump(), ['nina-8842', 'north\0'])
    expect(found).toEqual([`nina-8842 in client:${other.apiKey.clientId}`])
    for (const { clientId } of [apiKey, given.apiKey]) {
      expect(await apiKeys.find(clientId)).toMatchObject({
        createdBy: '(erased)',
        secretShownTo: ['(erased)'],
      })
    }
    const key = { client_id: apiKey.clientId, client_secret: clientSecret }
    expect((await host.requestDirectToken(key)).status).toBe(200)
    expect(await accounts.secretsToRotate('kepler-4410')).toMatchObject(
      [apiKey, given.apiKey].map(({ clientId }) => ({ clientId, userIds: ['(erased)'] })),
    )
    await host.close()
  })

  it('an account is erased with all its users, and no other account loses anything', async () => {
    const { store, dump } = watchedStore(makeStore())
    const host = await start(store)
    await leaveTraces(host, 'kepler-4410', 'Kepler Ltd')
    await leaveTraces(host, 'kepler-4410/bob-5521', 'Bob Byte')
    const solo = await leaveTraces(host, 'solo-3391', 'Sol Lone')
    await host.gatehouse.apiKeys.disable(solo.key.client_id, {
      actor: 'kepler-4410/bob-5521',
      address: '198.51.100.9',
    })
    const before = (await host.gatehouse.audit.list({ accountId: 'solo-3391', limit: 500 })).items

    const { clients } = await host.gatehouse.accounts.erase({ accountId: 'kepler-4410' })
    expect(clients).toBe(4)
    const origins = [...originOf('kepler-4410'), ...originOf('kepler-4410/bob-5521')]
    const names = ['kepler-4410', 'bob-5521', 'Kepler Ltd', 'Bob Byte', '198.51.100.9', ...origins]
    expect(findTexts(await dump(), names)).toEqual([])
    expect((await host.gatehouse.audit.list({ accountId: 'kepler-4410' })).items).toEqual([])
    const after = (await host.gatehouse.audit.list({ accountId: 'solo-3391', limit: 500 })).items
    const { actor: _, address: _address, ...disabled } = before[0] ?? {}
    expect(after).toEqual([{ ...disabled, erased: true }, ...before.slice(1)])
    expect((await host.gatehouse.apiKeys.find(solo.key.client_id))?.disabled).toBe(true)
    await host.close()
  })
})
