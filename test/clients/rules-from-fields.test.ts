import { expect, it } from 'vitest'
import {
  answerRules,
  bodyRules,
  changeRules,
  fileRules,
  newFields,
  storedRules,
} from '../../src/clients/rules-from-fields.ts'
import { findProblems } from '../../src/validation/rules.ts'

const REQUIRED = { accountId: 'acme', name: ' Export ', clientId: 'key_1', createdAt: 1_700_000_000 }

it.each(['apiKey', 'application'] as const)(
  'a new %s with nothing but the required fields passes the rules of records and of files',
  (kind) => {
    const record = newFields(kind, REQUIRED)
    expect(record).toMatchObject({ ...REQUIRED, name: 'Export', products: [], disabled: false, epoch: 0 })
    expect(findProblems(record, storedRules(kind))).toEqual([])
    expect(findProblems(record, fileRules(kind))).toEqual([])
    expect(Object.keys(fileRules(kind))).toEqual(Object.keys(storedRules(kind)))
  },
)

it.each(['apiKey', 'application'] as const)(
  'the management API changes exactly the fields of an %s that the service changes, and shows each of them',
  (kind) => {
    const changed = Object.keys(changeRules(kind, {}))
    expect(Object.keys(bodyRules(kind, 'change'))).toEqual(changed)
    expect(Object.keys(answerRules(kind))).toEqual(expect.arrayContaining(changed))
    expect(Object.keys(bodyRules(kind, 'creation'))).toEqual(expect.arrayContaining(changed))
  },
)
