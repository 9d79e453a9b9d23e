import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { isUnclaimed } from '../../src/gateway/unclaimed.ts'

const catalog = createCatalog({
  files: {
    title: 'Files',
    operations: { 'files:one': { route: 'GET /files/:id', title: 'Read' } },
  },
})

it('a path is unclaimed if no operation claims it with any method, however a router decodes the path', () => {
  const unclaimed = (path: string, endsInSlash = false) =>
    isUnclaimed(path, endsInSlash, { findClaims: (method, each) => catalog.findClaims(method, each) })
  expect(['/', '/files', '/files/a/b', '/f%C3%AEles/a'].filter((path) => !unclaimed(path))).toEqual([])
  expect(
    ['/files/7', '/FILES/7', '/files/a%2Cb', '/%EF%AC%81les/7', '/file%C5%BF/7'].filter((path) =>
      unclaimed(path),
    ),
  ).toEqual([])
  // Some routers read `/files/` as `/files/:id` with an empty id.
  expect(unclaimed('/files', true)).toBe(false)
  expect(unclaimed('/', true)).toBe(true)
})
