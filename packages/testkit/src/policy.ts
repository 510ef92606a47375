import { defaultPolicy } from '@parley/permissions'
import type { GetPolicyResponse } from '@parley/contracts/internal'

export function standardPolicy(): GetPolicyResponse {
  return defaultPolicy()
}
