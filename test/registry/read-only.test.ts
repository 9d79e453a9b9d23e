import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { createReadOnlyServices } from '../../src/registry/read-only.ts'
import { failure } from './each-kind.ts'
import { services } from './setup.ts'

describe('the services where the host keeps the clients', () => {
  const readOnly = createReadOnlyServices()
  const working = services(memoryStore())

  it.each(['apiKeys', 'applications'] as const)('%s have every method, and each says so', async (service) => {
    const methods = Object.entries<(...args: never[]) => Promise<unknown>>({ ...readOnly[service] })
    expect(methods.map(([name]) => name).toSorted()).toEqual(Object.keys(working[service]).toSorted())
    for (const [name, method] of methods) {
      await expect(method()).rejects.toThrow(
        failure('ERR_REGISTRY_READ_ONLY', expect.stringContaining(`${service}.${name}()`)),
      )
    }
  })
})
