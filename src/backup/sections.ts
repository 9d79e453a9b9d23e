import type { ExportableKeys } from '../keys/signing-keys.ts'
import type { Logger } from '../host/logger.ts'
import type { Section } from './section.ts'
import type { Header } from './file-format.ts'

/** All that moves from one store to another. */
export interface Sections {
  /** The first line of a file that is begun now. */
  header(): Promise<Header>
  /**
   * Remembers how long what was issued elsewhere lives at most.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  announce(lifetimes: Header['longestLifetimes']): Promise<void>
  /** Undefined where the host keeps the signing keys. */
  readonly keys: ExportableKeys | undefined
  readonly sections: {
    readonly [Kind in 'products' | 'clients' | 'deletedClients' | 'hostEpochs' | 'revocations']: Section
  }
  readonly logger: Logger
}
