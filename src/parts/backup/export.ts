import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf } from '../../gatehouse/internals.ts'
import { createSections, type Sections } from './create-sections.ts'
import type { CorruptRecord } from '../../store/corrupt-record.ts'
import { writeHeader, writeLine, writeTrailer } from './file-format.ts'

/**
 * Exports all data that must outlive the store, as lines of JSON that each end with `\n`. The export contains API keys
 * and applications, the ids of deleted clients, the signing keys, the revocations, the scopes of the products, and
 * hashes of the ids of erased people. The export contains no plain secret: secrets of clients are hashed, and keys are
 * encrypted under `secret`. It contains no grants, refresh tokens, sessions or stored consents.
 * `Readable.from(exportRegistry(gatehouse))` can be piped to a file.
 *
 * Clients may change during the export. Each client is exported as it was at one moment. A corrupt record is skipped. A
 * log entry and the last line of the file contain its store key, and `importRegistry` returns this key in `skipped`.
 * The iteration may reject with `ERR_STORE_UNAVAILABLE`, or with an error of `ready()`. The file is then incomplete,
 * and `importRegistry` rejects the file.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `gatehouse` is not from `createGatehouse()`
 */
export function exportRegistry(gatehouse: AnyGatehouse): AsyncIterable<string> {
  const sections = createSections(internalsOf(gatehouse, 'exportRegistry()'))
  return (async function* () {
    await gatehouse.ready()
    yield* writeFile(sections)
  })()
}

/**
 * Clients may change meanwhile. Revocations come after all clients, so that the file has those of each change. Keys and
 * products come first and last, because the first could be from before a change.
 */
async function* writeFile({ header, sections, logger }: Sections): AsyncGenerator<string> {
  const lines: Record<string, number> = {}
  const lastLines = new Map<string, string>()
  const skipped = new Set<string>()

  function onSkipped({ key, error }: CorruptRecord): void {
    if (!skipped.has(key)) {
      logger.error({ err: error, key }, 'a corrupt record was left out of the exported registry')
    }
    skipped.add(key)
  }

  async function* linesOf(...kinds: readonly (keyof typeof sections)[]) {
    for (const kind of kinds) {
      const { is, exportLines } = sections[kind]
      for await (const page of exportLines(onSkipped)) {
        for (const fields of page) {
          const line = writeLine(is, fields)
          if (READ_TWICE.includes(kind) && lastLines.get(kind) === line) continue
          lastLines.set(kind, line)
          lines[is] = (lines[is] ?? 0) + 1
          yield line
        }
      }
    }
  }

  yield writeHeader(await header())
  yield* linesOf(...READ_TWICE)
  yield* linesOf('clients', 'deletedClients', 'documentHosts', 'revocations')
  // The erasures come after the clients, so that they also cover a person who was erased during the export.
  yield* linesOf('erasures', 'erasureKeys')
  yield* linesOf(...READ_TWICE)
  yield writeTrailer(lines, [...skipped])
}

/** Each has only one record. */
const READ_TWICE: readonly (keyof Sections['sections'])[] = ['signingKeys', 'products']
