import { createPathLocator, type LocatePath } from './canonical-path.ts'

/** Mount paths that are remembered; a host has one or two, and nobody can fill the memory with others. */
const MOST = 100

/** The judge of what is below a mount path; below the path of {base_url} if none is given. */
export type LocatorAt = (mountPath?: string) => LocatePath

/**
 * Makes the judges of an API, each when it is first needed.
 *
 * @param base path of {base_url}
 */
export function createPathLocators(base: string): LocatorAt {
  const atBase = createPathLocator(base)
  const others = new Map<string, LocatePath>()

  return function locatorAt(mountPath = base) {
    if (mountPath === base) return atBase
    const known = others.get(mountPath)
    if (known !== undefined) return known
    if (others.size >= MOST) others.clear()
    const locator = createPathLocator(mountPath)
    others.set(mountPath, locator)
    return locator
  }
}
