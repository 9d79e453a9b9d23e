import { errors, type Adapter, type AdapterPayload } from 'oidc-provider'
import { isActive, type GrantRecord } from '../../../grants/grant-record.ts'
import { personOf, subjectOf } from '../../../host/subject.ts'
import { listGrant } from '../endpoints/token/authorization-code-grant.ts'
import type { ProviderParts } from '../dependencies.ts'
import { currentContext, getGrant } from '../request-state.ts'
import { modelAdapter } from './adapter.ts'

/** Grants as oidc-provider stores them, not too many an hour: what people have authorized applications to do. */
export function grants(parts: ProviderParts): Adapter {
  const { grantLifecycle, memory } = parts
  return modelAdapter('Grant', {
    async upsert(grantId, payload, ttl) {
      const record = asRecord(payload)
      memory.requireSpace()
      if (!(await grantLifecycle.countNew(record))) {
        throw new errors.TemporarilyUnavailable(
          'the user has authorized this application too often; try again later',
        )
      }
      if (await grantLifecycle.records.create(grantId, record, ttl)) return
      throw new TypeError('a grant must not be saved twice; it can only be extended or deleted')
    },
    async find(grantId) {
      const ctx = currentContext()
      const [stored] = await Promise.all([getGrant(parts, ctx, grantId), listGrant(parts, ctx, grantId)])
      return isActive(stored?.record) ? asPayload(stored.record) : undefined
    },
    async destroy(grantId) {
      await grantLifecycle.delete(grantId)
    },
  })
}

/**
 * Relies on: the payload has the account, client, time of issue, and granted scopes by resource; rejected ones apart.
 */
function asRecord(payload: AdapterPayload): GrantRecord {
  return { ...payload, ...personOf(payload.accountId ?? '') } as unknown as GrantRecord
}

/** oidc-provider's account id is our subject. */
function asPayload(record: GrantRecord): AdapterPayload {
  return { ...record, accountId: subjectOf(record) }
}
