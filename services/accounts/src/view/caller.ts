import { toCallerMessage } from '@parley/auth'
import type { Caller } from '@parley/contracts/internal'
import type { ValidCredential } from '../store/credentials.ts'

export const toCaller = (credential: ValidCredential): Caller =>
  toCallerMessage({ ...credential, freshUntil: credential.freshUntil ?? undefined })
