import { readMembers, type IndexReader } from '../store/pages-of-index.ts'
import { ORIGINS } from './index-entries.ts'

/** Whether at least one public application has the origin. */
export async function isPublicOrigin(store: IndexReader, origin: string): Promise<boolean> {
  return (await readMembers(store, ORIGINS, { prefix: `${origin}\0`, limit: 1 })).length > 0
}
