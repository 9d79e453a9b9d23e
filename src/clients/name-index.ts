import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import type { Client } from './client.ts'
import { clientOf, clientRecords } from './client-record.ts'

/** A member is a word of a name, U+0000 and the client id. */
export const NAME_WORDS = 'client-names'

const MAX_WORDS = 10
const PAGE_SIZE = 200
const MAX_PAGES = 20

export function nameEntriesOf(clientId: string, name: string): [index: string, member: string][] {
  return wordsOf(name).map((word) => [NAME_WORDS, `${word}\0${clientId}`])
}

export function idOfWord(member: string): string {
  return member.slice(member.indexOf('\0') + 1)
}

function wordsOf(name: string): string[] {
  const words =
    name
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return [...new Set(words)].slice(0, MAX_WORDS)
}

/** Creates the search for clients of any account by their names. */
export function createNameSearch(store: Store) {
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
    let after: string | undefined = longest
    for (let page = 0; page < MAX_PAGES && after !== undefined && found.size < limit; page += 1) {
      const members: string[] = await store.range(NAME_WORDS, { after, limit: PAGE_SIZE })
      const matching = members.filter((member) => member.startsWith(longest))
      // A failed rename or deletion may have left a member in the index.
      for (const record of await getEach([...new Set(matching.map(idOfWord))])) {
        const client = record && !(record instanceof CorruptRecord) ? clientOf(record) : undefined
        if (client && isMeant(client)) found.set(client.clientId, client)
      }
      after = matching.length === PAGE_SIZE ? matching.at(-1) : undefined
    }
    return [...found.values()].slice(0, limit)
  }
}
