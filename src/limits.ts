export type { CallLimits } from './clients/call-limits.ts'
export { createLimits, limitCalls, type Limits, type LimitsOptions } from './parts/limits/limits.ts'
