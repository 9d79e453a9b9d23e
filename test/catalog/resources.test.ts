import { describe, expect, it, vi } from 'vitest'
import { createLiveCatalog } from '../../src/catalog/live-catalog.ts'
import { createResources } from '../../src/catalog/resources.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { products, reports } from '../fixtures/products.ts'

const API = 'https://example.com/api'
const MCP = 'https://example.com/mcp'

function resourcesOf(options: Partial<Parameters<typeof createResources>[0]> = {}) {
  let loaded: object = products
  const catalog = createLiveCatalog({ products: () => loaded as typeof products })
  const warn = vi.fn()
  const resources = createResources({
    audience: API,
    resources: { [MCP]: { products: ['payments'], title: 'Payments' } },
    catalog,
    logger: { ...silentLogger, warn },
    ...options,
  })
  return { ...resources, catalog, warn, use: (next: object) => void (loaded = next) }
}

const scopesOf = (resource: {
  readonly catalog: { readonly current: { operations: ReadonlyMap<string, unknown> } }
}) => [...resource.catalog.current.operations.keys()]

describe('the resources of a service', () => {
  it('the API comes first, has all products, and is the live catalog itself', async () => {
    const { main, all, find, catalog } = resourcesOf()
    await catalog.reload()
    expect(all.map(({ address }) => address)).toEqual([API, MCP])
    expect(find(API)).toBe(main)
    expect(main.catalog).toBe(catalog)
    for (const unknown of [undefined, '', [MCP], `${MCP}/`, 'constructor', '__proto__']) {
      expect(find(unknown)).toBeUndefined()
    }
  })

  it('a resource has the operations of its products, and of each later catalog', async () => {
    const { find, catalog, use, warn } = resourcesOf()
    const tools = find(MCP)!
    expect(tools.catalog.loaded).toBe(false)
    expect(() => tools.catalog.current).toThrow(expect.objectContaining({ code: 'ERR_NOT_READY' }))
    await catalog.reload()
    expect(tools.catalog.loaded).toBe(true)
    expect(scopesOf(tools)).toEqual(['payments:list', 'payments:transfer'])
    expect(tools.catalog.current.findOperation('GET', '/payments/list')?.scope).toBe('payments:list')
    expect(tools.catalog.current.findOperation('GET', '/invoices/list')).toBeUndefined()
    expect(tools.catalog.current.epoch).toBe(catalog.current.epoch)
    expect(tools.catalog.current).toBe(tools.catalog.current)

    use({ invoices: products.invoices })
    await catalog.reload()
    expect(scopesOf(tools)).toEqual([])
    use(products)
    await catalog.reload()
    expect(scopesOf(tools)).toEqual(['payments:list', 'payments:transfer'])
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('an operation of two products belongs to a resource that has one of the two', async () => {
    const { find, catalog, use } = resourcesOf({
      resources: { [MCP]: { products: ['reports'], title: 'Reports' } },
    })
    use({ ...products, reports })
    await catalog.reload()
    expect(scopesOf(find(MCP)!)).toEqual(['invoices:read'])
    expect([...find(MCP)!.catalog.current.products.keys()]).toEqual(['reports'])
  })

  it('the entry of the audience limits the API, and its metadataScopes win over those of the service', () => {
    const own = { products: ['payments'], metadataScopes: ['payments:list'] }
    const { main, all } = resourcesOf({ resources: { [API]: own }, metadataScopes: ['invoices:read'] })
    expect(all).toHaveLength(1)
    expect(main.metadataScopes).toEqual(['payments:list'])
    const { metadataScopes: _own, ...limits } = own
    const shared = resourcesOf({ resources: { [API]: limits }, metadataScopes: ['invoices:read'] })
    expect(shared.main.metadataScopes).toEqual(['invoices:read'])
  })
})
