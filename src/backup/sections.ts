import type { ExportableKeys } from '../keys/key-ring-import.ts'
import type { Logger } from '../host/logger.ts'
import type { Section } from './section.ts'
import type { Header } from './file-format.ts'

/** All sections of an exported registry, and what export and import need. */
export interface Sections {
  /** Returns the header for a file that is exported now. */
  header(): Promise<Header>
  /**
   * Stores the longest token lifetimes that the header of an imported file states.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  storeLifetimes(lifetimes: Header['longestLifetimes']): Promise<void>
  /** Undefined if the host manages the signing keys. */
  readonly keys: ExportableKeys | undefined
  readonly sections: {
    readonly [Kind in 'products' | 'clients' | 'deletedClients' | 'revocations']: Section
  }
  readonly logger: Logger
}
