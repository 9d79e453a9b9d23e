import { expect, it } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { exportRegistry, importRegistry } from 'koa-gatehouse/backup'
import { CLIENT_ID, documentOf, startHostWithDocuments, VENDOR } from '../../support/client-document.ts'
import { connectPublic } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

const PEOPLE = ['firm', 'firm/nina', 'firm/bob', 'firm2', 'firm 3/x!y']

describeEachStore('erasing people who approved applications with metadata documents', (makeStore) => {
  async function start() {
    const people = new Map<string, Account>(PEOPLE.map((id) => [id, { id: id.split('/')[0] ?? '' }]))
    const { host, documents } = await startHostWithDocuments(makeStore(), {
      gatehouse: {
        accounts: {
          find: (accountId, userId) =>
            people.get(userId === undefined ? accountId : `${accountId}/${userId}`),
          authenticate: ({ identifier, password }) => {
            const [accountId = '', userId] = identifier.split('/')
            return password === 'correct' && people.has(identifier) ? { accountId, userId } : undefined
          },
        },
      },
    })
    documents.serve(CLIENT_ID, documentOf())
    const other = `https://${VENDOR}/other.json`
    documents.serve(other, documentOf(other))
    for (const user of PEOPLE) await connectPublic(host, CLIENT_ID, { user })
    await connectPublic(host, other, { user: 'firm/nina' })
    const usersOf = async () => {
      const { items } = await host.gatehouse.clientDocuments.list()
      return Object.fromEntries(items.map(({ clientId, users }) => [clientId, users]))
    }
    const close = async () => {
      await host.close()
      await documents.close()
    }
    return { host, other, usersOf, close }
  }

  it('removes one user of an account, or an account with all its users, from the lists of all documents, and no one else', async () => {
    const { host, other, usersOf, close } = await start()
    const { erase } = host.gatehouse.accounts
    expect(await usersOf()).toEqual({ [CLIENT_ID]: 5, [other]: 1 })
    await erase({ accountId: 'firm', userId: 'nina' })
    expect(await usersOf()).toEqual({ [CLIENT_ID]: 4, [other]: 0 })
    await erase({ accountId: 'firm 3', userId: 'x!y' })
    expect(await usersOf()).toEqual({ [CLIENT_ID]: 3, [other]: 0 })
    await erase({ accountId: 'firm' })
    // The id of the other account begins alike.
    expect(await usersOf()).toEqual({ [CLIENT_ID]: 1, [other]: 0 })
    await close()
  })

  it('removes the name of the person who blocked a host, and the host stays blocked', async () => {
    const { host, close } = await start()
    const { clientDocuments, accounts } = host.gatehouse
    await clientDocuments.block(VENDOR, { actor: 'firm/nina' })
    await clientDocuments.block('a.example', { actor: 'firm/bob' })
    await accounts.erase({ accountId: 'firm', userId: 'nina' })
    const blocked = await clientDocuments.listBlocked()
    expect(blocked.map((each) => [each.host, each.blockedBy])).toEqual([
      ['a.example', 'firm/bob'],
      [VENDOR, undefined],
    ])
    await close()
  })

  it('an import erases a person again, but keeps a person who has approved an application since', async () => {
    const { host, usersOf, close } = await start()
    const { gatehouse } = host
    await gatehouse.clientDocuments.block('a.example', { actor: 'firm' })
    const before: string[] = []
    for await (const line of exportRegistry(gatehouse)) before.push(line)
    await gatehouse.accounts.erase({ accountId: 'firm' })
    await connectPublic(host, CLIENT_ID, { user: 'firm/bob' })
    expect(await usersOf()).toMatchObject({ [CLIENT_ID]: 3 })
    await importRegistry(gatehouse, before)
    expect(await usersOf()).toMatchObject({ [CLIENT_ID]: 3 })
    const [blocked] = await gatehouse.clientDocuments.listBlocked()
    expect(blocked).toMatchObject({ host: 'a.example' })
    expect(blocked).not.toHaveProperty('blockedBy')
    await close()
  })
})
