import { defaultPolicy } from '@parley/permissions'
import type { GetPolicyResponse } from '@parley/contracts/internal'

/** A handler of `getPolicy`: returns the policy of a new server. */
export function standardPolicy(): GetPolicyResponse {
  return defaultPolicy()
}
