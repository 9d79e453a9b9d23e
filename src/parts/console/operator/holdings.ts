import type { ConsoleServices } from '../services.ts'
import type { Html } from '../../../http/html.ts'
import type { Client } from '../../../clients/client.ts'
import type { ClientPage } from '../../../clients/client-index.ts'
import { eachPage } from '../../../store/time-index.ts'
import { PAGE_LIMIT } from '../../../validation/page-limit.ts'
import type { Texts } from '../page-types.ts'
import type { Holder } from './operator-page.ts'

/** The first part of each list. For a user, `hasMore` also means unread clients of the account. */
export async function holdingsOf(services: ConsoleServices, holder: Holder, limit: number) {
  const { apiKeys, applications, grants } = services
  const { accountId, userId } = holder
  // Only some clients of the account belong to the user.
  const options = { limit: userId === undefined ? limit : PAGE_LIMIT.max }
  const [keys, apps, given] = await Promise.all([
    apiKeys.listByOwner(accountId, options),
    applications.listByOwner(accountId, options),
    grants.list({ ...holder, limit }),
  ])
  const own = <T extends Client>({ items, cursor }: ClientPage<T>) => {
    const found = userId === undefined ? items : items.filter((client) => client.userId === userId)
    return { items: found.slice(0, limit), hasMore: cursor !== undefined || found.length > limit }
  }
  return {
    apiKeys: own(keys),
    applications: own(apps),
    grants: { items: given.items, hasMore: given.cursor !== undefined },
  }
}

type Holdings = Awaited<ReturnType<typeof holdingsOf>>

/** “3 API keys” or “more than 500 API keys”, applications and connections; undefined for none. */
export function countsOf(
  { texts }: Texts,
  { apiKeys, applications, grants }: Holdings,
): (Html | undefined)[] {
  const parts = [
    [apiKeys, 'operatorKeys'],
    [applications, 'connectedCount'],
    [grants, 'operatorGrants'],
  ] as const
  return parts.map(([{ items, hasMore }, name]) => {
    const what = texts.html(name, { count: items.length })
    if (hasMore) return texts.html('moreThan', { what })
    return items.length > 0 ? what : undefined
  })
}

export async function* clientPagesOf(services: ConsoleServices, { accountId, userId }: Holder) {
  for (const service of [services.apiKeys, services.applications]) {
    const read = (cursor?: string): Promise<ClientPage<Client>> =>
      service.listByOwner(accountId, { limit: PAGE_LIMIT.max, cursor })
    for await (const { items } of eachPage(read))
      yield items.filter((client) => userId === undefined || client.userId === userId)
  }
}
