import type { Logger } from '../host/logger.ts'
import type { Catalog } from './catalog.ts'
import type { LocalizedText } from './definition.ts'
import { restrictCatalog, type LiveCatalog } from './live-catalog.ts'

/** A resource beside the API, such as an MCP server: an address with products and tokens of its own (RFC 8707). */
export interface ResourceOptions {
  /**
   * Ids of the products whose operations the resource has, at least one. Several resources may have the same product.
   * An id that no product has is logged once, and adds no operation.
   */
  readonly products: readonly string[]
  /** The name of the resource on the pages for people. Only the entry of `audience` may omit it. */
  readonly title?: LocalizedText | undefined
  /** Like the option `metadataScopes`, for this resource. */
  readonly metadataScopes?: readonly string[] | undefined
}

/** A resource for which this service issues tokens (RFC 8707). */
export interface Resource {
  /** The identifier of the resource: `resource` in requests, `aud` in tokens. */
  readonly address: string
  /** Undefined for the API itself, unless the host named it. */
  readonly title: LocalizedText | undefined
  /** The scopes that its metadata names; undefined if it names all (RFC 9728 2). */
  readonly metadataScopes: readonly string[] | undefined
  /** The active catalog with the products of the resource alone. */
  readonly catalog: Pick<LiveCatalog, 'current' | 'loaded'>
}

export interface Resources {
  /** The API at {base_url}, which is meant if a request names no resource. */
  readonly main: Resource
  /** All resources, `main` first. */
  readonly all: readonly [Resource, ...Resource[]]
  /** @returns undefined if no resource has the address */
  find(address: unknown): Resource | undefined
}

/** @param options.resources the options of each resource by its address; they may include `audience` */
export function createResources(options: {
  readonly audience: string
  readonly metadataScopes?: readonly string[] | undefined
  readonly resources: { readonly [address: string]: ResourceOptions }
  readonly catalog: Pick<LiveCatalog, 'current' | 'loaded'>
  readonly logger: Logger
}): Resources {
  const { audience, resources, catalog, logger } = options
  const { [audience]: limits, ...others } = resources

  function createResource(address: string, own: Partial<ResourceOptions>): Resource {
    const { products, title, metadataScopes } = own
    const limited = products ? limitToProducts(catalog, products, (id) => warn(address, id)) : catalog
    return { address, title, metadataScopes, catalog: limited }
  }

  function warn(resource: string, product: string): void {
    logger.warn({ resource, product }, 'a resource names a product that does not exist')
  }

  const metadataScopes = limits?.metadataScopes ?? options.metadataScopes
  const main = createResource(audience, { ...limits, metadataScopes })
  const further = Object.entries(others).map(([address, own]) => createResource(address, own))
  const all = [main, ...further] as const
  const byAddress = new Map<unknown, Resource>(all.map((resource) => [resource.address, resource]))
  return { main, all, find: (address) => byAddress.get(address) }
}

/** @param onMissing called once for each product that the catalog does not have */
function limitToProducts(
  catalog: Pick<LiveCatalog, 'current' | 'loaded'>,
  products: readonly string[],
  onMissing: (id: string) => void,
): Resource['catalog'] {
  const missing = new Set<string>()
  let whole: Catalog | undefined
  let limited: Catalog | undefined

  function limit({ current }: Pick<LiveCatalog, 'current'>): Catalog {
    if (limited && whole === current) return limited
    whole = current
    const present = products.filter((id) => current.products.has(id))
    for (const id of products) {
      if (present.includes(id) || missing.has(id)) continue
      missing.add(id)
      onMissing(id)
    }
    const scopes = present.map((id) => [id, current.products.get(id)?.operations.map(({ scope }) => scope)])
    return (limited = restrictCatalog(current, Object.fromEntries(scopes), current.epoch))
  }

  return {
    get current() {
      return limit(catalog)
    },
    get loaded() {
      return catalog.loaded
    },
  }
}
