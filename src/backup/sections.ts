import type { ExportableKeys } from '../keys/signing-keys.ts'
import type { Logger } from '../host/logger.ts'
import type { Section } from './section.ts'
import type { Header } from './file-format.ts'

/** All sections of an exported registry, and what export and import need. */
export interface Sections {
  /** The first line of a file that is exported now. */
  header(): Promise<Header>
  /**
   * Stores the longest lifetimes of tokens from the other store.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  announce(lifetimes: Header['longestLifetimes']): Promise<void>
  /** Undefined if the host manages the signing keys. */
  readonly keys: ExportableKeys | undefined
  readonly sections: {
    readonly [Kind in 'products' | 'clients' | 'deletedClients' | 'hostEpochs' | 'revocations']: Section
  }
  readonly logger: Logger
}
