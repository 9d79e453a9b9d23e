import { askRedis } from '../support/ask-redis.ts'

/** The commands that clients have sent since the server started, for example `get` and `client|setname`. */
export async function commandsOf(server: { readonly port: number }): Promise<string[]> {
  const statistics = String(await askRedis(server, 'INFO', 'commandstats'))
  return [...statistics.matchAll(/^cmdstat_([^:]+):/gm)].map(([, name = '']) => name)
}
