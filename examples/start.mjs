/**
 * `npm start`: builds the package and the example host, and runs the host in this process. The script in package.json begins
 * with `exec`, so that a signal to npm reaches this process. Windows has no `exec`, so the script has a second command.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const build = spawn('npm run build --silent', { shell: true, stdio: 'inherit' })
const [code] = await once(build, 'exit')
if (code !== 0) process.exit(1)
await import('./hide-runtime-warning.mjs')
await import('../build/examples/server.js')
// Ctrl-C arrives twice, from the terminal and from npm. The host ends at the first, so the second does nothing.
process.on('SIGINT', () => {})
