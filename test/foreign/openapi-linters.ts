import { Validator } from '@seriousme/openapi-schema-validator'

/** What a validator and the linters redocly and Spectral, with their recommended rules, find in a document. */
export async function problemsOf(document: object): Promise<string[]> {
  const validator = new Validator()
  const { errors } = await validator.validate({ ...structuredClone(document) })
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  // The host of a test is on localhost.
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-server-example.com': 'off' } })
  const source = JSON.stringify(document)
  const byRedocly = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  const [{ default: core }, { default: rulesets }] = await Promise.all([
    import('@stoplight/spectral-core'),
    import('@stoplight/spectral-rulesets'),
  ])
  const spectral = new core.Spectral()
  spectral.setRuleset(new core.Ruleset({ extends: [rulesets.oas] }))
  const bySpectral = await spectral.run(structuredClone(document) as Record<string, unknown>)
  return [
    ...(validator.version === '3.1' ? [] : [`the version is ${validator.version}`]),
    ...[errors ?? []].flat().map((error) => JSON.stringify(error)),
    ...byRedocly.map(({ ruleId, message }) => `${ruleId}: ${message}`),
    ...bySpectral.map(({ code, path }) => `${code} ${path.join('/')}`),
  ]
}
