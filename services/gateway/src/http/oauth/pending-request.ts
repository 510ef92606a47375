import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignedIn } from '@parley/credentials'
import type { AuthorizationRequest } from './authorization-request.ts'

export const pendingRequestSeconds = 600

type SealedRequest = AuthorizationRequest & { until: number }

/** Signed, not encrypted. Valid in this session, for ten minutes. */
export function sealRequest(secret: string, authorization: AuthorizationRequest, user: SignedIn): string {
  const kept: SealedRequest = { ...authorization, until: Date.now() + pendingRequestSeconds * 1_000 }
  const text = Buffer.from(JSON.stringify(kept)).toString('base64url')
  return `${text}.${signature(secret, text, user)}`
}

export function unsealRequest(
  secret: string,
  sealed: string | undefined,
  user: SignedIn,
): AuthorizationRequest | undefined {
  const [text = '', given = ''] = (sealed ?? '').split('.', 2)
  const [left, right] = [Buffer.from(given), Buffer.from(signature(secret, text, user))]
  if (left.length !== right.length || !timingSafeEqual(left, right)) return undefined
  const { until, ...authorization } = JSON.parse(Buffer.from(text, 'base64url').toString()) as SealedRequest
  return until > Date.now() ? authorization : undefined
}

const signature = (secret: string, text: string, { caller }: SignedIn): string =>
  createHmac('sha256', secret)
    .update(`oauth-request\0${text}\0${caller.userId}\0${caller.credentialId}`)
    .digest('base64url')
