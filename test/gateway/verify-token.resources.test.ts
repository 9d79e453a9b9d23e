import { createTestIssuer } from 'koa-gatehouse/testing'
import { createRemoteJWKSet, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { createVerifierOfResources } from '../../src/gateway/verify-token.ts'
import { createTokenVerifier } from '../../src/gateway/verify-token.ts'

const API = 'https://example.com/api'
const MCP = 'https://example.com/mcp'

it('a verifier of several resources accepts their tokens, and explains all others as the verifier of the API does', async () => {
  const issuers = {
    api: await createTestIssuer({ audience: API }),
    mcp: await createTestIssuer({ audience: MCP }),
  }
  const other = await createTestIssuer({ audience: 'https://other.example' })
  const token = { accountId: 'acme', scopes: ['a'] }
  const of = (name: 'api' | 'mcp') => ({
    issuer: issuers[name].issuer,
    getKey: createRemoteJWKSet(new URL(`${issuers[name].issuer}/oauth2/jwks`)),
  })
  const resource = (address: string) => ({ address }) as never
  const all = [resource(API), resource(MCP)] as [never, never]
  expect(
    await createVerifierOfResources({ all }, of('api'))(await issuers.api.mintToken(token)),
  ).toMatchObject({
    accountId: 'acme',
  })
  expect(
    await createVerifierOfResources({ all }, of('mcp'))(await issuers.mcp.mintToken(token)),
  ).toMatchObject({
    accountId: 'acme',
  })

  const verify = createVerifierOfResources({ all }, of('api'))
  const verifyApi = createTokenVerifier({ ...of('api'), audience: API })
  const unsigned = new SignJWT({ aud: MCP }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
  for (const wrong of [
    await issuers.api.mintToken({ ...token, expiresIn: -1 }),
    await other.mintToken(token),
    await unsigned.sign(new Uint8Array(32)),
    'a.b.c',
    '',
    'x'.repeat(100_000),
  ]) {
    expect(await verify(wrong)).toHaveProperty('problem')
    expect(await verify(wrong)).toEqual(await verifyApi(wrong))
  }
  await Promise.all([issuers.api, issuers.mcp, other].map((issuer) => issuer.close()))
})
