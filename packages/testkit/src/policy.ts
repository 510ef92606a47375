import { defaultPolicy } from '@parley/permissions'
import type { GetPolicyResponse } from '@parley/contracts/internal'

/** The policy of a new server, as admin would send it. */
export function standardPolicy(): GetPolicyResponse {
  return defaultPolicy()
}
