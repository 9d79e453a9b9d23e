import { expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createIndexedRecords } from '../../src/store/collection.ts'
import { stringRule } from '../../src/validation/rules.ts'

interface Person {
  readonly name: string
  readonly town: string
}

function start(store = memoryStore()) {
  const people = createIndexedRecords<Person>(store, {
    name: 'person',
    version: 1,
    fields: { name: stringRule, town: stringRule },
    entriesOf: ({ name, town }, id) => [
      ['names', `${name}:${id}`],
      ['towns', `${town}:${id}`],
    ],
    lasting: ['towns'],
  })
  const listed = async () => [
    await store.range('names', { limit: 10 }),
    await store.range('towns', { limit: 10 }),
  ]
  return { store, people, listed }
}

const ada = { name: 'Ada', town: 'London' }

it('a record is listed before it is written, and its outdated entries are removed afterwards, except in lasting indexes', async () => {
  const { store, people, listed } = start()
  const calls: string[] = []
  for (const method of ['add', 'create', 'replace', 'remove'] as const) {
    const call = store[method].bind(store) as (...values: string[]) => Promise<never>
    vi.spyOn(store, method).mockImplementation((...values: unknown[]) => {
      calls.push(method)
      return call(...(values as string[]))
    })
  }
  await people.put('1', () => ada)
  expect(calls.indexOf('create')).toBeGreaterThan(calls.lastIndexOf('add', calls.indexOf('create')))
  expect(await listed()).toEqual([['Ada:1'], ['London:1']])
  calls.length = 0
  await people.update('1', () => ({ name: 'Eve', town: 'Bonn' }))
  expect(calls.slice(0, 3)).toEqual(['add', 'add', 'replace'])
  expect(await listed()).toEqual([['Eve:1'], ['Bonn:1', 'London:1']])
  calls.length = 0
  await people.update('1', (person) => ({ ...person, town: 'Rome' }))
  expect(calls).toEqual(['add', 'replace'])
})

it('a change that fails leaves the entries of the stored record', async () => {
  const { store, people, listed } = start()
  await people.put('1', () => ada)
  vi.spyOn(store, 'replace').mockRejectedValueOnce(new Error('connection lost'))
  await expect(people.update('1', (person) => ({ ...person, name: 'Eve' }))).rejects.toThrow(
    'connection lost',
  )
  expect(await listed()).toEqual([['Ada:1'], ['London:1']])
})

it('changes at the same time leave the entries of the stored record', async () => {
  const { people, listed } = start()
  await people.put('1', () => ada)
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      ['Ada', 'Eve', 'Kim'].map((name) => people.update('1', (person) => ({ ...person, name }))),
    )
    const stored = await people.get('1')
    expect((await listed())[0]).toEqual([`${stored?.name}:1`])
  }
})

it('the last change of a record keeps its entries until the caller removes them', async () => {
  const { people, listed } = start()
  await people.put('1', () => ada)
  await people.end('1', () => ({ name: '', town: 'London' }))
  expect((await listed())[0]).toEqual([':1', 'Ada:1'])
  await people.unlist('1', ada, await people.get('1'))
  expect(await listed()).toEqual([[':1'], ['London:1']])
})

it('an entry that a change adds does not stay if another change has removed it from the record meanwhile', async () => {
  const { store, people, listed } = start()
  await people.put('1', () => ada)
  const add = store.add.bind(store)
  const adds: string[] = []
  vi.spyOn(store, 'add').mockImplementation(async (...entry) => {
    adds.push(entry[1])
    // The change adds its entry again after the write.
    if (entry[1] === 'Eve:1' && adds.filter((member) => member === 'Eve:1').length === 2)
      await people.update('1', (person) => ({ ...person, name: 'Mia' }))
    return add(...entry)
  })
  await people.update('1', (person) => ({ ...person, name: 'Eve' }))
  expect((await listed())[0]).toEqual(['Mia:1'])
})
