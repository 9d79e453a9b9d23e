import { expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createDocumentResolver } from '../../../src/clients/documents/resolve-document.ts'
import { createClientKey } from '../../support/client-keys.ts'
import { documentOf } from '../../support/client-document.ts'

const OWN = 'https://agent.example.com/client.json'

/** A resolver whose requests are answered from a map, with the bounds for which each request counted. */
function setUp(answers: Record<string, Record<string, unknown>>) {
  const asked: string[] = []
  const resolver = createDocumentResolver({
    store: memoryStore(),
    settings: {
      clientDocuments: [{ match: 'https://*', products: ['invoices'], loopback: true }],
      kycLevels: [],
    },
    outgoing: {
      async fetchJson(url, { budget }) {
        asked.push(`${budget} ${url}`)
        return { body: answers[url] ?? {}, maxAgeSeconds: undefined }
      },
    },
    known: { lowestValidEpoch: () => 0 },
  })
  return { resolver, asked }
}

it.each([
  ['https://agent.example.com/jwks.json', 'known'],
  ['https://victim.example.com/jwks.json', 'new'],
])('the keys of an approved client at %s count for the bounds of %s addresses', async (jwks_uri, bounds) => {
  const { jwk } = await createClientKey()
  const method = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri }
  const { resolver, asked } = setUp({ [OWN]: documentOf(OWN, method), [jwks_uri]: { keys: [jwk] } })
  await resolver.resolve(OWN)
  await resolver.approving(OWN, { accountId: 'alice' })
  await resolver.documents.put(OWN, (before) => before && { ...before, freshUntil: 0, keys: undefined })
  asked.length = 0
  await resolver.resolve(OWN)
  expect(asked).toEqual([`known ${OWN}`, `${bounds} ${jwks_uri}`])
})

it('a person can be the first to approve 100 documents, and may approve what others have approved', async () => {
  const ids = Array.from({ length: 101 }, (_, at) => `https://a${at}.example.com/client.json`)
  const { resolver } = setUp(Object.fromEntries(ids.map((id) => [id, documentOf(id)])))
  for (const id of ids) await resolver.resolve(id)
  const [last = '', ...others] = ids
  for (const id of [...others, ...others]) await resolver.approving(id, { accountId: 'alice' })
  const approval = () => resolver.approving(last, { accountId: 'alice' })
  await expect(approval()).rejects.toMatchObject({ code: 'ERR_TOO_MANY_CLIENTS' })
  expect(await resolver.documents.get(last)).not.toHaveProperty('approvedAt')
  expect(await resolver.documents.users(last)).toEqual([])
  await resolver.approving(last, { accountId: 'alice', userId: 'other' })
  await approval()
  expect(await resolver.documents.users(last)).toHaveLength(2)
})

it('an approval of a document that is not stored any more is rejected', async () => {
  const { resolver } = setUp({})
  await expect(resolver.approving(OWN, { accountId: 'alice' })).rejects.toMatchObject({
    code: 'ERR_DOCUMENT_UNAVAILABLE',
  })
})

it('when 1,000 documents of a host are approved, further ones are rejected, and the known ones are not', async () => {
  const more = 'https://agent.example.com/more.json'
  const { resolver } = setUp({ [OWN]: documentOf(OWN), [more]: documentOf(more) })
  await resolver.resolve(OWN)
  await resolver.approving(OWN, { accountId: 'alice' })
  for (let at = 0; at < 999; at += 1) {
    const clientId = `https://agent.example.com/${at}.json`
    await resolver.documents.put(clientId, () => ({
      clientId,
      metadata: { name: 'x', redirectUris: ['http://127.0.0.1/'], method: 'none' },
      version: 'x',
      createdAt: 0,
      fetchedAt: 0,
      freshUntil: 0,
    }))
    await resolver.approving(clientId, { accountId: `alice${at % 11}` })
  }
  expect(await resolver.resolve(more)).toEqual({
    problem: expect.stringContaining('users have already approved 1000 documents') as string,
  })
  await resolver.documents.put(OWN, (before) => before && { ...before, freshUntil: 0 })
  expect(await resolver.resolve(OWN)).toMatchObject({ application: { clientId: OWN } })
})
