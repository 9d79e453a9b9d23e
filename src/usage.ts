export type { LastAddress } from './parts/usage/last-addresses.ts'
export { usageAsCsv } from './parts/front-door/usage-csv.ts'
export type { Dimension, UsageRow } from './parts/usage/list-usage.ts'
export type { Outcome, Result } from './parts/usage/outcomes.ts'
export type { ReceiverOptions } from './parts/usage/receive-usage.ts'
export { reportUsage, type ReportUsageOptions } from './parts/usage/report-usage.ts'
export { createUsage } from './parts/usage/usage.ts'
export type {
  ClientCalls,
  ClientProblem,
  ReadUsage,
  Usage,
  UsageOptions,
  UsageQuery,
} from './parts/usage/usage-types.ts'
