import type { Permission } from '../host/accounts.ts'
import { Rejection } from './rejection.ts'

/** Who may open a page or call a route: callers with a permission, every signed-in caller, or operators. */
export type Access = Permission | 'signed-in' | 'operator'

/** What the host says about the caller of a request. */
export interface Rights {
  /**
   * Whether the caller is an operator. The host is asked only when this function is called, and at most once for each
   * request.
   */
  isOperator(): Promise<boolean>
  /** Whether the caller has a permission for the resource of the request. */
  may(permission: Permission): Promise<boolean>
}

/** @throws {Rejection} `forbidden` */
export async function requireAccess({ isOperator, may }: Rights, access: Access): Promise<void> {
  if (access === 'signed-in') return
  const isAllowed = access === 'operator' ? await isOperator() : await may(access)
  if (!isAllowed) throw new Rejection('forbidden', { needs: access })
}
