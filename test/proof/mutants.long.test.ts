import { describeMutants } from './describe-mutants.ts'
import { MUTANTS } from './mutants.ts'

describeMutants(MUTANTS.slice(1))
