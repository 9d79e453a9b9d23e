export type { LastAddress } from './usage/last-addresses.ts'
export { usageAsCsv, type Dimension, type UsageRow } from './usage/list-usage.ts'
export type { Outcome, Result } from './usage/outcomes.ts'
export type { ReceiverOptions } from './usage/receive-usage.ts'
export { reportUsage, type ReportUsageOptions } from './usage/report-usage.ts'
export {
  createUsage,
  type ClientCalls,
  type Usage,
  type UsageOptions,
  type UsageQuery,
} from './usage/usage.ts'
