import { isDeepStrictEqual } from 'node:util'
import { GatehouseError, type ApiKey, type Gatehouse } from 'koa-gatehouse'

/** A row of your table of API keys. */
export interface KeyRow {
  clientId: string
  accountId: string
  name: string
  products: string[]
  disabled: boolean
  /** SHA-256 of the secret, in hex. */
  secretSha256: string
}

/** Your table. */
export interface KeyTable {
  find(clientId: string): Promise<KeyRow | undefined>
  /** The ids of all rows. */
  ids(): AsyncIterable<string>
}

/** Keeps the API keys of a gatehouse in step with your table. */
export function createKeySync({ apiKeys }: Pick<Gatehouse, 'apiKeys'>, table: KeyTable) {
  /** Makes one API key equal to its row. Call it after each insert, update and delete of a row. */
  async function sync(clientId: string): Promise<void> {
    let applied: KeyRow | undefined
    let row = await table.find(clientId)
    // If the row changes meanwhile, it is applied again, so that the last change wins.
    do {
      if (row) await apply(row)
      else await disable(clientId)
      applied = row
      row = await table.find(clientId)
    } while (!isDeepStrictEqual(row, applied))
  }

  async function apply(row: KeyRow): Promise<void> {
    const { clientId, accountId, name, products, disabled } = row
    const secretHash = `sha256:${Buffer.from(row.secretSha256, 'hex').toString('base64url')}`
    const key = (await apiKeys.find(clientId)) ?? (await create(row, secretHash))
    if (key.accountId !== accountId) throw new Error(`the owner of the API key ${clientId} cannot change`)
    if (key.name !== name) await apiKeys.update(clientId, { name })
    if (!isDeepStrictEqual(new Set(key.products), new Set(products))) {
      await apiKeys.setProducts(clientId, products)
    }
    // A key without a secret was reported as leaked, so the secret of the row is not given back to it.
    const secrets = await apiKeys.listSecrets(clientId)
    if (secrets.length > 0) await apiKeys.setSecretHash(clientId, secretHash)
    if (disabled && !key.disabled) await apiKeys.disable(clientId)
    if (!disabled && key.disabled) await apiKeys.enable(clientId)
  }

  async function create(row: KeyRow, secretHash: string): Promise<ApiKey> {
    const { clientId, accountId, name, products } = row
    try {
      return (await apiKeys.create({ clientId, accountId, name, products, secretHash })).apiKey
    } catch (error) {
      // Another process may have created it.
      const key = await apiKeys.find(clientId)
      if (!key) throw error
      return key
    }
  }

  /** A key without a row gets no tokens. It is not deleted, because a deletion cannot be undone. */
  async function disable(clientId: string): Promise<void> {
    const key = await apiKeys.find(clientId)
    if (key && !key.disabled) await apiKeys.disable(clientId)
  }

  /** Makes all API keys equal to your table. Run it at night, and after you have restored a backup. */
  async function syncAll(): Promise<void> {
    const errors: unknown[] = []
    const syncOne = (clientId: string) => sync(clientId).catch((error: unknown) => errors.push(error))
    for await (const clientId of table.ids()) await syncOne(clientId)
    let cursor: string | undefined
    do {
      const page = await apiKeys.list({ cursor })
      for (const { clientId } of page.items) if (!(await table.find(clientId))) await syncOne(clientId)
      cursor = page.cursor
    } while (cursor !== undefined)
    if (errors.length > 0) throw new AggregateError(errors, 'some API keys differ from their rows')
  }

  /** Deletes a key for good, after its row. No other key can have its id. */
  async function remove(clientId: string): Promise<void> {
    try {
      await apiKeys.delete(clientId)
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'ERR_NOT_FOUND') throw error
    }
  }

  return { sync, syncAll, remove }
}
