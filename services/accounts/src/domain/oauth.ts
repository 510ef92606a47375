import { createHash } from 'node:crypto'
import { isLoopbackHost } from '@parley/credentials'
import { invalidChallenge, invalidOrigin, invalidRedirectUri } from '../errors.ts'

const maxLength = 2048
/** SHA-256 in base64url. */
const challengeShape = /^[A-Za-z0-9_-]{43}$/
const verifierShape = /^[A-Za-z0-9._~-]{43,128}$/

/** Throws `invalid_argument` unless it is a web origin in the form that browsers send. */
export function assertOrigin(origin: string): void {
  if (origin.length > maxLength || originOf(origin) !== origin) throw invalidOrigin()
}

export function redirectOrigin(redirectUri: string): string {
  const origin = redirectUri.length > maxLength ? undefined : originOf(redirectUri)
  if (origin === undefined) throw invalidRedirectUri()
  return origin
}

/** Any program on the user's own machine can use a loopback address, so consent to it is not stored. */
export const isLoopbackOrigin = (origin: string): boolean => isLoopbackHost(new URL(origin).hostname)

export function assertChallenge(challenge: string): void {
  if (!challengeShape.test(challenge)) throw invalidChallenge()
}

export const matchesChallenge = (verifier: string, challenge: string): boolean =>
  verifierShape.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge

function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined
}
