import type { Erasure, Erasures, SealedKey } from '../access/erasures.ts'
import { must, textRule, wholeNumber } from '../validation/rules.ts'
import { checkLine } from './file-format.ts'
import type { Section } from './section.ts'

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value)
const isKeyId = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{8}$/.test(value)
const keyIdRule = must('the id of a key', isKeyId)

/** The hashes of the ids of erased people, each with the time of the erasure. */
export function erasureSection(erasures: Erasures): Section {
  return {
    is: 'erasure',
    exportLines: () => erasures.pages(),
    parseLine({ key, hash, at }, number) {
      const rules = { key: keyIdRule, hash: must('a hash', isHash), at: wholeNumber(0, 9_999_999_999_999) }
      checkLine(number, { key, hash, at }, rules)
      return () => erasures.put({ key, hash, at } as Erasure)
    },
  }
}

/** The keys that hash the ids of erased people. The keys are encrypted under `secret`. */
export function erasureKeySection(erasures: Erasures): Section {
  return {
    is: 'erasure-key',
    async *exportLines() {
      yield await erasures.sealedKeys()
    },
    async parseLine({ id, sealed }, number) {
      checkLine(number, { id, sealed }, { id: keyIdRule, sealed: textRule })
      return erasures.unseal({ id, sealed } as SealedKey)
    },
  }
}
