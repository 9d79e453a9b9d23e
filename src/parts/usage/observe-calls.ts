import type { ServerResponse } from 'node:http'
import type { CallObserver } from '../../gateway/gateway-hooks.ts'
import type { RejectionReason } from '../../gateway/error-responses.ts'
import type { CallCounts } from './call-counts.ts'
import type { LastAddresses } from './last-addresses.ts'
import { OTHER_OPERATION, outcomeOfStatus } from './outcomes.ts'

/**
 * Counts each call when its response has ended, or its connection has closed, because the API decides about its status.
 */
export function observeCalls(
  { count, note }: Pick<CallCounts, 'count' | 'note'>,
  addresses?: Pick<LastAddresses, 'record'>,
): CallObserver {
  /** Why a later guard has rejected a call that an earlier guard had accepted. */
  const rejections = new WeakMap<ServerResponse, RejectionReason>()

  return {
    accepted(clientId, scopes, call) {
      const [scope = OTHER_OPERATION] = scopes
      for (let at = 1; at < scopes.length; at += 1) note(clientId, scopes[at] ?? '')
      // Koa's `ip` is a getter, which costs time.
      if (addresses !== undefined) addresses.record(clientId, call.ip)
      const response = call.res
      if (response === undefined) return count(clientId, scope, 'accepted')
      // The connection was closed before the gateway accepted the call.
      if (response.destroyed) return count(clientId, scope, 'aborted')
      response.on('close', () => {
        const outcome = response.headersSent ? outcomeOfStatus(response.statusCode) : 'aborted'
        count(clientId, scope, outcome === 'client_error' ? (rejections.get(response) ?? outcome) : outcome)
      })
    },
    acceptedAgain(clientId, scopes) {
      for (const scope of scopes) note(clientId, scope)
    },
    rejected({ reason, clientId }, scope = OTHER_OPERATION, accepted) {
      if (accepted === undefined) count(clientId, scope, reason)
      else rejections.set(accepted, reason)
    },
  }
}
