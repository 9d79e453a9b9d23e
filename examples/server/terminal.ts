import { DEMO_USERS } from './accounts.ts'
import type { Credentials } from './demo-clients.ts'

/** The output of `npm start`: everything to try, ready to paste. */
export function instructions(options: {
  origin: string
  partnerOrigin: string
  spaOrigin: string
  apiKey: Credentials
  /** The client id of the command-line program. */
  commandLine: string
  /** The MCP server: its address, the API key with which it learns of revocations, and the client id of AI assistants. */
  mcp: { address: string; server: Credentials; assistant: string }
  /** The token with which scripts call the management API. */
  developerToken: string
  /** Where the data is: a sentence. */
  place: string
}): string {
  const { origin, partnerOrigin, spaOrigin, apiKey, commandLine, mcp, developerToken } = options
  const { port } = new URL(mcp.address)
  const isUsualPort = port === '3003'
  return `\
Harbour Ledger, a host:     ${origin}
Tallybook, a third party:   ${partnerOrigin}
Glance, a single-page app:  ${spaOrigin}
API console:                ${origin}/console   (create your own key: sign in as acme, password dynamite)
Document of the API:        ${origin}/openapi.json   (120 calls a minute for each client; Usage is in the console)
Health of the service:      ${origin}/health
${options.place} Ctrl-C ends the example.

DIRECT ACCESS: an API key acts on the account that owns it

1. Get a token, and keep it in a variable. It is valid for 10 days, and contains all scopes of the key:

ANSWER=$(curl -s ${origin}/auth/oauth2/token -d grant_type=client_credentials -d client_id=${apiKey.clientId} -d client_secret=${apiKey.clientSecret}); echo "$ANSWER"
TOKEN=$(echo "$ANSWER" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

2. Call the API with the token (200):

curl -iw '\\n' ${origin}/api/invoices/list -H "Authorization: Bearer $TOKEN"

3. Call an operation that was removed from the key (403):

curl -iw '\\n' -X POST ${origin}/api/invoices/create -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"customer":"March Hare","amount":1200}'

MANAGEMENT API: a script creates its own API key (docs/management-api.md)

DEVELOPER_TOKEN=${developerToken}
MANAGE="${origin}/account/api"; AUTH="Authorization: Bearer $DEVELOPER_TOKEN"
curl -iw '\\n' $MANAGE/api-keys -H "$AUTH" -H "Content-Type: application/json" -d '{"name":"My key","products":["invoices"]}'
curl -iw '\\n' $MANAGE/api-keys -H "$AUTH"

DELEGATED ACCESS: an application acts on the account of a user who allows it

Open ${partnerOrigin} and choose "Connect your account".
${DEMO_USERS.map(({ username, password, role }) => `Sign in as:  ${username.padEnd(6)} password: ${password.padEnd(11)} (${role})`).join('\n')}
Untick "Create invoices", allow the rest, and see what the third party can and cannot do.
Users see and end their connections at ${origin}/applications
Your own application: create it in the API console, with the redirect URI ${partnerOrigin}/callback,
then enter its credentials at ${partnerOrigin}

PUBLIC APPLICATIONS: programs in a browser or on a computer, without a secret

Open ${spaOrigin} and choose "Sign in": a single-page app without a backend.
A command-line program: run this in another terminal, and open the address that it prints:

node build/examples/command-line.js ${origin}/auth ${origin}/api ${commandLine}

MCP SERVER: an AI assistant uses the API through tools (docs/mcp.md)

Run this in another terminal. Then enter ${mcp.address} and the client id ${mcp.assistant} in your assistant:

${isUsualPort ? '' : `MCP_PORT=${port} `}node build/examples/mcp-server.js ${origin}/auth ${mcp.server.clientId} ${mcp.server.clientSecret}
`
}
