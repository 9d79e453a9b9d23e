import type { ExportedHost } from '../../clients/documents/restore-host.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { CorruptRecord } from '../../store/corrupt-record.ts'
import { isDocumentOrigin } from '../../validation/document-id.ts'
import { booleanRule, hostIdRule, must, optional } from '../../validation/rules.ts'
import { checkLine } from './file-format.ts'
import { countRule, timeRule } from './record-rules.ts'
import type { Section } from './section.ts'

const RULES = {
  origin: must('the origin of a host', isDocumentOrigin),
  epoch: countRule,
  isBlocked: booleanRule,
  blockedAt: timeRule,
  blockedBy: optional(hostIdRule),
}

/**
 * The hosts of client metadata documents that are or were blocked, also without the option `clientDocuments`. The
 * documents are not exported: the service fetches them again. The revocations are in `create-sections.ts`.
 */
export function documentHostSection(parts: Pick<Internals, 'store' | 'revocations'>): Section {
  return {
    is: 'document-host',
    async *exportLines(onSkipped) {
      const { hostRecords } = await import('../../clients/documents/blocked-hosts.ts')
      for await (const records of hostRecords(parts.store).pages()) {
        for (const record of records) if (record instanceof CorruptRecord) onSkipped(record)
        yield records.flatMap((record) => {
          if (record instanceof CorruptRecord) return []
          const { origin, epoch, isBlocked, blockedAt, blockedBy } = record
          return { origin, epoch, isBlocked, blockedAt, blockedBy }
        })
      }
    },
    parseLine({ origin, epoch, isBlocked, blockedAt, blockedBy }, number) {
      const host = { origin, epoch, isBlocked, blockedAt, blockedBy }
      checkLine(number, host, RULES)
      return async (counts) => {
        const { restoreHost } = await import('../../clients/documents/restore-host.ts')
        if (await restoreHost(parts, host as ExportedHost)) counts.blockedHosts += 1
        else counts.unchanged += 1
      }
    },
  }
}
