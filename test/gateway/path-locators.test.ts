import { expect, test } from 'vitest'
import { createPathLocators } from '../../src/gateway/path-locators.ts'

test('each mount path is compiled once', () => {
  const locatorAt = createPathLocators('/api')
  expect(locatorAt()).toBe(locatorAt())
  expect(locatorAt('/api')).toBe(locatorAt())
  expect(locatorAt('/v1')).toBe(locatorAt('/v1'))
  expect(locatorAt('/v1')).not.toBe(locatorAt())
})

test('each judges by its own path', () => {
  const locatorAt = createPathLocators('/api')
  expect(locatorAt()('/api/x')).toEqual({ place: 'below', path: '/x' })
  expect(locatorAt('/v1')('/v1/x')).toEqual({ place: 'below', path: '/x' })
  expect(locatorAt('/v1')('/api/x')).toEqual({ place: 'elsewhere' })
  expect(locatorAt('')('/api/x')).toEqual({ place: 'below', path: '/api/x' })
})

test('mount paths without end do not fill the memory', () => {
  const locatorAt = createPathLocators('/api')
  const first = locatorAt('/0')
  for (let i = 1; i <= 100; i += 1) locatorAt(`/${i}`)
  expect(locatorAt('/0')).not.toBe(first)
  expect(locatorAt('/0')('/0/x')).toEqual({ place: 'below', path: '/x' })
})
