import type { Gatehouse } from 'koa-gatehouse'
import type { Credentials } from './demo-clients.ts'

const NAME = 'MCP server'

/**
 * Creates the API key with which the MCP server asks for revocations. In Redis, the key of an earlier start still exists, and
 * gets a new secret.
 *
 * @param resource the address of the MCP server
 */
export async function provideMcpServer(
  { apiKeys }: Pick<Gatehouse, 'apiKeys'>,
  accountId: string,
  resource: string,
): Promise<Credentials> {
  const { items } = await apiKeys.listByOwner(accountId, { name: NAME })
  // The oldest, because a visitor may have given another key this name.
  const known = items.findLast(({ name }) => name === NAME)
  if (known) {
    const { clientSecret } = await apiKeys.rotateSecret(known.clientId, { overlapSeconds: 0 })
    return { clientId: known.clientId, clientSecret }
  }
  const { apiKey, clientSecret } = await apiKeys.create({
    accountId,
    name: NAME,
    resourceServer: true,
    resources: [resource],
  })
  return { clientId: apiKey.clientId, clientSecret }
}
