/** `npm start`: builds the package and the example host, and runs the host in this process until `npm` gets a signal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import './hide-runtime-warning.mjs'

// npm sends its signals to the shell between npm and this process. Shells such as dash end without passing them on.
const shell = process.ppid
const watch = setInterval(() => {
  if (process.ppid === shell) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 200)
watch.unref()

const build = spawn('npm run build --silent', { shell: true, stdio: 'inherit' })
const [code] = await once(build, 'exit')
if (code === 0) await import('../build/examples/server.js')
else process.exitCode = 1
