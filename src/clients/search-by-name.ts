import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { pagesOf } from '../store/pages-of-index.ts'
import { idOfWord, NAME_WORDS, wordsOf } from './index-entries.ts'
import { clientOf, clientRecords } from './client-record.ts'
import type { Client } from './client.ts'
import { withLastUse, type LastUses } from './last-used.ts'

const PAGE_SIZE = 200
const MAX_PAGES = 20

/** Creates the search for clients of any account by the beginnings of the words in their names. */
export function createNameSearch(store: Store, lastUses: LastUses) {
  const { getEach } = clientRecords(store)

  /** Finds clients by the beginnings of the words in their names, without corrupt records. */
  return async function searchByName(text: string, limit: number): Promise<Client[]> {
    const wanted = wordsOf(text)
    const [longest] = wanted.toSorted((one, other) => other.length - one.length)
    if (longest === undefined) return []
    const isMeant = ({ name }: Client) => {
      const words = wordsOf(name)
      return wanted.every((each) => words.some((word) => word.startsWith(each)))
    }
    const found = new Map<string, Client>()
    let pages = 0
    for await (const members of pagesOf(store, NAME_WORDS, { prefix: longest, limit: PAGE_SIZE })) {
      // A failed rename or deletion may have left a member in the index.
      for (const record of await getEach([...new Set(members.map(idOfWord))])) {
        const client = record && !(record instanceof CorruptRecord) ? clientOf(record) : undefined
        if (client && isMeant(client)) found.set(client.clientId, client)
      }
      if ((pages += 1) === MAX_PAGES || found.size >= limit) break
    }
    const shown = [...found.values()].slice(0, limit)
    const usedAt = await lastUses.get(shown.map(({ clientId }) => clientId))
    return shown.map((client, at) => withLastUse(client, usedAt[at]))
  }
}
