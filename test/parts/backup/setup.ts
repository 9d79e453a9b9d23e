import type { Gatehouse } from 'koa-gatehouse'
import { exportRegistry } from 'koa-gatehouse/backup'
import type { Client } from '../../support/host-requests.ts'
import type { Host } from '../../support/host.ts'

/** The lines of an exported registry. */
export async function exported({ gatehouse }: { readonly gatehouse: Gatehouse }): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportRegistry(gatehouse)) lines.push(line)
  return lines
}

/** The lines of one kind. */
export const linesOf = (is: string, lines: readonly string[]) =>
  lines.filter((line) => line.startsWith(`{"is":"${is}"`))

/** A direct token of an API key. */
export async function tokenOf(host: Host, key: Client): Promise<string> {
  const { status, body } = await host.requestDirectToken(key)
  if (status !== 200) throw new Error(`no token, but ${status}`)
  return String(body['access_token'])
}

/** The status of an API call with a token. */
export const statusOf = async (host: Host, token: string): Promise<number> =>
  (await host.call('GET /invoices/list', token)).status
