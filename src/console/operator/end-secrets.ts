import type { ConsoleServices } from '../services.ts'
import { GatehouseError } from '../../errors.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'
import { clientPagesOf } from './holdings.ts'
import type { Holder } from './operator-page.ts'

/** What was reported. */
export interface EndedSecrets {
  /** The number of API keys and applications that were reported as leaked. */
  readonly clients: number
  /** An error for each corrupt record. */
  readonly errors: readonly GatehouseError[]
}

/**
 * Ends all secrets of an account or user: reports each of its API keys and applications as leaked. The clients of one
 * page are reported at the same time. A corrupt record does not keep the others from being reported.
 */
export async function endSecrets(
  services: ConsoleServices,
  holder: Holder,
  options: ChangeOptions,
): Promise<EndedSecrets> {
  const errors: GatehouseError[] = []
  let clients = 0
  for (const service of [services.apiKeys, services.applications]) {
    for await (const page of clientPagesOf(service, holder)) {
      const report = async (clientId: string) => {
        try {
          await service.reportCompromised(clientId, options)
          clients += 1
        } catch (error) {
          if (isCorruptRecord(error)) errors.push(error)
          else if (!isNotFound(error)) throw error
        }
      }
      await Promise.all(page.map(({ clientId }) => report(clientId)))
    }
  }
  return { clients, errors }
}

/** Whether a client was deleted since it was listed. */
export function isNotFound(error: unknown): boolean {
  return error instanceof GatehouseError && error.code === 'ERR_NOT_FOUND'
}
