import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './package-copy.ts'

/** Makes a key and a self-signed certificate for `localhost` with openssl. Both are PEM texts. */
export async function selfSignedCertificate(): Promise<{ key: string; cert: string }> {
  const { folder, remove } = await temporaryFolder('koa-gatehouse-certificate')
  try {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string]
    const options = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'.split(
      ' ',
    )
    const files = ['-keyout', key, '-out', cert]
    const names = ['-addext', 'subjectAltName=DNS:localhost']
    await promisify(execFile)('openssl', ['req', '-x509', ...options, ...files, ...names])
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  } finally {
    await remove()
  }
}
