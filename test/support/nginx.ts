import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnGuard } from './redis-process.ts'
import { findProgram } from './required-programs.ts'

/** The path of nginx; undefined if it is not installed. */
export const nginx = findProgram('nginx')

/** A running nginx. */
export interface Nginx {
  stop(): Promise<void>
}

/**
 * Starts nginx on a port of 127.0.0.1, and waits until it answers.
 *
 * @param locations the `location` blocks of its only server
 */
export async function startNginx(port: number, locations: string): Promise<Nginx> {
  const folder = mkdtempSync(path.join(tmpdir(), 'nginx-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const config = `
    daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${temporary.map((each) => `${each}_temp_path ${folder}/${each};`).join(' ')}
      server { listen 127.0.0.1:${port}; ${locations} }
    }`
  writeFileSync(`${folder}/nginx.conf`, config)
  const server = spawn(
    nginx ?? '',
    ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const exited = once(server, 'exit')
  // If this process ends in any way, nginx ends, too.
  const guard = spawnGuard(server.pid ?? 0, folder)
  void exited.then(() => {
    guard.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  while (!(await isListening(port))) {
    if (server.exitCode !== null) throw new Error(`nginx exited with ${server.exitCode}`)
    await delay(20)
  }
  return {
    async stop() {
      server.kill('SIGTERM')
      await exited
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`)
    return true
  } catch {
    return false
  }
}
