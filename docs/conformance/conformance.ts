/**
 * `npm run conformance`: starts an authorization server for the OpenID conformance suite, and prints the configuration of the
 * suite. See `README.md` in this folder.
 */
import { parseArgs } from 'node:util'
import { startAuthorizationServer } from './authorization-server.ts'

const { values } = parseArgs({
  options: {
    /** Where the suite reaches the server. */
    origin: { type: 'string', default: 'https://localhost:3443' },
    /** The origin of the suite. */
    suite: { type: 'string', default: 'https://localhost.emobix.co.uk:8443' },
  },
})

const { configuration, close } = await startAuthorizationServer(values)
process.stdout.write(`${JSON.stringify(configuration, null, 2)}\n`)
process.stderr.write(`The authorization server is at ${values.origin}. Ctrl-C ends it.\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
