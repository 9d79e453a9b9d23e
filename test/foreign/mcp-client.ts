import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'

/** How an AI assistant is known to the service: by a registered client id, or by the address of its document. */
export type Identity = { readonly clientId: string } | { readonly clientMetadataUrl: string }

/**
 * An AI assistant: the client of the MCP SDK, unchanged, with tokens in memory and a loopback redirect URI.
 *
 * @param approve lets a user decide at the authorization endpoint. The browser returns to the loopback address
 */
export async function createAssistant(mcp: string, identity: Identity, approve: (url: URL) => Promise<void>) {
  const listener = createServer((request, response) => {
    response.end('Go back to your assistant.')
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    // The browser also asks for an icon.
    if (url.pathname === '/callback') listener.emit('callback', url)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`
  /** The addresses of all authorization requests. */
  const requests: URL[] = []
  let information: StoredOAuthClientInformation | undefined =
    'clientId' in identity ? { client_id: identity.clientId } : undefined
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let discovered: OAuthDiscoveryState | undefined

  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'AI assistant', redirect_uris: [redirectUrl] },
    ...('clientMetadataUrl' in identity && { clientMetadataUrl: identity.clientMetadataUrl }),
    clientInformation: () => information,
    saveClientInformation: (saved) => void (information = saved),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    saveCodeVerifier: (saved) => void (verifier = saved),
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => void (discovered = saved),
    discoveryState: () => discovered,
    redirectToAuthorization: (url) => void requests.push(url),
    invalidateCredentials(what) {
      if (what === 'all' || what === 'tokens') tokens = undefined
    },
  }
  const newTransport = () => new StreamableHTTPClientTransport(new URL(mcp), { authProvider })
  let transport = newTransport()
  let client = new Client({ name: 'assistant', version: '1.0.0' })

  async function connect(): Promise<void> {
    transport = newTransport()
    client = new Client({ name: 'assistant', version: '1.0.0' })
    await client.connect(transport)
  }

  /** Runs an action. If it needs an authorization, the user approves, and the action runs again. */
  async function authorized<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error
    }
    const url = requests.at(-1)
    if (!url) throw new Error('the client made no authorization request')
    const returned = once(listener, 'callback')
    await approve(url)
    const [callback] = (await returned) as [URL]
    await transport.finishAuth(callback.searchParams)
    return action()
  }

  return {
    requests,
    /** What the client has stored. */
    get tokens(): StoredOAuthTokens {
      if (!tokens) throw new Error('the client has no tokens')
      return tokens
    },
    set tokens(changed: StoredOAuthTokens) {
      tokens = changed
    },
    connect: () => authorized(connect),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** The text that a tool answers. If the tool needs further scopes, the user approves them. */
    callTool: (name: string, input: Record<string, unknown> = {}) =>
      authorized(async () => {
        const { content } = await client.callTool({ name, arguments: input })
        return content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n')
      }),
    /** As `callTool`, without a user who approves. */
    callAlone: (name: string) => client.callTool({ name, arguments: {} }),
    async close(): Promise<void> {
      await client.close()
      listener.close()
      listener.closeAllConnections()
    },
  }
}
