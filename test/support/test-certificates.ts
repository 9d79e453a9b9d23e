import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './package-copy.ts'

/** A private key and its certificate, as PEM texts. */
export interface KeyAndCertificate {
  readonly key: string
  readonly cert: string
}

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'

let authority: Promise<KeyAndCertificate> | undefined
const issued = new Map<string, Promise<KeyAndCertificate>>()

/** The certificate authority of the tests. It is created once in each process. */
export function testAuthority(): Promise<KeyAndCertificate> {
  return (authority ??= withOpenssl(async (openssl, { key, cert }) => {
    await openssl(`req -x509 ${NEW_KEY} -days 2 -subj /CN=test-authority -keyout ${key} -out ${cert}`)
  }))
}

/**
 * Issues a certificate for host names, once in each process.
 *
 * @param kind `trusted`: valid, from `testAuthority()`; `expired`: from the same authority; `self-signed`: from no authority
 */
export function certificateFor(
  names: readonly string[],
  kind: 'trusted' | 'expired' | 'self-signed' = 'trusted',
): Promise<KeyAndCertificate> {
  const id = `${kind} ${names.join(' ')}`
  const known = issued.get(id) ?? issue(names, kind)
  issued.set(id, known)
  return known
}

async function issue(
  names: readonly string[],
  kind: 'trusted' | 'expired' | 'self-signed',
): Promise<KeyAndCertificate> {
  const parent = await testAuthority()
  return withOpenssl(async (openssl, { key, cert, parentKey, parentCert, request }) => {
    const subject = `-subj /CN=test -addext subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`
    const signer = `-CA ${parentCert} -CAkey ${parentKey}`
    if (kind === 'self-signed') {
      await openssl(`req -x509 ${NEW_KEY} -days 2 ${subject} -keyout ${key} -out ${cert}`)
    } else {
      const days = kind === 'expired' ? -1 : 2
      await openssl(`req -new ${NEW_KEY} ${subject} -keyout ${key} -out ${request}`)
      await openssl(
        `x509 -req -in ${request} ${signer} -set_serial 2 -days ${days} -copy_extensions copy -out ${cert}`,
      )
    }
  }, parent)
}

/** Runs openssl in a folder of its own, which has the files of `parent`. */
async function withOpenssl(
  run: (
    openssl: (command: string) => Promise<unknown>,
    files: Record<'key' | 'cert' | 'parentKey' | 'parentCert' | 'request', string>,
  ) => Promise<void>,
  parent?: KeyAndCertificate,
): Promise<KeyAndCertificate> {
  const { folder, remove } = await temporaryFolder('koa-gatehouse-certificate')
  try {
    const file = (name: string) => path.join(folder, name)
    const files = {
      key: file('key.pem'),
      cert: file('cert.pem'),
      parentKey: file('parent-key.pem'),
      parentCert: file('parent-cert.pem'),
      request: file('request.pem'),
    }
    if (parent) {
      await writeFile(files.parentKey, parent.key)
      await writeFile(files.parentCert, parent.cert)
    }
    await run((command) => promisify(execFile)('openssl', command.split(' ')), files)
    return { key: await readFile(files.key, 'utf8'), cert: await readFile(files.cert, 'utf8') }
  } finally {
    await remove()
  }
}
