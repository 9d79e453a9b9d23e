import { findProgram } from '../support/required-programs.ts'

/** Whether the programs are installed that verify models. */
export const canVerify = findProgram('spin') !== undefined && findProgram('gcc') !== undefined

/** Most of the time is that of the compiler, which a busy machine runs slowly. */
export const VERIFY_TIMEOUT_MS = 300_000

/** Two callers send any token that was ever issued. */
export const HOSTILE = ['HOSTILE', 'SUCCESSES=2', 'FAULTS=0']
export const HOSTILE_GRACE = ['HOSTILE', 'GRACE=1', 'SUCCESSES=2', 'FAULTS=0', 'FAILOVERS=0']
export const HONEST = ['SUCCESSES=2', 'FAULTS=2']
export const CLIENT_LIVENESS = ['CLIENT', 'LIVENESS', 'END=2']
