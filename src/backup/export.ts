import type { CorruptRecord } from '../store/corrupt-record.ts'
import { writeHeader, writeLine, writeTrailer, type Header } from './file-format.ts'
import type { Sections } from './sections.ts'
import { exportKeys, SIGNING_KEYS } from './signing-keys.ts'

/** Lines of what there is one of, and the same again only where it has changed. */
type Once = Map<string, string>

/**
 * Writes all that moves, line by line; at no time is more in memory than a few hundred records.
 *
 * The order matters while clients change: a record is read before what was revoked with its last change, and keys
 * and products are there at the end as they are then, or else what was revoked of them meanwhile would still be used.
 *
 * A record that cannot be read is left out; the log tells of it, and the last line.
 */
export async function* exportRegistry({ header, keys, sections, logger }: Sections): AsyncGenerator<string> {
  const lines: Record<string, number> = {}
  const once: Once = new Map()
  const skipped = new Set<string>()

  function onSkipped({ key, error }: CorruptRecord): void {
    if (!skipped.has(key)) {
      logger.error({ err: error, key }, 'an exported registry lacks a record that cannot be read')
    }
    skipped.add(key)
  }

  function line(is: string, fields: object): string {
    lines[is] = (lines[is] ?? 0) + 1
    return writeLine(is, fields)
  }

  async function* all(...kinds: readonly (keyof typeof sections)[]) {
    for (const kind of kinds) {
      const { is, exportLines } = sections[kind]
      for await (const page of exportLines(onSkipped)) for (const fields of page) yield line(is, fields)
    }
  }

  function* changed(is: string, fields: object): Generator<string> {
    const text = JSON.stringify(fields)
    if (once.get(is) === text) return
    once.set(is, text)
    yield line(is, fields)
  }

  async function* keysAndProducts() {
    if (keys) yield* changed(SIGNING_KEYS, await exportKeys(keys))
    for await (const page of sections.products.exportLines(onSkipped)) {
      for (const fields of page) yield* changed(sections.products.is, fields)
    }
  }

  const first: Header = await header()
  yield writeHeader(first)
  yield* keysAndProducts()
  if (first.clients === 'store') yield* all('clients', 'deletedClients', 'revocations')
  // Those that are raised meanwhile stand in the tokens that are good at the end.
  else yield* all('hostEpochs', 'revocations', 'hostEpochs')
  yield* keysAndProducts()
  yield writeTrailer(lines, [...skipped])
}
