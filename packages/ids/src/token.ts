import { randomBase62 } from './random.ts'

const prefixes = {
  accessToken: 'prl_AT',
  linkPreview: 'prl_LP',
  authorizationCode: 'prl_AC',
} as const

export type TokenKind = keyof typeof prefixes

// 43 base62 digits hold 256 bits.
const digits = 43

/**
 * A new secret token: the prefix of its kind and 43 random base62 digits (256 bits). Store its digest, never the token.
 */
export function newToken(kind: TokenKind): string {
  return prefixes[kind] + randomBase62(digits)
}

/** A new secret without a prefix, such as the handle in a session cookie: 43 random base62 digits. */
export function newHandle(): string {
  return randomBase62(digits)
}
