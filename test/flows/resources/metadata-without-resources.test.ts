import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'

/** The documents of a host without the options `resources` and `metadataScopes`, byte by byte. */
const DOCUMENTS = {
  '/auth/.well-known/openid-configuration':
    '{"authorization_endpoint":"https://example.com/auth/oauth2/authorize","claims_parameter_supported":false,"claims_supported":["sub","account_id","name","family_name","given_name","middle_name","nickname","preferred_username","profile","picture","website","gender","birthdate","zoneinfo","locale","updated_at","email","email_verified","auth_time","iss"],"code_challenge_methods_supported":["S256"],"end_session_endpoint":"https://example.com/auth/oauth2/logout","grant_types_supported":["authorization_code","refresh_token","client_credentials"],"issuer":"https://example.com/auth","jwks_uri":"https://example.com/auth/oauth2/jwks","authorization_response_iss_parameter_supported":true,"response_modes_supported":["query"],"response_types_supported":["code"],"scopes_supported":["openid","profile","email","invoices:read","invoices:create","payments:list","payments:transfer"],"subject_types_supported":["public"],"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"],"token_endpoint":"https://example.com/auth/oauth2/token","id_token_signing_alg_values_supported":["RS256","ES256"],"request_uri_parameter_supported":false,"userinfo_endpoint":"https://example.com/auth/oauth2/userinfo","introspection_endpoint":"https://example.com/auth/oauth2/introspect","revocation_endpoint":"https://example.com/auth/oauth2/revoke","claim_types_supported":["normal"],"prompt_values_supported":["none","login","select_account","consent"],"revocation_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"],"introspection_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"]}',
  '/.well-known/oauth-protected-resource/api':
    '{"resource":"https://example.com/api","authorization_servers":["https://example.com/auth"],"scopes_supported":["invoices:create","invoices:read","payments:list","payments:transfer"],"bearer_methods_supported":["header"]}',
}

describe('the metadata of a host without further resources', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ origin: 'https://example.com' })
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  it.each(Object.entries(DOCUMENTS))('%s is unchanged, byte by byte', async (path, document) => {
    const answer = await fetch(`http://localhost:${host.port}${path}`)
    expect([answer.status, await answer.text()]).toEqual([200, document])
  })
})
