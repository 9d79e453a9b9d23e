import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startHost } from '../../../../support/host.ts'

it('Relies on: a grant type that is registered again replaces the one of oidc-provider', async () => {
  // oidc-provider warns of every option that is left at its default.
  for (const level of ['warn', 'info'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const provider = new Provider('http://localhost', {
    clients: [
      {
        client_id: 'app',
        client_secret: 'x',
        redirect_uris: ['https://app.example/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    features: { devInteractions: { enabled: false } },
  })
  const ours = async (ctx: TokenEndpointGrantContext<{ refresh_token?: string }>) => {
    ctx.body = { token: ctx.oidc.params.refresh_token, client: ctx.oidc.client?.clientId }
  }
  provider.registerGrantType('refresh_token', ours, ['refresh_token'])
  const handle = provider.callback()
  const server = createServer((request, response) => void handle(request, response))
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const form = { grant_type: 'refresh_token', refresh_token: 'any', client_id: 'app', client_secret: 'x' }
  const body = new URLSearchParams(form)
  const response = await fetch(`http://127.0.0.1:${port}/token`, { method: 'POST', body })
  expect(await response.json()).toEqual({ token: 'any', client: 'app' })
})

it('no configuration turns on DPoP, mutual TLS or attestation, which a refresh does not check', async () => {
  const host = await startHost({
    gatehouse: { publicApplications: true, privateKeyJwt: true },
  })
  onTestFinished(() => host.close())
  await host.gatehouse.ready()
  const metadata = (await (await fetch(`${host.issuer}/.well-known/openid-configuration`)).json()) as Record<
    string,
    unknown
  >
  expect(metadata['token_endpoint_auth_methods_supported']).toEqual([
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ])
  expect(Object.keys(metadata).filter((name) => /dpop|tls|mtls|attest/.test(name))).toEqual([])
})
