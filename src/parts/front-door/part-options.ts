import { GatehouseError } from '../../errors.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { isObject } from '../../validation/predicates.ts'
import { must } from '../../validation/rules.ts'

/** The options `usage` and `limits` of the console and of the management API. `requireCurrent` is for both. */
export const usageRule = must(
  'the result of createUsage()',
  (value) => isObject(value) && typeof value['list'] === 'function',
)

export const limitsRule = must(
  'the result of createLimits()',
  (value) => isObject(value) && isObject(value['defaults']),
)

export function requireCurrent(who: string, { current }: Pick<HostAccounts, 'current'>): void {
  if (current) return
  const needs = `${who} needs accounts.current and accounts.signInUrl`
  throw new GatehouseError('ERR_OPTIONS', `${needs}: without them, the host does not say who calls`)
}
