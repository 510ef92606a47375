import type { SecretKeys } from '@parley/credentials'
import type { Context } from '../../context.ts'

/** The keys for looking up a secret, and the current time. */
export type TokenContext = SecretKeys & { at: Date }

export function tokenContext({ config, now }: Pick<Context, 'config' | 'now'>, at = now()): TokenContext {
  const { secretKey, previousSecretKey } = config
  return { secretKey, previousSecretKey, at }
}
